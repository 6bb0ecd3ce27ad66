// SPDX-License-Identifier: GPL-2.0-or-later
//
// When a line of progress is due, and what it says, where there is no terminal.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "tools/progress.h"

// What a line is, stderr being a file for it.
static void line_of(struct progress *p, u64 elapsed_ms, const struct progress_figures *figures,
                    char out[256]) {
  FILE *file = tmpfile();
  int kept = dup(2);
  size_t len;

  assert_non_null(file);
  dup2(fileno(file), 2);
  progress_tell(p, elapsed_ms, figures);
  dup2(kept, 2);
  close(kept);
  rewind(file);
  len = fread(out, 1, 255, file);
  out[len] = '\0';
  fclose(file);
}

static void a_line_says_what_there_is(void **state) {
  const struct progress_figures figures = {1500, 20, 1, "; at work"}, few = {.runs = 3};
  struct progress p;
  char line[256];

  unsetenv("TERM");
  progress_begin(&p, "hunting", 0, 60000);
  line_of(&p, 45000, &figures, line);
  assert_string_equal(line, "seedbed: hunting: 1.50k runs, 20/s, 1 finding, 15 s left; at work\n");
  line_of(&p, 61000, &few, line);
  assert_string_equal(line, "seedbed: hunting: 3 runs, 0/s, ending\n");
}

// The first after ten seconds; then each ten, and later more seldom, so that a night has a hundred.
static void lines_become_seldom(void **state) {
  const struct progress_figures figures = {0};
  u32 lines = 0, first = 0;
  struct progress p;
  char line[256];

  progress_begin(&p, "", 0, 0);
  for (u64 ms = 0; ms <= 8 * 3600 * 1000; ms += 1000) {
    if (!progress_due(&p, ms)) continue;
    line_of(&p, ms, &figures, line);
    lines++;
    if (ms <= 60000) first++;
  }
  assert_int_equal(first, 6);
  assert_in_range(lines, 60, 150);
}

static void a_terminal_is_redrawn_as_often_as_was_asked(void **state) {
  const struct progress_figures figures = {0};
  char line[256];
  struct progress p;

  progress_begin(&p, "", 0, 0);
  p.terminal = true;
  p.due_ms = 0;
  p.redraw_ms = 2000;
  assert_true(progress_due(&p, 0));
  line_of(&p, 500, &figures, line);
  assert_int_equal(line[0], '\r');
  assert_false(progress_due(&p, 2499));
  assert_true(progress_due(&p, 2500));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_line_says_what_there_is),
      cmocka_unit_test(lines_become_seldom),
      cmocka_unit_test(a_terminal_is_redrawn_as_often_as_was_asked),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
