// SPDX-License-Identifier: GPL-2.0-or-later
//
// A program of subcommands; see subcommand.h.

#include "tools/subcommand.h"

#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/text.h"

struct arguments {
  const struct subcommands *subcommands;
  const struct command *command;
  int first;  // its own argv[0], within ours
};

static const struct command *find(const struct subcommands *subcommands, const char *name) {
  const struct command *nearest = NULL;
  u32 nearest_distance = 99;

  for (u32 i = 0; i < subcommands->count; i++) {
    u32 distance = text_distance(name, subcommands->command[i].name);

    if (!distance) return &subcommands->command[i];
    if (distance < nearest_distance) {
      nearest_distance = distance;
      nearest = &subcommands->command[i];
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
      arguments->command = find(arguments->subcommands, arg);
      arguments->first = state->next - 1;
      state->next = state->argc;  // the rest is the subcommand's
      return 0;
    case ARGP_KEY_NO_ARGS:
      argp_state_help(state, stderr, ARGP_HELP_SHORT_USAGE | ARGP_HELP_PRE_DOC);
      usage_error("", "a subcommand is missing; `%s %s' is a good first one", command_name,
                  arguments->subcommands->first);
    default:
      return ARGP_ERR_UNKNOWN;
  }
}

// "\v" parts what stands before the options from what stands after them.
static char *make_doc(const struct subcommands *subcommands) {
  struct text doc = {0};

  text_addf(&doc, "%s\n\nSubcommands:\n", subcommands->opening);
  for (u32 i = 0; i < subcommands->count; i++)
    text_addf(&doc, "  %-10s %s\n", subcommands->command[i].name, subcommands->command[i].line);
  text_addf(&doc, "\v%s", subcommands->closing);
  return doc.s;
}

int subcommand_run(const struct subcommands *subcommands, int argc, char **argv) {
  struct arguments arguments = {.subcommands = subcommands};
  char *doc = make_doc(subcommands), *name = xstrdup(command_name);
  struct argp argp = {NULL, parse, "SUBCOMMAND [ARGUMENT...]", doc, NULL, NULL, NULL};
  int status;

  if (argc > 0) argv[0] = name;
  if (argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, &arguments)) return SIM_OURS;
  argv[arguments.first] = name;
  status = arguments.command->run(argc - arguments.first, argv + arguments.first);
  free(name);
  free(doc);
  return status;
}
