// SPDX-License-Identifier: GPL-2.0-or-later
//
// The oracles of random words on arm64: what each asks and on whose word. arm64_watch.h judges
// calls, arm64_machine.c what the processor would not do, the scenarios a whole boot.
#ifndef SEEDBED_MODELS_ARM64_ARM64_ORACLES_H_
#define SEEDBED_MODELS_ARM64_ARM64_ORACLES_H_

#include "sim/scenario.h"

// X(name, id, status, sentence, source). Of calls:
#define ARM64_ORACLES(X)                                                                           \
  X(reads_call, "arm64-reads-per-call", SIM_SAFETY,                                                \
    "a call reads ID_AA64ISAR0_EL1 as often as its design says, no more and no less",              \
    "arch/arm64/include/asm/archrandom.h of 6.1 and 7.2; the patch of 20 Jul 2026; the table is "  \
    "models/arm64/arm64_use.c")                                                                    \
  X(use, "arm64-rng-use", SIM_SAFETY,                                                              \
    "RNDR and RNDRRS are used where the table of docs/ARM64.md says, each for its function, and "  \
    "nowhere else",                                                                                \
    "models/arm64/arm64_use.c names one for each row")                                             \
  X(undefined, "arm64-rndr-undefined", SIM_SAFETY,                                                 \
    "no CPU without FEAT_RNG reads RNDR or RNDRRS, which is undefined there",                      \
    "Arm Architecture Reference Manual, RNDR; __cpu_has_rng")                                      \
  X(value, "arm64-words", SIM_SAFETY,                                                              \
    "a caller gets the words that register or firmware delivered, none where they failed, and "    \
    "nothing behind those that it asked for",                                                      \
    "Arm Architecture Reference Manual: NZCV 0b0100 is failure; DEN0098: words count where the "   \
    "call succeeded, and so many as were asked for")                                               \
  X(trng, "arm64-trng-call", SIM_SAFETY,                                                           \
    "a call asks the firmware once, for 64 bits a word, and only if it has a TRNG of 1.0 or "      \
    "later "                                                                                       \
    "and SMCCC 1.1",                                                                               \
    "arch_get_random_seed_longs, smccc_probe_trng and arm_smccc_1_1_get_conduit, 7.2")             \
  X(query, "arm64-preemptible-query", SIM_SAFETY,                                                  \
    "no CPU's own capability is asked for where the caller may be moved to another",               \
    "this_cpu_has_cap, 7.2: warns if preemptible")                                                 \
  X(bounded, "arm64-call-bounded", SIM_LIVENESS,                                                   \
    "a call ends within its budget of instructions, whatever registers and firmware answer",       \
    "arch/arm64/include/asm/archrandom.h, 7.2: one try")                                           \
  X(registers, "arm64-callee-saved", SIM_SAFETY,                                                   \
    "a call leaves x19 to x29 and sp as they were; looked at after each fourth", "AAPCS64, 6.1.1") \
  X(trap, "arm64-trap-emulation", SIM_SAFETY,                                                      \
    "a trapped read puts the value into its target, which is none for number 31, goes on behind "  \
    "it, and changes nothing else",                                                                \
    "Arm Architecture Reference Manual, MRS: Rt is X[t, 64], and 31 is XZR")                       \
  X(crash, "arm64-guest-fault", SIM_CRASH, "the guest does not fault, and calls as SMCCC does",    \
    "the guest's code is a kernel's; DEN0028: HVC #0, SMC #0")

// Of boots as well:
#define ARM64_BOOT_ORACLES(X)                                                                  \
  X(reads, "arm64-trapped-reads", SIM_SAFETY,                                                  \
    "a boot's trapped reads of ID_AA64ISAR0_EL1 are bounded by its CPUs, not by its calls",    \
    "\"arm64: archrandom: avoid trapping ID register read in __cpu_has_rng()\", 20 Jul 2026: " \
    "some 200,000 before it, a handful after")                                                 \
  X(late, "arm64-late-cpu", SIM_SAFETY,                                                        \
    "once capabilities are final, no CPU is let in that lacks what the kernel uses",           \
    "verify_local_cpu_capabilities, 7.2")                                                      \
  X(credit, "arm64-credit", SIM_SAFETY,                                                        \
    "random_init_early credits 64 bits for each word delivered, if the CPU is trusted",        \
    "random_init_early, 7.2")

#define X(name, id, status, sentence, source) extern const struct sim_oracle arm64_oracle_##name;
ARM64_ORACLES(X)
ARM64_BOOT_ORACLES(X)
#undef X

#endif  // SEEDBED_MODELS_ARM64_ARM64_ORACLES_H_
