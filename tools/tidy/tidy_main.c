// SPDX-License-Identifier: GPL-2.0-or-later
//
// tidy: applies the rules of tidy.h to the files whose paths, relative to the current
// folder, come on standard input, one a line. Status 0: no breach; 1: some.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/tidy/tidy.h"

// Ends the process: there is no tree to check.
static void fail(const char *what) {
  perror(what);
  exit(66);
}

static void *resize(void *memory, size_t size) {
  void *resized = realloc(memory, size);

  if (!resized) fail("tidy");
  return resized;
}

// Reads a whole file. NULL: the file is gone.
static char *read_file(const char *path, size_t *out_len) {
  FILE *stream = fopen(path, "rb");
  char *text = NULL;
  size_t size = 0, len = 0, got;

  if (!stream && errno == ENOENT) return NULL;
  if (!stream) fail(path);
  do {
    size = size ? 2 * size : 1 << 16;
    text = resize(text, size);
    got = fread(text + len, 1, size - len - 1, stream);
    len += got;
  } while (got);
  fclose(stream);
  text[len] = 0;
  *out_len = len;
  return text;
}

static void report(const char *path, unsigned line, const struct tidy_rule *rule,
                   const char *detail, void *arg) {
  printf("%s:%u: %s: %s (%s)\n", path, line, rule->id, detail, rule->sentence);
}

int main(int argc, char **argv) {
  struct tidy_file *files = NULL;
  size_t num_files = 0, line_size = 0, num_breaches;
  char *line = NULL;

  if (argc > 1) {
    fprintf(stderr, "usage: git ls-files | %s\n", argv[0]);
    for (const struct tidy_rule *rule = tidy_rules; rule->id; rule++)
      fprintf(stderr, "  %-13s %s\n", rule->id, rule->sentence);
    return 64;
  }
  while (getline(&line, &line_size, stdin) > 0) {
    struct tidy_file file = {0};

    line[strcspn(line, "\n")] = 0;
    file.text = read_file(line, &file.text_len);
    if (!file.text) continue;
    files = resize(files, (num_files + 1) * sizeof *files);
    file.path = memcpy(resize(NULL, strlen(line) + 1), line, strlen(line) + 1);
    files[num_files++] = file;
  }
  free(line);
  num_breaches = tidy_check(files, num_files, report, NULL);
  for (size_t i = 0; i < num_files; i++) {
    free((char *)files[i].path);
    free((char *)files[i].text);
  }
  free(files);
  return num_breaches ? 1 : 0;
}
