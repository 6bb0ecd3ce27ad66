// SPDX-License-Identifier: GPL-2.0-or-later
//
// drivers/char/random.c as it is, and behind it what seedbed needs of its statics, in one
// translation unit: names that another version has changed do not compile. Compiled with access
// hooks, which what follows the kernel's file has not. See kernel_random_inside.h. Sections: what
// random.c refers to; inputs; the table.
#include SEEDBED_RANDOM_C

#include "models/kernel/kernel_random_inside.h"

#define QUIET __attribute__((no_sanitize("thread"), no_sanitize("address")))
#define PASTE_(a, b) a##b
#define PASTE(a, b) PASTE_(a, b)

// ---- What random.c refers to ----

struct workqueue_struct *system_wq, *system_unbound_wq, *system_percpu_wq, *system_dfl_wq;
#if SEEDBED_LINUX >= 6011
struct vdso_rng_data seedbed_vdso_rng_data;
#endif
static struct notifier_block *seedbed_pm;

QUIET int register_pm_notifier(struct notifier_block *nb) {
  seedbed_pm = nb;
  return 0;
}

QUIET struct new_utsname *init_utsname(void) {
  static struct new_utsname name = {"Linux", "(none)", "seedbed", "#1", "seedbed", "(none)"};

  return &name;
}

static QUIET void seedbed_set_queues(void *wq) {
  system_wq = system_unbound_wq = system_percpu_wq = system_dfl_wq = wq;
}

extern const struct seedbed_param PASTE(__start_seedbed_params_, SEEDBED_HZ)[]
    __attribute__((visibility("hidden")));
extern const struct seedbed_param PASTE(__stop_seedbed_params_, SEEDBED_HZ)[]
    __attribute__((visibility("hidden")));

static QUIET int seedbed_set_param(const char *name, char *value) {
  const struct seedbed_param *param = PASTE(__start_seedbed_params_, SEEDBED_HZ);

  for (; param < PASTE(__stop_seedbed_params_, SEEDBED_HZ); param++)
    if (seedbed_k_strcmp(param->name, name) == 0) return param->set(value);
  return -ENOENT;
}

// ---- What is hashed ----

typedef __typeof__(input_pool.hash) seedbed_blake2s;

static QUIET const unsigned char *seedbed_blake2s_key(const void *at) {
  const seedbed_blake2s *state = at;

  return !state->t[0] && state->buflen == BLAKE2S_BLOCK_SIZE &&
                 (state->h[0] ^ BLAKE2S_IV0) >> 8 & 0xff
             ? state->buf
             : NULL;
}

static QUIET unsigned int seedbed_blake2s_buffered(const void *at) {
  return ((const seedbed_blake2s *)at)->buflen;
}

// The tree's own: in random.c these names are those of seedbed's, which call them.
void seedbed_of_tree_blake2s_update(void *state, const void *in, unsigned long len);
void seedbed_of_tree_blake2s_final(void *state, void *out);
void seedbed_of_tree_chacha_block_generic(void *state, void *stream, int rounds);

static QUIET void seedbed_jitter(const void *timer, unsigned int *out_samples,
                                 unsigned int *out_per_bit) {
#if SEEDBED_LINUX >= 6002
  const struct entropy_timer_state *state =
      container_of((const struct timer_list *)timer, struct entropy_timer_state, timer);

  *out_samples = (unsigned int)state->samples.counter;
  *out_per_bit = state->samples_per_bit;
#else
  const struct entropy_timer_state *state =
      container_of((const struct timer_list *)timer, struct entropy_timer_state, timer);

  *out_samples = state->samples;
  *out_per_bit = state->samples_per_bit;
#endif
}

// ---- Inputs and readers ----

static QUIET int seedbed_ready(void) { return crng_ready(); }
#if SEEDBED_LINUX >= 6002
static QUIET void seedbed_reseed(void) { crng_reseed(NULL); }
#else
static QUIET void seedbed_reseed(void) { crng_reseed(); }
#endif

static QUIET long seedbed_getrandom(char *buf, unsigned long len, unsigned int flags) {
  return seedbed_sys_getrandom(buf, len, flags);
}

static QUIET unsigned long seedbed_batched(unsigned int kind) {
  switch (kind) {
    case 0:
      return get_random_u8();
    case 1:
      return get_random_u16();
    case 2:
      return get_random_u32();
    default:
      return get_random_u64();
  }
}

static QUIET void seedbed_disk(void *state, unsigned int num) {
  struct gendisk disk = {.random = state, .seedbed_devt = num};

  add_disk_randomness(&disk);
}

static QUIET void seedbed_hwgenerator(const void *buf, unsigned long len, unsigned long bits,
                                      int sleep_after) {
#if SEEDBED_LINUX >= 6003
  add_hwgenerator_randomness(buf, len, bits, sleep_after);
#else
  add_hwgenerator_randomness(buf, len, bits);
#endif
}

static QUIET long seedbed_add_entropy(const void *buf, unsigned long len, int bits) {
  struct {
    int bits, len;
    char bytes[256];
  } arg = {.bits = bits, .len = (int)len};
  struct file file = {.f_mode = FMODE_READ | FMODE_WRITE};
  unsigned long i;

  if (len > sizeof(arg.bytes)) return -EINVAL;
  for (i = 0; i < len; i++) *(volatile char *)&arg.bytes[i] = ((const char *)buf)[i];
  return random_fops.unlocked_ioctl(&file, RNDADDENTROPY, (unsigned long)&arg);
}

#if SEEDBED_LINUX >= 6002
static QUIET int seedbed_execute(void *nb) { return execute_with_initialized_rng(nb); }
#endif
static QUIET int seedbed_on_vmfork(void *nb) { return register_random_vmfork_notifier(nb); }

static QUIET int seedbed_pm_notification(unsigned long action) {
  // A scenario that begins after the boot has not called random_init.
  struct notifier_block *nb = seedbed_pm ? seedbed_pm : &pm_notifier;

  return nb->notifier_call(nb, action, NULL);
}

// ---- The table ----

extern char PASTE(__start_seedbed_percpu_, SEEDBED_HZ)[] __attribute__((visibility("hidden")));
extern char PASTE(__stop_seedbed_percpu_, SEEDBED_HZ)[] __attribute__((visibility("hidden")));

#define BATCH(type)                                                                    \
  {                                                                                    \
    (unsigned char *)batched_entropy_##type.entropy, &batched_entropy_##type.position, \
        &batched_entropy_##type.generation                                             \
  }

const struct kernel_random *PASTE(seedbed_random_, SEEDBED_HZ)(void)
    __attribute__((visibility("default")));
QUIET const struct kernel_random *PASTE(seedbed_random_, SEEDBED_HZ)(void) {
  static const struct kernel_random random = {
    .version = KERNEL_RANDOM_VERSION,
    .hz = SEEDBED_HZ,
    .linux_version = SEEDBED_LINUX,
    .percpu = PASTE(__start_seedbed_percpu_, SEEDBED_HZ),
    .percpu_end = PASTE(__stop_seedbed_percpu_, SEEDBED_HZ),
    .base_lock = &base_crng.lock,
    .base_key = base_crng.key,
    .base_generation = &base_crng.generation,
#if SEEDBED_LINUX >= 6011
    .page_generation = (unsigned long *)&seedbed_vdso_rng_data.generation,
    .page_is_ready = &seedbed_vdso_rng_data.is_ready,
#endif
    .pool_lock = &input_pool.lock,
    .pool_hash = &input_pool.hash,
    .init_bits = &input_pool.init_bits,
    .crng_init = (unsigned int *)&crng_init,
    .crng_is_ready = &crng_is_ready.enabled,
    .cpu_key = crngs.key,
    .cpu_generation = &crngs.generation,
    .cpu_lock = &crngs.lock,
    .fast_pool = irq_randomness.pool,
    .fast_count = &irq_randomness.count,
    .fast_timer = &irq_randomness.mix,
    .batch = {BATCH(u8), BATCH(u16), BATCH(u32), BATCH(u64)},
    .blake2s_update = seedbed_of_tree_blake2s_update,
    .blake2s_final = seedbed_of_tree_blake2s_final,
    .chacha_block = seedbed_of_tree_chacha_block_generic,
    .blake2s_key = seedbed_blake2s_key,
    .blake2s_buffered = seedbed_blake2s_buffered,
    .jitter = seedbed_jitter,
    .set_queues = seedbed_set_queues,
    .set_param = seedbed_set_param,
    .ready = seedbed_ready,
    .reseed = seedbed_reseed,
    .random_init_early = random_init_early,
    .random_init = random_init,
    .wait_for_random_bytes = wait_for_random_bytes,
    .getrandom = seedbed_getrandom,
    .get_random_bytes = get_random_bytes,
    .get_random_batched = seedbed_batched,
    .add_interrupt_randomness = add_interrupt_randomness,
    .add_disk_randomness = seedbed_disk,
    .add_input_randomness = add_input_randomness,
    .add_device_randomness = add_device_randomness,
    .add_bootloader_randomness = add_bootloader_randomness,
    .add_hwgenerator_randomness = seedbed_hwgenerator,
    .add_entropy = seedbed_add_entropy,
#if SEEDBED_LINUX >= 6002
    .execute_with_initialized_rng = seedbed_execute,
#endif
    .register_vmfork_notifier = seedbed_on_vmfork,
    .add_vmfork_randomness = add_vmfork_randomness,
    .pm_notification = seedbed_pm_notification,
    .prepare_cpu = random_prepare_cpu,
    .online_cpu = random_online_cpu,
  };

  return &random;
}
