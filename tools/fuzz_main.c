// SPDX-License-Identifier: GPL-2.0-or-later
//
// The program behind tools/fuzz: finds the subcommand and runs it.

#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "tools/command.h"
#include "tools/fuzz_finding.h"

int main(int argc, char **argv) {
  static char name[] = "fuzz";
  int status;

  // A reader that goes away, or a file that may grow no more, is an error of a write and no
  // death.
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN);
  command_name = name;
  if (fuzz_finding_child(argc, argv, &status)) return status;
  command_check_exit();
  if (argc < 2 || strcmp(argv[1], "keep") != 0) usage_error("", "keep TARGET FILE... is meant");
  argv[1] = name;
  return command_finish(fuzz_keep(argc - 1, argv + 1));
}
