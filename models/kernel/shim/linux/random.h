// SPDX-License-Identifier: GPL-2.0-or-later
//
// The pool that the fill thread feeds. Before Linux 6.3 the call had no last argument and always
// slept.
#ifndef SEEDBED_SHIM_LINUX_RANDOM_H_
#define SEEDBED_SHIM_LINUX_RANDOM_H_

#include <linux/seedbed.h>

#define add_device_randomness(buf, len) seedbed_k_add_device_randomness((buf), (len))

#define SEEDBED_ADD_3(buf, len, entropy) \
  seedbed_k_add_hwgenerator_randomness((buf), (len), (entropy), 1)
#define SEEDBED_ADD_4(buf, len, entropy, sleep_after) \
  seedbed_k_add_hwgenerator_randomness((buf), (len), (entropy), (sleep_after))
#define SEEDBED_ADD(a, b, c, d, name, ...) name
#define add_hwgenerator_randomness(...) \
  SEEDBED_ADD(__VA_ARGS__, SEEDBED_ADD_4, SEEDBED_ADD_3, 0)(__VA_ARGS__)

#endif  // SEEDBED_SHIM_LINUX_RANDOM_H_
