// SPDX-License-Identifier: GPL-2.0-or-later
//
// drivers/char/random.c of a kernel tree in a world: its start, its per-CPU variables, and what an
// onlooker is told of what it does, by what goes through the functions that it calls. Nothing of
// it is changed for that.
//
// Left out: polls, signals to those who asked by fcntl, sysctl, splice. What comes there ends the
// run with status 70 and its name.
#ifndef SEEDBED_MODELS_KERNEL_KERNEL_RANDOM_H_
#define SEEDBED_MODELS_KERNEL_KERNEL_RANDOM_H_

#include "models/kernel/kernel_machine.h"
#include "models/kernel/kernel_random_inside.h"
#include "models/kernel/kernel_world.h"
#include "sim/base.h"
#include "sim/lock.h"
#include "sim/scenario.h"
#include "sim/work.h"

// What an onlooker is told, as those of struct crng_hooks (models/crng/crng_crypto.h) are; all are
// set. No primitive, no draw.
struct kernel_random_hooks {
  void *arg;
  void (*hash_begin)(void *arg, const void *hash, const u8 *key);
  void (*hash_update)(void *arg, const void *hash, const void *data, size_t len);
  void (*hash_final)(void *arg, const void *hash, const u8 *out);
  void (*block)(void *arg, const u8 *key, u64 counter, const u8 *out);
  // A jitter timer is about to mix this, worth so many bits.
  void (*jitter)(void *arg, const void *data, size_t len, u32 bits);
  // The pool's bits were `before` and are `after`: what was credited beyond 256 is not seen.
  void (*credited)(void *arg, u32 before, u32 after);
  // `generation` is the vDSO's; 0: this was no reseed.
  void (*base_key)(void *arg, const u8 *key, u64 generation);
  void (*stage)(void *arg, u32 stage);
  void (*queueing)(void *arg, bool exists);
  void (*page)(void *arg, u64 generation);
  void (*printed)(void *arg, const char *text);

  // Not an onlooker's: the processor's words, up to `max` (at least 1). Returns how many.
  u32 (*arch_random)(void *arg, unsigned long *v, u32 max, bool seed);
};

struct kernel_random_config {
  struct kernel_random_hooks hooks;
  u64 uptime_s;         // of the machine when the world's clock was 0
  u64 clock_step_ns;    // its clock and its counter move so; 0: by 1
  u32 samples_per_bit;  // what jitter shall find; 0: the counter does not move while it looks
};

// The version of the subject, 1000 * major + minor; 0: it has no random.c.
u32 kernel_random_version(void);
// In set-up, after kernel_start: the CPUs' variables and the statics of random.c. There are no
// work queues yet.
void kernel_random_start(const struct kernel_random_config *config);
void kernel_random_make_queues(void);
// random_init, as early as the kernel calls it: what may sleep later is not looked at.
void kernel_random_init(void);

// What stands at `p` in the template of per-CPU variables: a CPU's own.
void *kernel_random_of_cpu(const void *p, u32 cpu);
// Whether a lock of random.c is held: a spin lock, or a CPU's local lock by its place in the
// template.
bool kernel_random_spin_is_locked(const void *lock);
bool kernel_random_local_is_locked(const void *lock, u32 cpu);
bool kernel_random_timer_pending(u32 cpu);  // of a CPU's fast pool
// The delayed work that was queued last: the next reseed. NULL: none ever was.
const struct sim_delayed_work *kernel_random_delayed(void);

// ---- Inside models/kernel ----

enum { KERNEL_RANDOM_LOCALS_MAX = 16, KERNEL_RANDOM_HASHES_MAX = 16 };

struct kernel_random_world {
  struct kernel_random_config config;
  const struct kernel_random *table;
  char *percpu;  // of CPU 0; the others' behind it
  size_t stride;
  struct sim_workqueue *queue;
  const struct sim_delayed_work *delayed;  // queued last
  struct {
    const void *at;  // in the template
    struct sim_local_lock *locks;
  } locals[KERNEL_RANDOM_LOCALS_MAX];
  u32 num_locals;
  bool booting;
  u32 stage;
  u64 entropy_ns;    // clock of the last look at the counter
  u64 entropy_same;  // looks since then
  // Hashes that have begun, and not ended.
  const void *hashing[KERNEL_RANDOM_HASHES_MAX];
  // The jitter timer whose function runs, and for whom.
  struct {
    void *timer;
    const struct sim_task *task;
  } jitter[SIM_CPUS_MAX];
};

// NULL where the world has none.
static inline struct kernel_random_world *kernel_random_world(void) {
  return kernel_world()->random;
}
// What kernel_bind.c and kernel_text.c tell.
void kernel_random_stored(const void *at, u64 value);
void kernel_random_printed(const char *text);
// What kernel_random_bind.c tells.
void kernel_random_unlocking(const void *lock);
void kernel_random_swapped(const void *at, u64 old, u64 value);

// ---- For all ----

// The table of the running world.
static inline const struct kernel_random *kernel_random(void) {
  return kernel_random_world()->table;
}

#endif  // SEEDBED_MODELS_KERNEL_KERNEL_RANDOM_H_
