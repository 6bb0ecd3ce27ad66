// SPDX-License-Identifier: GPL-2.0-or-later
//
// Machines and programs drawn at random (sim/testing/stress.h): nothing fires, and each
// run is that of its list of draws, whatever byte fills unused memory. SEEDBED_NIGHTLY
// raises the number of machines from 150 to 100,000.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
// cmocka wants the four above first.
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>

#include "sim/testing/stress.h"

static void whatever_is_done(void **state) {
  struct sim_world *w = sim_world_new();
  u64 machines = getenv("SEEDBED_NIGHTLY") ? 100000 : 150;
  u32 wrong = 0;
  (void)state;
  assert_non_null(w);
  for (u64 i = 0; i < machines && wrong < 20; i++)
    wrong += testing_stress_machine(w, i, 100 * i, 10, stderr);
  assert_int_equal(wrong, 0);
  sim_world_free(w);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(whatever_is_done)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
