// SPDX-License-Identifier: GPL-2.0-or-later
//
// The text trace: each column and each kind of event, to the letter.
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/choice.h"
#include "sim/trace.h"
#include "sim/world.h"

static struct sim_site point SIM_SITE_SECTION = {.prim = "mutex_lock", .func = "read_one"};
static struct sim_site draw SIM_SITE_SECTION = {.prim = "stuck", .kind = SIM_SITE_FAULT};

// The unit asks the running world for its actors' labels only.
struct sim_world *sim_w;
const char *sim_world_actor_label(const struct sim_world *w, u32 actor) {
  return actor == 3 ? "reader#0" : actor == SIM_ACTOR_CPU0 + 1 ? "cpu1" : "";
}

struct row {
  struct sim_event event;
  const char *line;
};

#define AT(kind_, a_, b_)                                                              \
  .step = 12, .clock_ns = 1004000350, .cpu = 1, .actor = 3, .actor_label = "reader#0", \
  .context = "task", .kind = SIM_EVENT_##kind_, .a = (a_), .b = (b_)

static const struct row rows[] = {
    {{AT(STEP, 7, 0), .site = &point},
     "      12     1.004000350 1 task    reader#0         step     "
     "read_one:mutex_lock              7 0"},
    {{AT(SWITCH, SIM_ACTOR_CPU0 + 1, 1)},
     "      12     1.004000350 1 task    reader#0         switch   "
     "-                                cpu1 1"},
    {{AT(DRAW, 3, 4), .site = &point},
     "      12     1.004000350 1 task    reader#0         draw     "
     "read_one:mutex_lock              reader#0 4"},
    {{AT(DRAW, 3, 4), .site = &draw},
     "      12     1.004000350 1 task    reader#0         draw     "
     "stuck                            3 4"},
    {{AT(TASK, 3, 0x1234)},
     "      12     1.004000350 1 task    reader#0         task     "
     "-                                reader#0 0x0000000000001234"},
    {{AT(TASK, 3, 0)},
     "      12     1.004000350 1 task    reader#0         task     "
     "-                                reader#0 0"},
    {{AT(SLEEP, 1, 3), .site = &point},
     "      12     1.004000350 1 task    reader#0         sleep    "
     "read_one:mutex_lock              interruptible reader#0"},
    {{AT(WAKE, 3, 1)},
     "      12     1.004000350 1 task    reader#0         wake     "
     "-                                reader#0 1"},
    {{AT(WAKE, 77, 1)},  // no label: the number
     "      12     1.004000350 1 task    reader#0         wake     "
     "-                                77 1"},
    {{AT(NOTE, 0xabc, 0), .text = "5 words left"},
     "      12     1.004000350 1 task    reader#0         note     "
     "-                                0x0000000000000abc 0 5 words left"},
    {{AT(FAIL, 0xabc, 10), .text = "it broke"},
     "      12     1.004000350 1 task    reader#0         fail     "
     "-                                0x0000000000000abc 10 it broke"},
    {{AT(MODEL, UINT64_MAX, 2), .site = &draw},
     "      12     1.004000350 1 task    reader#0         model    "
     "stuck                            18446744073709551615 2"},
    {{.step = 123456789,
      .clock_ns = 123456789000000001,
      .kind = SIM_EVENT_IRQ_ENTER,
      .a = 32,
      .b = 0,
      .cpu = 0,
      .actor = SIM_ACTOR_CPU0,
      .actor_label = "cpu0",
      .context = "hardirq"},
     "123456789 123456789.000000001 0 hardirq cpu0             irq      "
     "-                                32 0"},
};

// Every row's line, with a world's labels.
static void lines(void **state) {
  static char world;
  sim_w = (struct sim_world *)(void *)&world;
  for (u32 i = 0; i < SIM_ARRAY_SIZE(rows); i++) {
    char line[400];
    sim_trace_line(&rows[i].event, line, sizeof(line));
    assert_string_equal(line, rows[i].line);
  }
  sim_w = NULL;
}

// Without a world an actor is its number; a line is cut to its buffer.
static void no_world_and_short_buffers(void **state) {
  char line[400];
  sim_trace_line(&rows[2].event, line, sizeof(line));
  assert_non_null(strstr(line, " 3 4"));
  for (size_t len = 1; len < 60; len++) {
    memset(line, '#', sizeof(line));
    sim_trace_line(&rows[0].event, line, len);
    assert_int_equal(strlen(line), len - 1);
    assert_int_equal(line[len], '#');
  }
}

// Each kind has a name of its own.
static void names_differ(void **state) {
  for (u32 i = 0; i < SIM_EVENT_COUNT; i++)
    for (u32 j = 0; j < i; j++) assert_string_not_equal(sim_event_name(i), sim_event_name(j));
  assert_string_equal(sim_event_name(SIM_EVENT_IRQ_EXIT), "irq-end");
}

// One line an event, up to the bound; control bytes of a note do not break a line.
static void writer(void **state) {
  char *text = NULL;
  size_t len = 0;
  FILE *out = open_memstream(&text, &len);
  struct sim_trace_text t;
  struct sim_event note = {AT(NOTE, 1, 0), .text = "a\nb\tc"};
  sim_trace_text_init(&t, out, 3);
  for (u32 i = 0; i < 5; i++) t.sink.event(&t.sink, &note);
  fflush(out);
  u32 newlines = 0;
  for (size_t i = 0; i < len; i++) newlines += text[i] == '\n';
  assert_int_equal(newlines, 3);
  assert_int_equal(t.lines, 3);
  assert_non_null(strstr(text, " 0 a b c\n"));
  sim_trace_text_init(&t, out, 0);
  for (u32 i = 0; i < 500; i++) t.sink.event(&t.sink, &note);
  assert_int_equal(t.lines, 500);
  fclose(out);
  free(text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(lines),
      cmocka_unit_test(no_world_and_short_buffers),
      cmocka_unit_test(names_differ),
      cmocka_unit_test(writer),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
