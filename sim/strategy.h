// SPDX-License-Identifier: GPL-2.0-or-later
//
// Strategies of the seed back-end: which of the runnable actors goes on at a
// scheduling point. Each is a pure function of the seed and of what the run has
// shown so far; what is recorded is its outcome, so a strategy may keep what
// state it likes.
#ifndef SEEDBED_SIM_STRATEGY_H_
#define SEEDBED_SIM_STRATEGY_H_

#include "sim/base.h"

// X(enum, name, one line)
#define SIM_STRATEGIES(X)                                                      \
  X(PORTFOLIO, "portfolio", "a strategy and swarm settings drawn by the seed") \
  X(RANDOM, "random", "random walk: every alternative equally likely")         \
  X(STICKY, "sticky", "random walk that is calm at 15 of 16 points")           \
  X(PCT1, "pct1", "priorities, 1 ordering constraint (0 change points)")       \
  X(PCT2, "pct2", "priorities, 1 change point")                                \
  X(PCT3, "pct3", "priorities, 2 change points")                               \
  X(PCT5, "pct5", "priorities, 4 change points")                               \
  X(POS, "pos", "partial order sampling: a random priority per operation")     \
  X(RR, "rr", "round robin at every point")                                    \
  X(DELAY, "delay", "calm but for up to 3 delays at drawn points")             \
  X(CALM, "calm", "always the calm choice; faults and interrupts still draw")

enum sim_strategy {
#define X(id, name, line) SIM_STRATEGY_##id,
  SIM_STRATEGIES(X)
#undef X
      SIM_STRATEGY_COUNT
};

const char *sim_strategy_name(u32 strategy);
const char *sim_strategy_line(u32 strategy);
// sim_strategy_by_name returns the strategy, or -1.
int sim_strategy_by_name(const char *name);

// One alternative at a scheduling point: the actor that would go on.
struct sim_alt {
  u16 actor;  // task creation number, or SIM_ACTOR_CPU0 + cpu
  u8 slot;    // task slot that would run (SIM_TASKS_MAX + cpu where it is idle)
  u8 cpu;
  u32 obj;  // arena offset of the object that the actor touches next; 0: none
};

struct sim_strategy_state;
// Interface to sim/choice.c. `begin` is called before each seed run; `pick` at each point
// with two or more alternatives (alternative 0 is calm) and returns an index. Points with
// one alternative are not shown and not counted. A task that spins (cpu_relax, yield) is
// reported by `yielded` and falls to the lowest priority under PCT.
//
// Change points (PCT) and delays lie at drawn places among the first k picks of a run. A
// run is a function of its seed, so k is not learned from earlier runs: the seed draws it
// from powers of two between 64 and 65536, the shorter ones more often. Of the places after
// the first, half are drawn near the one before.
struct sim_strategy_state *sim_strategy_new(void);
void sim_strategy_free(struct sim_strategy_state *s);
// Returns the strategy in effect: what PORTFOLIO chose, else `strategy`.
u32 sim_strategy_begin(struct sim_strategy_state *s, u32 strategy, u64 seed);
u32 sim_strategy_pick(struct sim_strategy_state *s, const struct sim_alt *alts, u32 n);
void sim_strategy_yielded(struct sim_strategy_state *s, u8 slot);
// Swarm: whether the class with this stream label's hash (sim_hash_str) is on in this run.
// Only PORTFOLIO switches classes off: a quarter of its seeds has all on, one in eight has
// all off, in the others each class is off with 1/2.
bool sim_strategy_class_on(const struct sim_strategy_state *s, u64 label_hash);

#endif  // SEEDBED_SIM_STRATEGY_H_
