// SPDX-License-Identifier: GPL-2.0-or-later
//
// What a change reaches; see fuzz_reach.h.

#include "tools/fuzzing/fuzz_reach.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool begins(const char *text, const char *prefix) {
  return !strncmp(text, prefix, strlen(prefix));
}

static bool ends(const char *text, const char *suffix) {
  size_t len = strlen(text), suffix_len = strlen(suffix);

  return len >= suffix_len && !strcmp(text + len - suffix_len, suffix);
}

static const char *base_name(const char *path) {
  const char *slash = strrchr(path, '/');

  return slash ? slash + 1 : path;
}

// corpora/TARGET/...
static enum fuzz_reach reach_of_data(const char *path, char *out_target, size_t len) {
  const char *name = path + strlen("corpora/"), *slash = strchr(name, '/');

  if (!slash) return strcmp(name, "BUILD.bazel") != 0 ? FUZZ_REACH_NONE : FUZZ_REACH_ALL;
  snprintf(out_target, len, "%.*s", (int)(slash - name), name);
  return ends(out_target, "_fuzz") ? FUZZ_REACH_TARGET : FUZZ_REACH_NONE;
}

enum fuzz_reach fuzz_reach_of(const char *path, bool exists, char *out_target, size_t len) {
  static const char *const built_by[] = {"WORKSPACE", "BUILD.bazel", ".bazelrc", "tools/bazel/"};

  for (u32 i = 0; i < SIM_ARRAY_SIZE(built_by); i++)
    if (begins(path, built_by[i])) return FUZZ_REACH_ALL;
  if (begins(path, "corpora/")) return reach_of_data(path, out_target, len);
  if (!begins(path, "sim/") && !begins(path, "models/") && !begins(path, "fuzz/"))
    return FUZZ_REACH_NONE;
  if (ends(path, ".md") || ends(path, "_test.c") || ends(path, "_test.sh")) return FUZZ_REACH_NONE;
  if (begins(path, "fuzz/oss-fuzz/")) return FUZZ_REACH_NONE;
  if (!begins(path, "models/") || !exists) return FUZZ_REACH_ALL;
  if (!strchr(path + strlen("models/"), '/') || !strcmp(base_name(path), "BUILD.bazel"))
    return FUZZ_REACH_ALL;
  return FUZZ_REACH_ASK;
}

// Whether the label at `label` ("//models/crng:x.c", up to a quote) is of the file `path`.
static bool is_label_of(const char *label, const char *path) {
  size_t len = strcspn(label, "\"");

  if (len < 2 || len - 2 != strlen(path) || label[0] != '/' || label[1] != '/') return false;
  for (size_t i = 0; path[i]; i++)
    if (label[2 + i] != path[i] && !(label[2 + i] == ':' && path[i] == '/')) return false;
  return true;
}

void fuzz_reach_owners(const char *graph, const char *path, struct text *out) {
  static const char arrow[] = "\" -> \"";

  for (; *graph; graph += strcspn(graph, "\n"), graph += *graph == '\n') {
    const char *owner = graph + strspn(graph, " "), *label;

    // `  "//models/crng:crng" -> "//models/crng:x.c"`
    if (*owner != '"') continue;
    owner++;
    label = owner + strcspn(owner, "\"\n");
    if (!begins(label, arrow)) continue;
    if (is_label_of(label + strlen(arrow), path))
      text_addf(out, "%.*s\n", (int)(label - owner), owner);
  }
}

static bool has_line(const char *lines, const char *line, size_t len) {
  for (; *lines; lines += strcspn(lines, "\n"), lines += *lines == '\n')
    if (strcspn(lines, "\n") == len && !strncmp(lines, line, len)) return true;
  return false;
}

bool fuzz_reach_shares_line(const char *lines, const char *others) {
  for (; *lines; lines += strcspn(lines, "\n"), lines += *lines == '\n') {
    size_t len = strcspn(lines, "\n");

    if (len && has_line(others, lines, len)) return true;
  }
  return false;
}
