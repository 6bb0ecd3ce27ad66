// SPDX-License-Identifier: GPL-2.0-or-later
//
// A device's clock, of the modelled board.
#ifndef SEEDBED_SHIM_LINUX_CLK_H_
#define SEEDBED_SHIM_LINUX_CLK_H_

#include <linux/err.h>
#include <linux/seedbed.h>

struct clk;
#define devm_clk_get_optional(dev, id) ((struct clk *)seedbed_k_clk_get(dev))
#define clk_prepare_enable(clk) seedbed_k_clk_prepare_enable(clk)
#define clk_disable_unprepare(clk) seedbed_k_clk_disable_unprepare(clk)

#endif  // SEEDBED_SHIM_LINUX_CLK_H_
