// SPDX-License-Identifier: GPL-2.0-or-later
//
// See cover.h.
#include "sim/cover.h"

#include "sim/prng.h"
#include "sim/sched.h"

enum { OBJECTS = 1024 };

// The last step at an object, in this run; objects share places. Tags of runs are a world's own.
static struct {
  const struct sim_world *world;
  u64 run_tag;
  u16 site, actor;
} last[OBJECTS];

// The last step of all, in this run.
static struct {
  const struct sim_world *world;
  u64 run_tag;
  u16 site, actor;
} latest;

// How often says less than that it happened: loops would make each of many a new one.
static void count(const struct sim_cover *cover, u64 what) {
  cover->order[sim_mix64(what) & (cover->num_order - 1)] = 1;
}

void sim_cover_step(const struct sim_site *site) {
  const struct sim_world *w = sim_w;
  const struct sim_cover *cover = w->cover;
  const struct sim_task *self = sim_this_cpu->cur;
  u16 actor = (u16)sim_actor_of(sim_this_cpu), before = 0;
  bool same = false;
  u32 at = (u32)(sim_mix64(self->obj) % OBJECTS);

  if (!cover->num_order) return;
  if (last[at].world == w && last[at].run_tag == w->run_tag) {
    before = last[at].site;
    same = last[at].actor == actor;
  }
  last[at].world = w;
  last[at].run_tag = w->run_tag;
  last[at].site = site->canon;
  last[at].actor = actor;
  count(cover, (u64)before << 32 | (u64)site->canon << 1 | same);
  if (latest.world == w && latest.run_tag == w->run_tag && latest.actor != actor)
    count(cover, 1ull << 60 | (u64)latest.site << 32 | (u64)site->canon);
  latest.world = w;
  latest.run_tag = w->run_tag;
  latest.site = site->canon;
  latest.actor = actor;
}

void sim_cover_state(u32 what, u64 value) {
  const struct sim_cover *cover = sim_w->cover;

  if (!cover || !cover->num_state || sim_w->st->in_setup) return;
  cover->state[sim_mix64((u64)what << 48 ^ sim_mix64(value)) & (cover->num_state - 1)]++;
}
