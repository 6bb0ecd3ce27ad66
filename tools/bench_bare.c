// SPDX-License-Identifier: GPL-2.0-or-later
//
// See bench_bare.h.

#include "tools/bench_bare.h"

#include "sim/ctx.h"
#include "sim/prng.h"

enum { TASKS = 8, STACK_SIZE = 16384, RECORD_MAX = 4096 };

static struct {
  struct sim_ctx host, task[TASKS];
  struct sim_stream rng;
  u64 digest, left;
  u32 current;
  u64 record[RECORD_MAX];
  u64 stack[TASKS][STACK_SIZE / 8] __attribute__((aligned(16)));
} bare;

static SIM_NOINLINE void switch_between(struct sim_ctx *from, struct sim_ctx *to) {
  sim_ctx_switch_raw(from, to);
}

static SIM_NOINLINE void decide(u64 site) {
  u32 from = bare.current, pick = sim_stream_below(&bare.rng, TASKS);
  unsigned __int128 product = (unsigned __int128)(site ^ bare.left) * (pick + 0x9e3779b97f4a7c15u);

  bare.digest = ((bare.digest << 29) | (bare.digest >> 35)) ^ (u64)product ^ (u64)(product >> 64);
  bare.record[bare.left % RECORD_MAX] = site << 32 | pick;
  if (--bare.left == 0) {
    switch_between(&bare.task[from], &bare.host);
  } else if (pick != from) {
    bare.current = pick;
    switch_between(&bare.task[from], &bare.task[pick]);
  }
}

static void main_of_task(void *arg) {
  for (;;) {
    decide(1);
    decide(2);
    decide(3);
    decide(4);
  }
}

u64 bench_bare(u64 decisions) {
  u32 i;

  sim_stream_seed(&bare.rng, 1);
  bare.digest = 0;
  bare.left = decisions;
  bare.current = 0;
  for (i = 0; i < TASKS; i++)
    sim_ctx_init(&bare.task[i], bare.stack[i], sizeof(bare.stack[i]), main_of_task, NULL);
  switch_between(&bare.host, &bare.task[0]);
  return bare.digest;
}
