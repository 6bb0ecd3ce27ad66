// SPDX-License-Identifier: GPL-2.0-or-later
//
// No parameter of a scenario, at its minimum or its maximum, makes a finding: bounds grow with the
// work that was asked for, or the parameter's range ends where they hold. Nightly with more seeds.
#include "models/testing/bulk.h"

#include <stdlib.h>

enum { SEEDS = 3, SEEDS_NIGHTLY = 300 };

// Values that say by their line what they lead to, and bounds of checkers, which are what they are.
static const struct {
  const char *scenario;  // NULL: any
  const char *param;
  s64 value;
} exempt[] = {
    {NULL, "irq_off_max_ns", 1},
    {NULL, "section_ns", 1},
    {"vdso-getrandom", "fpsimd", 0},
};

static bool is_exempt(const struct sim_scenario *scenario, const char *param, s64 value) {
  for (u32 i = 0; i < SIM_ARRAY_SIZE(exempt); i++)
    if ((!exempt[i].scenario || strcmp(exempt[i].scenario, scenario->name) == 0) &&
        strcmp(exempt[i].param, param) == 0 && exempt[i].value == value)
      return true;
  return false;
}

static void try(const struct sim_scenario *scenario, const char *param, s64 value) {
  u64 seeds = getenv("SEEDBED_NIGHTLY") ? SEEDS_NIGHTLY : SEEDS;
  struct bulk bulk;
  char text[24];

  if (is_exempt(scenario, param, value)) return;
  snprintf(text, sizeof(text), "%lld", (long long)value);
  print_message("%s --set=%s=%s\n", scenario->name, param, text);
  bulk_open_with(&bulk, scenario, param, text);
  bulk_clean(&bulk, scenario, 1, seeds);
  bulk_close(&bulk);
}

static void ends_of_ranges_are_clean(void **state) {
  for (u32 i = 0; seedbed_scenarios[i]; i++) {
    const struct sim_param *param = seedbed_scenarios[i]->params;

    for (; !seedbed_scenarios[i]->testonly && param && param->name; param++) {
      // A name is a design or a version, or a historic bug. Without bounds: the machine's.
      if (param->names || param->provokes || param->min == param->max) continue;
      try(seedbed_scenarios[i], param->name, param->min);
      try(seedbed_scenarios[i], param->name, param->max);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ends_of_ranges_are_clean),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
