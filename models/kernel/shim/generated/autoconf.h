// SPDX-License-Identifier: GPL-2.0-or-later
//
// The configuration: 64 bits, SMP, a device tree, registers in memory, system sleep.
#ifndef SEEDBED_SHIM_GENERATED_AUTOCONF_H_
#define SEEDBED_SHIM_GENERATED_AUTOCONF_H_

#define CONFIG_64BIT 1
#define CONFIG_SMP 1
#define CONFIG_OF 1
#define CONFIG_PM 1
#define CONFIG_PM_SLEEP 1
#define CONFIG_HAS_IOMEM 1
#define CONFIG_COMMON_CLK 1
#define CONFIG_RESET_CONTROLLER 1
#define CONFIG_HW_RANDOM 1

#endif  // SEEDBED_SHIM_GENERATED_AUTOCONF_H_
