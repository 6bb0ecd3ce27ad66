// SPDX-License-Identifier: GPL-2.0-or-later
//
// The published throughput figures of the bcm2835 (Raspberry Pi 3B+, HZ 250, dd bs=10000
// count=1; thread "hwrng: bcm2835: Fix hwrng throughput regression", 2023) come out of one
// set of physical parameters: those of bcm2835_dev.h and of the machine. `seedbed table
// bcm2835` prints the same.
#include "sim/testing/runs.h"

#include "models/hwrng/hwrng_scenarios.h"

enum { FEW = 400, MANY = 10400 };

// Virtual time of a calm run of one reader without the fill thread.
static u64 time_ns(const char *policy, const char *bytes, const char *start_ns) {
  const char *const set[] = {"policy", policy, "bytes", bytes, "start_ns", start_ns,
                             // One reader alone, a device that is well, no bound in the way.
                             "readers", "1", "reads", "0", "signals", "0", "odd", "0", "fill", "0",
                             "poll_us", "1000000000", "heal_budget_ns", "10000000000000",
                             "hung_task_ns", "10000000000000", "soft_lockup_ns", "10000000000000",
                             "rcu_stall_ns", "10000000000000", "steps_max", "100000000", NULL};
  struct sim_test t;
  u64 vtime_ns;

  sim_test_open(&t, &scenario_bcm2835_read, set);
  sim_test_calm(&t);
  // That a second's sleep is too slow is an oracle's business, and true.
  if (t.result.num_failures) assert_string_equal(t.result.failures[0].oracle, "hwrng-throughput");
  vtime_ns = t.result.vtime_ns;
  sim_test_close(&t);
  return vtime_ns;
}

// Thousandths of a byte a second.
static u64 rate(const char *policy, const char *start_ns) {
  u64 few_ns = time_ns(policy, "400", start_ns);
  u64 many_ns = time_ns(policy, "10400", start_ns);

  assert_true(many_ns > few_ns);
  return (u64)(MANY - FEW) * 1000 * SIM_NSEC_PER_SEC / (many_ns - few_ns);
}

// Means over the phase of the tick lie within 5 % of the published figures; but for the
// second's sleep, of which the model says 19.5 B/s.
static void six_policies_have_their_published_rates(void **state) {
  static const struct {
    const char *policy;
    u64 milli;  // of a byte a second
  } rows[] = {
      /* 1 */ {"cpu_relax", 138025000},
      /* 2 */ {"usleep_range(100,200)", 92141000},
      /* 3 */ {"usleep_range(200,400)", 47776000},
      /* 4 */ {"hwrng_msleep(20)", 715000},
      /* 5 */ {"hwrng_yield", 2510000},
      /* 6 */ {"hwrng_msleep(1000)", 19531},
  };
  // From a tick on, and 1, 2 and 3 ms behind it.
  static const char *const starts[] = {"1004000000", "1005000000", "1006000000", "1007000000"};

  for (u32 i = 0; i < SIM_ARRAY_SIZE(rows); i++) {
    u64 mean = 0;

    for (u32 k = 0; k < SIM_ARRAY_SIZE(starts); k++)
      mean += rate(rows[i].policy, starts[k]) / SIM_ARRAY_SIZE(starts);
    print_message("%s: %llu.%03llu B/s\n", rows[i].policy, (unsigned long long)mean / 1000,
                  (unsigned long long)mean % 1000);
    assert_true(mean * 100 > rows[i].milli * 95);
    assert_true(mean * 100 < rows[i].milli * 105);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(six_policies_have_their_published_rates),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
