// SPDX-License-Identifier: GPL-2.0-or-later
//
// A target without an engine: runs each file, and each file of each folder, twice. An empty folder
// is no error; no argument, or a path that is not there, is.
//
//   TARGET FILE|FOLDER...
//
// Exit status: 0; a failure ends by abort, as in an engine; 64: usage; 66: no such file.
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "fuzz/describe.h"
#include "fuzz/target.h"

enum { INPUT_MAX = 1 << 20 };

static u32 num_inputs;

static int run_file(const char *path) {
  static u8 bytes[INPUT_MAX];
  FILE *file = fopen(path, "rb");
  size_t len;

  if (!file) {
    fprintf(stderr, "%s: %s\n", path, strerror(errno));
    return SIM_MISSING_FILE;
  }
  len = fread(bytes, 1, sizeof(bytes), file);
  fclose(file);
  fprintf(stderr, "%s: %zu bytes\n", path, len);
  LLVMFuzzerTestOneInput(bytes, len);
  LLVMFuzzerTestOneInput(bytes, len);
  num_inputs++;
  return 0;
}

static int run_folder(const char *path) {
  struct dirent **entries;
  int n = scandir(path, &entries, NULL, alphasort), status = 0;

  if (n < 0) {
    fprintf(stderr, "%s: %s\n", path, strerror(errno));
    return SIM_MISSING_FILE;
  }
  for (int i = 0; i < n; i++) {
    char inner[4096];
    struct stat st;

    snprintf(inner, sizeof(inner), "%s/%s", path, entries[i]->d_name);
    if (!status && entries[i]->d_name[0] != '.' && !stat(inner, &st) && S_ISREG(st.st_mode))
      status = run_file(inner);
    free(entries[i]);
  }
  free(entries);
  return status;
}

int main(int argc, char **argv) {
  int status = 0;

  setenv("SEEDBED_FUZZ_TWICE", "1", 0);
  LLVMFuzzerInitialize(&argc, &argv);
  if (argc < 2) {
    fprintf(stderr, "usage: %s FILE|FOLDER...\n", argv[0]);
    return SIM_USAGE;
  }
  for (int i = 1; i < argc && !status; i++) {
    struct stat st;

    status = !stat(argv[i], &st) && S_ISDIR(st.st_mode) ? run_folder(argv[i]) : run_file(argv[i]);
  }
  if (!status) fprintf(stderr, "%s: %u inputs\n", fuzz_scenario_name, num_inputs);
  return status;
}
