// SPDX-License-Identifier: GPL-2.0-or-later
//
// Choice: the draw, its back-ends and its record. The random walk at a scheduling
// point is answered in sim/sched.c; everything else comes here.
#include "sim/choice.h"

#include <stdlib.h>

#include "sim/bytes.h"
#include "sim/choice_impl.h"
#include "sim/decision.h"
#include "sim/engine.h"

struct sim_world *sim_w;

void sim_stream_begin(struct sim_world *w, u32 stream) {
  struct sim_stream *s = &w->streams[stream];
  sim_stream_seed(s, sim_mix64(w->stream_seed) ^ w->stream_hash[stream]);
  s->tag = w->stream_tag;
  w->class_off[stream] = w->seeded && !sim_strategy_class_on(w->strategies, w->stream_hash[stream]);
}

// The list back-end's answer, which may be wanted as bytes.
static void encode(struct sim_world *w, const struct sim_site *site, u32 value) {
  if (sim_unlikely(w->encoder != NULL)) sim_bytes_encode(w->encoder, site, value);
}

static const struct sim_decision *listed(struct sim_world *w, const struct sim_site *site,
                                         u32 actor, u32 k) {
  if (!w->index) return NULL;
  u64 label = sim_hash_str(w->labels[actor].text);
  return sim_decision_index_find(w->index, site->hash, label, k);
}

static u32 by_seed(struct sim_world *w, const struct sim_site *site, u32 n, u32 rate_num,
                   u32 rate_den) {
  struct sim_stream *s = sim_stream_of(w, site->stream);
  if (w->class_off[site->stream] && site->kind != SIM_SITE_WORK) return 0;
  if (rate_den == 0) return sim_stream_below(s, n);
  if (sim_stream_below(s, rate_den) >= rate_num) return 0;
  return n == 2 ? 1 : 1 + sim_stream_below(s, n - 1);
}

// ---- What bytes leave open: calm, or by a seed, with its turns ----

void sim_turn_to(struct sim_world *w, u64 seed) {
  w->stream_seed = seed;
  w->stream_tag++;
  w->strategy = sim_strategy_begin(w->strategies, w->input->strategy, seed);
}

void sim_turn_next(struct sim_world *w) {
  const struct sim_input *in = w->input;
  u64 before = w->next_turn ? w->turn_at : 0;

  w->turn_at = w->next_turn < in->num_turns ? before + in->turns[w->next_turn].draws : UINT64_MAX;
}

static SIM_NOINLINE void turn(struct sim_world *w, u64 draws) {
  while (draws > w->turn_at) {
    sim_turn_to(w, w->input->turns[w->next_turn++].seed);
    sim_turn_next(w);
  }
}

// Whether a seed decides what is the run's `draws`-th draw, from 1.
static inline bool left_to_seed(struct sim_world *w, u64 draws) {
  if (sim_unlikely(draws > w->turn_at)) turn(w, draws);
  return w->seeded;
}

static u32 choose(struct sim_world *w, struct sim_site *site, u32 n, u32 rate_num, u32 rate_den) {
  struct sim_state *st = w->st;
  if (st->in_setup) return 0;
  const struct sim_cpu *cpu = st->cpu;
  u32 k = sim_occurrence(w, sim_actor_slot(cpu), site);
  if (n == 1 || (st->healed && site->kind != SIM_SITE_WORK)) return 0;
  st->draws++;
  u32 actor = sim_actor_of(cpu);
  u32 v = 0;
  switch (w->backend) {
    case SIM_BACKEND_CALM:
      break;
    case SIM_BACKEND_SEED:
      v = by_seed(w, site, n, rate_num, rate_den);
      break;
    case SIM_BACKEND_BYTES:
      v = sim_bytes_draw(w->bytes, site, n);
      if (v == SIM_BYTES_NONE)
        v = left_to_seed(w, st->draws) ? by_seed(w, site, n, rate_num, rate_den) : 0;
      break;
    case SIM_BACKEND_LIST: {
      const struct sim_decision *d = listed(w, site, actor, k);
      if (d) {
        if (d->target[0] == 0 && d->value < n)
          v = d->value;
        else
          sim_decision_index_misfit(w->index, d);
      }
      encode(w, site, v);
      break;
    }
    case SIM_BACKEND_ODOMETER:
      v = sim_odometer_draw(w->input->odometer, n);
      break;
  }
  if (v != 0) {
    sim_record(w, site, actor, k, v);
    sim_emit(SIM_EVENT_DRAW, site, v, n, NULL);
  }
  return v;
}

u32 sim_choose(struct sim_world *w, struct sim_site *site, u32 n) {
  SIM_ASSERT(n >= 1 && n <= SIM_CHOICE_MAX && site->kind != SIM_SITE_POINT);
  return choose(w, site, n, site->rate_num, site->rate_den);
}

u32 sim_choose_rate(struct sim_world *w, struct sim_site *site, u32 rate_num, u32 rate_den) {
  return choose(w, site, 2, rate_num, rate_den);
}

// A strategy's pick, but for what makes a walk sticky.
static u32 pick_by_seed(struct sim_world *w, const struct sim_site *site,
                        const struct sim_alt *alts, u32 n) {
  if (w->strategy == SIM_STRATEGY_RANDOM || w->strategy == SIM_STRATEGY_STICKY)
    return sim_stream_below(sim_stream_of(w, site->stream), n);
  return sim_strategy_pick(w->strategies, alts, n);
}

static u32 point_by_seed(struct sim_world *w, const struct sim_site *site,
                         const struct sim_alt *alts, u32 n) {
  if (w->strategy == SIM_STRATEGY_STICKY &&
      sim_stream_below(sim_stream_of(w, site->stream), 16) != 0)
    return 0;
  return pick_by_seed(w, site, alts, n);
}

// The alternative that a decision names; 0: none of them.
static u32 alternative_of(const struct sim_world *w, const struct sim_decision *d,
                          const struct sim_alt *alts, u32 n) {
  u64 want = d->target[0] ? sim_hash_str(d->target) : 0;
  u32 found = 0;
  for (u32 j = 0; want && j < n; j++)
    if (sim_hash_str(w->labels[alts[j].actor].text) == want) found = j;
  return found;
}

u32 sim_choose_actor(struct sim_world *w, struct sim_site *site, u32 actor, u32 k,
                     const struct sim_alt *alts, u32 n) {
  struct sim_state *st = w->st;
  if (w->calm_points) return 0;
  st->draws++;
  u32 i = 0;
  switch (w->backend) {
    case SIM_BACKEND_CALM:
      break;
    case SIM_BACKEND_SEED:
      i = point_by_seed(w, site, alts, n);
      break;
    case SIM_BACKEND_BYTES:
      i = sim_bytes_draw(w->bytes, site, n);
      if (i == SIM_BYTES_NONE) i = left_to_seed(w, st->draws) ? point_by_seed(w, site, alts, n) : 0;
      break;
    case SIM_BACKEND_LIST: {
      const struct sim_decision *d = listed(w, site, actor, k);
      if (d) {
        i = alternative_of(w, d, alts, n);
        if (i == 0) sim_decision_index_misfit(w->index, d);
      }
      encode(w, site, i);
      break;
    }
    case SIM_BACKEND_ODOMETER:
      i = sim_odometer_draw(w->input->odometer, n);
      break;
  }
  SIM_ASSERT(i < n);
  if (i != 0) {
    sim_record(w, site, actor, k, 1u + alts[i].actor);
    sim_show(w, SIM_EVENT_DRAW, site, alts[i].actor, n);
  }
  return i;
}

// ---- At an access of hooked code ----

static u32 nth_line(u32 lines, u32 nth) {
  while (nth--) lines &= lines - 1;
  return (u32)__builtin_ctz(lines);
}

// The seed looks here. An interrupt is tried one time in four, if there are any; whether this
// run has it at all is its class's matter, as at other points.
static u32 access_by_seed(struct sim_world *w, struct sim_site *site, const struct sim_alt *alts,
                          u32 n, u32 lines) {
  static struct sim_site kind SIM_SITE_SECTION = {
      .prim = "access-irq", .cls = "access-irq", .kind = SIM_SITE_IRQ};
  if (lines) {
    struct sim_stream *s = sim_stream_of(w, kind.stream);
    if (n == 1 || sim_stream_below(s, 4) == 0) {
      u32 nth = sim_stream_below(s, (u32)__builtin_popcount(lines));
      u32 stream = w->st->irqs[nth_line(lines, nth)]->site->stream;
      (void)sim_stream_of(w, stream);
      return w->class_off[stream] ? 0 : n + nth;
    }
  }
  return pick_by_seed(w, site, alts, n);
}

static u32 access_by_list(struct sim_world *w, const struct sim_site *site, u32 actor, u32 k,
                          const struct sim_alt *alts, u32 n, u32 lines) {
  static const char prefix[] = "line:";
  const struct sim_decision *d = listed(w, site, actor, k);
  u32 i = 0;
  if (!d) return 0;
  if (strncmp(d->target, prefix, sizeof(prefix) - 1) == 0) {
    u64 line = strtoull(d->target + sizeof(prefix) - 1, NULL, 10);
    if (line < 32 && (lines >> line & 1))
      i = n + (u32)__builtin_popcount(lines & ((1u << line) - 1));
  } else {
    i = alternative_of(w, d, alts, n);
  }
  if (i == 0) sim_decision_index_misfit(w->index, d);
  return i;
}

u32 sim_choose_access(struct sim_world *w, struct sim_site *site, u32 actor, u32 k,
                      const struct sim_alt *alts, u32 n, u32 lines) {
  u32 all = n + (u32)__builtin_popcount(lines), i = 0;
  switch (w->backend) {
    case SIM_BACKEND_CALM:
      break;
    case SIM_BACKEND_SEED:
      i = access_by_seed(w, site, alts, n, lines);
      break;
    case SIM_BACKEND_BYTES:
      i = sim_bytes_draw(w->bytes, site, all);
      if (i == SIM_BYTES_NONE)
        i = left_to_seed(w, w->st->draws + 1) ? access_by_seed(w, site, alts, n, lines) : 0;
      break;
    case SIM_BACKEND_LIST:
      i = access_by_list(w, site, actor, k, alts, n, lines);
      encode(w, site, i);
      break;
    case SIM_BACKEND_ODOMETER:
      i = sim_odometer_draw(w->input->odometer, all);
      break;
  }
  SIM_ASSERT(i < all);
  if (i == 0) return 0;
  w->st->draws++;
  u32 value = i < n ? 1u + alts[i].actor : (u32)SIM_DRAW_LINE + nth_line(lines, i - n);
  sim_record(w, site, actor, k, value);
  sim_show(w, SIM_EVENT_DRAW, site, i < n ? alts[i].actor : value, all);
  return i;
}
