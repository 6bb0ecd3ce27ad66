// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the two sides of jobs.h share: the memory through which a worker says where it
// is, and the messages that it sends.
#ifndef SEEDBED_TOOLS_JOBS_INTERNAL_H_
#define SEEDBED_TOOLS_JOBS_INTERNAL_H_

#include <stdatomic.h>

#include "tools/jobs.h"

enum jobs_state {
  JOBS_STATE_SETUP,    // before the first chunk
  JOBS_STATE_RUNNING,  // in run (item, sub) of chunk
  JOBS_STATE_BETWEEN,  // between runs, writing, or done
};

// One worker's place, written by it alone. A cache line each.
struct jobs_slot {
  _Atomic u32 state;
  _Atomic u64 chunk, item, sub;
  _Atomic u64 runs;  // done in this slot, over all its workers
  char pad[24];
} __attribute__((aligned(64)));

struct jobs_shared {
  _Atomic u64 next_chunk;
  _Atomic u64 limit;  // items above it are given up
  _Atomic u32 stop;
  struct jobs_slot slot[];
};

// A run that killed its worker.
struct jobs_kill {
  u64 chunk, item, sub;
  bool stops;  // not known, and the plan does not keep going
  bool committed;
  enum jobs_death death;
  int code;
};

#define JOBS_NO_CHUNK UINT64_MAX

struct jobs_layout {
  u64 chunk_items;
  u64 chunk_last;
};

// Messages, in native structs: both sides are one program.
enum { JOBS_MESSAGE_SETUP_FAILED = 0x5e7b0001, JOBS_MESSAGE_CHUNK };
struct jobs_header {
  u64 kind, len;  // `len` bytes follow
};
// Then `runs` digests, num_marks and num_suspects counts, all u64, and num_failures of
// struct jobs_failure, each with its decisions behind it.
struct jobs_chunk {
  u64 chunk, runs, num_marks, num_suspects, num_failures;
  bool complete;
};
struct jobs_failure {
  struct jobs_run run;
  u64 step, count, decisions_len;  // `count`: runs of the chunk with this key
  enum sim_status status;
  bool draws_overflow, has_decisions, second;
  char oracle[64], key[SIM_KEY_LEN], text[SIM_TEXT_LEN];
};

// The worker's process; ends it. `first_chunk` is done before any other, without the
// runs in `kill`.
SIM_NORETURN void jobs_worker_main(const struct jobs_plan *plan, struct jobs_shared *shared,
                                   struct jobs_slot *slot, const struct jobs_layout *layout,
                                   u64 first_chunk, const struct jobs_kill *kill, u32 num_kills,
                                   int fd);

#endif  // SEEDBED_TOOLS_JOBS_INTERNAL_H_
