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

enum { SIM_SITE_LABEL_LEN = 128 };

// What a site's draws mean.
enum sim_site_kind {
  SIM_SITE_POINT = 0,  // a scheduling point; draws who runs next
  SIM_SITE_IRQ,        // whether a drawn interrupt lands here; healed: none
  SIM_SITE_FAULT,      // 0: no fault. Swarm may switch the class off; healed: 0
  SIM_SITE_TIME,       // jitter of a delay; swarm may switch it off; healed: 0
  SIM_SITE_WORK,       // what the workload does next; draws when healed too
};

// One site. `prim` and `func` make the label: "func:prim", or `prim` alone where
// func is NULL. `cls` names the PRNG stream and swarm switch (NULL: the one of
// its kind). Under the seed back-end a value that is not calm has the chance
// rate_num/rate_den; 0/0 makes all values equally likely. sim_sites_init
// fills `stream`, `hash` (of the label) and `canon` (index of the first site with
// this label: its draws are counted together with the others').
struct sim_site {
  const char *prim;
  const char *func;
  const char *cls;
  u8 kind;
  u8 stream;
  u16 rate_num;
  u16 rate_den;
  u16 canon;
  u64 hash;
  u64 reserved[3];
} __attribute__((aligned(64)));

_Static_assert(sizeof(struct sim_site) == 64, "sites are indexed by address");

#define SIM_SITE_SECTION __attribute__((section("sim_sites"), used, aligned(64)))

// SIM_SITE makes the site of a scheduling point at the place of the call.
#define SIM_SITE(prim_)                                                                      \
  ({                                                                                         \
    static struct sim_site sim_site_ SIM_SITE_SECTION = {.prim = (prim_), .func = __func__}; \
    &sim_site_;                                                                              \
  })

// SIM_SITE_DRAW makes the site of a draw: `label_` is whole ("bcm2835-stuck"),
// `kind_` an enum sim_site_kind, num_/den_ the rate. Its class is its label. Neither macro may
// stand in a list of initialisers of a variable: clang 14 then refers to a second site, empty.
#define SIM_SITE_DRAW(label_, kind_, num_, den_)                              \
  ({                                                                          \
    static struct sim_site sim_site_ SIM_SITE_SECTION = {.prim = (label_),    \
                                                         .cls = (label_),     \
                                                         .kind = (kind_),     \
                                                         .rate_num = (num_),  \
                                                         .rate_den = (den_)}; \
    &sim_site_;                                                               \
  })

// sim_sites_init hashes every site and numbers the streams; idempotent, called
// by sim_world_new. Sites of one class label share a stream.
// Determinism: a stream's seed depends on its label only.
void sim_sites_init(void);
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
