// SPDX-License-Identifier: GPL-2.0-or-later
//
// Set-up, the steps of a boot, hotplug, forks of the machine, suspend. See crng.h.
#include <string.h>

#include "models/crng/crng.h"
#include "models/crng/crng_fast.h"
#include "sim/cpu.h"
#include "sim/static_key.h"
#include "sim/task.h"
#include "sim/world.h"

static void crng_set_ready(struct crng *rng) { sim_static_branch_enable(&rng->crng_is_ready); }

// static_branch_enable sleeps: it takes cpu_hotplug_lock and text_mutex.
static void set_ready_work(struct sim_work *work) {
  struct crng *rng = sim_container_of(work, struct crng, set_ready);

  sim_might_sleep("static_branch_enable");
  crng_set_ready(rng);
  // As numa_crng_init did, which allocated in a work item of its own.
  if (rng->quirks.bug_4) (void)sim_cmpxchg(&rng->node_pool, NULL, rng->node_pool_to_be);
}

static void setup_percpu(struct crng *rng) {
  static const char *const batch_name[CRNG_BATCH_KINDS] = {
      "batched_entropy_u8", "batched_entropy_u16", "batched_entropy_u32", "batched_entropy_u64"};

  rng->crngs_lock = sim_alloc_percpu(struct sim_local_lock, "crngs lock");
  rng->crngs = sim_alloc_percpu(struct crng_cpu_key, "crngs");
  if (rng->quirks.bug_4)
    rng->node_pool_to_be = sim_alloc_percpu(struct crng_cpu_key, "crng_node_pool");
  rng->irq_randomness = sim_alloc_percpu(struct crng_fast_pool, "irq_randomness");
  for (u32 kind = 0; kind < CRNG_BATCH_KINDS; kind++) {
    rng->batch_lock[kind] = sim_alloc_percpu(struct sim_local_lock, "batch lock");
    rng->batch[kind] = sim_alloc_percpu(struct crng_batch, batch_name[kind]);
  }
  for (u32 cpu = 0; cpu < sim_nr_cpus(); cpu++) {
    struct crng_fast_pool *fast = sim_per_cpu_ptr(rng->irq_randomness, cpu);

    sim_local_lock_init(sim_per_cpu_ptr(rng->crngs_lock, cpu), "crngs.lock");
    sim_per_cpu_ptr(rng->crngs, cpu)->generation = CRNG_GENERATION_INVALID;
    if (rng->quirks.bug_4)
      sim_per_cpu_ptr(rng->node_pool_to_be, cpu)->generation = CRNG_GENERATION_INVALID;
    for (u32 kind = 0; kind < CRNG_BATCH_KINDS; kind++) {
      sim_local_lock_init(sim_per_cpu_ptr(rng->batch_lock[kind], cpu), batch_name[kind]);
      sim_per_cpu_ptr(rng->batch[kind], cpu)->position = UINT32_MAX;
    }
    fast->rng = rng;
    crng_fast_init(fast->pool);
    sim_timer_setup(&fast->mix, crng_mix_interrupt_randomness);
  }
}

void crng_setup(struct crng *rng, const struct crng_platform *platform) {
  rng->platform = *platform;
  rng->early_boot = true;
  sim_spin_lock_init(&rng->base_crng.lock, "base_crng.lock");
  sim_spin_lock_init(&rng->input_pool.lock, "input_pool.lock");
  sim_spin_lock_init(&rng->random_ready_lock, "random_ready_notifier.lock");
  sim_spin_lock_init(&rng->batch_reset_lock, "batched_entropy_reset_lock");
  sim_notifier_chain_init(&rng->random_ready_chain, "random_ready_notifier", false);
  sim_notifier_chain_init(&rng->vmfork_chain, "vmfork_chain", true);
  sim_init_waitqueue_head(&rng->crng_init_wait, "crng_init_wait");
  sim_init_delayed_work(&rng->next_reseed, crng_reseed_work);
  sim_init_work(&rng->set_ready, set_ready_work);
  rng->wq_to_be = sim_alloc_workqueue("events_unbound", -1, 1);
  crng_hash_begin(&rng->hooks, &rng->input_pool.hash, NULL);
  setup_percpu(rng);
  sim_hook_constant(&rng->platform, sizeof(rng->platform));
  sim_hook_constant(&rng->quirks, sizeof(rng->quirks));
  sim_hook_constant(&rng->hooks, sizeof(rng->hooks));
}

void crng_workqueue_init(struct crng *rng) { rng->system_dfl_wq = rng->wq_to_be; }

// ---- Boot ----

void crng_random_init_early(struct crng *rng, const char *command_line) {
  // struct new_utsname of the machine that a kernel tree runs on, too.
  static const char name[6][65] = {"Linux", "(none)", "seedbed", "#1", "seedbed", "(none)"};
  u32 longs = 0;

  // As many of 8 words as the processor gives; no lock, for nobody else is there yet.
  for (u32 i = 0; i < CRNG_BLOCK_LEN / 8;) {
    u64 words[CRNG_BLOCK_LEN / 8];
    u32 num;

    if (i >= rng->platform.arch_longs && !rng->platform.arch_get_random_seed_longs) break;
    num = crng_arch_longs(rng, words, CRNG_BLOCK_LEN / 8 - i, true);
    i += num ? num : 1;
    if (!num) continue;
    CRNG_HOOK(&rng->hooks, offered, CRNG_SOURCE_ARCH, words, num * sizeof(*words),
              rng->platform.trust_cpu ? 64 * num : 0);
    longs += num;
    crng_hash_update(&rng->hooks, &rng->input_pool.hash, words, num * sizeof(*words));
  }
  crng_hash_update(&rng->hooks, &rng->input_pool.hash, name, sizeof(name));
  crng_hash_update(&rng->hooks, &rng->input_pool.hash, command_line, strlen(command_line));

  if (crng_ready(rng))
    crng_reseed(rng);
  else if (rng->platform.trust_cpu)
    crng_credit_init_bits(rng, (size_t)longs * 64);
}

void crng_random_init(struct crng *rng) {
  u64 now = crng_clock_ns(rng), entropy = crng_cycles(rng);

  crng_mix_pool_bytes(rng, &now, sizeof(now));
  crng_mix_pool_bytes(rng, &entropy, sizeof(entropy));
  // Became READY before work could be queued. While there is but one task the locks are free,
  // and nothing sleeps.
  if (crng_ready(rng)) {
    if (!sim_static_branch(&rng->crng_is_ready)) crng_set_ready(rng);
    crng_reseed(rng);
  }
}

// ---- Hotplug ----

int crng_random_prepare_cpu(struct crng *rng, u32 cpu) {
  if (rng->quirks.bug_12) return 0;
  // Whatever was left when the CPU went is of an older key.
  if (!rng->quirks.bug_prepare_keeps_key)
    sim_per_cpu_ptr(rng->crngs, cpu)->generation = CRNG_GENERATION_INVALID;
  for (u32 kind = 0; kind < CRNG_BATCH_KINDS && !rng->quirks.bug_prepare_keeps_batches; kind++)
    sim_per_cpu_ptr(rng->batch[kind], cpu)->position = UINT32_MAX;
  return 0;
}

int crng_random_online_cpu(struct crng *rng, u32 cpu) {
  // Its timer may have run elsewhere, for nothing: then the pool would wait for it for ever.
  struct crng_fast_pool *fast = sim_per_cpu_ptr(rng->irq_randomness, cpu);

  if (rng->quirks.bug_12) return 0;
  // Corrected: it may still be pending elsewhere, and would be taken for this CPU's.
  if (!rng->quirks.suspect_hotplug_timer) sim_timer_delete(&fast->mix);
  fast->count = 0;
  CRNG_HOOK(&rng->hooks, came, cpu);
  return 0;
}

// ---- Forks and sleep ----

void crng_add_vmfork_randomness(struct crng *rng, const u8 *id, size_t len) {
  bool reseed;

  crng_add_device_randomness(rng, id, len);
  // Corrected: whoever makes the CRNG ready now may have extracted its key before.
  reseed = crng_ready(rng);
  if (!reseed && !rng->quirks.suspect_vmfork_unready) {
    u32 credited = sim_read_once(rng->input_pool.init_bits);

    reseed = credited >= CRNG_POOL_BITS;
  }
  if (rng->quirks.bug_fork_told_early) sim_notifier_call(&rng->vmfork_chain, 0, NULL);
  if (reseed) crng_reseed(rng);
  if (!rng->quirks.bug_fork_told_early) sim_notifier_call(&rng->vmfork_chain, 0, NULL);
}

void crng_random_pm_notification(struct crng *rng, enum crng_pm_action action) {
  bool reseeds = action == CRNG_PM_RESTORE_PREPARE || action == CRNG_PM_POST_SUSPEND;
  u64 now = crng_clock_ns(rng);
  // Three clocks, which are one here: a resumed machine does not know how long it slept.
  u64 told[] = {action, now, now, now, crng_cycles(rng)};

  crng_mix_pool_bytes(rng, told, sizeof(told));
  if (crng_ready(rng) && reseeds && !rng->quirks.bug_resume_no_reseed) crng_reseed(rng);
}
