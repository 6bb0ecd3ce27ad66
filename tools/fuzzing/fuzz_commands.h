// SPDX-License-Identifier: GPL-2.0-or-later
//
// The subcommands of tools/fuzz, and the options that several of them have. Each gets its own
// arguments with argv[0] = "fuzz" and returns the exit status.
#ifndef SEEDBED_TOOLS_FUZZING_FUZZ_COMMANDS_H_
#define SEEDBED_TOOLS_FUZZING_FUZZ_COMMANDS_H_

#include <argp.h>

#include "tools/fuzzing/fuzz_place.h"

int fuzz_run_command(int argc, char **argv);
int fuzz_batch_command(int argc, char **argv);
int fuzz_change_command(int argc, char **argv);
int fuzz_prune_command(int argc, char **argv);
int fuzz_status_command(int argc, char **argv);

enum { FUZZ_NAMES_MAX = 256 };

struct fuzz_options {
  const char *command;
  const char *out;
  u64 time_ms;      // 0: not given
  u64 slice_ms;     // 0: not given
  u64 slices_max;   // 0: no bound
  u64 late_ms;      // 0: not given
  const char *bug;  // NULL: not given
  u32 jobs;         // 0: not given
  bool libfuzzer, afl;
  const char *name[FUZZ_NAMES_MAX];  // targets
  u32 num_names;
  // Of one subcommand or another.
  const char *html, *into, *base;
  bool json;
};
void fuzz_options_init(struct fuzz_options *options, const char *command);
// What a subcommand's argp has as children: targets and --out; and with --time, --jobs, --engine,
// --slice and --bug.
extern const struct argp_child fuzz_options_where[], fuzz_options_campaign[];
// Its parser, with a struct fuzz_options as input, for options of its own with these keys.
enum { FUZZ_KEY_HTML = 0x200, FUZZ_KEY_INTO, FUZZ_KEY_BASE, FUZZ_KEY_JSON, FUZZ_KEY_ALL_TIME };
error_t fuzz_options_parse_own(int key, char *arg, struct argp_state *state);

// The number of engines at once: --jobs, else the number of CPUs that this process may use.
u32 fuzz_options_jobs(const struct fuzz_options *options);
// Ends the process with status 69, and says what to install, where an engine is not there; with 66
// where a target's program is not.
void fuzz_options_check_engines(const struct fuzz_options *options, const struct fuzz_place *place,
                                const struct fuzz_targets *targets);

// The campaign of `run`, `batch` and `change` on these targets, the place locked; prints its last
// lines and returns its status.
int fuzz_campaign(const struct fuzz_options *options, const struct fuzz_place *place,
                  const struct fuzz_targets *targets);
// `prune` on these targets, the place locked, for all together `time_ms` (0: ten minutes each);
// `into` is where seeds are written, or NULL.
int fuzz_prune_targets(const struct fuzz_place *place, const struct fuzz_targets *targets,
                       u64 time_ms, const char *into);
// The status page.
int fuzz_page(const struct fuzz_place *place, const char *path);

#endif  // SEEDBED_TOOLS_FUZZING_FUZZ_COMMANDS_H_
