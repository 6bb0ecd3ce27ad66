// SPDX-License-Identifier: GPL-2.0-or-later
//
// The object of a site and the macros that make one: see site.h. Apart from it, and of the
// compiler's own types only, so that code which brings type names of its own can have sites too:
// the sources of a kernel tree.
#ifndef SEEDBED_SIM_SITE_OBJECT_H_
#define SEEDBED_SIM_SITE_OBJECT_H_

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
  __UINT8_TYPE__ kind;
  __UINT8_TYPE__ stream;
  __UINT16_TYPE__ rate_num;
  __UINT16_TYPE__ rate_den;
  __UINT16_TYPE__ canon;
  __UINT64_TYPE__ hash;
  __UINT64_TYPE__ reserved[3];
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

#endif  // SEEDBED_SIM_SITE_OBJECT_H_
