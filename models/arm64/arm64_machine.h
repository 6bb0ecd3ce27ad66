// SPDX-License-Identifier: GPL-2.0-or-later
//
// An arm64 machine as far as random words go: its CPUs' ID registers, RNDR and RNDRRS; the
// hypervisor that traps the ID registers (HCR_EL2.TID3); the firmware with its SMCCC and TRNG
// calls; and the kernel's functions that use them, which the guest engine runs in EL1
// (arm64_text.h, or a kernel tree's: arm64_tree.h). Calls are tasks of the world: at a boundary
// another may go on.
//
//   arm64_machine_setup(&m, &config);                in set-up
//   arm64_machine_begin(&m);                         first thing of a run
//   arm64_smccc_init(&m);                            setup_arch
//   arm64_cpu_first(&m);                             smp_prepare_boot_cpu
//   arm64_get_random_seed_longs(&m, v, 4);           from then on, in any context but NMI
//   arm64_cpu_come(&m, true);                        on each CPU that comes
//   arm64_finalize(&m);                              smp_cpus_done
//
// The machine is the kernel of one world: its engines are the process's, and what a run leaves in
// them the next one's arm64_machine_begin replaces.
//
// Left out: what else a kernel keeps of its ID registers, and all features but FEAT_RNG.
#ifndef SEEDBED_MODELS_ARM64_ARM64_MACHINE_H_
#define SEEDBED_MODELS_ARM64_ARM64_MACHINE_H_

#include "models/arm64/arm64_text.h"
#include "models/arm64/arm64_tree.h"
#include "models/guest/guest.h"
#include "sim/base.h"

enum { ARM64_ENGINES = 4 };

// ---- The hardware ----

// What a CPU's RNDR and RNDRRS do.
enum arm64_rndr {
  ARM64_RNDR_ABSENT,        // no FEAT_RNG: undefined
  ARM64_RNDR_WORKS,         // each read gives a word
  ARM64_RNDR_RNDRRS_NEVER,  // RNDR gives words, RNDRRS none, as cores in the field do
  ARM64_RNDR_FAILS,         // neither ever does
  ARM64_RNDR_FAILS_FIRST,   // the first reads fail
  ARM64_RNDR_FLAKY,         // one read of a call may fail, by draw
  ARM64_RNDR_TRAPS,         // SCR_EL3.TRNDR (FEAT_RNG_TRAP): EL3 gives the word, at its cost
};
enum { ARM64_RNDR_KINDS = ARM64_RNDR_TRAPS + 1, ARM64_RNDR_FIRST = 5 };
extern const char *const arm64_rndr_names[];  // NULL-terminated

// Which firmware answers PSCI and SMCCC calls.
enum arm64_smccc {
  ARM64_SMCCC_ABSENT,  // PSCI 0.2: it has no PSCI_FEATURES
  ARM64_SMCCC_1_0,     // says 1.0: the conduit is PSCI's alone
  ARM64_SMCCC_1_1,
  ARM64_SMCCC_1_5,
};
enum { ARM64_SMCCC_KINDS = ARM64_SMCCC_1_5 + 1 };
extern const char *const arm64_smccc_names[];

// And its TRNG.
enum arm64_trng {
  ARM64_TRNG_ABSENT,  // NOT_SUPPORTED
  ARM64_TRNG_0_9,     // a version below the least that is allowed
  ARM64_TRNG_1_0,     // gives what it is asked for
  ARM64_TRNG_DRAWN,   // 1.0, and each answer is drawn: see enum arm64_answer
};
enum { ARM64_TRNG_KINDS = ARM64_TRNG_DRAWN + 1 };
extern const char *const arm64_trng_names[];

// Answers to TRNG_RND64 (DEN0098). Where there are no words, x1 to x3 hold what must reach nobody.
enum arm64_answer {
  ARM64_ANSWER_WORDS,
  ARM64_ANSWER_NO_ENTROPY,     // -3
  ARM64_ANSWER_NOT_SUPPORTED,  // -1
  ARM64_ANSWER_INVALID,        // -2
  ARM64_ANSWER_UNKNOWN,        // INT_MIN, which is none of DEN0098's, under garbage
  ARM64_ANSWER_NARROW,         // NO_ENTROPY, with nothing in the upper half of x0
  ARM64_ANSWER_WIDE,           // words, with garbage in the upper half of x0: an int says success
  ARM64_ANSWER_POSITIVE,       // 1, which is none of DEN0098's either: words, as the kernel sees it
};
enum { ARM64_ANSWERS = ARM64_ANSWER_POSITIVE + 1 };

// ---- What is counted ----

// Phases of a boot.
enum arm64_phase {
  ARM64_PHASE_ARCH,   // setup_arch: nothing is known of the CPUs
  ARM64_PHASE_EARLY,  // random_init_early itself; what it sets off is a part of what follows
  ARM64_PHASE_BOOT,   // start_kernel: one CPU, whose ID registers are known
  ARM64_PHASE_SMP,    // kernel_init until smp_cpus_done: CPUs come
  ARM64_PHASE_FINAL,  // capabilities are final
};
enum { ARM64_PHASES = ARM64_PHASE_FINAL + 1 };
extern const char *const arm64_phase_names[];

// ID registers, by op2 and CRm - 4: op0 3, op1 0, CRn 0, CRm 4 to 7.
enum { ARM64_ID_REGISTERS = 32, ARM64_ID_AA64ISAR0 = 16 };
enum { ARM64_CALLERS = 32 };

struct arm64_counts {
  u64 trapped[ARM64_ID_REGISTERS];         // reads that went to EL2, by register
  u64 isar0[ARM64_PHASES][ARM64_CALLERS];  // of ID_AA64ISAR0_EL1 of these, by who asked
  u64 calls[ARM64_PHASES][ARM64_CALLERS];  // of the arch_get_random functions
  u64 rndr_words, seed_words, trng_words;  // delivered
  u64 el3;                                 // reads that went there
  u64 smccc;                               // calls of the firmware
  u64 insns;                               // of the guest
};

// ---- The machine ----

struct arm64_config {
  u32 design;                     // of guest_asm/arm64_data.h
  u32 bug;                        // planted in the guest's code
  bool tid3;                      // a hypervisor traps the ID registers
  bool bug_reg31_sp;              // and takes target 31 for the stack pointer
  u32 trap_ns, el3_ns, smccc_ns;  // cost of a trap to EL2 and back, to EL3, of a firmware call
  u32 insn_ps;                    // of an instruction
};

// What the hardware does in this run: set after arm64_machine_begin.
struct arm64_hardware {
  enum arm64_rndr rndr[SIM_CPUS_MAX];
  enum arm64_smccc smccc;
  enum arm64_trng trng;
  u32 conduit;  // ARM64_CONDUIT_*, which the device tree names
};

// A call that stands open.
struct arm64_call {
  struct arm64_machine *m;
  struct guest *g;
  bool open;
  u32 fn;
  enum arm64_phase phase;  // when it was opened
  bool all_had;            // so were then all CPUs that had come with FEAT_RNG
  u32 cpu;                 // where it goes on
  bool preemptible;        // its context, as the kernel is configured to know
  u64 daif;
  u32 fail_at;  // ARM64_RNDR_FLAKY: the read of this call that fails; 0: none
  u32 rndr_reads, rndrrs_reads, trng_calls, isar0_reads;
  u32 trapped, el3;
  u64 owed_ns;    // what it cost so far that no clock has been told
  u64 word;       // the last that a register gave,
  bool worked;    // if it did
  u64 words[3];   // x1 to x3 of the firmware,
  u32 num_words;  // of which so many are words, the last ones
  u32 asked_bits;
  bool wrote_behind;  // memory behind the `max` words
  bool queried_preemptible;
  s32 undefined_on;  // CPU that has no RNDR and read it; -1: none
};

struct arm64_machine {
  struct arm64_config config;
  struct arm64_hardware hw;
  enum arm64_phase phase;
  u32 caller[SIM_CPUS_MAX];      // who calls on a CPU, for what is counted: below ARM64_CALLERS
  bool has_rng;                  // ARM64_HAS_RNG, once final
  u32 patched;                   // ARM64_UNPATCHED, ...
  u32 num_failed[SIM_CPUS_MAX];  // ARM64_RNDR_FAILS_FIRST: reads so far
  u64 words;                     // given so far; the next is the hash of the next number
  u64 garbage;                   // and of what is none
  u64 num_calls;                 // so far
  bool come[SIM_CPUS_MAX];       // the kernel has looked at its ID registers
  bool coming[SIM_CPUS_MAX];     // or is about to
  struct arm64_counts counts;
  struct arm64_call calls[ARM64_ENGINES];
  struct arm64_text texts[ARM64_PATCHES];
  const struct arm64_tree *tree;  // whose functions go before those of the texts; NULL: nobody's
  bool counted;                   // CONFIG_PREEMPT_COUNT
  struct guest_snapshot *start[ARM64_ENGINES];
  bool started[ARM64_ENGINES];  // its registers are this run's
  u8 *data;                     // the kernel's, of the process
  // Where set: looks at each call of the arch_get_random functions when it has returned
  // `num` words in `v`. `max` is what it was asked for.
  void (*judge)(void *arg, const struct arm64_call *call, const u64 *v, u32 max, u32 num);
  void *judge_arg;
};

// arm64_machine_setup prepares a zeroed machine that lies in the world's memory. In set-up.
void arm64_machine_setup(struct arm64_machine *m, const struct arm64_config *config);
// arm64_machine_begin makes memory and registers as they are at the machine's start; no CPU has
// come. Once a run, before all else. The caller sets m->hw.
void arm64_machine_begin(struct arm64_machine *m);

// psci_dt_init: asks the firmware which SMCCC it has, and whether a TRNG.
void arm64_smccc_init(struct arm64_machine *m);
// cpuinfo_store_boot_cpu, on this CPU: its ID registers are what the kernel knows.
void arm64_cpu_first(struct arm64_machine *m);
// secondary_start_kernel, on this CPU: what the kernel knows is lowered to what this one has. CPUs
// come one at a time.
// Once final, a CPU that has not what the kernel uses is not let in (verify_local_cpu_
// capabilities; not with `verify` false): false, and nothing changed.
SIM_MUST_CHECK bool arm64_cpu_come(struct arm64_machine *m, bool verify);
// setup_system_features: capabilities are final, alternatives are applied. No call stands open.
void arm64_finalize(struct arm64_machine *m);

// All that leads to `phase`, at once, without a call of the guest: the firmware has been asked, and
// CPU 0, or from ARM64_PHASE_FINAL on all CPUs, have come.
void arm64_put(struct arm64_machine *m, enum arm64_phase phase);

// arch_get_random_longs and arch_get_random_seed_longs: fill up to `max` words of `v` (8 at most),
// which are host integers, and return how many. `early`: random_init_early itself asks, for which
// 6.1 has functions of its own: phase ARM64_PHASE_EARLY. Any context but NMI.
u32 arm64_get_random_longs(struct arm64_machine *m, u64 *v, u32 max, bool early);
u32 arm64_get_random_seed_longs(struct arm64_machine *m, u64 *v, u32 max, bool early);
// __early_cpu_has_rndr, which kaslr calls before all else; its trap is not counted.
bool arm64_early_cpu_has_rndr(struct arm64_machine *m);
// A trapped read of ID_AA64ISAR0_EL1 into each general register and xzr.
void arm64_read_all(struct arm64_machine *m);

// Whether `cpu` has FEAT_RNG.
static inline bool arm64_has_rndr(const struct arm64_machine *m, u32 cpu) {
  return m->hw.rndr[cpu] != ARM64_RNDR_ABSENT;
}
// Whether all CPUs have it that have come so far, the first included; `with_coming` counts those
// that are about to.
bool arm64_all_have(const struct arm64_machine *m, bool with_coming);
// ID_AA64ISAR0_EL1 of `cpu`.
u64 arm64_isar0(const struct arm64_machine *m, u32 cpu);
// Reads of ID registers that were trapped, in all.
u64 arm64_trapped(const struct arm64_machine *m);

#endif  // SEEDBED_MODELS_ARM64_ARM64_MACHINE_H_
