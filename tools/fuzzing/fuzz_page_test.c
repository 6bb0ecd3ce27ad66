// SPDX-License-Identifier: GPL-2.0-or-later
//
// What goes into the status page: text is no markup, and a plot brings only itself.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tools/fuzzing/fuzz_page.h"

static void text_is_no_markup(void **state) {
  struct text page = {0};

  fuzz_page_add_text(&page, "<script>a & \"b\"</script>\n\x01");
  assert_string_equal(text_str(&page), "&lt;script&gt;a &amp; &quot;b&quot;&lt;/script&gt;");
  text_free(&page);
}

static void svg_is(const char *svg, const char *expected) {
  struct text page = {0};

  fuzz_page_add_svg(&page, svg);
  assert_string_equal(text_str(&page), expected);
  text_free(&page);
}

static void a_plot_brings_only_itself(void **state) {
  svg_is(
      "<?xml version=\"1.0\"?>\n<svg viewBox=\"0 0 1 1\"><title>Gnuplot</title><desc>x</desc><defs>"
      "<circle id='gpDot'/></defs><g id=\"a\" fill=\"none\"><path d='M1'/></g><g color=\"b\">\n"
      "</g></svg>",
      "<svg viewBox=\"0 0 1 1\"><g fill=\"none\"><path d='M1'/></g></svg>");
  svg_is("", "");
  svg_is("<svg", "<svg");
  svg_is("<svg><defs>", "<svg>");
  svg_is("<svg id=\"", "<svg");
  svg_is("<svg><g ", "<svg><g ");
}

// Two engines that were at work side by side: each from zero on, by its own time.
static void engines_side_by_side_are_drawn_so(void **state) {
  struct fuzz_record records[] = {
      {.target = "a",
       .engine = FUZZ_ENGINE_LIBFUZZER,
       .ms = 30000,
       .executions = 9,
       .rate = 3,
       .features = 7,
       .findings = 1},
      {.target = "a",
       .engine = FUZZ_ENGINE_AFL,
       .ms = 40000,
       .executions = 8,
       .rate = 2,
       .features = 5},
      {.target = "b", .engine = FUZZ_ENGINE_AFL, .ms = 99000, .executions = 8, .features = 6},
      {.target = "a",
       .engine = FUZZ_ENGINE_LIBFUZZER,
       .ms = 60000,
       .executions = 9,
       .rate = 4,
       .features = 8,
       .findings = 2},
  };
  const struct fuzz_summary summary = {.log = {records, SIM_ARRAY_SIZE(records), 0}};
  char *script = NULL;
  size_t len;
  FILE *out = open_memstream(&script, &len);

  assert_non_null(out);
  fuzz_page_plot(out, &summary, "a", "x.svg");
  fclose(out);
  assert_non_null(strstr(script, "set xrange [0:90.000]"));
  assert_non_null(strstr(script, "$libfuzzer << EOD\n0.000 7\n30.000 7\n30.000 8\n90.000 8\nEOD"));
  assert_non_null(strstr(script, "$aflpp << EOD\n0.000 5\n40.000 5\nEOD"));
  assert_non_null(strstr(script, "$libfuzzer << EOD\n0.000 0\n30.000 1\n30.000 1\n90.000 3\nEOD"));
  free(script);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(text_is_no_markup),
      cmocka_unit_test(a_plot_brings_only_itself),
      cmocka_unit_test(engines_side_by_side_are_drawn_so),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
