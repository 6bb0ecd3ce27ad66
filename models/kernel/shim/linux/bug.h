// SPDX-License-Identifier: GPL-2.0-or-later
//
// WARN_ON is a finding (kernel-warn), BUG_ON one that ends the run (kernel-bug).
#ifndef SEEDBED_SHIM_LINUX_BUG_H_
#define SEEDBED_SHIM_LINUX_BUG_H_

#include <linux/build_bug.h>
#include <linux/compiler.h>
#include <linux/printk.h>
#include <linux/seedbed.h>

#define WARN_ON(cond)                                             \
  ({                                                              \
    int seedbed_warns = !!(cond);                                 \
    if (unlikely(seedbed_warns)) seedbed_k_warn(__func__, #cond); \
    unlikely(seedbed_warns);                                      \
  })
#define WARN(cond, fmt, ...) WARN_ON(cond)
#define WARN_ON_ONCE(cond) WARN_ON(cond)
#define WARN_ONCE(cond, fmt, ...) WARN_ON(cond)
#define BUG() seedbed_k_bug(__func__, "BUG")
#define BUG_ON(cond)                                    \
  do {                                                  \
    if (unlikely(cond)) seedbed_k_bug(__func__, #cond); \
  } while (0)

#endif  // SEEDBED_SHIM_LINUX_BUG_H_
