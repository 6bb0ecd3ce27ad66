// SPDX-License-Identifier: GPL-2.0-or-later
//
// Sites: hashing their labels and numbering the PRNG streams, once per process.
#include "sim/site.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The linker provides these for a section whose name is an identifier.
extern struct sim_site __start_sim_sites[];
extern struct sim_site __stop_sim_sites[];

// A draw is recorded with its site in 12 bits.
enum { SITES_MAX = 4096 };

static const char *const kind_class[] = {"point", "irq", "fault", "time", "work"};

static bool initialised;
static u32 num_own;             // of the program
static struct sim_site *added;  // of a module
static u32 num_added;
static u32 num_streams;
static u32 point_stream;
static const char *stream_labels[SIM_STREAMS_MAX];

static const char *site_class(const struct sim_site *site) {
  return site->cls ? site->cls : kind_class[site->kind];
}

static int by_text(const void *a, const void *b) {
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool same_text(const char *a, const char *b) {
  return a == b || (a && b && strcmp(a, b) == 0);
}

// Decision files hold labels whole, printable and without blanks.
static void check_label(const char *label, const struct sim_site *site) {
  size_t whole = strlen(site->prim) + (site->func ? strlen(site->func) + 1 : 0);
  SIM_ASSERT(whole > 0 && whole < SIM_SITE_LABEL_LEN);
  for (; *label; label++) SIM_ASSERT(*label > ' ' && *label <= '~');
}

// Its label is checked and hashed; its class has its number already.
static void number(u32 index) {
  struct sim_site *site = sim_site_at(index);
  SIM_ASSERT(site->kind != SIM_SITE_POINT || !site->cls);
  char label[SIM_SITE_LABEL_LEN];
  check_label(sim_site_label(site, label, sizeof(label)), site);
  site->hash = sim_hash_str(label);
  for (u32 s = 0; s < num_streams; s++)
    if (same_text(stream_labels[s], site_class(site))) site->stream = (u8)s;
  site->canon = (u16)index;
  for (u32 j = 0; j < index; j++) {
    if (sim_site_at(j)->hash != site->hash) continue;
    site->canon = (u16)j;
    break;
  }
}

void sim_sites_init(void) {
  if (initialised) return;
  num_own = (u32)(__stop_sim_sites - __start_sim_sites);
  SIM_ASSERT(num_own < SITES_MAX);
  num_streams = 0;
  for (u32 i = 0; i < SIM_ARRAY_SIZE(kind_class); i++) stream_labels[num_streams++] = kind_class[i];
  for (u32 i = 0; i < num_own; i++) {
    const char *cls = site_class(&__start_sim_sites[i]);
    bool known = false;
    for (u32 s = 0; s < num_streams && !known; s++) known = same_text(stream_labels[s], cls);
    if (known) continue;
    SIM_ASSERT(num_streams < SIM_STREAMS_MAX);
    stream_labels[num_streams++] = cls;
  }
  qsort(stream_labels, num_streams, sizeof(stream_labels[0]), by_text);
  for (u32 s = 0; s < num_streams; s++)
    if (same_text(stream_labels[s], kind_class[SIM_SITE_POINT])) point_stream = s;
  for (u32 i = 0; i < num_own; i++) number(i);
  initialised = true;
}

void sim_sites_add(struct sim_site *site, u32 num) {
  // A module that is used again, after none was, has its numbers still.
  static const struct sim_site *numbered;
  static u32 num_numbered;

  SIM_ASSERT(initialised && num < SITES_MAX - num_own);
  added = site;
  num_added = num;
  if (!num || (site == numbered && num == num_numbered)) return;
  numbered = site;
  num_numbered = num;
  for (u32 i = 0; i < num; i++) {
    SIM_ASSERT(site[i].kind == SIM_SITE_POINT);
    number(num_own + i);
  }
}

u32 sim_sites_count(void) { return num_own + num_added; }

struct sim_site *sim_site_at(u32 index) {
  return index < num_own ? &__start_sim_sites[index] : &added[index - num_own];
}

u32 sim_site_index(const struct sim_site *site) {
  size_t index = (size_t)(site - __start_sim_sites);
  return (u32)(index < num_own ? index : num_own + (size_t)(site - added));
}

u32 sim_streams_count(void) { return num_streams; }

u32 sim_point_stream(void) { return point_stream; }

const char *sim_stream_label(u32 stream) { return stream_labels[stream]; }

const char *sim_site_label(const struct sim_site *site, char *out, size_t len) {
  if (site->func)
    snprintf(out, len, "%s:%s", site->func, site->prim);
  else
    snprintf(out, len, "%s", site->prim);
  return out;
}

struct sim_site *sim_site_by_label(const char *label) {
  u64 hash = sim_hash_str(label);
  for (u32 i = 0; i < sim_sites_count(); i++)
    if (sim_site_at(i)->hash == hash) return sim_site_at(i);
  return NULL;
}
