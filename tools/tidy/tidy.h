// SPDX-License-Identifier: GPL-2.0-or-later
//
// Tidy: rules over the text of the tree that no compiler checks, each with a
// sentence that says what to do instead. A line that must break a rule says so,
// with the reason, in a comment: `tidy-allow(RULE): why`.
#ifndef SEEDBED_TOOLS_TIDY_TIDY_H_
#define SEEDBED_TOOLS_TIDY_TIDY_H_

#include <stddef.h>

// A rule: its name and its sentence.
struct tidy_rule {
  const char *id;
  const char *sentence;
};

// All rules; the last has no id.
extern const struct tidy_rule tidy_rules[];

// A file of the tree; `path` is relative to the top, `text` is NUL-terminated after
// `text_len` bytes. Borrowed.
struct tidy_file {
  const char *path;
  const char *text;
  size_t text_len;
};

// Called for each breach. `line` counts from 1; 0 means the whole file. `detail` names
// what was found, and the replacement where the rule has one.
typedef void tidy_report_fn(const char *path, unsigned line, const struct tidy_rule *rule,
                            const char *detail, void *arg);

// tidy_check applies every rule to `files` and returns the number of breaches, each of
// which it passes to `report` in the order of the files.
size_t tidy_check(const struct tidy_file *files, size_t num_files, tidy_report_fn *report,
                  void *arg);

#endif  // SEEDBED_TOOLS_TIDY_TIDY_H_
