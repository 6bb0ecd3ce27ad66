// SPDX-License-Identifier: GPL-2.0-or-later
//
// Mutations of inputs as what they are: entries of draws, which are put in, taken out, moved,
// changed and exchanged between inputs; and settings. Now and then bytes.
#include <string.h>

#include "fuzz/fuzz_input.h"
#include "fuzz/target.h"
#include "sim/bytes.h"
#include "sim/prng.h"

// One mutation in five is the run of a random seed: where what an engine is told leads nowhere, it
// is a fifth of random search.
enum { LEN = SIM_BYTES_ENTRY_LEN, RANDOM_ONE_IN = 5 };

struct edit {
  u8 *data;
  size_t begin;     // of the draws
  size_t num, max;  // entries
  struct sim_stream rng;
};

static u32 below(struct edit *e, u32 n) { return sim_stream_below(&e->rng, n); }
static u8 *entry(struct edit *e, size_t index) { return e->data + e->begin + index * LEN; }

// A class at which the last run drew, more likely one with many draws; and how often.
static u8 draw_class(struct edit *e, u32 *out_draws) {
  const u32 *draws = fuzz_draws();
  u8 used[SIM_BYTES_CLASSES];
  u32 num = 0;

  for (u32 i = 0; draws && i < SIM_BYTES_CLASSES; i++)
    if (draws[i]) used[num++] = (u8)i;
  if (num) {
    u8 class_ = used[below(e, num)];

    *out_draws = draws[class_];
    return class_;
  }
  *out_draws = 8;
  return (u8)below(e, SIM_BYTES_CLASSES);
}

static u16 draw_value(struct edit *e) {
  return (u16)below(e, below(e, 4) ? 4 : below(e, 2) ? 64 : 65536);
}

static u8 draw_skip(struct edit *e, u32 draws) {
  u32 most = draws < SIM_BYTES_LONG_SKIP ? draws : SIM_BYTES_LONG_SKIP;

  if (below(e, 3) == 0) most = most < 4 ? most : 4;
  return (u8)below(e, most ? most : 1);
}

static void fill(struct edit *e, u8 *at) {
  u32 draws;
  u16 value = draw_value(e);

  at[0] = draw_class(e, &draws);
  at[1] = draw_skip(e, draws);
  at[2] = (u8)value;
  at[3] = (u8)(value >> 8);
}

static void insert(struct edit *e, const u8 *what) {
  size_t at = below(e, (u32)e->num + 1);
  u8 kept[LEN];

  if (e->num == e->max) return;
  memcpy(kept, what ? what : (const u8[LEN]){0}, LEN);
  memmove(entry(e, at + 1), entry(e, at), (e->num - at) * LEN);
  e->num++;
  if (what)
    memcpy(entry(e, at), kept, LEN);
  else
    fill(e, entry(e, at));
}

// As much at once as a run of a random seed has.
static void insert_many(struct edit *e) {
  for (u32 num = 8 + below(e, 56); num--;) insert(e, NULL);
}

static void erase(struct edit *e) {
  size_t at = below(e, (u32)e->num);

  memmove(entry(e, at), entry(e, at + 1), (e->num - at - 1) * LEN);
  e->num--;
}

static void change(struct edit *e) {
  u8 *at = entry(e, below(e, (u32)e->num));
  u32 draws;
  u16 value;

  switch (below(e, 6)) {
    case 0:  // a place later
      if (at[1] < SIM_BYTES_LONG_SKIP) at[1]++;
      break;
    case 1:  // and before
      if (at[1]) at[1]--;
      break;
    case 2:
      value = (u16)((at[2] | at[3] << 8) + below(e, 33) - 16);
      at[2] = (u8)value;
      at[3] = (u8)(value >> 8);
      break;
    case 3:
      value = draw_value(e);
      at[2] = (u8)value;
      at[3] = (u8)(value >> 8);
      break;
    case 4:
      (void)draw_class(e, &draws);
      at[1] = draw_skip(e, draws);
      break;
    default:
      at[0] = draw_class(e, &draws);
  }
}

static void exchange(struct edit *e) {
  u8 *a = entry(e, below(e, (u32)e->num)), *b = entry(e, below(e, (u32)e->num)), kept[LEN];

  memcpy(kept, a, LEN);
  memcpy(a, b, LEN);
  memcpy(b, kept, LEN);
}

// The base seed is exchanged for another, and is there three times out of four. Now and then the
// settings are, too, for none or one more often than several: each set of them wants a world of its
// own, whose set-up takes as long as a hundred runs.
static void settings(struct edit *e, size_t max_size) {
  bool anew = !below(e, 32);
  u32 num = anew ? below(e, 2) + (below(e, 16) ? 0 : below(e, FUZZ_SETTINGS_MAX))
                 : e->data[0] % (FUZZ_SETTINGS_MAX + 1);
  bool based = below(e, 4);
  size_t at = 1 + (size_t)num * FUZZ_SETTING_LEN, end = at + (based ? FUZZ_BASE_LEN : 0);
  size_t rest = e->num * LEN;

  if (end + rest > max_size) return;
  memmove(e->data + end, e->data + e->begin, rest);
  e->data[0] = (u8)(num | (based ? FUZZ_BASED : 0));
  for (size_t i = 1; anew && i < at; i++) e->data[i] = (u8)(i % 3 ? below(e, 240) : 0);
  for (; at < end; at++) e->data[at] = (u8)below(e, 256);
  e->begin = end;
  e->max = (max_size - end) / LEN;
}

static struct edit open_edit(u8 *data, size_t size, size_t max_size, unsigned seed) {
  struct edit e = {.data = data};

  sim_stream_seed(&e.rng, seed);
  if (!size) {
    data[0] = 0;
    size = 1;
  }
  e.begin = fuzz_settings_len(data, size);
  e.num = (size - e.begin) / LEN;
  e.max = (max_size - e.begin) / LEN;
  return e;
}

size_t LLVMFuzzerCustomMutator(u8 *data, size_t size, size_t max_size, unsigned seed) {
  struct edit e;

  if (max_size < 1 + FUZZ_BASE_LEN + LEN) return size;
  e = open_edit(data, size, max_size, seed);
  if (!below(&e, RANDOM_ONE_IN)) {
    data[0] = FUZZ_BASED;
    for (size_t i = 0; i < FUZZ_BASE_LEN; i++) data[1 + i] = (u8)below(&e, 256);
    return 1 + FUZZ_BASE_LEN;
  }
  for (u32 times = 1 + below(&e, 4); times--;) {
    u32 what = below(&e, 64);

    if (what < 6)
      settings(&e, max_size);
    else if (what == 6)
      insert_many(&e);
    else if (what < 28 || !e.num)
      insert(&e, NULL);
    else if (what < 36)
      erase(&e);
    else if (what < 56)
      change(&e);
    else if (what < 60)
      exchange(&e);
    else
      insert(&e, entry(&e, below(&e, (u32)e.num)));
  }
  return e.begin + e.num * LEN;
}

// The settings and some entries of the one, and the rest of the other: at equal classes, where
// there are.
size_t LLVMFuzzerCustomCrossOver(const u8 *data1, size_t size1, const u8 *data2, size_t size2,
                                 u8 *out, size_t max_out, unsigned seed) {
  size_t begin1 = fuzz_settings_len(data1, size1), begin2 = fuzz_settings_len(data2, size2);
  size_t num1 = (size1 - begin1) / LEN, num2 = (size2 - begin2) / LEN, cut1, cut2 = 0, rest;
  struct sim_stream rng;

  sim_stream_seed(&rng, seed);
  if (begin1 > max_out) return 0;
  cut1 = sim_stream_below(&rng, (u32)num1 + 1);
  if (num2) cut2 = sim_stream_below(&rng, (u32)num2);
  for (size_t i = 0; cut1 < num1 && i < num2; i++) {
    size_t at = (cut2 + i) % num2;

    if (data2[begin2 + at * LEN] != data1[begin1 + cut1 * LEN]) continue;
    cut2 = at;
    break;
  }
  if (begin1 + cut1 * LEN > max_out) cut1 = (max_out - begin1) / LEN;
  memcpy(out, data1, begin1 + cut1 * LEN);
  rest = num2 > cut2 ? (num2 - cut2) * LEN : 0;
  if (begin1 + cut1 * LEN + rest > max_out) rest = (max_out - begin1 - cut1 * LEN) / LEN * LEN;
  memcpy(out + begin1 + cut1 * LEN, data2 + begin2 + cut2 * LEN, rest);
  return begin1 + cut1 * LEN + rest;
}
