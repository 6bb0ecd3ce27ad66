// SPDX-License-Identifier: GPL-2.0-or-later
//
// Data words of the modelled devices. A word comes from a counter that all devices of a
// world share, never from a draw, so that whoever sees a byte can tell which word it
// came from: the word's four bytes carry their place in the low two bits and the index
// in the others, spread so that one byte names its word among 56 that follow and a whole
// word among 2016.
#ifndef SEEDBED_MODELS_HWRNG_HW_WORDS_H_
#define SEEDBED_MODELS_HWRNG_HW_WORDS_H_

#include "sim/base.h"

enum { HW_WORDS_LOG = 8192 };

// Words handed out by all devices of a world: how many, and who gave word i (at
// source[i % HW_WORDS_LOG]; older entries are overwritten).
struct hw_words {
  u32 count;
  u8 source[HW_WORDS_LOG];
};

// hw_word_byte is byte `lane` (0..3, in memory order) of word `index`.
static inline u8 hw_word_byte(u32 index, u32 lane) {
  return (u8)(((index + (index >> 6) * (2 * lane + 1)) << 2) | lane);
}

// hw_word_value is word `index` as a little-endian register read gives it.
u32 hw_word_value(u32 index);

// hw_words_take hands out the next word to the device `source` and returns its value.
// Determinism: no draw; the value depends on the number of words handed out before.
u32 hw_words_take(struct hw_words *words, u8 source);

#endif  // SEEDBED_MODELS_HWRNG_HW_WORDS_H_
