// SPDX-License-Identifier: GPL-2.0-or-later
//
// One run in a fresh process of this program: what "it reproduces" means. The process is
// `seedbed replay ... --probe`, which runs without a net and writes two kinds of lines:
//   probe STATUS DRAWS STEPS VTIME_NS DIGEST
//   key KEY                     for each finding of the run
#ifndef SEEDBED_TOOLS_PROBE_H_
#define SEEDBED_TOOLS_PROBE_H_

#include <stdio.h>

#include "tools/jobs.h"

struct probe {
  bool started;           // false: no process could be started, or it was killed from outside
  enum jobs_death death;  // JOBS_ALIVE: the run ended, and what follows is filled
  int code;
  enum sim_status status;
  u64 draws, steps, vtime_ns, digest;
  char key[SIM_FAILURES_MAX][SIM_KEY_LEN];
  u32 num_keys;
};

// Runs a seed of the spec; JOBS_HANG after `ms` of CPU time.
void probe_seed(const struct run_spec *spec, u64 seed, u64 ms, struct probe *out);
// Runs a decision file.
void probe_file(const char *path, u64 ms, struct probe *out);

// Starts this program with these arguments (NULL-terminated, its name first), which have it write
// those lines.
void probe_command(const char *const *args, u64 ms, struct probe *out);

// The other side: writes the lines.
void probe_write(const struct sim_result *result, FILE *out);
// Parses them; false if `text` is anything else.
SIM_MUST_CHECK bool probe_parse(const char *text, struct probe *out);

#endif  // SEEDBED_TOOLS_PROBE_H_
