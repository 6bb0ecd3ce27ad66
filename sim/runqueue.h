// SPDX-License-Identifier: GPL-2.0-or-later
//
// The queue of a CPU's runnable tasks (the current one is not in it): an array for
// picking any of them by index, and a list through it for FIFO order. Every edit is a few
// stores, whatever the number of tasks: a scheduling point makes one.
#ifndef SEEDBED_SIM_RUNQUEUE_H_
#define SEEDBED_SIM_RUNQUEUE_H_

#include "sim/sched.h"

static inline void sim_rq_link_tail(struct sim_rq_link *links, struct sim_cpu *cpu, u8 slot,
                                    u8 pos) {
  u8 tail = cpu->rq_tail;
  links[slot] = (struct sim_rq_link){.pos = pos, .next = SIM_NO_SLOT, .prev = tail};
  if (tail == SIM_NO_SLOT)
    cpu->rq_head = slot;
  else
    links[tail].next = slot;
  cpu->rq_tail = slot;
}

static inline void sim_rq_unlink(struct sim_rq_link *links, struct sim_cpu *cpu, u8 slot) {
  struct sim_rq_link link = links[slot];
  if (link.prev == SIM_NO_SLOT)
    cpu->rq_head = link.next;
  else
    links[link.prev].next = link.next;
  if (link.next == SIM_NO_SLOT)
    cpu->rq_tail = link.prev;
  else
    links[link.next].prev = link.prev;
}

// Adds `slot` at the end.
static inline void sim_rq_push(struct sim_state *st, struct sim_cpu *cpu, u8 slot) {
  u8 pos = cpu->rq_n++;
  cpu->rq[pos] = slot;
  sim_rq_link_tail(st->links, cpu, slot, pos);
}

// Takes `slot`, which must be queued here, out.
static inline void sim_rq_take(struct sim_state *st, struct sim_cpu *cpu, u8 slot) {
  u8 pos = st->links[slot].pos, last = cpu->rq[--cpu->rq_n];
  cpu->rq[pos] = last;
  st->links[last].pos = pos;
  sim_rq_unlink(st->links, cpu, slot);
}

// Takes what is at index `i` out and adds `slot` at the end; returns what was taken.
static inline u8 sim_rq_exchange(struct sim_state *st, struct sim_cpu *cpu, u32 i, u8 slot) {
  u8 taken = cpu->rq[i];
  cpu->rq[i] = slot;
  sim_rq_link_tail(st->links, cpu, slot, (u8)i);
  sim_rq_unlink(st->links, cpu, taken);
  return taken;
}

// Moves `slot`, which must be queued here, to the front.
static inline void sim_rq_to_front(struct sim_state *st, struct sim_cpu *cpu, u8 slot) {
  if (cpu->rq_head == slot) return;
  sim_rq_unlink(st->links, cpu, slot);
  st->links[slot].prev = SIM_NO_SLOT;
  st->links[slot].next = cpu->rq_head;
  st->links[cpu->rq_head].prev = slot;
  cpu->rq_head = slot;
}

#endif  // SEEDBED_SIM_RUNQUEUE_H_
