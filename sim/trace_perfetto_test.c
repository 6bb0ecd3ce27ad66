// SPDX-License-Identifier: GPL-2.0-or-later
//
// The Perfetto trace: what is written is read by a JSON parser, has the members that the
// trace-event format asks for, and says who ran when.
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/choice.h"
#include "sim/cpu.h"
#include "sim/prng.h"
#include "sim/trace.h"

static struct sim_site point SIM_SITE_SECTION = {.prim = "mutex_lock", .func = "read_one"};

struct recording {
  struct sim_trace_perfetto *perfetto;
  FILE *out;
  char *text;
  size_t len;
};

static void record(struct recording *r) {
  r->text = NULL;
  r->out = open_memstream(&r->text, &r->len);
  r->perfetto = sim_trace_perfetto_new(r->out);
}

static cJSON *finish(struct recording *r) {
  sim_trace_perfetto_finish(r->perfetto);
  fclose(r->out);
  const char *end = NULL;
  cJSON *root = cJSON_ParseWithLengthOpts(r->text, r->len, &end, false);
  if (!root) fail_msg("no JSON near '%.60s'", cJSON_GetErrorPtr());
  assert_string_equal(end, "\n");
  return root;
}

// Checks what the trace-event format asks of every event.
static void expect_valid(const cJSON *root) {
  const cJSON *events = cJSON_GetObjectItemCaseSensitive(root, "traceEvents");
  const cJSON *e;
  assert_true(cJSON_IsArray(events));
  cJSON_ArrayForEach(e, events) {
    const char *ph = cJSON_GetStringValue(cJSON_GetObjectItem(e, "ph"));
    assert_non_null(ph);
    assert_non_null(cJSON_GetStringValue(cJSON_GetObjectItem(e, "name")));
    assert_true(cJSON_IsNumber(cJSON_GetObjectItem(e, "pid")));
    assert_true(cJSON_IsNumber(cJSON_GetObjectItem(e, "tid")));
    const cJSON *ts = cJSON_GetObjectItem(e, "ts"), *dur = cJSON_GetObjectItem(e, "dur");
    switch (ph[0]) {
      case 'M':
        assert_true(cJSON_IsString(cJSON_GetObjectItem(cJSON_GetObjectItem(e, "args"), "name")));
        break;
      case 'X':
        assert_true(cJSON_IsNumber(ts) && ts->valuedouble >= 0);
        assert_true(cJSON_IsNumber(dur) && dur->valuedouble >= 0);
        break;
      case 'i':
        assert_true(cJSON_IsNumber(ts) && ts->valuedouble >= 0);
        assert_non_null(cJSON_GetStringValue(cJSON_GetObjectItem(e, "s")));
        break;
      default:
        fail_msg("phase '%s'", ph);
    }
  }
}

// The events of a phase, process and track, as "name@start+duration" (ns) after each other.
static void track(const cJSON *root, const char *ph, int pid, int tid, char *out, size_t len) {
  const cJSON *e;
  size_t at = 0;
  out[0] = 0;
  cJSON_ArrayForEach(e, cJSON_GetObjectItem(root, "traceEvents")) {
    if (strcmp(cJSON_GetObjectItem(e, "ph")->valuestring, ph) != 0) continue;
    if (cJSON_GetObjectItem(e, "pid")->valueint != pid) continue;
    if (cJSON_GetObjectItem(e, "tid")->valueint != tid) continue;
    const cJSON *ts = cJSON_GetObjectItem(e, "ts"), *dur = cJSON_GetObjectItem(e, "dur");
    long start = ts ? (long)(ts->valuedouble * 1000 + 0.5) : 0;
    long length = dur ? (long)(dur->valuedouble * 1000 + 0.5) : 0;
    at += (size_t)snprintf(out + at, len - at, "%s@%ld+%ld ",
                           cJSON_GetObjectItem(e, "name")->valuestring, start, length);
    assert_true(at < len);
  }
}

static void emit(struct recording *r, enum sim_event_kind kind, u32 cpu, u32 actor,
                 const char *label, u64 ns, u64 a, u64 b) {
  struct sim_event e = {.step = 1,
                        .clock_ns = ns,
                        .a = a,
                        .b = b,
                        .kind = kind,
                        .cpu = (u8)cpu,
                        .actor = (u16)actor,
                        .actor_label = label,
                        .context = actor < SIM_ACTOR_CPU0 ? "task" : "hardirq",
                        .site = kind == SIM_EVENT_STEP ? &point : NULL,
                        .text = kind == SIM_EVENT_NOTE ? "quote \" back \\ tab \t \xc3\xa4" : NULL};
  struct sim_trace_sink *sink = sim_trace_perfetto_sink(r->perfetto);
  sink->event(sink, &e);
}

// A trace of nothing is a trace.
static void empty(void **state) {
  struct recording r;
  record(&r);
  cJSON *root = finish(&r);
  expect_valid(root);
  assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(root, "traceEvents")), 2);
  cJSON_Delete(root);
  free(r.text);
}

// Two tasks on a CPU, one on another, an interrupt inside: slices say who ran when, to the
// nanosecond, on both kinds of track.
static void slices(void **state) {
  struct recording r;
  char text[600];
  record(&r);
  emit(&r, SIM_EVENT_STEP, 0, 0, "a#0", 1000000001, 0, 0);
  emit(&r, SIM_EVENT_STEP, 1, 2, "c#0", 1000000005, 0, 0);
  emit(&r, SIM_EVENT_IRQ_ENTER, 0, SIM_ACTOR_CPU0, "cpu0", 1000000100, 3, 0);
  emit(&r, SIM_EVENT_IRQ_ENTER, 0, SIM_ACTOR_CPU0, "cpu0", 1000000120, SIM_IRQS_MAX, 0);
  emit(&r, SIM_EVENT_IRQ_EXIT, 0, SIM_ACTOR_CPU0, "cpu0", 1000000150, SIM_IRQS_MAX, 0);
  emit(&r, SIM_EVENT_IRQ_EXIT, 0, SIM_ACTOR_CPU0, "cpu0", 1000000200, 3, 0);
  emit(&r, SIM_EVENT_SWITCH, 0, 1, "b#0", 1000001700, 1, 0);
  emit(&r, SIM_EVENT_STEP, 0, 1, "b#0", 1000001750, 0, 0);
  emit(&r, SIM_EVENT_SLEEP, 0, 1, "b#0", 1000002000, 1, 1);
  emit(&r, SIM_EVENT_STEP, 0, 0, "a#0", 1000003000, 0, 0);
  emit(&r, SIM_EVENT_TASK, 0, 0, "a#0", 1000003003, 0, 0);
  emit(&r, SIM_EVENT_STEP, 1, 2, "c#0", 1000009999, 0, 0);
  cJSON *root = finish(&r);
  expect_valid(root);
  track(root, "X", 1, 0, text, sizeof(text));
  assert_string_equal(text,
                      "timer irq@1000000120+30 irq 3@1000000100+100 "
                      "a#0@1000000001+1699 b#0@1000001700+300 a#0@1000003000+3 ");
  track(root, "X", 1, 1, text, sizeof(text));
  assert_string_equal(text, "c#0@1000000005+9994 ");
  track(root, "X", 2, 0, text, sizeof(text));
  assert_string_equal(text, "cpu0@1000000001+1699 cpu0@1000003000+3 ");
  track(root, "X", 2, 1, text, sizeof(text));
  assert_string_equal(text, "cpu0@1000001700+300 ");
  track(root, "i", 2, 1, text, sizeof(text));
  assert_string_equal(text, "step@1000001750+0 sleep@1000002000+0 ");
  track(root, "M", 2, 1, text, sizeof(text));
  assert_string_equal(text, "thread_name@0+0 ");
  cJSON_Delete(root);
  free(r.text);
}

// Texts and large numbers survive; an instant of an idle CPU is on the CPU's track.
static void strings_and_numbers(void **state) {
  struct recording r;
  char text[200];
  record(&r);
  emit(&r, SIM_EVENT_NOTE, 1, SIM_ACTOR_CPU0 + 1, "cpu1", 123, UINT64_MAX, 1ull << 53);
  cJSON *root = finish(&r);
  expect_valid(root);
  track(root, "i", 1, 1, text, sizeof(text));
  assert_string_equal(text, "note@123+0 ");
  const cJSON *events = cJSON_GetObjectItem(root, "traceEvents");
  const cJSON *args =
      cJSON_GetObjectItem(cJSON_GetArrayItem(events, cJSON_GetArraySize(events) - 1), "args");
  // A byte above ASCII comes back as the character of that number.
  assert_string_equal(cJSON_GetObjectItem(args, "text")->valuestring,
                      "quote \" back \\ tab \t \xc3\x83\xc2\xa4");
  assert_string_equal(cJSON_GetObjectItem(args, "a")->valuestring, "0xffffffffffffffff");
  assert_string_equal(cJSON_GetObjectItem(args, "b")->valuestring, "0x20000000000000");
  assert_string_equal(cJSON_GetObjectItem(args, "context")->valuestring, "hardirq");
  cJSON_Delete(root);
  free(r.text);
}

// Whatever order events come in, even one that no world makes, the trace is valid.
static void any_events(void **state) {
  struct sim_stream rng;
  sim_stream_seed(&rng, 3);
  for (u32 round = 0; round < 50; round++) {
    struct recording r;
    record(&r);
    for (u32 i = 0; i < 200; i++) {
      u32 cpu = sim_stream_below(&rng, SIM_CPUS_MAX);
      bool task = sim_stream_below(&rng, 2);
      u32 actor = task ? sim_stream_below(&rng, 5) : SIM_ACTOR_CPU0 + cpu;
      emit(&r, sim_stream_below(&rng, SIM_EVENT_COUNT), cpu, actor, "x#\"1\"", 1000 * round + i,
           sim_stream_u64(&rng), sim_stream_below(&rng, 2));
    }
    cJSON *root = finish(&r);
    expect_valid(root);
    cJSON_Delete(root);
    free(r.text);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(empty),
      cmocka_unit_test(slices),
      cmocka_unit_test(strings_and_numbers),
      cmocka_unit_test(any_events),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
