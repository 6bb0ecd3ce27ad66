// SPDX-License-Identifier: GPL-2.0-or-later
//
// The inputs of corpora: each planted bug's fails with the bug and passes without it, and there is
// one for each; names are of contents; every other input passes. An input gives the same digest
// after any other.
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "fuzz/fuzz_input.h"
#include "models/testing/bulk.h"
#include "sim/bytes.h"

enum { INPUT_MAX = 1 << 16, NAMES_MAX = 64 };

static u8 bytes[INPUT_MAX];

static size_t read_input(const char *path) {
  FILE *file = fopen(path, "rb");
  size_t len;

  if (!file) fail_msg("%s: %s", path, strerror(errno));
  len = fread(bytes, 1, sizeof(bytes), file);
  fclose(file);
  assert_true(len < sizeof(bytes));
  return len;
}

static void check_name(const char *name, size_t len) {
  const char *dash = strrchr(name, '-');
  u64 hash = len;

  for (size_t i = 0; i < len; i++) hash = sim_mix64(hash ^ bytes[i]);
  if (strtoull(dash ? dash + 1 : name, NULL, 16) != hash) fail_msg("%s is not its content", name);
}

static const struct sim_result *run(struct bulk *bulk, size_t len) {
  struct sim_input input = fuzz_sim_input(bytes, len);

  sim_world_run(bulk->world, &input, &bulk->result);
  return &bulk->result;
}

// Folders of a target's inputs, by the scenario.
static void path_of(const struct sim_scenario *scenario, const char *kind, char out[160]) {
  snprintf(out, 160, "corpora/%s_fuzz/%s", scenario->name, kind);
  for (char *at = out; *at; at++)
    if (*at == '-') *at = '_';
}

static u32 names_in(const char *path, char out[NAMES_MAX][128]) {
  DIR *dir = opendir(path);
  u32 num = 0;

  for (struct dirent *entry; dir && (entry = readdir(dir));) {
    if (entry->d_name[0] == '.') continue;
    assert_true(num < NAMES_MAX);
    assert_true(strlen(entry->d_name) < 128);
    memcpy(out[num++], entry->d_name, strlen(entry->d_name) + 1);
  }
  if (dir) closedir(dir);
  return num;
}

static bool with_bug(const struct sim_scenario *scenario, const char *bug, size_t len) {
  struct bulk bulk;
  bool fails;

  bulk.world = sim_world_new();
  bulk.params = sim_params_new(scenario);
  assert_true(sim_params_set_bug(bulk.params, bug));
  fails = sim_world_setup(bulk.world, scenario, bulk.params, &bulk.result) != SIM_OK ||
          run(&bulk, len)->num_failures > 0;
  bulk_close(&bulk);
  return fails;
}

// The input of one bug; there is exactly one.
static void one_bug(const struct sim_scenario *scenario, const char *bug) {
  static char names[NAMES_MAX][128];
  char folder[160], path[300];
  struct bulk clean;
  u32 num, found = 0;

  path_of(scenario, "regress", folder);
  num = names_in(folder, names);
  for (u32 i = 0; i < num; i++) {
    size_t id_len = (size_t)(strrchr(names[i], '-') - names[i]), len;

    if (strlen(bug) != id_len || memcmp(names[i], bug, id_len) != 0) continue;
    found++;
    snprintf(path, sizeof(path), "%s/%.127s", folder, names[i]);
    len = read_input(path);
    check_name(names[i], len);
    if (!with_bug(scenario, bug, len)) fail_msg("%s passes with the bug", path);
    // A world of its own: those with guests share the process's engines.
    bulk_open(&clean, scenario, NULL, NULL);
    if (run(&clean, len)->num_failures) fail_msg("%s fails without the bug", path);
    bulk_close(&clean);
  }
  if (found != 1)
    fail_msg("%s --bug=%s has %u inputs: bazel run //fuzz:regress -- $PWD/corpora %s",
             scenario->name, bug, found, scenario->name);
}

static void seeds(struct bulk *clean, const struct sim_scenario *scenario) {
  static char names[NAMES_MAX][128];
  u64 digests[NAMES_MAX];
  char folder[160], path[300];
  u32 num;

  path_of(scenario, "seed", folder);
  num = names_in(folder, names);
  if (!num) fail_msg("%s has no input", folder);
  // There and back: what ran before makes no difference.
  for (u32 turn = 0; turn < 2 * num; turn++) {
    u32 i = turn < num ? turn : 2 * num - 1 - turn;
    size_t len;

    snprintf(path, sizeof(path), "%s/%.127s", folder, names[i]);
    len = read_input(path);
    check_name(names[i], len);
    if (run(clean, len)->num_failures) fail_msg("%s fails", path);
    if (turn < num)
      digests[i] = clean->result.digest;
    else if (digests[i] != clean->result.digest)
      fail_msg("%s depends on what ran before", path);
  }
}

static void inputs_are_what_they_say(void **state) {
  for (u32 i = 0; seedbed_scenarios[i]; i++) {
    const struct sim_scenario *scenario = seedbed_scenarios[i];
    struct bulk clean;

    if (scenario->testonly) continue;
    bulk_open(&clean, scenario, NULL, NULL);
    seeds(&clean, scenario);
    bulk_close(&clean);
    for (const struct sim_bug *bug = scenario->bugs; bug && bug->id; bug++)
      if (!bug->needs || strcmp(bug->needs, "hooks") != 0) one_bug(scenario, bug->id);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(inputs_are_what_they_say),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
