// SPDX-License-Identifier: GPL-2.0-or-later
//
// What a kernel object may call: the functions to which the shim headers (models/kernel/shim) map
// the kernel's names, and which the binding (kernel_bind.c and its neighbours) defines. One list
// for both sides, of the compiler's own types only, so that an argument cannot be forgotten on one
// of them.
//
// A kernel object refers to `seedbed_k_NAME`. What it refers to and nobody defines is found when
// it is loaded: kernel_module.h.
#ifndef SEEDBED_MODELS_KERNEL_KERNEL_CALLS_H_
#define SEEDBED_MODELS_KERNEL_KERNEL_CALLS_H_

#include "sim/site_object.h"

// Storage that the shim's types keep for the world's objects: kernel_bind.c asserts that they fit.
enum {
  KERNEL_MUTEX_WORDS = 5,
  KERNEL_COMPLETION_WORDS = 5,
  KERNEL_WORK_WORDS = 5,
  KERNEL_DEVICE_WORDS = 4,
};

// X(result, name, arguments). A site comes first where the call is a scheduling point.
// clang-format off
#define KERNEL_CALLS(X)                                                                         \
  /* Locks, completions, work, references. */                                                   \
  X(void, mutex_init, (void *mutex, const char *name))                                          \
  X(void, mutex_lock, (struct sim_site *site, void *mutex))                                     \
  X(int, mutex_lock_interruptible, (struct sim_site *site, void *mutex))                        \
  X(int, mutex_trylock, (struct sim_site *site, void *mutex))                                   \
  X(void, mutex_unlock, (struct sim_site *site, void *mutex))                                   \
  X(int, mutex_is_locked, (struct sim_site *site, const void *mutex))                           \
  X(void, init_completion, (void *x, const char *name))                                         \
  X(void, reinit_completion, (struct sim_site *site, void *x))                                  \
  X(void, complete, (struct sim_site *site, void *x, int all))                                  \
  X(int, completion_done, (struct sim_site *site, const void *x))                               \
  X(long, wait_for_completion, (struct sim_site *site, void *x, int state, long timeout))       \
  X(void, init_work, (void *work, void (*fn)(void *work), const char *name))                    \
  X(int, queue_work, (struct sim_site *site, void *work))                                       \
  X(int, cancel_work_sync, (struct sim_site *site, void *work))                                 \
  X(void, flush_work, (struct sim_site *site, void *work))                                      \
  X(void, kref_get, (struct sim_site *site, void *kref))                                        \
  X(int, kref_get_unless_zero, (struct sim_site *site, void *kref))                             \
  X(int, kref_put, (struct sim_site *site, void *kref, void (*release)(void *kref)))            \
  X(unsigned int, kref_read, (struct sim_site *site, const void *kref))                         \
  X(int, ida_alloc, (struct sim_site *site, unsigned long *used, unsigned int gfp))             \
  X(void, ida_free, (struct sim_site *site, unsigned long *used, unsigned int id))              \
  /* RCU, marked accesses, barriers. */                                                         \
  X(void, rcu_read_lock, (void))                                                                \
  X(void, rcu_read_unlock, (struct sim_site *site))                                             \
  X(void, synchronize_rcu, (struct sim_site *site))                                             \
  X(unsigned long, load, (struct sim_site *site, const void *at, unsigned int size, int acquire)) \
  X(void, store, (struct sim_site *site, void *at, unsigned int size, unsigned long value,      \
                  int release))                                                                 \
  X(void, barrier, (struct sim_site *site, int acquire, int release))                           \
  /* Tasks and time. */                                                                         \
  X(void *, current, (void))                                                                    \
  X(void *, kthread_create, (int (*fn)(void *arg), void *arg, const char *name))                \
  X(int, kthread_stop, (struct sim_site *site, void *task))                                     \
  X(int, kthread_should_stop, (struct sim_site *site))                                          \
  X(int, wake_up_process, (struct sim_site *site, void *task))                                  \
  X(void, set_current_state, (struct sim_site *site, int state))                                \
  X(void, schedule, (struct sim_site *site))                                                    \
  X(long, schedule_timeout, (struct sim_site *site, int state, long timeout))                   \
  X(int, signal_pending, (struct sim_site *site, void *task))                                   \
  X(int, need_resched, (struct sim_site *site))                                                 \
  X(int, cond_resched, (struct sim_site *site))                                                 \
  X(void, cpu_relax, (struct sim_site *site))                                                   \
  X(void, msleep, (struct sim_site *site, unsigned int ms))                                     \
  X(void, usleep_range, (struct sim_site *site, unsigned long min, unsigned long max))          \
  X(void, ndelay, (struct sim_site *site, unsigned long ns))                                    \
  X(void, might_sleep, (const char *what))                                                      \
  X(unsigned long, jiffies, (struct sim_site *site))                                            \
  X(unsigned long, msecs_to_jiffies, (unsigned int ms))                                         \
  X(unsigned long, hz, (void))                                                                  \
  /* Memory. `gfp` is as shim/linux/gfp.h has it. */                                            \
  X(void *, kmalloc, (unsigned long size, unsigned int gfp, const char *name))                  \
  X(void, kfree, (const void *p))                                                               \
  X(void, check_alive, (const void *p, const char *what))                                       \
  X(unsigned long, copy_to_user, (void *to, const void *from, unsigned long len))               \
  X(void, copies_from, (const void *from, unsigned long len))                                   \
  /* Text. */                                                                                   \
  X(int, printk, (const char *device, const char *fmt, ...))                                    \
  X(int, sysfs_emit_at, (char *buf, int at, const char *fmt, ...))                              \
  X(int, snprintf, (char *buf, unsigned long size, const char *fmt, ...))                       \
  X(int, sysfs_streq, (const char *a, const char *b))                                           \
  X(int, kstrtoull, (const char *s, unsigned int base, unsigned long long *out))                \
  X(unsigned long, strlcat, (char *to, const char *from, unsigned long size))                   \
  X(long, strscpy, (char *to, const char *from, unsigned long size))                            \
  X(unsigned long, strlen, (const char *s))                                                     \
  X(int, strcmp, (const char *a, const char *b))                                                \
  X(int, strncmp, (const char *a, const char *b, unsigned long len))                            \
  X(void, warn, (const char *function, const char *what))                                       \
  X(void, bug, (const char *function, const char *what))                                        \
  /* Devices. */                                                                                \
  X(void *, devres_alloc, (void (*release)(void *dev, void *res), unsigned long size,           \
                           unsigned int gfp, const char *name))                                 \
  X(void, devres_free, (void *res))                                                             \
  X(void, devres_add, (void *dev, void *res))                                                   \
  X(int, devres_release, (void *dev, void (*release)(void *dev, void *res),                     \
                          int (*match)(void *dev, void *res, void *data), void *data))          \
  X(void *, devm_kmalloc, (void *dev, unsigned long size, unsigned int gfp, const char *name))  \
  X(void *, ioremap, (void *dev, unsigned int index))                                           \
  X(void *, clk_get, (void *dev))                                                               \
  X(int, clk_prepare_enable, (void *clk))                                                       \
  X(void, clk_disable_unprepare, (void *clk))                                                   \
  X(void *, reset_control_get, (void *dev))                                                     \
  X(int, reset_control_reset, (void *reset))                                                    \
  X(void, smccc_call, (unsigned long function, unsigned long arg, unsigned long *res))          \
  X(unsigned int, readl, (const volatile void *at))                                             \
  X(void, writel, (unsigned int value, volatile void *at))                                      \
  /* The host's side of a virtio device; `buf` is its own until inside.virtio_used is called. */ \
  X(void, virtio_ready, (void *dev))                                                            \
  X(void, virtio_kick, (void *dev, void *buf, unsigned int len))                                \
  X(void, virtio_reset, (void *dev))                                                            \
  /* The hwrng core, as drivers call it, and what it calls. */                                  \
  X(int, hwrng_register, (void *rng))                                                           \
  X(void, hwrng_unregister, (void *rng))                                                        \
  X(int, devm_hwrng_register, (void *dev, void *rng))                                           \
  X(void, devm_hwrng_unregister, (void *dev, void *rng))                                        \
  X(void, add_hwgenerator_randomness, (const void *buf, unsigned long len,                      \
                                       unsigned long entropy, int sleep_after))                 \
  X(void, add_device_randomness, (const void *buf, unsigned long len))
// clang-format on

#define X(result, name, arguments) result seedbed_k_##name arguments;
KERNEL_CALLS(X)
#undef X

#endif  // SEEDBED_MODELS_KERNEL_KERNEL_CALLS_H_
