// SPDX-License-Identifier: GPL-2.0-or-later
//
// A campaign: many runs of one scenario under one set of settings, its findings kept, its
// marks judged, one status. explore is one campaign, sweep another, hunt several.
#ifndef SEEDBED_TOOLS_CAMPAIGN_H_
#define SEEDBED_TOOLS_CAMPAIGN_H_

#include "tools/jobs.h"
#include "tools/keep.h"
#include "tools/known.h"
#include "tools/progress.h"

// With a limit of time, all shrinking together may take a quarter of it more.
enum { CAMPAIGN_SHRINK_SHARE = 4 };

enum campaign_kind {
  CAMPAIGN_SEEDS,  // a run for each seed
  CAMPAIGN_SWEEP,  // every single event of the calm run, and pairs; see sim/sweep.h
};

struct campaign {
  enum campaign_kind kind;
  const struct run_spec *spec;
  const struct known_list *known;
  const char *out;    // the findings folder
  const char *label;  // for progress
  u64 seed_first, seed_last;
  u32 window;       // of a sweep
  u64 time_ms;      // 0: no limit
  u64 watchdog_ms;  // of CPU time
  u32 jobs;
  bool keep_going;
  bool announce;  // say on stderr when a finding was kept
};

// A mark that was never hit in enough runs.
struct campaign_missing {
  const char *name;
  u64 runs_min;
};

struct campaign_result {
  struct jobs_result jobs;
  struct campaign_missing *missing;
  u32 num_missing;
  u64 known_runs;  // runs with a known finding
  // The smallest status of what was found: findings, missing marks, and 70 where the
  // machine let us down. Interruption is not in it.
  int status;
  u64 sweep_boundaries, sweep_events;  // of a sweep
};

// Reads the list of known findings (`known_file` NULL: the default one) and looks whether
// findings could be written to `out`. Returns SIM_OK, or after a complaint the exit status,
// with nothing to free. Free the list with known_free.
SIM_MUST_CHECK int campaign_prepare(const char *known_file, const char *out,
                                    struct known_list *out_known);

// Runs the campaign; stale temporary folders of `out` are removed first. Complaints about
// the machine go to stderr. Free the result with campaign_result_free.
void campaign_run(const struct campaign *campaign, struct campaign_result *out);
void campaign_result_free(struct campaign_result *result);

// The findings that are neither known nor explained.
u32 campaign_findings(const struct campaign_result *result);

// The command that replays a finding, and the path of its decision file (NULL where there
// is none); the caller frees both.
char *campaign_replay(const struct run_spec *spec, const struct jobs_finding *finding);
char *campaign_file(const struct jobs_finding *finding);

#endif  // SEEDBED_TOOLS_CAMPAIGN_H_
