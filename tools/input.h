// SPDX-License-Identifier: GPL-2.0-or-later
//
// What replay and shrink run: a scenario and a seed, a decision file, or a scenario and
// fuzzer bytes.
#ifndef SEEDBED_TOOLS_INPUT_H_
#define SEEDBED_TOOLS_INPUT_H_

#include "tools/options.h"

// A file of more bytes is no input of ours: decision files and fuzzer bytes.
enum { INPUT_FILE_MAX = 1 << 26 };

enum input_kind { INPUT_SEED, INPUT_LIST, INPUT_BYTES };

struct input {
  enum input_kind kind;
  struct run_spec spec;
  bool has_seed;  // INPUT_SEED, or a decision file that has one
  u64 seed;
  bool overridden;                // options change what a decision file says
  const char *path;               // of a file, as it was given; borrowed
  struct sim_decision_file file;  // INPUT_LIST
  struct text bytes;              // INPUT_BYTES
  struct sim_input run;           // refers to the above
};

// What was given on the command line.
struct input_arguments {
  const char *arg[2];
  u32 num_args;
  bool has_seed;
  u64 seed;
};

// Loads what the arguments name and applies the options. Returns SIM_OK, or after a
// complaint the exit status: 65 for any fault of a decision file, with its line, 66 for a
// file that is not there; usage errors end the process. Says on stderr where the file was
// recorded under another subject or commit, or found with a planted bug that the options do not
// plant. Free with input_free after SIM_OK.
SIM_MUST_CHECK int input_load(const struct options *options,
                              const struct input_arguments *arguments, struct input *out);
void input_free(struct input *input);

// The command that replays it, without a newline.
void input_add_replay(const struct input *input, struct text *text);
// Its arguments after `replay`, each to be freed; at most RUN_ARGS_MAX + 3.
u32 input_args(const struct input *input, char **out);

#endif  // SEEDBED_TOOLS_INPUT_H_
