// SPDX-License-Identifier: GPL-2.0-or-later
//
// Reference counts (lib/refcount.c, linux/kref.h): a count that is used wrongly is
// reported and stays at a value that neither grows to zero nor falls to it.
#include "sim/refcount.h"

#include "sim/prim.h"

enum { SATURATED = INT32_MIN / 2 };

SIM_COLD static void saturate(struct sim_site *site, struct sim_kref *kref, const char *how) {
  char label[96], stable[128];
  sim_site_label(site, label, sizeof(label));
  s32 was = kref->count;
  kref->count = SATURATED;
  __builtin_snprintf(stable, sizeof(stable), "%s %s", label, how);
  sim_report(&sim_oracle_refcount, stable, "%s at %s in %s: the count was %d", how, label,
             sim_task_label(sim_cur_task()), was);
}

void sim_kref_init(struct sim_kref *kref) { kref->count = 1; }

void sim_kref_get_at(struct sim_site *site, struct sim_kref *kref) {
  sim_point(site, kref, SIM_COST_ACCESS);
  if (sim_unlikely(kref->count <= 0 || kref->count == INT32_MAX))
    saturate(site, kref, kref->count == 0 ? "get from zero" : "get of a saturated count");
  else
    kref->count++;
}

bool sim_kref_get_unless_zero_at(struct sim_site *site, struct sim_kref *kref) {
  sim_point(site, kref, SIM_COST_ACCESS);
  if (kref->count == 0) return false;
  if (sim_unlikely(kref->count < 0 || kref->count == INT32_MAX))
    saturate(site, kref, "get of a saturated count");
  else
    kref->count++;
  return true;
}

bool sim_kref_put_at(struct sim_site *site, struct sim_kref *kref,
                     void (*release)(struct sim_kref *kref)) {
  sim_point(site, kref, SIM_COST_ACCESS);
  if (sim_unlikely(kref->count <= 0)) {
    saturate(site, kref, kref->count == 0 ? "put below zero" : "put of a saturated count");
    return false;
  }
  // As refcount_dec_and_test: a release, and an acquire for whoever takes it to zero.
  sim_hb_release(kref);
  if (--kref->count) return false;
  sim_hb_acquire(kref);
  release(kref);
  return true;
}

u32 sim_kref_read(const struct sim_kref *kref) { return (u32)kref->count; }
