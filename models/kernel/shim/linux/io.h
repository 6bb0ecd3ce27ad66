// SPDX-License-Identifier: GPL-2.0-or-later
//
// Registers: a mapping is no memory, and every access goes to the modelled device.
#ifndef SEEDBED_SHIM_LINUX_IO_H_
#define SEEDBED_SHIM_LINUX_IO_H_

#include <linux/types.h>
#include <linux/seedbed.h>

#define readl(at) seedbed_k_readl(at)
#define readl_relaxed(at) seedbed_k_readl(at)
#define __raw_readl(at) seedbed_k_readl(at)
#define ioread32(at) seedbed_k_readl(at)
#define writel(value, at) seedbed_k_writel((value), (at))
#define writel_relaxed(value, at) seedbed_k_writel((value), (at))
#define __raw_writel(value, at) seedbed_k_writel((value), (at))
#define iowrite32(value, at) seedbed_k_writel((value), (at))

#endif  // SEEDBED_SHIM_LINUX_IO_H_
