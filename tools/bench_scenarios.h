// SPDX-License-Identifier: GPL-2.0-or-later
//
// The benchmark's own scenarios: as little work as what is measured allows.
#ifndef SEEDBED_TOOLS_BENCH_SCENARIOS_H_
#define SEEDBED_TOOLS_BENCH_SCENARIOS_H_

#include "sim/scenario.h"

// Empty tasks: `tasks` of them, spread over num_cpus, each passes `rounds` times through
// four scheduling points in four places. irq=1 adds a drawn interrupt at each point.
extern const struct sim_scenario bench_points;
// Three tasks, 12 atomic operations each: a program of the kind that Relacy's 0.53 million
// executions a second are measured with. On one CPU: preemption at each operation gives
// every interleaving. `--set=num_cpus=3` spreads them.
extern const struct sim_scenario bench_three;
// One task that writes `bytes` bytes of the arena, a word in each 64.
extern const struct sim_scenario bench_touch;

#endif  // SEEDBED_TOOLS_BENCH_SCENARIOS_H_
