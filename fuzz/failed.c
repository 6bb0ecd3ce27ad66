// SPDX-License-Identifier: GPL-2.0-or-later
//
// See failed.h.
#include "fuzz/failed.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fuzz/history.h"

enum { KNOWN_MAX = 256, PATH_LEN = 4200 };

// Keys that this process knows to be in the folder.
static struct {
  char key[KNOWN_MAX][SIM_KEY_LEN];
  u32 count;
} known;

static bool is_known(const char *key) {
  for (u32 i = 0; i < known.count; i++)
    if (!strcmp(known.key[i], key)) return true;
  return false;
}

static void add_known(const char *key) {
  if (known.count < KNOWN_MAX) snprintf(known.key[known.count++], SIM_KEY_LEN, "%s", key);
}

// False if it does not fit.
static bool path_of(const char *folder, const char *key, const char *end, char out[PATH_LEN]) {
  int n = snprintf(out, PATH_LEN, "%s/%s%s", folder, key, end);

  for (char *at = out + strlen(folder) + 1; n > 0 && n < PATH_LEN && *at; at++)
    if (*at == '/') *at = '+';
  return n > 0 && n < PATH_LEN;
}

static bool write_input(const char *path, const u8 *bytes, size_t len) {
  FILE *file = fopen(path, "wbe");
  bool good = file && fwrite(bytes, 1, len, file) == len;

  return file && !fclose(file) && good;
}

static bool put(const char *folder, const char *key, const u8 *bytes, size_t len) {
  char path[PATH_LEN], record[PATH_LEN], part[PATH_LEN], end[32];
  bool good;

  snprintf(end, sizeof(end), ".part.%ld", (long)getpid());
  if (!path_of(folder, key, "", path) || !path_of(folder, key, ".history", record) ||
      !path_of(folder, key, end, part))
    return false;
  if (!access(path, F_OK)) return true;  // an earlier process of this engine has put it there
  good = (!history_is_open() || (history_write(part) && !rename(part, record))) &&
         write_input(part, bytes, len) && !rename(part, path);
  if (!good) {
    fprintf(stderr, "%s: %s\n", path, strerror(errno));
    unlink(part);
  }
  return good;
}

bool failed_take(const struct sim_result *result, const u8 *bytes, size_t len) {
  const char *folder = getenv("SEEDBED_FUZZ_FAILED");

  if (!folder || !*folder) return false;
  for (u32 i = 0; i < result->num_failures; i++) {
    const struct sim_failure *failure = &result->failures[i];

    if (is_known(failure->key)) continue;
    if (!put(folder, failure->key, bytes, len)) return false;
    fprintf(stderr, "%s\nFAIL key=%s: kept, and gone on\n", failure->text, failure->key);
    add_known(failure->key);
  }
  return true;
}
