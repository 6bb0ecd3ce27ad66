// SPDX-License-Identifier: GPL-2.0-only
//
// Every fact holds for the library of this machine, and says something.
#include "models/guest/guest_selftest.h"

#include "models/guest/testing/bed.h"

static void all_hold(void **state) {
  for (u32 i = 0; i < guest_facts_count(); i++) {
    char seen[256];
    bool holds = guest_fact_holds(i, seen, sizeof(seen));
    if (!holds || !seen[0] || !guest_fact_line(i)[0]) fail_msg("%s: %s", guest_fact_name(i), seen);
  }
  assert_memory_equal(guest_library(), "Unicorn 2.", 10);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(all_hold)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
