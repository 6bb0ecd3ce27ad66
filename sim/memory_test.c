// SPDX-License-Identifier: GPL-2.0-or-later
//
// Memory of the world as a run sees it: what is handed out, freeing and its misuse, leaks,
// exhaustion; and the reset: what a run leaves behind is not seen by the next.
#include "sim/testing/runs.h"

#include "sim/cpu.h"
#include "sim/sched.h"
#include "sim/task.h"
#include "sim/trace.h"

struct shared {
  u8 fill;
  void *from_setup;
  u32 count;
};
static struct shared *sh(void) { return sim_private(); }
static void make_shared(void) {
  struct shared *s = sim_alloc_static(sizeof(*s), "shared");
  sim_set_private(s);
  s->from_setup = sim_alloc(100, "from_setup");
}
#define CASE(name_, main_)                \
  static void name_##_setup(void) {       \
    make_shared();                        \
    sim_task_new("main", main_, sh(), 0); \
  }                                       \
  static const struct sim_scenario name_ = {.name = #name_, .setup = name_##_setup};

static bool all_are(const u8 *p, size_t n, u8 byte) {
  for (size_t i = 0; i < n; i++)
    if (p[i] != byte) return false;
  return true;
}
static u32 choice;
static u8 fill;

// ---- What is handed out ----

static void alloc_main(void *arg) {
  u8 *p[20];
  for (u32 i = 0; i < 20; i++) {
    size_t size = i == 0 ? 0 : (size_t)1 << i;
    p[i] = i % 3 == 1 ? sim_zalloc(size, "z") : sim_alloc(size, "a");
    SIM_EXPECT_EQ((uintptr_t)p[i] % 16, 0);
    SIM_EXPECT(all_are(p[i], size, i % 3 == 1 ? 0 : fill));
    for (u32 j = 0; j < i; j++) SIM_EXPECT(p[i] != p[j]);
    memset(p[i], 0x99, size);
  }
  u8 *s = sim_alloc_static(50, "s");  // no leak
  SIM_EXPECT(all_are(s, 50, 0));
  for (u32 i = 0; i < 20; i += 2) sim_free(p[i]);
  u8 *later = sim_alloc(1000, "later");
  for (u32 i = 0; i < 20; i++) SIM_EXPECT(later != p[i]);  // nothing is used again
  sim_free(later);
  for (u32 i = 1; i < 20; i += 2) sim_free(p[i]);
  sim_free(NULL);
  sim_free(sh()->from_setup);
  (void)arg;
}
CASE(alloc, alloc_main)

// 16-aligned, of fill or zeroed, each with an address of its own, none used again.
static void what_is_handed_out(void **state) {
  static const u8 fills[] = {0, 0xa5, 0x5a, 0, 1, 0xa5};
  struct sim_test t;
  (void)state;
  sim_test_open(&t, &alloc, NULL);
  for (u32 i = 0; i < SIM_ARRAY_SIZE(fills); i++) {
    fill = fills[i];
    sim_world_set_fill(t.world, fill);
    sim_test_calm(&t);
    sim_test_show(&t, "fill", fill);
    assert_int_equal(t.result.status, SIM_OK);
  }
  sim_test_close(&t);
  fill = 0;
}

// ---- Freeing ----

static void free_main(void *arg) {
  u8 *p = sim_alloc(64, "object"), *q = sim_alloc(64, "object");
  u8 *s = sim_alloc_static(64, "static");
  u8 stack[64], *zero = sim_alloc(0, "zero");
  sim_free(zero);
  switch (choice) {
    case 0:
      sim_free(p);
      sim_free(p);
      break;
    case 1:
      sim_free(p + 16);
      break;
    case 2:
      sim_free(p + 1);
      break;
    case 3:
      sim_free(s);
      break;
    case 4:
      sim_free(stack);
      break;
    case 5:
      sim_free(sim_current());
      break;
    case 6:
      sim_free(p);
      sim_free(p + 16);
      break;
    case 7:
      sim_free(zero);
      break;
    case 8:
      sim_free(p);
      sim_check_alive(p, "object");
      break;
    case 9:
      sim_free(p);
      sim_check_alive(p + 63, "object");
      break;
    case 10:
      sim_free(p);
      SIM_POINT("touch", p);
      break;
    case 11:
      sim_free(p);
      (void)sim_read_once(*(u32 *)(void *)(p + 8));
      break;
    default:  // all is well
      sim_free(p);
      sim_check_alive(q, "object");
      sim_check_alive(s, "static");
      sim_check_alive(stack, "stack");
      sim_check_alive(NULL, "null");
      sim_free(q);
      return;
  }
  (void)arg;
}
CASE(freeing, free_main)

// Each misuse is a finding where it happens.
static void freeing_misuse(void **state) {
  static const char *const oracle[] = {"double-free",    "api-misuse",     "api-misuse",
                                       "api-misuse",     "api-misuse",     "api-misuse",
                                       "api-misuse",     "double-free",    "use-after-free",
                                       "use-after-free", "use-after-free", "use-after-free"};
  (void)state;
  for (choice = 0; choice < SIM_ARRAY_SIZE(oracle); choice++)
    sim_test_always(&freeing, NULL, 3, oracle[choice]);
  sim_test_clean(&freeing, NULL, 3);
}

static void leak_main(void *arg) {
  for (u32 i = 0; i < choice; i++) {
    (void)sim_alloc(10, "one");
    (void)sim_zalloc(20, "two");
    sim_free(sim_alloc(30, "three"));
  }
  (void)arg;
}
CASE(leaking, leak_main)

// Each name that leaks is reported once; what set-up made does not leak.
static void leaks(void **state) {
  struct sim_test t;
  (void)state;
  sim_test_open(&t, &leaking, NULL);
  for (choice = 0; choice < 3; choice++) {
    sim_test_calm(&t);
    assert_int_equal(t.result.num_failures, choice ? 2 : 0);
    assert_int_equal(t.result.status, choice ? SIM_SAFETY : SIM_OK);
    for (u32 i = 0; i < t.result.num_failures; i++)
      assert_string_equal(t.result.failures[i].oracle, "leak");
    if (!choice) continue;
    assert_non_null(strstr(t.result.failures[0].text, "two of 20"));
    assert_non_null(strstr(t.result.failures[1].text, "one of 10"));
  }
  sim_test_close(&t);
}

static void nothing(void *arg) { (void)arg; }
static void exhaust_main(void *arg) {
  if (choice == 0)
    (void)sim_alloc((size_t)SIM_ARENA_SIZE + 1, "huge");
  else if (choice == 1)
    (void)sim_alloc(SIZE_MAX, "huge");
  else if (choice == 2)
    for (;;) (void)sim_zalloc(1 << 20, "more");
  else
    for (u32 i = 0; i < 3000; i++) {
      (void)sim_alloc_static(30000, "more");
      sim_task_join(sim_task_new("t", nothing, NULL, 0));
    }
  (void)arg;
}
CASE(exhaust, exhaust_main)

// An arena that is used up ends the run as a defect of ours, and the next is not touched.
static void exhaustion(void **state) {
  struct sim_test t;
  (void)state;
  sim_test_open(&t, &exhaust, NULL);
  for (choice = 0; choice < 4; choice++) {
    sim_test_calm(&t);
    assert_int_equal(t.result.status, SIM_OURS);
    assert_string_equal(t.result.failures[0].oracle, "arena-exhausted");
  }
  sim_test_close(&t);
  choice = 0;
}

// ---- Reset ----

enum { DEEP = 20 * 1024 };
// Fills a frame of 20 KiB; `inside`: lets others run while it is there.
static SIM_NOINLINE u32 deep(bool inside, u8 byte) {
  volatile u8 frame[DEEP];
  for (u32 i = 0; i < DEEP; i++) frame[i] = byte;
  if (inside) sim_yield();
  u32 sum = 0;
  for (u32 i = 0; i < DEEP; i += 1000) sum += frame[i];
  return sum;
}
// What a function finds on the stack below it, in a place that nobody has written in this
// run: sums up 20 KiB. Uninitialised on purpose.
#ifndef __clang__
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"
#endif
static SIM_NOINLINE u32 stale(void) {
  volatile u8 frame[DEEP];
  u32 sum = 0;
  for (u32 i = 0; i < DEEP - 4096; i++) sum = sum * 31 + frame[i];
  return sum;
}
#ifndef __clang__
#pragma GCC diagnostic pop
#endif

static void small(void *arg) {
  struct shared *s = arg;
  s->count++;
  sim_usleep_range(10, 10);
}
// What each kind of run does.
static void reset_main(void *arg) {
  struct shared *s = arg;
  sim_trace_model("stale", stale(), 0);
  void *p = sim_alloc(512, "object");
  u32 sum = 0;
  for (u32 i = 0; i < 512; i++) sum = sum * 31 + ((u8 *)p)[i];
  sim_trace_model("fill", sum, s->count);
  SIM_EXPECT_EQ(s->count, 0);
  memset(p, 0xcc, 512);
  switch (choice) {
    case 0:
      break;
    case 1:
      (void)deep(false, 0xdd);
      break;
    case 2:
      (void)deep(true, 0xee);
      break;
    case 3:  // tasks made in the run, some of which end, others do not
      for (u32 i = 0; i < 20; i++) {
        struct sim_task *task = sim_task_new("small", small, s, i % sim_nr_cpus());
        if (i % 2) sim_task_set_daemon(task);
        if (i % 4 == 0) sim_task_join(task);
      }
      break;
    case 4:
      memset(sim_alloc_static(200000, "large"), 0x77, 200000);
      sim_free(s->from_setup);
      break;
    case 5:
      sim_free(p);
      sim_fail(&sim_test_oracle, "", "fails amid everything");
    case 6:
      sim_local_irq_disable();
      sim_preempt_disable();
      s->count = 99;
      break;
    case 7:
      for (u32 i = 0; i < 300; i++) sim_usleep_range(1000, 1000);
      sim_heal();
      break;
    default:
      for (;;) SIM_POINT("for_ever", s);
  }
  s->count++;
  sim_free(p);
}
enum { KINDS = 9 };
static void reset_setup(void) {
  make_shared();
  sim_task_new("main", reset_main, sh(), 0);
  sim_task_new("small", small, sh(), 1);
}
static const struct sim_scenario reset = {.name = "reset", .setup = reset_setup};

static void run_kind(struct sim_test *t, u32 kind, u64 seed) {
  struct sim_input in = {.backend = SIM_BACKEND_SEED, .seed = seed};
  choice = kind;
  sim_world_run(t->world, &in, &t->result);
}

// Whatever kind of run went before, and however it ended, a run is what it is in a world of
// its own. Stale memory would show in its digest.
static void runs_leave_nothing_behind(void **state) {
  struct sim_test t;
  struct sim_result first[KINDS];
  (void)state;
  for (u32 kind = 0; kind < KINDS; kind++) {
    sim_test_open(&t, &reset, (const char *const[]){"steps_max", "20000", NULL});
    run_kind(&t, kind, 5);
    first[kind] = t.result;
    sim_test_close(&t);
  }
  sim_test_open(&t, &reset, (const char *const[]){"steps_max", "20000", NULL});
  for (u32 before = 0; before < KINDS; before++)
    for (u32 kind = 0; kind < KINDS; kind++)
      for (u32 twice = 0; twice < 2; twice++) {
        run_kind(&t, before, 1 + twice);
        run_kind(&t, kind, 5);
        if (t.result.digest != first[kind].digest || t.result.steps != first[kind].steps ||
            t.result.draws != first[kind].draws || t.result.status != first[kind].status)
          fail_msg("kind %u after kind %u", kind, before);
      }
  sim_test_close(&t);
}

// A run that reads what it never wrote differs with the fill byte: that is how it is found.
static void fill_shows_stale_reads(void **state) {
  struct sim_test t;
  (void)state;
  sim_test_open(&t, &reset, NULL);
  run_kind(&t, 0, 1);
  u64 digest = t.result.digest;
  sim_world_set_fill(t.world, 0xa5);
  run_kind(&t, 0, 1);
  assert_true(t.result.digest != digest);
  sim_world_set_fill(t.world, 0);
  run_kind(&t, 0, 1);
  assert_true(t.result.digest == digest);
  sim_test_close(&t);
}

static void touch_main(void *arg) {
  for (u32 i = 0; i < choice; i++) memset(sim_alloc_static(1000, "touched"), 1, 1000);
  (void)arg;
}
CASE(touch, touch_main)

// What a reset copies grows with what the run before it touched, not with the world.
static void touched_bytes(void **state) {
  struct sim_test t;
  size_t touched[3];
  (void)state;
  sim_test_open(&t, &touch, NULL);
  for (u32 i = 0; i < 3; i++) {
    choice = i * 100;
    sim_test_calm(&t);
    sim_world_reset(t.world);
    touched[i] = sim_world_touched(t.world);
  }
  assert_true(touched[0] < sim_world_memory(t.world) + 20000);
  assert_true(touched[1] >= touched[0] + 100000 && touched[1] < touched[0] + 120000);
  assert_true(touched[2] >= touched[0] + 200000 && touched[2] < touched[0] + 220000);
  sim_test_close(&t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_handed_out),
      cmocka_unit_test(freeing_misuse),
      cmocka_unit_test(leaks),
      cmocka_unit_test(exhaustion),
      cmocka_unit_test(runs_leave_nothing_behind),
      cmocka_unit_test(fill_shows_stale_reads),
      cmocka_unit_test(touched_bytes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
