// SPDX-License-Identifier: GPL-2.0-or-later
//
// Traces of real runs: no sink changes a run, the sample in docs/TRACE.md is true, and the
// Perfetto form is JSON in which no two tasks run on one CPU at once.
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/strategy.h"
#include "sim/testing/runs.h"
#include "sim/testing/scenarios.h"
#include "sim/trace.h"

struct buffer {
  FILE *out;
  char *text;
  size_t len;
};

static void open_buffer(struct buffer *b) {
  b->out = open_memstream(&b->text, &b->len);
  assert_non_null(b->out);
}

// The digest is the same without a trace, with a text trace and with a Perfetto one.
static void no_sink_changes_a_run(void **state) {
  struct sim_test h;
  sim_test_open_with(&h, &testing_mixture, NULL);
  for (u64 seed = 0; seed < 30; seed++) {
    struct buffer b;
    struct sim_trace_text text;
    sim_test_strategy(&h, SIM_STRATEGY_PORTFOLIO, seed);
    struct sim_result plain = h.result;
    open_buffer(&b);
    sim_trace_text_init(&text, b.out, 0);
    sim_world_set_sink(h.world, &text.sink);
    sim_test_strategy(&h, SIM_STRATEGY_PORTFOLIO, seed);
    assert_int_equal(h.result.digest, plain.digest);
    assert_int_equal(h.result.draws, plain.draws);
    assert_true(text.lines > plain.steps);
    fclose(b.out);
    free(b.text);
    open_buffer(&b);
    struct sim_trace_perfetto *perfetto = sim_trace_perfetto_new(b.out);
    sim_world_set_sink(h.world, sim_trace_perfetto_sink(perfetto));
    sim_test_strategy(&h, SIM_STRATEGY_PORTFOLIO, seed);
    assert_int_equal(h.result.digest, plain.digest);
    sim_world_set_sink(h.world, NULL);
    sim_trace_perfetto_finish(perfetto);
    fclose(b.out);
    free(b.text);
  }
  sim_test_close(&h);
}

static char *read_file(const char *path) {
  char *text = calloc(1, 1 << 16);
  FILE *in = fopen(path, "r");
  if (!in) fail_msg("%s is missing", path);
  assert_true(fread(text, 1, (1 << 16) - 1, in) > 0);
  fclose(in);
  return text;
}

// The sample of docs/TRACE.md is a run, to the letter.
static void sample_of_the_document(void **state) {
  static const char begin[] = "```trace\n", end[] = "```\n";
  char *document = read_file("docs/TRACE.md");
  char *sample = strstr(document, begin);
  assert_non_null(sample);
  sample += strlen(begin);
  char *sample_end = strstr(sample, end);
  assert_non_null(sample_end);
  *sample_end = 0;

  struct sim_test h;
  struct buffer b;
  struct sim_trace_text text;
  struct sim_decision item = {
      .site = "take_both:wait_for_completion", .actor = "up#0", .k = 1, .target = "down#0"};
  struct sim_decisions list = {&item, 1, 1};
  sim_test_open_with(&h, &testing_two_tokens, "num_cpus=1");
  open_buffer(&b);
  sim_trace_text_init(&text, b.out, 0);
  sim_world_set_sink(h.world, &text.sink);
  sim_test_list(&h, &list);
  fclose(b.out);
  if (strcmp(sample, b.text) != 0) {
    print_message("the run is now, for docs/TRACE.md:\n%s", b.text);
    fail_msg("docs/TRACE.md has another sample");
  }
  free(b.text);
  free(document);
  sim_test_close(&h);
}

// The document tells of every kind of event.
static void document_has_every_kind(void **state) {
  char *document = read_file("docs/TRACE.md");
  for (u32 i = 0; i < SIM_EVENT_COUNT; i++) {
    char quoted[32];
    snprintf(quoted, sizeof(quoted), "`%s`", sim_event_name(i));
    if (!strstr(document, quoted)) fail_msg("no word of %s", quoted);
  }
  free(document);
}

static double number(const cJSON *e, const char *name) {
  return cJSON_GetObjectItem(e, name)->valuedouble;
}

static bool is_task_slice(const cJSON *e) {
  return strcmp(cJSON_GetObjectItem(e, "ph")->valuestring, "X") == 0 && number(e, "pid") == 1 &&
         strchr(cJSON_GetObjectItem(e, "name")->valuestring, '#');
}

// In a Perfetto trace of a run each CPU runs one task at a time, and each task's slices are
// those of the CPUs' tracks.
static void perfetto_of_a_run(void **state) {
  struct sim_test h;
  sim_test_open_with(&h, &testing_mixture, "num_cpus=3");
  for (u64 seed = 0; seed < 5; seed++) {
    struct buffer b;
    open_buffer(&b);
    struct sim_trace_perfetto *perfetto = sim_trace_perfetto_new(b.out);
    sim_world_set_sink(h.world, sim_trace_perfetto_sink(perfetto));
    sim_test_strategy(&h, SIM_STRATEGY_STICKY, seed);
    sim_world_set_sink(h.world, NULL);
    sim_trace_perfetto_finish(perfetto);
    fclose(b.out);
    cJSON *root = cJSON_Parse(b.text);
    assert_non_null(root);
    // Slices of a track are written in the order in which they end.
    double cpu_end[3] = {0}, on_cpus = 0, on_tasks = 0;
    u32 slices = 0;
    const cJSON *e;
    cJSON_ArrayForEach(e, cJSON_GetObjectItem(root, "traceEvents")) {
      if (is_task_slice(e)) {
        u32 cpu = (u32)number(e, "tid");
        assert_true(cpu < 3);
        assert_true(number(e, "ts") >= cpu_end[cpu] - 0.0001);
        cpu_end[cpu] = number(e, "ts") + number(e, "dur");
        on_cpus += number(e, "dur");
        slices++;
      } else if (strcmp(cJSON_GetObjectItem(e, "ph")->valuestring, "X") == 0 &&
                 number(e, "pid") == 2) {
        on_tasks += number(e, "dur");
      }
    }
    assert_true(slices > 20);
    assert_true(on_cpus > 0 && on_cpus - on_tasks < 0.01 && on_tasks - on_cpus < 0.01);
    cJSON_Delete(root);
    free(b.text);
  }
  sim_test_close(&h);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(no_sink_changes_a_run),
      cmocka_unit_test(sample_of_the_document),
      cmocka_unit_test(document_has_every_kind),
      cmocka_unit_test(perfetto_of_a_run),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
