// SPDX-License-Identifier: GPL-2.0-or-later
//
// The options of `explore`, which sweep, replay, shrink and hunt take as well: parsed by
// one argp child, so that they mean the same everywhere.
#ifndef SEEDBED_TOOLS_OPTIONS_H_
#define SEEDBED_TOOLS_OPTIONS_H_

#include <argp.h>

#include "tools/run.h"

enum { OPTIONS_JOBS_MAX = 1024, OPTIONS_SETS_MAX = 64 };

struct options {
  const char *command;   // for messages; set by options_init
  const char *scenario;  // argument; NULL until given
  const char *subject, *bug, *out, *known;
  const char *set[OPTIONS_SETS_MAX];
  u32 num_set;
  int strategy;  // -1: not given
  bool seeds_given;
  u64 seed_first, seed_last;
  u64 time_ms;  // 0: no limit
  u32 jobs;     // 0: not given
  u64 watchdog_ms;
  bool keep_going, json;
};

// Without --seeds and --time, `explore` runs the seeds 1 to OPTIONS_SEEDS_DEFAULT.
#define OPTIONS_SEEDS_DEFAULT 100000ull
// A run that makes no progress for so long, of CPU time, is ended. Generous: the budget of
// steps ends ordinary runs within a second, sanitizers included within a minute.
#define OPTIONS_WATCHDOG_MS 60000ull

void options_init(struct options *options, const char *command);

// The parser, for `children` of a subcommand's argp; its input is a struct options. What
// is wrong with a value ends the process with status 64 and a hint.
extern const struct argp options_argp;
// The same; help does not show what has no effect on a sweep, or on one run.
extern const struct argp options_sweep_argp, options_run_argp;
// The same without what hunt chooses itself: --time, --jobs, --out, --known, --json.
extern const struct argp options_where_argp;

// Makes the spec that the options describe for `scenario`; a wrong setting, bug, or
// subject is a usage error, a file of a subject that is missing or malformed ends the process
// with its status. The subject is in use from then on. Free with run_spec_free.
void options_make_spec(const struct options *options, const struct sim_scenario *scenario,
                       struct run_spec *out);
// Applies those of the options that are given to a spec made from a decision file.
void options_apply(const struct options *options, struct run_spec *spec);

// The number of workers: --jobs, else the number of CPUs that this process may use.
u32 options_jobs(const struct options *options);
// The folder for findings: --out, else "findings".
const char *options_out(const struct options *options);

// argp_parse for a subcommand: complaints begin with "seedbed:" and usage lines with
// "seedbed COMMAND", or what command_name is. `argv[0]` is that. Errors end the process with status
// 64.
void options_parse(const char *command, const struct argp *argp, int argc, char **argv,
                   void *input);
// To be called by a subcommand's parser for ARGP_KEY_INIT: `child` (may be NULL) is the
// input of its first child, options_argp.
void options_begin(struct argp_state *state, struct options *child);

#endif  // SEEDBED_TOOLS_OPTIONS_H_
