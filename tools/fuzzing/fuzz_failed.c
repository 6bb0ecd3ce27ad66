// SPDX-License-Identifier: GPL-2.0-or-later
//
// The findings of one call; see fuzz_failed.h.

#include "tools/fuzzing/fuzz_failed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/findings.h"

static const char word[] = "failed ";

void fuzz_failed_add(struct fuzz_failed *failed, const char *folder) {
  for (u32 i = 0; i < failed->count; i++)
    if (!strcmp(failed->folder[i], folder)) return;
  failed->folder = xrealloc(failed->folder, (failed->count + 1) * sizeof(*failed->folder));
  failed->folder[failed->count++] = xstrdup(folder);
}

void fuzz_failed_free(struct fuzz_failed *failed) {
  for (u32 i = 0; i < failed->count; i++) free(failed->folder[i]);
  free(failed->folder);
  *failed = (struct fuzz_failed){0};
}

void fuzz_failed_lines(const struct fuzz_failed *failed, struct text *text) {
  for (u32 i = 0; i < failed->count; i++) text_addf(text, "%s%s\n", word, failed->folder[i]);
}

const char *fuzz_failed_read(struct fuzz_failed *failed, const char *text) {
  while (!strncmp(text, word, strlen(word))) {
    size_t len = strcspn(text, "\n");
    char *folder;

    if (!text[len]) break;  // torn
    folder = xasprintf("%.*s", (int)(len - strlen(word)), text + strlen(word));
    fuzz_failed_add(failed, folder);
    free(folder);
    text += len + 1;
  }
  return text;
}

void fuzz_failed_tell(struct fuzz_failed *failed) {
  for (u32 i = 0; i < failed->count; i++) {
    const char *folder = failed->folder[i];
    char *key = findings_line(folder, "key"), *cause = findings_line(folder, "cause");
    char *replay = findings_line(folder, "replay");

    printf("%s: %s\n", *key ? key : folder, cause);
    if (*replay)
      printf("replay: %s\n", replay);
    else
      printf("it did not fail again: see %s\n", folder);
    free(replay);
    free(cause);
    free(key);
  }
  fuzz_failed_free(failed);
}
