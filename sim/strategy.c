// SPDX-License-Identifier: GPL-2.0-or-later
//
// Strategies of the seed back-end: who goes on at a scheduling point.
//
// PCT is the probabilistic concurrency testing of Burckhardt, Kothari, Musuvathi and
// Nagarakatte (ASPLOS 2010): every task has a random priority, the highest runs, and at
// d - 1 drawn places among the first k picks the one that would run falls below all
// others. It finds a bug that needs d ordering constraints among n tasks with a chance of
// at least 1/(n * k^(d-1)) a run.
// POS is the partial order sampling of Yuan, Yang and Gu (CAV 2018): each pending
// operation has a random priority, the highest runs, and those that touch the same object
// draw a new one.
// Delays are those of Emmi, Qadeer and Rakamaric (POPL 2011), at drawn places.
// Swarm is that of Groce and others (ISSTA 2012): a run that leaves out half of the kinds
// of faults finds what their mixture hides.
//
// Sections: names; state; priorities; one function a strategy; portfolio and swarm.
#include "sim/strategy.h"

#include <stdlib.h>
#include <string.h>

#include "sim/choice.h"
#include "sim/prng.h"

// ---- Names ----

static const char *const names[] = {
#define X(id, name, line) name,
    SIM_STRATEGIES(X)
#undef X
};

static const char *const lines[] = {
#define X(id, name, line) line,
    SIM_STRATEGIES(X)
#undef X
};

const char *sim_strategy_name(u32 strategy) {
  SIM_ASSERT(strategy < SIM_STRATEGY_COUNT);
  return names[strategy];
}

const char *sim_strategy_line(u32 strategy) {
  SIM_ASSERT(strategy < SIM_STRATEGY_COUNT);
  return lines[strategy];
}

int sim_strategy_by_name(const char *name) {
  for (int i = 0; i < SIM_STRATEGY_COUNT; i++)
    if (strcmp(names[i], name) == 0) return i;
  return -1;
}

// ---- State ----

enum { SLOTS = SIM_TASKS_MAX + SIM_CPUS_MAX, CHANGES_MAX = 4, NO_ACTOR = 0xffff };

// Priorities that were drawn lie at and above PRIORITY_DRAWN; who fell lies below it, the
// later the lower.
#define PRIORITY_DRAWN 0x80000000u

struct sim_strategy_state {
  struct sim_stream rng;
  u32 strategy;
  u32 floor;                // the priority that was given last to one that fell
  u64 picks;                // so far in this run
  u64 change_at;            // pick of the next change or delay
  u64 change[CHANGES_MAX];  // ascending
  u32 num_changes, next_change;
  u32 last_slot;  // round robin
  bool swarm_all_on, swarm_all_off;
  u64 swarm_seed;
  u32 priority[SLOTS];  // of the actor in `owner`
  u16 owner[SLOTS];
};

struct sim_strategy_state *sim_strategy_new(void) {
  struct sim_strategy_state *s = calloc(1, sizeof(*s));
  SIM_ASSERT(s);
  return s;
}

void sim_strategy_free(struct sim_strategy_state *s) { free(s); }

// ---- Priorities ----

static u32 draw_priority(struct sim_strategy_state *s) {
  return PRIORITY_DRAWN | (u32)(sim_stream_u64(&s->rng) >> 33);
}

// Priorities belong to slots. A task that is current on another CPU is shown as that CPU,
// which says nothing of which task it is; only another task's number in a slot shows that
// the one before has ended, and then the new one draws.
static SIM_NOINLINE void meet(struct sim_strategy_state *s, const struct sim_alt *alt) {
  u16 owner = s->owner[alt->slot];
  if (owner != NO_ACTOR && alt->actor >= SIM_ACTOR_CPU0) return;
  s->owner[alt->slot] = alt->actor;
  if (owner == NO_ACTOR || owner < SIM_ACTOR_CPU0) s->priority[alt->slot] = draw_priority(s);
}

static inline u32 priority_of(struct sim_strategy_state *s, const struct sim_alt *alt) {
  if (sim_unlikely(s->owner[alt->slot] != alt->actor)) meet(s, alt);
  return s->priority[alt->slot];
}

static inline u32 highest(struct sim_strategy_state *s, const struct sim_alt *alts, u32 n) {
  u32 best = 0;
  u32 best_priority = priority_of(s, &alts[0]);
  for (u32 i = 1; i < n; i++) {
    u32 p = priority_of(s, &alts[i]);
    bool higher = p > best_priority;
    best = higher ? i : best;
    best_priority = higher ? p : best_priority;
  }
  return best;
}

void sim_strategy_yielded(struct sim_strategy_state *s, u8 slot) { s->priority[slot] = --s->floor; }

// ---- Places in a run ----

// k: how far into a run changes and delays may lie. Runs of the scenarios take from 50 to
// 2000 draws, a few of them tens of thousands, so most of the weight is there.
static const u32 k_table[16] = {64,  64,  128,  128,  256,  256,  256,   512,
                                512, 512, 1024, 1024, 2048, 4096, 16384, 65536};

// The first place is anywhere; of the later ones half are near the one before (up to 64
// picks, short distances more often), because the orders that one bug needs are mostly
// close to each other. That costs PCT's bound a factor of 2 for each of them.
static u64 draw_place(struct sim_stream *rng, u32 k, u32 i, u64 before) {
  if (i == 0 || sim_stream_below(rng, 2)) return sim_stream_below(rng, k);
  return before + 1 + sim_stream_below(rng, 1u << sim_stream_below(rng, 7));
}

static void draw_changes(struct sim_strategy_state *s, u32 num) {
  u32 k = k_table[sim_stream_below(&s->rng, SIM_ARRAY_SIZE(k_table))];
  u64 at = 0;
  s->num_changes = num;
  s->next_change = 0;
  for (u32 i = 0; i < num; i++) {
    at = draw_place(&s->rng, k, i, at);
    u32 j = i;
    for (; j > 0 && s->change[j - 1] > at; j--) s->change[j] = s->change[j - 1];
    s->change[j] = at;
  }
  s->change_at = num ? s->change[0] : UINT64_MAX;
}

static void advance_change(struct sim_strategy_state *s) {
  s->next_change++;
  s->change_at = s->next_change < s->num_changes ? s->change[s->next_change] : UINT64_MAX;
}

// ---- One function a strategy ----

static u32 pick_sticky(struct sim_strategy_state *s, u32 n) {
  return sim_stream_below(&s->rng, 16) ? 0 : sim_stream_below(&s->rng, n);
}

static u32 pick_pct(struct sim_strategy_state *s, const struct sim_alt *alts, u32 n) {
  u32 best = highest(s, alts, n);
  u64 pick = s->picks++;
  while (sim_unlikely(pick == s->change_at)) {
    s->priority[alts[best].slot] = --s->floor;
    advance_change(s);
    best = highest(s, alts, n);
  }
  return best;
}

static u32 pick_pos(struct sim_strategy_state *s, const struct sim_alt *alts, u32 n) {
  u32 best = highest(s, alts, n);
  u32 obj = alts[best].obj;
  for (u32 i = 0; obj && i < n; i++)
    if (alts[i].obj == obj) s->priority[alts[i].slot] = draw_priority(s);
  s->priority[alts[best].slot] = draw_priority(s);
  return best;
}

static u32 pick_round_robin(struct sim_strategy_state *s, const struct sim_alt *alts, u32 n) {
  u32 best = 0, best_distance = UINT32_MAX;
  for (u32 i = 0; i < n; i++) {
    // Slots after the last one come in order, then those up to it.
    u32 distance = (alts[i].slot + 2 * SLOTS - s->last_slot - 1) % SLOTS;
    if (distance >= best_distance) continue;
    best = i;
    best_distance = distance;
  }
  s->last_slot = alts[best].slot;
  return best;
}

static u32 pick_delay(struct sim_strategy_state *s, u32 n) {
  u64 pick = s->picks++;
  if (sim_likely(pick != s->change_at)) return 0;
  while (pick == s->change_at) advance_change(s);
  return 1 + sim_stream_below(&s->rng, n - 1);
}

u32 sim_strategy_pick(struct sim_strategy_state *s, const struct sim_alt *alts, u32 n) {
  switch (s->strategy) {
    case SIM_STRATEGY_RANDOM:
      return sim_stream_below(&s->rng, n);
    case SIM_STRATEGY_STICKY:
      return pick_sticky(s, n);
    case SIM_STRATEGY_PCT1:
    case SIM_STRATEGY_PCT2:
    case SIM_STRATEGY_PCT3:
    case SIM_STRATEGY_PCT5:
      return pick_pct(s, alts, n);
    case SIM_STRATEGY_POS:
      return pick_pos(s, alts, n);
    case SIM_STRATEGY_RR:
      return pick_round_robin(s, alts, n);
    case SIM_STRATEGY_DELAY:
      return pick_delay(s, n);
    case SIM_STRATEGY_CALM:
      return 0;
    default:
      SIM_ASSERT(!"a strategy was begun");
      return 0;
  }
}

// ---- Portfolio and swarm ----

// Shares of the portfolio, of 32. No strategy is best everywhere: PCT and delays find few
// preemptions at exact places in long runs, the walks find many in short ones, POS orders
// of operations on one object; a run in order shows what faults alone do.
static const struct {
  u8 strategy, share;
} portfolio[] = {
    {SIM_STRATEGY_RANDOM, 5}, {SIM_STRATEGY_STICKY, 4}, {SIM_STRATEGY_PCT1, 1},
    {SIM_STRATEGY_PCT2, 4},   {SIM_STRATEGY_PCT3, 4},   {SIM_STRATEGY_PCT5, 2},
    {SIM_STRATEGY_POS, 6},    {SIM_STRATEGY_RR, 1},     {SIM_STRATEGY_DELAY, 4},
    {SIM_STRATEGY_CALM, 1},
};

static u32 draw_portfolio(struct sim_stream *rng) {
  u32 ticket = sim_stream_below(rng, 32);
  for (u32 i = 0; i < SIM_ARRAY_SIZE(portfolio); i++) {
    if (ticket < portfolio[i].share) return portfolio[i].strategy;
    ticket -= portfolio[i].share;
  }
  SIM_ASSERT(!"the shares add up to 32");
  return 0;
}

static u32 changes_of(u32 strategy, struct sim_stream *rng) {
  switch (strategy) {
    case SIM_STRATEGY_PCT2:
      return 1;
    case SIM_STRATEGY_PCT3:
      return 2;
    case SIM_STRATEGY_PCT5:
      return 4;
    case SIM_STRATEGY_DELAY:
      return 1 + sim_stream_below(rng, 3);
    default:
      return 0;
  }
}

// Constants that separate what the seed decides here from the world's other streams.
#define SEED_PICKS 0x7069636b732e2e31ull
#define SEED_PORTFOLIO 0x706f7274666f6c31ull

u32 sim_strategy_begin(struct sim_strategy_state *s, u32 strategy, u64 seed) {
  SIM_ASSERT(strategy < SIM_STRATEGY_COUNT);
  s->swarm_all_on = true;
  s->swarm_all_off = false;
  if (strategy == SIM_STRATEGY_PORTFOLIO) {
    struct sim_stream rng;
    sim_stream_seed(&rng, sim_mix64(seed ^ SEED_PORTFOLIO));
    strategy = draw_portfolio(&rng);
    u32 swarm = sim_stream_below(&rng, 8);
    s->swarm_all_on = swarm < 2;
    s->swarm_all_off = swarm == 2;
    s->swarm_seed = sim_stream_u64(&rng);
  }
  s->strategy = strategy;
  sim_stream_seed(&s->rng, sim_mix64(seed ^ SEED_PICKS));
  s->floor = PRIORITY_DRAWN;
  s->picks = 0;
  s->last_slot = SLOTS - 1;
  memset(s->owner, 0xff, sizeof(s->owner));
  draw_changes(s, changes_of(strategy, &s->rng));
  return strategy;
}

bool sim_strategy_class_on(const struct sim_strategy_state *s, u64 label_hash) {
  if (s->swarm_all_on || s->swarm_all_off) return s->swarm_all_on;
  return sim_mix64(s->swarm_seed ^ label_hash) & 1;
}
