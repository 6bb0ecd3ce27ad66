// SPDX-License-Identifier: GPL-2.0-or-later
//
// What drivers/char/random.c and what is compiled with it may call, beside KERNEL_CALLS
// (kernel_calls.h): the functions to which the headers of models/kernel/random/shim map the
// kernel's names. kernel_random_bind.c and its neighbours define them.
#ifndef SEEDBED_MODELS_KERNEL_KERNEL_RANDOM_CALLS_H_
#define SEEDBED_MODELS_KERNEL_KERNEL_RANDOM_CALLS_H_

#include "sim/site_object.h"

// Storage that the shim's types keep for the world's objects: kernel_random_bind.c asserts that
// they fit.
enum {
  KERNEL_SPINLOCK_WORDS = 4,
  KERNEL_TIMER_WORDS = 7,
  KERNEL_DELAYED_WORK_WORDS = 12,
  KERNEL_WAIT_ENTRY_WORDS = 4,
};

// Marks of statics that are initialised before a run: struct seedbed_object of the shim, which
// stands behind the storage.
#define KERNEL_MARK 0x5eedbed5eedbed00ul
enum {
  KERNEL_STATIC_SPINLOCK = 1,
  KERNEL_STATIC_LOCAL_LOCK,
  KERNEL_STATIC_TIMER,
  KERNEL_STATIC_WORK,
  KERNEL_STATIC_DELAYED_WORK,
  KERNEL_STATIC_MUTEX,
  KERNEL_STATICS_END,
};

// X(result, name, arguments). A site comes first where the call is a scheduling point.
// clang-format off
#define KERNEL_RANDOM_CALLS(X)                                                                  \
  /* Locks, interrupts, contexts. */                                                            \
  X(void, spin_lock_init, (void *lock, const char *name))                                       \
  X(void, spin_lock, (struct sim_site *site, void *lock))                                       \
  X(void, spin_unlock, (struct sim_site *site, void *lock))                                     \
  X(unsigned long, spin_lock_irqsave, (struct sim_site *site, void *lock))                      \
  X(void, spin_unlock_irqrestore, (struct sim_site *site, void *lock, unsigned long flags))     \
  X(void, local_lock, (struct sim_site *site, const void *lock))                                \
  X(void, local_unlock, (struct sim_site *site, const void *lock))                              \
  X(unsigned long, local_lock_irqsave, (struct sim_site *site, const void *lock))               \
  X(void, local_unlock_irqrestore, (struct sim_site *site, const void *lock,                    \
                                    unsigned long flags))                                       \
  X(void, local_irq_disable, (void))                                                            \
  X(void, local_irq_enable, (struct sim_site *site))                                            \
  X(unsigned long, local_irq_save, (void))                                                      \
  X(void, local_irq_restore, (struct sim_site *site, unsigned long flags))                      \
  X(void, preempt_disable, (void))                                                              \
  X(void, preempt_enable, (struct sim_site *site))                                              \
  X(int, in_hardirq, (void))                                                                    \
  X(int, in_interrupt, (void))                                                                  \
  /* CPUs and their variables. `checked`: with preemption off, or a finding. */                 \
  X(unsigned int, smp_processor_id, (int checked))                                              \
  X(unsigned int, nr_cpus, (void))                                                              \
  X(unsigned long, cpu_online_mask, (void))                                                     \
  X(void *, per_cpu_ptr, (const void *p, unsigned int cpu))                                     \
  X(void *, this_cpu_ptr, (const void *p, int checked))                                         \
  /* Waiting, timers, work. */                                                                  \
  X(unsigned int, wake_up, (struct sim_site *site, void *wq, int all))                          \
  X(void, wait_begin, (void))                                                                   \
  X(void, prepare_to_wait, (struct sim_site *site, void *wq, void *entry, int state))           \
  X(void, wait_recheck, (const void *wq, int cond))                                             \
  X(long, wait_sleep, (struct sim_site *site, void *wq, void *entry, int state, long timeout))  \
  X(void, finish_wait, (struct sim_site *site, void *wq, void *entry))                          \
  X(void, schedule_running, (struct sim_site *site))                                            \
  X(void, timer_setup, (void *timer, void (*fn)(void *timer), const char *name, int on_stack))  \
  X(int, timer_pending, (const void *timer))                                                    \
  X(int, mod_timer, (struct sim_site *site, void *timer, unsigned long expires))                \
  X(void, add_timer_on, (struct sim_site *site, void *timer, unsigned long expires,             \
                         unsigned int cpu))                                                     \
  X(int, timer_delete_sync, (struct sim_site *site, void *timer))                               \
  X(int, timer_delete_sync_try, (struct sim_site *site, void *timer))                           \
  X(int, queue_work_on_wq, (struct sim_site *site, void *wq, void *work))                       \
  X(int, queue_delayed_work, (struct sim_site *site, void *wq, void *work, unsigned long delay)) \
  X(int, mod_delayed_work, (struct sim_site *site, void *wq, void *work, unsigned long delay))  \
  /* Atomics and static keys. */                                                                \
  X(unsigned long, cmpxchg, (struct sim_site *site, void *at, unsigned int size,                \
                             unsigned long old, unsigned long value))                           \
  X(unsigned long, xchg, (struct sim_site *site, void *at, unsigned int size,                   \
                          unsigned long value))                                                 \
  X(int, atomic_add_return, (struct sim_site *site, int *at, int add))                          \
  X(int, static_branch, (const _Bool *key))                                                     \
  X(void, static_branch_enable, (struct sim_site *site, _Bool *key))                            \
  /* Time, the processor's words, messages, processes. */                                       \
  X(unsigned long, ktime_get, (void))                                                           \
  X(unsigned long, uptime_s, (void))                                                            \
  X(unsigned long, random_get_entropy, (unsigned int *out_again))                               \
  X(unsigned long, arch_random, (unsigned long *v, unsigned long max, int seed))                \
  X(int, ratelimit, (struct sim_site *site, unsigned long *begin, int *printed, int *missed,    \
                     int interval, int burst))                                                  \
  X(unsigned long, copy_from_user, (void *to, const void *from, unsigned long len))             \
  X(long, unmodelled, (const char *name))                                                       \
  /* What is watched, on its way from random.c to the tree's own. */                            \
  X(void, blake2s_update, (void *state, const void *in, unsigned long len))                     \
  X(void, blake2s_final, (void *state, void *out))                                              \
  X(void, chacha_block_generic, (void *state, void *stream, int rounds))
// clang-format on

#define X(result, name, arguments) result seedbed_k_##name arguments;
KERNEL_RANDOM_CALLS(X)
#undef X

#endif  // SEEDBED_MODELS_KERNEL_KERNEL_RANDOM_CALLS_H_
