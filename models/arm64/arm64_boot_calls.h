// SPDX-License-Identifier: GPL-2.0-or-later
//
// How often a boot asks get_random_*, by whom and when: from a named configuration of the kernel,
// the number of CPUs and the memory, by the rules below. No number is fitted to a boot.
//
//   slabs      CONFIG_SLAB_FREELIST_RANDOM: a cache's freelist is shuffled when it is made (those
//              of before the allocator is up: when that is), with one call for each object of a
//              slab but one (mm/slab_common.c, freelist_randomize); each new slab begins at a
//              place of its own: one call (mm/slub.c, shuffle_freelist). Objects of a slab as
//              calculate_order counts them, for 4 KiB pages
//   hardened   CONFIG_SLAB_FREELIST_HARDENED: one call for each cache (mm/slub.c)
//   kmalloc    13 sizes from 8 bytes to 8 KiB, of a kind for normal memory, reclaimable memory,
//              cgroups (CONFIG_MEMCG), DMA (CONFIG_ZONE_DMA); of normal memory 16 where
//              CONFIG_RANDOM_KMALLOC_CACHES asks for 15 copies, and one call for their seed
//   caches     those that start_kernel makes, in the order of Linux 6.12.117; a table
//   kfence     one call for each object of the pool, if CONFIG_KFENCE_SAMPLE_INTERVAL is not 0
//   canaries   CONFIG_STACKPROTECTOR: one for the boot CPU's idle task, one for each thread
//   page_alloc.shuffle=1: one call for each block of 4 MiB. It comes behind smp_init, after
//              capabilities are final, whatever the memory
//
// Left out, all of which would be more calls: slabs beyond a cache's first but for threads, the
// retries of a shuffle that meets a hole. Left out that would be fewer: caches that are merged
// with others. Pointer authentication is not there.
#ifndef SEEDBED_MODELS_ARM64_ARM64_BOOT_CALLS_H_
#define SEEDBED_MODELS_ARM64_ARM64_BOOT_CALLS_H_

#include "models/arm64/arm64_machine.h"

struct arm64_kernel {
  const char *name, *line;
  bool preempt_count;  // CONFIG_PREEMPT_COUNT
  bool freelist_random, freelist_hardened, random_kmalloc, memcg, zone_dma, stackprotector;
  u32 kfence_objects;  // 0: not at boot
};

// The last one's name is NULL; the names alone as a parameter takes them.
extern const struct arm64_kernel arm64_kernels[];
extern const char *const arm64_kernel_names[];

// Who calls, in the order of a boot; the first is everybody else.
enum arm64_caller {
  ARM64_CALLER_OTHER,
  ARM64_CALLER_RANDOM_INIT_EARLY,
  ARM64_CALLER_KMEM_CACHE_INIT,  // freelists of the first caches and kmalloc's
  ARM64_CALLER_KMALLOC_SEED,
  ARM64_CALLER_RANDOM_INIT,
  ARM64_CALLER_KFENCE_INIT,
  ARM64_CALLER_BOOT_CANARY,
  ARM64_CALLER_CACHES,     // the rest of start_kernel
  ARM64_CALLER_REST_INIT,  // canaries of its threads
  ARM64_CALLER_THREADS,    // of kernel_init's before smp_init
  ARM64_CALLER_SMP_INIT,   // of each CPU that comes
  ARM64_CALLER_PAGE_SHUFFLE,
};
enum { ARM64_BOOT_CALLERS = ARM64_CALLER_PAGE_SHUFFLE + 1 };
extern const char *const arm64_caller_names[ARM64_BOOT_CALLERS];

// Calls of get_random_* by each; of ARM64_CALLER_SMP_INIT for each CPU but the first. 0 for
// random_init_early and random_init, which ask the CPU themselves.
void arm64_boot_calls(const struct arm64_kernel *kernel, u32 num_cpus, u32 mem_mib,
                      bool page_shuffle, u32 out_calls[ARM64_BOOT_CALLERS]);

// Objects of a slab for objects of `size` bytes, in a machine that may have `num_cpus`.
u32 arm64_slab_objects(u32 size, u32 num_cpus);

#endif  // SEEDBED_MODELS_ARM64_ARM64_BOOT_CALLS_H_
