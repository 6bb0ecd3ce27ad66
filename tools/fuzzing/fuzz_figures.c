// SPDX-License-Identifier: GPL-2.0-or-later
//
// Reading engines' figures; see fuzz_figures.h.

#include "tools/fuzzing/fuzz_figures.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { LINE_LEN = 512, NAME_LEN = 256 };

// The digits at `at`; false if there is none.
static bool number(const char *at, u64 *out) {
  u64 value = 0;

  if (*at < '0' || *at > '9') return false;
  for (; *at >= '0' && *at <= '9'; at++) {
    u64 digit = (u64)(*at - '0');

    value = value > (UINT64_MAX - digit) / 10 ? UINT64_MAX : value * 10 + digit;
  }
  *out = value;
  return true;
}

// The number behind `name` in the line, as in "cov: 12".
static void field(const char *line, const char *name, u64 *out) {
  const char *at = strstr(line, name);

  if (!at) return;
  at += strlen(name);
  at += strspn(at, " ");
  (void)number(at, out);
}

// Takes the line that begins at `text` as a string, cut if it is too long, and returns where the
// next one begins.
static const char *take_line(const char *text, char line[LINE_LEN]) {
  size_t len = strcspn(text, "\n");

  snprintf(line, LINE_LEN, "%.*s", (int)(len < LINE_LEN ? len : LINE_LEN - 1), text);
  return text + len + (text[len] == '\n');
}

void fuzz_figures_libfuzzer(const char *text, struct fuzz_figures *out) {
  char line[LINE_LEN];
  u64 executed;

  *out = (struct fuzz_figures){0};
  while (*text) {
    text = take_line(text, line);
    if (line[0] == '#' && number(line + 1, &executed) && strstr(line, "\t")) {
      // "#8192<TAB>NEW    cov: 9 ft: 17 corp: 6/41b lim: 80 exec/s: 4096 rss: 31Mb L: 7/9 MS: 1 -"
      out->executions = executed;
      field(line, " cov: ", &out->edges);
      field(line, " ft: ", &out->features);
      field(line, " corp: ", &out->corpus);
      field(line, " exec/s: ", &out->rate);
    } else if (!strncmp(line, "stat::", 6)) {
      field(line, "stat::number_of_executed_units:", &out->executions);
      field(line, "stat::average_exec_per_sec:", &out->rate);
    }
  }
}

void fuzz_figures_afl(const char *text, struct fuzz_figures *out) {
  char line[LINE_LEN];

  *out = (struct fuzz_figures){0};
  while (*text) {
    char *colon;
    u64 value;

    text = take_line(text, line);
    colon = strchr(line, ':');
    if (!colon || !number(colon + 1 + strspn(colon + 1, " "), &value)) continue;
    line[strcspn(line, " :")] = '\0';
    if (!strcmp(line, "execs_done")) out->executions = value;
    if (!strcmp(line, "execs_per_sec")) out->rate = value;
    if (!strcmp(line, "corpus_count")) out->corpus = value;
    if (!strcmp(line, "edges_found")) out->edges = out->features = value;
  }
}

void fuzz_figures_afl_skipped(const char *text, void (*fn)(void *arg, const char *name),
                              void *arg) {
  char line[LINE_LEN], name[NAME_LEN];

  while (*text) {
    const char *at;

    text = take_line(text, line);
    // "Test case 'id:000003,time:0,execs:0,orig:NAME' results in a crash, skipping"
    if (!strstr(line, "' results in a ")) continue;
    at = strstr(line, "orig:");
    if (!at) continue;
    at += strlen("orig:");
    snprintf(name, sizeof(name), "%.*s", (int)strcspn(at, "'"), at);
    if (*name && !strchr(name, '/')) fn(arg, name);
  }
}
