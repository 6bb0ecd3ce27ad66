/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The configuration under which tools/kernel-archrandom compiles arm64's archrandom.h of a kernel
 * tree. Only what that and the headers that it reads ask for.
 */
#ifndef SEEDBED_MODELS_ARM64_SHIM_GENERATED_AUTOCONF_H_
#define SEEDBED_MODELS_ARM64_SHIM_GENERATED_AUTOCONF_H_

#define CONFIG_CC_IS_CLANG 1
#define CONFIG_CLANG_VERSION \
  (__clang_major__ * 10000 + __clang_minor__ * 100 + __clang_patchlevel__)
#define CONFIG_ARM64 1
#define CONFIG_64BIT 1
#define CONFIG_SMP 1
#define CONFIG_HAVE_ARM_SMCCC 1
#define CONFIG_FUNCTION_ALIGNMENT 4

#endif /* SEEDBED_MODELS_ARM64_SHIM_GENERATED_AUTOCONF_H_ */
