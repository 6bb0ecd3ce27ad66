// SPDX-License-Identifier: GPL-2.0-or-later
//
// The list of known findings: what real code does is not corrected, so a finding of an
// image: or kernel: subject that this list names is counted and the search goes on.
// Built-in subjects use no list; a name switches their behaviour (suspects).
//
// The file is text: blocks separated by empty lines, '#' starts a comment line.
//   key SCENARIO/ORACLE/HASH
//   subject SHA256            64 hexadecimal digits; or
//   versions 6.11..6.15.3     kernel versions, both included; either may be missing
//   reason WHY IT IS KNOWN, WITH ITS SOURCE
//   replay COMMAND
// Each block has each of the four once. A range's last version includes what is below
// it: ..6.15 includes 6.15.3.
#ifndef SEEDBED_TOOLS_KNOWN_H_
#define SEEDBED_TOOLS_KNOWN_H_

#include "tools/subject.h"

struct known_entry {
  char *key, *reason, *replay;
  char sha256[65];                           // "" : by version
  char version_first[32], version_last[32];  // "" : no bound
};

struct known_list {
  struct known_entry *entry;
  u32 count;
};

// Parses `len` bytes. Returns false with "line N: reason" in `err`, and nothing to free.
SIM_MUST_CHECK bool known_parse(struct known_list *out, const char *text, size_t len, char *err,
                                size_t err_len);
// Reads `path`; NULL means corpora/known-findings below SEEDBED_ROOT, where a file that is
// not there is an empty list. Returns 0, or with a reason in `err` the exit status: 65 or,
// for a file that cannot be read, 66.
SIM_MUST_CHECK int known_read(struct known_list *out, const char *path, char *err, size_t err_len);
void known_free(struct known_list *list);

// The entry for this key under this subject, or NULL. Always NULL for the model.
const struct known_entry *known_find(const struct known_list *list, const struct subject *subject,
                                     const char *key);

// Compares kernel versions number by number: below, equal, above 0. "-rc" and what follows
// a version's numbers are ignored.
int known_version_compare(const char *a, const char *b);

#endif  // SEEDBED_TOOLS_KNOWN_H_
