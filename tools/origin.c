// SPDX-License-Identifier: GPL-2.0-or-later
//
// With which planted bug something was found; see origin.h.

#include "tools/origin.h"

#include <stdlib.h>
#include <string.h>

#include "tools/findings.h"
#include "tools/text.h"

enum { FILE_MAX = 1 << 20, HASH_LEN = 16 };

// The word behind the first `mark` that begins a word, or a line.
static char *word_after(const char *text, const char *mark) {
  const char *at = text;

  while ((at = strstr(at, mark))) {
    const char *word = at + strlen(mark);
    size_t len = strcspn(word, " \n'");

    if (len && (at == text || strchr(" \n", at[-1]))) return xasprintf("%.*s", (int)len, word);
    at = word;
  }
  return NULL;
}

char *origin_of_finding(const char *folder) {
  // The words of fuzz_engine_add_command and of run_spec_args; a decision file's line.
  static const struct {
    const char *file, *mark;
  } places[] = {{"decisions", "bug "}, {"replay", "--bug="}, {"replay", "SEEDBED_FUZZ_BUG="}};
  char *bug = NULL;

  for (u32 i = 0; i < SIM_ARRAY_SIZE(places) && !bug; i++) {
    char *path = xasprintf("%s/%s", folder, places[i].file);
    struct text text = {0};

    if (read_file(path, FILE_MAX, &text)) bug = word_after(text_str(&text), places[i].mark);
    text_free(&text);
    free(path);
  }
  return bug;
}

static bool has_bug(const struct sim_scenario *scenario, const char *id) {
  const struct sim_bug *bug = scenario->bugs;

  while (bug && bug->id && strcmp(bug->id, id) != 0) bug++;
  return bug && bug->id;
}

char *origin_of_input(const struct sim_scenario *scenario, const char *path) {
  const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path, *dash;
  char *folder = slash ? xasprintf("%.*s", (int)(slash - path), path) : xstrdup(".");
  char *key = findings_line(folder, "key"), *bug = NULL;
  const char *parent = strrchr(folder, '/') ? strrchr(folder, '/') + 1 : folder;

  if (*key) {
    bug = origin_of_finding(folder);
  } else if (!strcmp(parent, "regress") && (dash = strrchr(name, '-')) &&
             strlen(dash + 1) == HASH_LEN) {
    bug = xasprintf("%.*s", (int)(dash - name), name);
  }
  free(key);
  free(folder);
  if (!bug || has_bug(scenario, bug)) return bug;
  free(bug);
  return NULL;
}
