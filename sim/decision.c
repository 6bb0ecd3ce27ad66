// SPDX-License-Identifier: GPL-2.0-or-later
//
// Decisions of a run: the world's record under portable labels.
#include "sim/decision.h"

#include <stdlib.h>
#include <string.h>

#include "sim/choice_impl.h"

static void set_label(char *out, size_t len, const char *label) {
  size_t n = strlen(label);
  SIM_ASSERT(n < len);
  memcpy(out, label, n + 1);
}

void sim_decisions_from_world(struct sim_decisions *out, const struct sim_world *w) {
  u32 count;
  const struct sim_draw *draw = sim_world_draws(w, &count);
  if (count > out->cap || !out->item) {
    free(out->item);
    out->cap = count + 16;
    out->item = malloc(out->cap * sizeof(out->item[0]));
    SIM_ASSERT(out->item);
  }
  out->count = count;
  for (u32 i = 0; i < count; i++) {
    struct sim_decision *d = &out->item[i];
    const struct sim_site *site = sim_site_at(draw[i].site);
    char label[2 * SIM_LABEL_LEN];
    set_label(d->site, sizeof(d->site), sim_site_label(site, label, sizeof(label)));
    set_label(d->actor, sizeof(d->actor), sim_world_actor_label(w, draw[i].actor));
    d->k = draw[i].k;
    d->target[0] = 0;
    d->value = 0;
    if (site->kind == SIM_SITE_POINT && draw[i].value >= SIM_DRAW_LINE)
      snprintf(d->target, sizeof(d->target), "line:%u", draw[i].value - (u32)SIM_DRAW_LINE);
    else if (site->kind == SIM_SITE_POINT)
      set_label(d->target, sizeof(d->target), sim_world_actor_label(w, draw[i].value - 1u));
    else
      d->value = draw[i].value;
  }
}
