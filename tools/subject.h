// SPDX-License-Identifier: GPL-2.0-or-later
//
// What is under test, and under which commit: what every line and file of the command
// carries.
#ifndef SEEDBED_TOOLS_SUBJECT_H_
#define SEEDBED_TOOLS_SUBJECT_H_

#include "sim/base.h"

enum subject_kind {
  SUBJECT_MODEL,   // built in: the sources below models/
  SUBJECT_IMAGE,   // a vDSO, or a kernel image from which it is carved
  SUBJECT_KERNEL,  // objects built from a kernel tree
};

struct subject {
  enum subject_kind kind;
  char name[64];     // as --subject takes it: "model", "image:FILE", "kernel:DIR"
  char sha256[65];   // hexadecimal, lower case
  char version[32];  // kernel version ("6.12.9"); "" where it has none, as the model
};

// The built-in subject; its SHA-256 is that of the sources below models/, computed when
// the command was built, so it is the same in every configuration.
struct subject subject_model(void);

// Parses the argument of --subject. Returns false with a reason in `err` and `out`
// unchanged: an unknown kind, or one that no scenario of this build takes.
SIM_MUST_CHECK bool subject_parse(const char *text, struct subject *out, char *err, size_t len);

// The commit of the tree: the launcher's SEEDBED_COMMIT, "unknown" where that is unset,
// empty, longer than 63 bytes, or holds anything but letters, digits, '.', '_' and '-'.
const char *subject_commit(void);

#endif  // SEEDBED_TOOLS_SUBJECT_H_
