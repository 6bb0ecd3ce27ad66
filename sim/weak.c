// SPDX-License-Identifier: GPL-2.0-or-later
//
// Weak memory: store buffers and the value before the newest. See sim/weak.h.
//
// Stores of a CPU carry the number of write barriers before them; only those with the lowest
// number in the buffer may leave it, and of one location's only the first. What a location
// held is kept with the moment at which it was overwritten and the CPUs that have seen the
// newer value; a CPU may read it if it was overwritten after the CPU's last read barrier.
#include "sim/weak.h"

#include <string.h>

#include "sim/choice_impl.h"
#include "sim/engine.h"
#include "sim/prim.h"

enum { BUFFER_MAX = 6, OLD_MAX = 64 };
enum { WEAK_DELAY_NS = 5000 };

struct store {
  void *at;
  u64 value;
  u64 since_ns;
  u32 barriers;  // write barriers of this CPU before it
  u32 size;
};

struct buffer {
  struct store store[BUFFER_MAX];  // oldest first
  u32 num;
  u32 barriers;
  u64 rmb_at;  // moment of the last read barrier
};

struct old_value {
  const void *at;
  u64 value;
  u64 overwritten_at;
  u32 size;
  u32 seen;  // CPUs that have read or written the newer value
};

struct sim_weak {
  struct buffer buffer[SIM_CPUS_MAX];
  struct old_value old[OLD_MAX];  // the newest OLD_MAX overwritten locations
  u32 next_old;
  u64 moment;  // stores that reached memory
};

struct sim_weak *sim_weak;

void sim_weak_setup(void) {
  struct sim_world *w = sim_w;
  if (w->cfg.weak) w->st->weak = sim_alloc_static(sizeof(struct sim_weak), "store buffers");
}

static struct buffer *this_buffer(void) { return &sim_weak->buffer[sim_this_cpu->id]; }

u64 sim_read_memory(const void *at, u32 size) {
  u64 value = 0;
  switch (size) {
    case 1:
      value = *(const volatile u8 *)at;
      break;
    case 2:
      value = *(const volatile u16 *)at;
      break;
    case 4:
      value = *(const volatile u32 *)at;
      break;
    default:
      value = *(const volatile u64 *)at;
      break;
  }
  return value;
}

void sim_write_memory(void *at, u32 size, u64 value) {
  switch (size) {
    case 1:
      *(volatile u8 *)at = (u8)value;
      break;
    case 2:
      *(volatile u16 *)at = (u16)value;
      break;
    case 4:
      *(volatile u32 *)at = (u32)value;
      break;
    default:
      *(volatile u64 *)at = value;
      break;
  }
}

static bool overlap(const void *a, size_t a_size, const void *b, size_t b_size) {
  return (uintptr_t)a < (uintptr_t)b + b_size && (uintptr_t)b < (uintptr_t)a + a_size;
}

static struct old_value *find_old(const void *at, u32 size) {
  for (u32 i = 0; i < OLD_MAX; i++)
    if (sim_weak->old[i].at == at && sim_weak->old[i].size == size) return &sim_weak->old[i];
  return NULL;
}

// A store of the CPU reaches memory.
static void commit(u32 cpu, void *at, u32 size, u64 value) {
  struct old_value *old = find_old(at, size);
  if (!old) {
    // Accesses of another size to the same bytes are not told apart: forget what they held.
    for (u32 i = 0; i < OLD_MAX; i++)
      if (overlap(sim_weak->old[i].at, sim_weak->old[i].size, at, size)) sim_weak->old[i].at = NULL;
    old = &sim_weak->old[sim_weak->next_old++ % OLD_MAX];
  }
  *old = (struct old_value){.at = at,
                            .value = sim_read_memory(at, size),
                            .overwritten_at = ++sim_weak->moment,
                            .size = size,
                            .seen = 1u << cpu};
  sim_write_memory(at, size, value);
}

static void leave_buffer(u32 cpu, u32 i) {
  struct buffer *b = &sim_weak->buffer[cpu];
  struct store s = b->store[i];
  b->num--;
  memmove(&b->store[i], &b->store[i + 1], (b->num - i) * sizeof(s));
  commit(cpu, s.at, s.size, s.value);
}

static void drain(u32 cpu) {
  while (sim_weak->buffer[cpu].num) leave_buffer(cpu, 0);
}

void sim_weak_drain_all(void) {
  for (u32 cpu = 0; cpu < sim_w->st->num_cpus; cpu++) drain(cpu);
}

// Whether store `i` may reach memory before those in front of it.
static bool may_leave(const struct buffer *b, u32 i) {
  for (u32 j = 0; j < i; j++)
    if (b->store[j].barriers != b->store[i].barriers ||
        overlap(b->store[j].at, b->store[j].size, b->store[i].at, b->store[i].size))
      return false;
  return true;
}

void sim_weak_at_access(void) {
  struct buffer *b = this_buffer();
  u32 cpu = sim_this_cpu->id;
  while (b->num && sim_this_cpu->clock_ns - b->store[0].since_ns > WEAK_DELAY_NS)
    leave_buffer(cpu, 0);
  if (!b->num) return;
  u32 may[BUFFER_MAX], n = 0;
  for (u32 i = 0; i < b->num; i++)
    if (may_leave(b, i)) may[n++] = i;
  u32 pick = sim_choose(sim_w, SIM_SITE_DRAW("weak-drain", SIM_SITE_FAULT, 1, 4), 1 + n);
  if (pick) leave_buffer(cpu, may[pick - 1]);
}

void sim_weak_store(void *at, u32 size, u64 value) {
  struct buffer *b = this_buffer();
  u32 cpu = sim_this_cpu->id;
  if (b->num == BUFFER_MAX) leave_buffer(cpu, 0);
  // At once, or in the buffer: behind what it may not overtake it has no choice.
  b->store[b->num++] = (struct store){.at = at,
                                      .value = value,
                                      .since_ns = sim_this_cpu->clock_ns,
                                      .barriers = b->barriers,
                                      .size = size};
  if (!may_leave(b, b->num - 1)) return;
  if (sim_choose(sim_w, SIM_SITE_DRAW("weak-store", SIM_SITE_FAULT, 1, 4), 2) == 0)
    leave_buffer(cpu, b->num - 1);
}

u64 sim_weak_load(const void *at, u32 size) {
  struct buffer *b = this_buffer();
  u32 cpu = sim_this_cpu->id;
  for (u32 i = b->num; i-- > 0;) {
    const struct store *s = &b->store[i];
    if (s->at == at && s->size == size) return s->value;
    if (!overlap(s->at, s->size, at, size)) continue;
    drain(cpu);
    break;
  }
  struct old_value *old = find_old(at, size);
  if (old && !(old->seen & (1u << cpu)) && old->overwritten_at > b->rmb_at) {
    if (sim_choose(sim_w, SIM_SITE_DRAW("weak-load", SIM_SITE_FAULT, 1, 4), 2)) return old->value;
    old->seen |= 1u << cpu;
  }
  return sim_read_memory(at, size);
}

void sim_weak_rmb(void) { this_buffer()->rmb_at = sim_weak->moment; }

void sim_weak_wmb(void) { this_buffer()->barriers++; }

void sim_weak_mb(void) {
  drain(sim_this_cpu->id);
  sim_weak_rmb();
}

void sim_weak_forget(const void *at, size_t size) {
  for (u32 cpu = 0; cpu < sim_w->st->num_cpus; cpu++)
    for (u32 i = 0; i < sim_weak->buffer[cpu].num; i++)
      if (overlap(sim_weak->buffer[cpu].store[i].at, 1, at, size)) {
        drain(cpu);
        break;
      }
}
