// SPDX-License-Identifier: GPL-2.0-or-later
//
// The list of known findings: what is read, what is refused, what matches.

#include "tools/known.h"

#include <stdlib.h>
#include <string.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sim/world.h"
#include "tools/findings.h"

#define SHA "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define SHB "f123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define REST "reason why, and where\nreplay tools/seedbed replay x --seed=1\n"

static struct subject subject_of(enum subject_kind kind, const char *sha256, const char *version) {
  struct subject subject = {.kind = kind};

  strcpy(subject.sha256, sha256);
  strcpy(subject.version, version);
  return subject;
}

static bool matches(const char *text, enum subject_kind kind, const char *sha256,
                    const char *version, const char *key) {
  struct subject subject = subject_of(kind, sha256, version);
  struct known_list list;
  char err[256];
  bool found;

  if (!known_parse(&list, text, strlen(text), err, sizeof(err))) fail_msg("%s", err);
  found = known_find(&list, &subject, key) != NULL;
  known_free(&list);
  return found;
}

static void sha256_matches_one_subject(void **state) {
  const char *text = "# a comment\n\nkey s/o/1\nsubject " SHA "\n" REST;

  assert_true(matches(text, SUBJECT_IMAGE, SHA, "", "s/o/1"));
  assert_true(matches(text, SUBJECT_KERNEL, SHA, "", "s/o/1"));
  assert_false(matches(text, SUBJECT_IMAGE, SHB, "", "s/o/1"));
  assert_false(matches(text, SUBJECT_IMAGE, SHA, "", "s/o/2"));
}

// Built-in subjects use no list: a suspect has a name instead.
static void model_has_no_known_findings(void **state) {
  assert_false(matches("key s/o/1\nsubject " SHA "\n" REST, SUBJECT_MODEL, SHA, "", "s/o/1"));
  assert_false(matches("key s/o/1\nversions 6.1..\n" REST, SUBJECT_MODEL, SHA, "6.2", "s/o/1"));
}

static void versions_match_a_range(void **state) {
  static const struct {
    const char *range, *version;
    bool good;
  } cases[] = {
      /* 1 */ {"6.11..6.15", "6.11", true},      /* 2 */ {"6.11..6.15", "6.10.99", false},
      /* 3 */ {"6.11..6.15", "6.15", true},      /* 4 */ {"6.11..6.15", "6.15.3", true},
      /* 5 */ {"6.11..6.15", "6.16", false},     /* 6 */ {"6.11..6.15.3", "6.15.3", true},
      /* 7 */ {"6.11..6.15.3", "6.15.4", false}, /* 8 */ {"6.11..", "7.2", true},
      /* 9 */ {"6.11..", "6.2", false},          /* 10 */ {"..6.15", "5.4", true},
      /* 11 */ {"..6.15", "6.15.9-rc1", true},   /* 12 */ {"6.11..6.15", "", false},
      /* 13 */ {"6.11.2..", "6.11", false},      /* 14 */ {"6.11.0..", "6.11", true},
      /* 15 */ {"6.9..6.10", "6.9.1", true},
  };
  u32 i;

  for (i = 0; i < SIM_ARRAY_SIZE(cases); i++) {
    char *text = xasprintf("key k\nversions %s\n" REST, cases[i].range);

    if (matches(text, SUBJECT_KERNEL, SHA, cases[i].version, "k") != cases[i].good)
      fail_msg("case %u: %s in %s", i + 1, cases[i].version, cases[i].range);
    free(text);
  }
}

static void versions_are_compared_by_number(void **state) {
  assert_true(known_version_compare("6.9", "6.10") < 0);
  assert_true(known_version_compare("6.10", "6.9") > 0);
  assert_int_equal(known_version_compare("6.10", "6.10"), 0);
  assert_int_equal(known_version_compare("6.10.0", "6.10"), 0);
  assert_true(known_version_compare("6.10.1", "6.10") > 0);
  assert_true(known_version_compare("6.10", "6.10.1") < 0);
}

static void faults_are_named_with_their_line(void **state) {
  static const struct {
    const char *text, *fault;
  } cases[] = {
      /* 1 */ {"key a\n", "line 1: the block has neither subject nor versions"},
      /* 2 */ {"subject " SHA "\n" REST, "line 3: the block has no key"},
      /* 3 */ {"key a\nsubject " SHA "\nreplay x\n\n", "line 4: the block has no reason"},
      /* 4 */ {"key a\nsubject " SHA "\nreason x\n", "line 3: the block has no replay"},
      /* 5 */ {"key a\nkey b\n", "line 2: a second key in one block"},
      /* 6 */ {"key a b\n", "line 1: a key has no spaces"},
      /* 7 */ {"subject 12\n", "line 1: a subject is a SHA-256"},
      /* 8 */ {"versions 6\n", "line 1: versions are FIRST..LAST"},
      /* 9 */ {"versions ..\n", "line 1: versions are FIRST..LAST"},
      /* 10 */ {"versions a..b\n", "line 1: versions are FIRST..LAST"},
      /* 11 */ {"versions 1..\nsubject " SHA "\n", "line 2: a second subject or versions"},
      /* 12 */ {"colour red\n", "line 1: not one of key, subject"},
      /* 13 */ {"key\n", "line 1: a word and its value are missing"},
      /* 14 */ {"key \n", "line 1: a word and its value are missing"},
      /* 15 */
      {"# fine\nkey a\nsubject " SHA "\n" REST "\nnonsense\n",
       "line 7: a word and its value are missing"},
  };
  u32 i;

  for (i = 0; i < SIM_ARRAY_SIZE(cases); i++) {
    struct known_list list;
    char err[256] = "";

    if (known_parse(&list, cases[i].text, strlen(cases[i].text), err, sizeof(err)) ||
        strncmp(err, cases[i].fault, strlen(cases[i].fault)))
      fail_msg("case %u: '%s'", i + 1, err);
  }
}

static void empty_lists_are_fine(void **state) {
  struct known_list list;
  char err[256];

  assert_true(known_parse(&list, "", 0, err, sizeof(err)));
  assert_int_equal(list.count, 0);
  assert_true(known_parse(&list, "\n# nothing yet\n\n", 16, err, sizeof(err)));
  assert_int_equal(list.count, 0);
  known_free(&list);
}

// A NUL byte is a fault, wherever text ends.
static void nul_bytes_are_refused(void **state) {
  struct known_list list;
  char err[256];

  assert_false(known_parse(&list, "key a\0b\n", 8, err, sizeof(err)));
  assert_string_equal(err, "line 1: a NUL byte");
}

static void default_file_may_be_missing(void **state) {
  struct known_list list;
  char err[256];

  unsetenv("SEEDBED_ROOT");
  assert_int_equal(known_read(&list, NULL, err, sizeof(err)), SIM_OK);
  setenv("SEEDBED_ROOT", "/nowhere", 1);
  assert_int_equal(known_read(&list, NULL, err, sizeof(err)), SIM_OK);
  assert_int_equal(known_read(&list, "/", err, sizeof(err)), SIM_MISSING_FILE);
  assert_int_equal(known_read(&list, "/nowhere/file", err, sizeof(err)), SIM_MISSING_FILE);
  assert_string_equal(err, "/nowhere/file: No such file or directory");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sha256_matches_one_subject),
      cmocka_unit_test(model_has_no_known_findings),
      cmocka_unit_test(versions_match_a_range),
      cmocka_unit_test(versions_are_compared_by_number),
      cmocka_unit_test(faults_are_named_with_their_line),
      cmocka_unit_test(empty_lists_are_fine),
      cmocka_unit_test(nul_bytes_are_refused),
      cmocka_unit_test(default_file_may_be_missing),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
