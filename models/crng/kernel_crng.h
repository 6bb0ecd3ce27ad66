// SPDX-License-Identifier: GPL-2.0-or-later
//
// The start of a kernel tree's random.c under the CRNG's onlooker: what it is told
// (models/kernel/kernel_random.h) becomes what struct crng_hooks says, and what the platform
// offers becomes the processor's words, boot parameters and the cycle counter.
#ifndef SEEDBED_MODELS_CRNG_KERNEL_CRNG_H_
#define SEEDBED_MODELS_CRNG_KERNEL_CRNG_H_

#include "models/crng/crng.h"

// Of a version 1000 * major + minor.
enum crng_version kernel_crng_version(u32 linux_version);
// In set-up, on the subject that is set; rng->platform and rng->hooks are.
void kernel_crng_start(struct crng *rng);
// random_init_early: the words that it takes are told as offered.
void kernel_crng_random_init_early(struct crng *rng, const char *command_line);
// random_online_cpu, and that it has forgotten.
int kernel_crng_random_online_cpu(struct crng *rng, u32 cpu);

#endif  // SEEDBED_MODELS_CRNG_KERNEL_CRNG_H_
