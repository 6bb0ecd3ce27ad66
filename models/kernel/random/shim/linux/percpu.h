// SPDX-License-Identifier: GPL-2.0-or-later
//
// Per-CPU variables: what a definition makes is a template, of which each CPU of the world has a
// copy.
#ifndef SEEDBED_SHIM_RANDOM_LINUX_PERCPU_H_
#define SEEDBED_SHIM_RANDOM_LINUX_PERCPU_H_

#include <linux/local_lock.h>
#include <linux/stringify.h>

#define SEEDBED_PERCPU "seedbed_percpu_" __stringify(SEEDBED_HZ)
#define DEFINE_PER_CPU(type, name) \
  __attribute__((section(SEEDBED_PERCPU), aligned(16))) __typeof__(type) name
#define DEFINE_PER_CPU_ALIGNED(type, name) \
  __attribute__((section(SEEDBED_PERCPU), aligned(64))) __typeof__(type) name
#define DECLARE_PER_CPU(type, name) \
  extern __attribute__((section(SEEDBED_PERCPU))) __typeof__(type) name
#define per_cpu_ptr(p, cpu) ((__typeof__(p))seedbed_k_per_cpu_ptr((p), (cpu)))
#define raw_cpu_ptr(p) ((__typeof__(p))seedbed_k_this_cpu_ptr((p), 0))
#define this_cpu_ptr(p) ((__typeof__(p))seedbed_k_this_cpu_ptr((p), 1))

#endif  // SEEDBED_SHIM_RANDOM_LINUX_PERCPU_H_
