// SPDX-License-Identifier: GPL-2.0-or-later
//
// The switch between stacks, by itself: the first call, what is kept across a switch, the
// place and alignment of frames, many contexts. Built with SIM_UCONTEXT it tests the
// reference.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
// cmocka wants the four above first.
#include <cmocka.h>

#include <stdlib.h>

#include "sim/ctx.h"

enum { STACK = 64 * 1024, CONTEXTS = 100 };

struct coroutine {
  struct sim_ctx ctx;
  char *stack;
  struct coroutine *caller;
  u64 in, out;
  u32 number;
  bool ended;
};
static struct coroutine host;

static void leave(struct coroutine *self) { sim_ctx_switch_raw(&self->ctx, &self->caller->ctx); }
static u64 resume(struct coroutine *c, u64 in) {
  c->in = in;
  c->caller = &host;
  sim_ctx_switch_raw(&host.ctx, &c->ctx);
  return c->out;
}
static void begin(struct coroutine *c, void (*fn)(void *arg)) {
  *c = (struct coroutine){.stack = aligned_alloc(64, STACK)};
  assert_non_null(c->stack);
  sim_ctx_init(&c->ctx, c->stack, STACK, fn, c);
}

// ---- The first call ----

static SIM_NOINLINE bool frame_is_good(const struct coroutine *c) {
  _Alignas(16) volatile char local[64];
  local[0] = 1;
  uintptr_t at = (uintptr_t)local;
  return at % 16 == 0 && at >= (uintptr_t)c->stack && at < (uintptr_t)c->stack + STACK;
}
static void first(void *arg) {
  struct coroutine *c = arg;
  // The frame's own place: at its top, where the ABI wants it.
  bool aligned = (uintptr_t)__builtin_frame_address(0) % 16 == 0;
  char *top = c->stack + STACK;
  bool near = (char *)__builtin_frame_address(0) > top - 1024;
  c->out = 1 + aligned + near + frame_is_good(c);
  leave(c);
  c->ended = true;
  leave(c);
}

// The function runs with its argument, on its own stack, with frames as the ABI has them.
static void first_call(void **state) {
  struct coroutine c;
  (void)state;
  begin(&c, first);
  assert_false(c.ended);
  assert_int_equal(resume(&c, 0), 4);
  assert_false(c.ended);
  resume(&c, 0);
  assert_true(c.ended);
  free(c.stack);
}

// ---- What is kept ----

// More values than there are callee-saved registers, all alive across the switches.
static void keeps(void *arg) {
  struct coroutine *c = arg;
  u64 v[12];
  double d[10];
  for (u32 i = 0; i < 12; i++) v[i] = c->in * (i + 3) + i;
  for (u32 i = 0; i < 10; i++) d[i] = (double)c->in / (i + 1);
  for (;;) {
    u64 a = v[0], b = v[1], e = v[2], f = v[3], g = v[4], h = v[5], k = v[6], l = v[7], m = v[8];
    double x = d[0], y = d[1], z = d[2], p = d[3], q = d[4], r = d[5], s = d[6], t = d[7];
    leave(c);
    c->out = a ^ b ^ e ^ f ^ g ^ h ^ k ^ l ^ m;
    c->out ^= (u64)(x + y + z + p + q + r + s + t);
    v[c->in % 12] += c->in;
    d[c->in % 10] += 1;
  }
}
static u64 expected(u64 seed, const u64 *inputs, u32 n) {
  u64 v[12];
  double d[10];
  for (u32 i = 0; i < 12; i++) v[i] = seed * (i + 3) + i;
  for (u32 i = 0; i < 10; i++) d[i] = (double)seed / (i + 1);
  u64 out = 0;
  for (u32 j = 0; j < n; j++) {
    out = v[0] ^ v[1] ^ v[2] ^ v[3] ^ v[4] ^ v[5] ^ v[6] ^ v[7] ^ v[8];
    out ^= (u64)(d[0] + d[1] + d[2] + d[3] + d[4] + d[5] + d[6] + d[7]);
    v[inputs[j] % 12] += inputs[j];
    d[inputs[j] % 10] += 1;
  }
  return out;
}

// A hundred contexts in turns, each with its own values; and the host keeps its own.
static void values_survive(void **state) {
  static struct coroutine c[CONTEXTS];
  u64 inputs[40];
  (void)state;
  for (u32 i = 0; i < CONTEXTS; i++) {
    begin(&c[i], keeps);
    resume(&c[i], i + 1);
  }
  u64 sum = 0, check = 0;
  for (u32 j = 0; j < 40; j++) {
    inputs[j] = j * 7919u + 13;
    for (u32 i = 0; i < CONTEXTS; i++) {
      u64 out = resume(&c[(i * 37 + j) % CONTEXTS], inputs[j]);
      u64 want = expected((i * 37 + j) % CONTEXTS + 1, inputs, j + 1);
      assert_true(out == want);
      sum += out;
      check += want;
    }
  }
  assert_true(sum == check);
  for (u32 i = 0; i < CONTEXTS; i++) free(c[i].stack);
}

// ---- Depth ----

static SIM_NOINLINE u32 recurse(struct coroutine *c, u32 depth) {
  volatile u32 here = depth;
  if (depth == 0) {
    leave(c);
    return 0;
  }
  u32 below = recurse(c, depth - 1);
  return below + (here == depth);
}
static void deep(void *arg) {
  struct coroutine *c = arg;
  for (;;) {
    c->out = recurse(c, (u32)c->in);
    leave(c);
  }
}

// Switched away from deep in calls, and back.
static void deep_in_calls(void **state) {
  struct coroutine c;
  (void)state;
  begin(&c, deep);
  for (u32 depth = 1; depth <= 200; depth += 33) {
    resume(&c, depth);  // to the bottom
    assert_int_equal(resume(&c, depth), depth);
  }
  free(c.stack);
}

// ---- From one to the next, not by way of the host ----

static struct coroutine ring[8];
static u32 visits[64], num_visits;
static void ring_main(void *arg) {
  struct coroutine *c = arg;
  for (;;) {
    visits[num_visits++] = c->number;
    struct coroutine *next = num_visits < 40 ? &ring[(c->number * 3 + 1) % 8] : &host;
    if (next == c) continue;
    sim_ctx_switch_raw(&c->ctx, &next->ctx);
  }
}
static void one_to_the_next(void **state) {
  (void)state;
  for (u32 i = 0; i < 8; i++) {
    begin(&ring[i], ring_main);
    ring[i].number = i;
  }
  num_visits = 0;
  sim_ctx_switch_raw(&host.ctx, &ring[0].ctx);
  assert_int_equal(num_visits, 40);
  u32 at = 0;
  for (u32 i = 0; i < 40; i++) {
    assert_int_equal(visits[i], at);
    at = (at * 3 + 1) % 8;
  }
  for (u32 i = 0; i < 8; i++) free(ring[i].stack);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(first_call),
      cmocka_unit_test(values_survive),
      cmocka_unit_test(deep_in_calls),
      cmocka_unit_test(one_to_the_next),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
