// SPDX-License-Identifier: GPL-2.0-or-later
//
// Marked accesses: scheduling points, told to the detector as marked.
#ifndef SEEDBED_SHIM_ASM_RWONCE_H_
#define SEEDBED_SHIM_ASM_RWONCE_H_

#include <linux/seedbed.h>

#define READ_ONCE(lv) seedbed_load("read_once", lv, 0)
#define WRITE_ONCE(lv, v)                          \
  do {                                             \
    __typeof__(lv) seedbed_v = (v);                \
    seedbed_store("write_once", lv, seedbed_v, 0); \
  } while (0)
#define data_race(expression) (expression)

#endif  // SEEDBED_SHIM_ASM_RWONCE_H_
