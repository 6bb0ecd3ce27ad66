/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The configuration under which tools/kernel-vdso compiles the vDSO of a kernel tree: in place
 * of the file that a kernel's build makes of .config. Only what these sources and the headers
 * that they read ask for.
 *
 *   ppc32          the 885 and the 8321 are single processors: without SMP a read barrier is none
 *   ppc32-compat   what a 64-bit kernel gives its 32-bit processes: -DSEEDBED_COMPAT
 *   the others     64 bits, SMP
 */
#ifndef SEEDBED_MODELS_VDSO_SHIM_GENERATED_AUTOCONF_H_
#define SEEDBED_MODELS_VDSO_SHIM_GENERATED_AUTOCONF_H_

#define CONFIG_CC_IS_CLANG 1
#define CONFIG_CLANG_VERSION \
  (__clang_major__ * 10000 + __clang_minor__ * 100 + __clang_patchlevel__)
#define CONFIG_LD_IS_LLD 1

#define CONFIG_VDSO_GETRANDOM 1
#define CONFIG_GENERIC_GETTIMEOFDAY 1
#define CONFIG_TIME_NS 1
#define CONFIG_PAGE_SHIFT 12
#define CONFIG_HAVE_EFFICIENT_UNALIGNED_ACCESS 1
#define CONFIG_FUNCTION_ALIGNMENT 4

#ifdef __aarch64__
#define CONFIG_ARM64 1
#define CONFIG_ARM64_4K_PAGES 1
#define CONFIG_64BIT 1
#define CONFIG_SMP 1
#else
#define CONFIG_PPC 1
#define CONFIG_PPC_4K_PAGES 1
#define CONFIG_ARCH_HAS_VDSO_ARCH_DATA 1
#if defined(__powerpc64__) || defined(SEEDBED_COMPAT)
#define CONFIG_PPC64 1
#define CONFIG_PPC_BOOK3S_64 1
#define CONFIG_64BIT 1
#define CONFIG_COMPAT 1
#define CONFIG_SMP 1
#else
#define CONFIG_PPC32 1
#define CONFIG_32BIT 1
#endif
#ifdef __powerpc64__
#define CONFIG_PPC64_ELF_ABI_V2 1
#endif
#ifdef __LITTLE_ENDIAN__
#define CONFIG_CPU_LITTLE_ENDIAN 1
#else
#define CONFIG_CPU_BIG_ENDIAN 1
#endif
#endif

#endif /* SEEDBED_MODELS_VDSO_SHIM_GENERATED_AUTOCONF_H_ */
