// SPDX-License-Identifier: GPL-2.0-or-later
//
// Inside the world: the state of a run, and what the primitives build on. Only files
// of sim/ include this.
//
// `struct sim_state` and everything it points to lie in the arena and are restored
// between runs; `struct sim_world` is the host's part (records, streams, counters of
// occurrences, stacks) and is not.
#ifndef SEEDBED_SIM_SCHED_H_
#define SEEDBED_SIM_SCHED_H_

#include <setjmp.h>

#include "sim/arena.h"
#include "sim/base.h"
#include "sim/checker.h"
#include "sim/choice.h"
#include "sim/cpu.h"
#include "sim/ctx.h"
#include "sim/lock.h"
#include "sim/prng.h"
#include "sim/scenario.h"
#include "sim/strategy.h"
#include "sim/task.h"
#include "sim/timer.h"
#include "sim/trace.h"
#include "sim/world.h"

#define SIM_NEVER UINT64_MAX
enum { SIM_SLOTS = SIM_TASKS_MAX + SIM_CPUS_MAX, SIM_NO_SLOT = 0xff };
enum { SIM_STACK_SIZE = 64 * 1024 };

// Fields of preempt_count, as the kernel lays them out (include/linux/preempt.h).
enum {
  SIM_PREEMPT_ONE = 1,
  SIM_PREEMPT_MASK = 0xff,
  SIM_SOFTIRQ_ONE = 0x100,      // serving a softirq
  SIM_SOFTIRQ_DISABLE = 0x200,  // local_bh_disable
  SIM_SOFTIRQ_MASK = 0xff00,
  SIM_HARDIRQ_ONE = 0x10000,
  SIM_HARDIRQ_MASK = 0xf0000,
  SIM_NMI_ONE = 0x100000,
  SIM_NMI_MASK = 0xf00000,
};

// A lock that a task holds, or an interrupt on top of it. Small: tasks are restored
// between runs.
enum { SIM_HELD_MAX = 12 };
struct sim_held_lock {
  const void *lock;
  u16 site;  // canonical number of the site that took it
  u16 cls;
  u8 level;  // context it was taken in: 0 task, 1 softirq, 2 hardirq, 3 NMI
};

struct sim_task {
  struct sim_ctx ctx;
  char *stack_low;  // lowest place that the stack was left at
  u8 slot;          // index of tasks[] and of the stack
  u8 cpu;
  u8 state;       // enum sim_task_state
  u8 link;        // next slot in a struct sim_task_list, or SIM_NO_SLOT
  u16 serial;     // actor number: creation order in this run
  bool sleeping;  // left the CPU in a state other than RUNNING
  u32 preempt_count;
  u32 obj;                // what the point it stands at is about to touch; arena offset
  struct sim_site *site;  // where it stands
  u64 label_hash;
  u64 runnable_ns;   // clock of the CPU that woke it, then
  u64 ran_since_ns;  // clock when it was last put on its CPU
  u64 slept_since_ns;
  u64 preempt_off_since_ns;
  u32 waits;  // how often it slept for a time or an event
  void (*fn)(void *arg);
  void *arg;
  bool daemon, dead, signal, kthread, never_ran;
  bool starts_with_run;  // made by set-up: not before that has ended
  bool force_recheck;    // woken at quiescence to look for a lost wake-up
  // kthread
  int (*kfn)(void *arg);
  int result;
  bool should_stop, should_park, parked, stop_called;
  struct sim_task *parker;  // waits in kthread_park for it
  bool percpu_thread;       // bound to its CPU: may use this CPU's data preemptibly
  bool in_wait_event;       // asleep in wait_event: can look at its condition again
  u16 hook_call;            // where it is in hooked code: sim/race.c
  struct sim_task_list joiners;
  struct sim_preempt_notifier *notifier;  // NULL: none
  // RCU and locks (kept by sim/rcu.c and sim/lockdep.c)
  u32 rcu_nesting;
  u32 rcu_gp;  // grace periods begun when its read-side section opened
  u32 num_held;
  struct sim_held_lock held[SIM_HELD_MAX];
  // rt=1 (sim/rt.h)
  u8 pinned;            // locks that it holds, or waits for, and that keep it on its CPU
  u8 bh_off;            // depth of local_bh_disable
  u8 rt_state;          // its state while it waits for a lock,
  bool rt_waits;        // which it does
  bool serving;         // softirqs run in it
  bool stays;           // on its CPU, be that offline
  const char *wait_on;  // name of what it waits for: for reports
  const void *wait_obj;
};

struct sim_irq_line {
  const char *name;
  void (*handler)(void *arg);
  void *arg;
  u8 cpu;
  bool nmi, drawn;
  u32 cpu_mask;
  u16 rate_num, rate_den;  // drawn
  struct sim_site *site;   // drawn
};

struct sim_cpu {
  u64 clock_ns;
  u64 horizon_ns;        // first clock at which sim_point leaves its fast path
  struct sim_task *cur;  // the idle task when idle
  u32 attention;         // pending lines that could land (bit = line), or ~0 to look
  bool irqs_off;
  bool online, idle, need_resched;
  bool in_event;     // the idle task is inside an interrupt
  bool wake_charge;  // an interrupt of the idle CPU woke a task: latency is due
  bool spinning;     // waits for a spinlock; runs only interrupts
  bool stopper;      // the head of the queue runs before all others (hotplug)
  u8 id;
  u8 rq_n;
  u8 rq_head, rq_tail;   // FIFO order: sim/runqueue.h
  u8 rq[SIM_TASKS_MAX];  // slots of runnable tasks, in no order; not the current one
  u8 saved_irqs_off;     // flag of each interrupted context, innermost in bit 0
  u32 irq_pending;       // bit = line
  u32 softirq_pending;   // bit = enum sim_softirq
  u64 next_event_ns;     // earliest of tick, timers, hrtimers, hardware events
  u64 next_tick_ns;      // while busy
  u64 irq_off_since_ns;
  u64 jiffies_done;          // timer wheel's position
  struct sim_timer *timers;  // sorted by bucket, then order
  struct sim_timer *running_timer;
  struct sim_hrtimer *hrtimers;    // sorted by hard_ns, then order
  struct sim_hw_event *hw_events;  // sorted by at_ns, then order
  const void *spin_on;             // what it waits for, be it in an interrupt meanwhile
  u64 spin_order;                  // since when
  struct sim_task idle_task;
};

// Where a queued slot stands in its CPU's array, and its neighbours in FIFO order.
struct sim_rq_link {
  u8 pos, next, prev;
} __attribute__((aligned(4)));

struct sim_state {
  struct sim_cpu *cpu;  // the running CPU
  u64 digest, steps, draws;
  u64 order;  // ties between equal times: grows with each arming
  u32 num_cpus;
  u32 num_others;
  u8 others[SIM_CPUS_MAX];  // other CPUs that may run now, by number
  u32 live;                 // ordinary tasks that have not ended
  u32 num_tasks;            // tasks that have not ended
  u16 next_serial;
  bool healed, ending;
  bool rechecked;  // sim_quiescent_recheck has had its turn
  bool in_setup;
  u64 heal_ns;
  u64 tick_ns;
  u64 tick_inverse;  // see sim_jiffy_of
  u32 tick_shift;
  void *private_;
  struct sim_object *objects;  // sim_alloc'ed in this run and not freed
  u32 num_irqs;
  struct sim_irq_line *irqs[SIM_IRQS_MAX];
  u32 drawn_mask[SIM_CPUS_MAX];  // drawn lines that may land on the CPU
  void (*softirq[SIM_NR_SOFTIRQS])(void);
  struct sim_task *tasks[SIM_TASKS_MAX];
  struct sim_rq_link links[SIM_TASKS_MAX];
  struct sim_cpu *cpus[SIM_CPUS_MAX];
  // Kept by other files of sim/: zeroed at set-up, restored with the rest.
  void *lockdep;
  void *rcu;
  void *work;
  void *hotplug;
  void *ipi;
  void *rt;
  struct sim_weak *weak;
};

// What precedes each allocation.
struct sim_object {
  const char *name;
  u64 size;
  struct sim_object *prev, *next;
};

// Name of an actor, by serial; CPUs after SIM_ACTOR_CPU0.
struct sim_label {
  char text[32];
};

struct sim_world {
  struct sim_state *st;  // in the arena
  struct sim_arena arena;
  struct sim_module *module;  // that it was set up on; NULL: none
  struct sim_config cfg;
  const struct sim_scenario *scenario;
  const struct sim_params *params;
  struct sim_result *result;  // of the run in progress
  // Choice
  enum sim_backend backend;
  bool seeded;  // a seed decides, or what fuzzer bytes leave open
  bool walks;   // points are answered by the random walk, by
  struct sim_stream *walk_stream;
  bool calm_points;  // set-up, or healed
  bool calm_irqs;    // no drawn interrupts: set-up, or healed
  u64 step_limit;    // the run ends when it has taken so many steps
  u64 deadline_ns;   // end of phase one, or of phase two's budget
  u32 strategy;      // in effect
  const struct sim_input *input;
  const struct sim_cover *cover;  // NULL: nothing is counted
  bool observed;                  // there is a sink or a cover
  struct sim_bytes *bytes;        // made by the first run on bytes
  struct sim_bytes *encoder;      // a list is being made bytes; NULL: not
  struct sim_strategy_state *strategies;
  struct sim_alt alts[1 + SIM_TASKS_MAX + SIM_CPUS_MAX];  // scratch of one draw
  u64 run_tag;                                            // 40 bits; tags occurrence counters
  u64 stream_tag;   // of the streams that a run, or a turn of it, has seeded
  u64 stream_seed;  // what they are seeded by
  u64 turn_at;      // draws after which the run's next turn is
  u32 next_turn;
  u64 tags_used;  // further ones that the counters of the last run may have grown into
  u64 *count;     // [SIM_SLOTS][count_stride]: tag << 24 | occurrences
  u64 *count_row[SIM_SLOTS];
  u32 num_sites, count_stride;
  struct sim_stream streams[SIM_STREAMS_MAX];
  u64 stream_hash[SIM_STREAMS_MAX];
  bool class_off[SIM_STREAMS_MAX];
  struct sim_draw *record;
  u32 num_record;
  bool record_overflow;
  struct sim_decision_index *index;
  const struct sim_decisions *index_of;
  struct sim_label *labels;  // [SIM_ACTORS_MAX]
  // Stacks
  char *stacks;  // SIM_SLOTS times stack_stride: a guard page, then the stack
  size_t stack_stride, guard;
  bool stacks_fresh;                                    // nobody has used them: they are zero
  u8 slot_used[SIM_SLOTS] __attribute__((aligned(8)));  // stack dirtied since the reset
  struct sim_ctx host;                                  // context of sim_world_run's caller
  bool on_host;  // a scenario's check runs: failing jumps to host_jmp
  bool in_heal;  // a scenario's heal runs
  jmp_buf host_jmp;
  u8 fill;
  // Image of set-up
  bool have_image;
  char *image_stacks;
  u32 image_low[SIM_SLOTS];  // used part of each live stack: from here to the top
  bool ended_whole;          // the last ordinary task ended: end-of-run oracles apply
  u64 start_clock_ns;        // of every CPU at the begin of a run
  u64 reported[32];          // keys' hashes of this run
  u32 num_reported;
  struct sim_failure explained[SIM_FAILURES_MAX];  // by suspects: the first of them
  struct sim_race *race;  // the detector of data races, once one was wanted
  // Tracing
  struct sim_trace_sink *sink;
  u64 until;
  size_t touched;
#ifdef SIM_ASAN
  const void *host_stack;
  size_t host_stack_size;
  bool switching_from_dead;
#endif
};

// ---- For the primitives ----

// The running CPU, st->cpu once more: one load away for the hot path.
extern struct sim_cpu *sim_this_cpu;
static inline void sim_set_this_cpu(struct sim_state *st, struct sim_cpu *cpu) {
  st->cpu = cpu;
  sim_this_cpu = cpu;
}

// Puts the current task to sleep in `state` until sim_wake. Draws who goes on.
// Reports sleep-in-atomic if the context forbids it. Returns when woken. Nothing
// may have been woken between the caller's decision to sleep and this call: there is
// no scheduling point inside before the task is off its CPU, so a primitive that
// checks its condition and calls sim_block without a point between loses nothing.
// `site` labels the draw; `what` names the thing waited for.
void sim_block(struct sim_site *site, enum sim_task_state state, const char *what);
// The same, uninterruptibly, for a lock that sleeps under rt=1: an RCU reader may too.
void sim_block_in_lock(struct sim_site *site, const char *what);
// Makes a sleeping task runnable at the caller's clock; returns whether it slept. No
// scheduling point. Any context.
bool sim_wake(struct sim_task *task);
// Busy-waits for `word` (a lock's owner field): the CPU runs only its interrupts until
// sim_spin_released(word) lets it go on; the caller looks again, as an interrupt that spins
// too ends this wait as well.
void sim_spin_until_released(struct sim_site *site, const void *word, const char *what);
// On unlock: lets the CPU go on that has waited longest for `word`. Returns 1 + its number;
// 0: none waits. No point.
u8 sim_spin_released(const void *word);
// Moves this CPU's clock to at least `ns`: what was released then cannot be taken
// before it.
void sim_clock_at_least(u64 ns);

// FIFO of tasks by slot. Zero-initialised lists are not empty: use init.
void sim_task_list_init(struct sim_task_list *list);
bool sim_task_list_empty(const struct sim_task_list *list);
void sim_task_list_add(struct sim_task_list *list, struct sim_task *task);
struct sim_task *sim_task_list_pop(struct sim_task_list *list);
bool sim_task_list_remove(struct sim_task_list *list, struct sim_task *task);

// ns / tick_ns, for ns below 2^63: division by an invariant by multiplication (Granlund and
// Montgomery, PLDI 1994), several times as fast as the processor's.
static inline u64 sim_jiffy_of(const struct sim_state *st, u64 ns) {
  return (u64)(((unsigned __int128)ns * st->tick_inverse) >> 64) >> st->tick_shift;
}

static inline struct sim_task *sim_cur_task(void) { return sim_w->st->cpu->cur; }
// The bits of the context that runs: 0 in a task.
static inline u32 sim_context_bits(void) {
  return sim_cur_task()->preempt_count & (SIM_SOFTIRQ_ONE | SIM_HARDIRQ_MASK | SIM_NMI_MASK);
}

// Creates a task with all its flags; sim_task_new and kthreads use it. Not runnable
// until sim_wake when `asleep`.
struct sim_task *sim_task_create(const char *name, void (*fn)(void *arg), void *arg, u32 cpu,
                                 bool daemon, bool asleep);

// The slot whose counters a decision of the running context uses: its task's, or in
// an interrupt its CPU's; and the actor's number.
enum { SIM_INTERRUPT_BITS = SIM_SOFTIRQ_ONE | SIM_HARDIRQ_MASK | SIM_NMI_MASK };
static inline u32 sim_actor_slot(const struct sim_cpu *cpu) {
  if (sim_unlikely(cpu->cur->preempt_count & SIM_INTERRUPT_BITS)) return SIM_TASKS_MAX + cpu->id;
  return cpu->cur->slot;
}
static inline u32 sim_actor_of(const struct sim_cpu *cpu) {
  if (sim_unlikely(cpu->cur->preempt_count & SIM_INTERRUPT_BITS)) return SIM_ACTOR_CPU0 + cpu->id;
  return cpu->cur->serial;
}

// Folds two words into the digest. The multiplication of the words does not wait for
// the digest so far.
static inline void sim_fold(struct sim_state *st, u64 x, u64 y) {
  unsigned __int128 m =
      (unsigned __int128)(x ^ 0xa0761d6478bd642full) * (y ^ 0xe7037ed1a0b428dbull);
  u64 d = st->digest;
  d = ((d << 29) | (d >> 35)) ^ (u64)m ^ (u64)(m >> 64);
  st->digest = d * 0x9e3779b97f4a7c15ull;
}

// Emits and folds one event. `text` may be NULL.
SIM_COLD void sim_emit_to_sink(enum sim_event_kind kind, struct sim_site *site, u64 a, u64 b,
                               const char *text);
static inline void sim_emit(enum sim_event_kind kind, struct sim_site *site, u64 a, u64 b,
                            const char *text) {
  struct sim_world *w = sim_w;
  const struct sim_cpu *cpu = sim_this_cpu;
  u64 where = ((u64)sim_actor_of(cpu) << 16) ^ ((u64)kind << 32);
  sim_fold(w->st, a ^ (site ? site->hash : 0) ^ where, b ^ (cpu->clock_ns << 1));
  if (sim_unlikely(w->sink != NULL)) sim_emit_to_sink(kind, site, a, b, text);
}

// Arms and disarms a timer of the wheel; no scheduling point. `timer` must not be
// pending when it is armed; detach returns whether it was.
void sim_timer_arm(struct sim_timer *timer, u64 expires, u32 cpu);
bool sim_timer_detach(struct sim_timer *timer);

// Earliest-event bookkeeping after a list of `cpu` changed.
void sim_cpu_recompute_events(struct sim_cpu *cpu);
// Recomputes which other CPUs may run, and this CPU's horizon.
void sim_sched_refresh(void);

// Hooks that other files of sim/ provide, called by the core:
void sim_lockdep_setup(void);
void sim_lockdep_task_exit(struct sim_task *task);  // reports locks still held
// After interrupts or softirqs came on in a task that holds locks (num_held != 0).
void sim_lockdep_irqs_on(void);
// At the end of an interrupt or softirq that began with so many locks held.
void sim_lockdep_irq_exit(u32 num_held);
// Before memory is freed: reports a timer, event, work item or RCU callback in it that
// something else will still reach, and a lock in it that is held.
void sim_check_free(const void *ptr, size_t size);
// A task that slept in SIM_TASK_UNINTERRUPTIBLE since slept_since_ns is woken.
void sim_check_woken(const struct sim_task *task);
void sim_rcu_setup(void);
void sim_work_setup(void);
void sim_hotplug_setup(void);
void sim_ipi_setup(void);
void sim_rt_setup(void);
void sim_tick_checks(struct sim_cpu *cpu);  // each tick of a busy CPU: lockups, stalls
// Called when nothing is left to happen and tasks still wait; forces waiters to look
// at their conditions again. Returns whether it woke any (at most once a run).
bool sim_quiescent_recheck(void);

#endif  // SEEDBED_SIM_SCHED_H_
