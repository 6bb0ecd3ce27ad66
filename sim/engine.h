// SPDX-License-Identifier: GPL-2.0-or-later
//
// Inside the core: what world.c, sched.c, cpu.c and timer.c call of each other.
#ifndef SEEDBED_SIM_ENGINE_H_
#define SEEDBED_SIM_ENGINE_H_

#include "sim/sched.h"

#ifdef SIM_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

// sched.c
void sim_leave_from_host(void);  // starts or goes on with a run; returns at its end
void sim_idle_main(void *arg);
void sim_cpu_set_idle(struct sim_cpu *cpu);
// The task that runs, `from`, has ended: its CPU is idle, and who goes on is drawn.
void sim_leave_for_good(struct sim_task *from, struct sim_site *site);
void sim_resched_if_needed(void);  // preempts if a tick asked for it and it is allowed

// The scheduling point at the k-th access of hooked code at `site`, to `obj` in the arena.
void sim_access_point(struct sim_site *site, const void *obj, u32 k);

// task.c
void sim_task_exit(void);
void sim_tasks_start(void);  // at the end of set-up: wakes the tasks that it made

// world.c
SIM_NORETURN void sim_to_host(void);  // ends the run
SIM_COLD void sim_step_limit_reached(void);
// What happens without a scheduling point is a step too, so that nothing goes on for ever.
static inline void sim_count_step(struct sim_world *w) {
  if (sim_unlikely(++w->st->steps >= w->step_limit)) sim_step_limit_reached();
}
void sim_check_deadline(void);                            // heals, or fails to converge
SIM_COLD void sim_quiescent(void);                        // nothing is left to happen
void sim_end_checks(void);                                // end-of-run oracles, on the host stack
SIM_COLD const char *sim_waiting(char *out, size_t len);  // who waits for what
SIM_NORETURN SIM_COLD void sim_arena_exhausted(void);
void sim_stack_init(struct sim_task *task, void (*fn)(void *arg), void *arg);
SIM_COLD void sim_emit_step(struct sim_site *site, u32 k);
SIM_COLD void sim_show_event(enum sim_event_kind kind, struct sim_site *site, u64 a, u64 b);
// An event that is shown and not folded: what it tells is in the digest by its effects.
static inline void sim_show(const struct sim_world *w, enum sim_event_kind kind,
                            struct sim_site *site, u64 a, u64 b) {
  if (sim_unlikely(w->sink != NULL)) sim_show_event(kind, site, a, b);
}

// cpu.c
void sim_cpu_events(void);      // this CPU's due interrupts, if they may land
bool sim_draw_irqs(u32 lines);  // draws for each drawn line; whether one landed
void sim_run_line(u32 line);    // an interrupt line lands on this CPU
void sim_tick_cpu(struct sim_cpu *cpu);
void sim_do_softirq(struct sim_cpu *cpu);
void sim_softirq_rounds(struct sim_cpu *cpu);  // in the task that serves them
void sim_irq_enter(struct sim_cpu *cpu, bool nmi);
void sim_irq_exit(struct sim_cpu *cpu, bool nmi);

// timer.c
void sim_timers_due(struct sim_cpu *cpu);  // raises TIMER_SOFTIRQ if a bucket is due
void sim_timer_softirq(void);
void sim_hrtimers_run(struct sim_cpu *cpu);  // those whose soft time has come
static inline bool sim_hrtimer_due(const struct sim_cpu *cpu) {
  return cpu->hrtimers && cpu->hrtimers->hard_ns <= cpu->clock_ns;
}
// When the wheel next wants this CPU. Not while it is being served: the softirq takes what
// becomes due meanwhile.
static inline u64 sim_timers_next_ns(const struct sim_cpu *cpu) {
  if (!cpu->timers || cpu->running_timer || (cpu->softirq_pending & (1u << SIM_TIMER_SOFTIRQ)))
    return SIM_NEVER;
  return cpu->timers->bucket * sim_w->st->tick_ns;
}

// checker.c
SIM_COLD void sim_irq_off_too_long(struct sim_cpu *cpu);
SIM_COLD void sim_preempt_off_too_long(struct sim_cpu *cpu);
static inline void sim_check_irq_off(struct sim_cpu *cpu) {
  if (sim_unlikely(cpu->clock_ns - cpu->irq_off_since_ns > sim_w->cfg.irq_off_max_ns))
    sim_irq_off_too_long(cpu);
}
// Before the preemption count falls by `count`: is that the end of a stretch?
static inline void sim_check_preempt_off(struct sim_cpu *cpu, u32 count) {
  if (sim_unlikely(cpu->cur->preempt_count == count &&
                   cpu->clock_ns - cpu->cur->preempt_off_since_ns > sim_w->cfg.preempt_off_max_ns))
    sim_preempt_off_too_long(cpu);
}

// ---- The switch, with what ASan wants to know about stacks ----
static inline void sim_ctx_switch(struct sim_world *w, struct sim_task *from_task,
                                  struct sim_task *task) {
  struct sim_ctx *from = &w->host;
  if (sim_likely(from_task != NULL)) {
    // How deep the stack that is left was used.
    char *at = __builtin_frame_address(0);
    if (at < from_task->stack_low) from_task->stack_low = at;
    from = &from_task->ctx;
  } else {
    w->on_host = false;
  }
#ifdef SIM_ASAN
  void *fake = NULL;
  __sanitizer_start_switch_fiber(w->switching_from_dead ? NULL : &fake,
                                 w->stacks + (size_t)task->slot * w->stack_stride + w->guard,
                                 SIM_STACK_SIZE);
  w->switching_from_dead = false;
  sim_ctx_switch_raw(from, &task->ctx);
  __sanitizer_finish_switch_fiber(fake, w->host_stack ? NULL : &w->host_stack,
                                  w->host_stack ? NULL : &w->host_stack_size);
#else
  sim_ctx_switch_raw(from, &task->ctx);
#endif
}
// First thing on a new coroutine.
static inline void sim_ctx_arrived(struct sim_world *w) {
#ifdef SIM_ASAN
  if (w->host_stack)
    __sanitizer_finish_switch_fiber(NULL, NULL, NULL);
  else
    __sanitizer_finish_switch_fiber(NULL, &w->host_stack, &w->host_stack_size);
#else
  (void)w;
#endif
}
// The next switch leaves a coroutine that will not run again.
static inline void sim_ctx_leaving_for_good(struct sim_world *w) {
#ifdef SIM_ASAN
  w->switching_from_dead = true;
#else
  (void)w;
#endif
}

#endif  // SEEDBED_SIM_ENGINE_H_
