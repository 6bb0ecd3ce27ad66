// SPDX-License-Identifier: GPL-2.0-or-later
//
// The scenarios of a vDSO: PowerPC and arm64.
#ifndef SEEDBED_MODELS_VDSO_VDSO_SCENARIOS_H_
#define SEEDBED_MODELS_VDSO_VDSO_SCENARIOS_H_

#include "models/guest/guest.h"
#include "sim/scenario.h"

extern const struct sim_scenario scenario_vdso_getrandom;
extern const struct sim_scenario scenario_vdso_chacha;

// What both have: an architecture, and how the subject takes keys.
extern const char *const vdso_arch_names[];
extern const char *const vdso_key_order_names[];
#define VDSO_PARAM_ARCH                                                                        \
  {                                                                                            \
    "arch", 2, 0, 3, "", "of the built-in subject and of a kernel tree; an image has its own", \
        vdso_arch_names                                                                        \
  }
#define VDSO_PARAM_KEY_ORDER                                                                  \
  {                                                                                           \
    "key_order", 0, 0, 1, "", "a key is 8 words in the machine's order, as merged, or bytes", \
        vdso_key_order_names                                                                  \
  }

extern const char *const vdso_vdso32_names[];
#define VDSO_PARAM_VDSO32                                                  \
  {                                                                        \
    "vdso32", 0, 0, 1, "",                                                 \
        "of a kernel tree's ppc32: a 32-bit kernel's, or a 64-bit one's, " \
        "for its processes of 32 bits",                                    \
        vdso_vdso32_names                                                  \
  }

// The setting and the variant's name of the running scenario's parameters, for set-up.
struct vdso_setting;
void vdso_setting_from_params(struct vdso_setting *out, char *variant, size_t len,
                              const struct sim_bug *bugs);
// struct sim_scenario, refuses: a planted bug with an image, or one that is not made for the
// architecture; fpsimd=0 of another than arm64; vdso32=compat of another than ppc32, or built-in.
bool vdso_params_refused(const struct sim_params *params, char *err, size_t len);

#endif  // SEEDBED_MODELS_VDSO_VDSO_SCENARIOS_H_
