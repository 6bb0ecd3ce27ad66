// SPDX-License-Identifier: GPL-2.0-or-later
//
// Addresses in the device tree: devm_platform_ioremap_resource stands for all of it.
#ifndef SEEDBED_SHIM_LINUX_OF_ADDRESS_H_
#define SEEDBED_SHIM_LINUX_OF_ADDRESS_H_

#include <linux/of.h>

#endif  // SEEDBED_SHIM_LINUX_OF_ADDRESS_H_
