// SPDX-License-Identifier: GPL-2.0-or-later
//
// A run as the command sees it; see run.h.

#include "tools/run.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sim/hook.h"
#include "tools/command.h"

void run_spec_init(struct run_spec *spec, const struct sim_scenario *scenario) {
  *spec = (struct run_spec){
      .scenario = scenario,
      .params = sim_params_new(scenario),
      .strategy = SIM_STRATEGY_PORTFOLIO,
      .subject = subject_model(),
      .commit = subject_commit(),
  };
}

void run_spec_free(struct run_spec *spec) {
  if (spec->params) sim_params_free(spec->params);
  *spec = (struct run_spec){0};
}

u32 run_spec_args(const struct run_spec *spec, char **out, u32 max) {
  const char *bug = sim_params_bug(spec->params), *key;
  char value[64];
  u32 count = 0, i;

  SIM_ASSERT(max >= 3);
  if (spec->subject.kind != SUBJECT_MODEL)
    out[count++] = xasprintf("--subject=%s", spec->subject.name);
  if (bug) out[count++] = xasprintf("--bug=%s", bug);
  if (spec->strategy != SIM_STRATEGY_PORTFOLIO)
    out[count++] = xasprintf("--strategy=%s", sim_strategy_name(spec->strategy));
  for (i = 0; sim_params_changed(spec->params, i, &key, value, sizeof(value)); i++) {
    SIM_ASSERT(count < max);
    out[count++] = xasprintf("--set=%s=%s", key, value);
  }
  return count;
}

void run_spec_add_options(const struct run_spec *spec, struct text *text) {
  char *args[RUN_ARGS_MAX];
  u32 count = run_spec_args(spec, args, RUN_ARGS_MAX), i;

  for (i = 0; i < count; i++) {
    text_add(text, " ");
    text_add_quoted(text, args[i]);
    free(args[i]);
  }
}

void run_add_replay_seed(const struct run_spec *spec, u64 seed, struct text *text) {
  text_addf(text, "%s replay ", command_invocation);
  text_add_quoted(text, spec->scenario->name);
  text_addf(text, " --seed=0x%" PRIx64, seed);
  run_spec_add_options(spec, text);
}

void run_add_replay_file(const struct run_spec *spec, const char *file, bool with_spec,
                         struct text *text) {
  text_addf(text, "%s replay ", command_invocation);
  if (with_spec) {
    text_add_quoted(text, spec->scenario->name);
    text_add(text, " ");
  }
  // A name that starts with '-' must not be read as an option.
  if (*file == '-') text_add(text, "./");
  text_add_quoted(text, file);
  if (with_spec) run_spec_add_options(spec, text);
}

void run_line_add(const struct run_line *line, struct text *text) {
  if (line->key)
    text_addf(text, "FAIL key=%s scenario=%s ", line->key, line->scenario);
  else
    text_addf(text, "OK scenario=%s ", line->scenario);
  if (line->has_seed)
    text_addf(text, "seed=0x%" PRIx64, line->seed);
  else
    text_add(text, "seed=-");
  text_addf(text,
            " draws=%" PRIu64 " steps=%" PRIu64 " vtime_ns=%" PRIu64 " digest=0x%016" PRIx64
            " commit=%s subject=%s",
            line->draws, line->steps, line->vtime_ns, line->digest, line->commit,
            line->subject_sha256);
  if (line->build) text_addf(text, " build=0x%016" PRIx64, line->build);
}

struct run_line run_line_of(const struct run_spec *spec, const struct sim_result *result,
                            const struct sim_failure *failure, const u64 *seed) {
  return (struct run_line){
      .scenario = spec->scenario->name,
      .key = failure ? failure->key : NULL,
      .has_seed = seed,
      .seed = seed ? *seed : 0,
      .draws = result->draws,
      .steps = result->steps,
      .vtime_ns = result->vtime_ns,
      .digest = result->digest,
      .commit = spec->commit,
      .subject_sha256 = spec->subject.sha256,
      .build = run_spec_build(spec),
  };
}

u64 run_spec_build(const struct run_spec *spec) {
  s64 hooks;

  if (!sim_params_get(spec->params, "hooks", &hooks) || hooks == SIM_HOOKS_NONE) return 0;
  return sim_hook_build();
}

static void copy(char *out, size_t size, const char *s) {
  size_t len = strlen(s);

  // What does not fit was not made by this build, whose own names are short.
  SIM_ASSERT(len < size);
  memcpy(out, s, len + 1);
}

void run_decision_file(const struct run_spec *spec, const u64 *seed, const char *key, u64 digest,
                       struct sim_decision_file *out) {
  const char *bug = sim_params_bug(spec->params), *name;
  char value[sizeof(out->set->value)];
  u32 i;

  *out = (struct sim_decision_file){.digest = digest, .build = run_spec_build(spec)};
  copy(out->scenario, sizeof(out->scenario), spec->scenario->name);
  copy(out->subject, sizeof(out->subject), spec->subject.name);
  copy(out->subject_sha256, sizeof(out->subject_sha256), spec->subject.sha256);
  copy(out->commit, sizeof(out->commit), spec->commit);
  copy(out->strategy, sizeof(out->strategy), sim_strategy_name(spec->strategy));
  copy(out->key, sizeof(out->key), key);
  if (bug) copy(out->bug, sizeof(out->bug), bug);
  if (seed) {
    out->has_seed = true;
    out->seed = *seed;
  }
  for (i = 0; sim_params_changed(spec->params, i, &name, value, sizeof(value)); i++) {
    out->set = xrealloc(out->set, (i + 1) * sizeof(*out->set));
    copy(out->set[i].key, sizeof(out->set[i].key), name);
    copy(out->set[i].value, sizeof(out->set[i].value), value);
    out->num_set = i + 1;
  }
}

char *run_decision_text(const struct sim_decision_file *file, size_t *out_len) {
  char *text = NULL;
  FILE *out = open_memstream(&text, out_len);
  bool written;

  SIM_ASSERT(out);
  written = sim_decision_file_write(file, out);
  SIM_ASSERT(!fclose(out));
  SIM_ASSERT(written);
  return text;
}

const struct sim_failure *run_failure(const struct sim_result *result) {
  u32 i;

  if (result->status == SIM_OK) return NULL;
  for (i = 0; i < result->num_failures; i++) {
    if (result->failures[i].status == result->status) return &result->failures[i];
  }
  return NULL;
}

void run_make_key(const struct sim_scenario *scenario, const char *oracle, const char *stable,
                  char out[SIM_KEY_LEN]) {
  snprintf(out, SIM_KEY_LEN, "%s/%s/%08" PRIx32, scenario->name, oracle, (u32)sim_hash_str(stable));
}
