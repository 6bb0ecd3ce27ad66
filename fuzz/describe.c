// SPDX-License-Identifier: GPL-2.0-or-later
//
// See describe.h.
#include "fuzz/describe.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "fuzz/fuzz_input.h"
#include "fuzz/target.h"
#include "models/seedbed_scenarios.h"
#include "sim/bytes.h"

enum { INPUT_MAX = 1 << 20, SEEDS = 32 };

const u32 *fuzz_draws(void) {
  const struct sim_world *w = fuzz_world();

  return w ? sim_bytes_draws(w) : NULL;
}

static void add_run(const u8 *bytes, size_t len, u32 most[SIM_BYTES_CLASSES]) {
  const u32 *draws;

  (void)fuzz_run(bytes, len);
  draws = fuzz_draws();
  for (u32 i = 0; draws && i < SIM_BYTES_CLASSES; i++)
    if (draws[i] > most[i]) most[i] = draws[i];
}

static void add_file(const char *path, u32 most[SIM_BYTES_CLASSES]) {
  static u8 bytes[INPUT_MAX];
  FILE *file = fopen(path, "rb");

  if (!file) return;
  add_run(bytes, fread(bytes, 1, sizeof(bytes), file), most);
  fclose(file);
}

// "bazel run" starts programs in a folder of its own and says where the user is; a test's files are
// where it is started.
static void go_to_user(void) {
  const char *folder = getenv("BUILD_WORKING_DIRECTORY");

  if (!folder || getenv("TEST_SRCDIR") || !chdir(folder)) return;
  perror(folder);
  exit(SIM_MISSING_FILE);
}

int LLVMFuzzerInitialize(int *argc, char ***argv) {
  const char *path = getenv("SEEDBED_FUZZ_DESCRIBE");
  const char *history = getenv("SEEDBED_FUZZ_REPLAY_HISTORY");
  u32 most[SIM_BYTES_CLASSES] = {0};
  FILE *file;

  go_to_user();
  if (history && *history) exit(fuzz_replay_history(history));
  if (!path) return 0;
  add_run((const u8 *)"", 0, most);
  for (u32 seed = 0; seed < SEEDS; seed++) {
    const u8 based[1 + FUZZ_BASE_LEN] = {FUZZ_BASED, (u8)seed};

    add_run(based, sizeof(based), most);
  }
  for (int i = 1; i < *argc; i++) add_file((*argv)[i], most);
  file = fopen(path, "w");
  if (!file) {
    perror(path);
    exit(SIM_OURS);
  }
  fprintf(file, "max_len %u\n", seedbed_scenario_by_name(fuzz_scenario_name)->input_len_max);
  for (u32 i = 0; i < SIM_BYTES_CLASSES; i++)
    if (most[i]) fprintf(file, "class %u %u\n", i, most[i]);
  exit(fclose(file) ? SIM_OURS : 0);
}
