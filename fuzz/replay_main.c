// SPDX-License-Identifier: GPL-2.0-or-later
//
// A target without an engine: runs each file, and each file of each folder, twice, and prints a
// line for each, with its digest. An empty file is the calm run.
//
//   TARGET FILE|FOLDER...
//
// Exit status: 0; 64: usage; 65: an input longer than 1 MiB; 66: what is named is not there, cannot
// be read, or is a folder without inputs. A failure ends by abort, as in an engine, with the
// command that replays it. As a test of Bazel's, no input at all passes: an empty corpus; and an
// input that fails stays in TEST_UNDECLARED_OUTPUTS_DIR.
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fuzz/describe.h"
#include "fuzz/history.h"
#include "fuzz/target.h"

static u32 num_inputs;
static u8 bytes[HISTORY_INPUT_MAX + 1];

// ---- What is left of a failure ----

static char replay_line[5000];

// Where a run killed the process, and no sanitizer takes care of it.
static void tell_and_die(int number) {
  (void)!write(2, replay_line, strlen(replay_line));
  signal(number, SIG_DFL);
  raise(number);
}

static void catch_deaths(void) {
  static const int deaths[] = {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP};

  for (size_t i = 0; i < SIM_ARRAY_SIZE(deaths); i++) {
    struct sigaction old;

    if (!sigaction(deaths[i], NULL, &old) && old.sa_handler == SIG_DFL)
      signal(deaths[i], tell_and_die);
  }
}

static void say_how_to_replay(const char *path) {
  const char *bug = getenv("SEEDBED_FUZZ_BUG");

  snprintf(replay_line, sizeof(replay_line),
           "it failed: %s\nreplay: tools/seedbed replay%s%s %s %s\n", path, bug ? " --bug=" : "",
           bug ? bug : "", fuzz_scenario_name, path);
}

// A copy where Bazel keeps what a test leaves behind; `keep` false takes it away again.
static void leave_copy(const char *path, size_t len, bool keep) {
  const char *folder = getenv("TEST_UNDECLARED_OUTPUTS_DIR"), *slash = strrchr(path, '/');
  char copy[4400];
  FILE *file;

  if (!folder) return;
  snprintf(copy, sizeof(copy), "%s/%s", folder, slash ? slash + 1 : path);
  if (!keep) {
    unlink(copy);
    return;
  }
  file = fopen(copy, "wb");
  if (!file || fwrite(bytes, 1, len, file) != len) perror(copy);
  if (file && fclose(file)) perror(copy);
}

// ---- Inputs ----

static int refuse(const char *path, int status, const char *why) {
  fprintf(stderr, "%s: %s\n", path, why);
  return status;
}

static int run_file(const char *path) {
  FILE *file = fopen(path, "rb");
  const struct sim_result *r;
  bool unread;
  size_t len;
  u64 digest;

  if (!file) return refuse(path, SIM_MISSING_FILE, strerror(errno));
  len = fread(bytes, 1, sizeof(bytes), file);
  unread = ferror(file);
  if (unread) refuse(path, 0, strerror(errno));
  fclose(file);
  if (unread) return SIM_MISSING_FILE;
  if (len > HISTORY_INPUT_MAX) return refuse(path, SIM_MALFORMED, "longer than 1 MiB: no input");
  fprintf(stderr, "%s: %zu bytes\n", path, len);
  say_how_to_replay(path);
  leave_copy(path, len, true);
  LLVMFuzzerTestOneInput(bytes, len);
  digest = fuzz_last()->digest;
  LLVMFuzzerTestOneInput(bytes, len);
  r = fuzz_last();
  if (r->digest != digest) {
    refuse(path, 0, "its second run has another digest: a defect of ours");
    abort();
  }
  leave_copy(path, len, false);
  printf("OK scenario=%s draws=%" PRIu64 " steps=%" PRIu64 " vtime_ns=%" PRIu64
         " digest=0x%016" PRIx64 " file=%s\n",
         fuzz_scenario_name, r->draws, r->steps, r->vtime_ns, r->digest, path);
  fflush(stdout);
  num_inputs++;
  return 0;
}

static int run_folder(const char *path, bool may_be_empty) {
  u32 before = num_inputs;
  struct dirent **entries;
  int n = scandir(path, &entries, NULL, alphasort), status = 0;

  if (n < 0) return refuse(path, SIM_MISSING_FILE, strerror(errno));
  for (int i = 0; i < n; i++) {
    char inner[4096];
    struct stat st;

    snprintf(inner, sizeof(inner), "%s/%s", path, entries[i]->d_name);
    if (!status && entries[i]->d_name[0] != '.' && !stat(inner, &st) && S_ISREG(st.st_mode))
      status = run_file(inner);
    free(entries[i]);
  }
  free(entries);
  if (!status && num_inputs == before && !may_be_empty)
    return refuse(path, SIM_MISSING_FILE, "a folder without inputs: nothing was run");
  return status;
}

int main(int argc, char **argv) {
  bool is_test = getenv("TEST_SRCDIR") != NULL;
  int status = 0;

  setenv("SEEDBED_FUZZ_TWICE", "1", 0);
  LLVMFuzzerInitialize(&argc, &argv);
  if (argc < 2 && !is_test) {
    fprintf(stderr, "usage: %s FILE|FOLDER...\n", argv[0]);
    return SIM_USAGE;
  }
  catch_deaths();
  for (int i = 1; i < argc && !status; i++) {
    struct stat st;

    status = !stat(argv[i], &st) && S_ISDIR(st.st_mode) ? run_folder(argv[i], is_test)
                                                        : run_file(argv[i]);
  }
  if (!status) fprintf(stderr, "%s: %u inputs\n", fuzz_scenario_name, num_inputs);
  return status;
}
