// SPDX-License-Identifier: GPL-2.0-or-later
//
// See kernel_random.h. Sections: statics; the start; looking.
#include "models/kernel/kernel_random.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "models/kernel/kernel_calls.h"
#include "models/kernel/kernel_random_calls.h"
#include "models/kernel/kernel_world.h"
#include "sim/checker.h"
#include "sim/cpu.h"
#include "sim/timer.h"

// ---- Statics ----

// struct seedbed_object of models/kernel/random/shim.
struct object {
  u64 mark;
  const char *name;
  void (*fn)(void *object);
};

_Static_assert(sizeof(struct sim_spinlock) <= 8 * KERNEL_SPINLOCK_WORDS, "a spin lock fits");

static void add_local(struct kernel_random_world *world, struct object *object) {
  u32 i = world->num_locals++;

  SIM_ASSERT(i < KERNEL_RANDOM_LOCALS_MAX);
  world->locals[i].at = object;
  world->locals[i].locks = sim_alloc_percpu(struct sim_local_lock, object->name);
  for (u32 cpu = 0; cpu < sim_nr_cpus(); cpu++)
    sim_local_lock_init(sim_per_cpu_ptr(world->locals[i].locks, cpu), object->name);
}

static void init_object(struct object *object) {
  char *end = (char *)object;

  switch (object->mark - KERNEL_MARK) {
    case KERNEL_STATIC_SPINLOCK:
      sim_spin_lock_init((void *)(end - 8 * KERNEL_SPINLOCK_WORDS), object->name);
      break;
    case KERNEL_STATIC_MUTEX:
      sim_mutex_init((void *)(end - 8 * KERNEL_MUTEX_WORDS), object->name);
      break;
    case KERNEL_STATIC_TIMER:
      seedbed_k_timer_setup(end - 8 * KERNEL_TIMER_WORDS, object->fn, object->name, 0);
      break;
    case KERNEL_STATIC_WORK:
      seedbed_k_init_work(end - 8 * KERNEL_WORK_WORDS, object->fn, object->name);
      break;
    case KERNEL_STATIC_DELAYED_WORK:
      sim_init_delayed_work_named((void *)(end - 8 * KERNEL_DELAYED_WORK_WORDS),
                                  (void (*)(struct sim_work *))object->fn, object->name);
      break;
  }
}

// Calls `fn` for the objects in [at, end) that are, or are not, local locks.
static void init_all(struct kernel_random_world *world, char *at, const char *end, bool locals) {
  for (; at + sizeof(struct object) <= end; at += 8) {
    struct object *object = (struct object *)at;
    bool is_local = object->mark == KERNEL_MARK + KERNEL_STATIC_LOCAL_LOCK;

    if (object->mark <= KERNEL_MARK || object->mark >= KERNEL_MARK + KERNEL_STATICS_END) continue;
    if (is_local && locals) add_local(world, object);
    if (!is_local && !locals) init_object(object);
  }
}

// ---- The start ----

static const struct kernel_random *find_table(u32 hz) {
  const struct kernel_random *(*table_of)(void);
  char name[32];

  snprintf(name, sizeof(name), "seedbed_random_%u", hz);
  *(void **)&table_of = dlsym(kernel_subject()->handle, name);
  return table_of && table_of()->version == KERNEL_RANDOM_VERSION ? table_of() : NULL;
}

u32 kernel_random_version(void) {
  const struct kernel_random *table = kernel_subject() ? find_table(250) : NULL;

  return table ? table->linux_version : 0;
}

void kernel_random_start(const struct kernel_random_config *config) {
  struct kernel_random_world *world = sim_alloc_static(sizeof(*world), "kernel_random_world");
  const struct kernel_inside *inside = &kernel_subject()->inside;
  const struct kernel_random *table = find_table(sim_hz());
  size_t size;

  SIM_ASSERT(table);
  world->config = *config;
  world->table = table;
  kernel_world()->random = world;
  size = (size_t)(table->percpu_end - table->percpu);
  world->stride = (size + 63) & ~(size_t)63;
  world->percpu = sim_alloc_static(world->stride * sim_nr_cpus(), "percpu");
  init_all(world, table->percpu, table->percpu_end, true);
  init_all(world, inside->data, inside->data_end, false);
  for (u32 cpu = 0; cpu < sim_nr_cpus(); cpu++) {
    char *own = world->percpu + cpu * world->stride;

    memcpy(own, table->percpu, size);
    init_all(world, own, own + size, false);
  }
  world->queue = sim_alloc_workqueue("events_unbound", -1, 1);
  world->hashing[0] = table->pool_hash;
  config->hooks.hash_begin(config->hooks.arg, table->pool_hash, NULL);
}

void kernel_random_make_queues(void) { kernel_random()->set_queues(kernel_random_world()->queue); }

void kernel_random_init(void) {
  kernel_random_world()->booting = true;
  kernel_random()->random_init();
  kernel_random_world()->booting = false;
}

// ---- Looking ----

void *kernel_random_of_cpu(const void *p, u32 cpu) {
  const struct kernel_random_world *world = kernel_random_world();

  return world->percpu + cpu * world->stride + ((const char *)p - world->table->percpu);
}

bool kernel_random_spin_is_locked(const void *lock) { return sim_spin_is_locked(lock); }

bool kernel_random_local_is_locked(const void *lock, u32 cpu) {
  const struct kernel_random_world *world = kernel_random_world();

  for (u32 i = 0; i < world->num_locals; i++)
    if (world->locals[i].at == lock) return sim_per_cpu_ptr(world->locals[i].locks, cpu)->owner;
  return false;
}

const struct sim_delayed_work *kernel_random_delayed(void) {
  return kernel_random_world()->delayed;
}

bool kernel_random_timer_pending(u32 cpu) {
  return sim_timer_pending(kernel_random_of_cpu(kernel_random()->fast_timer, cpu));
}
