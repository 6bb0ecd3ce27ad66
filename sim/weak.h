// SPDX-License-Identifier: GPL-2.0-or-later
//
// Weak memory (weak=1): what a marked load or store may show that a sequentially
// consistent machine does not. Each CPU has a store buffer: a marked store may wait in it,
// unseen by other CPUs, and leave it after later ones; and a marked load may give the one
// value that a location held before its newest, until the CPU has passed a read barrier.
// Each is a draw; 0, the calm value, is sequential consistency.
//
// What holds, as in the kernel's memory model (tools/memory-model):
//   - a CPU sees its own stores at once, and in order; no location goes back in time for
//     a CPU that has seen it go forward; all CPUs see a store at the same moment;
//   - no load takes a value from the future: load buffering does not happen;
//   - smp_store_release comes after all loads and stores before it; smp_load_acquire before
//     all behind it; smp_wmb orders stores, smp_rmb loads, smp_mb everything;
//   - cmpxchg, every primitive of the simulator, what is asked of a device (an event armed, a
//     line raised) and a context switch order everything. (The kernel's spin_lock and
//     spin_unlock alone promise less: acquire and release.)
//   - rcu_dereference is an acquire: that stands for the address dependency, which is not
//     tracked. What depends on a plain read_once is not ordered behind it.
// A store leaves the buffer within WEAK_DELAY_NS of its CPU's time; all do when the CPU goes
// idle, when phase two begins and at the end of the run. Plain accesses go to memory.
#ifndef SEEDBED_SIM_WEAK_H_
#define SEEDBED_SIM_WEAK_H_

#include "sim/base.h"

// The store buffers of the world that runs; NULL unless weak=1. In the arena.
struct sim_weak;
extern struct sim_weak *sim_weak;

// What the macros of sim/world.h call when sim_weak is not NULL, behind their scheduling
// point. Sizes are 1, 2, 4 or 8 bytes.
u64 sim_weak_load(const void *at, u32 size);
void sim_weak_store(void *at, u32 size, u64 value);

// Barriers of the running CPU, as the kernel's.
void sim_weak_rmb(void);
void sim_weak_wmb(void);
void sim_weak_mb(void);

// ---- For the core ----
void sim_weak_setup(void);      // at set-up, when weak=1
void sim_weak_at_access(void);  // before a marked access: buffered stores may leave
void sim_weak_drain_all(void);  // of every CPU
// Whether a store into these bytes waits in a buffer: they cannot be freed before it left.
void sim_weak_forget(const void *at, size_t size);

#endif  // SEEDBED_SIM_WEAK_H_
