// SPDX-License-Identifier: GPL-2.0-or-later
//
// Sets of CPUs.
#ifndef SEEDBED_SHIM_RANDOM_LINUX_CPUMASK_H_
#define SEEDBED_SHIM_RANDOM_LINUX_CPUMASK_H_

#include <linux/gfp.h>
#include <linux/seedbed_object.h>
#include <linux/types.h>

struct cpumask {
  unsigned long bits;
};
typedef struct cpumask cpumask_var_t[1];

#define cpu_online_mask ((const struct cpumask *)&(struct cpumask){seedbed_k_cpu_online_mask()})
#define nr_cpu_ids seedbed_k_nr_cpus()
#define alloc_cpumask_var(mask, gfp) \
  ((void)(mask), seedbed_k_might_sleep("alloc_cpumask_var"), true)
#define free_cpumask_var(mask) ((void)(mask))

static inline bool cpumask_and(struct cpumask *to, const struct cpumask *a,
                               const struct cpumask *b) {
  to->bits = a->bits & b->bits;
  return to->bits != 0;
}
static inline unsigned int cpumask_weight(const struct cpumask *mask) {
  unsigned long bits = mask->bits;
  unsigned int weight = 0;

  for (; bits; bits &= bits - 1) weight++;
  return weight;
}
static inline unsigned int cpumask_next(int cpu, const struct cpumask *mask) {
  unsigned long left = cpu >= 63 ? 0 : mask->bits >> (cpu + 1) << (cpu + 1);

  return left ? (unsigned int)__builtin_ctzl(left) : nr_cpu_ids;
}
#define cpumask_first(mask) cpumask_next(-1, (mask))
#define cpumask_empty(mask) (!(mask)->bits)
#define cpumask_test_cpu(cpu, mask) ((mask)->bits >> (cpu)&1)

#endif  // SEEDBED_SHIM_RANDOM_LINUX_CPUMASK_H_
