// SPDX-License-Identifier: GPL-2.0-or-later
//
// CPUs: interrupts (hardirq, NMI), softirqs, IPIs, hotplug, per-CPU data.
#ifndef SEEDBED_SIM_CPU_H_
#define SEEDBED_SIM_CPU_H_

#include "sim/base.h"
#include "sim/site.h"
#include "sim/world.h"

// ---- Interrupt flag of this CPU ----
// `flags` is an lvalue of type unsigned long. Restoring to "on" is a scheduling
// point at which pending interrupts land.
unsigned long sim_local_irq_save_flags(void);
#define sim_local_irq_save(flags) ((flags) = sim_local_irq_save_flags())
void sim_local_irq_restore_at(struct sim_site *site, unsigned long flags);
#define sim_local_irq_restore(flags) \
  sim_local_irq_restore_at(SIM_SITE("local_irq_restore"), (flags))
void sim_local_irq_disable(void);
void sim_local_irq_enable_at(struct sim_site *site);
#define sim_local_irq_enable() sim_local_irq_enable_at(SIM_SITE("local_irq_enable"))
bool sim_irqs_disabled(void);

// ---- Context ----
bool sim_in_hardirq(void);
bool sim_in_nmi(void);
bool sim_in_serving_softirq(void);
bool sim_in_interrupt(void);  // any of NMI, hardirq, softirq, or bh disabled
// The softirq part of the preemption count: 0 unless a softirq is served or softirqs are off.
u32 sim_softirq_count(void);
bool sim_in_task(void);
bool sim_in_atomic(void);  // preempt count or irqs off

// ---- Device interrupts ----
// A line is registered in set-up and belongs to a CPU. raise marks it pending;
// the handler runs in hardirq context on that CPU at its first step with
// interrupts enabled (an NMI line: at its next step that is not in an NMI). Raised again
// while pending: merged, as an edge line is.
enum { SIM_IRQS_MAX = 32 };
u32 sim_irq_register(const char *name, void (*handler)(void *arg), void *arg, u32 cpu, bool nmi);
void sim_irq_raise(u32 irq);
// A drawn source: at every step of a CPU in `cpu_mask` with interrupts enabled, a
// draw at a site labelled `name` (a literal) decides with chance num/den whether it
// lands. In set-up.
void sim_irq_drawn_at(struct sim_site *site, const char *name, void (*handler)(void *arg),
                      void *arg, u32 cpu_mask, u16 num, u16 den);
#define sim_irq_drawn(name, handler, arg, cpu_mask, num, den)                                     \
  sim_irq_drawn_at(SIM_SITE_DRAW(name, SIM_SITE_IRQ, 0, 0), (name), (handler), (arg), (cpu_mask), \
                   (num), (den))

// ---- Hardware events: something a device does at a virtual time ----
// Runs `fn` on the host of CPU `cpu`'s timeline, in hardirq context, at `at_ns` (or
// at the first step after it). A handle may be armed once at a time; disarming one
// that is not armed does nothing.
struct sim_hw_event {
  u64 at_ns;
  u64 order;
  void (*fn)(void *arg);
  void *arg;
  struct sim_hw_event *next;
  u8 cpu;
  bool armed;
};
void sim_hw_event_arm(struct sim_hw_event *event, u64 at_ns, void (*fn)(void *arg), void *arg,
                      u32 cpu);
void sim_hw_event_disarm(struct sim_hw_event *event);

// ---- Softirqs: run at interrupt exit and at bh enable ----
// What is still pending after 10 rounds waits for the next of these, or until its CPU is
// idle (the kernel wakes ksoftirqd then). Raised where none of them is under way, with
// interrupts on, it runs at once. The end of an NMI runs none.
enum sim_softirq {
  SIM_HI_SOFTIRQ,
  SIM_TIMER_SOFTIRQ,
  SIM_NET_TX_SOFTIRQ,
  SIM_NET_RX_SOFTIRQ,
  SIM_RCU_SOFTIRQ,
  SIM_NR_SOFTIRQS,
};
void sim_open_softirq(enum sim_softirq nr, void (*action)(void));
void sim_raise_softirq(enum sim_softirq nr);
void sim_local_bh_disable(void);
void sim_local_bh_enable_at(struct sim_site *site);
#define sim_local_bh_enable() sim_local_bh_enable_at(SIM_SITE("local_bh_enable"))

// ---- IPIs ----
// Runs fn(arg) in hardirq context on `cpu` (with interrupts off, if it is this one); with
// `wait`, returns when it has run. Returns -SIM_ENXIO, and runs nothing, if that CPU is
// offline. In a task with interrupts on (else context-misuse), as the kernel warns.
int sim_smp_call_function_single_at(struct sim_site *site, u32 cpu, void (*fn)(void *arg),
                                    void *arg, bool wait);
#define sim_smp_call_function_single(cpu, fn, arg, wait) \
  sim_smp_call_function_single_at(SIM_SITE("smp_call_function"), (cpu), (fn), (arg), (wait))

// ---- Hotplug ----
// A state's `up` runs when a CPU comes, in order of registration: first those with
// !on_cpu, on the control CPU before the CPU runs, then those with on_cpu, on the CPU
// itself. `down` runs in reverse when it goes. Either may be NULL. A non-zero return
// undoes what was done and is what cpu_up or cpu_down returns; after the CPU has gone
// nothing may fail (api-misuse). setup_state calls nothing for CPUs that are online;
// it returns the state's number, or -SIM_EBUSY if there are 16 already.
// cpu_down moves tasks, timers, device interrupts and events of the CPU to the first
// online one; workers return when the CPU does. -SIM_EINVAL: no such CPU; -SIM_EBUSY:
// CPU 0 cannot go; 0 if it is offline (cpu_up: online) already. Task context; sleeps.
int sim_cpuhp_setup_state(const char *name, int (*up)(u32 cpu), int (*down)(u32 cpu), bool on_cpu);
int sim_cpu_down(u32 cpu);
int sim_cpu_up(u32 cpu);
bool sim_cpu_online(u32 cpu);
u32 sim_num_online_cpus(void);
u32 sim_nr_cpus(void);

// ---- Per-CPU data ----
// An array of num_cpus elements, zeroed, alive as long as the world. this_cpu_ptr
// in preemptible context is a finding (context-misuse), as the kernel's debug
// check has it; raw_cpu_ptr is not checked.
void *sim_alloc_percpu_size(size_t size, const char *name);
#define sim_alloc_percpu(type, name) ((type *)sim_alloc_percpu_size(sizeof(type), (name)))
void sim_check_percpu(void);
#define sim_per_cpu_ptr(p, cpu) (&(p)[cpu])
#define sim_this_cpu_ptr(p) (sim_check_percpu(), &(p)[sim_smp_processor_id()])
#define sim_raw_cpu_ptr(p) (&(p)[sim_smp_processor_id()])

#endif  // SEEDBED_SIM_CPU_H_
