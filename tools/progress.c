// SPDX-License-Identifier: GPL-2.0-or-later
//
// Progress of a long job; see progress.h.

#include "tools/progress.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "tools/command.h"
#include "tools/text.h"

enum { PLAIN_MS = 10000, PLAIN_MS_MAX = 300000, MARGIN = 3 };

void progress_begin(struct progress *p, const char *label, u64 runs_total, u64 time_ms) {
  const char *term = getenv("TERM");

  *p = (struct progress){
      .label = label,
      .terminal = isatty(2) && term && *term && strcmp(term, "dumb"),
      .runs_total = runs_total,
      .time_ms = time_ms,
  };
  if (!p->terminal) p->due_ms = PLAIN_MS;
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

bool progress_due(const struct progress *p, u64 elapsed_ms) { return elapsed_ms >= p->due_ms; }

// 10 s at first, then a tenth of the time that is gone, up to five minutes.
static u64 plain_ms(u64 elapsed_ms) {
  u64 ms = elapsed_ms / 10;

  return ms < PLAIN_MS ? PLAIN_MS : ms > PLAIN_MS_MAX ? PLAIN_MS_MAX : ms;
}

// Of what stands in a line one byte is one column. A line that is as wide as the terminal would
// have a second one begun.
static int columns_of_terminal(void) {
  struct winsize size;

  return !ioctl(2, TIOCGWINSZ, &size) && size.ws_col > MARGIN ? size.ws_col - MARGIN : INT_MAX;
}

void progress_tell(struct progress *p, u64 elapsed_ms, const struct progress_figures *figures) {
  char runs[TEXT_COUNT_LEN], rate[TEXT_COUNT_LEN], left_text[TEXT_COUNT_LEN];
  struct text line = {0};
  u64 left_ms = 0;

  p->due_ms = elapsed_ms + (p->terminal ? p->redraw_ms : plain_ms(elapsed_ms));
  text_addf(&line, "%s: %s runs, %s/s", p->label, text_count(figures->runs, runs),
            text_count(figures->rate, rate));
  if (figures->findings)
    text_addf(&line, ", %u finding%s", figures->findings, figures->findings == 1 ? "" : "s");
  if (left(p, figures->runs, elapsed_ms, &left_ms)) {
    if (left_ms)
      text_addf(&line, ", %s left", text_duration(left_ms, left_text));
    else
      text_add(&line, ", ending");
  }
  if (figures->more) text_add(&line, figures->more);
  if (p->terminal)
    fprintf(stderr, "\r\033[K  %.*s", columns_of_terminal(), text_str(&line));
  else
    fprintf(stderr, "%s: %s\n", command_name, text_str(&line));
  fflush(stderr);
  p->drawn = p->terminal;
  text_free(&line);
}

void progress_show(struct progress *p, u64 runs, u64 elapsed_ms, u32 findings) {
  const struct progress_figures figures = {
      .runs = runs, .rate = elapsed_ms ? runs * 1000 / elapsed_ms : 0, .findings = findings};

  if (progress_due(p, elapsed_ms)) progress_tell(p, elapsed_ms, &figures);
}

void progress_clear(struct progress *p) {
  if (p->drawn) fputs("\r\033[K", stderr);
  p->drawn = false;
}

void progress_clear_of_parent(void) {
  struct progress p;

  progress_begin(&p, "", 0, 0);
  p.drawn = p.terminal;
  progress_clear(&p);
}
