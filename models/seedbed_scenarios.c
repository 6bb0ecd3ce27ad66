// SPDX-License-Identifier: GPL-2.0-or-later
//
// See seedbed_scenarios.h.
#include "models/seedbed_scenarios.h"

#include <string.h>

#include "models/arm64/arm64_scenarios.h"
#include "models/crng/crng_scenarios.h"
#include "models/fpu/fpu_scenarios.h"
#include "models/hwrng/hwrng_scenarios.h"
#include "models/testing/mailbox.h"
#include "models/testing/trials.h"
#include "models/vdso/vdso_scenarios.h"
#include "models/vdso_crng/vdso_crng_scenarios.h"

const struct sim_scenario *const seedbed_scenarios[] = {
    &scenario_bcm2835_read,      &scenario_bcm2835_unregister,
    &scenario_hwrng_lifecycle,   &scenario_vdso_chacha,
    &scenario_vdso_getrandom,    &scenario_vdso_crng,
    &scenario_crng_boot,         &scenario_crng_seed,
    &scenario_crng_readers,      &scenario_crng_reseed,
    &scenario_crng_hotplug,      &scenario_crng_vmfork,
    &scenario_crng_hwrng,        &scenario_arm64_archrandom,
    &scenario_arm64_boot,        &scenario_boot_hwrng,
    &scenario_fpu_blake2s,       &scenario_fpu_crng,
    &scenario_mailbox,           &scenario_canary,
    &scenario_not_deterministic, NULL,
};

const struct sim_scenario *seedbed_scenario_by_name(const char *name) {
  for (u32 i = 0; seedbed_scenarios[i]; i++)
    if (strcmp(seedbed_scenarios[i]->name, name) == 0) return seedbed_scenarios[i];
  return NULL;
}
