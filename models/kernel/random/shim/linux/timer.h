// SPDX-License-Identifier: GPL-2.0-or-later
//
// Timers of the world. `seedbed' is first: the world hands its address to the function.
#ifndef SEEDBED_SHIM_RANDOM_LINUX_TIMER_H_
#define SEEDBED_SHIM_RANDOM_LINUX_TIMER_H_

#include <linux/jiffies.h>
#include <linux/seedbed_object.h>

struct timer_list {
  unsigned long seedbed[KERNEL_TIMER_WORDS];
  struct seedbed_object object;
  unsigned long expires;
};

#define __TIMER_INITIALIZER(fn, flags) \
  { .object = SEEDBED_OBJECT(TIMER, "timer:" #fn, fn) }
#define DEFINE_TIMER(name, fn) struct timer_list name = __TIMER_INITIALIZER(fn, 0)
#define timer_setup(t, fn, flags) \
  seedbed_k_timer_setup((t), (void (*)(void *))(fn), "timer:" #fn, 0)
#define timer_setup_on_stack(t, fn, flags) \
  seedbed_k_timer_setup((t), (void (*)(void *))(fn), "timer:" #fn, 1)
#define destroy_timer_on_stack(t) ((void)(t))
#define timer_destroy_on_stack(t) ((void)(t))
#define timer_pending(t) (seedbed_k_timer_pending(t) != 0)
#define mod_timer(t, expires_) seedbed_k_mod_timer(SIM_SITE("mod_timer"), (t), (expires_))
#define add_timer_on(t, cpu) \
  seedbed_k_add_timer_on(SIM_SITE("add_timer_on"), (t), (t)->expires, (cpu))
#define timer_delete_sync(t) seedbed_k_timer_delete_sync(SIM_SITE("timer_delete_sync"), (t))
#define del_timer_sync(t) seedbed_k_timer_delete_sync(SIM_SITE("del_timer_sync"), (t))
#define try_to_del_timer_sync(t) \
  seedbed_k_timer_delete_sync_try(SIM_SITE("try_to_del_timer_sync"), (t))
#define timer_delete_sync_try(t) \
  seedbed_k_timer_delete_sync_try(SIM_SITE("timer_delete_sync_try"), (t))
#define from_timer(var, t, field) container_of(t, __typeof__(*var), field)
#define timer_container_of(var, t, field) container_of(t, __typeof__(*var), field)

#endif  // SEEDBED_SHIM_RANDOM_LINUX_TIMER_H_
