// SPDX-License-Identifier: GPL-2.0-or-later
//
// The queue of a CPU's runnable tasks (the current one is not in it): an array for
// picking any of them by index, and a list through it for FIFO order. Every edit is a few
// stores, whatever the number of tasks: a scheduling point makes one.
#ifndef SEEDBED_SIM_RUNQUEUE_H_
#define SEEDBED_SIM_RUNQUEUE_H_

#include "sim/sched.h"

static inline void sim_rq_link_tail(struct sim_rq_links *l, struct sim_cpu *cpu, u8 slot) {
  u8 tail = cpu->rq_tail;
  l->next[slot] = SIM_NO_SLOT;
  l->prev[slot] = tail;
  if (tail == SIM_NO_SLOT)
    cpu->rq_head = slot;
  else
    l->next[tail] = slot;
  cpu->rq_tail = slot;
}

static inline void sim_rq_unlink(struct sim_rq_links *l, struct sim_cpu *cpu, u8 slot) {
  u8 next = l->next[slot], prev = l->prev[slot];
  if (prev == SIM_NO_SLOT)
    cpu->rq_head = next;
  else
    l->next[prev] = next;
  if (next == SIM_NO_SLOT)
    cpu->rq_tail = prev;
  else
    l->prev[next] = prev;
}

// Adds `slot` at the end.
static inline void sim_rq_push(struct sim_state *st, struct sim_cpu *cpu, u8 slot) {
  st->links.pos[slot] = cpu->rq_n;
  cpu->rq[cpu->rq_n++] = slot;
  sim_rq_link_tail(&st->links, cpu, slot);
}

// Takes `slot`, which must be queued here, out.
static inline void sim_rq_take(struct sim_state *st, struct sim_cpu *cpu, u8 slot) {
  u8 pos = st->links.pos[slot], last = cpu->rq[--cpu->rq_n];
  cpu->rq[pos] = last;
  st->links.pos[last] = pos;
  sim_rq_unlink(&st->links, cpu, slot);
}

// Takes what is at index `i` out and adds `slot` at the end; returns what was taken.
static inline u8 sim_rq_exchange(struct sim_state *st, struct sim_cpu *cpu, u32 i, u8 slot) {
  u8 taken = cpu->rq[i];
  cpu->rq[i] = slot;
  st->links.pos[slot] = (u8)i;
  sim_rq_link_tail(&st->links, cpu, slot);
  sim_rq_unlink(&st->links, cpu, taken);
  return taken;
}

// Moves `slot`, which must be queued here, to the front.
static inline void sim_rq_to_front(struct sim_state *st, struct sim_cpu *cpu, u8 slot) {
  struct sim_rq_links *l = &st->links;
  if (cpu->rq_head == slot) return;
  sim_rq_unlink(l, cpu, slot);
  l->prev[slot] = SIM_NO_SLOT;
  l->next[slot] = cpu->rq_head;
  l->prev[cpu->rq_head] = slot;
  cpu->rq_head = slot;
}

#endif  // SEEDBED_SIM_RUNQUEUE_H_
