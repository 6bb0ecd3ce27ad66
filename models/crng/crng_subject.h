// SPDX-License-Identifier: GPL-2.0-or-later
//
// The subject of the CRNG's scenarios: the model, or, where the subject is a kernel tree
// (models/kernel), its drivers/char/random.c. What scenarios and onlooker call of the CRNG, and
// what they look at in it, goes through here: a function is the model's of that name (crng.h), or
// the tree's.
//
// On a tree, struct crng has what the machine offers (platform), the hooks, and nothing else. Its
// planted bugs and suspects are not there: crng_subject_refuses tells.
#ifndef SEEDBED_MODELS_CRNG_CRNG_SUBJECT_H_
#define SEEDBED_MODELS_CRNG_CRNG_SUBJECT_H_

#include "models/crng/crng.h"
#include "sim/base.h"
#include "sim/refcount.h"
#include "sim/scenario.h"

// As crng_setup; on a tree `platform` gets the tree's version. In set-up, hooks are set.
void crng_subject_setup(struct crng *rng, const struct crng_platform *platform);
// Of struct sim_scenario.
bool crng_subject_refuses(const struct sim_params *params, char *err, size_t len);

void crng_subject_workqueue_init(struct crng *rng);
void crng_subject_random_init_early(struct crng *rng, const char *command_line);
void crng_subject_random_init(struct crng *rng);
bool crng_subject_ready(struct crng *rng);
void crng_subject_reseed(struct crng *rng);
int crng_subject_wait_for_random_bytes(struct crng *rng);
s64 crng_subject_getrandom(struct crng *rng, u8 *buf, size_t len, u32 flags);
void crng_subject_get_random_bytes(struct crng *rng, void *buf, size_t len);
u64 crng_subject_get_random_batched(struct crng *rng, enum crng_batch_kind kind);
void crng_subject_add_interrupt_randomness(struct crng *rng, u32 irq);
void crng_subject_add_disk_randomness(struct crng *rng, struct crng_timer_state *disk, u32 num);
void crng_subject_add_input_randomness(struct crng *rng, u32 type, u32 code, u32 value);
void crng_subject_add_device_randomness(struct crng *rng, const void *buf, size_t len);
void crng_subject_add_bootloader_randomness(struct crng *rng, const void *buf, size_t len);
void crng_subject_add_hwgenerator_randomness(struct crng *rng, const void *buf, size_t len,
                                             size_t bits, bool sleep_after);
void crng_subject_add_user_randomness(struct crng *rng, const void *buf, size_t len, size_t bits);
int crng_subject_execute_with_initialized_rng(struct crng *rng, struct sim_notifier *nb);
int crng_subject_random_prepare_cpu(struct crng *rng, u32 cpu);
int crng_subject_random_online_cpu(struct crng *rng, u32 cpu);
void crng_subject_add_vmfork_randomness(struct crng *rng, const u8 *id, size_t len);
// register_random_vmfork_notifier.
int crng_subject_register_vmfork_notifier_at(struct sim_site *site, struct crng *rng,
                                             struct sim_notifier *nb);
#define crng_subject_register_vmfork_notifier(rng, nb) \
  crng_subject_register_vmfork_notifier_at(SIM_SITE("notifier_register"), (rng), (nb))
void crng_subject_random_pm_notification(struct crng *rng, enum crng_pm_action action);

// ---- What is looked at: no access, no point ----

const void *crng_subject_pool(const struct crng *rng);  // its hash: which one it is, and no more
const u8 *crng_subject_base_key(const struct crng *rng);
u64 crng_subject_base_generation(const struct crng *rng);
bool crng_subject_base_is_locked(const struct crng *rng);
u64 crng_subject_cpu_generation(const struct crng *rng, u32 cpu);
const u8 *crng_subject_cpu_key(const struct crng *rng, u32 cpu);
bool crng_subject_cpu_is_locked(const struct crng *rng, u32 cpu);
bool crng_subject_static_key(const struct crng *rng);  // crng_is_ready
struct crng_vdso_page *crng_subject_page(struct crng *rng);

enum crng_stage crng_subject_stage(const struct crng *rng);
u32 crng_subject_init_bits(const struct crng *rng);
// When the next reseed is due, jiffies; 0: none is queued (6.1: by nothing that is queued).
u64 crng_subject_next_reseed(const struct crng *rng);

// A batch: CRNG_BATCH_LEN bytes of which `position` elements were given.
struct crng_batch_view {
  const u8 *entropy;
  u32 position;
  u64 generation;
};
struct crng_batch_view crng_subject_batch(const struct crng *rng, enum crng_batch_kind kind,
                                          u32 cpu);

// A CPU's fast pool: 4 words; its count; whether its timer is pending.
const u64 *crng_subject_fast_pool(const struct crng *rng, u32 cpu);
u32 crng_subject_fast_count(const struct crng *rng, u32 cpu);
bool crng_subject_fast_timer_pending(const struct crng *rng, u32 cpu);

#endif  // SEEDBED_MODELS_CRNG_CRNG_SUBJECT_H_
