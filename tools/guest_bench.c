// SPDX-License-Identifier: GPL-2.0-only
//
// What a guest costs: each operation of an engine on each architecture, beside a new engine
// for each run. Median of several measurements; trust the ratios.
//
//   bazel run -c opt //tools:guest_bench
//   bazel run -c opt //tools:guest_bench -- --json

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "models/guest/guest.h"
#include "models/guest/guest_selftest.h"
#include "models/guest/testing/bed.h"
#include "sim/world.h"
#include "tools/bench_report.h"
#include "tools/output.h"
#include "tools/text.h"

enum { TIMES = 7, MEASURE_NS = 20 * 1000 * 1000 };

static u64 now_ns(void) {
  struct timespec now;

  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (u64)now.tv_sec * 1000000000 + (u64)now.tv_nsec;
}

struct bench_guest {
  struct bed bed;
  struct guest_snapshot *start;
  struct guest_regs regs;
  u64 boundary;
};

// ---- Operations ----

static void op_stack(struct bench_guest *s) { guest_get(s->bed.g, GUEST_PC); }
static void op_call(struct bench_guest *s) { bed_call(&s->bed, FN_UNDEFINED, 1, 2, 3); }
static void op_short(struct bench_guest *s) {
  bed_call(&s->bed, FN_ADD, 1, 2, 3);
  bed_run(&s->bed, GUEST_NO_LIMIT);
}
static void op_spin(struct bench_guest *s) {
  bed_call(&s->bed, FN_SPIN, 0, 0, 0);
  bed_run(&s->bed, 10000);
}
static void op_loop(struct bench_guest *s) {
  bed_call(&s->bed, FN_INCREMENT, BED_DATA, 1000, 0);
  bed_run(&s->bed, GUEST_NO_LIMIT);
}
static void op_step(struct bench_guest *s) {
  if (!s->boundary) bed_call(&s->bed, FN_INCREMENT, BED_DATA, 1000, 0);
  bed_run(&s->bed, ++s->boundary);
  if (s->boundary == 3000) s->boundary = 0;
}
static void op_syscall(struct bench_guest *s) {
  bed_call(&s->bed, FN_SYSCALL, 0, 0, 0);
  bed_run(&s->bed, GUEST_NO_LIMIT);
  bed_run(&s->bed, GUEST_NO_LIMIT);
}
static void op_reset(struct bench_guest *s) { guest_reset(s->bed.g); }
static void op_take(struct bench_guest *s) { guest_take(s->bed.g, s->start); }
static void op_restore(struct bench_guest *s) { guest_restore(s->bed.g, s->start); }
static void op_nested(struct bench_guest *s) {
  struct guest_call call = bed_args(FN_ADD, 1, 2, 3);

  guest_nested_begin(s->bed.g, &call);
  bed_run(&s->bed, GUEST_NO_LIMIT);
  guest_nested_end(s->bed.g);
}
static void op_regs_get(struct bench_guest *s) { guest_regs_get(s->bed.g, &s->regs); }
static void op_regs_set(struct bench_guest *s) { guest_regs_set(s->bed.g, &s->regs); }
static void op_protect(struct bench_guest *s) {
  guest_protect(s->bed.g, BED_DATA, s->boundary++ % 2 ? GUEST_READ | GUEST_WRITE : GUEST_READ);
}
static void op_naive(struct bench_guest *s) {
  struct guest *g = guest_new(guest_arch(s->bed.g), 0);
  struct bed bed;

  bed_open(&bed, g);
  bed_call(&bed, FN_ADD, 1, 2, 3);
  bed_run(&bed, GUEST_NO_LIMIT);
  guest_free(g);
}
static void op_run(struct bench_guest *s) {
  guest_restore(s->bed.g, s->start);
  op_short(s);
}

static const struct {
  const char *name;
  void (*op)(struct bench_guest *s);
  u64 divide;  // operations in one
} rows[] = {
    {"read a register", op_stack, 1},
    {"prepare a call", op_call, 1},
    {"call of 4 instructions", op_short, 1},
    {"an instruction, of a loop of one", op_spin, 10000},
    {"an instruction, of a loop of loads and stores", op_loop, 4000},
    {"stop at the next boundary", op_step, 1},
    {"call with a system call", op_syscall, 1},
    {"reset: registers", op_reset, 1},
    {"snapshot: registers and 16 KiB", op_take, 1},
    {"restore: registers and 16 KiB", op_restore, 1},
    {"restore and call of 4 instructions", op_run, 1},
    {"nested call of 4 instructions, and back", op_nested, 1},
    {"read all registers", op_regs_get, 1},
    {"write all registers", op_regs_set, 1},
    {"change a page's permissions", op_protect, 1},
    {"a new engine for each call of 4 instructions", op_naive, 1},
};

static int compare(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;

  return x < y ? -1 : x > y;
}

static double measure(struct bench_guest *s, void (*op)(struct bench_guest *s)) {
  double sample[TIMES];

  for (u32 i = 0; i < TIMES; i++) {
    u64 done = 0, from = now_ns(), ns, batch = 1;

    s->boundary = 0;
    do {
      for (u64 j = 0; j < batch; j++) op(s);
      done += batch;
      batch += batch;
      ns = now_ns() - from;
    } while (ns < MEASURE_NS);
    sample[i] = (double)ns / (double)done;
    // Whatever was left open or changed.
    guest_protect(s->bed.g, BED_DATA, GUEST_READ | GUEST_WRITE);
  }
  qsort(sample, TIMES, sizeof(sample[0]), compare);
  return sample[TIMES / 2];
}

static void open_subject(struct bench_guest *s, enum guest_arch arch) {
  bed_open(&s->bed, guest_shared(arch, 0, 0));
  // The benchmark has no need of limits.
  guest_set_budget(s->bed.g, 0);
  bed_call(&s->bed, FN_ADD, 1, 2, 3);
  s->start = guest_snapshot_new(s->bed.g);
  guest_take(s->bed.g, s->start);
}

static double measure_row(struct bench_guest *s, u32 row) {
  guest_restore(s->bed.g, s->start);
  return measure(s, rows[row].op) / (double)rows[row].divide;
}

static void print_text(struct bench_guest *subject) {
  printf("%s; nanoseconds\n%-48s", guest_library(), "");
  for (u32 arch = 0; arch < GUEST_ARCHES; arch++)
    printf("%10s", guest_arch_name((enum guest_arch)arch));
  printf("\n");
  for (u32 i = 0; i < SIM_ARRAY_SIZE(rows); i++) {
    printf("%-48s", rows[i].name);
    for (u32 arch = 0; arch < GUEST_ARCHES; arch++) {
      printf("%10.1f", measure_row(&subject[arch], i));
      fflush(stdout);
    }
    printf("\n");
  }
}

static void print_json(struct bench_guest *subject) {
  cJSON *object = cJSON_CreateObject(), *array;
  char *machine = bench_machine(), *text = xasprintf("%s, %s", machine, guest_library());

  cJSON_AddStringToObject(object, "machine", text);
  array = cJSON_AddArrayToObject(object, "rows");
  for (u32 i = 0; i < SIM_ARRAY_SIZE(rows); i++) {
    for (u32 arch = 0; arch < GUEST_ARCHES; arch++) {
      char *name = xasprintf("%s: %s", guest_arch_name((enum guest_arch)arch), rows[i].name);

      bench_json_row(array, name, "ns", measure_row(&subject[arch], i), 0);
      free(name);
    }
  }
  json_print(object);
  free(text);
  free(machine);
}

int main(int argc, char **argv) {
  static struct bench_guest subject[GUEST_ARCHES];
  bool json = argc == 2 && !strcmp(argv[1], "--json");

  if (argc > 1 && !json) {
    fprintf(stderr, "guest_bench: --json or nothing is meant\n");
    return SIM_USAGE;
  }
  for (u32 arch = 0; arch < GUEST_ARCHES; arch++)
    open_subject(&subject[arch], (enum guest_arch)arch);
  if (json)
    print_json(subject);
  else
    print_text(subject);
  return SIM_OK;
}
