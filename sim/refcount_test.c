// SPDX-License-Identifier: GPL-2.0-or-later
//
// Reference counts: who releases, and what use is wrong.
#include "sim/testing/runs.h"

#include "sim/refcount.h"
#include "sim/task.h"

struct object {
  struct sim_kref ref;
  u32 users;
};
struct shared {
  struct object *object;
  u32 released, extra_ns;
};
static struct shared *sh(void) { return sim_private(); }

static void release(struct sim_kref *ref) {
  struct object *o = sim_container_of(ref, struct object, ref);
  SIM_EXPECT_EQ(o->users, 0);
  sh()->released++;
  sim_free(o);
}

static struct object *make_object(void) {
  struct object *o = sim_zalloc(sizeof(*o), "object");
  sim_kref_init(&o->ref);
  SIM_EXPECT_EQ(sim_kref_read(&o->ref), 1);
  return o;
}

#define CASE(name_, fn_)                                           \
  static void name_##_setup(void) {                                \
    sim_set_private(sim_alloc_static(sizeof(struct shared), "s")); \
    sim_task_new("main", fn_, NULL, 0);                            \
  }                                                                \
  static const struct sim_scenario name_ = {.name = #name_, .setup = name_##_setup};

static void user(void *arg) {
  struct object *o = arg;
  o->users++;
  sim_elapse(200);
  o->users--;
  bool last = sim_kref_put(&o->ref, release);
  if (last) SIM_EXPECT_EQ(sh()->released, 1);
}
static void give_out(void *arg) {
  struct object *o = make_object();
  (void)arg;
  for (u32 i = 0; i < 3; i++) {
    sim_kref_get(&o->ref);
    sim_task_new("user", user, o, i % 2);
  }
  sim_kref_put(&o->ref, release);
  sim_msleep(8);
  SIM_EXPECT_EQ(sh()->released, 1);
}
CASE(shared_object, give_out)

// The last one out releases, whoever it is; nothing leaks.
static void kref_released_once_by_the_last(void **state) {
  (void)state;
  sim_test_clean(&shared_object, NULL, 2000);
}

static void keep(struct sim_kref *ref) { (void)ref; }

static u32 came_late;
static void looker(void *arg) {
  struct sim_kref *ref = arg;
  if (sim_kref_get_unless_zero(ref)) {
    SIM_EXPECT(sim_kref_read(ref) >= 1);
    sim_kref_put(ref, keep);
  } else {
    came_late++;
  }
}
static void look_main(void *arg) {
  struct sim_kref *ref = sim_zalloc(sizeof(*ref), "ref");
  (void)arg;
  sim_kref_init(ref);
  struct sim_task *task = sim_task_new("looker", looker, ref, 0);
  if (sim_test_draw(2)) sim_yield();
  bool zero = sim_kref_put(ref, keep);
  SIM_EXPECT(zero || sim_kref_read(ref) != 0);
  sim_task_join(task);
  sim_free(ref);
}
CASE(unless_zero, look_main)

static void zero_then_look(void *arg) {
  struct sim_kref *ref = sim_zalloc(sizeof(*ref), "ref");
  (void)arg;
  sim_kref_init(ref);
  SIM_EXPECT(sim_kref_get_unless_zero(ref));
  SIM_EXPECT_EQ(sim_kref_read(ref), 2);
  SIM_EXPECT(!sim_kref_put(ref, keep));
  SIM_EXPECT(sim_kref_put(ref, keep));
  SIM_EXPECT(!sim_kref_get_unless_zero(ref));
  SIM_EXPECT_EQ(sim_kref_read(ref), 0);
  sim_free(ref);
}
CASE(zero, zero_then_look)

static void kref_get_unless_zero(void **state) {
  (void)state;
  sim_test_clean(&zero, NULL, 10);
}

// ---- Misuse ----

static void get_zero(void *arg) {
  struct sim_kref *ref = sim_zalloc(sizeof(*ref), "ref");
  (void)arg;
  sim_kref_init(ref);
  sim_kref_put(ref, keep);
  sim_kref_get(ref);
  // Saturated: neither zero nor one again, so that nobody frees what another may use.
  SIM_EXPECT((s32)sim_kref_read(ref) < -1000000);
  SIM_EXPECT(!sim_kref_put(ref, keep));
  SIM_EXPECT(sim_kref_get_unless_zero(ref));
  SIM_EXPECT((s32)sim_kref_read(ref) < -1000000);
  sim_free(ref);
}
static void put_zero(void *arg) {
  struct sim_kref *ref = sim_zalloc(sizeof(*ref), "ref");
  (void)arg;
  sim_kref_init(ref);
  sim_kref_put(ref, keep);
  SIM_EXPECT(!sim_kref_put(ref, keep));
  SIM_EXPECT((s32)sim_kref_read(ref) < -1000000);
  sim_free(ref);
}
static void get_freed(void *arg) {
  struct sim_kref *ref = sim_zalloc(sizeof(*ref), "ref");
  (void)arg;
  sim_kref_init(ref);
  sim_free(ref);
  sim_kref_get(ref);
}
CASE(from_zero, get_zero)
CASE(below_zero, put_zero)
CASE(freed, get_freed)

static void only(const struct sim_scenario *scenario, u32 num, const char *id) {
  struct sim_test t;
  sim_test_open(&t, scenario, NULL);
  sim_test_calm(&t);
  assert_int_equal(t.result.num_failures, num);
  for (u32 i = 0; i < num; i++) assert_string_equal(t.result.failures[i].oracle, id);
  sim_test_close(&t);
}

// Reported, saturated, and the run goes on.
static void kref_misuse_is_found(void **state) {
  (void)state;
  only(&from_zero, 3, "refcount-misuse");
  only(&below_zero, 1, "refcount-misuse");
  sim_test_always(&below_zero, NULL, 10, "refcount-misuse");
  sim_test_always(&freed, NULL, 5, "use-after-free");
}

// The race of a look-up with the last put, without get_unless_zero's help: the looker may
// come after zero, and then gets nothing.
static void kref_look_up_race(void **state) {
  (void)state;
  came_late = 0;
  sim_test_clean(&unless_zero, (const char *const[]){"preempt", "0", NULL}, 500);
  assert_true(came_late > 5);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(kref_released_once_by_the_last),
      cmocka_unit_test(kref_get_unless_zero),
      cmocka_unit_test(kref_look_up_race),
      cmocka_unit_test(kref_misuse_is_found),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
