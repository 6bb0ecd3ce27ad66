// SPDX-License-Identifier: GPL-2.0-or-later
//
// See arm64_boot_calls.h.
#include "models/arm64/arm64_boot_calls.h"

#include <string.h>

enum {
  PAGE_LEN = 4096,
  SLUB_MAX_ORDER = 3,  // PAGE_ALLOC_COSTLY_ORDER
  CACHE_LINE = 64,
  RANDOM_KMALLOC_COPIES = 15,
  KFENCE_OBJECTS = 255,
  SHUFFLE_MIB = 4,        // MAX_PAGE_ORDER is 10
  THREADS_REST_INIT = 2,  // kernel_init, kthreadd
  // Those with a number below the second CPU's: the workers of workqueue_init and their rescuers,
  // RCU's, and ksoftirqd, migration, idle_inject, cpuhp of the first CPU.
  THREADS_BEFORE_SMP = 20,
  // The idle task, cpuhp, idle_inject, migration, ksoftirqd, and two workers.
  THREADS_CPU = 7,
};

const struct arm64_kernel arm64_kernels[] = {
    {"defconfig", "arch/arm64/configs/defconfig of 6.12: PREEMPT, no slab is shuffled", true, false,
     false, false, true, true, true, 0},
    {"debian-6.12", "6.12.95 of Debian: PREEMPT_VOLUNTARY, slabs shuffled, KFENCE not at boot",
     false, true, true, false, true, true, true, 0},
    {"debian-7.2", "7.2.13 of Debian: PREEMPT_LAZY, slabs shuffled, KFENCE not at boot", true, true,
     true, false, true, true, true, 0},
    {"debian-6.12-kfence", "the same as debian-6.12 with kfence.sample_interval=100", false, true,
     true, false, true, true, true, KFENCE_OBJECTS},
    {"hardened", "defconfig with kernel/configs/hardening.config of 6.12: RANDOM_KMALLOC_CACHES",
     true, true, true, true, true, true, true, KFENCE_OBJECTS},
    {"hardened-voluntary", "the same with PREEMPT_VOLUNTARY", false, true, true, true, true, true,
     true, KFENCE_OBJECTS},
    {.name = NULL},
};

const char *const arm64_kernel_names[] = {
    "defconfig", "debian-6.12",        "debian-7.2", "debian-6.12-kfence",
    "hardened",  "hardened-voluntary", NULL};

const char *const arm64_caller_names[ARM64_BOOT_CALLERS] = {
    "others",      "random_init_early", "kmem_cache_init", "kmalloc's seed",
    "random_init", "kfence_init",       "boot canary",     "caches of start_kernel",
    "rest_init",   "threads",           "smp_init",        "page_alloc.shuffle",
};

// ---- Slabs ----

static u32 order_of(u32 len) {
  u32 order = 0;

  while (((u32)PAGE_LEN << order) < len) order++;
  return order;
}

// mm/slub.c, calculate_order of 6.12: the smallest order that holds enough objects and wastes no
// more than a sixteenth, an eighth, ... of the slab.
u32 arm64_slab_objects(u32 size, u32 num_cpus) {
  u32 fls = 0, least, most = ((u32)PAGE_LEN << SLUB_MAX_ORDER) / size, order;

  for (u32 n = num_cpus; n; n >>= 1) fls++;
  least = 4 * (fls + 1);
  if (!most) most = 1;
  if (least > most) least = most;
  for (u32 fraction = 16; fraction > 1; fraction /= 2)
    for (order = order_of(least * size); order <= SLUB_MAX_ORDER; order++) {
      u32 len = (u32)PAGE_LEN << order;

      if (len % size <= len / fraction) return len / size;
    }
  return ((u32)PAGE_LEN << order_of(size)) / size;
}

enum {
  LINE = 1,  // SLAB_HWCACHE_ALIGN
  LINK = 2,  // a constructor, or SLAB_TYPESAFE_BY_RCU: the free list's link lies behind the object
};

// Sizes are those of 7.2.13's BTF (Debian, arm64); where that has no such structure, as named.
struct cache {
  const char *name;
  u16 size;
  u8 flags;
};

static const struct cache first_caches[] = {
    {"kmem_cache_node", 64, LINE}, {"kmem_cache", 344, LINE},  // 464 with 16 nodes, here one
};

static const struct cache caches[] = {
    {"vmap_area", 72, 0},
    {"task_group", 768, 0},
    {"radix_tree_node", 576, LINK},
    {"maple_node", 256, 0},
    {"pool_workqueue", 512, 0},
    {"ftrace_event_field", 56, 0},
    {"trace_event_file", 96, 0},
    {"perf_event", 1320, 0},
    {"numa_policy", 48, 0},
    {"shared_policy_node", 48, 0},
    {"pid", 128, LINE},
    {"anon_vma", 88, LINK},
    {"anon_vma_chain", 64, 0},
    {"cred", 184, LINE},
    {"task_struct", 4736, LINE},
    {"mm_struct", 1536, LINE},
    {"sighand_cache", 2080, LINE | LINK},
    {"signal_cache", 1144, LINE},
    {"files_cache", 704, LINE},
    {"fs_cache", 56, LINE},
    {"vm_area_struct", 192, 0},
    {"nsproxy", 72, 0},
    {"uts_namespace", 704, 0},
    {"key_jar", 208, LINE},
    {"net_namespace", 4992, LINE},
    {"names_cache", 4096, LINE},  // PATH_MAX
    {"dentry", 192, 0},
    {"inode_cache", 560, LINK},
    {"filp", 176, LINE | LINK},
    {"mnt_cache", 368, LINE},
    {"kernfs_node_cache", 136, 0},
    {"kernfs_iattrs_cache", 80, 0},
    {"bdev_cache", 1552, LINE | LINK},
    {"shmem_inode_cache", 688, LINK},
    {"buffer_head", 96, 0},
    {"sigqueue", 80, 0},
    {"seq_file", 112, 0},
    {"proc_inode_cache", 632, LINK},
    {"pde_opener", 40, 0},
    {"proc_dir_entry", 192, 0},  // with the name's room
    {"taskstats", 688, 0},
    {"task_delay_info", 368, 0},
};

static u32 slab_size(const struct cache *cache) {
  u32 size = (cache->size + 7u) & ~7u, align = 8;

  if (cache->flags & LINK) size += 8;
  if (cache->flags & LINE)
    for (align = CACHE_LINE; cache->size <= align / 2 && align > 8;) align /= 2;
  return (size + align - 1) & ~(align - 1);
}

// What one cache costs when it is made, and its first slab.
static u32 cache_calls(const struct arm64_kernel *kernel, u32 size, u32 num_cpus) {
  u32 objects = arm64_slab_objects(size, num_cpus), calls = 0;

  if (kernel->freelist_hardened) calls++;
  if (kernel->freelist_random && objects > 1) calls += objects - 1 + 1;
  return calls;
}

static u32 table_calls(const struct arm64_kernel *kernel, const struct cache *table, u32 num,
                       u32 num_cpus) {
  u32 calls = 0;

  for (u32 i = 0; i < num; i++) calls += cache_calls(kernel, slab_size(&table[i]), num_cpus);
  return calls;
}

static u32 kmalloc_calls(const struct arm64_kernel *kernel, u32 num_cpus) {
  static const u16 sizes[] = {96, 192, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192};
  u32 kinds = 2u + kernel->memcg + kernel->zone_dma, calls = 0;

  if (kernel->random_kmalloc) kinds += RANDOM_KMALLOC_COPIES;
  for (u32 i = 0; i < SIM_ARRAY_SIZE(sizes); i++)
    calls += kinds * cache_calls(kernel, sizes[i], num_cpus);
  return calls;
}

// Slabs of task_struct, pid and cred for so many threads, beyond the first of each.
static u32 thread_calls(const struct arm64_kernel *kernel, u32 threads, u32 num_cpus) {
  static const struct cache each[] = {
      {"task_struct", 4736, LINE}, {"pid", 128, LINE}, {"cred", 184, LINE}};
  u32 calls = kernel->stackprotector ? threads : 0;

  for (u32 i = 0; i < SIM_ARRAY_SIZE(each) && kernel->freelist_random; i++)
    calls += threads / arm64_slab_objects(slab_size(&each[i]), num_cpus);
  return calls;
}

void arm64_boot_calls(const struct arm64_kernel *kernel, u32 num_cpus, u32 mem_mib,
                      bool page_shuffle, u32 out_calls[ARM64_BOOT_CALLERS]) {
  memset(out_calls, 0, ARM64_BOOT_CALLERS * sizeof(*out_calls));
  out_calls[ARM64_CALLER_KMEM_CACHE_INIT] =
      table_calls(kernel, first_caches, SIM_ARRAY_SIZE(first_caches), num_cpus) +
      kmalloc_calls(kernel, num_cpus);
  out_calls[ARM64_CALLER_KMALLOC_SEED] = kernel->random_kmalloc;
  out_calls[ARM64_CALLER_KFENCE_INIT] = kernel->kfence_objects;
  out_calls[ARM64_CALLER_BOOT_CANARY] = kernel->stackprotector;
  out_calls[ARM64_CALLER_CACHES] = table_calls(kernel, caches, SIM_ARRAY_SIZE(caches), num_cpus);
  out_calls[ARM64_CALLER_REST_INIT] = thread_calls(kernel, THREADS_REST_INIT, num_cpus);
  out_calls[ARM64_CALLER_THREADS] = thread_calls(kernel, THREADS_BEFORE_SMP, num_cpus);
  out_calls[ARM64_CALLER_SMP_INIT] = thread_calls(kernel, THREADS_CPU, num_cpus);
  out_calls[ARM64_CALLER_PAGE_SHUFFLE] = page_shuffle ? mem_mib / SHUFFLE_MIB : 0;
}
