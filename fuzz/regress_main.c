// SPDX-License-Identifier: GPL-2.0-or-later
//
// regress FOLDER: writes the inputs that fuzz targets begin with and are tested by, below FOLDER:
//
//   TARGET/seed/HASH         the calm run, and runs of a few seeds
//   TARGET/regress/BUG-HASH  for each planted bug the shrunk decisions of its first failing seed
//
// What lies there of those names is replaced. HASH is of the content. Bugs that only an access hook
// finds are left out: their sites are of one build (sim/hook.h).
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "models/seedbed_scenarios.h"
#include "sim/bytes.h"
#include "sim/decision.h"
#include "sim/scenario.h"
#include "sim/shrink.h"
#include "sim/world.h"

enum { SEEDS = 3, SEED_LEN_MAX = 400, INPUT_MAX = 1 << 16, SHRINK_RUNS = 20000 };

static u64 hash_of(const u8 *bytes, size_t len) {
  u64 hash = len;

  for (size_t i = 0; i < len; i++) hash = sim_mix64(hash ^ bytes[i]);
  return hash;
}

static void target_of(const struct sim_scenario *scenario, char out[96]) {
  snprintf(out, 96, "%s_fuzz", scenario->name);
  for (char *at = out; *at; at++)
    if (*at == '-') *at = '_';
}

static void die(const char *what) {
  fprintf(stderr, "regress: %s: %s\n", what, strerror(errno));
  exit(SIM_OURS);
}

static void folder(const char *path) {
  if (mkdir(path, 0777) && errno != EEXIST) die(path);
}

// FOLDER/TARGET/KIND/[NAME-]HASH; renamed into its place.
static void write_input(const char *root, const struct sim_scenario *scenario, const char *kind,
                        const char *name, const u8 *bytes, size_t len) {
  char target[96], path[1024], made[1100];
  FILE *file;

  target_of(scenario, target);
  snprintf(path, sizeof(path), "%s/%s", root, target);
  folder(path);
  snprintf(path, sizeof(path), "%s/%s/%s", root, target, kind);
  folder(path);
  snprintf(path, sizeof(path), "%s/%s/%s/%s%s%016" PRIx64, root, target, kind, name,
           *name ? "-" : "", hash_of(bytes, len));
  snprintf(made, sizeof(made), "%s.new", path);
  file = fopen(made, "wb");
  if (!file || fwrite(bytes, 1, len, file) != len || fclose(file) || rename(made, path)) die(path);
}

// The run of a list as an input: no setting, then its draws. Returns 0 if it is too long, or the
// bytes do not make the run again.
static size_t input_of(struct sim_world *w, const struct sim_decisions *list, u64 digest,
                       u8 bytes[INPUT_MAX]) {
  size_t len = sim_bytes_from_decisions(w, list, bytes + 1, INPUT_MAX - 1);
  struct sim_input input = {.backend = SIM_BACKEND_BYTES, .bytes = bytes + 1, .len = len};
  struct sim_result result;

  bytes[0] = 0;
  if (len > INPUT_MAX - 1) return 0;
  sim_world_run(w, &input, &result);
  return result.digest == digest ? 1 + len : 0;
}

static void write_seeds(const char *root, const struct sim_scenario *scenario) {
  struct sim_world *w = sim_world_new();
  struct sim_params *params = sim_params_new(scenario);
  struct sim_decisions list = {0};
  static u8 bytes[INPUT_MAX];

  write_input(root, scenario, "seed", "", bytes, 0);
  SIM_ASSERT(w && sim_world_setup(w, scenario, params, NULL) == SIM_OK);
  for (u64 seed = 1, written = 0; seed < 1000 && written < SEEDS; seed++) {
    struct sim_input input = {.backend = SIM_BACKEND_SEED, .seed = seed};
    struct sim_result result;
    size_t len;

    sim_world_run(w, &input, &result);
    sim_decisions_from_world(&list, w);
    len = input_of(w, &list, result.digest, bytes);
    if (!len || len > SEED_LEN_MAX || result.num_failures) continue;
    write_input(root, scenario, "seed", "", bytes, len);
    written++;
  }
  sim_decisions_free(&list);
  sim_world_free(w);
  sim_params_free(params);
}

// Returns false if there is no failing seed, or its bytes do not fail.
static bool write_bug(const char *root, const struct sim_scenario *scenario,
                      const struct sim_bug *bug) {
  struct sim_world *w = sim_world_new();
  struct sim_params *params = sim_params_new(scenario);
  struct sim_decisions list = {0};
  static u8 bytes[INPUT_MAX];
  struct sim_result result;
  bool written = false;

  SIM_ASSERT(w && sim_params_set_bug(params, bug->id));
  if (sim_world_setup(w, scenario, params, &result) != SIM_OK) {
    // It fails in the set-up: every input is one.
    write_input(root, scenario, "regress", bug->id, bytes, 0);
    written = true;
  }
  for (u64 i = 0; !written && i < scenario->yardstick_runs; i++) {
    struct sim_input input = {.backend = SIM_BACKEND_SEED, .seed = (1ull << 32) + i};
    char key[SIM_KEY_LEN];
    size_t len;

    sim_world_run(w, &input, &result);
    if (!result.num_failures) continue;
    snprintf(key, sizeof(key), "%s", result.failures[0].key);
    sim_decisions_from_world(&list, w);
    (void)sim_shrink(w, &list, key, SHRINK_RUNS, NULL, NULL);
    input = (struct sim_input){.backend = SIM_BACKEND_LIST, .list = &list};
    sim_world_run(w, &input, &result);
    len = input_of(w, &list, result.digest, bytes);
    if (!len || !result.num_failures) break;
    write_input(root, scenario, "regress", bug->id, bytes, len);
    written = true;
  }
  sim_decisions_free(&list);
  sim_world_free(w);
  sim_params_free(params);
  return written;
}

int main(int argc, char **argv) {
  int status = 0;

  if (argc != 2 && argc != 3) {
    fprintf(stderr, "usage: regress FOLDER [SCENARIO]\n");
    return SIM_USAGE;
  }
  for (u32 i = 0; seedbed_scenarios[i]; i++) {
    const struct sim_scenario *scenario = seedbed_scenarios[i];

    if (scenario->testonly || (argc == 3 && strcmp(argv[2], scenario->name) != 0)) continue;
    write_seeds(argv[1], scenario);
    for (const struct sim_bug *bug = scenario->bugs; bug && bug->id; bug++) {
      if (bug->needs && !strcmp(bug->needs, "hooks")) continue;
      if (write_bug(argv[1], scenario, bug)) continue;
      fprintf(stderr, "%s --bug=%s: no input\n", scenario->name, bug->id);
      status = SIM_OURS;
    }
  }
  return status;
}
