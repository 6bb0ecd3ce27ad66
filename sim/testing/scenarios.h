// SPDX-License-Identifier: GPL-2.0-or-later
//
// Scenarios for tests: small programs of which one can say by other means what must come
// out. None is run by `hunt`.
#ifndef SEEDBED_SIM_TESTING_SCENARIOS_H_
#define SEEDBED_SIM_TESTING_SCENARIOS_H_

#include "sim/scenario.h"

// Two tasks hand a token to and fro over completions, `rounds` times. Clean.
extern const struct sim_scenario testing_ping_pong;

// `tasks` tasks add 1 to one counter, `adds` times each, by a marked read and a marked
// write (with `work` marked accesses elsewhere before each). Bug "race" leaves out the lock
// around them. Oracle testing-lost-update: no addition is lost.
extern const struct sim_scenario testing_lost_update;

// Two tasks take two tokens in opposite orders: nothing that the lock checkers see. Ends
// in the world's deadlock oracle if each has one.
extern const struct sim_scenario testing_two_tokens;

// One task draws `rounds` times a fault (rate 1/4) and a size of 0..999. Oracle
// testing-large-after-fault fires where a size of `limit` or more follows a fault in the
// round before.
extern const struct sim_scenario testing_draws;

// Tasks that sleep for drawn times, a drawn interrupt, a device that raises lines, a timer
// and work: something of everything that decides. Clean.
extern const struct sim_scenario testing_mixture;

// Keeps a number outside the world that grows with each run; from the third run of a
// process on its steps depend on it. What no scenario may do.
extern const struct sim_scenario testing_not_deterministic;

// Tasks and device events of equal times on up to 4 CPUs, which write down in which order
// they came.
struct testing_order {
  u32 count;
  u32 came[32];  // numbers of those that came, in order
};
extern const struct sim_scenario testing_order;
// The log of the last run; valid until the next.
const struct testing_order *testing_order_log(void);

// All of the above, NULL at the end.
extern const struct sim_scenario *const testing_scenarios[];

#endif  // SEEDBED_SIM_TESTING_SCENARIOS_H_
