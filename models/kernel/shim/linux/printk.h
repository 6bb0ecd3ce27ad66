// SPDX-License-Identifier: GPL-2.0-or-later
//
// Messages go into the trace.
#ifndef SEEDBED_SHIM_LINUX_PRINTK_H_
#define SEEDBED_SHIM_LINUX_PRINTK_H_

#include <linux/seedbed.h>

#ifndef pr_fmt
#define pr_fmt(fmt) fmt
#endif
#define printk(fmt, ...) seedbed_k_printk("", fmt, ##__VA_ARGS__)
#define pr_emerg(fmt, ...) printk(pr_fmt(fmt), ##__VA_ARGS__)
#define pr_crit(fmt, ...) printk(pr_fmt(fmt), ##__VA_ARGS__)
#define pr_err(fmt, ...) printk(pr_fmt(fmt), ##__VA_ARGS__)
#define pr_warn(fmt, ...) printk(pr_fmt(fmt), ##__VA_ARGS__)
#define pr_notice(fmt, ...) printk(pr_fmt(fmt), ##__VA_ARGS__)
#define pr_info(fmt, ...) printk(pr_fmt(fmt), ##__VA_ARGS__)
#define pr_debug(fmt, ...) ((void)0)

#endif  // SEEDBED_SHIM_LINUX_PRINTK_H_
