// SPDX-License-Identifier: GPL-2.0-or-later
//
// Calls of Arm's firmware, as of arm64: they go to the device whose driver calls.
#ifndef SEEDBED_SHIM_LINUX_ARM_SMCCC_H_
#define SEEDBED_SHIM_LINUX_ARM_SMCCC_H_

#include <linux/seedbed.h>

#define CONFIG_ARM64 1
#define BITS_PER_BYTE 8

#define SMCCC_RET_SUCCESS 0
#define ARM_SMCCC_TRNG_RND32 0x84000053ul
#define ARM_SMCCC_TRNG_RND64 0xc4000053ul

struct arm_smccc_res {
  unsigned long a0, a1, a2, a3;
};
#define arm_smccc_1_1_invoke(function, arg, res) \
  seedbed_k_smccc_call((function), (arg), (unsigned long *)(res))

#endif  // SEEDBED_SHIM_LINUX_ARM_SMCCC_H_
