// SPDX-License-Identifier: GPL-2.0-or-later
//
// Devices of the device tree.
#ifndef SEEDBED_SHIM_LINUX_OF_PLATFORM_H_
#define SEEDBED_SHIM_LINUX_OF_PLATFORM_H_

#include <linux/of.h>
#include <linux/platform_device.h>

#endif  // SEEDBED_SHIM_LINUX_OF_PLATFORM_H_
