// SPDX-License-Identifier: GPL-2.0-or-later
//
// From start_kernel to smp_cpus_done and the first calls behind it, in the order of Linux 7.2
// (init/main.c, arch/arm64/kernel/smp.c), with the CRNG behind its callers:
//
//   interrupts off, one CPU    setup_arch: PSCI, SMCCC, the firmware's and the device tree's seed
//                              smp_prepare_boot_cpu: this CPU's ID registers
//                              random_init_early
//                              mm_core_init: slabs
//                              workqueue_init_early, random_init, kfence_init, canary
//   interrupts on              the rest of start_kernel's caches, rest_init
//   preemptible                kernel_init: threads
//   all CPUs                   smp_init: each CPU's ID registers; others may call meanwhile
//                              smp_cpus_done: capabilities are final, alternatives are applied
//                              page_alloc.shuffle; a CPU that comes late
//   then                       what the scenario adds
//
// How many calls each makes arm64_boot_calls.h says, up to `calls_max`.
#ifndef SEEDBED_MODELS_ARM64_ARM64_BOOT_H_
#define SEEDBED_MODELS_ARM64_ARM64_BOOT_H_

#include "models/arm64/arm64_boot_calls.h"
#include "models/arm64/arm64_scene.h"
#include "models/crng/crng_scene.h"

struct arm64_boot {
  struct crng_scene crng;
  struct arm64_scene arm64;
  struct crng_scene_device devices[SIM_CPUS_MAX];
  u32 calls[ARM64_BOOT_CALLERS];
  u32 calls_max, interrupts, others, reads;
  s64 dt_seed, efi_seed;
  u64 early_words;   // delivered to random_init_early itself
  bool late;         // the last CPU may come late
  bool is_late;      // in this run it does
  bool refused;      // and was not let in
  bool unfilled;     // planted bug
  bool late_let_in;  // planted bug
  // In kernel_init, when the machine is up. May be NULL.
  void (*initcalls)(struct arm64_boot *boot);
};

// arm64_boot_setup prepares zeroed memory by the parameters below and makes the task that boots.
// The scenario has registered arm64_boot_prepare_cpu, arm64_boot_starting and arm64_boot_online
// with sim_cpuhp_setup_state, in that order, and calls arm64_boot_check in its check. In set-up.
void arm64_boot_setup(struct arm64_boot *boot, void (*initcalls)(struct arm64_boot *boot));
int arm64_boot_prepare_cpu(struct arm64_boot *boot, u32 cpu);  // on the control CPU
int arm64_boot_starting(struct arm64_boot *boot, u32 cpu);     // on it: -SIM_EINVAL, not let in
int arm64_boot_online(struct arm64_boot *boot, u32 cpu);       // on it
void arm64_boot_check(const struct arm64_boot *boot);

// Trapped reads of ID_AA64ISAR0_EL1 that a boot may make: a CPU's own; and, where random_init_early
// asks the register, 16.
static inline u64 arm64_boot_reads_max(u32 design, u32 num_cpus) {
  bool asks = design == ARM64_EARLY_VARIANTS || design == ARM64_LOCAL_CAP;

  return (asks ? 16 : 0) + (u64)num_cpus;
}

#define ARM64_BOOT_PARAMS                                                                  \
  ARM64_SCENE_PARAMS,                                                                      \
      {"kernel",          2, 0, 0, "", "whose calls: see models/arm64/arm64_boot_calls.h", \
       arm64_kernel_names},                                                                \
      {"mem_mib", 4096, 64, 4194304, "MiB", "memory"},                                     \
      {"page_shuffle", 0, 0, 1, "", "page_alloc.shuffle=1"},                               \
      {"calls_max", 3, 0, 1000000, "", "calls of each caller at most; 0: all"},            \
      {"dt_seed", -1, -1, 64, "bytes", "rng-seed of the device tree; -1: drawn"},          \
      {"efi_seed", -1, -1, 64, "bytes", "seed of the firmware; -1: drawn"},                \
      {"late", 1, 0, 1, "", "the last CPU may come when capabilities are final"},          \
      {"others", 1, 0, 8, "", "tasks that call while CPUs come"},                          \
      {"reads", 3, 0, 1000, "", "what each does"},                                         \
      {"interrupts", 2, 0, 100000, "", "of each CPU's device, bursts counted once"},       \
      {"arch_longs", 0, 0, 0, "", "the guest's functions give them"},                      \
      {"steps_max", 50000000, 0, 0, NULL, NULL},                                           \
      {"irq_off_max_ns", 60000000000, 0, 0, NULL, NULL}, /* until local_irq_enable */      \
  {                                                                                        \
    "preempt_off_max_ns", 60000000000, 0, 0, NULL, NULL                                    \
  }

#define ARM64_BOOT_BUGS                                                                            \
  ARM64_SCENE_BUGS, ARM64_SCENE_BOOT_BUGS,                                                         \
      {"cached-unfilled", "random_init_early asks before this CPU's ID registers have been kept"}, \
  {                                                                                                \
    "late-let-in", "a late CPU is let in, whatever it lacks"                                       \
  }

#define ARM64_BOOT_SUSPECT_LOCAL_CAP                                                             \
  {                                                                                              \
    "local_cap", "6.2 to 7.2: each early call reads ID_AA64ISAR0_EL1, which a hypervisor traps", \
        arm64_boot_trips_reads                                                                   \
  }
extern const char *const arm64_boot_trips_reads[];

#endif  // SEEDBED_MODELS_ARM64_ARM64_BOOT_H_
