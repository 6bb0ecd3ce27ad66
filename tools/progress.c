// SPDX-License-Identifier: GPL-2.0-or-later
//
// Progress of a long job; see progress.h.

#include "tools/progress.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/command.h"
#include "tools/text.h"

enum { PLAIN_MS = 10000 };

void progress_begin(struct progress *p, const char *label, u64 runs_total, u64 time_ms) {
  const char *term = getenv("TERM");

  *p = (struct progress){
      .label = label,
      .terminal = isatty(2) && term && *term && strcmp(term, "dumb"),
      .runs_total = runs_total,
      .time_ms = time_ms,
      .plain_ms = PLAIN_MS,
  };
}

// The time that is left by the tighter of the two bounds; false where none is known.
static bool left(const struct progress *p, u64 runs, u64 elapsed_ms, u64 *out_ms) {
  bool known = false;

  if (p->runs_total && runs && runs <= p->runs_total) {
    *out_ms = (u64)((double)elapsed_ms * (double)(p->runs_total - runs) / (double)runs);
    known = true;
  }
  if (p->time_ms) {
    u64 ms = p->time_ms > elapsed_ms ? p->time_ms - elapsed_ms : 0;

    if (!known || ms < *out_ms) *out_ms = ms;
    known = true;
  }
  return known;
}

void progress_show(struct progress *p, u64 runs, u64 elapsed_ms, u32 findings) {
  char runs_text[TEXT_COUNT_LEN], rate_text[TEXT_COUNT_LEN], left_text[TEXT_COUNT_LEN];
  struct text line = {0};
  u64 left_ms = 0;

  if (!p->terminal) {
    if (elapsed_ms < p->plain_ms) return;
    p->plain_ms = elapsed_ms + PLAIN_MS;
  }
  text_addf(&line, "%s: %s runs, %s/s", p->label, text_count(runs, runs_text),
            text_count(elapsed_ms ? runs * 1000 / elapsed_ms : 0, rate_text));
  if (findings) text_addf(&line, ", %u finding%s", findings, findings == 1 ? "" : "s");
  if (left(p, runs, elapsed_ms, &left_ms)) {
    if (left_ms)
      text_addf(&line, ", %s left", text_duration(left_ms, left_text));
    else
      text_add(&line, ", ending");
  }
  if (p->terminal)
    fprintf(stderr, "\r\033[K  %s", text_str(&line));
  else
    fprintf(stderr, "%s: %s\n", command_name, text_str(&line));
  fflush(stderr);
  p->drawn = p->terminal;
  text_free(&line);
}

void progress_clear(struct progress *p) {
  if (p->drawn) fputs("\r\033[K", stderr);
  p->drawn = false;
}
