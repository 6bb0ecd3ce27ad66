// SPDX-License-Identifier: GPL-2.0-or-later
//
// tools/fuzz: finds the subcommand and runs it.

#include <argp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/command.h"
#include "tools/fuzz_finding.h"
#include "tools/fuzzing/fuzz_commands.h"
#include "tools/text.h"

static const struct command commands[] = {
    {"run", "fuzz the targets, until the time is over or Ctrl-C", fuzz_run_command},
    {"change", "fuzz what a change reaches, for a few minutes", fuzz_change_command},
    {"batch", "for a machine that does it every night: run, prune, status page",
     fuzz_batch_command},
    {"prune", "make corpora small again", fuzz_prune_command},
    {"status", "what was done and found, as a table or a page", fuzz_status_command},
    {"keep", "make findings of inputs that failed elsewhere", fuzz_keep},
};

struct arguments {
  const struct command *command;
  int first;  // its own argv[0], within ours
};

static const struct command *find(const char *name) {
  const struct command *nearest = NULL;
  u32 nearest_distance = 99;

  for (u32 i = 0; i < SIM_ARRAY_SIZE(commands); i++) {
    u32 distance = text_distance(name, commands[i].name);

    if (!distance) return &commands[i];
    if (distance < nearest_distance) {
      nearest_distance = distance;
      nearest = &commands[i];
    }
  }
  if (nearest_distance <= 2)
    usage_error("", "'%s' is not a subcommand; did you mean '%s'?", name, nearest->name);
  usage_error("", "'%s' is not a subcommand", name);
}

static error_t parse(int key, char *arg, struct argp_state *state) {
  struct arguments *arguments = state->input;

  switch (key) {
    case ARGP_KEY_ARG:
      if (!strcmp(arg, "help")) argp_state_help(state, stdout, ARGP_HELP_STD_HELP);
      arguments->command = find(arg);
      arguments->first = state->next - 1;
      state->next = state->argc;  // the rest is the subcommand's
      return 0;
    case ARGP_KEY_NO_ARGS:
      argp_state_help(state, stderr, ARGP_HELP_SHORT_USAGE | ARGP_HELP_PRE_DOC);
      usage_error("", "a subcommand is missing; `fuzz run' is a good first one");
    default:
      return ARGP_ERR_UNKNOWN;
  }
}

// "\v" parts what stands before the options from what stands after them.
static char *make_doc(void) {
  struct text doc = {0};

  text_add(&doc,
           "Continuous fuzzing of the scenarios with libFuzzer and AFL++. State is a folder, and "
           "nothing in it is lost by any kill.\n\nSubcommands:\n");
  for (u32 i = 0; i < SIM_ARRAY_SIZE(commands); i++)
    text_addf(&doc, "  %-10s %s\n", commands[i].name, commands[i].line);
  text_add(&doc,
           "\v"
           "Examples:\n"
           "  fuzz run --time=10m\n"
           "  fuzz status\n"
           "  fuzz run --help\n"
           "\n"
           "Exit status: 0, no input failed; 10 a safety oracle fired; 11 a liveness oracle; 12 "
           "the subject crashed; 13 not deterministic; 14 a budget was exceeded; 64 usage; 66 a "
           "file is missing; 69 a package is missing; 70 the tree does not compile, a defect of "
           "seedbed, the machine refused, or another campaign has the folder. Of several findings "
           "the smallest. 128 and the signal's number if interrupted with nothing found.");
  return doc.s;
}

int main(int argc, char **argv) {
  static char name[] = "fuzz";
  struct arguments arguments = {0};
  struct argp argp = {NULL, parse, "SUBCOMMAND [ARGUMENT...]", NULL, NULL, NULL, NULL};
  char *doc;
  int status;

  // A reader that goes away, or a file that may grow no more, is an error of a write and no
  // death.
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN);
  command_name = name;
  if (fuzz_finding_child(argc, argv, &status)) return status;
  command_check_exit();
  doc = make_doc();
  argp.doc = doc;
  if (argc > 0) argv[0] = name;
  if (argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, &arguments)) return SIM_OURS;
  free(doc);
  argv[arguments.first] = name;
  status = arguments.command->run(argc - arguments.first, argv + arguments.first);
  return command_finish(status);
}
