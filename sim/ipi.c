// SPDX-License-Identifier: GPL-2.0-or-later
//
// Inter-processor interrupts: calling a function on another CPU (kernel/smp.c). Each CPU
// has an interrupt line and a queue of calls. The caller waits by spinning, with
// preemption off, until the call is done; or, when it does not wait, until the one
// before it from this CPU has been taken.
#include <string.h>

#include "sim/cpu.h"
#include "sim/prim.h"

struct call {
  struct call *next;
  void (*fn)(void *arg);
  void *arg;
  u16 busy;   // the word that a waiting CPU spins on; 0 when it may go on
  bool wait;  // on the stack of the caller, who waits for the end of fn
};

struct ipi_cpu {
  struct call *first, *last;
  struct call own;  // the call of this CPU that nobody waits for
  u32 line;
};

static struct ipi_cpu *ipi_cpu(u32 cpu) { return (struct ipi_cpu *)sim_w->st->ipi + cpu; }

static void ipi_interrupt(void *arg) {
  struct ipi_cpu *ipi = ipi_cpu(sim_smp_processor_id());
  (void)arg;
  struct call *call;
  while ((call = ipi->first)) {
    ipi->first = call->next;
    if (!ipi->first) ipi->last = NULL;
    void (*fn)(void *arg) = call->fn;
    void *call_arg = call->arg;
    bool wait = call->wait;
    if (!wait) {
      sim_hb_release(call);
      call->busy = 0;
      sim_spin_released(&call->busy);
    }
    fn(call_arg);
    if (wait) {
      sim_hb_release(call);
      call->busy = 0;
      sim_spin_released(&call->busy);
    }
  }
}

void sim_ipi_setup(void) {
  struct sim_state *st = sim_w->st;
  if (st->num_cpus == 1) return;
  size_t size = st->num_cpus * sizeof(struct ipi_cpu);
  st->ipi = sim_arena_alloc(&sim_w->arena, size);
  SIM_ASSERT(st->ipi != NULL);
  memset(st->ipi, 0, size);
  for (u32 i = 0; i < st->num_cpus; i++)
    ipi_cpu(i)->line = sim_irq_register("ipi", ipi_interrupt, NULL, i, false);
}

static void wait_until_free(struct sim_site *site, struct call *call) {
  while (call->busy) sim_spin_until_released(site, &call->busy, "smp_call_function");
  sim_hb_acquire(call);
}

int sim_smp_call_function_single_at(struct sim_site *site, u32 cpu, void (*fn)(void *arg),
                                    void *arg, bool wait) {
  const struct sim_state *st = sim_w->st;
  if (st->cpu->irqs_off || !sim_in_task_context())
    sim_fail(&sim_oracle_context, "smp_call_function",
             "smp_call_function_single with interrupts off or in an interrupt, in %s",
             sim_task_label(sim_cur_task()));
  sim_point(site, NULL, SIM_COST_LOCK);
  if (cpu >= st->num_cpus || !st->cpus[cpu]->online) return -SIM_ENXIO;
  sim_preempt_disable();
  if (cpu == st->cpu->id) {
    unsigned long flags = sim_local_irq_save_flags();
    fn(arg);
    sim_local_irq_restore_at(site, flags);
    sim_preempt_enable_at(site);
    return 0;
  }
  struct call waited;
  struct call *call = wait ? &waited : &ipi_cpu(st->cpu->id)->own;
  if (!wait) wait_until_free(site, call);
  if (!st->cpus[cpu]->online) {
    sim_preempt_enable_at(site);
    return -SIM_ENXIO;
  }
  *call = (struct call){.fn = fn, .arg = arg, .busy = 1, .wait = wait};
  struct ipi_cpu *ipi = ipi_cpu(cpu);
  if (ipi->last)
    ipi->last->next = call;
  else
    ipi->first = call;
  ipi->last = call;
  sim_irq_raise(ipi->line);
  if (wait) wait_until_free(site, call);
  sim_preempt_enable_at(site);
  return 0;
}
