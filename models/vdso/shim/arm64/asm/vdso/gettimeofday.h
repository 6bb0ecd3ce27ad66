/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * In place of arch/arm64/include/asm/vdso/gettimeofday.h: include/vdso/datapage.h wants it for
 * the clocks, of which nothing is compiled, and it wants files that a kernel's build makes. In
 * 6.12 getrandom has through it what is included here.
 */
#ifndef SEEDBED_MODELS_VDSO_SHIM_ARM64_ASM_VDSO_GETTIMEOFDAY_H_
#define SEEDBED_MODELS_VDSO_SHIM_ARM64_ASM_VDSO_GETTIMEOFDAY_H_

#ifdef __KERNEL__
#include <asm/alternative.h>
#include <asm/barrier.h>
#include <asm/unistd.h>
#endif

#endif /* SEEDBED_MODELS_VDSO_SHIM_ARM64_ASM_VDSO_GETTIMEOFDAY_H_ */
