// SPDX-License-Identifier: GPL-2.0-or-later
//
// The streams: splitmix64 as published, and numbers below a bound.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
// cmocka wants the four above first.
#include <cmocka.h>

#include "sim/prng.h"

// The first outputs of splitmix64 for two seeds, as in the reference implementation of
// S. Vigna (prng.di.unimi.it/splitmix64.c): the state grows by the constant, then is mixed.
static u64 reference(u64 *x) {
  u64 z = (*x += 0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

static void stream_is_splitmix64(void **state) {
  // Rosetta Code, "Pseudo-random numbers/Splitmix64", seed 1234567.
  static const u64 published[] = {6457827717110365317u, 3203168211198807973u, 9817491932198370423u,
                                  4593380528125082431u, 16408922859458223821u};
  struct sim_stream s;
  (void)state;
  sim_stream_seed(&s, 1234567);
  for (u32 i = 0; i < SIM_ARRAY_SIZE(published); i++)
    assert_true(sim_stream_u64(&s) == published[i]);
  for (u64 seed = 0; seed < 100; seed++) {
    u64 x = seed * 0x123456789abcdefull;
    sim_stream_seed(&s, x);
    for (u32 i = 0; i < 50; i++) assert_true(sim_stream_u64(&s) == reference(&x));
  }
}

// Below n, every value about equally often; one draw each.
static void below_a_bound(void **state) {
  struct sim_stream s, t;
  (void)state;
  sim_stream_seed(&s, 3);
  for (u32 n = 1; n <= 40; n++) {
    u32 count[40] = {0}, rounds = 2000 * n;
    for (u32 i = 0; i < rounds; i++) {
      u32 v = sim_stream_below(&s, n);
      assert_true(v < n);
      count[v]++;
    }
    // 2000 expected; seven standard deviations are 313.
    for (u32 v = 0; v < n; v++) assert_in_range(count[v], 2000 - 313, 2000 + 313);
  }
  static const u32 large[] = {256, 65536, 1000000007, UINT32_MAX};
  for (u32 i = 0; i < SIM_ARRAY_SIZE(large); i++) {
    u32 low = UINT32_MAX, high = 0;
    for (u32 j = 0; j < 20000; j++) {
      u32 v = sim_stream_below(&s, large[i]);
      assert_true(v < large[i]);
      if (v < low) low = v;
      if (v > high) high = v;
    }
    assert_true(low < large[i] / 100 + 1 && high >= large[i] - large[i] / 100 - 1);
  }
  sim_stream_seed(&s, 9);
  sim_stream_seed(&t, 9);
  for (u32 i = 0; i < 10; i++) {
    (void)sim_stream_below(&s, 1 + i);
    (void)sim_stream_u64(&t);
  }
  assert_true(sim_stream_u64(&s) == sim_stream_u64(&t));
}

// The hashes that enter digests and seeds: fixed for ever, as files hold what follows from
// them.
static void hashes_are_fixed(void **state) {
  (void)state;
  // FNV-1a 64 of "" and "a" (Fowler, Noll, Vo; draft-eastlake-fnv), mixed.
  assert_true(sim_hash_str("") == sim_mix64(0xcbf29ce484222325u));
  assert_true(sim_hash_str("a") == sim_mix64(0xaf63dc4c8601ec8cu));
  assert_true(sim_hash_str("foobar") == sim_mix64(0x85944171f73967e8u));
  assert_true(sim_hash_str("\xff") != sim_hash_str("\x7f"));
  // A bijection: no two of these agree, and 0 stays 0.
  assert_true(sim_mix64(0) == 0);
  for (u64 i = 1; i < 2000; i++)
    for (u64 j = 0; j < i; j += 97) assert_true(sim_mix64(i) != sim_mix64(j));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(stream_is_splitmix64),
      cmocka_unit_test(below_a_bound),
      cmocka_unit_test(hashes_are_fixed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
