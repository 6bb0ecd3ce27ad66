// SPDX-License-Identifier: GPL-2.0-or-later
//
// Each rule of tidy: a text that breaks it and one that does not.
#include "tools/tidy/tidy.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define SPDX "// SPDX-License-Identifier: GPL-2.0-or-later\n"

// Collects "line:rule " of each breach.
static void collect(const char *path, unsigned line, const struct tidy_rule *rule,
                    const char *detail, void *arg) {
  char *all = arg;

  sprintf(all + strlen(all), "%u:%s ", line, rule->id);
}

static void expect_breaches(const char *path, const char *text, const char *expected) {
  struct tidy_file file = {.path = path, .text = text, .text_len = strlen(text)};
  char found[1024] = "";

  tidy_check(&file, 1, collect, found);
  assert_string_equal(found, expected);
}

// A numbered table: path, text, breaches.
static void rules_over_one_file(void **state) {
  static const struct {
    const char *path, *text, *expected;
  } cases[] = {
      /* 1 */ {"sim/a.c", SPDX "int a = time(NULL);\n", "2:banned "},
      /* 2 */ {"models/a.c", SPDX "x = rand ();\npthread_create(1);\n", "2:banned 3:banned "},
      /* 3 */ {"tools/a.c", SPDX "int a = time(NULL);\n", ""},
      /* 4 */ {"sim/a.c", SPDX "// time(NULL)\n/* rand() */ \"rand()\";\n", ""},
      /* 5 */ {"sim/a.c", SPDX "ops->time(1); ops.rand(); sim_time(2); u64 time;\n", ""},
      /* 6 */ {"sim/a.c", SPDX "float f;\n", "2:banned "},
      /* 7 */ {"sim/a_test.c", SPDX "float f; f = time(0);\n", "2:banned "},
      /* 8 */ {"models/a.c", SPDX "free(malloc(1));\n", "2:banned 2:banned "},
      /* 9 */ {"sim/a.c", SPDX "free(malloc(1));\n", ""},
      /* 10 */ {"sim/a.c", SPDX "f(\"at %p\"); g(\"100%%p\"); // %p\n", "2:address "},
      /* 11 */ {"sim/a.c", SPDX "int a = time(0);  // tidy-allow(banned): why not\n", ""},
      /* 12 */ {"sim/a.c", SPDX "rand(0);  // tidy-allow(space): another\n", "2:banned "},
      /* 13 */ {"sim/a.c", SPDX "// tidy-allow(banned): elsewhere\nrand();\n", "3:banned "},
      /* 14 */ {"tools/a.sh", "#!/bin/sh\n# SPDX-License-Identifier: x\n", ""},
      /* 15 */ {"tools/a.sh", "#!/bin/sh\n\n\n# SPDX-License-Identifier: x\n", "0:spdx "},
      /* 16 */ {"README.md", "no licence\n", ""},
      /* 17 */ {"docs/a.md", "space \n", "1:space "},
      /* 18 */ {"docs/a.md", "no newline", "1:space "},
      /* 19 */ {"docs/a.md", "two newlines\n\n", "2:space "},
      /* 20 */
      {"docs/a.md",
       "FIX"
       "ME, XX"
       "X\nXX"
       "XX\n",
       "1:fixme "},
      /* 21 */
      {"docs/a.md",
       "in /wo"
       "rk/main\n",
       "1:machine "},
      /* 22 */
      {"docs/a.md",
       "from deb.debian"
       ".org\n",
       "1:machine "},
      /* 23 */ {"sim/a.c", SPDX "#include \"base.h\"\n", "2:include-root "},
      /* 24 */ {"sim/a.c", SPDX "#include <a.h>\n#include \"sim/base.h\"\n", ""},
      /* 25 */ {"sim/a.c", SPDX "c = '\"'; rand(); d = '\\'';\n", "2:banned "},
      /* 26 */ {"corpora/x/seed/1", "rand() \n", ""},
      /* 27 */ {"sim/a.c", SPDX "s = \"\\\\\"; rand();\n", "2:banned "},
  };

  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    print_message("case %zu\n", i + 1);
    expect_breaches(cases[i].path, cases[i].text, cases[i].expected);
  }
}

// The 101st column is one too many; UTF-8 counts by character, a tab to the next stop.
static void long_line_is_counted_in_columns(void **state) {
  char line[512], text[1024];

  memset(line, 'x', 100);
  line[100] = 0;
  snprintf(text, sizeof text, "%s// %.97s\n", SPDX, line);
  expect_breaches("sim/a.c", text, "");
  snprintf(text, sizeof text, "%s// %.98s\n", SPDX, line);
  expect_breaches("sim/a.c", text, "2:long-line ");
  snprintf(text, sizeof text, "%s\t%.92s\n", SPDX, line);
  expect_breaches("sim/a.c", text, "");
  snprintf(text, sizeof text, "%s%.99s\xc3\xa4\n", SPDX, line);
  expect_breaches("sim/a.c", text, "");
  snprintf(text, sizeof text, "%.99s and more\n", line);
  expect_breaches("docs/a.md", text, "");
}

static void blob_is_refused(void **state) {
  size_t text_len = 512 * 1024 + 1;
  char *text = calloc(1, text_len + 1);
  struct tidy_file file = {.path = "corpora/x/blob", .text = text, .text_len = text_len};
  char found[64] = "";

  tidy_check(&file, 1, collect, found);
  assert_string_equal(found, "0:blob ");
  file.text_len--;
  found[0] = 0;
  tidy_check(&file, 1, collect, found);
  assert_string_equal(found, "");
  free(text);
}

static void file_name_occurs_once(void **state) {
  static const struct tidy_file files[] = {
      {"sim/a.c", SPDX, sizeof SPDX - 1},
      {"models/a.c", SPDX, sizeof SPDX - 1},
      {"sim/BUILD.bazel", SPDX, sizeof SPDX - 1},
      {"models/BUILD.bazel", SPDX, sizeof SPDX - 1},
      {"models/x/shim/linux/b.h", SPDX, sizeof SPDX - 1},
      {"models/x/testing/tree/include/linux/b.h", SPDX, sizeof SPDX - 1},
      {"sim/b.h", SPDX, sizeof SPDX - 1},
  };
  char found[64] = "";

  tidy_check(files, 7, collect, found);
  assert_string_equal(found, "0:twice ");
}

static void own_header_comes_first(void **state) {
  static const char good[] = SPDX "#include \"sim/a.h\"\n\n#include <stdio.h>\n";
  static const char bad[] = SPDX "#include <stdio.h>\n#include \"sim/a.h\"\n";
  struct tidy_file files[] = {
      {"sim/a.h", SPDX, sizeof SPDX - 1},
      {"sim/a.c", good, sizeof good - 1},
      {"sim/a_test.c", bad, sizeof bad - 1},
  };
  char found[64] = "";

  tidy_check(files, 3, collect, found);
  assert_string_equal(found, "");
  files[1].text = bad;
  files[1].text_len = sizeof bad - 1;
  tidy_check(files, 3, collect, found);
  assert_string_equal(found, "2:own-header ");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rules_over_one_file),    cmocka_unit_test(long_line_is_counted_in_columns),
      cmocka_unit_test(blob_is_refused),        cmocka_unit_test(file_name_occurs_once),
      cmocka_unit_test(own_header_comes_first),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
