/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * In place of include/linux/linkage.h, whose own headers want all of a kernel.
 */
#ifndef SEEDBED_MODELS_ARM64_SHIM_LINUX_LINKAGE_H_
#define SEEDBED_MODELS_ARM64_SHIM_LINUX_LINKAGE_H_

#define asmlinkage

#endif /* SEEDBED_MODELS_ARM64_SHIM_LINUX_LINKAGE_H_ */
