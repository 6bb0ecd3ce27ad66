// SPDX-License-Identifier: GPL-2.0-or-later
//
// Small numbers, handed out lowest first. A set holds 64 of them.
#ifndef SEEDBED_SHIM_LINUX_IDR_H_
#define SEEDBED_SHIM_LINUX_IDR_H_

#include <linux/gfp.h>
#include <linux/seedbed.h>

struct ida {
  unsigned long used;
};
#define DEFINE_IDA(name) struct ida name = {0}
#define ida_alloc(ida, gfp) seedbed_k_ida_alloc(SIM_SITE("ida_alloc"), &(ida)->used, (gfp))
#define ida_free(ida, id) seedbed_k_ida_free(SIM_SITE("ida_free"), &(ida)->used, (id))
// Until Linux 6.2, and drivers always ask for any number.
#define ida_simple_get(ida, start, end, gfp) ida_alloc((ida), (gfp))
#define ida_simple_remove(ida, id) ida_free((ida), (id))

#endif  // SEEDBED_SHIM_LINUX_IDR_H_
