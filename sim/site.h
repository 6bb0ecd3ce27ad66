// SPDX-License-Identifier: GPL-2.0-or-later
//
// Sites: the places in code where the world may take a decision. A site has a
// label that survives edits elsewhere ("function:primitive"); its hash, never
// its address or number, enters digests, seeds and decision files.
//
// A label is 1 to 127 printable ASCII characters and no blank; a site without one is found
// at the start of the process (SIM_ASSERT).
//
// Sites are static objects in a linker section of their own; a site's number is
// its place there and is used only to index tables within one process.
#ifndef SEEDBED_SIM_SITE_H_
#define SEEDBED_SIM_SITE_H_

#include "sim/base.h"
#include "sim/site_object.h"

enum { SIM_SITE_LABEL_LEN = 128 };

// What a site's draws mean.
enum sim_site_kind {
  SIM_SITE_POINT = 0,  // a scheduling point; draws who runs next
  SIM_SITE_IRQ,        // whether a drawn interrupt lands here; healed: none
  SIM_SITE_FAULT,      // 0: no fault. Swarm may switch the class off; healed: 0
  SIM_SITE_TIME,       // jitter of a delay; swarm may switch it off; healed: 0
  SIM_SITE_WORK,       // what the workload does next; draws when healed too
};

// sim_sites_init hashes every site and numbers the streams; idempotent, called
// by sim_world_new. Sites of one class label share a stream.
// Determinism: a stream's seed depends on its label only.
void sim_sites_init(void);
// For sim/module.h: `num` sites of a module count behind those of the program, in place of those
// of a module before. They are scheduling points without a class.
void sim_sites_add(struct sim_site *site, u32 num);
u32 sim_sites_count(void);
struct sim_site *sim_site_at(u32 index);
u32 sim_site_index(const struct sim_site *site);
enum { SIM_STREAMS_MAX = 256 };
u32 sim_streams_count(void);
const char *sim_stream_label(u32 stream);
u32 sim_point_stream(void);  // that of all scheduling points
// sim_site_label writes "func:prim" or "prim" to `out` (always terminated, cut
// at `len` bytes) and returns it.
const char *sim_site_label(const struct sim_site *site, char *out, size_t len);
// sim_site_by_label returns the first site with that label, or NULL. Several
// sites may share a label; decisions count them together.
struct sim_site *sim_site_by_label(const char *label);

#endif  // SEEDBED_SIM_SITE_H_
