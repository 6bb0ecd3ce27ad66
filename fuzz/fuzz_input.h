// SPDX-License-Identifier: GPL-2.0-or-later
//
// The input of a fuzz target, the same for every engine and for `seedbed replay SCENARIO FILE`:
// settings, then draws. Every byte string is a valid run; the empty one is the calm run with the
// default parameters.
//
//   byte 0            bits 0 and 1: number of settings; bit 2: there is a base seed; bits 3 to 5:
//                     number of turns, none without a base seed
//   3 bytes each      parameter, value (its low byte first)
//   8 bytes           the base seed, if there is one: what the draws leave open is as that seed has
//                     it with the default strategy, and not calm
//   6 bytes each      turns: after so many draws since the turn before (2 bytes, low byte first)
//                     the run goes on as another seed has it (4 bytes): struct sim_turn in
//                     sim/choice.h
//   the rest          draws: sim/bytes.h
//
// Parameters that an input may set are, in this order: num_cpus (1 to 4), hz, preempt; and of the
// scenario those that count something: no enumeration, no time, more than one value, none to which
// oracles object. A parameter's
// number is taken modulo how many there are; its value is the default, the smallest, and what lies
// at twice, half and one above the default, modulo their number; or, where there are 16 values at
// most, one of them. Of two settings of one parameter the later holds.
#ifndef SEEDBED_FUZZ_FUZZ_INPUT_H_
#define SEEDBED_FUZZ_FUZZ_INPUT_H_

#include "sim/base.h"
#include "sim/choice.h"
#include "sim/scenario.h"

enum { FUZZ_SETTINGS_MAX = 3, FUZZ_SETTING_LEN = 3, FUZZ_BASED = 4, FUZZ_BASE_LEN = 8 };
enum { FUZZ_TURNS_MAX = SIM_TURNS_MAX, FUZZ_TURN_LEN = 6, FUZZ_TURNS_SHIFT = 3 };

// What an input has of each, whole: settings, a base seed, turns.
struct fuzz_head {
  u32 num_settings;
  bool based;
  u32 num_turns;
};
struct fuzz_head fuzz_head(const u8 *bytes, size_t len);
// Byte 0 of such an input.
u8 fuzz_head_byte(struct fuzz_head head);
// Where its draws begin.
size_t fuzz_head_len(struct fuzz_head head);
// What decides the run of an input, whose settings have been applied; borrowed.
struct sim_input fuzz_sim_input(const u8 *bytes, size_t len);
// Writes the settings in a form that is the same for inputs that set the same: pairs of a parameter
// and a choice, in the order of parameters. Returns its length.
size_t fuzz_settings_key(const u8 *bytes, size_t len, const struct sim_scenario *scenario,
                         u8 out_key[2 * FUZZ_SETTINGS_MAX]);
// Sets in `params`, whose scenario it is, what the input sets; others stay as they are.
void fuzz_settings_apply(const u8 *bytes, size_t len, struct sim_params *params);

#endif  // SEEDBED_FUZZ_FUZZ_INPUT_H_
