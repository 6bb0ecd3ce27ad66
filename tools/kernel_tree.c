// SPDX-License-Identifier: GPL-2.0-or-later
//
// See kernel_tree.h.

#include "tools/kernel_tree.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/child.h"
#include "tools/command.h"
#include "tools/findings.h"
#include "tools/text.h"

enum { INFO_MAX = 4096 };

// What tools/kernel's status says; what led to it stands on stderr already.
static enum sim_status told(const struct child_result *child, const char *dir, char *err,
                            size_t len) {
  switch (child->end == CHILD_EXITED ? child->code : 0) {
    case SIM_USAGE:
      snprintf(err, len, "%.200s is no path for a tree", dir);
      return SIM_USAGE;
    case SIM_MALFORMED:
      snprintf(err, len, "%.200s does not compile", dir);
      return SIM_MALFORMED;
    case SIM_MISSING_FILE:
      snprintf(err, len, "%.200s is no kernel tree with the files that this scenario runs", dir);
      return SIM_MISSING_FILE;
    case SIM_MISSING_PACKAGE:
      snprintf(err, len, "%.200s cannot be compiled here", dir);
      return SIM_MISSING_PACKAGE;
    default:
      snprintf(err, len, "tools/kernel failed on %.200s", dir);
      return SIM_OURS;
  }
}

// The value of a line "WORD VALUE" of `info`; "" if it has none.
static void take_word(const char *info, const char *word, char *out, size_t len) {
  const char *line = strstr(info, word);

  *out = '\0';
  if (!line) return;
  line += strlen(word);
  snprintf(out, len, "%.*s", (int)strcspn(line, "\n"), line);
}

static enum sim_status load(char *path, struct kernel_tree *out, char *err, size_t len) {
  struct text info = {0};
  char *info_path;
  bool read;

  path[strcspn(path, "\n")] = '\0';
  out->object = kernel_object_load(path, err, len);
  if (!out->object) return SIM_OURS;
  info_path = xasprintf("%.*s/info", (int)(strrchr(path, '/') - path), path);
  read = read_file(info_path, INFO_MAX, &info);
  if (read) {
    take_word(text_str(&info), "version ", out->version, sizeof(out->version));
    take_word(text_str(&info), "sha256 ", out->sha256, sizeof(out->sha256));
  }
  if (!read || strlen(out->sha256) != 64)
    snprintf(err, len, "%s: not as it was written", info_path);
  read = read && strlen(out->sha256) == 64;
  text_free(&info);
  free(info_path);
  return read ? SIM_OK : SIM_OURS;
}

enum sim_status kernel_tree_load(const char *dir, struct kernel_tree *out, char *err, size_t len) {
  const char *root = getenv("SEEDBED_ROOT");
  enum sim_status status;
  char *program;

  if (!root || !*root) {
    snprintf(err, len, "SEEDBED_ROOT does not tell where seedbed is: start it as tools/seedbed");
    return SIM_OURS;
  }
  program = xasprintf("%s/tools/kernel", root);
  const char *argv[] = {program, "build", dir, NULL};
  struct child_result child;

  child_exec(program, argv, &child);
  if (child.end == CHILD_EXITED && child.code == 0 && strchr(text_str(&child.out), '/'))
    status = load(child.out.s, out, err, len);
  else
    status = told(&child, dir, err, len);
  child_result_free(&child);
  free(program);
  for (u32 i = 0; status == SIM_OK && i < out->object->num_unbound; i++)
    complain(
        "%s: its files refer to %s, which seedbed lacks: a run that calls it ends with status"
        " 70 (docs/KERNEL.md)",
        dir, out->object->unbound[i]);
  return status;
}
