// SPDX-License-Identifier: GPL-2.0-or-later
//
// What surrounds archrandom.h of a kernel tree, in place of drivers/firmware: PSCI is asked which
// SMCCC there is (psci_init_smccc), and the tree's own function whether there is a TRNG.
#include <asm/archrandom.h>

#include "models/arm64/guest_asm/arm64_data.h"
#include "models/arm64/shim/seedbed_data.h"

static u32 *word(u32 offset) { return (u32 *)(seedbed_data + offset); }

enum arm_smccc_conduit arm_smccc_1_1_get_conduit(void) {
  if (*word(ARM64_DATA_VERSION) < ARM64_SMCCC_VERSION_1_1) return SMCCC_CONDUIT_NONE;
  switch (*word(ARM64_DATA_PSCI)) {
    case ARM64_CONDUIT_HVC:
      return SMCCC_CONDUIT_HVC;
    case ARM64_CONDUIT_SMC:
      return SMCCC_CONDUIT_SMC;
    default:
      return SMCCC_CONDUIT_NONE;
  }
}

// By PSCI's conduit; what nobody can be asked is not supported.
static s32 ask(u32 function, u32 argument) {
  struct arm_smccc_res res = {.a0 = -1};

  switch (*word(ARM64_DATA_PSCI)) {
    case ARM64_CONDUIT_HVC:
      arm_smccc_1_1_hvc(function, argument, &res);
      break;
    case ARM64_CONDUIT_SMC:
      arm_smccc_1_1_smc(function, argument, &res);
      break;
  }
  return res.a0;
}

// The name makes it an image that models/vdso/image.h loads.
void psci_init_smccc(void) asm("__kernel_psci_init_smccc");

void psci_init_smccc(void) {
  s32 version;

  if (ask(ARM64_PSCI_FEATURES, ARM64_SMCCC_VERSION) == -1) return;
  version = ask(ARM64_SMCCC_VERSION, 0);
  if (version < ARM64_SMCCC_VERSION_1_1) return;
  *word(ARM64_DATA_VERSION) = version;
  smccc_trng_available = smccc_probe_trng();
}
