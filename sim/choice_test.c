// SPDX-License-Identifier: GPL-2.0-or-later
//
// The draw: what is one, what it returns under each back-end, what is recorded of it. That
// replay is the original is in replay_test.c, that calm inputs agree in order_test.c.
// SEEDBED_NIGHTLY raises the number of random byte strings from 4,000 to 100,000.
#include "sim/testing/runs.h"

#include <stdlib.h>

#include "sim/bytes.h"
#include "sim/cpu.h"
#include "sim/decision.h"
#include "sim/prng.h"
#include "sim/sched.h"
#include "sim/task.h"
#include "sim/testing/scenarios.h"
#include "sim/testing/stress.h"

struct shared {
  u32 n, got[64];
};
static struct shared *sh(void) { return sim_private(); }
static void make_shared(void) {
  sim_set_private(sim_alloc_static(sizeof(struct shared), "shared"));
}
#define CASE(name_, main_)                \
  static void name_##_setup(void) {       \
    make_shared();                        \
    sim_task_new("main", main_, sh(), 0); \
  }                                       \
  static const struct sim_scenario name_ = {.name = #name_, .setup = name_##_setup};

static struct sim_site *site_of(u32 which) {
  switch (which) {
    case 0:
      return SIM_SITE_DRAW("choice-even", SIM_SITE_WORK, 0, 0);
    case 1:
      return SIM_SITE_DRAW("choice-quarter", SIM_SITE_FAULT, 1, 4);
    case 2:
      return SIM_SITE_DRAW("choice-rare", SIM_SITE_TIME, 1, 100);
    case 3:
      return SIM_SITE_DRAW("choice-always", SIM_SITE_FAULT, 1, 1);
    default:
      return SIM_SITE_DRAW("choice-never", SIM_SITE_IRQ, 0, 1);
  }
}

// ---- What is a draw ----

static void counts_main(void *arg) {
  struct sim_state *st = sim_w->st;
  u64 before = st->draws;
  SIM_EXPECT_EQ(sim_choose(sim_w, site_of(3), 1), 0);  // no alternative: none
  SIM_EXPECT_EQ(st->draws, before);
  SIM_EXPECT(sim_choose(sim_w, site_of(3), 2) <= 1);
  SIM_EXPECT_EQ(st->draws, before + 1);
  SIM_EXPECT(sim_choose(sim_w, site_of(0), SIM_CHOICE_MAX) < SIM_CHOICE_MAX);
  SIM_EXPECT_EQ(st->draws, before + 2);
  for (u32 i = 0; i < 200; i++) {
    u64 v = sim_choose_range(sim_w, site_of(0), 1000, 1003);
    SIM_EXPECT(v >= 1000 && v <= 1003);
  }
  SIM_EXPECT_EQ(st->draws, before + 202);
  SIM_EXPECT_EQ(sim_choose_range(sim_w, site_of(0), 77, 77), 77);
  SIM_EXPECT_EQ(sim_choose_range(sim_w, site_of(0), UINT64_MAX, UINT64_MAX), UINT64_MAX);
  SIM_EXPECT_EQ(st->draws, before + 202);
  SIM_EXPECT(sim_choose_range(sim_w, site_of(0), 5, 4 + SIM_CHOICE_MAX) <= 4 + SIM_CHOICE_MAX);
  (void)arg;
}
static void counts_setup(void) {
  make_shared();
  for (u32 i = 0; i < 20; i++) SIM_EXPECT_EQ(sim_choose(sim_w, site_of(3), 10), 0);
  sim_task_new("main", counts_main, sh(), 0);
}
static const struct sim_scenario counts = {.name = "counts", .setup = counts_setup};

// One alternative is no draw; in set-up everything is 0.
static void what_is_a_draw(void **state) {
  (void)state;
  sim_test_clean(&counts, NULL, 50);
}

// ---- The seed back-end ----

static u32 histogram[5][64];
static u32 rounds;
static u32 extra;  // draws at another site in between
static void rates_main(void *arg) {
  for (u32 i = 0; i < rounds; i++) {
    histogram[0][sim_choose(sim_w, site_of(0), 10)]++;
    histogram[1][sim_choose(sim_w, site_of(1), 5)]++;
    histogram[2][sim_choose(sim_w, site_of(2), 2)]++;
    histogram[3][sim_choose(sim_w, site_of(3), 4)]++;
    histogram[4][sim_choose(sim_w, site_of(4), 4)]++;
  }
  (void)arg;
}
CASE(rates, rates_main)

static void strategy_run(struct sim_test *t, u32 strategy, u64 seed) {
  struct sim_input in = {.backend = SIM_BACKEND_SEED, .seed = seed, .strategy = strategy};
  sim_world_run(t->world, &in, &t->result);
  sim_test_show(t, "seed", seed);
  assert_int_equal(t->result.status, SIM_OK);
}
static void about(u32 count, u32 expected) {
  // Seven times the root of what is expected: less than one in 10^11 by chance.
  u32 slack = 1;
  while (slack * slack < 49 * expected) slack++;
  assert_in_range(count, expected - slack, expected + slack);
}

// A value that is not calm has the chance of the site's rate, and each of them the same;
// without a rate all values have.
static void rates_hold(void **state) {
  struct sim_test t;
  (void)state;
  sim_test_open(&t, &rates, (const char *const[]){"steps_max", "1000000", NULL});
  memset(histogram, 0, sizeof(histogram));
  rounds = 2000;
  for (u64 seed = 0; seed < 20; seed++) strategy_run(&t, SIM_STRATEGY_RANDOM, seed);
  for (u32 v = 0; v < 10; v++) about(histogram[0][v], 4000);
  about(histogram[1][0], 30000);
  for (u32 v = 1; v < 5; v++) about(histogram[1][v], 2500);
  about(histogram[2][1], 400);
  for (u32 v = 1; v < 4; v++) about(histogram[3][v], 13333);
  assert_int_equal(histogram[3][0], 0);
  assert_int_equal(histogram[4][0], 40000);
  sim_test_close(&t);
}

// Swarm: under the portfolio some classes are off in some runs; work never is.
static void swarm_switches_classes_off(void **state) {
  struct sim_test t;
  u32 off = 0, on = 0;
  (void)state;
  sim_test_open(&t, &rates, (const char *const[]){"steps_max", "1000000", NULL});
  rounds = 50;
  for (u64 seed = 0; seed < 200; seed++) {
    memset(histogram, 0, sizeof(histogram));
    strategy_run(&t, SIM_STRATEGY_PORTFOLIO, seed);
    if (histogram[3][0] == 50)
      off++;
    else
      on++;
    assert_true(histogram[3][0] == 0 || histogram[3][0] == 50);
    assert_true(histogram[0][0] < 50);
  }
  assert_true(off > 40 && on > 60);
  sim_test_close(&t);
}

static void streams_main(void *arg) {
  struct shared *s = arg;
  for (u32 i = 0; i < 64; i++) {
    for (u32 j = 0; j < extra; j++) (void)sim_choose(sim_w, site_of(3), 3 + i);
    s->got[i] = sim_choose(sim_w, site_of(0), 1000);
  }
  s->n = 64;
}
static u32 kept[64];
static void streams_check(void) { memcpy(kept, sh()->got, sizeof(kept)); }
static void streams_setup(void) {
  make_shared();
  sim_task_new("main", streams_main, sh(), 0);
}
static const struct sim_scenario streams = {
    .name = "streams", .setup = streams_setup, .check = streams_check};

// Each class has a stream of its own: draws of one do not move those of another. Other
// seeds give other values, the same seed the same.
static void classes_do_not_move_each_other(void **state) {
  struct sim_test t;
  u32 first[64];
  (void)state;
  sim_test_open(&t, &streams, NULL);
  for (u64 seed = 0; seed < 20; seed++) {
    u32 same = 0;
    extra = 0;
    strategy_run(&t, SIM_STRATEGY_RANDOM, seed);
    if (seed)
      for (u32 i = 0; i < 64; i++) same += kept[i] == first[i];
    assert_true(same < 8);
    memcpy(first, kept, sizeof(first));
    for (extra = 0; extra < 4; extra++) {
      strategy_run(&t, SIM_STRATEGY_RANDOM, seed);
      assert_memory_equal(first, kept, sizeof(first));
    }
  }
  sim_test_close(&t);
}

// ---- The bytes back-end ----

static u32 sizes[64], num_sizes;
static void bytes_main(void *arg) {
  struct shared *s = arg;
  for (u32 i = 0; i < num_sizes; i++) s->got[i] = sim_choose(sim_w, site_of(0), sizes[i]);
}
CASE(bytes, bytes_main)
static const u32 *bytes_got(struct sim_test *t, const u8 *text, size_t len) {
  struct sim_input in = {.backend = SIM_BACKEND_BYTES, .bytes = text, .len = len};
  sim_world_run(t->world, &in, &t->result);
  assert_int_equal(t->result.status, SIM_OK);
  return ((struct shared *)t->world->st->private_)->got;
}

// The class of a case's site, in an entry.
static u8 class_of_case(void) { return sim_bytes_class(site_of(0)); }

enum { TURNING = 8 };

static void got_with_turns(struct sim_test *t, struct sim_input in, u32 out[TURNING]) {
  in.backend = SIM_BACKEND_BYTES;
  in.strategy = SIM_STRATEGY_RANDOM;
  num_sizes = TURNING;
  for (u32 i = 0; i < TURNING; i++) sizes[i] = 65536;
  sim_world_run(t->world, &in, &t->result);
  assert_int_equal(t->result.status, SIM_OK);
  memcpy(out, ((struct shared *)t->world->st->private_)->got, TURNING * sizeof(*out));
}

// Before a turn the run is as without it, after it as another seed's from that one's beginning.
static void turns_go_on_as_another_seed(void **state) {
  struct sim_test t;
  u32 one[TURNING], two[TURNING], three[TURNING], got[TURNING];

  (void)state;
  sim_test_open(&t, &bytes, (const char *const[]){"num_cpus", "1", NULL});
  got_with_turns(&t, (struct sim_input){.based = true, .seed = 1}, one);
  got_with_turns(&t, (struct sim_input){.based = true, .seed = 2}, two);
  got_with_turns(&t, (struct sim_input){.based = true, .seed = 3}, three);
  assert_memory_not_equal(one, two, sizeof(one));
  got_with_turns(
      &t, (struct sim_input){.based = true, .seed = 1, .num_turns = 2, .turns = {{3, 2}, {2, 3}}},
      got);
  assert_memory_equal(got, one, 3 * sizeof(*got));
  assert_memory_equal(got + 3, two, 2 * sizeof(*got));
  assert_memory_equal(got + 5, three, 3 * sizeof(*got));
  // At the first draw; two at one place; and behind the last.
  got_with_turns(
      &t, (struct sim_input){.based = true, .seed = 1, .num_turns = 2, .turns = {{0, 3}, {0, 2}}},
      got);
  assert_memory_equal(got, two, sizeof(got));
  got_with_turns(
      &t, (struct sim_input){.based = true, .seed = 1, .num_turns = 1, .turns = {{TURNING, 2}}},
      got);
  assert_memory_equal(got, one, sizeof(got));
  // A run that is not based has none; nor has the run after one that had.
  got_with_turns(&t, (struct sim_input){.num_turns = 1, .turns = {{0, 2}}}, got);
  for (u32 i = 0; i < TURNING; i++) assert_int_equal(got[i], 0);
  got_with_turns(&t, (struct sim_input){.based = true, .seed = 1}, got);
  assert_memory_equal(got, one, sizeof(got));
  sim_test_close(&t);
}

// Entries: so many calm draws at the class, then one of 1 + value modulo n - 1. When they are used
// up, calm; what is no whole entry counts for nothing.
static void bytes_are_entries(void **state) {
  struct sim_test t;
  (void)state;
  sim_test_open(&t, &bytes, (const char *const[]){"num_cpus", "1", NULL});
  const u8 c = class_of_case(), other = (u8)(c + 1);
  const struct {
    u8 text[12];
    u32 len;
    u32 n[8];
    u32 got[8];
  } row[] = {
      /* 1 */ {{0}, 0, {10, 10, 10}, {0, 0, 0}},
      /* 2 */ {{c, 0, 2, 0, c, 0, 12, 0}, 8, {10, 10, 10, 10}, {3, 4, 0, 0}},
      /* 3 */ {{c, 2, 6, 0, c, 1, 8, 0}, 8, {10, 10, 10, 10, 10, 10}, {0, 0, 7, 0, 9, 0}},
      /* 4 */ {{c, 0, 4}, 3, {10, 10}, {0, 0}},
      /* 5 */ {{c, 0, 0, 0, c}, 5, {10, 10, 10}, {1, 0, 0}},
      /* 6 */ {{c, 0, 0xfe, 0, c, 0, 0x33, 0x12}, 8, {256, 65536}, {255, 0x1234}},
      /* 7 */ {{other, 0, 4, 0, c, 1, 5, 0}, 8, {10, 10, 10}, {0, 6, 0}},
      /* 8 */ {{c, 0, 0xff, 0xff}, 4, {2, 2}, {1, 0}},
  };
  for (u32 i = 0; i < SIM_ARRAY_SIZE(row); i++) {
    num_sizes = 8;
    for (u32 j = 0; j < 8; j++) sizes[j] = row[i].n[j] ? row[i].n[j] : 2;
    const u32 *got = bytes_got(&t, row[i].text, row[i].len);
    for (u32 j = 0; j < 8; j++)
      if (got[j] != row[i].got[j]) fail_msg("row %u: draw %u is %u", i + 1, j, got[j]);
  }
  sim_test_close(&t);
}

static void long_gap_main(void *arg) {
  struct shared *s = arg;
  for (u32 i = 0; i < 600; i++) {
    u32 v = sim_choose(sim_w, site_of(0), 100);
    if (v) s->got[s->n++] = i * 1000 + v;
  }
}
CASE(long_gap, long_gap_main)
static void bytes_long_gaps(void **state) {
  struct sim_test t;
  (void)state;
  sim_test_open(&t, &long_gap, (const char *const[]){"num_cpus", "1", NULL});
  const u8 c = class_of_case();
  const u8 text[] = {c, 255, 9, 9, c, 3, 6, 0, c, 254, 7, 0, c, 255, 0, 0, c, 0, 8, 0};
  (void)bytes_got(&t, text, sizeof(text));
  const struct shared *s = t.world->st->private_;
  assert_int_equal(s->n, 2);
  assert_int_equal(s->got[0], (255 + 3) * 1000 + 7);
  assert_int_equal(s->got[1], (255 + 3 + 1 + 254) * 1000 + 8);
  const u8 next[] = {c, 255, 0, 0, c, 255, 0, 0, c, 0, 8, 0};
  (void)bytes_got(&t, next, sizeof(next));
  s = t.world->st->private_;
  assert_int_equal(s->n, 1);
  assert_int_equal(s->got[0], 510 * 1000 + 9);
  // And back: gaps of 254, 255 and 256 too.
  for (u32 gap = 253; gap < 258; gap++) {
    const u8 whole[] = {c, (u8)(gap < 255 ? gap : 255),     3, 0,
                        c, (u8)(gap < 255 ? 0 : gap - 255), 4, 0};
    struct sim_decisions list = {0};
    u8 out[16];
    (void)bytes_got(&t, whole, sizeof(whole));
    u64 digest = t.result.digest;
    sim_decisions_from_world(&list, t.world);
    size_t len = sim_bytes_from_decisions(t.world, &list, out, sizeof(out));
    assert_true(len <= sizeof(out));
    (void)bytes_got(&t, out, len);
    assert_true(t.result.digest == digest);
    sim_decisions_free(&list);
  }
  sim_test_close(&t);
}

static void random_bytes(struct sim_stream *rng, u8 *text, u32 len) {
  // Classes that there are and small gaps, or few entries would be used.
  u32 style = sim_stream_below(rng, 3);
  for (u32 i = 0; i < len; i++) {
    u64 v = sim_stream_u64(rng);
    text[i] = (u8)(style == 0 || i % 4 > 1 ? v : i % 4 == 1 ? v % 6 : v);
    if (style && i % 4 == 0)
      text[i] = sim_bytes_class(sim_site_at(sim_stream_below(rng, sim_sites_count())));
  }
}
static void any_bytes(const struct sim_scenario *scenario, struct sim_world *w, u32 strings,
                      u64 seed) {
  static struct sim_result r, again;
  struct sim_decisions list = {0};
  struct sim_stream rng;
  sim_stream_seed(&rng, seed);
  for (u32 i = 0; i < strings; i++) {
    u8 text[600];
    u32 len = sim_stream_below(&rng, i % 8 ? 64 : sizeof(text));
    random_bytes(&rng, text, len);
    struct sim_input in = {.backend = SIM_BACKEND_BYTES, .bytes = text, .len = len};
    sim_world_run(w, &in, &r);
    if (r.num_failures) fail_msg("%s, string %u: %s", scenario->name, i, r.failures[0].text);
    sim_decisions_from_world(&list, w);
    in = (struct sim_input){.backend = SIM_BACKEND_LIST, .list = &list};
    sim_world_run(w, &in, &again);
    if (again.digest != r.digest || again.draws != r.draws || sim_world_unmatched(w, NULL, 0))
      fail_msg("%s, string %u is not its list", scenario->name, i);
    // And the list is bytes again, which make the same run.
    static u8 out[SIM_BYTES_ENTRY_LEN * SIM_BYTES_ENTRIES_MAX];
    size_t out_len = sim_bytes_from_decisions(w, &list, out, sizeof(out));
    assert_true(out_len <= sizeof(out));
    in = (struct sim_input){.backend = SIM_BACKEND_BYTES, .bytes = out, .len = out_len};
    sim_world_run(w, &in, &again);
    if (again.digest != r.digest || again.draws != r.draws)
      fail_msg("%s, string %u is not the bytes of its list", scenario->name, i);
  }
  sim_decisions_free(&list);
}

// Every byte string is a run, and that run is its list's.
static void every_byte_string_is_a_run(void **state) {
  struct sim_test t;
  u32 strings = getenv("SEEDBED_NIGHTLY") ? 100000 : 4000;
  (void)state;
  sim_test_open(&t, &testing_mixture, NULL);
  any_bytes(&testing_mixture, t.world, strings / 2, 1);
  sim_test_close(&t);
  for (u64 machine = 0; machine < 20; machine++) {
    struct sim_params *p = sim_params_new(&testing_stress);
    struct sim_world *w = sim_world_new();
    testing_stress_draw(p, machine);
    assert_int_equal(sim_world_setup(w, &testing_stress, p, NULL), SIM_OK);
    any_bytes(&testing_stress, w, strings / 40, machine);
    sim_params_free(p);
    sim_world_free(w);
  }
}

// ---- The list back-end ----

static void listed_main(void *arg) {
  struct shared *s = arg;
  for (u32 i = 0; i < 8; i++) s->got[i] = sim_choose(sim_w, site_of(i % 2), 5);
}
CASE(listed, listed_main)

// A decision is found by site, actor and how often the site was met; a value that is no
// alternative is calm and counts as not found.
static void list_by_label_and_count(void **state) {
  struct sim_test t;
  static struct sim_decision item[] = {
      {.site = "choice-quarter", .actor = "main#0", .k = 2, .value = 4},
      {.site = "choice-even", .actor = "main#0", .k = 0, .value = 3},
      {.site = "choice-even", .actor = "main#0", .k = 1, .value = 5},  // of 0..4
      {.site = "choice-even", .actor = "main#1", .k = 2, .value = 1},
      {.site = "choice-even", .actor = "main#0", .k = 3, .target = "main#0"},
  };
  static const u32 want[8] = {3, 0, 0, 0, 0, 4, 0, 0};
  struct sim_decisions list = {item, SIM_ARRAY_SIZE(item), SIM_ARRAY_SIZE(item)};
  struct sim_input in = {.backend = SIM_BACKEND_LIST, .list = &list};
  u32 index[8];
  (void)state;
  sim_test_open(&t, &listed, (const char *const[]){"num_cpus", "1", NULL});
  sim_world_run(t.world, &in, &t.result);
  const struct shared *s = t.world->st->private_;
  assert_memory_equal(s->got, want, sizeof(want));
  assert_int_equal(sim_world_unmatched(t.world, index, 8), 3);
  assert_int_equal(index[0], 2);
  assert_int_equal(index[1], 3);
  assert_int_equal(index[2], 4);
  assert_int_equal(t.result.draws, 8);
  sim_test_close(&t);
}

// ---- The record ----

static struct { u32 k[2], value[2][64], n[2]; } told;
static void record_main(void *arg) {
  memset(&told, 0, sizeof(told));
  for (u32 i = 0; i < 60; i++) {
    u32 which = i % 2;
    // Met without a choice: counted, not recorded.
    u32 n = i % 5 == 4 ? 1 : 6;
    u32 v = sim_choose(sim_w, site_of(which), n);
    u32 k = told.k[which]++;
    told.value[which][k] = v;
  }
  (void)arg;
}
CASE(recorded, record_main)

// What is recorded: each draw that is not calm, once, in order, with its site, actor and
// count; nothing else.
static void record_of_draws(void **state) {
  struct sim_test t;
  (void)state;
  sim_test_open(&t, &recorded, (const char *const[]){"num_cpus", "1", NULL});
  for (u64 seed = 0; seed < 50; seed++) {
    strategy_run(&t, SIM_STRATEGY_RANDOM, seed);
    u32 n, found = 0, want = 0;
    const struct sim_draw *d = sim_world_draws(t.world, &n);
    for (u32 i = 0; i < n; i++) {
      for (u32 which = 0; which < 2; which++) {
        if (d[i].site != site_of(which)->canon) continue;
        assert_string_equal(sim_world_actor_label(t.world, d[i].actor), "main#0");
        assert_true(d[i].value != 0);
        assert_int_equal(told.value[which][d[i].k], d[i].value);
        found++;
      }
    }
    for (u32 which = 0; which < 2; which++)
      for (u32 k = 0; k < told.k[which]; k++) want += told.value[which][k] != 0;
    assert_int_equal(found, want);
    assert_int_equal(t.result.draws, 48);
  }
  sim_test_close(&t);
}

static void overflow_main(void *arg) {
  for (u32 i = 0; i < SIM_RECORD_MAX + 1000; i++) (void)sim_choose(sim_w, site_of(3), 2);
  (void)arg;
}
CASE(overflow, overflow_main)

// More decisions than the record holds: the run says so, and is none the worse.
static void record_overflow(void **state) {
  struct sim_test t;
  (void)state;
  sim_test_open(&t, &overflow, NULL);
  strategy_run(&t, SIM_STRATEGY_CALM, 1);
  u64 digest = t.result.digest;
  u32 n;
  assert_true(t.result.draws_overflow);
  assert_int_equal(t.result.draws, SIM_RECORD_MAX + 1000);
  (void)sim_world_draws(t.world, &n);
  assert_int_equal(n, SIM_RECORD_MAX);
  strategy_run(&t, SIM_STRATEGY_CALM, 1);
  assert_true(t.result.digest == digest);
  sim_test_calm(&t);
  assert_false(t.result.draws_overflow);
  sim_test_close(&t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_a_draw),
      cmocka_unit_test(rates_hold),
      cmocka_unit_test(swarm_switches_classes_off),
      cmocka_unit_test(classes_do_not_move_each_other),
      cmocka_unit_test(bytes_are_entries),
      cmocka_unit_test(turns_go_on_as_another_seed),
      cmocka_unit_test(bytes_long_gaps),
      cmocka_unit_test(every_byte_string_is_a_run),
      cmocka_unit_test(list_by_label_and_count),
      cmocka_unit_test(record_of_draws),
      cmocka_unit_test(record_overflow),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
