// SPDX-License-Identifier: GPL-2.0-or-later
//
// A generator and its FIFO over time, and each odd behaviour.
#include "models/hwrng/testing/alone.h"

#include "models/hwrng/hw_fifo.h"

enum { WORD_NS = 1000, WORDS = 5 };

struct state {
  struct hwrng_scene scene;
  struct hw_fifo fifo;
  u64 ahead_ns;  // clock of the CPU that switched the generator on
};

static void prepare(struct state *state) { hw_fifo_init(&state->fifo, 1, WORD_NS, WORDS); }

static struct hw_fifo *at(struct state *state, u64 ns) {
  if (ns) sim_elapse(ns);
  hw_fifo_advance(&state->fifo);
  return &state->fifo;
}

#define CASE(name_)                                                              \
  static void name_##_body(void *arg);                                           \
  ALONE(name_##_alone, struct state, prepare, name_##_body);                     \
  static void name_(void **unused) { alone_passes(&name_##_alone, NULL, NULL); } \
  static void name_##_body(void *arg)

// A word takes its time; production stops when the FIFO is full and begins again with
// the first word that is taken.
CASE(fills_stops_and_refills) {
  struct state *state = arg;
  struct hw_fifo *fifo = at(state, 100);

  SIM_EXPECT_EQ(hw_fifo_due_ns(fifo), UINT64_MAX);
  hw_fifo_start(fifo, 0);
  SIM_EXPECT_EQ(hw_fifo_due_ns(fifo), sim_clock_ns() + WORD_NS);
  SIM_EXPECT_EQ(at(state, WORD_NS - 1)->level, 0);
  SIM_EXPECT_EQ(at(state, 1)->level, 1);
  SIM_EXPECT_EQ(hw_fifo_due_ns(fifo), fifo->now_ns);
  SIM_EXPECT_EQ(at(state, 3 * WORD_NS)->level, 4);
  SIM_EXPECT_EQ(at(state, 100 * WORD_NS)->level, WORDS);

  SIM_EXPECT_EQ(hw_fifo_take(fifo), hw_word_value(0));
  SIM_EXPECT_EQ(at(state, WORD_NS - 1)->level, WORDS - 1);
  SIM_EXPECT_EQ(at(state, 1)->level, WORDS);
  for (u32 i = 0; i < WORDS; i++) SIM_EXPECT_EQ(hw_fifo_take(fifo), hw_word_value(1 + i));
  SIM_EXPECT_EQ(state->scene.world.words.count, 1 + WORDS);
}

// Start-up passes once, is interrupted by stop and goes on where it was.
CASE(startup_passes_once) {
  struct state *state = arg;
  struct hw_fifo *fifo = at(state, 100);

  hw_fifo_start(fifo, 10 * WORD_NS);
  SIM_EXPECT_EQ(hw_fifo_startup_left(at(state, 4 * WORD_NS)), 6 * WORD_NS);
  hw_fifo_stop(fifo);
  SIM_EXPECT_EQ(hw_fifo_startup_left(at(state, 50 * WORD_NS)), 6 * WORD_NS);
  hw_fifo_start(fifo, fifo->startup_ns);
  SIM_EXPECT_EQ(at(state, 7 * WORD_NS - 1)->level, 0);
  SIM_EXPECT_EQ(at(state, 1)->level, 1);
  SIM_EXPECT_EQ(hw_fifo_startup_left(fifo), 0);
  hw_fifo_take(fifo);
  SIM_EXPECT_EQ(at(state, WORD_NS)->level, 1);
}

// Stop drops the words; reset makes everything well.
CASE(stop_drops_words) {
  struct state *state = arg;
  struct hw_fifo *fifo = at(state, 100);

  hw_fifo_start(fifo, 0);
  SIM_EXPECT_EQ(at(state, 3 * WORD_NS)->level, 3);
  hw_fifo_stop(fifo);
  SIM_EXPECT_EQ(at(state, 9 * WORD_NS)->level, 0);
  SIM_EXPECT_EQ(hw_fifo_take(fifo), 0);
  SIM_EXPECT_EQ(state->scene.world.words.count, 0);
  fifo->dead = true;
  fifo->stuck_until_ns = UINT64_MAX;
  hw_fifo_reset(fifo);
  hw_fifo_start(fifo, 0);
  SIM_EXPECT_EQ(at(state, WORD_NS)->level, 1);
}

// DATA of an empty FIFO holds the bus until the word that is being made.
CASE(take_waits_for_a_word_on_its_way) {
  struct state *state = arg;
  struct hw_fifo *fifo = at(state, 100);
  u64 begin_ns = sim_clock_ns();

  hw_fifo_start(fifo, 0);
  SIM_EXPECT_EQ(hw_fifo_take(fifo), hw_word_value(0));
  SIM_EXPECT_EQ(sim_clock_ns(), begin_ns + WORD_NS);
}

// Healing ends a lasting stuck and death; production goes on from the time line's now.
CASE(heal_resumes) {
  struct state *state = arg;
  struct hw_fifo *fifo = at(state, 100);

  hw_fifo_start(fifo, 0);
  fifo->next_ns = UINT64_MAX;
  fifo->stuck_until_ns = UINT64_MAX;
  SIM_EXPECT_EQ(at(state, 9 * WORD_NS)->level, 0);
  hw_fifo_heal(fifo);
  SIM_EXPECT_EQ(at(state, WORD_NS)->level, 1);
  fifo->level = 0;
  fifo->next_ns = UINT64_MAX;
  fifo->dead = true;
  SIM_EXPECT_EQ(at(state, 9 * WORD_NS)->level, 0);
  hw_fifo_heal(fifo);
  SIM_EXPECT_EQ(at(state, WORD_NS)->level, 1);
}

// ---- One time line ----

static void look_ahead(void *arg) {
  struct state *state = arg;

  sim_elapse(3000);  // ahead of the other CPU, within the skew rule
  hw_fifo_start(at(state, 0), 0);
  state->ahead_ns = sim_clock_ns();
}

static void time_line_body(void *arg) {
  struct state *state = arg;

  bool lagged = false;

  // Looks at every step of a CPU whose clock may be behind the one that started it.
  for (u32 i = 0; i < 200; i++) {
    u64 before_ns = state->fifo.now_ns;
    u64 next_ns = state->fifo.next_ns;
    bool was_on = state->fifo.on;

    at(state, 20);
    SIM_EXPECT(state->fifo.now_ns >= before_ns);
    SIM_EXPECT(state->fifo.now_ns >= state->ahead_ns);
    SIM_EXPECT(state->fifo.now_ns >= sim_clock_ns());
    if (was_on && state->fifo.level == 0) SIM_EXPECT_EQ(state->fifo.next_ns, next_ns);
    lagged = sim_clock_ns() < state->ahead_ns;
    if (lagged) break;
  }
  // From an empty FIFO a word comes at its time, not when this CPU's clock says so.
  while (state->fifo.level) hw_fifo_take(&state->fifo);
  SIM_EXPECT(!state->fifo.on || hw_fifo_take(&state->fifo) != 0);
  SIM_SOMETIMES("alone", "a CPU whose clock lags looks", 1, lagged);
}

static void time_line_prepare(struct state *state) {
  prepare(state);
  sim_task_new("ahead", look_ahead, state, 1);
}
ALONE(time_line, struct state, time_line_prepare, time_line_body);

// CPUs whose clocks differ see one time line, which never runs backwards.
static void time_line_never_runs_backwards(void **unused) {
  sim_test_clean(&time_line, NULL, 3000);
  for (u32 i = 0; i < sim_marks_count(); i++)
    if (strcmp(sim_mark_at(i)->scenario, "alone") == 0) assert_true(sim_mark_at(i)->hits > 0);
}

// ---- Odd behaviour ----

static void odd_body(void *arg) {
  struct state *state = arg;
  struct hw_fifo *fifo = at(state, 100);
  u64 begin_ns = fifo->now_ns;
  struct sim_site *site = SIM_SITE_DRAW("odd", SIM_SITE_FAULT, 1, 2);

  hw_fifo_start(fifo, 0);
  // Draws 0 to 3: late by three quarters of 8 words' time.
  SIM_EXPECT(hw_fifo_draw_late(fifo, site, 8 * WORD_NS));
  SIM_EXPECT_EQ(hw_fifo_due_ns(fifo), begin_ns + 7 * WORD_NS);
  SIM_EXPECT_EQ(at(state, 7 * WORD_NS)->level, 1);
  // Stuck for a millisecond: the word that is there can be taken.
  begin_ns = fifo->now_ns;
  SIM_EXPECT(hw_fifo_draw_stuck(fifo, site));
  SIM_EXPECT(hw_fifo_take(fifo) != 0);
  SIM_EXPECT_EQ(hw_fifo_due_ns(fifo), begin_ns + 1000000 + WORD_NS);
  SIM_EXPECT_EQ(at(state, 1000000 + WORD_NS)->level, 1);
  // Stuck until healed.
  SIM_EXPECT(hw_fifo_draw_stuck(fifo, site));
  hw_fifo_take(fifo);
  SIM_EXPECT_EQ(hw_fifo_due_ns(fifo), UINT64_MAX);
  SIM_EXPECT_EQ(hw_fifo_take(fifo), 0);
  SIM_EXPECT_EQ(at(state, 100 * WORD_NS)->level, 0);
  hw_fifo_heal(fifo);
  SIM_EXPECT_EQ(at(state, 2 * WORD_NS)->level, 2);
  // Counts: none, one less, one more, 255, and the truth.
  SIM_EXPECT_EQ(hw_fifo_draw_count(fifo, site), 0);
  SIM_EXPECT_EQ(hw_fifo_draw_count(fifo, site), 1);
  SIM_EXPECT_EQ(hw_fifo_draw_count(fifo, site), 3);
  SIM_EXPECT_EQ(hw_fifo_draw_count(fifo, site), 255);
  SIM_EXPECT_EQ(hw_fifo_draw_count(fifo, site), 2);
  // Dead: nothing is left, nothing comes.
  SIM_EXPECT(hw_fifo_draw_dead(fifo, site));
  SIM_EXPECT_EQ(at(state, 100 * WORD_NS)->level, 0);
  // And calm draws change nothing.
  hw_fifo_heal(fifo);
  SIM_EXPECT(!hw_fifo_draw_late(fifo, site, 8 * WORD_NS));
  SIM_EXPECT(!hw_fifo_draw_stuck(fifo, site));
  SIM_EXPECT(!hw_fifo_draw_dead(fifo, site));
  SIM_EXPECT_EQ(at(state, WORD_NS)->level, 1);
}
ALONE(odd, struct state, prepare, odd_body);

static void odd_behaviour_is_drawn(void **unused) {
  const struct alone_draw draws[] = {
      {"odd", "alone#0", 0, 3}, {"odd", "alone#0", 1, 1}, {"odd", "alone#0", 2, 4},
      {"odd", "alone#0", 3, 1}, {"odd", "alone#0", 4, 2}, {"odd", "alone#0", 5, 3},
      {"odd", "alone#0", 6, 4}, {"odd", "alone#0", 8, 1}, {NULL}};

  alone_passes(&odd, NULL, draws);
}

static void more_body(void *arg) {
  struct state *state = arg;
  struct hw_fifo *fifo = at(state, 100);
  struct sim_site *site = SIM_SITE_DRAW("odd", SIM_SITE_FAULT, 1, 2);

  // Off, or stuck: more than there is cannot be told, since no word would follow.
  for (u32 i = 0; i < 100; i++) SIM_EXPECT_EQ(hw_fifo_draw_count(fifo, site), 0);
  hw_fifo_start(fifo, 0);
  at(state, WORD_NS);
  fifo->stuck_until_ns = UINT64_MAX;
  for (u32 i = 0; i < 100; i++) SIM_EXPECT(hw_fifo_draw_count(fifo, site) <= 1);
}
ALONE(more, struct state, prepare, more_body);

static void more_is_told_only_while_words_are_made(void **unused) {
  sim_test_clean(&more, NULL, 50);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(fills_stops_and_refills),
      cmocka_unit_test(startup_passes_once),
      cmocka_unit_test(stop_drops_words),
      cmocka_unit_test(take_waits_for_a_word_on_its_way),
      cmocka_unit_test(heal_resumes),
      cmocka_unit_test(time_line_never_runs_backwards),
      cmocka_unit_test(odd_behaviour_is_drawn),
      cmocka_unit_test(more_is_told_only_while_words_are_made),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
