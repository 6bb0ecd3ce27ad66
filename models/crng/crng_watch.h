// SPDX-License-Identifier: GPL-2.0-or-later
//
// The onlooker: judges the CRNG from outside, by what sources offer, what goes through the
// primitives (crng_lineage.h), what readers get, and what the world's clock says. It shares
// no code with the model; of its state it reads the stage, the vDSO's page and the objects
// in which nothing old may lie.
//
// A scenario calls the model through the functions below. Nothing here draws, sleeps or is a
// scheduling point, but for the calls of the model.
#ifndef SEEDBED_MODELS_CRNG_CRNG_WATCH_H_
#define SEEDBED_MODELS_CRNG_CRNG_WATCH_H_

#include "models/crng/crng.h"
#include "models/crng/crng_lineage.h"
#include "sim/base.h"
#include "sim/task.h"

enum {
  CRNG_WATCH_FEEDERS_MAX = 16,  // tasks that feed
  CRNG_WATCH_WAITERS_MAX = 16,  // tasks in getrandom
  CRNG_WATCH_NOTIFY_MAX = 8,
  CRNG_WATCH_GENERATIONS_MAX = 64,
};

// What a context may still credit: of what it has mixed and not yet credited.
struct crng_grant {
  const struct sim_task *task;  // NULL: the softirqs of a CPU
  u64 bits;
  struct lineage_set set;
};

// The interrupts of a CPU.
struct crng_watch_irqs {
  u32 counts;       // what all so far may count at most: timings 64 a bit
  u32 mixed;        // of those, what has been mixed
  u32 num;          // interrupts since the last mix
  u64 last_mix_ns;  // 0: never
  u64 due_ns;       // a mix was due then; 0: none is
  bool collecting;  // in hardirq, now
};

struct crng_watch_waiter {
  const struct sim_task *task;
  u64 signal_ns;  // when a signal was sent; 0: none
};

// What a CPU had when it came.
struct crng_watch_came {
  u32 times;
  u32 blocks;            // of key stream, made so far
  u8 key[CRNG_KEY_LEN];  // of before it went
};

// One who asked to be told.
struct crng_watch_notify {
  struct sim_notifier nb;
  struct crng_watch *watch;
  u32 calls;
};

// A call of crng_watch_vmfork, while it lasts.
struct crng_watch_fork {
  struct sim_task *task;
  const struct lineage_set *set;  // its identity
  struct crng_watch_fork *next;
};

struct crng_watch {
  struct crng *rng;
  u64 wake_ns_max;
  u32 stage;
  u64 credited;  // bits
  u64 key_ns;    // when the base key was last replaced
  u64 ready_ns;  // when READY was announced to those who wait; 0: not
  u32 publications;
  bool crossed_early, crossed_ready;
  u32 num_feeders, num_notify;
  u32 init_done;                    // times that the log said so
  struct lineage_set paid;          // inputs that have been credited
  struct lineage_set paid_early;    // the same when 128 bits were crossed
  struct lineage_set paid_ready;    // and 256
  struct lineage_set forks;         // identities that must be in the key now
  struct crng_watch_fork *forking;  // those that are being told of
  struct sim_notifier on_fork;      // told of forks as others are
  u8 pool_key[CRNG_KEY_LEN];        // that the pool goes on under
  struct crng_grant feeders[CRNG_WATCH_FEEDERS_MAX];
  struct crng_grant softirqs[SIM_CPUS_MAX];
  struct crng_watch_irqs irqs[SIM_CPUS_MAX];
  struct crng_watch_came came[SIM_CPUS_MAX];
  struct crng_watch_waiter waiters[CRNG_WATCH_WAITERS_MAX];
  struct crng_watch_notify notify[CRNG_WATCH_NOTIFY_MAX];
  // Where set: called when the vDSO's page has been written to, for those who show it.
  void (*page)(void *arg);
  void *page_arg;
  // [g % MAX]: the newest such generation that the vDSO's page got with a key, and the number of
  // that publication.
  struct {
    u64 generation;
    u32 publication;
  } shown[CRNG_WATCH_GENERATIONS_MAX];
  struct lineage lineage;
};

// crng_watch_init prepares a zeroed onlooker and puts its hooks into `rng`, which has not
// been set up yet. Bound: how long a wake-up may take.
void crng_watch_init(struct crng_watch *watch, struct crng *rng, u64 wake_ns_max);
// crng_watch_start joins the chain of those who are told of forks. Once, in set-up, behind
// crng_setup.
void crng_watch_start(struct crng_watch *watch);

// ---- Sources ----

// `num` interrupts back to back, before a softirq can run: in hardirq. `disk` may be NULL;
// else the first is the disk's.
void crng_watch_interrupts(struct crng_watch *watch, u32 irq, u32 num,
                           struct crng_timer_state *disk);
// A key, in hardirq, softirq or task context.
void crng_watch_key(struct crng_watch *watch, u32 value);
void crng_watch_device(struct crng_watch *watch, const void *buf, size_t len);
void crng_watch_bootloader(struct crng_watch *watch, const void *buf, size_t len);
void crng_watch_hwgenerator(struct crng_watch *watch, const void *buf, size_t len, size_t bits,
                            bool sleep_after);
void crng_watch_user_entropy(struct crng_watch *watch, const void *buf, size_t len, size_t bits);

// ---- Readers ----

// Buffers are at least `len` bytes; any context but NMI for the first two.
void crng_watch_get_random_bytes(struct crng_watch *watch, u8 *buf, size_t len);
void crng_watch_batched(struct crng_watch *watch, enum crng_batch_kind kind);
s64 crng_watch_getrandom(struct crng_watch *watch, u8 *buf, size_t len, u32 flags);
// The same; `out_publication` gets the number of the base key that the last bytes stem from,
// counted from 1, and is unchanged where none were given or that is not known.
s64 crng_watch_syscall(struct crng_watch *watch, u8 *buf, size_t len, u32 flags,
                       u32 *out_publication);
// The number of the base key that came with a generation of the vDSO's page; 0: none has, or so
// many have come since that it is not known.
u32 crng_watch_publication(const struct crng_watch *watch, u64 generation);
// A signal for `task`, which may be in getrandom.
void crng_watch_send_signal(struct crng_watch *watch, struct sim_task *task);
// The vDSO's getrandom, up to 32 bytes, as far as it is the kernel's business: looks at the
// page and then asks the system call for a key. Returns false if the page says: not ready.
bool crng_watch_vdso(struct crng_watch *watch);
// Asks execute_with_initialized_rng for a call, waits until READY and for the bound, and
// judges. Task; sleeps. At most CRNG_WATCH_NOTIFY_MAX in a run; later ones do nothing.
void crng_watch_execute_when_ready(struct crng_watch *watch);

// A fork of the machine. Task; sleeps.
void crng_watch_vmfork(struct crng_watch *watch, const u8 *id, size_t len);
// A resume. Task.
void crng_watch_pm_notification(struct crng_watch *watch);
// A CPU is to come: calls the model's callback, and from then on judges that nothing of before
// it went is used. Returns what the callback does.
int crng_watch_prepare_cpu(struct crng_watch *watch, u32 cpu);

#endif  // SEEDBED_MODELS_CRNG_CRNG_WATCH_H_
