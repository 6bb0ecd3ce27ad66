// SPDX-License-Identifier: GPL-2.0-or-later
//
// A run as the command sees it: what is run, how that is written as a command line or a
// decision file, and the line that a run ends with.
#ifndef SEEDBED_TOOLS_RUN_H_
#define SEEDBED_TOOLS_RUN_H_

#include <stdio.h>

#include "sim/decision.h"
#include "sim/scenario.h"
#include "sim/strategy.h"
#include "tools/subject.h"
#include "tools/text.h"

// All that a run depends on beside its input. Zero-initialised, then run_spec_init.
struct run_spec {
  const struct sim_scenario *scenario;
  struct sim_params *params;  // owned
  u32 strategy;               // of seed runs
  struct subject subject;
  const char *commit;
};

// Room for the options of any spec.
enum { RUN_ARGS_MAX = 128 };

// The scenario's defaults under the built-in subject.
void run_spec_init(struct run_spec *spec, const struct sim_scenario *scenario);
void run_spec_free(struct run_spec *spec);

// The build to which seeds of this spec belong, where it has access hooks: see sim/hook.h. 0:
// a seed holds in every build.
u64 run_spec_build(const struct run_spec *spec);

// The options that are not their defaults, as arguments: at most `max`, each to be freed.
// Returns their number.
u32 run_spec_args(const struct run_spec *spec, char **out, u32 max);
// Adds each option that is not its default, quoted, each after a space: " --bug=55
// --set=num_cpus=1 --strategy=pct2".
void run_spec_add_options(const struct run_spec *spec, struct text *text);

// The command that replays this seed, without a newline.
void run_add_replay_seed(const struct run_spec *spec, u64 seed, struct text *text);
// The command that replays this file. `with_spec` adds the scenario and the options, as
// fuzzer bytes need them; a decision file has its own.
void run_add_replay_file(const struct run_spec *spec, const char *file, bool with_spec,
                         struct text *text);

// What a line says of one run.
struct run_line {
  const char *scenario;
  const char *key;  // NULL: OK
  bool has_seed;
  u64 seed, draws, steps, vtime_ns, digest;
  const char *commit, *subject_sha256;
  u64 build;  // 0: none is told
};
// "OK scenario=.. seed=0x.. draws=.. ..." or "FAIL key=.. scenario=.. ...", no newline.
// Where there is no seed it says "seed=-"; " build=0x.." ends it where there are access hooks.
void run_line_add(const struct run_line *line, struct text *text);
struct run_line run_line_of(const struct run_spec *spec, const struct sim_result *result,
                            const struct sim_failure *failure, const u64 *seed);

// Fills a decision file with the spec's description (scenario, subject, commit,
// settings, bug, strategy), a key ("" : none) and a digest; its list is empty. Free with
// sim_decision_file_free.
void run_decision_file(const struct run_spec *spec, const u64 *seed, const char *key, u64 digest,
                       struct sim_decision_file *out);
// The text of `file` as a string the caller frees.
char *run_decision_text(const struct sim_decision_file *file, size_t *out_len);

// The worst finding of a result: the first failure with its status, or NULL if it is OK.
const struct sim_failure *run_failure(const struct sim_result *result);

// Makes "scenario/oracle/hash" where there is no world to make it: of a run that died.
void run_make_key(const struct sim_scenario *scenario, const char *oracle, const char *stable,
                  char out[SIM_KEY_LEN]);

#endif  // SEEDBED_TOOLS_RUN_H_
