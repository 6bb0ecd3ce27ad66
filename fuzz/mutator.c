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
enum {
  HEAD_MAX =
      1 + FUZZ_SETTINGS_MAX * FUZZ_SETTING_LEN + FUZZ_BASE_LEN + FUZZ_TURNS_MAX * FUZZ_TURN_LEN
};
enum { LEN = SIM_BYTES_ENTRY_LEN, RANDOM_ONE_IN = 5, TURN_ONE_IN = 2, CROSS_ONE_IN = 8 };

struct edit {
  u8 *data;
  struct fuzz_head head;
  size_t begin, num, max;  // entries
  size_t max_size;
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

// Another head, before the same entries, if there is room.
static void exchange_head(struct edit *e, const u8 *bytes, struct fuzz_head head) {
  size_t len = fuzz_head_len(head);

  if (len + e->num * LEN > e->max_size) return;
  memmove(e->data + len, e->data + e->begin, e->num * LEN);
  memcpy(e->data + 1, bytes + 1, len - 1);
  e->data[0] = fuzz_head_byte(head);
  e->head = head;
  e->begin = len;
  e->max = (e->max_size - len) / LEN;
}

static size_t settings_len(const struct fuzz_head *head) {
  return 1 + (size_t)head->num_settings * FUZZ_SETTING_LEN;
}

static void put_random(struct edit *e, u8 *at, size_t len) {
  while (len--) *at++ = (u8)below(e, 256);
}

// The base seed is exchanged for another, and is there three times out of four; turns go with it.
// Now and then the settings are exchanged, too, for none or one more often than several: each set
// of them wants a world of its own, whose set-up takes as long as a hundred runs.
static void settings(struct edit *e) {
  struct fuzz_head head = {.num_settings = e->head.num_settings, .based = below(e, 4)};
  u8 bytes[HEAD_MAX];
  size_t at;

  memcpy(bytes, e->data, settings_len(&e->head));
  if (!below(e, 32)) {
    head.num_settings = below(e, 2) + (below(e, 16) ? 0 : below(e, FUZZ_SETTINGS_MAX));
    for (size_t i = 1; i < settings_len(&head); i++) bytes[i] = (u8)(i % 3 ? below(e, 240) : 0);
  }
  at = settings_len(&head);
  if (head.based) put_random(e, bytes + at, FUZZ_BASE_LEN);
  exchange_head(e, bytes, head);
}

// Draws of the last run.
static u32 all_draws(void) {
  const u32 *draws = fuzz_draws();
  u32 all = 0;

  for (u32 i = 0; draws && i < SIM_BYTES_CLASSES; i++) all += draws[i];
  return all ? all : 64;
}

// Of a draw, early ones more often: much of what runs do differs by their beginning.
static u32 draw_place(struct edit *e) {
  u32 all = all_draws(), bits = 32 - (u32)__builtin_clz(all), most = 1u << (1 + below(e, bits));

  return below(e, most < all ? most : all);
}

// The run goes on from some draw as another seed has it; turns behind it go. With a base seed.
static void turn(struct edit *e) {
  struct fuzz_head head = e->head;
  size_t begin = settings_len(&head) + FUZZ_BASE_LEN;
  u32 kept = 0, left = draw_place(e);
  u8 bytes[HEAD_MAX], *at;

  memcpy(bytes, e->data, e->begin);
  for (at = bytes + begin; kept < head.num_turns && kept < FUZZ_TURNS_MAX - 1; kept++) {
    u32 draws = (u32)at[0] | (u32)at[1] << 8;

    if (draws > left) break;
    left -= draws;
    at += FUZZ_TURN_LEN;
  }
  at[0] = (u8)left;
  at[1] = (u8)(left >> 8);
  put_random(e, at + 2, FUZZ_TURN_LEN - 2);
  head.num_turns = kept + 1;
  exchange_head(e, bytes, head);
}

static struct edit open_edit(u8 *data, size_t size, size_t max_size, unsigned seed) {
  struct edit e = {.data = data};

  sim_stream_seed(&e.rng, seed);
  e.max_size = max_size;
  e.head = fuzz_head(data, size);
  e.begin = fuzz_head_len(e.head);
  data[0] = fuzz_head_byte(e.head);
  e.num = size > e.begin ? (size - e.begin) / LEN : 0;
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
  if (e.head.based && !below(&e, TURN_ONE_IN)) {
    turn(&e);
    return e.begin + e.num * LEN;
  }
  for (u32 times = 1 + below(&e, 4); times--;) {
    u32 what = below(&e, 64);

    if (what < 6)
      settings(&e);
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
// there are. Engines that ask for it as often as for a mutation are mostly told that there is none,
// and so they are where it would be the one or the other, unchanged.
size_t LLVMFuzzerCustomCrossOver(const u8 *data1, size_t size1, const u8 *data2, size_t size2,
                                 u8 *out, size_t max_out, unsigned seed) {
  struct fuzz_head head = fuzz_head(data1, size1);
  size_t begin1 = fuzz_head_len(head);
  size_t begin2 = fuzz_head_len(fuzz_head(data2, size2));
  size_t num1 = size1 > begin1 ? (size1 - begin1) / LEN : 0;
  size_t num2 = size2 > begin2 ? (size2 - begin2) / LEN : 0, cut1, cut2, rest;
  struct sim_stream rng;

  sim_stream_seed(&rng, seed);
  if (!num2 || sim_stream_below(&rng, CROSS_ONE_IN)) return 0;
  cut1 = sim_stream_below(&rng, (u32)num1 + 1);
  cut2 = sim_stream_below(&rng, (u32)num2);
  for (size_t i = 0; cut1 < num1 && i < num2; i++) {
    size_t at = (cut2 + i) % num2;

    if (data2[begin2 + at * LEN] != data1[begin1 + cut1 * LEN]) continue;
    cut2 = at;
    break;
  }
  rest = num2 - cut2;
  if (begin1 > max_out) return 0;
  if (cut1 > (max_out - begin1) / LEN) cut1 = (max_out - begin1) / LEN;
  if (rest > (max_out - begin1) / LEN - cut1) rest = (max_out - begin1) / LEN - cut1;
  if (size1) memcpy(out, data1, begin1 + cut1 * LEN);
  out[0] = fuzz_head_byte(head);
  memcpy(out + begin1 + cut1 * LEN, data2 + begin2 + cut2 * LEN, rest * LEN);
  return begin1 + (cut1 + rest) * LEN;
}
