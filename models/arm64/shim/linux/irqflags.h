/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * In place of include/linux/irqflags.h, by way of which archrandom.h has preemptible().
 */
#ifndef SEEDBED_MODELS_ARM64_SHIM_LINUX_IRQFLAGS_H_
#define SEEDBED_MODELS_ARM64_SHIM_LINUX_IRQFLAGS_H_

#include <linux/preempt.h>

#endif /* SEEDBED_MODELS_ARM64_SHIM_LINUX_IRQFLAGS_H_ */
