// SPDX-License-Identifier: GPL-2.0-or-later
//
// The arena by itself: what it hands out, what an image holds, what restoring brings back.
// Runs and their memory are in memory_test.c.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
// cmocka wants the four above first.
#include <cmocka.h>

#include <string.h>

#include "sim/arena.h"
#include "sim/prng.h"

static bool all_are(const char *p, size_t n, u8 byte) {
  for (size_t i = 0; i < n; i++)
    if ((u8)p[i] != byte) return false;
  return true;
}

// Aligned, one after the other, never twice; at least a grain each.
static void alloc_grows(void **state) {
  struct sim_arena a;
  (void)state;
  assert_true(sim_arena_init(&a));
  char *before = NULL;
  static const size_t sizes[] = {0, 1, 15, 16, 17, 100, 4096};
  for (u32 i = 0; i < SIM_ARRAY_SIZE(sizes); i++) {
    char *p = sim_arena_alloc(&a, sizes[i]);
    assert_non_null(p);
    assert_int_equal((uintptr_t)p % SIM_GRAIN, 0);
    if (before) assert_ptr_equal(p, before);
    size_t size = (sizes[i] + 15) / 16 * 16;
    before = p + (size ? size : 16);
    memset(p, 0x11, sizes[i]);
    assert_true(sim_arena_holds(&a, p));
  }
  sim_arena_align(&a, 64);
  assert_int_equal((uintptr_t)sim_arena_alloc(&a, 8) % 64, 0);
  int outside;
  assert_false(sim_arena_holds(&a, &outside));
  assert_false(sim_arena_holds(&a, NULL));
  assert_false(sim_arena_holds(&a, a.base - 1));
  assert_false(sim_arena_holds(&a, a.base + SIM_ARENA_SIZE));
  sim_arena_destroy(&a);
}

// All of it can be had, and then nothing more; what does not fit changes nothing.
static void exhausted(void **state) {
  struct sim_arena a;
  (void)state;
  assert_true(sim_arena_init(&a));
  assert_null(sim_arena_alloc(&a, (size_t)SIM_ARENA_SIZE + 1));
  assert_null(sim_arena_alloc(&a, SIZE_MAX));
  assert_null(sim_arena_alloc(&a, SIZE_MAX - 8));
  assert_int_equal(a.used, 0);
  assert_non_null(sim_arena_alloc(&a, SIM_ARENA_SIZE - 32));
  assert_null(sim_arena_alloc(&a, 33));
  assert_non_null(sim_arena_alloc(&a, 32));
  assert_null(sim_arena_alloc(&a, 0));
  assert_int_equal(a.used, SIM_ARENA_SIZE);
  sim_arena_destroy(&a);
}

// The image comes back byte by byte, whatever was done, freed or added since.
static void restore_brings_the_image_back(void **state) {
  struct sim_arena a;
  struct sim_stream rng;
  (void)state;
  sim_stream_seed(&rng, 7);
  assert_true(sim_arena_init(&a));
  u8 *p = sim_arena_alloc(&a, 1000);
  u8 *q = sim_arena_alloc(&a, 64);
  u8 copy[1000];
  for (u32 i = 0; i < 1000; i++) copy[i] = p[i] = (u8)sim_stream_u64(&rng);
  sim_arena_mark_freed(&a, q, 64);
  sim_arena_take_image(&a);
  assert_int_equal(a.image_len, 1008 + 64);
  for (u32 round = 0; round < 20; round++) {
    a.fill = (u8)(round * 0x35);
    sim_arena_restore(&a);
    assert_memory_equal(p, copy, sizeof(copy));
    assert_false(sim_arena_is_freed(&a, p));
    assert_true(sim_arena_is_freed(&a, q));
    assert_int_equal(a.used, a.image_len);
    for (u32 i = 0; i < 50; i++) p[sim_stream_below(&rng, 1000)] ^= 0x55;
    char *first = NULL;
    for (u32 i = 0; i < 10; i++) {
      u32 size = 1 + sim_stream_below(&rng, 300);
      char *more = sim_arena_alloc(&a, size);
      if (!first) first = more;
      // Of fill, every byte, whatever lay there in earlier rounds and however far they went.
      assert_true(all_are(more, size, a.fill));
      assert_false(sim_arena_is_freed(&a, more));
      memset(more, 0xee, size);
      if (i % 3 == 0) sim_arena_mark_freed(&a, more, size);
    }
    assert_ptr_equal(first, a.base + a.image_len);
    if (round % 4 == 0) sim_arena_mark_freed(&a, p, 1000);
  }
  sim_arena_destroy(&a);
}

// Freed grains: of the object, no other; nothing beyond what was handed out.
static void freed_grains(void **state) {
  struct sim_arena a;
  (void)state;
  assert_true(sim_arena_init(&a));
  char *p = sim_arena_alloc(&a, 48), *q = sim_arena_alloc(&a, 20), *r = sim_arena_alloc(&a, 1);
  sim_arena_mark_freed(&a, q, 20);
  assert_false(sim_arena_is_freed(&a, p + 47));
  for (u32 i = 0; i < 32; i++) assert_true(sim_arena_is_freed(&a, q + i));
  assert_false(sim_arena_is_freed(&a, r));
  assert_false(sim_arena_is_freed(&a, r + 16));
  assert_false(sim_arena_is_freed(&a, NULL));
  assert_false(sim_arena_is_freed(&a, &a));
  sim_arena_empty(&a);
  assert_int_equal(a.used, 0);
  assert_false(sim_arena_is_freed(&a, q));
  assert_ptr_equal(sim_arena_alloc(&a, 8), a.base);
  sim_arena_destroy(&a);
}

// Emptied, an arena is as new, filled with the byte that is set then.
static void empty_refills(void **state) {
  struct sim_arena a;
  (void)state;
  assert_true(sim_arena_init(&a));
  memset(sim_arena_alloc(&a, 5000), 1, 5000);
  sim_arena_take_image(&a);
  a.fill = 0x77;
  sim_arena_empty(&a);
  assert_int_equal(a.image_len, 0);
  char *p = sim_arena_alloc(&a, 10000);
  assert_true(all_are(p, 10000, 0x77));
  sim_arena_destroy(&a);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(alloc_grows),
      cmocka_unit_test(exhausted),
      cmocka_unit_test(restore_brings_the_image_back),
      cmocka_unit_test(freed_grains),
      cmocka_unit_test(empty_refills),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
