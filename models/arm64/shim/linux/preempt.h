/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * In place of include/linux/preempt.h: whether the caller may be moved. SEEDBED_COUNTED is
 * CONFIG_PREEMPT_COUNT.
 */
#ifndef SEEDBED_MODELS_ARM64_SHIM_LINUX_PREEMPT_H_
#define SEEDBED_MODELS_ARM64_SHIM_LINUX_PREEMPT_H_

#include <asm/sysreg.h>
#include <linux/types.h>

#include "models/arm64/guest_asm/arm64_data.h"

#define arch_irqs_disabled() (!!(read_sysreg(daif) & PSR_I_BIT))
#define irqs_disabled() arch_irqs_disabled()

#if SEEDBED_COUNTED
/* The task is sp_el0's. */
static __always_inline u32 preempt_count(void) {
  return *(const volatile u32 *)(read_sysreg(sp_el0) + ARM64_TASK_PREEMPT_COUNT);
}
#define preemptible() (preempt_count() == 0 && !irqs_disabled())
#else
#define preempt_count() 0
#define preemptible() 0
#endif

#endif /* SEEDBED_MODELS_ARM64_SHIM_LINUX_PREEMPT_H_ */
