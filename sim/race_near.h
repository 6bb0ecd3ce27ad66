// SPDX-License-Identifier: GPL-2.0-or-later
//
// Inside the detector of data races (sim/race.h): what a hook looks at to see that an access is
// made again, which most are, and need not be told (FastTrack's "same epoch"; Flanagan and
// Freund 2009). It holds for the same bytes, read or written alike, marked or plain alike, in
// the same context: what is reported is what would be without it.
#ifndef SEEDBED_SIM_RACE_NEAR_H_
#define SEEDBED_SIM_RACE_NEAR_H_

#include "sim/prim.h"
#include "sim/race.h"
#include "sim/sched.h"

// An access that is remembered: clock 0..31, thread 32..38, bytes 39..46, then the bits below.
enum { SIM_RACE_CELL_ACCESSES = 4 };
#define SIM_RACE_BYTES_SHIFT 39
#define SIM_RACE_ACCESS_WRITE (1ull << 47)
#define SIM_RACE_ACCESS_MARKED (1ull << 48)
#define SIM_RACE_LEVEL_SHIFT 49
#define SIM_RACE_CPU_SHIFT 51
// Those of an 8-byte word: a cache line.
struct sim_race_cell {
  u64 access[SIM_RACE_CELL_ACCESSES];
  u32 where[SIM_RACE_CELL_ACCESSES];  // site, and place in the tree of calls from bit 16 on
} __attribute__((aligned(64)));

// What an access that is made again looks at.
struct sim_race_near {
  struct sim_race_cell *cell;  // of the arena's words; NULL while none looks
  u64 self[SIM_SLOTS];         // clock and thread, by the task's slot; 0: not of this run yet
};
extern struct sim_race_near sim_race_near;

// The first two places keep who made the access first, the others who made it last: so it has been
// since there was a detector, and reports name them.
static inline bool sim_race_remembers(const struct sim_race_cell *cell, u64 access, u32 where) {
  return cell->access[0] == access || cell->access[1] == access ||
         (cell->access[2] == access && cell->where[2] == where) ||
         (cell->access[3] == access && cell->where[3] == where);
}
static inline bool sim_race_looks(void) { return sim_race_near.cell != NULL; }
// The bits of an access by the context that runs on `cpu`, but for its bytes.
static SIM_ALWAYS_INLINE u64 sim_race_access_of(const struct sim_cpu *cpu, u64 self, u32 how) {
  const struct sim_task *task = cpu->cur;
  u64 access = self | (u64)cpu->id << SIM_RACE_CPU_SHIFT;
  if (how & SIM_RACE_WRITE) access |= SIM_RACE_ACCESS_WRITE;
  if (how & SIM_RACE_MARKED) access |= SIM_RACE_ACCESS_MARKED;
  if (sim_unlikely(task->preempt_count & SIM_INTERRUPT_BITS))
    access |= (u64)sim_context_level(task->preempt_count) << SIM_RACE_LEVEL_SHIFT;
  return access;
}
// Whether this access within a word has been made already, by this thread since it released
// something last: then it need not be told again. While the detector looks.
static SIM_ALWAYS_INLINE bool sim_race_known(const struct sim_cpu *cpu, size_t offset, size_t size,
                                             u32 how, u32 site) {
  u32 from = offset % 8;
  if (size > 8 || from + size > 8) return false;
  u64 self = sim_race_near.self[cpu->cur->slot];
  u64 access = sim_race_access_of(cpu, self, how) | (u64)((1u << size) - 1)
                                                        << SIM_RACE_BYTES_SHIFT << from;
  return sim_race_remembers(&sim_race_near.cell[offset / 8], access,
                            site | (u32)cpu->cur->hook_call << 16);
}

#endif  // SEEDBED_SIM_RACE_NEAR_H_
