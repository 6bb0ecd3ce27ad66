// SPDX-License-Identifier: GPL-2.0-or-later
//
// The onlooker: each oracle trips on what it is there for, and is silent on a CRNG that
// works. A model that works is made to fail by what lies in its objects, by a planted bug,
// or by hooks that say what it did not do.
#include "models/crng/testing/crng_alone.h"

// ---- Silent ----

static void interrupts(struct crng_scene *scene) {
  crng_watch_interrupts(&scene->watch, 5, 1, NULL);
}
static void interrupts_2000(struct crng_scene *scene) {
  crng_watch_interrupts(&scene->watch, 5, 2000, NULL);
}
static void key(struct crng_scene *scene) { crng_watch_key(&scene->watch, 7); }
static void read_anything(struct crng_scene *scene) {
  u8 buf[96];

  crng_watch_get_random_bytes(&scene->watch, buf, sizeof(buf));
  for (u32 kind = 0; kind < CRNG_BATCH_KINDS; kind++) crng_watch_batched(&scene->watch, kind);
}

static void everything(struct crng_scene *scene) {
  struct crng_watch *watch = &scene->watch;
  u8 buf[200];

  for (u32 i = 0; i < 3; i++) {
    read_anything(scene);
    crng_alone_in_hardirq(scene, interrupts);
    crng_alone_in_hardirq(scene, key);
    crng_alone_in_hardirq(scene, interrupts_2000);
    crng_alone_in_hardirq(scene, read_anything);
    crng_watch_key(watch, i);
    SIM_EXPECT_EQ(crng_watch_getrandom(watch, buf, 32, CRNG_GRND_NONBLOCK), -SIM_EAGAIN);
    SIM_EXPECT_EQ(crng_watch_getrandom(watch, buf, 200, CRNG_GRND_INSECURE), 200);
    SIM_EXPECT_EQ(crng_watch_getrandom(watch, buf, 32, 0x80), -SIM_EINVAL);
    crng_alone_feed(scene, 8, 16);
    sim_msleep(40);
  }
  crng_alone_feed(scene, 32, 256);
  SIM_EXPECT_EQ(watch->stage, CRNG_READY);
  crng_watch_execute_when_ready(watch);
  for (u32 i = 0; i < 3; i++) {
    read_anything(scene);
    SIM_EXPECT_EQ(crng_watch_getrandom(watch, buf, 200, 0), 200);
    SIM_EXPECT(crng_watch_vdso(watch));
    crng_reseed(&scene->rng);
  }
}

static void a_crng_that_works_trips_nothing(void **state) {
  crng_alone_passes(everything, NULL);
  crng_alone_passes(everything, "weak=1 num_cpus=1");
}

// ---- The message ----

static void message_before_ready(struct crng_scene *scene) {
  scene->rng.hooks.init_done(&scene->watch, CRNG_EARLY);
}
static void message_twice(struct crng_scene *scene) {
  crng_alone_feed(scene, 32, 256);
  SIM_EXPECT_EQ(scene->watch.init_done, 1);
  scene->rng.hooks.init_done(&scene->watch, CRNG_READY);
}

static void the_message_is_judged(void **state) {
  crng_alone_trips(message_before_ready, NULL, "crng-ready-message");
  crng_alone_trips(message_twice, NULL, "crng-ready-message");
}

// ---- Stages and credit ----

static void stage_without_crossing(struct crng_scene *scene) {
  scene->rng.hooks.stage(&scene->watch, CRNG_EARLY);
}
static void stage_twice(struct crng_scene *scene) {
  crng_alone_feed(scene, 32, 256);
  scene->rng.hooks.stage(&scene->watch, CRNG_READY);
}
static void crossing_twice(struct crng_scene *scene) {
  crng_alone_feed(scene, 32, 128);
  scene->rng.input_pool.init_bits = 100;
  crng_alone_feed(scene, 32, 64);
}
static void ready_unpaid(struct crng_scene *scene) {
  scene->rng.hooks.stage(&scene->watch, CRNG_READY);
}
static void credit_for_nothing(struct crng_scene *scene) { crng_credit_init_bits(&scene->rng, 1); }
static void credit_above_bytes(struct crng_scene *scene) { crng_alone_feed(scene, 8, 65); }
static void credit_all_bytes(struct crng_scene *scene) { crng_alone_feed(scene, 8, 64); }
static void credit_above_claim(struct crng_scene *scene) {
  u8 buf[32];

  crng_scene_data(scene, buf, sizeof(buf));
  lineage_offer(&scene->watch.lineage, buf, sizeof(buf), 9, NULL);
  crng_add_user_randomness(&scene->rng, buf, sizeof(buf), 10);
}

static void stages_and_credit_are_judged(void **state) {
  crng_alone_trips(stage_without_crossing, NULL, "crng-stage");
  crng_alone_trips(stage_twice, NULL, "crng-stage");
  crng_alone_trips(crossing_twice, NULL, "crng-stage");
  crng_alone_trips(ready_unpaid, NULL, "crng-ready-bits");
  crng_alone_trips(credit_for_nothing, NULL, "crng-credit");
  crng_alone_trips(credit_above_bytes, NULL, "crng-credit");
  crng_alone_passes(credit_all_bytes, NULL);
  crng_alone_trips(credit_above_claim, NULL, "crng-credit");
}

// ---- Provenance ----

// A key that becomes the base key stems from nothing that was paid.
static void key_of_nothing(struct crng_scene *scene) {
  u8 out[CRNG_HASH_LEN];

  crng_alone_feed(scene, 32, 256);
  crng_hash_keyed(&scene->rng.hooks, out, NULL, "x", 1);
  scene->rng.hooks.base_key(&scene->watch, out, 2);
}
// One input of two is lost with the pool's hash.
static void input_lost(struct crng_scene *scene) {
  crng_alone_feed(scene, 32, 64);
  crng_hash_begin(&scene->rng.hooks, &scene->rng.input_pool.hash, NULL);
  crng_alone_feed(scene, 32, 256);
}
// A fork's identity is in the key that follows, or that is a finding.
static void fork_told(struct crng_scene *scene) {
  crng_watch_vmfork(&scene->watch, (const u8 *)"before READY....", 16);
  crng_scene_make_ready(scene);
  crng_watch_vmfork(&scene->watch, (const u8 *)"when READY......", 16);
  crng_reseed(&scene->rng);
}
static void fork_lost(struct crng_scene *scene) {
  u8 old[CRNG_KEY_LEN];

  crng_scene_make_ready(scene);
  memcpy(old, scene->rng.base_crng.key, sizeof(old));
  crng_watch_vmfork(&scene->watch, (const u8 *)"another identity", 16);
  scene->rng.hooks.base_key(&scene->watch, old, 4);
}
static void inputs_kept(struct crng_scene *scene) {
  crng_alone_feed(scene, 32, 64);
  crng_alone_feed(scene, 32, 64);
  SIM_EXPECT_EQ(scene->watch.stage, CRNG_EARLY);
  crng_alone_feed(scene, 32, 128);
  SIM_EXPECT_EQ(scene->watch.stage, CRNG_READY);
}

static void provenance_is_judged(void **state) {
  crng_alone_trips(key_of_nothing, NULL, "crng-provenance");
  crng_alone_trips(input_lost, NULL, "crng-provenance");
  crng_alone_passes(inputs_kept, NULL);
  crng_alone_passes(fork_told, NULL);
  crng_alone_trips(fork_lost, NULL, "crng-provenance");
}

// ---- What readers get ----

static void key_used_twice(struct crng_scene *scene) {
  struct crng_cpu_key *cpu_key = &scene->rng.crngs[0];
  u8 buf[32], old[CRNG_KEY_LEN];

  crng_scene_make_ready(scene);
  crng_watch_get_random_bytes(&scene->watch, buf, sizeof(buf));
  memcpy(old, cpu_key->key, sizeof(old));
  crng_watch_get_random_bytes(&scene->watch, buf, sizeof(buf));
  memcpy(cpu_key->key, old, sizeof(old));
  crng_watch_get_random_bytes(&scene->watch, buf, sizeof(buf));
}
static void position_falls(struct crng_scene *scene) {
  struct crng_batch *batch = &scene->rng.batch[CRNG_U32][0];
  struct crng_batch old;

  crng_scene_make_ready(scene);
  crng_watch_batched(&scene->watch, CRNG_U32);
  old = *batch;
  crng_watch_batched(&scene->watch, CRNG_U32);
  *batch = old;
  crng_watch_batched(&scene->watch, CRNG_U32);
}
static void bytes_of_no_key(struct crng_scene *scene) {
  crng_scene_make_ready(scene);
  crng_watch_batched(&scene->watch, CRNG_U64);
  memset(scene->rng.batch[CRNG_U64][0].entropy, 0x5a, CRNG_BATCH_LEN);
  crng_watch_batched(&scene->watch, CRNG_U64);
}
static void short_bytes_of_no_key(struct crng_scene *scene) {
  crng_scene_make_ready(scene);
  crng_watch_batched(&scene->watch, CRNG_U16);
  memset(scene->rng.batch[CRNG_U16][0].entropy, 0, CRNG_BATCH_LEN);
  crng_watch_batched(&scene->watch, CRNG_U16);
}
static void reseed_unseen(struct crng_scene *scene) {
  u8 buf[32];

  crng_scene_make_ready(scene);
  crng_watch_get_random_bytes(&scene->watch, buf, sizeof(buf));
  crng_reseed(&scene->rng);
  scene->rng.crngs[0].generation = scene->rng.base_crng.generation;
  crng_watch_get_random_bytes(&scene->watch, buf, sizeof(buf));
}
static void used_key_lies_about(struct crng_scene *scene) {
  u8 buf[32], old[CRNG_KEY_LEN];

  crng_scene_make_ready(scene);
  crng_watch_get_random_bytes(&scene->watch, buf, sizeof(buf));
  memcpy(old, scene->rng.crngs[0].key, sizeof(old));
  crng_watch_get_random_bytes(&scene->watch, buf, sizeof(buf));
  memcpy(scene->rng.crngs[1].key, old, sizeof(old));
  crng_watch_get_random_bytes(&scene->watch, buf, sizeof(buf));
}
static void used_base_key_lies_about(struct crng_scene *scene) {
  u8 buf[32], old[CRNG_KEY_LEN];

  crng_scene_make_ready(scene);
  memcpy(old, scene->rng.base_crng.key, sizeof(old));
  crng_watch_get_random_bytes(&scene->watch, buf, sizeof(buf));
  memcpy(scene->rng.base_crng.key, old, sizeof(old));
  crng_watch_get_random_bytes(&scene->watch, buf, sizeof(buf));
}

static void batch_beyond_its_end(struct crng_scene *scene) {
  scene->rng.quirks.bug_batch_end = true;
  crng_scene_make_ready(scene);
  for (u32 i = 0; i <= CRNG_BATCH_LEN / 8; i++) crng_watch_batched(&scene->watch, CRNG_U64);
}
static void batches_used_up(struct crng_scene *scene) {
  crng_scene_make_ready(scene);
  for (u32 kind = 0; kind < CRNG_BATCH_KINDS; kind++)
    for (u32 i = 0; i <= (u32)CRNG_BATCH_LEN >> kind; i++) crng_watch_batched(&scene->watch, kind);
}
// The key of a reseed that has not come to its end.
static void key_not_yet_published(struct crng_scene *scene) {
  u8 buf[32];

  crng_scene_make_ready(scene);
  crng_watch_get_random_bytes(&scene->watch, buf, sizeof(buf));
  crng_extract_entropy(&scene->rng, scene->rng.crngs[0].key, CRNG_KEY_LEN);
  crng_watch_get_random_bytes(&scene->watch, buf, sizeof(buf));
}

static void what_readers_get_is_judged(void **state) {
  crng_alone_trips(key_used_twice, NULL, "crng-bytes-once");
  crng_alone_trips(position_falls, NULL, "crng-bytes-once");
  crng_alone_trips(bytes_of_no_key, NULL, "crng-bytes-from-stream");
  crng_alone_trips(short_bytes_of_no_key, NULL, "crng-bytes-from-stream");
  crng_alone_trips(reseed_unseen, NULL, "crng-fresh");
  crng_alone_trips(key_not_yet_published, NULL, "crng-fresh");
  crng_alone_trips(batch_beyond_its_end, NULL, "crng-bytes-from-stream");
  crng_alone_passes(batches_used_up, NULL);
  crng_alone_trips(used_key_lies_about, NULL, "crng-erased");
  crng_alone_trips(used_base_key_lies_about, NULL, "crng-erased");
}

// What is told is what happened.
static void the_text_tells_which_key(void **state) {
  struct sim_test t;

  crng_alone_run(&t, reseed_unseen, NULL);
  assert_non_null(strstr(t.result.failures[0].text, "stem from key 1, and key 2 was there before"));
  sim_test_close(&t);
  crng_alone_run(&t, key_not_yet_published, NULL);
  assert_non_null(strstr(t.result.failures[0].text, "stem from a key that is not published yet"));
  sim_test_close(&t);
}

// ---- CPUs and sleep ----

// CPU 0 comes, and this task has not been away.
static void comes(struct crng_scene *scene, void (*read)(struct crng_scene *scene)) {
  crng_scene_make_ready(scene);
  read(scene);
  SIM_EXPECT_EQ(crng_watch_prepare_cpu(&scene->watch, 0), 0);
  read(scene);
  read(scene);
}
static void key_of_before(struct crng_scene *scene) {
  scene->rng.quirks.bug_prepare_keeps_key = true;
  comes(scene, read_anything);
}
static void read_u64(struct crng_scene *scene) { crng_watch_batched(&scene->watch, CRNG_U64); }
static void read_u32(struct crng_scene *scene) { crng_watch_batched(&scene->watch, CRNG_U32); }
static void batch_u64_of_before(struct crng_scene *scene) {
  scene->rng.quirks.bug_prepare_keeps_batches = true;
  comes(scene, read_u64);
}
static void batch_u32_of_before(struct crng_scene *scene) {
  scene->rng.quirks.bug_prepare_keeps_batches = true;
  comes(scene, read_u32);
}
static void nothing_of_before(struct crng_scene *scene) {
  for (u32 i = 0; i < 3; i++) comes(scene, read_anything);
}

// A mix was due long ago; the CPU was away since then, or was not.
static void due_long_ago(struct crng_scene *scene, bool came) {
  scene->watch.irqs[0].due_ns = sim_clock_ns();
  sim_msleep(700);
  if (came) SIM_EXPECT_EQ(crng_watch_prepare_cpu(&scene->watch, 0), 0);
  sim_preempt_disable();
  crng_watch_interrupts(&scene->watch, 32, 1, NULL);
  sim_preempt_enable();
}
static void due_and_away(struct crng_scene *scene) { due_long_ago(scene, true); }
static void due_and_there(struct crng_scene *scene) { due_long_ago(scene, false); }

// A mix became due on a CPU that had come and whose callback had not yet forgotten what it counted.
static void due_and_forgotten(struct crng_scene *scene) {
  sim_msleep(2000);
  sim_preempt_disable();
  crng_watch_interrupts(&scene->watch, 32, 1, NULL);
  SIM_EXPECT_EQ(crng_random_online_cpu(&scene->rng, 0), 0);
  sim_preempt_enable();
  sim_msleep(300);
  crng_alone_in_hardirq(scene, interrupts);
}

// An interrupt between a CPU's coming and its callback was blamed for a mix that was due when the
// CPU went.
static void a_due_mix_goes_with_its_cpu(void **state) {
  crng_alone_passes(due_and_away, NULL);
  crng_alone_passes(due_and_forgotten, NULL);
  crng_alone_trips(due_and_there, NULL, "crng-interrupts-mixed");
}

static void what_a_cpu_kept_is_judged(void **state) {
  crng_alone_trips(key_of_before, NULL, "crng-cpu-fresh");
  crng_alone_trips(batch_u64_of_before, NULL, "crng-cpu-fresh");
  crng_alone_trips(batch_u32_of_before, NULL, "crng-cpu-fresh");
  crng_alone_passes(nothing_of_before, NULL);
}

static void resumes(struct crng_scene *scene) {
  // Before READY nothing is promised.
  crng_watch_pm_notification(&scene->watch);
  crng_scene_make_ready(scene);
  crng_watch_pm_notification(&scene->watch);
}
static void resumes_without_reseed(struct crng_scene *scene) {
  scene->rng.quirks.bug_resume_no_reseed = true;
  resumes(scene);
}

static void a_resume_is_judged(void **state) {
  crng_alone_passes(resumes, NULL);
  crng_alone_trips(resumes_without_reseed, NULL, "crng-resume-reseeds");
}
static void resumes_when_seen(struct crng_scene *scene) {
  crng_scene_make_ready(scene);
  sim_msleep(20);
  SIM_EXPECT(scene->rng.crng_is_ready);
  scene->rng.quirks.bug_resume_no_reseed = true;
  crng_watch_pm_notification(&scene->watch);
}

static void a_resume_is_judged_on_weak_memory(void **state) {
  crng_alone_trips(resumes_when_seen, "weak=1", "crng-resume-reseeds");
}

// ---- The vDSO ----

static void ready_and_no_generation(struct crng_scene *scene) {
  scene->rng.vdso.is_ready = 1;
  crng_watch_vdso(&scene->watch);
}
static void vdso_key_is_old(struct crng_scene *scene) {
  crng_scene_make_ready(scene);
  crng_watch_vdso(&scene->watch);
  crng_reseed(&scene->rng);
  scene->rng.crngs[0].generation = scene->rng.base_crng.generation;
  crng_watch_vdso(&scene->watch);
}
// The page is ahead of the key.
static void page_is_early(struct crng_scene *scene) {
  crng_alone_feed(scene, 32, 256);
  scene->rng.vdso.generation++;
  crng_watch_vdso(&scene->watch);
}
static void page_lags(struct crng_scene *scene) {
  crng_scene_make_ready(scene);
  crng_reseed(&scene->rng);
  scene->rng.vdso.generation--;
  crng_watch_vdso(&scene->watch);
}
static void page_not_ready(struct crng_scene *scene) {
  SIM_EXPECT(!crng_watch_vdso(&scene->watch));
}

static void the_vdso_is_judged(void **state) {
  crng_alone_trips(ready_and_no_generation, NULL, "crng-vdso-generation");
  crng_alone_trips(vdso_key_is_old, NULL, "crng-vdso-generation");
  crng_alone_trips(page_is_early, NULL, "crng-vdso-generation");
  crng_alone_trips(page_lags, NULL, "crng-vdso-generation");
  crng_alone_passes(page_not_ready, NULL);
}

// ---- Waiting ----

static void waits(void *arg) {
  struct crng_scene *scene = arg;
  u8 buf[32];

  (void)crng_watch_getrandom(&scene->watch, buf, sizeof(buf), 0);
  sim_clear_signals();
}
static void ready_long_before(struct crng_scene *scene) {
  sim_task_new("waiter", waits, scene, 1);
  sim_msleep(700);
  crng_scene_make_ready(scene);
  scene->watch.ready_ns = 1;
}
static void signal_unheard(struct crng_scene *scene) {
  struct sim_task *task = sim_task_new("waiter", waits, scene, 1);

  sim_msleep(10);
  crng_watch_send_signal(&scene->watch, task);
  // As if it had been sent long before.
  scene->watch.waiters[0].signal_ns = 1;
}
static void woken_in_time(struct crng_scene *scene) {
  sim_task_new("waiter", waits, scene, 1);
  struct sim_task *task = sim_task_new("waiter", waits, scene, 0);

  sim_msleep(10);
  crng_watch_send_signal(&scene->watch, task);
  sim_msleep(700);
  crng_scene_make_ready(scene);
}
static void asks(void *arg) { crng_watch_execute_when_ready(arg); }
static void notified_early(struct crng_scene *scene) {
  struct crng_watch_notify *notify = &scene->watch.notify[0];

  sim_task_new("asks", asks, &scene->watch, 1);
  sim_msleep(10);
  SIM_EXPECT(notify->watch);
  sim_notifier_call(&scene->rng.random_ready_chain, 0, NULL);
}
static void notified_twice(struct crng_scene *scene) {
  crng_scene_make_ready(scene);
  crng_watch_execute_when_ready(&scene->watch);
  scene->watch.notify[0].nb.fn(&scene->watch.notify[0].nb, 0, NULL);
}
static void notified_never(struct crng_scene *scene) {
  struct crng_watch *watch = &scene->watch;

  sim_task_new("asks", asks, watch, 1);
  sim_msleep(10);
  SIM_EXPECT_EQ(sim_notifier_unregister(&scene->rng.random_ready_chain, &watch->notify[0].nb), 0);
  crng_scene_make_ready(scene);
}
static void bytes_before_ready(struct crng_scene *scene) {
  u8 buf[32];

  scene->rng.crng_init = CRNG_READY;
  (void)crng_watch_getrandom(&scene->watch, buf, sizeof(buf), 0);
}

static void waiting_is_judged(void **state) {
  crng_alone_trips(ready_long_before, "weak=0", "crng-wake-bound");
  crng_alone_trips(signal_unheard, NULL, "crng-wake-bound");
  crng_alone_passes(woken_in_time, NULL);
  crng_alone_trips(notified_early, NULL, "crng-ready-notified");
  crng_alone_trips(notified_twice, NULL, "crng-ready-notified");
  crng_alone_trips(notified_never, NULL, "crng-ready-notified");
  crng_alone_trips(bytes_before_ready, NULL, "crng-getrandom-result");
}

// ---- Interrupts ----

static void hashes_in_hardirq(struct crng_scene *scene) {
  scene->rng.quirks.bug_14 = true;
  crng_alone_in_hardirq(scene, interrupts);
}
static void never_mixes(struct crng_scene *scene) {
  scene->rng.irq_randomness[0].count = CRNG_MIX_INFLIGHT;
  for (u32 i = 0; i < 15; i++) {
    crng_alone_in_hardirq(scene, interrupts);
    sim_msleep(100);
  }
}
static void mixes_in_time(struct crng_scene *scene) {
  for (u32 i = 0; i < 30; i++) {
    crng_alone_in_hardirq(scene, interrupts);
    sim_msleep(100);
  }
}
static void interrupts_64(struct crng_scene *scene) {
  crng_watch_interrupts(&scene->watch, 5, 64, NULL);
}
static void mixes_too_often(struct crng_scene *scene) {
  scene->rng.quirks.bug_15 = true;
  for (u32 i = 0; i < 3; i++) {
    crng_alone_in_hardirq(scene, interrupts_64);
    sim_msleep(20);
  }
}
static void credits_too_much(struct crng_scene *scene) {
  scene->rng.quirks.bug_16 = true;
  for (u32 i = 0; i < 6; i++) crng_alone_in_hardirq(scene, interrupts_2000);
  sim_msleep(20);
}
static void interrupts_9000(struct crng_scene *scene) {
  crng_watch_interrupts(&scene->watch, 5, 9000, NULL);
}
static void interrupts_1100(struct crng_scene *scene) {
  crng_watch_interrupts(&scene->watch, 5, 1100, NULL);
}
// Interrupts that came between the copy of the fast pool and its hashing were not counted for the
// next mix, to which they belong.
static void more_while_a_mix_waits(struct crng_scene *scene) {
  sim_spin_lock(&scene->rng.input_pool.lock);
  crng_alone_in_hardirq_soon(scene, interrupts_1100);
  sim_usleep_range(20000, 20010);
  crng_alone_in_hardirq_soon(scene, interrupts_1100);
  sim_spin_unlock(&scene->rng.input_pool.lock);
  sim_usleep_range(50, 60);
  crng_alone_in_hardirq_soon(scene, interrupts_1100);
  sim_msleep(40);
  SIM_EXPECT_EQ(scene->rng.input_pool.init_bits, 1100 / 64 + 2200 / 64);
}
static void credits_far_too_much(struct crng_scene *scene) {
  scene->rng.quirks.bug_16 = true;
  crng_alone_in_hardirq(scene, interrupts_9000);
  sim_msleep(20);
}
static void queue_that_is_not_there(struct crng_scene *scene) {
  scene->rng.quirks.bug_7 = true;
  crng_alone_feed(scene, 32, 256);
}
static void ready_without_queues(struct crng_scene *scene) { crng_alone_feed(scene, 32, 256); }

static void interrupts_and_work_are_judged(void **state) {
  crng_alone_trips(hashes_in_hardirq, NULL, "crng-no-hash-in-hardirq");
  crng_alone_trips(never_mixes, NULL, "crng-interrupts-mixed");
  crng_alone_passes(mixes_in_time, NULL);
  crng_alone_trips(mixes_too_often, NULL, "crng-storm-bounded");
  crng_alone_passes(credits_too_much, NULL);
  crng_alone_passes(more_while_a_mix_waits, "rt=1 hz=100");
  crng_alone_trips(credits_far_too_much, NULL, "crng-credit");
  crng_alone_trips(queue_that_is_not_there, "queues=0", "crng-no-workqueue");
  crng_alone_passes(ready_without_queues, "queues=0");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_crng_that_works_trips_nothing),
      cmocka_unit_test(the_message_is_judged),
      cmocka_unit_test(stages_and_credit_are_judged),
      cmocka_unit_test(provenance_is_judged),
      cmocka_unit_test(what_readers_get_is_judged),
      cmocka_unit_test(the_text_tells_which_key),
      cmocka_unit_test(what_a_cpu_kept_is_judged),
      cmocka_unit_test(a_due_mix_goes_with_its_cpu),
      cmocka_unit_test(a_resume_is_judged),
      cmocka_unit_test(a_resume_is_judged_on_weak_memory),
      cmocka_unit_test(the_vdso_is_judged),
      cmocka_unit_test(waiting_is_judged),
      cmocka_unit_test(interrupts_and_work_are_judged),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
