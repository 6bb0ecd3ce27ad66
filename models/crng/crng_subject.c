// SPDX-License-Identifier: GPL-2.0-or-later
//
// See crng_subject.h. Sections: the start; calls; what is looked at.
#include "models/crng/crng_subject.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "models/crng/kernel_crng.h"
#include "models/kernel/kernel_random.h"
#include "sim/checker.h"
#include "sim/cpu.h"

static bool on_tree(const struct crng *rng) { return rng->on_tree; }

// ---- The start ----

void crng_subject_setup(struct crng *rng, const struct crng_platform *platform) {
  if (!kernel_subject()) {
    crng_setup(rng, platform);
    return;
  }
  rng->on_tree = true;
  rng->platform = *platform;
  kernel_crng_start(rng);
}

bool crng_subject_refuses(const struct sim_params *params, char *err, size_t len) {
  const struct sim_suspect *suspect = sim_params_scenario(params)->suspects;
  const char *bug = sim_params_bug(params);
  s64 value;

  if (!kernel_subject()) return false;
  if (!kernel_random_version()) {
    snprintf(err, len, "the kernel tree has no drivers/char/random.c");
    return true;
  }
  if (bug && strcmp(bug, "arch-seed-lock") != 0) {
    snprintf(err, len, "bug %s is planted in the model, not in a kernel tree", bug);
    return true;
  }
  for (; suspect && suspect->name; suspect++) {
    char key[96];

    // This one is of a driver that is the scenario's own.
    if (strcmp(suspect->name, "vmgenid_hardirq") == 0) continue;
    snprintf(key, sizeof(key), "suspect.%s", suspect->name);
    if (!sim_params_get(params, key, &value) || !value) continue;
    snprintf(err, len, "%s is a behaviour of the model: a kernel tree has its own", key);
    return true;
  }
  if (sim_params_get(params, "version", &value) && value) {
    snprintf(err, len, "version is the model's: a kernel tree has its own");
    return true;
  }
  return false;
}

// ---- Calls ----

static void add_entropy(const void *buf, size_t len, size_t bits) {
  if (kernel_random()->add_entropy(buf, len, (int)bits)) SIM_ASSERT(!"RNDADDENTROPY");
}

void crng_subject_workqueue_init(struct crng *rng) {
  if (on_tree(rng))
    kernel_random_make_queues();
  else
    crng_workqueue_init(rng);
}

void crng_subject_random_init_early(struct crng *rng, const char *command_line) {
  if (on_tree(rng))
    kernel_crng_random_init_early(rng, command_line);
  else
    crng_random_init_early(rng, command_line);
}

void crng_subject_random_init(struct crng *rng) {
  if (on_tree(rng))
    kernel_random_init();
  else
    crng_random_init(rng);
}

bool crng_subject_ready(struct crng *rng) {
  return on_tree(rng) ? kernel_random()->ready() != 0 : crng_ready(rng);
}

void crng_subject_reseed(struct crng *rng) {
  if (on_tree(rng))
    kernel_random()->reseed();
  else
    crng_reseed(rng);
}

int crng_subject_wait_for_random_bytes(struct crng *rng) {
  return on_tree(rng) ? kernel_random()->wait_for_random_bytes() : crng_wait_for_random_bytes(rng);
}

s64 crng_subject_getrandom(struct crng *rng, u8 *buf, size_t len, u32 flags) {
  return on_tree(rng) ? kernel_random()->getrandom((char *)buf, len, flags)
                      : crng_getrandom(rng, buf, len, flags);
}

void crng_subject_get_random_bytes(struct crng *rng, void *buf, size_t len) {
  if (on_tree(rng))
    kernel_random()->get_random_bytes(buf, len);
  else
    crng_get_random_bytes(rng, buf, len);
}

u64 crng_subject_get_random_batched(struct crng *rng, enum crng_batch_kind kind) {
  return on_tree(rng) ? kernel_random()->get_random_batched(kind)
                      : crng_get_random_batched(rng, kind);
}

void crng_subject_add_interrupt_randomness(struct crng *rng, u32 irq) {
  if (on_tree(rng))
    kernel_random()->add_interrupt_randomness((int)irq);
  else
    crng_add_interrupt_randomness(rng, irq);
}

void crng_subject_add_disk_randomness(struct crng *rng, struct crng_timer_state *disk, u32 num) {
  if (on_tree(rng))
    kernel_random()->add_disk_randomness(disk, num);
  else
    crng_add_disk_randomness(rng, disk, num);
}

void crng_subject_add_input_randomness(struct crng *rng, u32 type, u32 code, u32 value) {
  if (on_tree(rng))
    kernel_random()->add_input_randomness(type, code, value);
  else
    crng_add_input_randomness(rng, type, code, value);
}

void crng_subject_add_device_randomness(struct crng *rng, const void *buf, size_t len) {
  if (on_tree(rng))
    kernel_random()->add_device_randomness(buf, len);
  else
    crng_add_device_randomness(rng, buf, len);
}

void crng_subject_add_bootloader_randomness(struct crng *rng, const void *buf, size_t len) {
  if (on_tree(rng))
    kernel_random()->add_bootloader_randomness(buf, len);
  else
    crng_add_bootloader_randomness(rng, buf, len);
}

void crng_subject_add_hwgenerator_randomness(struct crng *rng, const void *buf, size_t len,
                                             size_t bits, bool sleep_after) {
  if (on_tree(rng))
    kernel_random()->add_hwgenerator_randomness(buf, len, bits, sleep_after);
  else
    crng_add_hwgenerator_randomness(rng, buf, len, bits, sleep_after);
}

void crng_subject_add_user_randomness(struct crng *rng, const void *buf, size_t len, size_t bits) {
  if (on_tree(rng))
    add_entropy(buf, len, bits);
  else
    crng_add_user_randomness(rng, buf, len, bits);
}

int crng_subject_execute_with_initialized_rng(struct crng *rng, struct sim_notifier *nb) {
  return on_tree(rng) ? kernel_random()->execute_with_initialized_rng(nb)
                      : crng_execute_with_initialized_rng(rng, nb);
}

int crng_subject_random_prepare_cpu(struct crng *rng, u32 cpu) {
  return on_tree(rng) ? kernel_random()->prepare_cpu(cpu) : crng_random_prepare_cpu(rng, cpu);
}

int crng_subject_random_online_cpu(struct crng *rng, u32 cpu) {
  return on_tree(rng) ? kernel_crng_random_online_cpu(rng, cpu) : crng_random_online_cpu(rng, cpu);
}

void crng_subject_add_vmfork_randomness(struct crng *rng, const u8 *id, size_t len) {
  if (on_tree(rng))
    kernel_random()->add_vmfork_randomness(id, len);
  else
    crng_add_vmfork_randomness(rng, id, len);
}

int crng_subject_register_vmfork_notifier_at(struct sim_site *site, struct crng *rng,
                                             struct sim_notifier *nb) {
  return on_tree(rng) ? kernel_random()->register_vmfork_notifier(nb)
                      : sim_notifier_register_at(site, &rng->vmfork_chain, nb);
}

void crng_subject_random_pm_notification(struct crng *rng, enum crng_pm_action action) {
  if (on_tree(rng))
    (void)kernel_random()->pm_notification(action);
  else
    crng_random_pm_notification(rng, action);
}

// ---- What is looked at ----

const void *crng_subject_pool(const struct crng *rng) {
  return on_tree(rng) ? kernel_random()->pool_hash : &rng->input_pool.hash;
}

const u8 *crng_subject_base_key(const struct crng *rng) {
  return on_tree(rng) ? kernel_random()->base_key : rng->base_crng.key;
}

u64 crng_subject_base_generation(const struct crng *rng) {
  return on_tree(rng) ? *kernel_random()->base_generation : rng->base_crng.generation;
}

bool crng_subject_base_is_locked(const struct crng *rng) {
  return on_tree(rng) ? kernel_random_spin_is_locked(kernel_random()->base_lock)
                      : sim_spin_is_locked(&rng->base_crng.lock);
}

u64 crng_subject_cpu_generation(const struct crng *rng, u32 cpu) {
  return on_tree(rng) ? *(u64 *)kernel_random_of_cpu(kernel_random()->cpu_generation, cpu)
                      : rng->crngs[cpu].generation;
}

const u8 *crng_subject_cpu_key(const struct crng *rng, u32 cpu) {
  return on_tree(rng) ? kernel_random_of_cpu(kernel_random()->cpu_key, cpu) : rng->crngs[cpu].key;
}

bool crng_subject_cpu_is_locked(const struct crng *rng, u32 cpu) {
  return on_tree(rng) ? kernel_random_local_is_locked(kernel_random()->cpu_lock, cpu)
                      : rng->crngs_lock[cpu].owner != 0;
}

bool crng_subject_static_key(const struct crng *rng) {
  return on_tree(rng) ? *kernel_random()->crng_is_ready : rng->crng_is_ready;
}

enum crng_stage crng_subject_stage(const struct crng *rng) {
  return on_tree(rng) ? (enum crng_stage) * kernel_random()->crng_init : rng->crng_init;
}

u32 crng_subject_init_bits(const struct crng *rng) {
  return on_tree(rng) ? *kernel_random()->init_bits : rng->input_pool.init_bits;
}

u64 crng_subject_next_reseed(const struct crng *rng) {
  const struct sim_delayed_work *reseed =
      on_tree(rng) ? kernel_random_delayed() : &rng->next_reseed;

  return reseed && sim_timer_pending(&reseed->timer) ? reseed->timer.expires : 0;
}

// The tree's struct vdso_rng_data begins as this does. One that has none never says: ready.
struct crng_vdso_page *crng_subject_page(struct crng *rng) {
  _Static_assert(offsetof(struct crng_vdso_page, is_ready) == 8, "as the tree's");
  return on_tree(rng) && kernel_random()->page_generation ? (void *)kernel_random()->page_generation
                                                          : &rng->vdso;
}

struct crng_batch_view crng_subject_batch(const struct crng *rng, enum crng_batch_kind kind,
                                          u32 cpu) {
  const struct crng_batch *batch;

  if (on_tree(rng)) {
    const struct kernel_random *table = kernel_random();

    return (struct crng_batch_view){
        .entropy = kernel_random_of_cpu(table->batch[kind].entropy, cpu),
        .position = *(u32 *)kernel_random_of_cpu(table->batch[kind].position, cpu),
        .generation = *(u64 *)kernel_random_of_cpu(table->batch[kind].generation, cpu),
    };
  }
  batch = sim_per_cpu_ptr(rng->batch[kind], cpu);
  return (struct crng_batch_view){batch->entropy, batch->position, batch->generation};
}

const u64 *crng_subject_fast_pool(const struct crng *rng, u32 cpu) {
  return on_tree(rng) ? kernel_random_of_cpu(kernel_random()->fast_pool, cpu)
                      : rng->irq_randomness[cpu].pool;
}

u32 crng_subject_fast_count(const struct crng *rng, u32 cpu) {
  return on_tree(rng) ? *(u32 *)kernel_random_of_cpu(kernel_random()->fast_count, cpu)
                      : rng->irq_randomness[cpu].count;
}

bool crng_subject_fast_timer_pending(const struct crng *rng, u32 cpu) {
  return on_tree(rng) ? kernel_random_timer_pending(cpu)
                      : sim_timer_pending(&rng->irq_randomness[cpu].mix);
}
