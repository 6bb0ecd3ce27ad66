/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * In place of arch/arm64/include/asm/cpufeature.h: capabilities as far as FEAT_RNG goes. What an
 * alternative is patched to is a constant, SEEDBED_PATCHED: each state of it has a text of its
 * own, of the same instructions but for those that a kernel patches.
 */
#ifndef SEEDBED_MODELS_ARM64_SHIM_ASM_CPUFEATURE_H_
#define SEEDBED_MODELS_ARM64_SHIM_ASM_CPUFEATURE_H_

#include <asm/sysreg.h>
#include <linux/bug.h>
#include <linux/kernel.h>

#include "models/arm64/guest_asm/arm64_data.h"
#include "models/arm64/shim/seedbed_data.h"

#define ARM64_HAS_RNG 0
#define ARM64_ALWAYS_SYSTEM 1
#define ARM64_NCAPS 2

/* Defined nowhere: a call that is left is told by the linker. */
void seedbed_knows_no_other_capability(void);
void seedbed_keeps_no_other_register(void);

/* Whether the alternative of `cap` is applied. */
static __always_inline bool seedbed_applied(const unsigned long cap) {
  if (cap == ARM64_ALWAYS_SYSTEM) return SEEDBED_PATCHED != ARM64_UNPATCHED;
  if (cap != ARM64_HAS_RNG) seedbed_knows_no_other_capability();
  return SEEDBED_PATCHED == ARM64_FINAL_RNG;
}

static __always_inline bool alternative_has_cap_likely(const unsigned long cap) {
  asm goto(".if %c[applied]\n\tnop\n\t.else\n\tb %l[l_no]\n\t.endif"
           :
           : [applied] "i"(seedbed_applied(cap))
           :
           : l_no);
  return true;
l_no:
  return false;
}

static __always_inline bool alternative_has_cap_unlikely(const unsigned long cap) {
  asm goto(".if %c[applied]\n\tb %l[l_yes]\n\t.else\n\tnop\n\t.endif"
           :
           : [applied] "i"(seedbed_applied(cap))
           :
           : l_yes);
  return false;
l_yes:
  return true;
}

/* As they are called in 6.1. */
#define alternative_has_feature_likely alternative_has_cap_likely
#define alternative_has_feature_unlikely alternative_has_cap_unlikely

static __always_inline bool system_capabilities_finalized(void) {
  return alternative_has_cap_likely(ARM64_ALWAYS_SYSTEM);
}

/* No bit is set before capabilities are final. */
static __always_inline bool cpus_have_cap(unsigned int cap) { return seedbed_applied(cap); }

static __always_inline bool cpus_have_final_cap(int cap) {
  if (!system_capabilities_finalized()) BUG();
  return alternative_has_cap_unlikely(cap);
}

static __always_inline bool cpus_have_const_cap(int cap) {
  if (system_capabilities_finalized()) return alternative_has_cap_unlikely(cap);
  return cpus_have_cap(cap);
}

static __always_inline unsigned int cpuid_feature_extract_unsigned_field(u64 features, int field) {
  return (features >> field) & 0xf;
}

/* Of cpufeature.c: the register of this CPU, each time. */
static __always_inline bool this_cpu_has_cap(unsigned int cap) {
  if (cap != ARM64_HAS_RNG) seedbed_knows_no_other_capability();
  return cpuid_feature_extract_unsigned_field(read_sysreg_s(SYS_ID_AA64ISAR0_EL1),
                                              ID_AA64ISAR0_EL1_RNDR_SHIFT) >=
         ID_AA64ISAR0_EL1_RNDR_IMP;
}

/* And what it keeps of all CPUs that have come. */
static __always_inline u64 read_sanitised_ftr_reg(u32 id) {
  if (id != SYS_ID_AA64ISAR0_EL1) seedbed_keeps_no_other_register();
  return *(const volatile u64 *)(seedbed_data + ARM64_DATA_SANITISED);
}

#endif /* SEEDBED_MODELS_ARM64_SHIM_ASM_CPUFEATURE_H_ */
