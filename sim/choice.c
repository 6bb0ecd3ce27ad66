// SPDX-License-Identifier: GPL-2.0-or-later
//
// Choice: the draw, its back-ends and its record. The random walk at a scheduling
// point is answered in sim/sched.c; everything else comes here.
#include "sim/choice.h"

#include "sim/choice_impl.h"
#include "sim/decision.h"
#include "sim/engine.h"

struct sim_world *sim_w;

void sim_stream_begin(struct sim_world *w, u32 stream) {
  struct sim_stream *s = &w->streams[stream];
  u64 seed = w->input ? w->input->seed : 0;
  sim_stream_seed(s, sim_mix64(seed) ^ w->stream_hash[stream]);
  s->tag = w->run_tag;
  w->class_off[stream] = w->backend == SIM_BACKEND_SEED &&
                         !sim_strategy_class_on(w->strategies, w->stream_hash[stream]);
}

// Fuzzer bytes: (gap, value) pairs; see sim/choice.h.
static u32 draw_bytes(struct sim_world *w, u32 n) {
  const struct sim_input *in = w->input;
  if (w->bytes_gap == 0) {
    // Between pairs: take the next one's gap.
    if (w->bytes_pos >= in->len) return 0;
    u8 gap = in->bytes[w->bytes_pos++];
    w->bytes_gap = gap + 1u;
    w->bytes_long = gap == 255;
  }
  if (w->bytes_gap > 1 || w->bytes_long) {
    w->bytes_gap--;
    if (w->bytes_gap == 1 && w->bytes_long) w->bytes_gap = 0;
    return 0;
  }
  w->bytes_gap = 0;
  u32 value = w->bytes_pos < in->len ? in->bytes[w->bytes_pos++] : 0;
  if (n > 256 && w->bytes_pos < in->len) value |= (u32)in->bytes[w->bytes_pos++] << 8;
  return value % n;
}

static const struct sim_decision *listed(struct sim_world *w, const struct sim_site *site,
                                         u32 actor, u32 k) {
  if (!w->index) return NULL;
  u64 label = sim_hash_str(w->labels[actor].text);
  return sim_decision_index_find(w->index, site->hash, label, k);
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
    case SIM_BACKEND_SEED: {
      struct sim_stream *s = sim_stream_of(w, site->stream);
      if (w->class_off[site->stream] && site->kind != SIM_SITE_WORK) break;
      if (rate_den == 0) {
        v = sim_stream_below(s, n);
      } else if (sim_stream_below(s, rate_den) < rate_num) {
        v = n == 2 ? 1 : 1 + sim_stream_below(s, n - 1);
      }
      break;
    }
    case SIM_BACKEND_BYTES:
      v = draw_bytes(w, n);
      break;
    case SIM_BACKEND_LIST: {
      const struct sim_decision *d = listed(w, site, actor, k);
      if (d) {
        if (d->target[0] == 0 && d->value < n)
          v = d->value;
        else
          sim_decision_index_misfit(w->index, d);
      }
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
      if (w->strategy == SIM_STRATEGY_RANDOM) {
        i = sim_stream_below(sim_stream_of(w, site->stream), n);
      } else if (w->strategy == SIM_STRATEGY_STICKY) {
        struct sim_stream *s = sim_stream_of(w, site->stream);
        if (sim_stream_below(s, 16) == 0) i = sim_stream_below(s, n);
      } else {
        i = sim_strategy_pick(w->strategies, alts, n);
      }
      break;
    case SIM_BACKEND_BYTES:
      i = draw_bytes(w, n);
      break;
    case SIM_BACKEND_LIST: {
      const struct sim_decision *d = listed(w, site, actor, k);
      if (!d) break;
      u64 want = d->target[0] ? sim_hash_str(d->target) : 0;
      for (u32 j = 0; want && j < n; j++)
        if (sim_hash_str(w->labels[alts[j].actor].text) == want) i = j;
      if (i == 0) sim_decision_index_misfit(w->index, d);
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
