// SPDX-License-Identifier: GPL-2.0-or-later
//
// What goes into the status page: text is no markup, and a plot brings only itself.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

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

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(text_is_no_markup),
      cmocka_unit_test(a_plot_brings_only_itself),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
