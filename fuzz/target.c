// SPDX-License-Identifier: GPL-2.0-or-later
//
// See target.h.
#include "fuzz/target.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz/feedback.h"
#include "fuzz/fuzz_input.h"
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
static u32 twice = 1024;

static const struct sim_scenario *scenario(void) {
  static const struct sim_scenario *found;

  if (found) return found;
  found = seedbed_scenario_by_name(fuzz_scenario_name);
  SIM_ASSERT(found);
  cover = fuzz_feedback();
  if (getenv("SEEDBED_FUZZ_TWICE")) twice = (u32)strtoul(getenv("SEEDBED_FUZZ_TWICE"), NULL, 10);
  return found;
}

static void set_up(struct ready *r, const u8 *bytes, size_t len) {
  const char *bug = getenv("SEEDBED_FUZZ_BUG");

  fuzz_feedback_hold();
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
  fuzz_feedback_resume();
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

const struct sim_world *fuzz_world(void) { return current ? current->world : NULL; }

const struct sim_result *fuzz_run(const u8 *bytes, size_t len) {
  struct sim_input input = fuzz_sim_input(bytes, len);

  current = world_of(bytes, len);
  current->used = ++runs;
  if (current->status != SIM_OK) return &current->result;
  sim_world_run(current->world, &input, &result);
  return &result;
}

static void tell(const struct sim_result *r, const char *key, const char *text) {
  fprintf(stderr,
          "%s\nFAIL key=%s scenario=%s draws=%" PRIu64 " steps=%" PRIu64 " vtime_ns=%" PRIu64
          " digest=0x%016" PRIx64 "\nreplay: tools/seedbed replay %s FILE\n",
          text, key, fuzz_scenario_name, r->draws, r->steps, r->vtime_ns, r->digest,
          fuzz_scenario_name);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size) {
  const struct sim_result *r = fuzz_run(data, size);

  if (r->num_failures) {
    tell(r, r->failures[0].key, r->failures[0].text);
    abort();
  }
  if (twice && current->status == SIM_OK && runs % twice == 0) {
    u64 digest = r->digest, draws = r->draws;

    fuzz_feedback_hold();
    sim_world_set_fill(current->world, 0xa5);
    r = fuzz_run(data, size);
    sim_world_set_fill(current->world, 0);
    fuzz_feedback_resume();
    if (r->digest != digest || r->draws != draws) {
      tell(r, "not-deterministic", "two runs of one input differ: a defect of ours");
      abort();
    }
  }
  return 0;
}
