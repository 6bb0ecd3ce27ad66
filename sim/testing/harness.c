// SPDX-License-Identifier: GPL-2.0-or-later
//
// A world for tests; see harness.h.
#include "sim/testing/harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void give_up(const char *what, const char *reason) {
  fprintf(stderr, "testing_begin: %s: %s\n", what, reason);
  abort();
}

void testing_begin(struct testing_harness *h, const struct sim_scenario *scenario,
                   const char *settings) {
  char text[512], err[256], *rest = text;
  memset(h, 0, sizeof(*h));
  h->params = sim_params_new(scenario);
  snprintf(text, sizeof(text), "%s", settings ? settings : "");
  for (char *word; (word = strsep(&rest, " ")) != NULL;) {
    char *value = strchr(word, '=');
    if (!*word) continue;
    if (!value) give_up(word, "no value");
    *value++ = 0;
    bool ok = strcmp(word, "bug") == 0 ? sim_params_set_bug(h->params, value)
                                       : sim_params_set(h->params, word, value, err, sizeof(err));
    if (!ok) give_up(word, "refused");
  }
  h->w = sim_world_new();
  if (!h->w) give_up(scenario->name, "no memory");
  if (sim_world_setup(h->w, scenario, h->params, &h->result) != SIM_OK)
    give_up(scenario->name, h->result.failures[0].text);
}

void testing_end(struct testing_harness *h) {
  sim_world_free(h->w);
  sim_params_free(h->params);
  memset(h, 0, sizeof(*h));
}

void testing_run(struct testing_harness *h, const struct sim_input *input) {
  sim_world_run(h->w, input, &h->result);
}

void testing_run_calm(struct testing_harness *h) {
  struct sim_input input = {.backend = SIM_BACKEND_CALM};
  testing_run(h, &input);
}

void testing_run_seed(struct testing_harness *h, u32 strategy, u64 seed) {
  struct sim_input input = {.backend = SIM_BACKEND_SEED, .seed = seed, .strategy = strategy};
  testing_run(h, &input);
}

void testing_run_list(struct testing_harness *h, const struct sim_decisions *list) {
  struct sim_input input = {.backend = SIM_BACKEND_LIST, .list = list};
  testing_run(h, &input);
}

const char *testing_key(const struct testing_harness *h) {
  return h->result.num_failures ? h->result.failures[0].key : "";
}
