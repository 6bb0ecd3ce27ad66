// SPDX-License-Identifier: GPL-2.0-or-later
//
// See target.h.
#include "fuzz/target.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz/failed.h"
#include "fuzz/feedback.h"
#include "fuzz/fuzz_input.h"
#include "fuzz/history.h"
#include "models/guest/guest.h"
#include "models/seedbed_scenarios.h"

// Worlds that stand ready, by their settings, each with engines of its own; the least recently used
// one goes.
enum { WORLDS = GUEST_BANKS };

struct ready {
  struct sim_world *world;  // NULL: unused
  struct sim_params *params;
  u8 key[2 * FUZZ_SETTINGS_MAX];
  size_t key_len;
  u64 used;
  enum sim_status status;  // of its set-up
  struct sim_result result;
};

static struct ready ready[WORLDS];
static const struct sim_cover *cover;  // of all worlds; NULL: nothing is counted
static struct ready *current;
static struct sim_result result;
static u64 runs;
static u32 twice = 1024, again = 1024;
static bool replaying;  // a history: what fails ends the process with its status

// What is held outermost holds.
static u32 holds;

static void hold(void) {
  if (!holds++) fuzz_feedback_hold();
}

static void resume(void) {
  if (!--holds) fuzz_feedback_resume();
}

static u32 number_of(const char *variable, u32 otherwise) {
  const char *text = getenv(variable);

  return text ? (u32)strtoul(text, NULL, 10) : otherwise;
}

static const struct sim_scenario *scenario(void) {
  static const struct sim_scenario *found;

  if (found) return found;
  found = seedbed_scenario_by_name(fuzz_scenario_name);
  SIM_ASSERT(found);
  cover = fuzz_feedback();
  twice = number_of("SEEDBED_FUZZ_TWICE", twice);
  again = number_of("SEEDBED_FUZZ_AGAIN", again);
  return found;
}

static void set_up(struct ready *r, const u8 *bytes, size_t len) {
  const char *bug = getenv("SEEDBED_FUZZ_BUG");

  hold();
  if (r->world) {
    sim_world_free(r->world);
    sim_params_free(r->params);
  }
  r->params = sim_params_new(scenario());
  if (bug && !sim_params_set_bug(r->params, bug)) {
    fprintf(stderr, "%s has no bug %s\n", fuzz_scenario_name, bug);
    exit(SIM_USAGE);
  }
  fuzz_settings_apply(bytes, len, r->params);
  r->key_len = fuzz_settings_key(bytes, len, scenario(), r->key);
  r->world = sim_world_new();
  SIM_ASSERT(r->world);
  sim_world_set_cover(r->world, cover);
  guest_shared_bank((u32)(r - ready));
  r->status = sim_world_setup(r->world, scenario(), r->params, &r->result);
  resume();
}

static struct ready *world_of(const u8 *bytes, size_t len) {
  struct ready *oldest = &ready[0];
  u8 key[2 * FUZZ_SETTINGS_MAX];
  size_t key_len = fuzz_settings_key(bytes, len, scenario(), key);

  for (u32 i = 0; i < WORLDS; i++) {
    struct ready *r = &ready[i];

    if (r->world && r->key_len == key_len && !memcmp(r->key, key, key_len)) return r;
    if (!r->world || r->used < oldest->used) oldest = r;
    if (!r->world) break;
  }
  set_up(oldest, bytes, len);
  return oldest;
}

const struct sim_result *fuzz_last(void) {
  return current->status == SIM_OK ? &result : &current->result;
}

const struct sim_world *fuzz_world(void) { return current ? current->world : NULL; }

const struct sim_result *fuzz_run(const u8 *bytes, size_t len) {
  struct sim_input input = fuzz_sim_input(bytes, len);

  current = world_of(bytes, len);
  current->used = ++runs;
  if (current->status != SIM_OK) return &current->result;
  sim_world_run(current->world, &input, &result);
  return &result;
}

static SIM_NORETURN void fail(const struct sim_result *r, enum sim_status status, const char *key,
                              const char *text) {
  const char *bug = getenv("SEEDBED_FUZZ_BUG");

  fprintf(stderr,
          "%s\nFAIL key=%s scenario=%s draws=%" PRIu64 " steps=%" PRIu64 " vtime_ns=%" PRIu64
          " digest=0x%016" PRIx64 "\nreplay: tools/seedbed replay%s%s %s FILE\n",
          text, key, fuzz_scenario_name, r->draws, r->steps, r->vtime_ns, r->digest,
          bug ? " --bug=" : "", bug ? bug : "", fuzz_scenario_name);
  if (replaying) exit((int)status);
  abort();
}

// One input, in the record from before its run on; `second`: and again, with other bytes in unused
// memory. Returns only if it passes.
static const struct sim_result *run_recorded(const u8 *data, size_t size, bool second) {
  const struct sim_result *r;
  u64 digest, draws;

  history_begin(data, size);
  r = fuzz_run(data, size);
  if (r->num_failures && (replaying || !failed_take(r, data, size)))
    fail(r, r->status, r->failures[0].key, r->failures[0].text);
  digest = r->digest;
  draws = r->draws;
  if (second && !r->num_failures && current->status == SIM_OK) {
    history_twice();
    hold();
    sim_world_set_fill(current->world, 0xa5);
    r = fuzz_run(data, size);
    sim_world_set_fill(current->world, 0);
    resume();
    if (r->digest != digest || r->draws != draws)
      fail(r, SIM_NONDETERMINISM, "not-deterministic",
           "two runs of one input differ: a defect of ours");
  }
  history_end(digest);
  if (r->num_failures) fuzz_feedback_forget();
  return r;
}

static SIM_NORETURN void fail_by_history(const struct sim_result *r) {
  fail(r, SIM_NONDETERMINISM, "depends-on-history",
       "an input's run differs from an earlier one of this process, with others between them: "
       "state survives runs, a defect of ours");
}

static void run_earlier(u64 number) {
  struct history_input earlier;
  const struct sim_result *r;

  if (!history_earlier(sim_mix64(number), &earlier)) return;
  hold();
  r = run_recorded(earlier.bytes, earlier.len, false);
  resume();
  if (r->digest != earlier.digest) fail_by_history(r);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size) {
  static bool asked;
  static u64 inputs;

  if (!asked && !history_is_open()) {
    const char *path = getenv("SEEDBED_FUZZ_HISTORY");

    asked = !path || !*path || !history_open(path, fuzz_scenario_name);
  }
  (void)scenario();
  run_recorded(data, size, twice && (runs + 1) % twice == 0);
  if (again && history_is_open() && ++inputs % again == 0) run_earlier(inputs);
  return 0;
}

int fuzz_replay_history(const char *path) {
  struct history history;
  char err[256];
  int status = history_read(path, &history, err, sizeof(err));
  u64 *digest;

  if (!status && strcmp(history.scenario, fuzz_scenario_name) != 0) {
    snprintf(err, sizeof(err), "a record of %s, not of %s", history.scenario, fuzz_scenario_name);
    status = SIM_MALFORMED;
  }
  if (status) {
    fprintf(stderr, "%s: %s\n", path, err);
    return status;
  }
  replaying = true;
  digest = calloc(history.count + 1, sizeof(*digest));
  SIM_ASSERT(digest);
  for (u32 i = 0; i < history.count; i++) {
    const struct history_input *input = &history.input[i];
    const struct sim_result *r;
    u32 before = 0;

    fprintf(stderr, "history: input %u of %u, %zu bytes%s\n", i + 1, history.count, input->len,
            input->cut ? ", which are not recorded" : "");
    if (input->cut) continue;
    r = run_recorded(input->bytes, input->len, input->twice);
    digest[i] = r->digest;
    // What ran before the record began, or another build.
    if (input->done && input->digest != r->digest)
      fprintf(stderr, "history: its digest was 0x%016" PRIx64 ", and is 0x%016" PRIx64 " now\n",
              input->digest, r->digest);
    while (before < i && (history.input[before].cut || history.input[before].len != input->len ||
                          memcmp(history.input[before].bytes, input->bytes, input->len) != 0))
      before++;
    if (before < i && digest[before] != digest[i]) fail_by_history(r);
  }
  fprintf(stderr, "history: %u inputs, none failed\n", history.count);
  free(digest);
  history_free(&history);
  return SIM_OK;
}
