// SPDX-License-Identifier: GPL-2.0-or-later
//
// As the objects' other files have it, and early parameters, which are set by name.
#ifndef SEEDBED_SHIM_RANDOM_LINUX_INIT_H_
#define SEEDBED_SHIM_RANDOM_LINUX_INIT_H_

#include_next <linux/init.h>
#include <linux/stringify.h>

struct seedbed_param {
  const char *name;
  int (*set)(char *value);
} __attribute__((aligned(16)));
#define early_param(name, fn)                             \
  static const struct seedbed_param seedbed_param_of_##fn \
      __attribute__((section("seedbed_params_" __stringify(SEEDBED_HZ)), used)) = {(name), (fn)}

#endif  // SEEDBED_SHIM_RANDOM_LINUX_INIT_H_
