// SPDX-License-Identifier: GPL-2.0-or-later
//
// The functions of arm64's archrandom.h of a kernel tree, which this includes as it is, as the boot
// guest calls them: tools/kernel-archrandom compiles it once for each state of the alternatives
// (SEEDBED_PATCHED) and for whether preemption is counted (SEEDBED_COUNTED), after which the
// symbols are named: arch_get_random_longs.COUNTED.PATCHED.
#include <asm/archrandom.h>

#define STRING_(text) #text
#define STRING(text) STRING_(text)
#define NAMED(name) \
  asm(name "." STRING(SEEDBED_COUNTED) "." STRING(SEEDBED_PATCHED)) __attribute__((used))

size_t longs(unsigned long *v, size_t max_longs) NAMED("arch_get_random_longs");
size_t seed_longs(unsigned long *v, size_t max_longs) NAMED("arch_get_random_seed_longs");

size_t longs(unsigned long *v, size_t max_longs) { return arch_get_random_longs(v, max_longs); }

size_t seed_longs(unsigned long *v, size_t max_longs) {
  return arch_get_random_seed_longs(v, max_longs);
}

// Where one of these is there random_init_early calls them; for the other linux/random.h has a
// function that calls the common one.
#ifdef arch_get_random_longs_early
size_t longs_early(unsigned long *v, size_t max_longs) NAMED("arch_get_random_longs_early");

size_t longs_early(unsigned long *v, size_t max_longs) {
  return arch_get_random_longs_early(v, max_longs);
}
#endif

#ifdef arch_get_random_seed_longs_early
size_t seed_longs_early(unsigned long *v, size_t max_longs)
    NAMED("arch_get_random_seed_longs_early");

size_t seed_longs_early(unsigned long *v, size_t max_longs) {
  return arch_get_random_seed_longs_early(v, max_longs);
}
#endif

// kaslr's, before all else.
bool early_has(void) NAMED("__early_cpu_has_rndr");

bool early_has(void) { return __early_cpu_has_rndr(); }
