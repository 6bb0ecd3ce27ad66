// SPDX-License-Identifier: GPL-2.0-or-later
//
// A generator and the FIFO behind it, as several devices have them: a word takes a fixed
// time, production stops when the FIFO is full and goes on when a word is taken out.
//
// It has one time line, computed when somebody looks, from the clock of the CPU that
// looks; it never runs backwards when another CPU's clock is behind.
//
// Odd behaviour: a late word, a generator that is stuck for a while or until it is
// healed, a dead one, and a count that does not agree with the words. Each is a draw at a
// site that the device names, so that each device has swarm switches of its own.
#ifndef SEEDBED_MODELS_HWRNG_HW_FIFO_H_
#define SEEDBED_MODELS_HWRNG_HW_FIFO_H_

#include "sim/base.h"
#include "sim/site.h"

// Times in virtual nanoseconds. All zero but for what hw_fifo_init sets.
struct hw_fifo {
  u32 word_ns;         // between two words
  u32 words_max;       // capacity, 1..255
  u64 now_ns;          // time line: the latest time at which anybody looked
  u64 next_ns;         // when the next word is complete; UINT64_MAX: none is being made
  u64 stuck_until_ns;  // no word before; UINT64_MAX: until healed
  u64 startup_ns;      // what passes before the first word is begun
  u32 level;           // words to be taken
  u8 source;           // of its words
  bool on;             // the generator runs
  bool dead;           // nothing moves until healed or reset
};

void hw_fifo_init(struct hw_fifo *fifo, u8 source, u32 word_ns, u32 words_max);

// hw_fifo_advance brings the time line up to this CPU's clock: to be called before the
// others. Draws nothing.
void hw_fifo_advance(struct hw_fifo *fifo);

// Switches the generator on: the first word is complete `startup_ns` and a word's time
// from now. Already on: starts again, with the words that are there kept.
void hw_fifo_start(struct hw_fifo *fifo, u64 startup_ns);
// Switches it off and drops the words.
void hw_fifo_stop(struct hw_fifo *fifo);
// As off, and well.
void hw_fifo_reset(struct hw_fifo *fifo);
// What is left of the start-up, from now.
u64 hw_fifo_startup_left(const struct hw_fifo *fifo);

// hw_fifo_take takes a word. From an empty FIFO it holds the bus (this CPU) until the
// next word if one is being made; otherwise it returns 0, which is no word.
u32 hw_fifo_take(struct hw_fifo *fifo);

// When the next word can be had; UINT64_MAX if nobody can tell.
u64 hw_fifo_due_ns(const struct hw_fifo *fifo);

// Draws of odd behaviour; each returns whether it happened.
// late: the next word comes later, by up to `late_ns_max`.
bool hw_fifo_draw_late(struct hw_fifo *fifo, struct sim_site *site, u64 late_ns_max);
// stuck: no word for 1 ms, 50 ms or 1 s, or none until healed. Words that are complete
// can still be taken.
bool hw_fifo_draw_stuck(struct hw_fifo *fifo, struct sim_site *site);
// dead: no word any more, and none left.
bool hw_fifo_draw_dead(struct hw_fifo *fifo, struct sim_site *site);
// The count that the device tells, 0..255: calm, the number of words; else none, one
// less, one more or 255. More only while words are being made without delay: then the
// bus waits for them.
u32 hw_fifo_draw_count(struct hw_fifo *fifo, struct sim_site *site);

// hw_fifo_heal ends what odd behaviour lasts; production goes on from the time line's
// now. Draws nothing, reads no clock.
void hw_fifo_heal(struct hw_fifo *fifo);

#endif  // SEEDBED_MODELS_HWRNG_HW_FIFO_H_
