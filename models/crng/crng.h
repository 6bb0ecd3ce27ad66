// SPDX-License-Identifier: GPL-2.0-or-later
//
// The CRNG: a specification of the seeding state machine of drivers/char/random.c as
// Linux 7.2 has it; or as 6.12 or 6.1 (enum crng_version).
//
//   here                               random.c
//   struct crng                        its static variables, and the vDSO's data page
//   crng_NAME                          NAME (a C library has functions of some of the names)
//   crng_pool.c                        input_pool, extract_entropy, _credit_init_bits
//   crng_key.c                         base_crng, crngs, crng_make_state, crng_reseed
//   crng_batch.c                       get_random_u8 to get_random_u64
//   crng_input.c                       add_*_randomness, mix_interrupt_randomness
//   crng_wait.c                        wait_for_random_bytes, getrandom, notifiers
//   crng_life.c                        random_init*, hotplug, virtual machine forks, suspend
//
// Locks, outermost first: a batch's local lock, the per-CPU keys' local lock,
// base_crng.lock, input_pool.lock; all taken with interrupts off. Marked accesses are the
// kernel's, and those of crng_init and of the last input value, which the kernel reads and writes
// without a mark (bug "unmarked" does too). The static key crng_is_ready is code: its test is no
// access.
//
// BLAKE2s is libb2's, ChaCha20 libsodium's. Where the kernel reads a cycle counter, so does
// the model: the world's. Where it reads the processor's random numbers, the model counts.
//
// Left out: device files and ioctls, the inner loop of the jitter source, early parameters,
// sysctl, tables of numa nodes, accounting.
#ifndef SEEDBED_MODELS_CRNG_CRNG_H_
#define SEEDBED_MODELS_CRNG_CRNG_H_

#include "models/crng/crng_crypto.h"
#include "sim/base.h"
#include "sim/hook.h"
#include "sim/lock.h"
#include "sim/refcount.h"
#include "sim/timer.h"
#include "sim/wait.h"
#include "sim/work.h"

// Stages. Only grow, under base_crng.lock.
enum crng_stage {
  CRNG_EMPTY = 0,  // little to no entropy collected
  CRNG_EARLY = 1,  // at least CRNG_POOL_EARLY_BITS
  CRNG_READY = 2,  // at least CRNG_POOL_BITS: fully initialised
};

enum {
  CRNG_POOL_BITS = 256,
  CRNG_POOL_EARLY_BITS = 128,
  CRNG_BATCH_LEN = 96,       // bytes: a block and a half
  CRNG_RESEED_MAX_S = 60,    // interval between reseedings, seconds
  CRNG_RESEED_MIN_S = 1,     // the same at first
  CRNG_MIX_COUNT = 1024,     // interrupts after which a fast pool is mixed
  CRNG_TIMER_BITS_MAX = 11,  // credit for one timing
  CRNG_USER_PAGE = 4096,     // a read by a process looks at signals so often, bytes
};
#define CRNG_MIX_INFLIGHT (1u << 31)
// Of a per-CPU key that was never set.
#define CRNG_GENERATION_INVALID UINT64_MAX

// Kernels, newest first. What matters to the machine:
//   6.12  nothing: the static key's work is queued only once static keys are initialised,
//         which they are long before there are work queues
//   6.1   a reader that finds the base key older than the reseed interval reseeds itself; no
//         work does. There is no chain of those who wait for READY, and no page of the vDSO.
//         A hardware generator is always throttled. Jitter's timer stays on its CPU
enum crng_version { CRNG_7_2, CRNG_6_12, CRNG_6_1 };

// Sizes of batched integers: 1 << kind bytes.
enum crng_batch_kind { CRNG_U8, CRNG_U16, CRNG_U32, CRNG_U64, CRNG_BATCH_KINDS };

// What the power management tells, by the kernel's numbers.
enum crng_pm_action {
  CRNG_PM_HIBERNATION_PREPARE = 1,
  CRNG_PM_POST_HIBERNATION,
  CRNG_PM_SUSPEND_PREPARE,
  CRNG_PM_POST_SUSPEND,
  CRNG_PM_RESTORE_PREPARE,
  CRNG_PM_POST_RESTORE,
};

// Flags of getrandom(2).
enum { CRNG_GRND_NONBLOCK = 1, CRNG_GRND_RANDOM = 2, CRNG_GRND_INSECURE = 4 };

// Planted defects: see crng_scene.h for what each was. All false: Linux 7.2.
struct crng_quirks {
  bool bug_2;            // batches have a lock that a reseed takes inside base_crng.lock
  bool bug_4;            // a pool of keys, published when READY, is found by a plain load
  bool bug_5;            // the base key has an age, read and written without a mark or a lock
  bool bug_6;            // the timings of a device are read and written without a mark
  bool bug_7;            // work is queued before there are work queues
  bool bug_10;           // until EARLY, interrupts feed the base key and not the pool
  bool bug_12;           // nothing is reset when a CPU comes
  bool bug_13;           // batches are used before READY
  bool bug_14;           // interrupt timings are hashed into the pool at once
  bool bug_15;           // a fast pool is mixed after 64 interrupts
  bool bug_16;           // credit for interrupts is not limited by the bytes mixed
  bool bug_21;           // the static key is switched in the crediting context unless in interrupt
  bool bug_seed_early;   // while EMPTY, a boot loader's seed makes EARLY at most
  bool bug_seed_string;  // a boot loader's seed is taken as a string: up to a zero byte
  bool bug_unmarked;     // as 7.2: crng_init and the last input value have no marks
  bool bug_generation_unordered;   // the vDSO's generation is stored without release
  bool bug_ready_unordered;        // the vDSO's is_ready too, beside the generation
  bool bug_generation_early;       // the vDSO's generation is stored before the base key's
  bool bug_batch_position;         // a batch's position is read before its lock is taken
  bool bug_batch_end;              // a batch is full until one element beyond its end was given
  bool bug_early_unchecked;        // EARLY comes without a look at whether it is still EMPTY
  bool bug_prepare_keeps_key;      // a CPU that comes has the key of before it went
  bool bug_prepare_keeps_batches;  // and this: its batches
  bool bug_resume_no_reseed;       // a resume is mixed in, and nothing is reseeded
  bool bug_pool_key_kept;          // the pool goes on under the key that gave what was extracted
  bool bug_fork_told_early;        // others are told of a fork before the reseed
  bool bug_reseed_not_queued;      // a reseed does not queue the next one
  // As 7.2 does it: is_ready is stored, and read, without an order with the generation.
  bool suspect_is_ready_unordered;
  // As 7.2: the chain is called without a look at those who are registering.
  bool suspect_ready_notifier;
  // As 7.2: of two reseeds at once the last to get the lock wins, though the pool may have
  // got something between their extractions.
  bool suspect_reseed_overtaken;
  // As 7.2: a fork reseeds if the CRNG is READY, and not if it is about to be.
  bool suspect_vmfork_unready;
  // As 7.2: an online callback leaves a fast pool's timer pending elsewhere.
  bool suspect_hotplug_timer;
  // As 6.1: jitter's timer credits, and its task mixes what was measured afterwards.
  bool suspect_jitter_unmixed;
} __attribute__((aligned(SIM_HOOK_CONSTANT)));

// What processor and firmware offer; fixed in set-up.
struct crng_platform {
  enum crng_version version;
  // Of the 8 words that random_init_early asks for so many come from RDSEED, RDRAND or RNDR,
  // which may run dry; later each that is asked for. 0: there is no such instruction.
  u32 arch_longs;
  // Where the first is not NULL, in place of arch_longs: the architecture's functions, which fill
  // up to `max` words of `v` and return how many. The second, asked where the first gives none,
  // may be NULL. `early`: random_init_early itself asks, for which kernels had functions of its
  // own. Called in any context, with whatever locks the model holds.
  u32 (*arch_get_random_seed_longs)(void *arg, u64 *v, u32 max, bool early);
  u32 (*arch_get_random_longs)(void *arg, u64 *v, u32 max, bool early);
  void *arch_arg;
  bool trust_cpu;              // credit them
  bool trust_boot;             // credit what the boot loader gives
  u32 jitter_samples_per_bit;  // 0: no cycle counter to sample
  u64 uptime_s;                // of the machine when the world's clock was 0
  // The counter and the clock that inputs are stamped with move in steps of so many ns; 0: of 1.
  u64 clock_step_ns;
} __attribute__((aligned(SIM_HOOK_CONSTANT)));

struct crng_cpu_key {
  u8 key[CRNG_KEY_LEN];
  u64 generation;
};

struct crng_batch {
  u64 generation;
  u32 position;  // in elements; UINT32_MAX: empty
  u8 entropy[CRNG_BATCH_LEN];
  u8 beyond[8];  // what a planted bug gives: never random
};

struct crng;

struct crng_fast_pool {
  u64 pool[4];
  u64 last;   // jiffies of the last mix
  u32 count;  // interrupts since, and CRNG_MIX_INFLIGHT
  struct sim_timer mix;
  struct crng *rng;
};

// Timings of one device.
struct crng_timer_state {
  u64 last_time;  // jiffies
  s64 last_delta, last_delta2;
};

// The page that the vDSO reads.
struct crng_vdso_page {
  u64 generation;  // 1 + base_crng.generation; 0: not ready
  u8 is_ready;
};

struct crng {
  enum crng_stage crng_init;
  bool crng_is_ready;  // static key
  bool early_boot;     // crng_reseed_interval still grows
  bool on_tree;        // a kernel tree's random.c is in place of this: crng_subject.h
  bool early;          // random_init_early of that asks for words
  struct {
    u8 key[CRNG_KEY_LEN];
    u64 generation;
    struct sim_spinlock lock;
    u64 birth;  // jiffies; looked at by 6.1
  } base_crng;
  struct {
    struct crng_hash hash;
    u32 init_bits;
    struct sim_spinlock lock;
  } input_pool;
  struct crng_vdso_page vdso;
  struct crng_platform platform;
  struct crng_quirks quirks;
  struct crng_hooks hooks;

  // Per CPU.
  struct sim_local_lock *crngs_lock;
  struct crng_cpu_key *crngs;
  struct sim_local_lock *batch_lock[CRNG_BATCH_KINDS];
  struct crng_batch *batch[CRNG_BATCH_KINDS];
  struct crng_fast_pool *irq_randomness;

  struct sim_workqueue *system_dfl_wq;  // NULL: too early
  struct sim_workqueue *wq_to_be;       // what crng_workqueue_init publishes
  struct sim_delayed_work next_reseed;
  struct sim_work set_ready;
  struct sim_wait_queue_head crng_init_wait;
  struct sim_notifier_chain random_ready_chain;
  struct sim_spinlock random_ready_lock;
  struct sim_notifier_chain vmfork_chain;
  struct sim_spinlock batch_reset_lock;  // bug 2
  struct crng_cpu_key *node_pool;        // bug 4: in place of crngs once it is there
  struct crng_cpu_key *node_pool_to_be;
  struct crng_timer_state input_timer_state;
  u8 input_last_value;  // its lowest byte, which is compared with the whole of the next
  u64 arch_words;       // given so far
  u64 early_words;      // what random_init_early of a tree was told: words, and that there is none
  u64 extractions;      // from the pool, so far
  u64 base_extraction;  // the one that the base key is
};

// crng_setup prepares a zeroed model: stage CRNG_EMPTY, no work queue yet. In set-up.
// Hooks are set before.
void crng_setup(struct crng *rng, const struct crng_platform *platform);
// crng_workqueue_init makes the kernel's work queues usable. Once; any context.
void crng_workqueue_init(struct crng *rng);

// ---- crng_pool.c ----

// The cycle counter, and the clock, as inputs are stamped with them.
u64 crng_cycles(const struct crng *rng);
u64 crng_clock_ns(const struct crng *rng);

// Words of the processor's: up to `max` (at least 1) of `v`; returns how many. `early`: see
// struct crng_platform. Any context.
u32 crng_arch_longs(struct crng *rng, u64 *v, u32 max, bool early);
// Adds `len` bytes to the pool. Any context.
void crng_mix_pool_bytes(struct crng *rng, const void *buf, size_t len);
// Fills `buf` (`len` bytes) from the pool, which it re-keys; returns the number of this
// extraction: a higher one stems from all that a lower one does. Any context.
u64 crng_extract_entropy(struct crng *rng, u8 *buf, size_t len);
// Credits bits towards the stages: at 128 EARLY, at 256 READY, with all that follows. Does
// nothing once READY. Any context.
void crng_credit_init_bits(struct crng *rng, size_t bits);

// ---- crng_key.c ----

bool crng_ready(const struct crng *rng);
// Jiffies between reseedings: half the uptime, 1 s at least; from 120 s on a minute.
u64 crng_reseed_interval(struct crng *rng);
// Replaces the base key by one from the pool and advances the generation: READY afterwards.
// Any context.
void crng_reseed(struct crng *rng);
void crng_reseed_work(struct sim_work *work);  // of next_reseed
// The next key, and up to 32 random bytes. `out_key` gets the key that was used: the blocks
// that follow are its, from counter 1 on; the caller wipes it. Any context but NMI.
void crng_make_state(struct crng *rng, u8 out_key[CRNG_KEY_LEN], u8 *out_bytes, size_t len);
// get_random_bytes. Any context but NMI; before READY the bytes are as good as what there is.
void crng_get_random_bytes(struct crng *rng, void *buf, size_t len);

// ---- crng_batch.c ----

// get_random_u8 to get_random_u64. Any context but NMI.
u64 crng_get_random_batched(struct crng *rng, enum crng_batch_kind kind);

// ---- crng_input.c ----

// Of an interrupt, in its hardirq, after its handler.
void crng_add_interrupt_randomness(struct crng *rng, u32 irq);
// Of a disk or a key. Hardirq, softirq or task. The input event is ignored if `value` is the
// last one's.
void crng_add_disk_randomness(struct crng *rng, struct crng_timer_state *disk, u32 num);
void crng_add_input_randomness(struct crng *rng, u32 type, u32 code, u32 value);
// Never credited. Any context.
void crng_add_device_randomness(struct crng *rng, const void *buf, size_t len);
// Credited 8 bits a byte if the platform trusts its boot loader. Any context.
void crng_add_bootloader_randomness(struct crng *rng, const void *buf, size_t len);
// Credits `bits`; then, with `sleep_after` (6.1: always), in a kthread that nobody stops, and
// if the CRNG is ready or `bits` is 0, sleeps for a reseed interval, interruptibly. Task.
void crng_add_hwgenerator_randomness(struct crng *rng, const void *buf, size_t len, size_t bits,
                                     bool sleep_after);
// RNDADDENTROPY by a privileged process. Task.
void crng_add_user_randomness(struct crng *rng, const void *buf, size_t len, size_t bits);

// ---- crng_wait.c ----

// Waits until READY; helps with jitter. 0, or -SIM_ERESTARTSYS if a signal came. Task; sleeps.
int crng_wait_for_random_bytes(struct crng *rng);
// getrandom(2): the bytes written, which a signal may cut short at a page; -SIM_EINVAL: flags;
// -SIM_EAGAIN; -SIM_ERESTARTSYS. Task.
s64 crng_getrandom(struct crng *rng, u8 *buf, size_t len, u32 flags);
// A read of /dev/urandom: never waits.
s64 crng_urandom_read(struct crng *rng, u8 *buf, size_t len);
// execute_with_initialized_rng: calls nb->fn once, at once if READY (with random_ready_lock
// held), else when it becomes so. 0, or -SIM_EEXIST. Not of 6.1.
int crng_execute_with_initialized_rng(struct crng *rng, struct sim_notifier *nb);
// For crng_credit_init_bits: tells those that wait. (6.1: no chain, no page.)
void crng_tell_ready(struct crng *rng);

// ---- crng_life.c ----

// Before the scheduler: processor's words, name and command line. In a task, interrupts off.
void crng_random_init_early(struct crng *rng, const char *command_line);
// After timekeeping: the time; reseeds if READY.
void crng_random_init(struct crng *rng);
// Hotplug: on the control CPU before `cpu` runs, and on it when it does. Return 0.
int crng_random_prepare_cpu(struct crng *rng, u32 cpu);
int crng_random_online_cpu(struct crng *rng, u32 cpu);
// A virtual machine was forked: `id` is its new identity. Calls a blocking chain. Task; sleeps.
void crng_add_vmfork_randomness(struct crng *rng, const u8 *id, size_t len);
// The power management's chain: a resume, and what is before a hibernation image is restored,
// reseed. Task.
void crng_random_pm_notification(struct crng *rng, enum crng_pm_action action);

#endif  // SEEDBED_MODELS_CRNG_CRNG_H_
