// SPDX-License-Identifier: GPL-2.0-or-later
//
// What every subcommand of seedbed shares: how it is registered, how it complains, and
// how it ends.
//
// Three kinds of faults. What a user typed wrong: complain, a hint, status 64. What the
// machine refuses (a full disk): complain, status 70, and nothing half-written. What
// only a defect of ours explains: SIM_ASSERT.
#ifndef SEEDBED_TOOLS_COMMAND_H_
#define SEEDBED_TOOLS_COMMAND_H_

#include "sim/base.h"
#include "sim/world.h"

// A subcommand. `run` gets its own arguments with argv[0] = "seedbed" and returns the
// exit status.
struct command {
  const char *name;
  const char *line;
  int (*run)(int argc, char **argv);
};

int cmd_list(int argc, char **argv);
int cmd_image(int argc, char **argv);
int cmd_hunt(int argc, char **argv);
int cmd_explore(int argc, char **argv);
int cmd_sweep(int argc, char **argv);
int cmd_replay(int argc, char **argv);
int cmd_shrink(int argc, char **argv);
int cmd_table(int argc, char **argv);
int cmd_compare(int argc, char **argv);
int cmd_selftest(int argc, char **argv);

// What messages begin with: "seedbed", or what another program's main sets it to.
extern const char *command_name;

// Writes "seedbed: " and a line to stderr.
SIM_COLD void complain(const char *fmt, ...) SIM_PRINTF(1, 2);
// Complains, points at `seedbed COMMAND --help` and ends the process with status 64.
SIM_NORETURN SIM_COLD void usage_error(const char *command, const char *fmt, ...) SIM_PRINTF(2, 3);
// Ends the process with that status, from anywhere, after a complaint.
SIM_NORETURN SIM_COLD void command_exit(int status);

// Under --bisect the process ends as `git bisect run` asks: 0 good, 1 bad, 125 where the subject
// cannot be built, and 128, which ends the bisection, for whatever says nothing of the subject.
extern bool command_bisect;
enum { COMMAND_BAD = 1, COMMAND_NOT_BUILT = 125, COMMAND_ENDS_BISECTION = 128 };
// The status that the process ends with for an exit status of ours.
int command_status(int status);

// The status of two things together: the smaller one that is not 0. Statuses are
// ordered so that what matters more is smaller.
static inline int status_join(int a, int b) { return !a ? b : !b ? a : a < b ? a : b; }

// How a command line that starts seedbed again begins: "tools/seedbed" at the top of
// the tree, the absolute path elsewhere; `otherwise` where the launcher was not used. Set by
// main, or who else needs it, quoted for the shell.
extern const char *command_invocation;
void command_find_invocation(const char *otherwise);

// Whether stdout is a pipe that nobody reads any more.
bool command_reader_gone(void);

// For main: has the process end with 70 where it ends by exit() and what was written to
// stdout got lost, as argp does for --help and --version.
void command_check_exit(void);

// Flushes stdout and joins `status` with 70 if anything that was written to it got lost
// (said on stderr, except where the reader went away).
SIM_MUST_CHECK int command_finish(int status);

#endif  // SEEDBED_TOOLS_COMMAND_H_
