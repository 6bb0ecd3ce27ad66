// SPDX-License-Identifier: GPL-2.0-or-later
//
// See bench_vdso.h. A machine is set up once; then every operation begins with a reset, as a
// run of the scenario does. Draws are all calm: what a draw costs is measured elsewhere.
#include "tools/bench_vdso.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "models/vdso/image_subject.h"
#include "models/vdso/vdso_machine.h"
#include "models/vdso/vdso_profile.h"
#include "models/vdso/vdso_run.h"
#include "sim/world.h"

static struct vdso_machine *machine;
static struct vdso_run run;
static struct guest *bare;  // of uncounted()

static void die(const char *why) {
  fprintf(stderr, "bench: vdso-getrandom: %s\n", why);
  exit(SIM_OURS);
}

static void open_machine(void) {
  static const struct vdso_setting setting = {.arch = GUEST_PPC64LE, .variant = "clean"};
  char err[160];

  machine = vdso_machine_new(&setting, err, sizeof(err));
  if (!machine) die(err);
  run = (struct vdso_run){.m = machine, .script = VDSO_SCRIPT_FIRST};
}

void bench_vdso_open(const char *image_file) {
  static struct vdso_images images;
  const struct vdso_image *image = NULL;
  char err[200];

  guest_free(bare);
  bare = NULL;
  vdso_subject_set(NULL);
  vdso_images_free(&images);
  if (image_file) {
    if (vdso_images_load(image_file, &images, err, sizeof(err)) != SIM_OK) die(err);
    image = vdso_subject_pick(&images, err, sizeof(err));
    if (!image) die(err);
  }
  vdso_subject_set(image);
  open_machine();
}

// ---- Operations ----

static void with_oracles(void) {
  if (!vdso_run_all(&run)) die(run.verdict.text);
}

static void first_call(struct guest *g) {
  const u64 args[5] = {vdso_main_addr(), 32, 0, vdso_state_addr(0), VDSO_STATE_LEN};
  struct guest_stop stop;

  vdso_call_begin(g, machine, 0, args);
  while (guest_run(g, GUEST_NO_LIMIT, &stop) == GUEST_SYSCALL) {
    u64 len = vdso_arg(g, 1);

    vdso_give(machine, guest_host(g, vdso_arg(g, 0), len), (u32)len);
    vdso_syscall_return(g, (s64)len);
  }
  if (stop.kind != GUEST_RETURNED) die("the first call does not return");
}

// The first call, and nobody who judges it.
static void guest_alone(void) {
  vdso_machine_begin(machine);
  memset(machine->fast.state[0], 0, VDSO_STATE_LEN);
  first_call(machine->fast.g);
}

// Another engine that sees the machine's memory.
static struct guest *other_engine(u32 options) {
  const struct vdso_memory *memory = &machine->fast;
  struct guest *g = guest_new(machine->setting.arch, options);
  u64 text_len = (machine->image_len + GUEST_PAGE - 1) & ~(u64)(GUEST_PAGE - 1);
  const u32 rw = GUEST_READ | GUEST_WRITE;
  bool ok = true;

  ok &= guest_map(g, machine->data_addr, memory->data, machine->data_len, GUEST_READ);
  ok &= guest_map(g, machine->image_addr, memory->image, text_len, GUEST_READ | GUEST_EXEC);
  ok &= guest_map(g, vdso_main_addr(), memory->buffers + GUEST_PAGE, VDSO_MAIN_LEN, rw);
  ok &= guest_map(g, vdso_state_addr(0), memory->state[0], VDSO_STATE_PAGES * GUEST_PAGE, rw);
  ok &= guest_map(g, vdso_stack_addr(0), memory->stack[0], VDSO_STACK_LEN, rw);
  if (!ok) die("another engine maps nothing");
  return g;
}

// The first call on an engine that is made for it.
static void naive(void) {
  struct guest *g = other_engine(0);

  vdso_machine_begin(machine);
  memset(machine->fast.state[0], 0, VDSO_STATE_LEN);
  first_call(g);
  guest_free(g);
}

// The first call on an engine that does not count.
static void uncounted(void) {
  if (!bare) bare = other_engine(GUEST_UNCOUNTED);
  vdso_machine_begin(machine);
  memset(machine->fast.state[0], 0, VDSO_STATE_LEN);
  first_call(bare);
}

// One instruction after the other: what is in between is the engine's entry.
static void entries(u32 times) {
  const u64 args[5] = {vdso_main_addr(), 32, 0, vdso_state_addr(0), VDSO_STATE_LEN};
  struct guest *g = machine->fast.g;
  struct guest_stop stop;

  for (u32 i = 0; i < times; i++) {
    u32 at = i % 16;

    if (!at) {
      vdso_machine_begin(machine);
      memset(machine->fast.state[0], 0, VDSO_STATE_LEN);
      vdso_call_begin(g, machine, 0, args);
    }
    if (guest_run(g, at + 1, &stop) != GUEST_BOUNDARY) die("no boundary");
  }
}

static void twice(void) {
  static const u32 len[] = {32};
  struct vdso_twice out;

  vdso_run_twice(machine, len, 1, &out);
  // What an image leaves in a register is a finding, and takes as long to compare.
  if (machine->builtin && (!out.path || !out.registers || !out.stack)) die("two runs differ");
}

static void chacha(void) {
  struct guest *g = machine->fast.g;
  struct guest_call call = {
      .entry = machine->chacha,
      .sp = vdso_stack_addr(0) + VDSO_STACK_LEN - 256,
      .num_args = 4,
      .args = {vdso_main_addr(), vdso_misc_addr(), vdso_misc_addr() + 32,
               BENCH_VDSO_CHACHA_BYTES / 64},
  };
  struct guest_stop stop;

  if (!machine->chacha) die("the image has no symbol of the block function");
  guest_set_budget(g, 0);
  guest_call(g, &call);
  if (guest_run(g, GUEST_NO_LIMIT, &stop) != GUEST_RETURNED) die("the block function stops");
}

void bench_vdso_do(enum bench_vdso_op op, u32 times) {
  static u32 hits[BENCH_VDSO_HITS_CALLS];

  if (op == BENCH_VDSO_ENTRY) {
    entries(times);
    return;
  }
  for (u32 i = 0; i < BENCH_VDSO_HITS_CALLS; i++) hits[i] = 4;
  run.lens = op == BENCH_VDSO_HITS ? hits : NULL;
  run.num_lens = op == BENCH_VDSO_HITS ? BENCH_VDSO_HITS_CALLS : 0;
  if (op == BENCH_VDSO_CHACHA) vdso_machine_begin(machine);
  for (u32 i = 0; i < times; i++) {
    switch (op) {
      case BENCH_VDSO_FIRST:
      case BENCH_VDSO_HITS:
        with_oracles();
        break;
      case BENCH_VDSO_RESET:
        vdso_machine_begin(machine);
        break;
      case BENCH_VDSO_GUEST:
        guest_alone();
        break;
      case BENCH_VDSO_TWICE:
        twice();
        break;
      case BENCH_VDSO_UNCOUNTED:
        uncounted();
        break;
      case BENCH_VDSO_NAIVE:
        naive();
        break;
      default:
        chacha();
        break;
    }
  }
}
