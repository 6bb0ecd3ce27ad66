// SPDX-License-Identifier: GPL-2.0-or-later
//
// The seedbed command: its subcommands.

#include <argp.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tools/subcommand.h"
#include "tools/subject.h"

static const struct command commands[] = {
    {"hunt", "the main job: all scenarios for a while, findings, a summary", cmd_hunt},
    {"explore", "run one scenario under many seeds", cmd_explore},
    {"sweep", "run one scenario under every single event, and pairs of events", cmd_sweep},
    {"replay", "run once: a seed, a decision file, or fuzzer bytes", cmd_replay},
    {"shrink", "find the smallest list of decisions that fails in the same way", cmd_shrink},
    {"compare", "the model against a kernel tree, event by event", cmd_compare},
    {"table", "published figures beside simulated ones", cmd_table},
    {"list", "scenarios, parameters, planted bugs, suspects, strategies", cmd_list},
    {"image", "what an image or kernel file holds: vDSOs, symbols, data pages", cmd_image},
    {"selftest", "check the facts that the engine rests on", cmd_selftest},
};

static void print_version(FILE *out, struct argp_state *state) {
  struct subject model = subject_model();

  fprintf(out, "seedbed commit=%s model=%s\n", subject_commit(), model.sha256);
}

// What stands before the list of subcommands, and behind it.
static const char opening[] =
    "Deterministic simulation of the kernel's random-number paths: one 64-bit seed decides every "
    "interleaving.";
static const char closing[] =
    "Examples:\n"
    "  seedbed hunt\n"
    "  seedbed list\n"
    "  seedbed explore bcm2835-unregister --seeds=1..100000\n"
    "  seedbed explore --help\n"
    "\n"
    "Runs are distinct if their digests differ: two runs with one digest went the same way.\n"
    "\n"
    "Exit status: 0 clean; 10 a safety oracle fired; 11 a liveness oracle; 12 the subject crashed; "
    "13 not deterministic; 14 a budget was exceeded; 15 a situation that must occur never did; 64 "
    "usage; 65 a malformed input file; 66 a file is missing; 69 a package is missing; 70 the tree "
    "does not compile, a defect of seedbed, or output that could not be written. Of several "
    "findings the smallest. 128 and the signal's number if interrupted with nothing found.";

// Descriptors 0 to 2 that the caller closed would be given to the next files that are opened,
// pipes to children among them. What stands in for them can be neither read nor written.
static void keep_standard_descriptors(void) {
  int fd;

  for (fd = 0; fd <= 2; fd++) {
    if (fcntl(fd, F_GETFD) < 0 && errno == EBADF)
      (void)!open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY);
  }
}

int main(int argc, char **argv) {
  const struct subcommands subcommands = {
      .command = commands,
      .count = SIM_ARRAY_SIZE(commands),
      .first = "hunt",
      .opening = opening,
      .closing = closing,
  };

  // A reader that goes away, or a file that may grow no more, is an error of a write and no
  // death.
  keep_standard_descriptors();
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN);
  command_check_exit();
  argp_program_version_hook = print_version;
  command_find_invocation(argc > 0 && *argv[0] ? argv[0] : "seedbed");
  for (int i = 1; i < argc; i++)
    if (!strcmp(argv[i], "--bisect")) command_bisect = true;
  if (command_bisect) argp_err_exit_status = COMMAND_ENDS_BISECTION;
  return command_status(command_finish(subcommand_run(&subcommands, argc, argv)));
}
