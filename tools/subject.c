// SPDX-License-Identifier: GPL-2.0-or-later
//
// What is under test; see subject.h.

#include "tools/subject.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/model_sha256.h"  // Generated: MODEL_SHA256

_Static_assert(sizeof(MODEL_SHA256) == 65, "a SHA-256 in hexadecimal");

struct subject subject_model(void) {
  return (struct subject){
      .kind = SUBJECT_MODEL,
      .name = "model",
      .sha256 = MODEL_SHA256,
  };
}

bool subject_parse(const char *text, struct subject *out, char *err, size_t len) {
  if (!strcmp(text, "model")) {
    *out = subject_model();
    return true;
  }
  if (!strncmp(text, "image:", 6) || !strncmp(text, "kernel:", 7))
    snprintf(err, len, "no scenario of this build takes the subject '%s'; it has: model", text);
  else
    snprintf(err, len, "'%s' is not a subject; this build has: model", text);
  return false;
}

const char *subject_commit(void) {
  static const char allowed[] =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
      "0123456789._-";
  const char *commit = getenv("SEEDBED_COMMIT");

  if (!commit || !*commit || strlen(commit) > 63 || strspn(commit, allowed) != strlen(commit))
    return "unknown";
  return commit;
}
