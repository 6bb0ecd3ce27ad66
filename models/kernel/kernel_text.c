// SPDX-License-Identifier: GPL-2.0-or-later
//
// Text that a kernel object makes or reads: messages, which go into the trace; sysfs; numbers;
// strings. And what it complains of itself: WARN_ON and BUG_ON.
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "models/kernel/kernel_calls.h"
#include "models/kernel/kernel_random.h"
#include "models/kernel/kernel_world.h"
#include "sim/checker.h"
#include "sim/trace.h"

enum { PAGE_SIZE = 4096, ERANGE_ = 34 };

const struct sim_oracle kernel_oracle_warn = {"kernel-warn", SIM_SAFETY,
                                              "no WARN_ON of the tree's code is true",
                                              "include/asm-generic/bug.h, WARN_ON"};
const struct sim_oracle kernel_oracle_bug = {"kernel-bug", SIM_SAFETY,
                                             "no BUG_ON of the tree's code is true",
                                             "include/asm-generic/bug.h, BUG_ON"};

// The kernel's formats have more than printf's: the object's side is not checked by them.
int seedbed_k_printk(const char *device, const char *fmt, ...) SIM_PRINTF(2, 3);
int seedbed_k_snprintf(char *buf, unsigned long size, const char *fmt, ...) SIM_PRINTF(3, 4);
int seedbed_k_sysfs_emit_at(char *buf, int at, const char *fmt, ...) SIM_PRINTF(3, 4);

// An address would differ from process to process: a format with a pointer is told as it stands.
int seedbed_k_printk(const char *device, const char *fmt, ...) {
  char text[160];
  va_list args;

  if (strstr(fmt, "%p")) {  // tidy-allow(address): it is what is kept out
    snprintf(text, sizeof(text), "%s", fmt);
  } else {
    va_start(args, fmt);
    vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
  }
  text[strcspn(text, "\n")] = '\0';
  kernel_random_printed(text);
  sim_note("%s%s%s", device, *device ? ": " : "", text);
  return (int)strlen(text);
}

int seedbed_k_snprintf(char *buf, unsigned long size, const char *fmt, ...) {
  va_list args;
  int len;

  va_start(args, fmt);
  len = vsnprintf(buf, size, fmt, args);
  va_end(args);
  return len;
}

int seedbed_k_sysfs_emit_at(char *buf, int at, const char *fmt, ...) {
  va_list args;
  int len;

  if (at < 0 || at >= PAGE_SIZE) return 0;
  va_start(args, fmt);
  len = vsnprintf(buf + at, (size_t)(PAGE_SIZE - at), fmt, args);
  va_end(args);
  return len < PAGE_SIZE - at ? len : PAGE_SIZE - at - 1;
}

// Equal but for one newline at the end.
int seedbed_k_sysfs_streq(const char *a, const char *b) {
  while (*a && *a == *b) a++, b++;
  if (*a == *b) return 1;
  if (!*a && *b == '\n' && !b[1]) return 1;
  return *a == '\n' && !a[1] && !*b;
}

// Digits of `base` (0: 0x is hexadecimal, 0 octal) with a sign + at most before them, and a newline
// at most behind them.
int seedbed_k_kstrtoull(const char *s, unsigned int base, unsigned long long *out) {
  char *end;

  if (*s == '+') s++;
  if (*s < '0' || (*s > '9' && (*s | 0x20) < 'a')) return -SIM_EINVAL;
  *out = strtoull(s, &end, (int)base);
  if (end == s) return -SIM_EINVAL;
  if (*out == UINT64_MAX) return -ERANGE_;
  if (*end == '\n') end++;
  return *end ? -SIM_EINVAL : 0;
}

unsigned long seedbed_k_strlcat(char *to, const char *from, unsigned long size) {
  size_t used = strlen(to), len = strlen(from);

  if (used + 1 < size) snprintf(to + used, size - used, "%s", from);
  return used + len;
}

long seedbed_k_strscpy(char *to, const char *from, unsigned long size) {
  size_t len = strlen(from);

  snprintf(to, size, "%s", from);
  return len < size ? (long)len : -7;  // E2BIG
}

unsigned long seedbed_k_strlen(const char *s) { return strlen(s); }

int seedbed_k_strcmp(const char *a, const char *b) { return strcmp(a, b); }

int seedbed_k_strncmp(const char *a, const char *b, unsigned long len) {
  return strncmp(a, b, len);
}

void seedbed_k_warn(const char *function, const char *what) {
  char stable[200];

  snprintf(stable, sizeof(stable), "%s: %s", function, what);
  sim_report(&kernel_oracle_warn, stable, "WARN_ON(%s) in %s", what, function);
}

void seedbed_k_bug(const char *function, const char *what) {
  char stable[200];

  snprintf(stable, sizeof(stable), "%s: %s", function, what);
  sim_fail(&kernel_oracle_bug, stable, "BUG_ON(%s) in %s", what, function);
}
