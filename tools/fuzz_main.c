// SPDX-License-Identifier: GPL-2.0-or-later
//
// tools/fuzz: its subcommands.

#include <signal.h>

#include "tools/fuzz_finding.h"
#include "tools/fuzzing/fuzz_commands.h"
#include "tools/subcommand.h"

static const struct command commands[] = {
    {"run", "fuzz the targets, until the time is over or Ctrl-C", fuzz_run_command},
    {"change", "fuzz what a change reaches, for a few minutes", fuzz_change_command},
    {"batch", "for a machine that does it every night: run, prune, status page",
     fuzz_batch_command},
    {"prune", "make corpora small again", fuzz_prune_command},
    {"status", "what was done and found, as a table or a page", fuzz_status_command},
    {"keep", "make findings of inputs that failed elsewhere", fuzz_keep},
};

// What stands before the list of subcommands, and behind it.
static const char opening[] =
    "Continuous fuzzing of the scenarios with libFuzzer and AFL++. State is a folder, and nothing "
    "in it is lost by any kill.";
static const char closing[] =
    "Examples:\n"
    "  fuzz run --time=10m\n"
    "  fuzz status\n"
    "  fuzz run --help\n"
    "\n"
    "Exit status: 0, no input failed; 10 a safety oracle fired; 11 a liveness oracle; 12 the "
    "subject crashed; 13 not deterministic; 14 a budget was exceeded; 64 usage; 66 a file is "
    "missing; 69 a package is missing; 70 the tree does not compile, a defect of seedbed, the "
    "machine refused, nothing ran, or another campaign has the folder. Of several findings the "
    "smallest. 128 and the signal's number if interrupted with nothing found.";

int main(int argc, char **argv) {
  const struct subcommands subcommands = {
      .command = commands,
      .count = SIM_ARRAY_SIZE(commands),
      .first = "run",
      .opening = opening,
      .closing = closing,
  };
  int status;

  // A reader that goes away, or a file that may grow no more, is an error of a write and no
  // death.
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN);
  command_name = "fuzz";
  if (fuzz_finding_child(argc, argv, &status)) return status;
  command_check_exit();
  return command_finish(subcommand_run(&subcommands, argc, argv));
}
