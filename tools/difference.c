// SPDX-License-Identifier: GPL-2.0-or-later
//
// Where two runs that should be equal part; see difference.h.

#include "tools/difference.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tools/child.h"
#include "tools/command.h"

enum { CONTEXT_LINES = 5, DIGEST_LEN = 17 };

static void take_event(struct sim_trace_sink *sink, const struct sim_event *event) {
  struct event_log *log = sim_container_of(sink, struct event_log, sink);
  char line[512];

  if (log->events++ >= EVENT_LOG_MAX) return;
  sim_trace_line(event, line, sizeof(line));
  text_addf(&log->lines, "%016" PRIx64 " %s\n", event->digest, line);
}

void event_log_init(struct event_log *log) {
  *log = (struct event_log){.sink = {.event = take_event}};
}

// The line at `s` without its digest.
static void add_line(const char *s, struct text *out) {
  size_t len = strcspn(s, "\n");

  text_add(out, "    ");
  if (len > DIGEST_LEN)
    text_add_bytes(out, s + DIGEST_LEN, len - DIGEST_LEN);
  else
    text_add(out, "nothing: the run had ended");
  text_add(out, "\n");
}

static void add_event(const char *name, const char *s, struct text *out) {
  text_addf(out, "  %s:\n", name);
  add_line(s, out);
}

bool event_log_difference(const char *a, const char *a_name, const char *b, const char *b_name,
                          struct text *out) {
  const char *before[CONTEXT_LINES];
  u64 number = 0, i;

  for (;;) {
    size_t a_len = strcspn(a, "\n"), b_len = strcspn(b, "\n");

    if (a_len != b_len || memcmp(a, b, a_len)) break;
    if (!a_len) return false;
    before[number++ % CONTEXT_LINES] = a;
    a += a_len + 1;
    b += b_len + 1;
  }
  text_addf(out, "the first event that differs is number %" PRIu64 ":\n", number);
  add_event(a_name, a, out);
  add_event(b_name, b, out);
  if (strcspn(a, "\n") > DIGEST_LEN && strcspn(a, "\n") == strcspn(b, "\n") &&
      !memcmp(a + DIGEST_LEN, b + DIGEST_LEN, strcspn(a, "\n") - DIGEST_LEN))
    text_addf(out, "  (the same text, but the digest differs: %.16s and %.16s)\n", a, b);
  if (number) text_add(out, "  before it, in both:\n");
  for (i = number > CONTEXT_LINES ? number - CONTEXT_LINES : 0; i < number; i++)
    add_line(before[i % CONTEXT_LINES], out);
  return true;
}

// Runs once and writes the log and a NUL.
static void log_run(struct sim_world *world, const struct sim_input *input, FILE *out) {
  struct event_log log;
  struct sim_result result;

  event_log_init(&log);
  sim_world_set_sink(world, &log.sink);
  sim_world_run(world, input, &result);
  sim_world_set_sink(world, NULL);
  text_addf(&log.lines, "%016" PRIx64 " the end, status %d, %" PRIu64 " events\n", result.digest,
            (int)result.status, log.events);
  fputs(text_str(&log.lines), out);
  fputc('\0', out);
  text_free(&log.lines);
}

int difference_log_main(const struct difference_input *input, FILE *out) {
  struct sim_world *world = sim_world_new();

  if (!world || sim_world_setup(world, input->spec->scenario, input->spec->params, NULL) != SIM_OK)
    return SIM_OURS;
  log_run(world, input->run, out);
  sim_world_free(world);
  return 0;
}

static int log_thrice(void *arg, FILE *out) {
  const struct difference_input *input = arg;
  struct sim_world *world = sim_world_new();
  struct sim_input other = {.backend = SIM_BACKEND_SEED, .seed = input->run->seed + 1};
  struct sim_result result;

  if (!world || sim_world_setup(world, input->spec->scenario, input->spec->params, NULL) != SIM_OK)
    return SIM_OURS;
  log_run(world, input->run, out);
  sim_world_set_fill(world, 0xa5);
  log_run(world, input->run, out);
  sim_world_run(world, &other, &result);
  log_run(world, input->run, out);
  return 0;
}

static void log_fresh(const struct difference_input *input, u64 ms, struct child_result *out) {
  const char **args = xcalloc(input->num_args + 4, sizeof(*args));
  static const char *const head[] = {"seedbed", "replay", "--log"};

  memcpy(args, head, sizeof(head));
  memcpy(args + 3, input->args, input->num_args * sizeof(*args));
  child_exec_self(args, true, ms, out);
  free(args);
}

static bool killed(const struct child_result *child) {
  return child->end == CHILD_SIGNALED && signal_from_outside(child->code);
}

enum difference difference_find(const struct difference_input *input, u64 ms, struct text *out) {
  static const char *const names[] = {
      "in a process",
      "again, other bytes in unused memory",
      "again, after another run",
      "in a fresh process",
  };
  struct child_limits limits = {.cpu_ms = ms, .again = true};
  struct child_result warm, fresh;
  const char *log[4], *end;
  enum difference answer = DIFFERENCE_NONE;
  u32 i;

  child_fork(log_thrice, (void *)(uintptr_t)input, &limits, &warm);
  log_fresh(input, ms, &fresh);
  end = text_str(&warm.out) + warm.out.len;
  log[0] = text_str(&warm.out);
  for (i = 1; i < 3; i++) {
    log[i] = log[i - 1] + strlen(log[i - 1]);
    if (log[i] < end) log[i]++;
  }
  log[3] = text_str(&fresh.out);
  if (warm.end == CHILD_FAILED || fresh.end == CHILD_FAILED || killed(&warm) || killed(&fresh))
    answer = DIFFERENCE_FAILED;
  else if (warm.end != CHILD_EXITED || warm.code || fresh.end != CHILD_EXITED || fresh.code)
    answer = DIFFERENCE_DIED;
  for (i = 1; answer == DIFFERENCE_NONE && i < 4; i++) {
    if (event_log_difference(log[0], names[0], log[i], names[i], out)) answer = DIFFERENCE_FOUND;
  }
  child_result_free(&warm);
  child_result_free(&fresh);
  return answer;
}
