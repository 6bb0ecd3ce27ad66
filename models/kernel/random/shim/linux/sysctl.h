// SPDX-License-Identifier: GPL-2.0-or-later
//
// Tables of sysctl, which nobody reads here.
#ifndef SEEDBED_SHIM_RANDOM_LINUX_SYSCTL_H_
#define SEEDBED_SHIM_RANDOM_LINUX_SYSCTL_H_

#include <linux/types.h>
#include <linux/seedbed_object.h>

// Handlers may not write to it since Linux 6.11.
#if SEEDBED_LINUX >= 6011
#define seedbed_const const
#else
#define seedbed_const
#endif
struct ctl_table;
typedef int proc_handler(seedbed_const struct ctl_table *table, int write, void *buffer,
                         size_t *lenp, loff_t *ppos);
struct ctl_table {
  const char *procname;
  void *data;
  int maxlen;
  umode_t mode;
  proc_handler *proc_handler;
};
static inline int proc_dointvec(seedbed_const struct ctl_table *table, int write, void *buffer,
                                size_t *lenp, loff_t *ppos) {
  return (int)seedbed_k_unmodelled("proc_dointvec");
}
static inline int proc_dostring(seedbed_const struct ctl_table *table, int write, void *buffer,
                                size_t *lenp, loff_t *ppos) {
  return (int)seedbed_k_unmodelled("proc_dostring");
}
#define register_sysctl_init(path, table) ((void)(path), (void)(table))

#endif  // SEEDBED_SHIM_RANDOM_LINUX_SYSCTL_H_
