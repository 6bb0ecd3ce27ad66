// SPDX-License-Identifier: GPL-2.0-or-later
//
// See arm64_boot.h.
#include "models/arm64/arm64_boot.h"

#include "models/arm64/arm64_oracles.h"
#include "sim/checker.h"
#include "sim/choice.h"
#include "sim/cpu.h"
#include "sim/task.h"
#include "sim/world.h"

const char *const arm64_boot_trips_reads[] = {"arm64-trapped-reads", NULL};

enum { SEED_LEN_MAX = 64 };

// ---- Callers ----

static void set_caller(struct arm64_boot *boot, enum arm64_caller caller) {
  boot->arm64.machine.caller[sim_smp_processor_id()] = caller;
}

// On the CPU that boots.
static void call(struct arm64_boot *boot, enum arm64_caller caller) {
  u32 num = boot->calls[caller];

  if (boot->calls_max && num > boot->calls_max) num = boot->calls_max;
  set_caller(boot, caller);
  while (num--) crng_watch_batched(&boot->crng.watch, CRNG_U32);
  set_caller(boot, ARM64_CALLER_OTHER);
}

static u64 delivered(const struct arm64_machine *m) {
  return m->counts.rndr_words + m->counts.seed_words + m->counts.trng_words;
}

static u32 get_random(struct arm64_boot *boot, u64 *v, u32 max, bool seed, bool early) {
  struct arm64_machine *m = &boot->arm64.machine;
  u64 before = delivered(m);
  u32 num = seed ? arm64_get_random_seed_longs(m, v, max, early)
                 : arm64_get_random_longs(m, v, max, early);

  if (early) boot->early_words += delivered(m) - before;
  return num;
}

static u32 get_random_seed_longs(void *arg, u64 *v, u32 max, bool early) {
  return get_random(arg, v, max, true, early);
}

static u32 get_random_longs(void *arg, u64 *v, u32 max, bool early) {
  return get_random(arg, v, max, false, early);
}

// Others, in any context, while CPUs come and capabilities become final.
static void other(void *arg) {
  struct arm64_boot *boot = arg;

  for (u32 i = 0; i < boot->reads; i++) {
    u32 how = sim_choose(sim_w, SIM_SITE_DRAW("arm64-boot-other", SIM_SITE_WORK, 0, 0), 4);
    unsigned long flags;
    u64 v[4];

    // Under PREEMPT_RT the CRNG's locks sleep.
    if (how == 1 && sim_world_config(sim_w)->rt) how = 0;
    switch (how) {
      case 1:
        sim_local_irq_save(flags);
        crng_scene_read(&boot->crng);
        sim_local_irq_restore(flags);
        break;
      case 2:
        (void)arm64_get_random_longs(&boot->arm64.machine, v, 4, false);
        break;
      case 3:
        sim_preempt_disable();
        (void)arm64_get_random_seed_longs(&boot->arm64.machine, v, 4, false);
        sim_preempt_enable();
        break;
      default:
        crng_scene_read(&boot->crng);
    }
    crng_scene_pause();
  }
}

// ---- Seeds ----

// A seed of `len` bytes, or of a drawn length if that is negative: calmly none.
static void seed(struct arm64_boot *boot, s64 len) {
  static const u8 lengths[] = {0, 32, 16, 64};
  u8 buf[SEED_LEN_MAX];

  if (len < 0)
    len = lengths[sim_choose(sim_w, SIM_SITE_DRAW("arm64-boot-seed", SIM_SITE_WORK, 1, 4),
                             SIM_ARRAY_SIZE(lengths))];
  if (!len) return;
  crng_scene_data(&boot->crng, buf, (size_t)len);
  crng_watch_bootloader(&boot->crng.watch, buf, (size_t)len);
}

// What the CPU delivers is credited, and nothing else.
static void init_early(struct arm64_boot *boot) {
  struct crng *rng = &boot->crng.rng;
  bool counts = rng->platform.trust_cpu && !crng_ready(rng);
  u64 credited, due;

  credited = boot->crng.watch.credited;
  set_caller(boot, ARM64_CALLER_RANDOM_INIT_EARLY);
  crng_random_init_early(rng, "console=ttyAMA0");
  set_caller(boot, ARM64_CALLER_OTHER);
  credited = boot->crng.watch.credited - credited;
  due = counts ? 64 * boot->early_words : 0;
  if (credited != due)
    sim_fail(&arm64_oracle_credit, "",
             "random_init_early credits %llu bits for %llu words delivered, and may %llu",
             (unsigned long long)credited, (unsigned long long)boot->early_words,
             (unsigned long long)due);
}

// ---- start_kernel ----

static void kernel_init(void *arg);

static void start_kernel(void *arg) {
  struct arm64_boot *boot = arg;
  struct arm64_machine *m = &boot->arm64.machine;
  struct crng *rng = &boot->crng.rng;
  bool rt = sim_world_config(sim_w)->rt;

  arm64_scene_begin(&boot->arm64);
  arm64_scene_kaslr(&boot->arm64);
  // Under PREEMPT_RT locks sleep, which is not looked at until the scheduler runs: here there is
  // nobody to preempt this one, nor anything to interrupt it.
  if (!rt) {
    sim_preempt_disable();
    sim_local_irq_disable();
  }
  arm64_smccc_init(m);
  seed(boot, boot->efi_seed);
  seed(boot, boot->dt_seed);
  m->phase = ARM64_PHASE_BOOT;
  if (!boot->unfilled) arm64_cpu_first(m);
  init_early(boot);
  if (boot->unfilled) arm64_cpu_first(m);
  call(boot, ARM64_CALLER_KMEM_CACHE_INIT);
  call(boot, ARM64_CALLER_KMALLOC_SEED);
  crng_workqueue_init(rng);
  set_caller(boot, ARM64_CALLER_RANDOM_INIT);
  crng_random_init(rng);
  call(boot, ARM64_CALLER_KFENCE_INIT);
  call(boot, ARM64_CALLER_BOOT_CANARY);
  // The timer's line has been asking since time_init.
  crng_scene_device_start(&boot->devices[0], &boot->crng, 0, boot->interrupts);
  if (!rt) sim_local_irq_enable();
  call(boot, ARM64_CALLER_CACHES);
  call(boot, ARM64_CALLER_REST_INIT);
  if (!rt) sim_preempt_enable();
  sim_task_new("kernel_init", kernel_init, boot, 0);
}

// ---- kernel_init ----

static void bring_up(struct arm64_boot *boot, u32 cpu) {
  struct arm64_machine *m = &boot->arm64.machine;
  bool final = m->phase == ARM64_PHASE_FINAL, lacks = m->has_rng && !arm64_has_rndr(m, cpu);
  int err = sim_cpu_up(cpu);

  if (final && lacks && !err)
    sim_fail(&arm64_oracle_late, "", "CPU %u has no RNDR, which the kernel uses, and is let in",
             cpu);
  SIM_ASSERT(!err || (final && lacks));
  if (err) {
    boot->refused = true;
    return;
  }
  crng_scene_device_start(&boot->devices[cpu], &boot->crng, cpu, boot->interrupts);
  if (cpu % 2 && boot->others) sim_task_new("other", other, boot, cpu);
}

static void kernel_init(void *arg) {
  struct arm64_boot *boot = arg;
  struct arm64_machine *m = &boot->arm64.machine;
  u32 num_cpus = sim_nr_cpus(), last = num_cpus - 1;

  m->phase = ARM64_PHASE_SMP;
  call(boot, ARM64_CALLER_THREADS);
  for (u32 i = 0; i < boot->others; i++) sim_task_new("other", other, boot, 0);
  boot->is_late = boot->late && last &&
                  sim_choose(sim_w, SIM_SITE_DRAW("arm64-boot-late", SIM_SITE_WORK, 1, 3), 2);
  for (u32 cpu = 1; cpu < num_cpus; cpu++) {
    if (boot->is_late && cpu == last) break;
    call(boot, ARM64_CALLER_SMP_INIT);
    bring_up(boot, cpu);
  }
  arm64_finalize(m);
  call(boot, ARM64_CALLER_PAGE_SHUFFLE);
  if (boot->is_late) {
    call(boot, ARM64_CALLER_SMP_INIT);
    bring_up(boot, last);
  }
  for (u32 cpu = 0; cpu < num_cpus; cpu++)
    if (sim_cpu_online(cpu) && boot->others) sim_task_new("other", other, boot, cpu);
  if (boot->initcalls) boot->initcalls(boot);
}

// ---- Hotplug ----

int arm64_boot_prepare_cpu(struct arm64_boot *boot, u32 cpu) {
  return crng_watch_prepare_cpu(&boot->crng.watch, cpu);
}

int arm64_boot_starting(struct arm64_boot *boot, u32 cpu) {
  unsigned long flags;
  bool let_in;

  sim_local_irq_save(flags);
  let_in = arm64_cpu_come(&boot->arm64.machine, !boot->late_let_in);
  sim_local_irq_restore(flags);
  return let_in ? 0 : -SIM_EINVAL;
}

int arm64_boot_online(struct arm64_boot *boot, u32 cpu) {
  return crng_random_online_cpu(&boot->crng.rng, cpu);
}

// ---- Set-up and check ----

void arm64_boot_setup(struct arm64_boot *boot, void (*initcalls)(struct arm64_boot *boot)) {
  const struct arm64_kernel *kernel = &arm64_kernels[sim_param("kernel")];
  struct crng_platform *platform = &boot->crng.rng.platform;

  crng_scene_init(&boot->crng);
  arm64_scene_init(&boot->arm64);
  platform->arch_get_random_seed_longs = get_random_seed_longs;
  platform->arch_get_random_longs = get_random_longs;
  platform->arch_arg = boot;
  arm64_boot_calls(kernel, sim_nr_cpus(), (u32)sim_param("mem_mib"), sim_param("page_shuffle"),
                   boot->calls);
  boot->initcalls = initcalls;
  boot->calls_max = (u32)sim_param("calls_max");
  boot->dt_seed = sim_param("dt_seed");
  boot->efi_seed = sim_param("efi_seed");
  boot->late = sim_param("late");
  boot->others = (u32)sim_param("others");
  boot->reads = (u32)sim_param("reads");
  boot->interrupts = (u32)sim_param("interrupts");
  crng_scene_work(boot->reads, 0);
  boot->unfilled = sim_bug("cached-unfilled");
  boot->late_let_in = sim_bug("late-let-in");
  for (u32 cpu = 1; cpu < sim_nr_cpus(); cpu++)
    if (sim_cpu_down(cpu)) SIM_ASSERT(!"a CPU is not there yet");
  sim_task_new("start_kernel", start_kernel, boot, 0);
}

void arm64_boot_check(const struct arm64_boot *boot) {
  const struct arm64_machine *m = &boot->arm64.machine;
  u64 reads = m->counts.trapped[ARM64_ID_AA64ISAR0],
      most = arm64_boot_reads_max(boot->arm64.watch.design, sim_nr_cpus());

  if (reads > most)
    sim_fail(&arm64_oracle_reads, "",
             "%llu trapped reads of ID_AA64ISAR0_EL1 by %u CPUs: %llu "
             "at most, however many calls",
             (unsigned long long)reads, sim_nr_cpus(), (unsigned long long)most);
}
