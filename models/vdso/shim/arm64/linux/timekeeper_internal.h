/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * In place of include/linux/timekeeper_internal.h: the kernel's side of the vDSO's clocks, whose
 * headers want all of a kernel. Declarations need no more than the name.
 */
#ifndef SEEDBED_MODELS_VDSO_SHIM_ARM64_LINUX_TIMEKEEPER_INTERNAL_H_
#define SEEDBED_MODELS_VDSO_SHIM_ARM64_LINUX_TIMEKEEPER_INTERNAL_H_

struct timekeeper;

#endif /* SEEDBED_MODELS_VDSO_SHIM_ARM64_LINUX_TIMEKEEPER_INTERNAL_H_ */
