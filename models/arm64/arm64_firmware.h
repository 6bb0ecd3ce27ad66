// SPDX-License-Identifier: GPL-2.0-or-later
//
// The firmware: what answers HVC and SMC (PSCI, SMCCC, its TRNG).
#ifndef SEEDBED_MODELS_ARM64_ARM64_FIRMWARE_H_
#define SEEDBED_MODELS_ARM64_ARM64_FIRMWARE_H_

#include "models/arm64/arm64_machine.h"

// arm64_firmware_call answers the call that `call`'s guest has made by `conduit`, an instruction
// with this immediate: x0 to x3.
// What it costs is owed. Draws where ARM64_TRNG_DRAWN; no scheduling point.
void arm64_firmware_call(struct arm64_call *call, u32 conduit, u32 immediate);

#endif  // SEEDBED_MODELS_ARM64_ARM64_FIRMWARE_H_
