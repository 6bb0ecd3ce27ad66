// SPDX-License-Identifier: GPL-2.0-or-later
//
// Tasks: coroutines with a CPU, a state and the kernel's flags; kthreads, signals,
// and giving up the CPU. Kernel names with a sim_ prefix mean what the kernel's do.
#ifndef SEEDBED_SIM_TASK_H_
#define SEEDBED_SIM_TASK_H_

#include "sim/base.h"
#include "sim/site.h"
#include "sim/world.h"

enum sim_task_state {
  SIM_TASK_RUNNING = 0,      // running, or waiting for its CPU
  SIM_TASK_INTERRUPTIBLE,    // sleeps; a signal wakes it
  SIM_TASK_UNINTERRUPTIBLE,  // sleeps; counted by the hung-task checker
  SIM_TASK_IDLE,             // sleeps; neither signal nor hung-task checker
  SIM_TASK_PARKED,
  SIM_TASK_DEAD,
};

struct sim_task;

// sim_task_new creates a task on `cpu` (0-based) and makes it runnable at the
// caller's time; one that set-up makes starts with the run. `name` (at most 15 bytes are
// kept; what is no printable ASCII, a blank or '#' becomes '_') and the count of earlier
// tasks of that name make its label, "reader#0". In set-up or in a task. The pointer
// stays valid for the run. An ordinary task is what a run waits for; see
// sim_task_set_daemon. A task ends when `fn` returns. Where `cpu` is offline it runs on
// CPU 0.
// Determinism: no draw; one trace event.
struct sim_task *sim_task_new(const char *name, void (*fn)(void *arg), void *arg, u32 cpu);
// A daemon does not keep a run from ending (kernel threads, workers). If none but daemons
// are left, the run ends here.
void sim_task_set_daemon(struct sim_task *task);
struct sim_task *sim_current(void);
const char *sim_task_label(const struct sim_task *task);
enum sim_task_state sim_task_state(const struct sim_task *task);
// Waits until `task` has ended; neither signals nor the hung-task checker end that: it is
// the scenario's way to wait, and stands for no code of a kernel.
void sim_task_join(struct sim_task *task);
u32 sim_task_cpu(const struct sim_task *task);

// ---- Giving up the CPU ----
// As the kernel: set a state, then sim_schedule; sim_wake_up_process makes it
// runnable and returns whether it slept. A signal pending makes schedule() in
// SIM_TASK_INTERRUPTIBLE return at once. Wake-ups never get lost by the world:
// a task whose state was set back to RUNNING before it slept does not sleep.
void sim_set_current_state_at(struct sim_site *site, enum sim_task_state state);
#define sim_set_current_state(state) \
  sim_set_current_state_at(SIM_SITE("set_current_state"), (state))
void sim_schedule_at(struct sim_site *site);
#define sim_schedule() sim_schedule_at(SIM_SITE("schedule"))
bool sim_wake_up_process_at(struct sim_site *site, struct sim_task *task);
#define sim_wake_up_process(task) sim_wake_up_process_at(SIM_SITE("wake_up_process"), (task))
bool sim_cond_resched_at(struct sim_site *site);
#define sim_cond_resched() sim_cond_resched_at(SIM_SITE("cond_resched"))
bool sim_need_resched(void);
void sim_yield_at(struct sim_site *site);
#define sim_yield() sim_yield_at(SIM_SITE("yield"))
// cpu_relax lets other CPUs run; the task stays current, passes no quiescent state
// and falls to the lowest priority under PCT.
void sim_cpu_relax_at(struct sim_site *site);
#define sim_cpu_relax() sim_cpu_relax_at(SIM_SITE("cpu_relax"))
// Checks as the kernel's might_sleep(): reports sleep-in-atomic.
void sim_might_sleep(const char *what);

// ---- Moving to another CPU ----
// As migrate_task_to(): `task` goes on on `cpu`. It may sleep, wait for its CPU, or be the
// caller, who then must be able to sleep. Returns 0, also if it is there already;
// -SIM_EINVAL: no such CPU, that CPU is offline, the task has ended or is bound to its CPU;
// -SIM_EAGAIN: it is running, elsewhere (the kernel would interrupt it), or under rt=1 holds a
// spinlock or a local lock, waits for a local lock, or has softirqs off (the kernel would wait
// for migrate_enable). In a task.
int sim_migrate_task_to_at(struct sim_site *site, struct sim_task *task, u32 cpu);
#define sim_migrate_task_to(task, cpu) \
  sim_migrate_task_to_at(SIM_SITE("migrate_task_to"), (task), (cpu))

// ---- Preemption notifiers ----
// Called at the switches of one task, as the kernel's (linux/preempt.h): sched_out when it
// leaves a CPU, preempted, asleep or for good; sched_in when it gets one. The task is current,
// the CPU this one. They call no primitive and draw nothing.
struct sim_preempt_notifier {
  void (*sched_in)(struct sim_preempt_notifier *notifier);
  void (*sched_out)(struct sim_preempt_notifier *notifier);
};
// One a task (else api-misuse); lives as long as the task. Where the kernel registers for the
// current task only, this takes one that has not run yet as well.
void sim_preempt_notifier_register(struct sim_task *task, struct sim_preempt_notifier *notifier);

// ---- Preemption, softirqs and interrupts of this CPU ----
void sim_preempt_disable(void);
void sim_preempt_enable_at(struct sim_site *site);
#define sim_preempt_enable() sim_preempt_enable_at(SIM_SITE("preempt_enable"))
bool sim_preemptible(void);
u32 sim_preempt_count(void);

// ---- Signals ----
// Marks a signal pending and wakes an interruptible sleeper. Pending signals stay
// until sim_clear_signals.
void sim_send_signal_at(struct sim_site *site, struct sim_task *task);
#define sim_send_signal(task) sim_send_signal_at(SIM_SITE("send_signal"), (task))
bool sim_signal_pending_at(struct sim_site *site);
#define sim_signal_pending() sim_signal_pending_at(SIM_SITE("signal_pending"))
// Of the current task; does nothing to a kthread.
void sim_clear_signals(void);
// The same of any task, for onlookers: no scheduling point.
bool sim_task_signalled(const struct sim_task *task);

// ---- kthreads ----
// kthread_create leaves the thread asleep until sim_wake_up_process (kthread_run
// wakes it). A kthread is a daemon, ignores signals, and runs on `cpu`.
struct sim_task *sim_kthread_create(int (*fn)(void *arg), void *arg, const char *name, u32 cpu);
struct sim_task *sim_kthread_run_at(struct sim_site *site, int (*fn)(void *arg), void *arg,
                                    const char *name, u32 cpu);
#define sim_kthread_run(fn, arg, name, cpu) \
  sim_kthread_run_at(SIM_SITE("kthread_run"), (fn), (arg), (name), (cpu))
// kthread_stop sets should_stop, unparks and wakes the thread, waits for its end and
// returns its result (-SIM_EINTR if it never ran). The thread finds a signal pending from
// then on (TIF_NOTIFY_SIGNAL, since 6.0). Stopping a thread twice, by itself or one that
// is gone is a finding (kthread-misuse).
int sim_kthread_stop_at(struct sim_site *site, struct sim_task *task);
#define sim_kthread_stop(task) sim_kthread_stop_at(SIM_SITE("kthread_stop"), (task))
bool sim_kthread_should_stop_at(struct sim_site *site);
#define sim_kthread_should_stop() sim_kthread_should_stop_at(SIM_SITE("kthread_should_stop"))
// kthread_park returns when the thread has parked, or ended, or was unparked before it
// could; parking it twice is a finding. parkme sleeps until it is unparked.
void sim_kthread_park_at(struct sim_site *site, struct sim_task *task);
#define sim_kthread_park(task) sim_kthread_park_at(SIM_SITE("kthread_park"), (task))
void sim_kthread_unpark_at(struct sim_site *site, struct sim_task *task);
#define sim_kthread_unpark(task) sim_kthread_unpark_at(SIM_SITE("kthread_unpark"), (task))
bool sim_kthread_should_park_at(struct sim_site *site);
#define sim_kthread_should_park() sim_kthread_should_park_at(SIM_SITE("kthread_should_park"))
void sim_kthread_parkme_at(struct sim_site *site);
#define sim_kthread_parkme() sim_kthread_parkme_at(SIM_SITE("kthread_parkme"))

// How often `task` has slept for a time or for an event, which a wait for a lock is not. For
// onlookers: no scheduling point.
u32 sim_task_waits(const struct sim_task *task);

// ---- Sleeping for a time (task context) ----
// schedule_timeout: sets a timer `timeout` jiffies ahead (SIM_MAX_SCHEDULE_TIMEOUT:
// none) and schedules in the state set before; returns the jiffies left, 0 if it
// ran out. Timers fire as the kernel's wheel rounds (sim/timer.h).
#define SIM_MAX_SCHEDULE_TIMEOUT INT64_MAX
s64 sim_schedule_timeout_at(struct sim_site *site, s64 timeout);
#define sim_schedule_timeout(t) sim_schedule_timeout_at(SIM_SITE("schedule_timeout"), (t))
s64 sim_schedule_timeout_interruptible_at(struct sim_site *site, s64 timeout);
#define sim_schedule_timeout_interruptible(t) \
  sim_schedule_timeout_interruptible_at(SIM_SITE("schedule_timeout_interruptible"), (t))
s64 sim_schedule_timeout_uninterruptible_at(struct sim_site *site, s64 timeout);
#define sim_schedule_timeout_uninterruptible(t) \
  sim_schedule_timeout_uninterruptible_at(SIM_SITE("schedule_timeout_uninterruptible"), (t))
void sim_msleep_at(struct sim_site *site, u32 ms);  // msecs_to_jiffies(ms) (6.12+; one
                                                    // jiffy less than before it)
#define sim_msleep(ms) sim_msleep_at(SIM_SITE("msleep"), (ms))
// usleep_range: a high-resolution timer that fires at max_us unless another
// hrtimer interrupt of this CPU comes between min_us and max_us and takes it along.
void sim_usleep_range_at(struct sim_site *site, u64 min_us, u64 max_us);
#define sim_usleep_range(min, max) sim_usleep_range_at(SIM_SITE("usleep_range"), (min), (max))

#endif  // SEEDBED_SIM_TASK_H_
