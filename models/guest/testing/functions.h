// SPDX-License-Identifier: GPL-2.0-only
//
// For tests and benchmarks: small functions in machine code for each architecture.
#ifndef SEEDBED_MODELS_GUEST_TESTING_FUNCTIONS_H_
#define SEEDBED_MODELS_GUEST_TESTING_FUNCTIONS_H_

#include "sim/base.h"

// functions_ppc.S and functions_arm64.S say what each does.
enum function {
  FN_ADD,
  FN_MIX,
  FN_SYSCALL,
  FN_LOAD,
  FN_STORE,
  FN_SPIN,
  FN_UNDEFINED,
  FN_ENTROPY,
  FN_COUNTER,
  FN_JUMP,
  FN_LEAF,
  FN_HANDLER,
  FN_CARRY,
  FN_WORD,
  FN_HVC,
  FN_SMC,
  FN_INCREMENT,
};
enum { FUNCTIONS_LEN = 8192 };

// The bytes, in guest's order. Generated.
extern const u8 guest_functions_ppc32[FUNCTIONS_LEN], guest_functions_ppc64[FUNCTIONS_LEN],
    guest_functions_ppc64le[FUNCTIONS_LEN], guest_functions_arm64[FUNCTIONS_LEN];

#endif  // SEEDBED_MODELS_GUEST_TESTING_FUNCTIONS_H_
