// SPDX-License-Identifier: GPL-2.0-or-later
//
// Many runs on many processes, with one result whatever their number.
//
// The work is a sequence of items, 0 to items_last; an item is one run or several. The
// parent forks workers; each sets a world of its own up, takes chunks of consecutive
// items from a counter in shared memory, and sends a message for each chunk through its
// pipe. The parent commits chunks in the order of their items, so what is counted, and
// which run is the first that failed, depends on the items alone. When a run fails,
// items above it are given up, those below are finished.
//
// A worker that dies in a run, or makes no progress for the watchdog's time (of its own
// CPU time), is a finding of that run: the place is known from shared memory. Another
// worker then does the chunk again without that run. A worker that is killed from outside
// is no finding: another does the chunk again, and the job is given up only where that
// happens in the same run again.
#ifndef SEEDBED_TOOLS_JOBS_H_
#define SEEDBED_TOOLS_JOBS_H_

#include "tools/distinct.h"
#include "tools/run.h"

// One run of the sequence, and how it ended.
struct jobs_run {
  u64 item, sub;  // `sub` counts the runs of an item from 0
  bool has_seed;
  u64 seed;
  u64 draws, steps, vtime_ns, digest;  // 0 where it died
  u32 strategy;                        // in effect
};

enum jobs_death {
  JOBS_ALIVE = 0,
  JOBS_SIGNAL,  // the process died by signal `code`
  JOBS_EXIT,    // the process exited with status `code`
  JOBS_HANG,    // no progress for the watchdog's time
};

// One key, with the first run that had it.
struct jobs_finding {
  struct jobs_run run;
  enum sim_status status;
  char oracle[64], key[SIM_KEY_LEN], text[SIM_TEXT_LEN];
  u64 step;
  u64 count;  // runs that had this key
  enum jobs_death death;
  int code;
  bool known;           // the plan's `known` said so
  bool draws_overflow;  // decisions are not whole
  bool second;          // its run has a worse failure, or one as bad before it
  char *decisions;      // text of a decision file, NUL-terminated; NULL where it died
  size_t decisions_len;
  // What became of it; see keep.h. `folder` is freed with the result.
  u32 kept;
  char *folder;
  u32 num_decisions, num_decisions_full;
  bool shrink_stopped;  // at a limit, after `shrink_ms`
  u64 shrink_ms;
};

struct jobs_worker;

enum jobs_next {
  JOBS_RAN,      // the run was done
  JOBS_SKIPPED,  // it killed a worker before; go on with the next
  JOBS_STOP,     // return from the item at once
};

struct jobs_progress {
  u64 runs, elapsed_ms;
  u32 findings;
};

struct jobs_plan {
  const struct run_spec *spec;
  u64 items_last;
  u32 chunk_items_max;  // 0: 256
  u32 jobs;
  bool keep_going;
  u64 time_ms;      // from the first run on; 0: no limit
  u64 watchdog_ms;  // of CPU time
  void *arg;        // for the callbacks
  // In a worker: does the item by calls of jobs_run_one.
  void (*item)(struct jobs_worker *worker, struct sim_world *world, u64 item, void *arg);
  // In workers and in the parent: whether a failure with this key is known, so that it
  // is counted and stops nothing. May be NULL.
  bool (*known)(const char *key, void *arg);
  // In the parent, in the order of items, for each new key. May be NULL.
  void (*finding)(struct jobs_finding *finding, void *arg);
  // In the parent, about ten times a second. May be NULL.
  void (*progress)(const struct jobs_progress *progress, void *arg);
};

struct jobs_result {
  u64 runs, elapsed_ms;
  struct distinct distinct;
  struct jobs_finding *finding;  // in the order of their first runs
  u32 num_findings;
  u64 *mark_hits;  // by sim_mark_at's index; num_marks of them
  u32 num_marks;
  u64 *suspect_hits;  // by the scenario's suspects; runs in which each explained a failure
  u32 num_suspects;
  bool completed;     // every item was run
  bool interrupted;   // by a signal
  bool setup_failed;  // in `setup`, or by death
  struct sim_result setup;
  enum jobs_death setup_death;
  int setup_code;
  const char *trouble;  // why the machine let us down (status 70), or NULL
  bool trouble_in_run;  // in a run of the item `trouble_item`
  u64 trouble_item;
};

// Runs the plan. The caller frees the result. Never runs the scenario in the caller's
// process.
void jobs_run(const struct jobs_plan *plan, struct jobs_result *result);
void jobs_result_free(struct jobs_result *result);

// For `item`: one run of the worker's world. `seed` is what it is named by, or NULL.
// `result` is filled if JOBS_RAN is returned, or JOBS_STOP after a run that failed.
enum jobs_next jobs_run_one(struct jobs_worker *worker, struct sim_world *world,
                            const struct sim_input *input, const u64 *seed,
                            struct sim_result *result);
// The same for whoever makes the run himself: he asks before it, makes it if the answer is
// JOBS_RAN, and tells the result after it, while the record is in the world.
enum jobs_next jobs_run_begin(struct jobs_worker *worker);
enum jobs_next jobs_run_end(struct jobs_worker *worker, const struct sim_world *world,
                            const u64 *seed, const struct sim_result *result);

// Whether the process was killed by the system or by a person: nothing of the subject.
bool jobs_death_outside(enum jobs_death death, int code);
// The oracle, the status and a sentence for a process that died. `code` as above.
const char *jobs_death_oracle(enum jobs_death death, int code);
enum sim_status jobs_death_status(enum jobs_death death, int code);
void jobs_death_text(enum jobs_death death, int code, u64 watchdog_ms, char *out, size_t len);
// How a child that did not finish what it should have ended.
struct child_result;
enum jobs_death jobs_death_of_child(const struct child_result *child, int *out_code);
// What of a death goes into its key.
void jobs_death_stable(enum jobs_death death, int code, char *out, size_t len);

#endif  // SEEDBED_TOOLS_JOBS_H_
