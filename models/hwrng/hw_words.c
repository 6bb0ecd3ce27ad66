// SPDX-License-Identifier: GPL-2.0-or-later
//
// See hw_words.h.
#include "models/hwrng/hw_words.h"

u32 hw_word_value(u32 index) {
  u32 value = 0;

  for (u32 lane = 0; lane < 4; lane++) value |= (u32)hw_word_byte(index, lane) << (8 * lane);
  return value;
}

u32 hw_words_take(struct hw_words *words, u8 source) {
  u32 index = words->count++;

  words->source[index % HW_WORDS_LOG] = source;
  return hw_word_value(index);
}
