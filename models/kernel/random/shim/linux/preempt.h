// SPDX-License-Identifier: GPL-2.0-or-later
//
// Interrupts and preemption off and on, and in what context code runs.
#ifndef SEEDBED_SHIM_RANDOM_LINUX_PREEMPT_H_
#define SEEDBED_SHIM_RANDOM_LINUX_PREEMPT_H_

#include <linux/seedbed_object.h>

#define local_irq_disable() seedbed_k_local_irq_disable()
#define local_irq_enable() seedbed_k_local_irq_enable(SIM_SITE("local_irq_enable"))
#define local_irq_save(flags) ((flags) = seedbed_k_local_irq_save())
#define local_irq_restore(flags) seedbed_k_local_irq_restore(SIM_SITE("local_irq_restore"), (flags))
#define preempt_disable() seedbed_k_preempt_disable()
#define preempt_enable() seedbed_k_preempt_enable(SIM_SITE("preempt_enable"))
#define in_hardirq() (seedbed_k_in_hardirq() != 0)
#define in_interrupt() (seedbed_k_in_interrupt() != 0)
#define raw_smp_processor_id() seedbed_k_smp_processor_id(0)
#define smp_processor_id() seedbed_k_smp_processor_id(1)

#endif  // SEEDBED_SHIM_RANDOM_LINUX_PREEMPT_H_
