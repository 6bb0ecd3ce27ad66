// SPDX-License-Identifier: GPL-2.0-or-later
//
// The lock-order and lock-context checker: what trips it, under which key, and what does
// not; and that runs know nothing of each other.
#include "sim/testing/runs.h"

#include "sim/lock.h"
#include "sim/task.h"

struct shared {
  struct sim_mutex a, b, c, a2;
  struct sim_spinlock s, t;
  struct sim_spinlock many[10];
  u32 irq;
  u32 done;
};
static struct shared *sh(void) { return sim_private(); }

static void irq_take_s(void *arg) {
  (void)arg;
  sim_spin_lock(&sh()->s);
  sim_spin_unlock(&sh()->s);
}
static void softirq_take_s(void) { irq_take_s(NULL); }

static void make_shared(void) {
  struct shared *s = sim_alloc_static(sizeof(*s), "shared");
  sim_set_private(s);
  sim_mutex_init(&s->a, "a");
  sim_mutex_init(&s->b, "b");
  sim_mutex_init(&s->c, "c");
  sim_mutex_init(&s->a2, "a");
  sim_spin_lock_init(&s->s, "s");
  sim_spin_lock_init(&s->t, "t");
  for (u32 i = 0; i < 10; i++) sim_spin_lock_init(&s->many[i], "many");
  s->irq = sim_irq_register("line", irq_take_s, NULL, 0, false);
  sim_open_softirq(SIM_NET_RX_SOFTIRQ, softirq_take_s);
}

// A scenario of up to three tasks on CPU 0, one after the other unless drawn otherwise.
#define CASE(name_, fn0, fn1, fn2)                     \
  static void name_##_setup(void) {                    \
    make_shared();                                     \
    void (*fn[3])(void *arg) = {fn0, fn1, fn2};        \
    for (u32 i = 0; i < 3; i++)                        \
      if (fn[i]) sim_task_new("task", fn[i], NULL, 0); \
  }                                                    \
  static const struct sim_scenario name_ = {.name = "s", .setup = name_##_setup};

#define TAKE_TWO(name_, first, second) \
  static void name_(void *arg) {       \
    (void)arg;                         \
    sim_mutex_lock(&sh()->first);      \
    sim_mutex_lock(&sh()->second);     \
    sim_mutex_unlock(&sh()->second);   \
    sim_mutex_unlock(&sh()->first);    \
  }
TAKE_TWO(take_ab, a, b)
TAKE_TWO(take_ba, b, a)
TAKE_TWO(take_bc, b, c)
TAKE_TWO(take_ca, c, a)
TAKE_TWO(take_aa, a, a2)
TAKE_TWO(take_ac, a, c)

// ---- Order ----

CASE(ab_ba, take_ab, take_ba, NULL)
CASE(ba_ab, take_ba, take_ab, NULL)
CASE(ab_bc_ca, take_ab, take_bc, take_ca)
CASE(bc_ca_ab, take_bc, take_ca, take_ab)
CASE(ab_bc_ac, take_ab, take_bc, take_ac)
CASE(ab_ab, take_ab, take_ab, take_ab)
CASE(aa, take_aa, NULL, NULL)

// Two orders are found in every run, whether or not it deadlocks, and have one key
// whichever came first; so has a cycle of three.
static void order_cycle_is_found(void **state) {
  (void)state;
  struct sim_test t;
  char first[SIM_KEY_LEN] = "";
  const struct sim_scenario *two[] = {&ab_ba, &ba_ab};
  const struct sim_scenario *three[] = {&ab_bc_ca, &bc_ca_ab};
  for (u32 n = 0; n < 4; n++) {
    sim_test_open(&t, n < 2 ? two[n] : three[n - 2], NULL);
    if (n == 2) first[0] = 0;
    for (u64 seed = 0; seed < 300; seed++) {
      sim_test_seed(&t, seed);
      // A run that deadlocks at once is reported before it does.
      assert_true(t.result.num_failures >= 1);
      assert_string_equal(t.result.failures[0].oracle, "lock-order");
      if (!first[0]) snprintf(first, sizeof(first), "%s", t.result.failures[0].key);
      assert_string_equal(t.result.failures[0].key, first);
      assert_int_equal(t.result.status, SIM_SAFETY);
    }
    sim_test_close(&t);
  }
}

static void order_without_cycle_is_silent(void **state) {
  (void)state;
  sim_test_clean(&ab_ab, NULL, 300);
  sim_test_clean(&ab_bc_ac, NULL, 300);
}

// Two locks of one class inside each other have no order.
static void order_within_a_class_is_found(void **state) {
  (void)state;
  sim_test_always(&aa, NULL, 20, "lock-order");
}

static void try_ba(void *arg) {
  (void)arg;
  sim_mutex_lock(&sh()->b);
  if (sim_mutex_trylock(&sh()->a)) sim_mutex_unlock(&sh()->a);
  sim_mutex_unlock(&sh()->b);
}
CASE(ab_tryba, take_ab, try_ba, NULL)

// trylock waits for nothing, so it makes no order.
static void order_by_trylock_is_silent(void **state) {
  (void)state;
  sim_test_clean(&ab_tryba, NULL, 300);
}

static void try_a_then_b(void *arg) {
  (void)arg;
  if (!sim_mutex_trylock(&sh()->a)) return;
  sim_mutex_lock(&sh()->b);
  sim_mutex_unlock(&sh()->b);
  sim_mutex_unlock(&sh()->a);
}
CASE(tryab_ba, try_a_then_b, take_ba, NULL)

// What is taken inside a trylocked lock is ordered after it.
static void order_after_trylock_counts(void **state) {
  (void)state;
  struct sim_test t;
  u32 found = 0;
  sim_test_open(&t, &tryab_ba, NULL);
  for (u64 seed = 0; seed < 50; seed++) {
    sim_test_seed(&t, seed);
    if (t.result.num_failures == 0) continue;  // the trylock lost
    assert_string_equal(t.result.failures[0].oracle, "lock-order");
    found++;
  }
  assert_true(found > 10);
  sim_test_close(&t);
}

static void out_of_order(void *arg) {
  (void)arg;
  sim_mutex_lock(&sh()->a);
  sim_mutex_lock(&sh()->b);
  sim_mutex_unlock(&sh()->a);  // not the last one taken
  sim_mutex_lock(&sh()->c);
  sim_mutex_unlock(&sh()->b);
  sim_mutex_unlock(&sh()->c);
}
CASE(unordered_unlock, out_of_order, take_ac, NULL)

// Locks are released in any order.
static void unlock_order_is_free(void **state) {
  (void)state;
  sim_test_clean(&unordered_unlock, NULL, 300);
}

// ---- Contexts ----

static void raise_and_take(void *arg) {
  (void)arg;
  sim_irq_raise(sh()->irq);
  sim_elapse(100);
  sim_spin_lock(&sh()->s);
  sim_spin_unlock(&sh()->s);
}
static void raise_and_take_irqsave(void *arg) {
  unsigned long flags;
  (void)arg;
  sim_irq_raise(sh()->irq);
  sim_elapse(100);
  sim_spin_lock_irqsave(&sh()->s, flags);
  sim_spin_unlock_irqrestore(&sh()->s, flags);
}
static void raise_softirq(void *arg) {
  (void)arg;
  sim_raise_softirq(SIM_NET_RX_SOFTIRQ);
  sim_elapse(100);
}
static void softirq_and_take(void *arg) {
  raise_softirq(arg);
  sim_spin_lock(&sh()->s);
  sim_spin_unlock(&sh()->s);
}
static void softirq_and_take_bh(void *arg) {
  raise_softirq(arg);
  sim_local_bh_disable();
  sim_spin_lock(&sh()->s);
  sim_spin_unlock(&sh()->s);
  sim_local_bh_enable();
}
CASE(irq_unsafe, raise_and_take, NULL, NULL)
CASE(irq_safe, raise_and_take_irqsave, NULL, NULL)
CASE(softirq_unsafe, softirq_and_take, NULL, NULL)
CASE(softirq_safe, softirq_and_take_bh, NULL, NULL)

// A class taken in an interrupt and held where it may land is found although the
// interrupt did not come at that moment.
static void context_of_a_class(void **state) {
  (void)state;
  sim_test_always(&irq_unsafe, NULL, 50, "lock-context");
  sim_test_clean(&irq_safe, NULL, 200);
  sim_test_always(&softirq_unsafe, NULL, 50, "lock-context");
  sim_test_clean(&softirq_safe, NULL, 200);
}

static void take_t(void *arg) {
  (void)arg;
  sim_spin_lock(&sh()->t);
  sim_spin_unlock(&sh()->t);
}
static void take_t_inside_s(void *arg) {
  unsigned long flags;
  (void)arg;
  sim_irq_raise(sh()->irq);
  sim_elapse(100);
  sim_spin_lock_irqsave(&sh()->s, flags);
  sim_spin_lock(&sh()->t);
  sim_spin_unlock(&sh()->t);
  sim_spin_unlock_irqrestore(&sh()->s, flags);
}
CASE(irq_chain, take_t_inside_s, take_t, NULL)
CASE(irq_chain_other, take_t, take_t_inside_s, NULL)
CASE(irq_no_chain, take_t_inside_s, NULL, NULL)

// A lock that is held with interrupts on must not be taken inside one that interrupts
// take: the interrupt would wait for its holder.
static void context_through_an_order(void **state) {
  (void)state;
  char one[SIM_KEY_LEN], other[SIM_KEY_LEN];
  assert_int_equal(sim_test_count(&irq_chain, NULL, 50, "lock-context", one), 50);
  assert_int_equal(sim_test_count(&irq_chain_other, NULL, 50, "lock-context", other), 50);
  assert_string_equal(one, other);
  sim_test_clean(&irq_no_chain, NULL, 50);
}

// Both sides of it.
static void take_t_inside_s_again(void *arg) {
  take_t_inside_s(arg);
  sim_irq_raise(sh()->irq);
  raise_softirq(arg);
  take_t(arg);
  sim_spin_lock(&sh()->s);
  sim_spin_unlock(&sh()->s);
}
CASE(irq_both, take_t, take_t_inside_s_again, NULL)

// Told once, with where the lock is taken in an interrupt, by way of what, and where it is
// held: who, and what they held.
static void a_context_is_told_once_with_both_places(void **state) {
  static const char *const words[] = {"s is taken in a hardirq (cpu0 at irq_take_s:spin_lock)",
                                      "t inside it (take_t_inside_s:spin_lock)",
                                      "held where one may land (task#0 at take_t:spin_lock)"};
  struct sim_test t;
  (void)state;
  sim_test_open(&t, &irq_both, NULL);
  sim_test_calm(&t);
  sim_test_show(&t, "calm", 0);
  // t once, though a softirq and a hardirq find to it; s, which is another, once.
  assert_int_equal(t.result.num_failures, 2);
  for (u32 i = 0; i < SIM_ARRAY_SIZE(words); i++)
    assert_non_null(strstr(t.result.failures[0].text, words[i]));
  assert_non_null(strstr(t.result.failures[1].text, "s is taken in a hardirq"));
  sim_test_close(&t);
}

static void take_t_in_bh(void *arg) {
  (void)arg;
  sim_raise_softirq(SIM_NET_RX_SOFTIRQ);
  sim_spin_lock(&sh()->t);
  sim_elapse(100);
  sim_spin_lock(&sh()->s);
  sim_spin_unlock(&sh()->s);
  sim_spin_unlock(&sh()->t);
}
CASE(softirq_holding, take_t_in_bh, NULL, NULL)

// What the context holds is told too.
static void what_is_held_is_told(void **state) {
  struct sim_test t;
  (void)state;
  sim_test_open(&t, &softirq_holding, NULL);
  sim_test_calm(&t);
  sim_test_show(&t, "calm", 0);
  assert_int_equal(t.result.num_failures, 1);
  assert_non_null(strstr(t.result.failures[0].text, "holding t (take_t_in_bh:spin_lock)"));
  sim_test_close(&t);
}

static void irqs_on_inside(void *arg) {
  unsigned long flags;
  (void)arg;
  sim_irq_raise(sh()->irq);
  sim_elapse(100);
  sim_local_irq_save(flags);
  sim_spin_lock(&sh()->s);
  sim_local_irq_restore(flags);
  sim_spin_unlock(&sh()->s);
}
CASE(irq_enabled_inside, irqs_on_inside, NULL, NULL)

// Switching interrupts on while a lock is held counts as holding it with them on.
static void context_of_irq_enable(void **state) {
  (void)state;
  sim_test_always(&irq_enabled_inside, NULL, 20, "lock-context");
}

static void bh_on_inside(void *arg) {
  raise_softirq(arg);
  sim_local_bh_disable();
  sim_spin_lock(&sh()->s);
  sim_local_bh_enable();
  sim_spin_unlock(&sh()->s);
}
CASE(bh_enabled_inside, bh_on_inside, NULL, NULL)

static void context_of_bh_enable(void **state) {
  (void)state;
  sim_test_always(&bh_enabled_inside, NULL, 20, "lock-context");
}

// ---- Held too long, too many ----

static void exits_holding(void *arg) {
  (void)arg;
  sim_mutex_lock(&sh()->a);
}
CASE(held_at_exit, exits_holding, NULL, NULL)

static void irq_keeps(void *arg) {
  (void)arg;
  sim_spin_lock(&sh()->t);
}
static void raise_line(void *arg) {
  sim_irq_raise(*(u32 *)arg);
  sim_elapse(100);
}
static void irq_keeps_setup(void) {
  make_shared();
  sh()->irq = sim_irq_register("keeper", irq_keeps, NULL, 0, false);
  sim_task_new("task", raise_line, &sh()->irq, 0);
}
static const struct sim_scenario held_at_irq_end = {.name = "s", .setup = irq_keeps_setup};

static void sleeps_holding(void *arg) {
  (void)arg;
  sim_spin_lock(&sh()->s);
  sim_msleep(10);
}
CASE(held_asleep, sleeps_holding, NULL, NULL)

static void held_where_it_must_not_be(void **state) {
  (void)state;
  sim_test_always(&held_at_exit, NULL, 5, "lock-misuse");
  sim_test_always(&held_at_irq_end, NULL, 5, "lock-misuse");
  sim_test_always(&held_asleep, NULL, 5, "sleep-in-atomic");
}

// ---- Runs are independent ----

static void sometimes_ba(void *arg) {
  (void)arg;
  static struct sim_site site SIM_SITE_SECTION = {
      .prim = "order", .cls = "order", .kind = SIM_SITE_WORK, .rate_num = 1, .rate_den = 2};
  if (sim_choose(sim_w, &site, 2))
    take_ba(arg);
  else
    take_ab(arg);
}
CASE(either, sometimes_ba, NULL, NULL)

// One order in one run and the other in the next is no cycle.
static void runs_share_no_order(void **state) {
  (void)state;
  struct sim_test t;
  u64 digest[2] = {0};
  u32 different = 0;
  sim_test_open(&t, &either, NULL);
  for (u64 seed = 0; seed < 200; seed++) {
    sim_test_seed(&t, seed);
    assert_int_equal(t.result.status, SIM_OK);
    if (seed && t.result.digest != digest[0]) different++;
    digest[0] = t.result.digest;
  }
  assert_true(different > 0);
  sim_test_close(&t);
}

static void setup_order_setup(void) {
  make_shared();
  take_ab(NULL);
  sim_task_new("task", take_ba, NULL, 0);
}
static const struct sim_scenario setup_order = {.name = "s", .setup = setup_order_setup};

// An order that set-up showed is known to every run.
static void setup_order_stays(void **state) {
  (void)state;
  sim_test_always(&setup_order, NULL, 50, "lock-order");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(order_cycle_is_found),
      cmocka_unit_test(order_without_cycle_is_silent),
      cmocka_unit_test(order_within_a_class_is_found),
      cmocka_unit_test(order_by_trylock_is_silent),
      cmocka_unit_test(order_after_trylock_counts),
      cmocka_unit_test(unlock_order_is_free),
      cmocka_unit_test(context_of_a_class),
      cmocka_unit_test(context_through_an_order),
      cmocka_unit_test(a_context_is_told_once_with_both_places),
      cmocka_unit_test(what_is_held_is_told),
      cmocka_unit_test(context_of_irq_enable),
      cmocka_unit_test(context_of_bh_enable),
      cmocka_unit_test(held_where_it_must_not_be),
      cmocka_unit_test(runs_share_no_order),
      cmocka_unit_test(setup_order_stays),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
