// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the mains of seedbed and of tools/fuzz share: a program of subcommands, of which the first
// argument is one.
#ifndef SEEDBED_TOOLS_SUBCOMMAND_H_
#define SEEDBED_TOOLS_SUBCOMMAND_H_

#include "tools/command.h"

struct subcommands {
  const struct command *command;
  u32 count;
  const char *first;  // the one that is told where none is given
  // Of --help: what stands before the list of subcommands, and what stands behind it.
  const char *opening, *closing;
};

// Finds the subcommand, runs it, and returns its exit status. Where it is missing, or no such one
// is there (it then suggests the nearest), the process ends with a complaint and status 64.
// command_name is the program's name, which argv[0] becomes.
SIM_MUST_CHECK int subcommand_run(const struct subcommands *subcommands, int argc, char **argv);

#endif  // SEEDBED_TOOLS_SUBCOMMAND_H_
