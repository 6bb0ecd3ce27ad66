// SPDX-License-Identifier: GPL-2.0-or-later
//
// Static keys: a test is code, which is patched, and no access. sim/static_key.h.
#ifndef SEEDBED_SHIM_RANDOM_LINUX_JUMP_LABEL_H_
#define SEEDBED_SHIM_RANDOM_LINUX_JUMP_LABEL_H_

#include <linux/seedbed_object.h>

struct static_key_false {
  _Bool enabled;
};
#define DEFINE_STATIC_KEY_FALSE(name) struct static_key_false name = {0}
#define static_branch_likely(key) (seedbed_k_static_branch(&(key)->enabled) != 0)
#define static_branch_unlikely(key) (seedbed_k_static_branch(&(key)->enabled) != 0)
#define static_branch_enable(key) \
  seedbed_k_static_branch_enable(SIM_SITE("static_branch_enable"), &(key)->enabled)
static const _Bool static_key_initialized = 1;

#endif  // SEEDBED_SHIM_RANDOM_LINUX_JUMP_LABEL_H_
