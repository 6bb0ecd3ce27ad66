// SPDX-License-Identifier: GPL-2.0-or-later
//
// Notifier chains: order, stopping, registration against calls.
#include "sim/testing/runs.h"

#include "sim/refcount.h"
#include "sim/task.h"

struct block {
  struct sim_notifier nb;
  u32 id;
  int rc;
  u32 sleep_us;
  u32 calls, inside;
  bool gone;
};
struct shared {
  struct sim_notifier_chain chain;
  struct block block[4];
  u32 order[16], num_order;
  u32 inside, inside_max;
};
static struct shared *sh(void) { return sim_private(); }

static int called(struct sim_notifier *nb, unsigned long action, void *data) {
  struct block *b = sim_container_of(nb, struct block, nb);
  struct shared *s = sh();
  SIM_EXPECT(!b->gone);
  SIM_EXPECT_EQ(action, 7);
  SIM_EXPECT(data == s);
  s->inside++;
  if (s->inside > s->inside_max) s->inside_max = s->inside;
  if (b->sleep_us) sim_usleep_range(b->sleep_us, b->sleep_us);
  SIM_EXPECT(!b->gone);
  s->inside--;
  s->order[s->num_order++ % 16] = b->id;
  b->calls++;
  return b->rc;
}

static void make_chain(bool blocking) {
  struct shared *s = sim_alloc_static(sizeof(*s), "shared");
  sim_set_private(s);
  sim_notifier_chain_init(&s->chain, "chain", blocking);
  for (u32 i = 0; i < 4; i++)
    s->block[i] = (struct block){.nb = {.fn = called}, .id = i, .rc = SIM_NOTIFY_OK};
}
#define CASE(name_, blocking_, fn_)     \
  static void name_##_setup(void) {     \
    make_chain(blocking_);              \
    sim_task_new("main", fn_, NULL, 0); \
  }                                     \
  static const struct sim_scenario name_ = {.name = #name_, .setup = name_##_setup};

// ---- Order and results ----

static void ordered(void *arg) {
  struct shared *s = sh();
  (void)arg;
  SIM_EXPECT_EQ(sim_notifier_call(&s->chain, 7, s), SIM_NOTIFY_DONE);  // empty
  s->block[0].nb.priority = 0;
  s->block[1].nb.priority = 10;
  s->block[2].nb.priority = 0;
  s->block[3].nb.priority = -5;
  s->block[3].rc = 33;
  for (u32 i = 0; i < 4; i++) {
    u32 which = i == 0 ? 3 : i - 1;  // 3, 0, 1, 2
    SIM_EXPECT_EQ(sim_notifier_register(&s->chain, &s->block[which].nb), 0);
  }
  SIM_EXPECT_EQ(sim_notifier_register(&s->chain, &s->block[2].nb), -SIM_EEXIST);
  SIM_EXPECT_EQ(sim_notifier_call(&s->chain, 7, s), 33);
  static const u32 want[] = {1, 0, 2, 3};
  SIM_EXPECT_EQ(s->num_order, 4);
  for (u32 i = 0; i < 4; i++) SIM_EXPECT_EQ(s->order[i], want[i]);
  // One that stops the rest.
  s->block[0].rc = SIM_NOTIFY_STOP;
  SIM_EXPECT_EQ(sim_notifier_call(&s->chain, 7, s), SIM_NOTIFY_STOP);
  SIM_EXPECT_EQ(s->num_order, 6);
  SIM_EXPECT_EQ(s->order[5], 0);
  SIM_EXPECT_EQ(sim_notifier_unregister(&s->chain, &s->block[0].nb), 0);
  SIM_EXPECT_EQ(sim_notifier_unregister(&s->chain, &s->block[0].nb), -SIM_ENOENT);
  SIM_EXPECT_EQ(sim_notifier_call(&s->chain, 7, s), 33);
  SIM_EXPECT_EQ(s->num_order, 9);
}
CASE(atomic_order, false, ordered)
CASE(blocking_order, true, ordered)

static void notifier_order_and_results(void **state) {
  (void)state;
  sim_test_clean(&atomic_order, NULL, 50);
  sim_test_clean(&blocking_order, NULL, 50);
}

// ---- Registration against calls ----

static void caller(void *arg) {
  struct shared *s = sh();
  (void)arg;
  for (u32 i = 0; i < 3; i++) {
    sim_notifier_call(&s->chain, 7, s);
    if (sim_test_draw(2)) sim_udelay(30);
  }
}
static u32 unregistered_unseen;
static void unregister_main(void *arg) {
  struct shared *s = sh();
  (void)arg;
  for (u32 i = 0; i < 2; i++) {
    if (s->chain.blocking) s->block[i].sleep_us = 20;
    SIM_EXPECT_EQ(sim_notifier_register(&s->chain, &s->block[i].nb), 0);
  }
  struct sim_task *c = sim_task_new("caller", caller, NULL, 1);
  struct sim_task *d = sim_task_new("caller", caller, NULL, 0);
  sim_udelay(sim_test_draw(100));
  SIM_EXPECT_EQ(sim_notifier_unregister(&s->chain, &s->block[0].nb), 0);
  s->block[0].gone = true;  // from now on it may be freed
  unregistered_unseen += s->block[0].calls < 6;
  sim_task_join(c);
  sim_task_join(d);
  SIM_EXPECT_EQ(s->block[1].calls, 6);
}
CASE(atomic_unregister, false, unregister_main)
CASE(blocking_unregister, true, unregister_main)

// When unregister has returned no call runs the callback or will.
static void notifier_unregister_waits_for_calls(void **state) {
  (void)state;
  unregistered_unseen = 0;
  sim_test_clean(&atomic_unregister, NULL, 1000);
  assert_true(unregistered_unseen > 10);
  unregistered_unseen = 0;
  sim_test_clean(&blocking_unregister, NULL, 1000);
  assert_true(unregistered_unseen > 10);
}

static u32 side_by_side;
static void note_side_by_side(void) { side_by_side += sh()->inside_max > 1; }
static void side_setup(void) {
  make_chain(true);
  sh()->block[0].sleep_us = 50;
  sim_notifier_register(&sh()->chain, &sh()->block[0].nb);
  sim_task_new("caller", caller, NULL, 0);
  sim_task_new("caller", caller, NULL, 1);
}
static const struct sim_scenario side = {
    .name = "side", .setup = side_setup, .check = note_side_by_side};

// Callers of a blocking chain do not wait for each other.
static void blocking_calls_run_side_by_side(void **state) {
  (void)state;
  side_by_side = 0;
  sim_test_clean(&side, NULL, 300);
  assert_true(side_by_side > 100);
}

// ---- Order of locks ----

static struct sim_mutex lock;
static int takes_lock(struct sim_notifier *nb, unsigned long action, void *data) {
  (void)nb;
  (void)action;
  (void)data;
  sim_mutex_lock(&lock);
  sim_mutex_unlock(&lock);
  return SIM_NOTIFY_OK;
}
static void register_under_lock(void *arg) {
  struct shared *s = sh();
  (void)arg;
  sim_mutex_init(&lock, "lock");
  s->block[0].nb.fn = takes_lock;
  sim_mutex_lock(&lock);
  sim_notifier_register(&s->chain, &s->block[0].nb);
  sim_mutex_unlock(&lock);
  sim_notifier_call(&s->chain, 7, s);
}
CASE(under_lock, true, register_under_lock)

// Callbacks run under the chain's semaphore: what they take comes after it.
static void notifier_order_of_locks(void **state) {
  (void)state;
  sim_test_always(&under_lock, NULL, 50, "lock-order");
}

// ---- Contexts ----

static void sleeps(void *arg) {
  struct shared *s = sh();
  (void)arg;
  s->block[0].sleep_us = 10;
  sim_notifier_register(&s->chain, &s->block[0].nb);
  sim_notifier_call(&s->chain, 7, s);
}
CASE(atomic_sleeps, false, sleeps)
CASE(blocking_sleeps, true, sleeps)
static void called_atomic(void *arg) {
  struct shared *s = sh();
  (void)arg;
  sim_notifier_register(&s->chain, &s->block[0].nb);
  sim_local_irq_disable();
  sim_notifier_call(&s->chain, 7, s);
  sim_local_irq_enable();
}
CASE(atomic_irq_off, false, called_atomic)
CASE(blocking_irq_off, true, called_atomic)

// Callbacks of an atomic chain must not sleep; a blocking chain must not be called where
// one cannot.
static void notifier_contexts(void **state) {
  (void)state;
  sim_test_always(&atomic_sleeps, NULL, 5, "sleep-in-atomic");
  sim_test_clean(&blocking_sleeps, NULL, 5);
  sim_test_clean(&atomic_irq_off, NULL, 5);
  sim_test_always(&blocking_irq_off, NULL, 5, "sleep-in-atomic");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(notifier_order_and_results),
      cmocka_unit_test(notifier_unregister_waits_for_calls),
      cmocka_unit_test(blocking_calls_run_side_by_side),
      cmocka_unit_test(notifier_order_of_locks),
      cmocka_unit_test(notifier_contexts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
