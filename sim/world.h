// SPDX-License-Identifier: GPL-2.0-or-later
//
// The world: arena, CPUs, tasks and clocks of one simulated machine, and the life
// of a run.
//
//   struct sim_world *w = sim_world_new();
//   sim_world_setup(w, scenario, params);       once per set of parameters
//   sim_world_run(w, &input, &result);          many times
//   sim_world_free(w);
//
// Set-up runs the scenario's `setup` as a task, calmly (no draw), and takes an
// image of the world when it returns. Each run starts from that image: only what
// the run before it touched is copied back. Everything that a run may change must
// live in the arena (sim_alloc, sim_zalloc, per-CPU data, stacks); a static
// variable of a model would leak from run to run and is a defect.
//
// One step. The running actor calls a primitive; the primitive calls sim_point:
//   1. the CPU's clock grows by the step's cost;
//   2. if the clock reached the CPU's horizon: due hardware events, timer ticks
//      and the skew rule, in that order; equal times in the order of their arming;
//   3. pending interrupts land if they are enabled, lowest number first;
//   4. if interrupts are enabled and sources of drawn interrupts exist, a draw
//      says whether one lands; after one that did, 2 and 3 once more;
//   5. if more than one actor could go on, a draw says who does;
//   6. the step is folded into the digest, and the primitive takes effect.
// A CPU that is ahead of the slowest runnable one by skew_ns may not go on. Where
// a processor must be picked the calm choice is the lowest clock, ties by number.
#ifndef SEEDBED_SIM_WORLD_H_
#define SEEDBED_SIM_WORLD_H_

#include "sim/base.h"
#include "sim/choice.h"
#include "sim/weak.h"

// Parameters of the machine. Times in virtual nanoseconds. Defaults in
// sim_config_default; the scenario's parameters override them.
struct sim_config {
  u32 num_cpus;            // 1..SIM_CPUS_MAX; default 2
  u32 hz;                  // 100, 250 or 1000; default 250
  u64 skew_ns;             // default 2000
  u64 start_ns;            // clock of every CPU at set-up; default 1 s + 1 tick
  u32 access_cost_ns;      // a marked access or a light primitive; default 10
  u32 lock_cost_ns;        // lock and unlock; default 25
  u32 switch_cost_ns;      // a context switch; default 1500
  u32 irq_cost_ns;         // entry and exit of an interrupt; default 1000
  u32 wake_latency_ns;     // way out of idle when a task is woken; default 15000: with the
                           // interrupt and the switch 17.5 us from an idle CPU's timer to
                           // the task's first step (what the bcm2835 figures fit)
  u32 relax_cost_ns;       // cpu_relax; default 40
  u64 rcu_gp_ns;           // shortest grace period; default 2 ticks' worth 8 ms
  u64 irq_off_max_ns;      // checker bound; default 10 ms
  u64 preempt_off_max_ns;  // checker bound; default 20 ms
  u64 soft_lockup_ns;      // default 20 s (2 * watchdog_thresh)
  u64 rcu_stall_ns;        // default 21 s
  u64 hung_task_ns;        // default 120 s
  u64 chaos_ns;            // virtual length of phase one; default 10 s
  u64 heal_budget_ns;      // phase two must converge within; default 60 s
  u64 steps_max;  // a run that takes more ends with status 14; default 2e6. Set-up may take
                  // 2e6 in any case
  bool weak;      // weak memory: see sim/weak.h; default off
  bool preempt;   // involuntary preemption of kernel code (CONFIG_PREEMPT)
  bool rt;        // as with CONFIG_PREEMPT_RT: see sim/rt.h; default off
  u32 hooks;      // accesses of hooked code: see sim/hook.h; default 0, none. Only of
                  // scenarios that have a hooked twin
};
void sim_config_default(struct sim_config *out_config);

// Exit statuses: classes of what a run can end with. Smaller wins.
enum sim_status {
  SIM_OK = 0,
  SIM_SAFETY = 10,
  SIM_LIVENESS = 11,
  SIM_CRASH = 12,
  SIM_NONDETERMINISM = 13,
  SIM_BUDGET = 14,
  SIM_SOMETIMES = 15,
  SIM_USAGE = 64,
  SIM_MALFORMED = 65,
  SIM_MISSING_FILE = 66,
  SIM_MISSING_PACKAGE = 69,
  SIM_OURS = 70,
};

enum { SIM_FAILURES_MAX = 8, SIM_KEY_LEN = 160, SIM_TEXT_LEN = 480 };

// One failure. `key` is "scenario/oracle/xxxxxxxx", the last part a hash of the
// stable context.
struct sim_failure {
  enum sim_status status;
  char oracle[64];
  char key[SIM_KEY_LEN];
  char text[SIM_TEXT_LEN];  // one line: what was seen, with names and times
  u64 step;
};

// What a run ends with. `failures` holds those that are findings; an oracle that
// an active suspect names is counted in `num_suspects` and is no finding.
struct sim_result {
  enum sim_status status;                  // smallest status of the findings; SIM_OK if none
  u32 num_failures;                        // entries used; later ones are dropped
  u32 num_suspects;                        // failures that a suspect explains
  const char *suspects[SIM_FAILURES_MAX];  // the suspects' names, of the first of them
  u64 draws, steps, vtime_ns, digest;
  u32 strategy;         // in effect
  bool healed;          // phase two was entered
  bool draws_overflow;  // more than the record holds: replay by seed only
  struct sim_failure failures[SIM_FAILURES_MAX];
};

struct sim_scenario;
struct sim_params;

struct sim_world *sim_world_new(void);
void sim_world_free(struct sim_world *w);

// sim_world_setup configures and sets up `w` for `scenario` with `params`
// (borrowed until the next set-up). Returns SIM_OK, or the status of what went
// wrong in set-up with the failure in `result` (may be NULL); then there is nothing to
// run. What a suspect explains and set-up survives is counted. May be called again.
SIM_MUST_CHECK enum sim_status sim_world_setup(struct sim_world *w,
                                               const struct sim_scenario *scenario,
                                               const struct sim_params *params,
                                               struct sim_result *result);

// sim_world_run resets `w` and runs it once. The result depends on scenario,
// parameters and input alone.
void sim_world_run(struct sim_world *w, const struct sim_input *input, struct sim_result *result);

// sim_world_reset alone, for the benchmark: copies back what was touched.
void sim_world_reset(struct sim_world *w);

// The draws recorded by the last run, in order, at most SIM_RECORD_MAX, and labels for
// their actors ("reader#0", "cpu1"). Valid until the next run.
enum { SIM_RECORD_MAX = 1 << 20 };
const struct sim_draw *sim_world_draws(const struct sim_world *w, u32 *out_count);
const char *sim_world_actor_label(const struct sim_world *w, u32 actor);
// Labelled decisions that the last list run could not place, at most `max`.
u32 sim_world_unmatched(const struct sim_world *w, u32 *out_index, u32 max);
// The failures of the last run that a suspect explained: they are no findings, and in no
// result. `index` is below that result's num_suspects, and below SIM_FAILURES_MAX; the result
// has the suspect's name at the same place. Valid until the next run.
const struct sim_failure *sim_world_explained(const struct sim_world *w, u32 index);

// Trace of a run: NULL (default) emits none; the digest is the same either way.
// See sim/trace.h.
struct sim_trace_sink;
void sim_world_set_sink(struct sim_world *w, struct sim_trace_sink *sink);
// Ends a run after that many steps (0: never) as if everything had finished.
void sim_world_set_until(struct sim_world *w, u64 step);
// Fills unused stack and arena memory with this byte at each reset (default 0):
// two runs with different bytes must have one digest.
void sim_world_set_fill(struct sim_world *w, u8 byte);
const struct sim_config *sim_world_config(const struct sim_world *w);
// In set-up: a bound of the machine grows by what the scenario's own workload may take with its
// parameters, so that much work, or slow work, is no finding. Phase two's budget; the longest
// stretches with interrupts off and with preemption off. For the runs of this set-up.
void sim_heal_budget_grow(u64 ns);
void sim_atomic_bounds_grow(u64 ns);
const struct sim_params *sim_world_params(const struct sim_world *w);
size_t sim_world_memory(const struct sim_world *w);   // bytes in use by the image
size_t sim_world_touched(const struct sim_world *w);  // bytes the last reset copied

// ---- Memory of the world (in a task, an interrupt or set-up) ----

// sim_alloc returns `size` bytes of fill, 16-aligned, owned by the run; sim_zalloc
// zeroed ones. Memory is not reused within a run, so a use after sim_free is
// always seen where it is checked (every primitive; every access with hooks).
// `name` (a literal) appears in leak reports. Never NULL: an exhausted arena ends
// the run with SIM_OURS.
void *sim_alloc(size_t size, const char *name);
void *sim_zalloc(size_t size, const char *name);
// sim_free ends an object's life; NULL is allowed. A double free is a finding, and so is
// freeing what neither of the above returned (api-misuse).
void sim_free(void *ptr);
// sim_alloc_static is sim_zalloc for what lives as long as the world: no leak.
void *sim_alloc_static(size_t size, const char *name);
// sim_check_alive reports use-after-free if `ptr` lies in a freed object.
void sim_check_alive(const void *ptr, const char *what);

// ---- Failing (see sim/checker.h for oracles) ----

// ---- Time and place of the running actor ----
u64 sim_clock_ns(void);  // this CPU's clock (ktime_get)
u64 sim_jiffies(void);
u64 sim_cycles(void);  // cycle counter of this CPU: 1 per ns by default
u32 sim_smp_processor_id(void);
u64 sim_steps(void);
bool sim_healed(void);  // phase two
bool sim_in_setup(void);
// sim_heal ends phase one now. May be called by a scenario's task.
void sim_heal(void);

// sim_point is a scheduling point before an operation on `obj` (arena object or
// NULL) that costs `cost_ns`. Reports use-after-free if `obj` has been freed when the
// operation comes. Primitives call it; models mark their own racy
// accesses with SIM_READ/SIM_WRITE below.
void sim_point(struct sim_site *site, const void *obj, u32 cost_ns);
#define SIM_POINT(name, obj) sim_point(SIM_SITE(name), obj, SIM_COST_ACCESS)
// Costs that stand for the configured ones.
enum {
  SIM_COST_ACCESS = 0xffffffff,
  SIM_COST_LOCK = 0xfffffffe,
  SIM_COST_RELAX = 0xfffffffd,
  SIM_COST_MARKED = 0xfffffffc,  // SIM_COST_ACCESS, of a marked access: no barrier
};
// Marked accesses to integers and pointers: a scheduling point, then the access. Under weak=1
// (sim/weak.h) it may show what is not sequentially consistent.
#ifndef SIM_TWIN
#define sim_read_once(lv)                                                             \
  ({                                                                                  \
    sim_point(SIM_SITE("read"), &(lv), SIM_COST_MARKED);                              \
    sim_unlikely(sim_weak != NULL) ? (__typeof__(lv))sim_weak_load(&(lv), sizeof(lv)) \
                                   : *(const volatile __typeof__(lv) *)&(lv);         \
  })
#define sim_write_once(lv, v)                             \
  do {                                                    \
    sim_point(SIM_SITE("write"), &(lv), SIM_COST_MARKED); \
    if (sim_unlikely(sim_weak != NULL))                   \
      sim_weak_store(&(lv), sizeof(lv), (u64)(v));        \
    else                                                  \
      *(volatile __typeof__(lv) *)&(lv) = (v);            \
  } while (0)
#define sim_smp_load_acquire(p)                         \
  ({                                                    \
    __typeof__(*(p)) sim_v_ = sim_read_once(*(p));      \
    if (sim_unlikely(sim_weak != NULL)) sim_weak_rmb(); \
    sim_v_;                                             \
  })
#define sim_smp_store_release(p, v)                     \
  do {                                                  \
    if (sim_unlikely(sim_weak != NULL)) sim_weak_wmb(); \
    sim_write_once(*(p), v);                            \
  } while (0)
// Full barriers before and after, as the kernel's.
#define sim_cmpxchg(p, old, new_)                         \
  ({                                                      \
    sim_point(SIM_SITE("cmpxchg"), (p), SIM_COST_ACCESS); \
    __typeof__(*(p)) sim_old_ = *(p);                     \
    if (sim_old_ == (old)) *(p) = (new_);                 \
    sim_old_;                                             \
  })
// Barriers: a scheduling point each.
#define sim_smp_mb() sim_point(SIM_SITE("smp_mb"), NULL, SIM_COST_ACCESS)
#define sim_smp_rmb()                                      \
  do {                                                     \
    sim_point(SIM_SITE("smp_rmb"), NULL, SIM_COST_MARKED); \
    if (sim_unlikely(sim_weak != NULL)) sim_weak_rmb();    \
  } while (0)
#define sim_smp_wmb()                                      \
  do {                                                     \
    sim_point(SIM_SITE("smp_wmb"), NULL, SIM_COST_MARKED); \
    if (sim_unlikely(sim_weak != NULL)) sim_weak_wmb();    \
  } while (0)
#else
// The same in a twin: by the functions below.
#define sim_hooked_load_(site, lv, acquire)                                          \
  ({                                                                                 \
    __typeof__(lv) sim_loaded_ =                                                     \
        (__typeof__(lv))sim_hooked_load(SIM_SITE(site), &(lv), sizeof(lv), acquire); \
    sim_loaded_;                                                                     \
  })
#define sim_read_once(lv) sim_hooked_load_("read", lv, false)
#define sim_smp_load_acquire(p) sim_hooked_load_("read", *(p), true)
#define sim_write_once(lv, v) \
  sim_hooked_store(SIM_SITE("write"), &(lv), sizeof(lv), (u64)(v), false)
#define sim_smp_store_release(p, v) \
  sim_hooked_store(SIM_SITE("write"), (p), sizeof(*(p)), (u64)(v), true)
#define sim_cmpxchg(p, old, new_)                                         \
  ({                                                                      \
    __typeof__(*(p)) sim_old_ = (__typeof__(*(p)))sim_hooked_cmpxchg(     \
        SIM_SITE("cmpxchg"), (p), sizeof(*(p)), (u64)(old), (u64)(new_)); \
    sim_old_;                                                             \
  })
#define sim_smp_mb() sim_hooked_barrier(SIM_SITE("smp_mb"), true, true)
#define sim_smp_rmb() sim_hooked_barrier(SIM_SITE("smp_rmb"), true, false)
#define sim_smp_wmb() sim_hooked_barrier(SIM_SITE("smp_wmb"), false, true)
#endif

// Marked accesses and barriers of a twin, of which the detector of data races hears (sim/hook.h).
// Sizes are 1, 2, 4 or 8 bytes.
u64 sim_hooked_load(struct sim_site *site, const void *at, u32 size, bool acquire);
void sim_hooked_store(struct sim_site *site, void *at, u32 size, u64 value, bool release);
u64 sim_hooked_cmpxchg(struct sim_site *site, void *at, u32 size, u64 old, u64 value);
void sim_hooked_barrier(struct sim_site *site, bool acquire, bool release);

// sim_elapse is a scheduling point, then lets `ns` of execution pass on this CPU: udelay,
// mdelay, and what a stretch of code or an MMIO access costs. Interrupts that come meanwhile
// come on top; a tick may preempt the task; where the CPU gets ahead by skew_ns, others run.
void sim_elapse_at(struct sim_site *site, u64 ns);
#define sim_elapse(ns) sim_elapse_at(SIM_SITE("elapse"), ns)
#define sim_udelay(us) sim_elapse_at(SIM_SITE("udelay"), (u64)(us)*1000)
#define sim_mdelay(ms) sim_elapse_at(SIM_SITE("mdelay"), (u64)(ms)*1000000)

#endif  // SEEDBED_SIM_WORLD_H_
