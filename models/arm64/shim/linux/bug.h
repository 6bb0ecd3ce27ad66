/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * In place of include/linux/bug.h: BUG and WARN stop the guest, which is a finding.
 */
#ifndef SEEDBED_MODELS_ARM64_SHIM_LINUX_BUG_H_
#define SEEDBED_MODELS_ARM64_SHIM_LINUX_BUG_H_

#include <linux/build_bug.h>
#include <linux/compiler.h>

#include "models/arm64/guest_asm/arm64_data.h"

#define BUG()                                      \
  do {                                             \
    asm volatile("brk %0" : : "i"(ARM64_BRK_BUG)); \
    __builtin_unreachable();                       \
  } while (0)
#define BUG_ON(condition)           \
  do {                              \
    if (unlikely(condition)) BUG(); \
  } while (0)
#define WARN_ON(condition)                                                       \
  ({                                                                             \
    bool seedbed_warns = !!(condition);                                          \
    if (unlikely(seedbed_warns)) asm volatile("brk %0" : : "i"(ARM64_BRK_WARN)); \
    unlikely(seedbed_warns);                                                     \
  })
#define WARN_ON_ONCE(condition) WARN_ON(condition)
#define WARN(condition, ...) WARN_ON(condition)
#define WARN_ONCE(condition, ...) WARN_ON(condition)

#endif /* SEEDBED_MODELS_ARM64_SHIM_LINUX_BUG_H_ */
