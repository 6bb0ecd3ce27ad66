// SPDX-License-Identifier: GPL-2.0-or-later
//
// The life of a world: making it, setting up a scenario, runs and their end, reset,
// memory, failing, trace events. Sections in this order.
#include "sim/world.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sim/bytes.h"
#include "sim/choice_impl.h"
#include "sim/cover.h"
#include "sim/decision.h"
#include "sim/engine.h"
#include "sim/hook.h"
#include "sim/module.h"
#include "sim/prim.h"

// ---- Making a world ----

// Makes the counters of each site's occurrences.
static bool count_sites(struct sim_world *w) {
  free(w->count);
  w->num_sites = sim_sites_count();
  // Rows an odd number of cache lines apart, so that one site's counters of all tasks do
  // not fall into the same few sets.
  w->count_stride = ((w->num_sites + 7) / 8 | 1) * 8;
  w->count = calloc((size_t)SIM_SLOTS * w->count_stride, sizeof(u64));
  if (!w->count) return false;
  for (u32 i = 0; i < SIM_SLOTS; i++) w->count_row[i] = w->count + (size_t)i * w->count_stride;
  return true;
}

struct sim_world *sim_world_new(void) {
  sim_sites_init();
  sim_hooks_init();
  struct sim_world *w = calloc(1, sizeof(*w));
  if (!w) return NULL;
  w->guard = (size_t)sysconf(_SC_PAGESIZE);
  w->stack_stride = SIM_STACK_SIZE + w->guard;
  size_t stacks = SIM_SLOTS * w->stack_stride;
  w->stacks = mmap(NULL, stacks, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  w->stacks_fresh = true;
  w->image_stacks = calloc(SIM_SLOTS, SIM_STACK_SIZE);
  w->record = malloc(sizeof(struct sim_draw) * SIM_RECORD_MAX);
  w->labels = calloc(SIM_ACTORS_MAX, sizeof(struct sim_label));
  w->strategies = sim_strategy_new();
  bool ok = w->stacks != MAP_FAILED && w->image_stacks && count_sites(w) && w->record &&
            w->labels && w->strategies && sim_arena_init(&w->arena);
  if (!ok) {
    if (w->stacks == MAP_FAILED) w->stacks = NULL;
    sim_world_free(w);
    return NULL;
  }
  for (u32 i = 0; i < SIM_SLOTS; i++)
    mprotect(w->stacks + i * w->stack_stride, w->guard, PROT_NONE);
  for (u32 i = 0; i < sim_streams_count(); i++)
    w->stream_hash[i] = sim_hash_str(sim_stream_label(i));
  for (u32 i = 0; i < SIM_CPUS_MAX; i++)
    snprintf(w->labels[SIM_ACTOR_CPU0 + i].text, sizeof(w->labels[0].text), "cpu%u", i);
  w->run_tag = 1;
  return w;
}

void sim_world_free(struct sim_world *w) {
  if (!w) return;
  if (w->stacks) munmap(w->stacks, SIM_SLOTS * w->stack_stride);
  free(w->image_stacks);
  free(w->count);
  free(w->record);
  free(w->labels);
  sim_strategy_free(w->strategies);
  if (w->index) sim_decision_index_free(w->index);
  sim_bytes_free(w->bytes);
  sim_race_free(w->race);
  if (w->module && w->module->world == w) w->module->world = NULL;
  if (w->arena.base) sim_arena_destroy(&w->arena);
  if (sim_w == w) sim_w = NULL;
  free(w);
}

// ---- Stacks ----

// What lies below the place where a stack was left may have been used by calls that
// returned: so much is refilled, and more while it looks used. A call that left more than a
// clean stretch of its frame alone hides what lies below that; it stays until the fill byte
// changes, and shows, if at all, as a run that is not deterministic.
#ifdef SIM_UCONTEXT
// Here the stack pointer itself is not known, and swapcontext's own frames lie below.
enum { STACK_MARGIN = 4096 };
#else
enum { STACK_MARGIN = 256 };
#endif
enum { STACK_CHUNK = 512, STACK_CLEAN_CHUNKS = 2 };
// Tops of stacks are staggered, or they would all want the same few sets of the cache.
enum { STACK_COLOURS = 12, STACK_COLOUR_STEP = 320 };
// Room at the top for a coroutine's first frame.
enum { STACK_FIRST_FRAME = 128 };

static char *stack_base(const struct sim_world *w, u32 slot) {
  return w->stacks + slot * w->stack_stride + w->guard;
}

static u32 stack_size(u32 slot) {
  return SIM_STACK_SIZE - slot % STACK_COLOURS * STACK_COLOUR_STEP;
}

void sim_stack_init(struct sim_task *task, void (*fn)(void *arg), void *arg) {
  struct sim_world *w = sim_w;
  char *base = stack_base(w, task->slot);
  sim_ctx_init(&task->ctx, base, stack_size(task->slot), fn, arg);
  char *low = base + stack_size(task->slot) - STACK_FIRST_FRAME;
  if (!task->stack_low || low < task->stack_low) task->stack_low = low;
  w->slot_used[task->slot] = 1;
}

static struct sim_task *task_of_slot(const struct sim_world *w, u32 slot) {
  struct sim_state *st = w->st;
  if (slot < SIM_TASKS_MAX) return st->tasks[slot];
  return slot - SIM_TASKS_MAX < st->num_cpus ? &st->cpus[slot - SIM_TASKS_MAX]->idle_task : NULL;
}

static bool chunk_is_clean(const char *p, u8 fill) {
  // Its first byte is the fill, and each byte equals the next.
  return (u8)p[0] == fill && memcmp(p, p + 1, STACK_CHUNK - 1) == 0;
}

// Refills a stack below `top` (an offset) down to where nothing was used. Down to `low`
// it was.
static void stack_wipe(struct sim_world *w, u32 slot, u32 top, u32 low) {
  char *base = stack_base(w, slot);
  low = low > STACK_MARGIN ? low - STACK_MARGIN : 0;
  if (low < top) memset(base + low, w->fill, top - low);
  for (u32 clean = 0; low >= STACK_CHUNK && clean < STACK_CLEAN_CHUNKS;) {
    low -= STACK_CHUNK;
    if (chunk_is_clean(base + low, w->fill)) {
      clean++;
    } else {
      memset(base + low, w->fill, STACK_CHUNK);
      clean = 0;
    }
  }
}

static void stack_unpoison(struct sim_world *w, u32 slot) {
#ifdef SIM_ASAN
  __asan_unpoison_memory_region(stack_base(w, slot), SIM_STACK_SIZE);
#else
  (void)w;
  (void)slot;
#endif
}

// The used part of each live stack, from its pointer to its top, goes into the image.
static void stacks_take_image(struct sim_world *w) {
  for (u32 slot = 0; slot < SIM_SLOTS; slot++) {
    const struct sim_task *t = task_of_slot(w, slot);
    u32 top = stack_size(slot);
    w->image_low[slot] = top;
    if (!t || t->dead) continue;
    stack_unpoison(w, slot);
    char *sp = sim_ctx_sp(&t->ctx);
    if (!sp) sp = t->stack_low - STACK_MARGIN;
    u32 low = w->image_low[slot] = (u32)(sp - stack_base(w, slot)) & ~63u;
    memcpy(w->image_stacks + (size_t)slot * SIM_STACK_SIZE + low, stack_base(w, slot) + low,
           top - low);
  }
}

// Before the arena is restored: the tasks of the run that ended tell how deep they went.
static void stacks_restore(struct sim_world *w) {
  for (u32 word = 0; word < SIM_SLOTS / 8; word++) {
    u64 used;
    memcpy(&used, &w->slot_used[word * 8], sizeof(used));
    if (used == 0) continue;
    for (u32 slot = word * 8; slot < word * 8 + 8; slot++) {
      if (!w->slot_used[slot]) continue;
      u32 keep = w->image_low[slot], top = stack_size(slot);
      const struct sim_task *t = task_of_slot(w, slot);
      stack_unpoison(w, slot);
      stack_wipe(w, slot, keep, (u32)(t->stack_low - stack_base(w, slot)));
      memcpy(stack_base(w, slot) + keep, w->image_stacks + (size_t)slot * SIM_STACK_SIZE + keep,
             top - keep);
      w->touched += top - keep;
    }
  }
  memset(w->slot_used, 0, sizeof(w->slot_used));
}

// Another fill byte: every stack anew, but for what the image holds.
static void stacks_refill(struct sim_world *w) {
  for (u32 slot = 0; slot < SIM_SLOTS; slot++) {
    stack_unpoison(w, slot);
    memset(stack_base(w, slot), w->fill, w->image_low[slot]);
  }
}

// What a run that failed amid something may have left on the host's side.
static void forget_last_run(struct sim_world *w) {
  w->in_heal = false;
  w->num_reported = 0;
#ifdef SIM_ASAN
  w->switching_from_dead = false;
#endif
}

// ---- Set-up ----

enum { SETUP_STEPS_MAX = 2000000 };  // as steps_max by default

static void timers_setup(void) { sim_open_softirq(SIM_TIMER_SOFTIRQ, sim_timer_softirq); }

static void build_state(struct sim_world *w) {
  struct sim_state *st = sim_arena_alloc(&w->arena, sizeof(*st));
  memset(st, 0, sizeof(*st));
  w->st = st;
  st->num_cpus = w->cfg.num_cpus;
  st->tick_ns = SIM_NSEC_PER_SEC / w->cfg.hz;
  // inverse = 2^(63 + bits) / tick rounded up, where 2^bits is the tick rounded up.
  u32 bits = 64 - (u32)__builtin_clzll(st->tick_ns - 1);
  st->tick_inverse = (u64)((((unsigned __int128)1 << (63 + bits)) - 1) / st->tick_ns + 1);
  st->tick_shift = bits - 1;
  st->digest = 0x736565646265640aull;
  st->in_setup = true;
  for (u32 i = 0; i < st->num_cpus; i++) {
    struct sim_cpu *cpu = sim_arena_alloc(&w->arena, sizeof(*cpu));
    memset(cpu, 0, sizeof(*cpu));
    st->cpus[i] = cpu;
    cpu->id = (u8)i;
    cpu->clock_ns = w->cfg.start_ns;
    cpu->online = true;
    cpu->idle = true;
    cpu->rq_head = cpu->rq_tail = SIM_NO_SLOT;
    cpu->attention = ~0u;
    cpu->next_tick_ns = cpu->next_event_ns = SIM_NEVER;
    struct sim_task *idle = &cpu->idle_task;
    cpu->cur = idle;
    idle->slot = (u8)(SIM_TASKS_MAX + i);
    idle->cpu = (u8)i;
    idle->serial = (u16)(SIM_ACTOR_CPU0 + i);
    idle->link = SIM_NO_SLOT;
    idle->daemon = true;
    sim_stack_init(idle, sim_idle_main, cpu);
  }
  sim_set_this_cpu(st, st->cpus[0]);
}

// Those of the scenario, or of its twin with hooks.
static const struct sim_scenario *callbacks_of(const struct sim_world *w) {
  return w->cfg.hooks ? w->scenario->hooked : w->scenario;
}

static void setup_main(void *arg) {
  struct sim_world *w = arg;
  timers_setup();
  sim_lockdep_setup();
  sim_rcu_setup();
  sim_work_setup();
  sim_hotplug_setup();
  sim_ipi_setup();
  sim_weak_setup();
  sim_rt_setup();
  callbacks_of(w)->setup();
}

static void result_clear(struct sim_result *r) {
  r->status = SIM_OK;
  r->num_failures = r->num_suspects = 0;
  r->draws = r->steps = r->vtime_ns = r->digest = 0;
  r->strategy = 0;
  r->healed = r->draws_overflow = false;
}

// The statics of the module become the beginning of the arena, which is empty.
static void take_module(struct sim_world *w, struct sim_module *module) {
  if (w->module && w->module->world == w) w->module->world = NULL;
  w->module = module;
  sim_arena_seat(&w->arena, module ? module->data : NULL);
  if (w->num_sites < sim_sites_count()) SIM_ASSERT(count_sites(w));
  if (!module) return;
  if (module->world) module->world->have_image = false;
  module->world = w;
  memcpy(sim_arena_alloc(&w->arena, module->data_len), module->pristine, module->data_len);
}

enum sim_status sim_world_setup(struct sim_world *w, const struct sim_scenario *scenario,
                                const struct sim_params *params, struct sim_result *result) {
  static const struct sim_input no_input = {.backend = SIM_BACKEND_CALM};
  struct sim_result own;
  if (!result) result = &own;
  result_clear(result);
  sim_w = w;
  w->scenario = scenario;
  w->params = params;
  w->result = result;
  w->have_image = false;
  forget_last_run(w);
  sim_params_to_config(params, &w->cfg);
  SIM_ASSERT(w->cfg.num_cpus >= 1 && w->cfg.num_cpus <= SIM_CPUS_MAX);
  w->arena.fill = w->fill;
  sim_arena_empty(&w->arena);
  take_module(w, sim_module_used());
  for (u32 slot = 0; slot < SIM_SLOTS; slot++) {
    w->image_low[slot] = stack_size(slot);
    stack_unpoison(w, slot);
    // Fresh pages are zero; touching them all would cost a process 20 ms.
    if (!w->stacks_fresh || w->fill) memset(stack_base(w, slot), w->fill, SIM_STACK_SIZE);
  }
  w->stacks_fresh = false;
  memset(w->slot_used, 0, sizeof(w->slot_used));
  w->input = &no_input;
  w->backend = SIM_BACKEND_CALM;
  w->strategy = SIM_STRATEGY_CALM;
  w->calm_points = w->calm_irqs = true;
  w->run_tag++;
  w->num_record = 0;
  // A run's budget says nothing of set-up, which is the same for all runs.
  w->step_limit = w->cfg.steps_max < SETUP_STEPS_MAX ? SETUP_STEPS_MAX : w->cfg.steps_max;
  w->deadline_ns = SIM_NEVER;
  build_state(w);
  sim_task_create("setup", setup_main, w, 0, true, false);
  sim_leave_from_host();
  struct sim_state *st = w->st;
  if (result->num_failures) return result->status;
  // Clocks of CPUs that set-up left behind catch up, so that a run starts level.
  u64 latest = 0;
  for (u32 i = 0; i < st->num_cpus; i++)
    if (st->cpus[i]->clock_ns > latest) latest = st->cpus[i]->clock_ns;
  for (u32 i = 0; i < st->num_cpus; i++) st->cpus[i]->clock_ns = latest;
  sim_tasks_start();
  st->in_setup = false;
  st->steps = st->draws = 0;
  st->objects = NULL;  // what set-up allocates lives as long as the world
  w->start_clock_ns = latest;
  stacks_take_image(w);
  sim_arena_take_image(&w->arena);
  w->have_image = true;
  return SIM_OK;
}

// ---- Runs ----

void sim_world_reset(struct sim_world *w) {
  SIM_ASSERT(w->have_image);
  u8 old_fill = w->arena.fill;
  w->arena.fill = w->fill;
  w->touched = w->arena.dirty;
  stacks_restore(w);
  if (sim_unlikely(old_fill != w->fill)) stacks_refill(w);
  sim_arena_restore(&w->arena);
}

void sim_world_run(struct sim_world *w, const struct sim_input *input, struct sim_result *result) {
  sim_w = w;
  sim_world_reset(w);
  result_clear(result);
  w->result = result;
  w->input = input;
  w->backend = input->backend;
  forget_last_run(w);
  w->run_tag += 1 + w->tags_used;
  w->num_record = 0;
  w->record_overflow = false;
  w->strategy = SIM_STRATEGY_CALM;
  w->seeded =
      input->backend == SIM_BACKEND_SEED || (input->backend == SIM_BACKEND_BYTES && input->based);
  if (w->seeded) sim_turn_to(w, input->seed);
  w->next_turn = 0;
  w->turn_at = UINT64_MAX;
  if (w->seeded && input->backend == SIM_BACKEND_BYTES) sim_turn_next(w);
  if (input->backend == SIM_BACKEND_ODOMETER) sim_odometer_begin(input->odometer);
  if (input->backend == SIM_BACKEND_BYTES) {
    if (!w->bytes) w->bytes = sim_bytes_new();
    sim_bytes_begin(w->bytes, input->bytes, input->len);
  }
  if (input->backend == SIM_BACKEND_LIST) {
    if (!w->index)
      w->index = sim_decision_index_new(input->list);
    else
      sim_decision_index_rebuild(w->index, input->list);
    sim_decision_index_begin(w->index);
  }
  // Calm back-ends draw too: a run and its replay count the same draws.
  w->calm_points = w->calm_irqs = false;
  sim_this_cpu = w->st->cpu;
  sim_weak = w->st->weak;
  w->walks = input->backend == SIM_BACKEND_SEED && w->strategy == SIM_STRATEGY_RANDOM;
  if (w->walks) w->walk_stream = sim_stream_of(w, sim_point_stream());
  w->step_limit = w->until && w->until < w->cfg.steps_max ? w->until : w->cfg.steps_max;
  w->deadline_ns = w->start_clock_ns + w->cfg.chaos_ns;
  struct sim_state *st = w->st;
  w->ended_whole = st->live == 0;
  w->on_host = true;
  if (setjmp(w->host_jmp) == 0) {
    sim_hooks_begin(w);
    if (st->live) sim_leave_from_host();
    sim_hooks_end();
    w->on_host = true;
    w->step_limit = 0;  // the first scheduling point is one too many
    if (sim_weak) sim_weak_drain_all();
    if (w->ended_whole) sim_end_checks();
  }
  sim_hooks_end();  // where the run failed before it began
  sim_weak = NULL;
  u64 latest = 0;
  for (u32 i = 0; i < st->num_cpus; i++)
    if (st->cpus[i]->clock_ns > latest) latest = st->cpus[i]->clock_ns;
  result->vtime_ns = latest - w->start_clock_ns;
  result->steps = st->steps;
  result->draws = st->draws;
  result->digest = st->digest;
  result->strategy = w->strategy;
  result->healed = st->healed;
  // Occurrences are counted in 24 bits: in a longer run they may not tell draws apart.
  w->tags_used = (st->steps > sim_hooks_seen() ? st->steps : sim_hooks_seen()) >> 24;
  result->draws_overflow = w->record_overflow || w->tags_used;
}

// ---- The end of a run ----

void sim_to_host(void) {
  struct sim_world *w = sim_w;
#ifdef SIM_ASAN
  __sanitizer_start_switch_fiber(NULL, w->host_stack, w->host_stack_size);
#endif
  struct sim_ctx gone;
  sim_ctx_switch_raw(&gone, &w->host);
  SIM_ASSERT(!"a run that ended goes on");
  __builtin_unreachable();
}

void sim_step_limit_reached(void) {
  struct sim_world *w = sim_w;
  if (w->in_heal) sim_fail(&sim_oracle_api, "heal", "a scenario's heal calls a primitive");
  if (w->on_host) sim_fail(&sim_oracle_api, "check", "a scenario's check calls a primitive");
  if (w->until && w->st->steps >= w->until && !w->st->in_setup) sim_to_host();
  sim_fail(&sim_oracle_budget, w->st->healed ? "healed" : "",
           "the run has taken %llu steps and is not at its end", (unsigned long long)w->st->steps);
}

void sim_heal(void) {
  struct sim_world *w = sim_w;
  struct sim_state *st = w->st;
  if (st->healed || st->in_setup) return;
  st->healed = true;
  w->calm_points = w->calm_irqs = true;
  u64 latest = 0;
  for (u32 i = 0; i < st->num_cpus; i++)
    if (st->cpus[i]->clock_ns > latest) latest = st->cpus[i]->clock_ns;
  st->heal_ns = latest;
  w->deadline_ns = latest + w->cfg.heal_budget_ns;
  sim_emit(SIM_EVENT_HEAL, NULL, 0, 0, NULL);
  if (sim_weak) sim_weak_drain_all();
  if (callbacks_of(w)->heal) {
    u64 limit = w->step_limit;
    w->in_heal = true;
    w->step_limit = 0;  // the first scheduling point is one too many
    sim_hooks_pause(true);
    callbacks_of(w)->heal();
    sim_hooks_pause(false);
    w->in_heal = false;
    w->step_limit = limit;
  }
  sim_sched_refresh();
}

void sim_check_deadline(void) {
  struct sim_world *w = sim_w;
  const struct sim_cpu *cpu = w->st->cpu;
  if (sim_likely(cpu->clock_ns < w->deadline_ns)) return;
  if (!w->st->healed) {
    sim_heal();
    return;
  }
  char text[256];
  if (callbacks_of(w)->stuck) callbacks_of(w)->stuck();
  sim_fail(&sim_oracle_convergence, "", "%llu ms after healing these still run or wait: %s",
           (unsigned long long)((cpu->clock_ns - w->st->heal_ns) / SIM_NSEC_PER_MSEC),
           sim_waiting(text, sizeof(text)));
}

const char *sim_waiting(char *out, size_t len) {
  const struct sim_state *st = sim_w->st;
  size_t used = 0;
  out[0] = 0;
  for (u32 i = 0; i < SIM_TASKS_MAX && used + 1 < len; i++) {
    const struct sim_task *t = st->tasks[i];
    if (!t || t->dead || (t->daemon && !t->wait_on)) continue;
    if (t->daemon && t->state == SIM_TASK_IDLE) continue;
    int n = snprintf(out + used, len - used, "%s%s (%s)", used ? ", " : "", sim_task_label(t),
                     t->wait_on ? t->wait_on : "running");
    used += (size_t)n;
  }
  return out;
}

// What ordinary tasks wait for: the stable context of a deadlock. The set of "reader=mutex",
// without numbers, counts or order, as a sum of hashes.
static const char *waiting_stable(char *out, size_t len) {
  const struct sim_state *st = sim_w->st;
  u64 hash[SIM_TASKS_MAX], sum = 0;
  u32 num = 0;
  for (u32 i = 0; i < SIM_TASKS_MAX; i++) {
    const struct sim_task *t = st->tasks[i];
    if (!t || t->dead || t->daemon) continue;
    char base[SIM_TASK_BASE_LEN], text[128];
    snprintf(text, sizeof(text), "%s=%s", sim_task_base(t, base),
             t->wait_on ? t->wait_on : "running");
    u64 h = sim_hash_str(text);
    u32 j = 0;
    while (j < num && hash[j] != h) j++;
    if (j == num) sum += hash[num++] = h;
  }
  snprintf(out, len, "%016llx", (unsigned long long)sum);
  return out;
}

void sim_quiescent(void) {
  struct sim_world *w = sim_w;
  struct sim_state *st = w->st;
  if (st->in_setup) {
    char waiting[256];
    sim_fail(&sim_oracle_deadlock, "setup", "set-up waits for what cannot happen: %s",
             sim_waiting(waiting, sizeof(waiting)));
  }
  if (!st->healed) {
    sim_heal();
    return;
  }
  if (sim_quiescent_recheck()) return;
  if (callbacks_of(w)->stuck) callbacks_of(w)->stuck();
  char text[256], stable[256];
  sim_fail(&sim_oracle_deadlock, waiting_stable(stable, sizeof(stable)),
           "nothing is left to happen, and these wait: %s", sim_waiting(text, sizeof(text)));
}

void sim_end_checks(void) {
  struct sim_world *w = sim_w;
  struct sim_state *st = w->st;
  if (callbacks_of(w)->check) callbacks_of(w)->check();
  for (const struct sim_object *o = st->objects; o; o = o->next)
    sim_report(&sim_oracle_leak, o->name, "%s of %llu bytes was not freed", o->name,
               (unsigned long long)o->size);
}

// ---- Memory ----

void sim_arena_exhausted(void) {
  static const struct sim_oracle oracle = {"arena-exhausted", SIM_OURS,
                                           "a run fits into the world's arena", "sim/arena.h"};
  sim_fail(&oracle, "", "the arena of %d MiB is used up", SIM_ARENA_SIZE >> 20);
}

static struct sim_object *object_new(size_t size, const char *name) {
  if (size > SIM_ARENA_SIZE) sim_arena_exhausted();
  if (size == 0) size = 1;  // so that no two have one address
  struct sim_object *o = sim_arena_alloc(&sim_w->arena, sizeof(*o) + size);
  if (!o) sim_arena_exhausted();
  o->name = name;
  o->size = size;
  o->prev = o->next = NULL;
  return o;
}

void *sim_alloc(size_t size, const char *name) {
  struct sim_state *st = sim_w->st;
  struct sim_object *o = object_new(size, name);
  sim_arena_mark_start(&sim_w->arena, o + 1);
  o->next = st->objects;
  if (st->objects) st->objects->prev = o;
  st->objects = o;
  return o + 1;
}

void *sim_zalloc(size_t size, const char *name) {
  void *p = sim_alloc(size, name);
  memset(p, 0, size);
  return p;
}

void *sim_alloc_static(size_t size, const char *name) {
  struct sim_object *o = object_new(size, name);
  memset(o + 1, 0, size);
  return o + 1;
}

void sim_free(void *ptr) {
  struct sim_world *w = sim_w;
  if (!ptr) return;
  enum sim_grain grain = SIM_GRAIN_NONE;
  if (sim_arena_holds(&w->arena, ptr)) grain = sim_arena_grain_at(&w->arena, ptr);
  if (grain != SIM_GRAIN_START && grain != SIM_GRAIN_FREED_START)
    sim_fail(&sim_oracle_api, "free", "sim_free of what sim_alloc did not return");
  struct sim_object *o = (struct sim_object *)ptr - 1;
  if (grain == SIM_GRAIN_FREED_START)
    sim_fail(&sim_oracle_double_free, o->name, "%s is freed twice", o->name);
  sim_check_free(ptr, o->size);
  if (sim_weak) sim_weak_forget(ptr, o->size);
  struct sim_state *st = w->st;
  if (o->prev) o->prev->next = o->next;
  if (o->next) o->next->prev = o->prev;
  if (st->objects == o) st->objects = o->next;
  o->prev = o->next = NULL;
  sim_arena_mark_freed(&w->arena, ptr, o->size);
}

void sim_check_alive(const void *ptr, const char *what) {
  struct sim_world *w = sim_w;
  if (!sim_arena_holds(&w->arena, ptr) || !sim_arena_is_freed(&w->arena, ptr)) return;
  sim_fail(&sim_oracle_use_after_free, what, "%s lies in memory that was freed; touched by %s",
           what, sim_task_label(sim_cur_task()));
}

size_t sim_world_memory(const struct sim_world *w) { return w->arena.image_len; }
size_t sim_world_touched(const struct sim_world *w) { return w->touched; }

// ---- Failing ----

const struct sim_failure *sim_world_explained(const struct sim_world *w, u32 index) {
  SIM_ASSERT(index < SIM_FAILURES_MAX);
  return &w->explained[index];
}

// `ends`: the run ends with it. No suspect explains what ends set-up: there is no run then.
static void report(const struct sim_oracle *oracle, const char *stable, const char *text,
                   bool ends) {
  struct sim_world *w = sim_w;
  struct sim_result *r = w->result;
  const struct sim_suspect *suspect =
      ends && w->st->in_setup ? NULL : sim_params_suspect_of(w->params, oracle->id);
  char key[SIM_KEY_LEN];
  u64 hash = sim_hash_str(oracle->id) ^ sim_mix64(sim_hash_str(stable));
  snprintf(key, sizeof(key), "%s/%s/%08x", w->scenario->name, oracle->id,
           (u32)(hash ^ (hash >> 32)));
  for (u32 i = 0; i < w->num_reported; i++)
    if (w->reported[i] == hash) return;
  if (w->num_reported < SIM_ARRAY_SIZE(w->reported)) w->reported[w->num_reported++] = hash;
  sim_emit(SIM_EVENT_FAIL, NULL, hash, oracle->status, text);
  struct sim_failure *f = NULL;
  if (suspect) {
    if (r->num_suspects < SIM_FAILURES_MAX) {
      f = &w->explained[r->num_suspects];
      r->suspects[r->num_suspects] = suspect->name;
    }
    r->num_suspects++;
  } else {
    if (r->status == SIM_OK || oracle->status < r->status) r->status = oracle->status;
    if (r->num_failures < SIM_FAILURES_MAX) f = &r->failures[r->num_failures++];
  }
  if (!f) return;
  memset(f, 0, sizeof(*f));
  f->status = oracle->status;
  snprintf(f->oracle, sizeof(f->oracle), "%s", oracle->id);
  snprintf(f->key, sizeof(f->key), "%s", key);
  snprintf(f->text, sizeof(f->text), "%s", text);
  f->step = w->st->steps;
}

void sim_fail(const struct sim_oracle *oracle, const char *stable, const char *fmt, ...) {
  char text[SIM_TEXT_LEN];
  va_list args;
  va_start(args, fmt);
  vsnprintf(text, sizeof(text), fmt, args);
  va_end(args);
  report(oracle, stable, text, true);
  struct sim_world *w = sim_w;
  w->ended_whole = false;
  if (w->on_host) longjmp(w->host_jmp, 1);
  sim_to_host();
}

void sim_report(const struct sim_oracle *oracle, const char *stable, const char *fmt, ...) {
  char text[SIM_TEXT_LEN];
  va_list args;
  va_start(args, fmt);
  vsnprintf(text, sizeof(text), fmt, args);
  va_end(args);
  report(oracle, stable, text, false);
}

// ---- Trace events ----

static void to_sink(enum sim_event_kind kind, struct sim_site *site, u64 a, u64 b,
                    const char *text) {
  struct sim_world *w = sim_w;
  struct sim_state *st = w->st;
  const struct sim_cpu *cpu = st->cpu;
  u32 count = cpu->cur->preempt_count;
  struct sim_event event = {
      .step = st->steps,
      .clock_ns = cpu->clock_ns,
      .a = a,
      .b = b,
      .digest = st->digest,
      .kind = kind,
      .cpu = cpu->id,
      .actor = (u16)sim_actor_of(cpu),
      .actor_label = w->labels[sim_actor_of(cpu)].text,
      .context = count & SIM_NMI_MASK       ? "nmi"
                 : count & SIM_HARDIRQ_MASK ? "hardirq"
                 : count & SIM_SOFTIRQ_ONE  ? "softirq"
                 : cpu->idle                ? "idle"
                                            : "task",
      .site = site,
      .text = text,
  };
  w->sink->event(w->sink, &event);
}

void sim_emit_to_sink(enum sim_event_kind kind, struct sim_site *site, u64 a, u64 b,
                      const char *text) {
  if (!sim_w->st->in_setup) to_sink(kind, site, a, b, text);
}

void sim_show_event(enum sim_event_kind kind, struct sim_site *site, u64 a, u64 b) {
  if (!sim_w->st->in_setup) to_sink(kind, site, a, b, NULL);
}

void sim_emit_step(struct sim_site *site, u32 k) {
  if (sim_w->st->in_setup) return;
  if (sim_w->cover) sim_cover_step(site);
  if (sim_w->sink) to_sink(SIM_EVENT_STEP, site, k, 0, NULL);
}

void sim_trace_model_at(struct sim_site *site, u64 a, u64 b) {
  sim_emit(SIM_EVENT_MODEL, site, a, b, NULL);
}

void sim_trace_named_at(struct sim_site *site, u64 a, u64 b, const char *who, const char *what) {
  char text[SIM_TEXT_LEN];
  if (!sim_w->sink) {
    sim_emit(SIM_EVENT_MODEL, site, a, b, NULL);
    return;
  }
  snprintf(text, sizeof(text), "%s %s", who, what);
  sim_emit(SIM_EVENT_MODEL, site, a, b, text);
}

void sim_note(const char *fmt, ...) {
  struct sim_world *w = sim_w;
  if (!w->sink) {
    sim_emit(SIM_EVENT_NOTE, NULL, sim_hash_str(fmt), 0, NULL);
    return;
  }
  char text[SIM_TEXT_LEN];
  va_list args;
  va_start(args, fmt);
  vsnprintf(text, sizeof(text), fmt, args);
  va_end(args);
  sim_emit(SIM_EVENT_NOTE, NULL, sim_hash_str(fmt), 0, text);
}

// ---- Small readers ----

const struct sim_draw *sim_world_draws(const struct sim_world *w, u32 *out_count) {
  *out_count = w->num_record;
  return w->record;
}
const char *sim_world_actor_label(const struct sim_world *w, u32 actor) {
  return w->labels[actor].text;
}
u32 sim_world_unmatched(const struct sim_world *w, u32 *out_index, u32 max) {
  if (w->backend != SIM_BACKEND_LIST || !w->index) return 0;
  return sim_decision_index_unused(w->index, out_index, max);
}
void sim_world_set_sink(struct sim_world *w, struct sim_trace_sink *sink) {
  w->sink = sink;
  w->observed = w->sink || w->cover;
}

void sim_world_set_cover(struct sim_world *w, const struct sim_cover *cover) {
  w->cover = cover;
  w->observed = w->sink || w->cover;
}
void sim_world_set_until(struct sim_world *w, u64 step) { w->until = step; }
void sim_world_set_fill(struct sim_world *w, u8 byte) { w->fill = byte; }
const struct sim_config *sim_world_config(const struct sim_world *w) { return &w->cfg; }

void sim_heal_budget_grow(u64 ns) {
  SIM_ASSERT(sim_w->st->in_setup);
  sim_w->cfg.heal_budget_ns += ns;
}

void sim_atomic_bounds_grow(u64 ns) {
  SIM_ASSERT(sim_w->st->in_setup);
  sim_w->cfg.irq_off_max_ns += ns;
  sim_w->cfg.preempt_off_max_ns += ns;
}

const struct sim_params *sim_world_params(const struct sim_world *w) { return w->params; }
u64 sim_steps(void) { return sim_w->st->steps; }
bool sim_healed(void) { return sim_w->st->healed; }
bool sim_in_setup(void) { return sim_w->st->in_setup; }
void sim_set_private(void *state) { sim_w->st->private_ = state; }
void *sim_private(void) { return sim_w->st->private_; }
