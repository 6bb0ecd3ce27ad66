// SPDX-License-Identifier: GPL-2.0-or-later
//
// A device's reset line, of the modelled board.
#ifndef SEEDBED_SHIM_LINUX_RESET_H_
#define SEEDBED_SHIM_LINUX_RESET_H_

#include <linux/err.h>
#include <linux/seedbed.h>

struct reset_control;
#define devm_reset_control_get_optional_exclusive(dev, id) \
  ((struct reset_control *)seedbed_k_reset_control_get(dev))
#define reset_control_reset(reset) seedbed_k_reset_control_reset(reset)

#endif  // SEEDBED_SHIM_LINUX_RESET_H_
