// SPDX-License-Identifier: GPL-2.0-or-later
//
// See crng_watch.h. Sections: what the primitives and the state machine do; sources;
// readers.
#include "models/crng/crng_watch.h"

#include <string.h>

#include "models/crng/crng_oracles.h"
#include "models/crng/crng_subject.h"
#include "sim/checker.h"
#include "sim/cover.h"
#include "sim/cpu.h"
#include "sim/timer.h"
#include "sim/weak.h"
#include "sim/world.h"

enum {
  READY_BITS = 256,
  EARLY_BITS = 128,
  FAST_POOL_BYTES = 16,
  MIX_COUNT = 1024,
  DISK_BITS_MAX = 11,
  COUNT_PER_BIT = 64,
  // From the interrupt that makes a mix due to the softirq that does it: the timer wheel adds
  // a tick, and softirqs are put off for some.
  MIX_LATENCY_MS = 100,
  RESEED_LATENCY_MS = 200,
};

// ---- Grants ----

static struct crng_grant *grant_here(struct crng_watch *watch) {
  const struct sim_task *task = sim_current();

  if (sim_in_serving_softirq() || sim_in_hardirq() || !task)
    return &watch->softirqs[sim_smp_processor_id()];
  for (u32 i = 0; i < watch->num_feeders; i++)
    if (watch->feeders[i].task == task) return &watch->feeders[i];
  SIM_ASSERT(watch->num_feeders < CRNG_WATCH_FEEDERS_MAX);
  watch->feeders[watch->num_feeders].task = task;
  return &watch->feeders[watch->num_feeders++];
}

static void drop_grant(struct crng_watch *watch) {
  struct crng_grant *grant = grant_here(watch);

  *grant = (struct crng_grant){.task = grant->task};
}

// ---- Hooks ----

static void collecting_hashes(const struct crng_watch *watch) {
  if (sim_in_hardirq() && watch->irqs[sim_smp_processor_id()].collecting)
    sim_fail(&crng_oracle_hardirq, "", "CPU %u hashes while it collects in hardirq",
             sim_smp_processor_id());
}

static void on_hash_begin(void *arg, const struct crng_hash *hash, const u8 *key) {
  struct crng_watch *watch = arg;

  collecting_hashes(watch);
  // What is extracted is derived from a key that the pool gives up.
  if (key && hash == crng_subject_pool(watch->rng))
    memcpy(watch->pool_key, key, sizeof(watch->pool_key));
  else if (key && !memcmp(watch->pool_key, key, sizeof(watch->pool_key)))
    sim_fail(&crng_oracle_erased, "pool",
             "the pool goes on under the key from which what was extracted is derived");
  lineage_hash_begin(&watch->lineage, hash, key);
}

// The CPU's own interrupts are what the fast pool's bytes stand for.
static void interrupts_mixed(struct crng_watch *watch, const struct lineage_offer *offer,
                             struct crng_grant *grant) {
  u32 cpu = sim_smp_processor_id();
  struct crng_watch_irqs *irqs = &watch->irqs[cpu];
  u64 now_ns = sim_clock_ns();
  // What came after the pool was copied, while this waited, is not among it.
  u32 upto = offer->set.irqs[cpu], counted = upto > irqs->mixed ? upto - irqs->mixed : 0;
  u64 bits = counted / COUNT_PER_BIT;

  if (irqs->last_mix_ns && counted < MIX_COUNT &&
      now_ns + sim_jiffies_to_nsecs(2) < irqs->last_mix_ns + SIM_NSEC_PER_SEC)
    sim_fail(&crng_oracle_storm, "", "CPU %u mixes again after %u interrupts and %llu us", cpu,
             counted, (unsigned long long)((now_ns - irqs->last_mix_ns) / 1000));
  *grant = (struct crng_grant){.task = grant->task, .set = offer->set};
  grant->bits = bits < 1 ? 1 : bits < 8 * FAST_POOL_BYTES ? bits : 8 * FAST_POOL_BYTES;
  irqs->num = 0;
  irqs->mixed += counted;
  irqs->last_mix_ns = now_ns;
  irqs->due_ns = 0;
}

static void on_hash_update(void *arg, const struct crng_hash *hash, const void *data, size_t len) {
  struct crng_watch *watch = arg;
  const struct lineage_offer *offer;
  struct crng_grant *grant;
  u64 bits;

  collecting_hashes(watch);
  offer = lineage_hash_update(&watch->lineage, hash, data, len);
  if (!offer) return;
  grant = grant_here(watch);
  if (!offer->bits) return;
  if (offer->bits == UINT32_MAX) {
    interrupts_mixed(watch, offer, grant);
    return;
  }
  bits = 8 * (u64)len;
  grant->bits += offer->bits < bits ? offer->bits : bits;
  lineage_join(&grant->set, &offer->set);
}

static void on_hash_final(void *arg, const struct crng_hash *hash, const u8 *out) {
  struct crng_watch *watch = arg;

  lineage_hash_final(&watch->lineage, hash, out);
}

static void on_block(void *arg, const u8 *key, u64 counter, const u8 *out) {
  struct crng_watch *watch = arg;
  const struct crng_watch_came *came = &watch->came[sim_smp_processor_id()];

  if (came->times && memcmp(came->key, key, CRNG_KEY_LEN) == 0)
    sim_fail(&crng_oracle_cpu_fresh, "key", "CPU %u uses the key of before it went",
             sim_smp_processor_id());
  lineage_block(&watch->lineage, key, counter, out);
}

static void on_offered(void *arg, enum crng_source source, const void *data, size_t len, u32 bits) {
  struct crng_watch *watch = arg;

  if (source == CRNG_SOURCE_JITTER) drop_grant(watch);
  lineage_offer(&watch->lineage, data, len, bits, NULL);
}

static void on_credited(void *arg, size_t bits, u32 before, u32 after) {
  struct crng_watch *watch = arg;
  struct crng_grant *grant = grant_here(watch);

  if (bits > grant->bits)
    sim_fail(&crng_oracle_credit, sim_in_serving_softirq() ? "softirq" : "task",
             "%llu bits are credited for what may claim %llu", (unsigned long long)bits,
             (unsigned long long)grant->bits);
  grant->bits -= bits;
  lineage_join(&watch->paid, &grant->set);
  watch->credited += bits;
  sim_cover_state(2, after / 32 << 1 | (bits > 64));
  if (after < before) sim_fail(&crng_oracle_stage, "bits fall", "credited bits fall");
  if (before < EARLY_BITS && after >= EARLY_BITS) {
    if (watch->crossed_early) sim_fail(&crng_oracle_stage, "128 twice", "128 bits crossed twice");
    watch->crossed_early = true;
    watch->paid_early = watch->paid;
  }
  if (before < READY_BITS && after >= READY_BITS) {
    if (watch->crossed_ready) sim_fail(&crng_oracle_stage, "256 twice", "256 bits crossed twice");
    watch->crossed_ready = true;
    watch->paid_ready = watch->paid;
  }
}

static void stems_from(const struct lineage_root *root, const struct lineage_set *paid,
                       const char *stage) {
  if (root && !lineage_contains(&root->set, paid))
    sim_fail(&crng_oracle_provenance, stage, "the %s key lacks an input that paid for it", stage);
}

static void on_base_key(void *arg, const u8 *key, u64 generation) {
  struct crng_watch *watch = arg;
  struct lineage_root *root = lineage_root_of(&watch->lineage, key);

  if (!memcmp(watch->pool_key, key, sizeof(watch->pool_key)))
    sim_fail(&crng_oracle_erased, "pool", "the pool goes on under the base key");
  if (root) root->published = ++watch->publications;
  watch->key_ns = sim_clock_ns();
  if (generation) {
    watch->shown[generation % CRNG_WATCH_GENERATIONS_MAX].generation = generation;
    watch->shown[generation % CRNG_WATCH_GENERATIONS_MAX].publication = watch->publications;
    if (watch->crossed_ready) stems_from(root, &watch->paid_ready, "READY");
    stems_from(root, &watch->forks, "fork's");
  }
}

static void on_stage(void *arg, u32 stage) {
  struct crng_watch *watch = arg;

  sim_cover_state(1, stage);
  if (stage <= watch->stage) sim_fail(&crng_oracle_stage, "falls", "the stage does not rise");
  if (stage == 1) {
    if (!watch->crossed_early) sim_fail(&crng_oracle_stage, "early", "EARLY without 128 bits");
    stems_from(lineage_root_of(&watch->lineage, crng_subject_base_key(watch->rng)),
               &watch->paid_early, "EARLY");
  }
  if (stage == 2) {
    if (watch->credited < READY_BITS)
      sim_fail(&crng_oracle_ready_bits, "", "READY after %llu credited bits",
               (unsigned long long)watch->credited);
    watch->ready_ns = sim_clock_ns();
  }
  watch->stage = stage;
}

static void on_queueing(void *arg, bool exists) {
  if (!exists) sim_fail(&crng_oracle_workqueue, "", "work is queued, and there are no queues yet");
}

static void on_page(void *arg, u64 generation) {
  struct crng_watch *watch = arg;

  if (watch->page) watch->page(watch->page_arg);
}

static void on_init_done(void *arg, u32 stage) {
  struct crng_watch *watch = arg;

  if (stage < CRNG_READY || watch->stage < CRNG_READY)
    sim_fail(&crng_oracle_message, "early", "the log says \"crng init done\" before READY");
  if (++watch->init_done > 1)
    sim_fail(&crng_oracle_message, "twice", "the log says \"crng init done\" a second time");
}

// At the very store: an interrupt before it is forgotten as well, one behind it is not.
static void on_came(void *arg, u32 cpu) {
  struct crng_watch_irqs *irqs = &((struct crng_watch *)arg)->irqs[cpu];

  irqs->due_ns = 0;
  irqs->num = 0;
  irqs->mixed = irqs->counts;
}

void crng_watch_init(struct crng_watch *watch, struct crng *rng, u64 wake_ns_max) {
  watch->rng = rng;
  watch->wake_ns_max = wake_ns_max;
  rng->hooks = (struct crng_hooks){
      .arg = watch,
      .hash_begin = on_hash_begin,
      .hash_update = on_hash_update,
      .hash_final = on_hash_final,
      .block = on_block,
      .offered = on_offered,
      .credited = on_credited,
      .base_key = on_base_key,
      .stage = on_stage,
      .queueing = on_queueing,
      .page = on_page,
      .init_done = on_init_done,
      .came = on_came,
  };
}

// ---- Sources ----

static void check_mix_due(const struct crng_watch_irqs *irqs, u32 cpu, u64 now_ns) {
  if (irqs->due_ns && now_ns > irqs->due_ns + MIX_LATENCY_MS * SIM_NSEC_PER_MSEC)
    sim_fail(&crng_oracle_mixed, "", "CPU %u has not mixed its interrupts for %llu ms", cpu,
             (unsigned long long)((now_ns - irqs->due_ns) / SIM_NSEC_PER_MSEC));
}

// After the model has taken them in: what the fast pool holds stands for all of them.
static void offer_interrupts(struct crng_watch *watch, u32 cpu) {
  struct lineage_set set = {{0}, {0}};

  set.irqs[cpu] = watch->irqs[cpu].counts;
  lineage_offer(&watch->lineage, crng_subject_fast_pool(watch->rng, cpu), FAST_POOL_BYTES,
                UINT32_MAX, &set);
}

static void count_interrupt(struct crng_watch_irqs *irqs, u32 counts) {
  u64 now_ns = sim_clock_ns();

  irqs->num++;
  irqs->counts += counts;
  if (irqs->due_ns) return;
  if (irqs->num >= MIX_COUNT ||
      now_ns > irqs->last_mix_ns + SIM_NSEC_PER_SEC + sim_jiffies_to_nsecs(1))
    irqs->due_ns = now_ns;
}

void crng_watch_interrupts(struct crng_watch *watch, u32 irq, u32 num,
                           struct crng_timer_state *disk) {
  u32 cpu = sim_smp_processor_id();
  struct crng_watch_irqs *irqs = &watch->irqs[cpu];

  check_mix_due(irqs, cpu, sim_clock_ns());
  irqs->collecting = true;
  for (u32 i = 0; i < num; i++) {
    bool timed = disk && !i;

    count_interrupt(irqs, timed ? DISK_BITS_MAX * COUNT_PER_BIT : 1);
    if (timed) crng_subject_add_disk_randomness(watch->rng, disk, irq);
    crng_subject_add_interrupt_randomness(watch->rng, irq);
  }
  irqs->collecting = false;
  offer_interrupts(watch, cpu);
}

void crng_watch_key(struct crng_watch *watch, u32 value) {
  struct crng_watch_irqs *irqs = &watch->irqs[sim_smp_processor_id()];
  struct crng_grant *grant;

  if (sim_in_hardirq()) {
    irqs->collecting = true;
    irqs->counts += DISK_BITS_MAX * COUNT_PER_BIT;
    crng_subject_add_input_randomness(watch->rng, 1, 30, value);
    irqs->collecting = false;
    offer_interrupts(watch, sim_smp_processor_id());
    return;
  }
  // Its words are of the model's making: what it may claim is known, its bytes are not.
  grant = grant_here(watch);
  *grant = (struct crng_grant){.task = grant->task, .bits = DISK_BITS_MAX};
  crng_subject_add_input_randomness(watch->rng, 1, 30, value);
}

void crng_watch_device(struct crng_watch *watch, const void *buf, size_t len) {
  lineage_offer(&watch->lineage, buf, len, 0, NULL);
  crng_subject_add_device_randomness(watch->rng, buf, len);
}

void crng_watch_bootloader(struct crng_watch *watch, const void *buf, size_t len) {
  drop_grant(watch);
  lineage_offer(&watch->lineage, buf, len, watch->rng->platform.trust_boot ? (u32)len * 8 : 0,
                NULL);
  crng_subject_add_bootloader_randomness(watch->rng, buf, len);
  drop_grant(watch);
}

void crng_watch_hwgenerator(struct crng_watch *watch, const void *buf, size_t len, size_t bits,
                            bool sleep_after) {
  drop_grant(watch);
  lineage_offer(&watch->lineage, buf, len, (u32)bits, NULL);
  crng_subject_add_hwgenerator_randomness(watch->rng, buf, len, bits, sleep_after);
  drop_grant(watch);
}

void crng_watch_user_entropy(struct crng_watch *watch, const void *buf, size_t len, size_t bits) {
  drop_grant(watch);
  lineage_offer(&watch->lineage, buf, len, (u32)bits, NULL);
  crng_subject_add_user_randomness(watch->rng, buf, len, bits);
  drop_grant(watch);
}

// ---- Readers ----

// No key that was used lies about. One whose lock is held is just being replaced, or may be.
static void check_erased(const struct crng_watch *watch) {
  const struct crng *rng = watch->rng;

  if (!crng_subject_base_is_locked(rng) &&
      lineage_spent(&watch->lineage, crng_subject_base_key(rng)))
    sim_fail(&crng_oracle_erased, "base", "the base key was used and is still there");
  for (u32 cpu = 0; cpu < sim_nr_cpus(); cpu++)
    if (!crng_subject_cpu_is_locked(rng, cpu) &&
        lineage_spent(&watch->lineage, crng_subject_cpu_key(rng, cpu)))
      sim_fail(&crng_oracle_erased, "cpu", "CPU %u's key was used and is still there", cpu);
}

// A read that begins now: the newest publication, which it must see, and where it is.
struct read {
  u32 since, cpu, came;
};

static struct read read_begin(const struct crng_watch *watch) {
  u32 cpu = sim_smp_processor_id();

  return (struct read){sim_weak ? 0 : watch->publications, cpu, watch->came[cpu].times};
}

// Bytes of block `number` were given to a read that is over. One that was on one CPU all the
// time, and that CPU had come before, has nothing of before.
static void check_cpu_fresh(const struct crng_watch *watch, const struct read *read, u32 number) {
  const struct crng_watch_came *came = &watch->came[read->cpu];

  if (read->came && read->cpu == sim_smp_processor_id() && read->came == came->times &&
      number < came->blocks)
    sim_fail(&crng_oracle_cpu_fresh, "batch", "CPU %u gives bytes of before it went", read->cpu);
}

// `len` bytes were given, in pieces of `unit`; older than what the read must see is against
// `stale`. Returns the publication that they stem from; 0: not known.
static u32 given(struct crng_watch *watch, const u8 *bytes, size_t len, u32 unit,
                 const struct read *read, const struct sim_oracle *stale) {
  const struct lineage_root *root = NULL;
  u32 number;

  switch (lineage_give(&watch->lineage, bytes, len, unit, &root, &number)) {
    case LINEAGE_TWICE:
      sim_fail(&crng_oracle_once, "", "%zu bytes are given that were given before", len);
    case LINEAGE_UNKNOWN:
      sim_fail(&crng_oracle_stream, "", "%zu bytes are given that no key has made", len);
    case LINEAGE_GIVEN:
      break;
  }
  check_cpu_fresh(watch, read, number);
  if (root && !root->published && read->since)
    sim_fail(stale, "unpublished key", "bytes stem from a key that is not published yet");
  if (root && root->published < read->since)
    sim_fail(stale, "old key", "bytes stem from key %u, and key %u was there before",
             root->published, read->since);
  return root ? root->published : 0;
}

// A read that began then has ended. By its begin, or by itself, the base key must have been
// replaced in time, be it by work that was queued when the interval was shorter. The timer
// wheel rounds by an eighth, and the work waits for a CPU.
static void check_age(const struct crng_watch *watch, u64 begin_ns) {
  u64 uptime_s = watch->rng->platform.uptime_s + begin_ns / SIM_NSEC_PER_SEC;
  u64 interval_ms = 1000 * (uptime_s < 4 ? 1 : uptime_s < 120 ? uptime_s / 2 : 60);
  u64 age_ms = begin_ns > watch->key_ns ? (begin_ns - watch->key_ns) / SIM_NSEC_PER_MSEC : 0;

  if (watch->stage == CRNG_READY && age_ms > interval_ms + interval_ms / 8 + RESEED_LATENCY_MS)
    sim_fail(&crng_oracle_age, "", "a read is served from a key that is %llu ms old",
             (unsigned long long)age_ms);
}

void crng_watch_get_random_bytes(struct crng_watch *watch, u8 *buf, size_t len) {
  struct read read = read_begin(watch);
  u64 begin_ns = sim_clock_ns();

  crng_subject_get_random_bytes(watch->rng, buf, len);
  check_age(watch, begin_ns);
  for (size_t at = 0, n; at < len; at += n) {
    size_t whole = at ? 64 : 32;

    n = len - at < whole ? len - at : whole;
    given(watch, buf + at, n, 32, &read, &crng_oracle_fresh);
  }
  check_erased(watch);
}

void crng_watch_batched(struct crng_watch *watch, enum crng_batch_kind kind) {
  struct read read = read_begin(watch);
  u32 size = 1u << kind;
  u64 begin_ns = sim_clock_ns(), value = crng_subject_get_random_batched(watch->rng, kind);
  u8 bytes[8];

  for (u32 i = 0; i < sizeof(bytes); i++) bytes[i] = (u8)(value >> 8 * i);
  // In 6.1 only who takes a key looks at its age; a batch lasts until the key is replaced.
  if (watch->rng->platform.version < CRNG_6_1) check_age(watch, begin_ns);
  given(watch, bytes, size, size, &read, &crng_oracle_fresh);
  if (kind == CRNG_U64) {
    const u8 *left = crng_subject_batch(watch->rng, kind, sim_smp_processor_id()).entropy;

    for (u32 at = 0; at < CRNG_BATCH_LEN; at += sizeof(bytes))
      if (memcmp(left + at, bytes, sizeof(bytes)) == 0)
        sim_fail(&crng_oracle_erased, "batch", "an integer that was given lies in its batch");
  }
  check_erased(watch);
}

static struct crng_watch_waiter *find_waiter(struct crng_watch *watch,
                                             const struct sim_task *task) {
  for (u32 i = 0; i < CRNG_WATCH_WAITERS_MAX; i++)
    if (watch->waiters[i].task == task) return &watch->waiters[i];
  return NULL;
}

static void check_result(const struct crng_watch *watch, s64 rc, size_t len, u32 flags,
                         bool ready_before) {
  bool bad_flags = (flags & ~7u) || (flags & 6) == 6;
  bool nonblock = flags & CRNG_GRND_NONBLOCK, insecure = flags & CRNG_GRND_INSECURE;
  const char *what = NULL;

  if (bad_flags != (rc == -SIM_EINVAL)) what = "EINVAL";
  if (rc == -SIM_EAGAIN && (!nonblock || insecure || ready_before)) what = "EAGAIN";
  if (rc == -SIM_ERESTARTSYS && (nonblock || insecure || ready_before)) what = "ERESTARTSYS";
  if (rc < 0 && rc != -SIM_EINVAL && rc != -SIM_EAGAIN && rc != -SIM_ERESTARTSYS) what = "errno";
  if (rc > 0 && (size_t)rc > len) what = "length";
  if (rc >= 0 && !bad_flags && (size_t)rc < len && len <= 256) what = "short";
  if (rc > 0 && !insecure && watch->stage < CRNG_READY) what = "bytes before READY";
  if (what)
    sim_fail(&crng_oracle_result, what, "getrandom(%zu, %u) = %lld: %s", len, flags, (long long)rc,
             what);
}

static void check_wake(const struct crng_watch *watch, const struct crng_watch_waiter *waiter,
                       u64 begin_ns) {
  u64 from_ns = watch->ready_ns > begin_ns ? watch->ready_ns : begin_ns;
  u64 now_ns = sim_clock_ns();

  if (watch->ready_ns && now_ns > from_ns + watch->wake_ns_max)
    sim_fail(&crng_oracle_wake, "ready", "a reader returns %llu ms after READY",
             (unsigned long long)((now_ns - from_ns) / SIM_NSEC_PER_MSEC));
  if (waiter->signal_ns && now_ns > waiter->signal_ns + watch->wake_ns_max)
    sim_fail(&crng_oracle_wake, "signal", "a reader returns %llu ms after a signal",
             (unsigned long long)((now_ns - waiter->signal_ns) / SIM_NSEC_PER_MSEC));
}

// Returns what getrandom does; the bytes must be of what the read must see, or `stale` fires.
// `out_publication` gets that of the last.
static s64 getrandom_since(struct crng_watch *watch, u8 *buf, size_t len, u32 flags,
                           const struct read *read, const struct sim_oracle *stale,
                           u32 *out_publication) {
  struct crng_watch_waiter *waiter = find_waiter(watch, NULL);
  bool ready_before = watch->stage == CRNG_READY && !sim_weak;
  u64 begin_ns = sim_clock_ns();
  s64 rc;

  SIM_ASSERT(waiter);
  *waiter = (struct crng_watch_waiter){.task = sim_current()};
  rc = crng_subject_getrandom(watch->rng, buf, len, flags);
  check_wake(watch, waiter, begin_ns);
  waiter->task = NULL;
  check_result(watch, rc, len, flags, ready_before);
  if (rc > 0) check_age(watch, begin_ns);
  for (s64 at = 0, n; at < rc; at += n) {
    n = rc - at < 64 ? rc - at : 64;
    *out_publication = given(watch, buf + at, (size_t)n, 32, read, stale);
  }
  check_erased(watch);
  return rc;
}

s64 crng_watch_syscall(struct crng_watch *watch, u8 *buf, size_t len, u32 flags,
                       u32 *out_publication) {
  struct read read = read_begin(watch);

  return getrandom_since(watch, buf, len, flags, &read, &crng_oracle_fresh, out_publication);
}

s64 crng_watch_getrandom(struct crng_watch *watch, u8 *buf, size_t len, u32 flags) {
  u32 publication;

  return crng_watch_syscall(watch, buf, len, flags, &publication);
}

void crng_watch_send_signal(struct crng_watch *watch, struct sim_task *task) {
  struct crng_watch_waiter *waiter = find_waiter(watch, task);

  if (waiter && !waiter->signal_ns) waiter->signal_ns = sim_clock_ns();
  sim_send_signal(task);
}

u32 crng_watch_publication(const struct crng_watch *watch, u64 generation) {
  u32 slot = generation % CRNG_WATCH_GENERATIONS_MAX;

  return watch->shown[slot].generation == generation ? watch->shown[slot].publication : 0;
}

bool crng_watch_vdso(struct crng_watch *watch) {
  struct crng_vdso_page *page = crng_subject_page(watch->rng);
  struct read read = read_begin(watch);
  u32 publication = 0;
  u64 generation, seen;
  u8 key[32];

  // As in lib/vdso/getrandom.c; corrected, the first look is ordered before the second.
  if (watch->rng->quirks.suspect_is_ready_unordered) {
    if (!sim_read_once(page->is_ready)) return false;
  } else if (!sim_smp_load_acquire(&page->is_ready)) {
    return false;
  }
  generation = sim_read_once(page->generation);
  if (!generation) sim_fail(&crng_oracle_vdso, "zero", "is_ready shows, and the generation is 0");
  sim_smp_rmb();
  read.since = crng_watch_publication(watch, generation);
  if (!read.since)
    sim_fail(&crng_oracle_vdso, "early", "generation %llu shows, and its key is not there yet",
             (unsigned long long)generation);
  (void)getrandom_since(watch, key, sizeof(key), 0, &read, &crng_oracle_vdso, &publication);
  // The system call orders. Slots are used again after so many generations that no read is
  // under way for as long.
  seen = sim_read_once(page->generation);
  if (seen < generation) sim_fail(&crng_oracle_vdso, "falls", "the vDSO's generation falls");
  if (crng_watch_publication(watch, seen) < publication)
    sim_fail(&crng_oracle_vdso, "lags", "bytes of key %u were given, and the page shows an older",
             publication);
  return true;
}

static int on_notified(struct sim_notifier *nb, unsigned long action, void *data) {
  struct crng_watch_notify *notify = sim_container_of(nb, struct crng_watch_notify, nb);

  if (notify->watch->stage < CRNG_READY)
    sim_fail(&crng_oracle_notify, "early", "a notifier is called before READY");
  if (++notify->calls > 1) sim_fail(&crng_oracle_notify, "twice", "a notifier is called twice");
  return SIM_NOTIFY_DONE;
}

void crng_watch_execute_when_ready(struct crng_watch *watch) {
  struct crng_watch_notify *notify;

  if (watch->rng->platform.version >= CRNG_6_1) {
    (void)crng_subject_wait_for_random_bytes(watch->rng);
    return;
  }
  if (watch->num_notify == CRNG_WATCH_NOTIFY_MAX) return;
  notify = &watch->notify[watch->num_notify++];
  *notify = (struct crng_watch_notify){.nb.fn = on_notified, .watch = watch};
  if (crng_subject_execute_with_initialized_rng(watch->rng, &notify->nb))
    sim_fail(&crng_oracle_notify, "refused", "a notifier is refused");
  if (crng_subject_wait_for_random_bytes(watch->rng)) return;
  if (!notify->calls) sim_msleep((u32)(watch->wake_ns_max / SIM_NSEC_PER_MSEC));
  if (!notify->calls)
    sim_fail(&crng_oracle_notify, "lost", "a notifier is not called within %llu ms of READY",
             (unsigned long long)(watch->wake_ns_max / SIM_NSEC_PER_MSEC));
}

// Who is told of a fork may ask at once, and must get nothing of before it.
static int on_fork(struct sim_notifier *nb, unsigned long action, void *data) {
  struct crng_watch *watch = sim_container_of(nb, struct crng_watch, on_fork);
  const struct crng_watch_fork *fork = watch->forking;

  while (fork && fork->task != sim_current()) fork = fork->next;
  if (fork && watch->stage == CRNG_READY)
    stems_from(lineage_root_of(&watch->lineage, crng_subject_base_key(watch->rng)), fork->set,
               "fork's, as others are told of it,");
  return 0;
}

void crng_watch_start(struct crng_watch *watch) {
  watch->on_fork.fn = on_fork;
  if (crng_subject_register_vmfork_notifier(watch->rng, &watch->on_fork))
    SIM_ASSERT(!"a notifier is registered");
}

void crng_watch_vmfork(struct crng_watch *watch, const u8 *id, size_t len) {
  struct lineage *lineage = &watch->lineage;
  struct lineage_set set;
  struct crng_watch_fork fork = {.task = sim_current(), .set = &set, .next = watch->forking};
  struct crng_watch_fork **at = &watch->forking;

  lineage_offer(lineage, id, len, 0, NULL);
  set = lineage->offers[(lineage->num_offers - 1) % LINEAGE_OFFERS_MAX].set;
  // Taken off the list below, before it ends.
  // cppcheck-suppress autoVariables
  watch->forking = &fork;
  crng_subject_add_vmfork_randomness(watch->rng, id, len);
  while (*at != &fork) at = &(*at)->next;
  *at = fork.next;
  lineage_join(&watch->forks, &set);
  if (watch->stage == CRNG_READY)
    stems_from(lineage_root_of(lineage, crng_subject_base_key(watch->rng)), &set, "fork's");
}

void crng_watch_pm_notification(struct crng_watch *watch) {
  // With weak memory this CPU may not have seen the stage yet; code it sees.
  bool ready = sim_weak ? crng_subject_static_key(watch->rng) : watch->stage == CRNG_READY;
  u32 before = watch->publications;

  crng_subject_random_pm_notification(watch->rng, CRNG_PM_POST_SUSPEND);
  if (ready && watch->publications == before)
    sim_fail(&crng_oracle_resume, "", "a resume was told, and the base key is still key %u",
             before);
}

int crng_watch_prepare_cpu(struct crng_watch *watch, u32 cpu) {
  struct crng_watch_came *came = &watch->came[cpu];

  // A mix that was due when it went is over: an interrupt may come before the callback.
  watch->irqs[cpu].due_ns = 0;
  came->times++;
  came->blocks = watch->lineage.num_blocks;
  memcpy(came->key, crng_subject_cpu_key(watch->rng, cpu), sizeof(came->key));
  return crng_subject_random_prepare_cpu(watch->rng, cpu);
}
