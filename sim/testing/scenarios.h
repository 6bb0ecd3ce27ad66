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

// One task draws a size of 0..999 in each round, and then whether there is another round
// (chance 3/4). Oracle testing-large-again fires where a size of 900 or more comes in a round
// that is not the first.
extern const struct sim_scenario testing_rounds;

// Tasks that sleep for drawn times, a drawn interrupt, a device that raises lines, a timer
// and work: something of everything that decides. Clean.
extern const struct sim_scenario testing_mixture;

// Keeps a number outside the world that grows with each run; from the third run of a
// process on an event and the alternatives of draws depend on it. What no scenario may do.
extern const struct sim_scenario testing_not_deterministic;

// Programs that write down in which order things came.
struct testing_order {
  u32 count;
  u32 came[32];  // numbers of those that came, in order
};
// The log of the last run of one of these scenarios; valid until the next run.
const struct testing_order *testing_order_log(void);

// Two tasks on each of 1 to 4 CPUs, which come twice each, and device events of one time.
// Task n of CPU c is 100 + 10 * c + n. Events 11 and 12, armed in this order, are CPU 0's;
// event 10, armed before them, is the last CPU's.
extern const struct sim_scenario testing_order;

// On one CPU: interrupt lines 0, 1, 2 raised in the order 2, 0, 1 while interrupts are off
// come as 20 + line; timers of one jiffy added in that order as 30 + number, hrtimers of one
// time started in that order as 40 + number.
extern const struct sim_scenario testing_ties;

// All of the above, NULL at the end.
extern const struct sim_scenario *const testing_scenarios[];

#endif  // SEEDBED_SIM_TESTING_SCENARIOS_H_
