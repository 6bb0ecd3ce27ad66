// SPDX-License-Identifier: GPL-2.0-or-later
//
// Lists of events of the CRNG: a machine, its boot, and then whatever comes. See compare_crng.h.
#include "models/compare/compare_crng.h"
#include "models/crng/crng.h"
#include "sim/timer.h"

enum { HZ_KINDS = 3, EVENTS_MIN = 8, EVENTS_MORE = 40 };

struct maker {
  struct compare_list *list;
  struct compare_dice dice;
  u32 hz, num_cpus, linux_version;
  u64 now_ns;
};

static u64 roll(struct maker *m, u64 n) { return compare_roll(&m->dice, n); }

#define PICK(m, array) ((array)[roll((m), SIM_ARRAY_SIZE(array))])

u64 compare_crng_settle_ns(u32 hz) { return 3 * SIM_NSEC_PER_SEC / hz; }

static u64 draw_gap_ns(struct maker *m) {
  static const u32 gap_ms[] = {100, 300, 600, 1100, 2500, 7000, 31000, 61000, 130000};
  u64 least_ns = compare_crng_settle_ns(m->hz) + 2 * SIM_NSEC_PER_SEC / m->hz;

  return least_ns + (roll(m, 3) ? 0 : PICK(m, gap_ms) * SIM_NSEC_PER_MSEC);
}

static struct compare_event *add(struct maker *m, enum compare_crng_kind kind) {
  struct compare_event *event = &m->list->event[m->list->num++];

  SIM_ASSERT(m->list->num <= COMPARE_EVENTS_MAX);
  m->now_ns = compare_off_tick(&m->dice, m->now_ns + draw_gap_ns(m), m->hz);
  event->at_ns = m->now_ns;
  event->kind = (u8)kind;
  event->cpu = (u8)roll(m, m->num_cpus);
  return event;
}

static u64 draw_bits(struct maker *m) {
  static const u16 bits[] = {0, 1, 8, 64, 100, 127, 128, 129, 200, 255, 256, 257, 1000, 65535};

  return PICK(m, bits);
}

// Of a task that still waits, or of any event before.
static u64 draw_waiter(struct maker *m) {
  u32 num = m->list->num;

  for (u32 tries = 0; tries < 8 && num > 1; tries++) {
    u32 number = (u32)roll(m, num - 1);
    u8 kind = m->list->event[number].kind;

    if (kind == COMPARE_CRNG_GETRANDOM || kind == COMPARE_CRNG_WAIT ||
        kind == COMPARE_CRNG_HWGENERATOR)
      return number;
  }
  return 0;
}

static void draw_args(struct maker *m, struct compare_event *event) {
  static const u16 seed_len[] = {0, 1, 8, 16, 31, 32, 33, 64, 128};
  static const u16 read_len[] = {0, 1, 4, 16, 32, 33, 64, 96, 97, 100, 200, 4096, 4200, 9000};
  static const u16 bytes_len[] = {0, 1, 4, 16, 32, 33, 64, 96, 97, 160, 161};
  static const u16 times[] = {1, 1, 2, 3, 63, 64, 65, 1000, 1023, 1024, 1025, 9000};
  static const u32 flags[] = {0,
                              0,
                              CRNG_GRND_NONBLOCK,
                              CRNG_GRND_RANDOM,
                              CRNG_GRND_INSECURE,
                              CRNG_GRND_RANDOM | CRNG_GRND_NONBLOCK,
                              CRNG_GRND_INSECURE | CRNG_GRND_NONBLOCK,
                              CRNG_GRND_RANDOM | CRNG_GRND_INSECURE,
                              8,
                              0x80000000,
                              0x100 | CRNG_GRND_NONBLOCK};
  static const u32 values[] = {0, 1, 2, 1, 2, 255, 256, 257, 0x10002};
  u64 *arg = event->arg;

  switch ((enum compare_crng_kind)event->kind) {
    case COMPARE_CRNG_BOOTLOADER:
      arg[0] = PICK(m, seed_len);
      break;
    case COMPARE_CRNG_DEVICE:
      arg[0] = PICK(m, seed_len);
      event->irq = !roll(m, 4);
      break;
    case COMPARE_CRNG_INTERRUPT:
      arg[0] = 1 + roll(m, 40);
      arg[1] = PICK(m, times);
      event->irq = true;
      break;
    case COMPARE_CRNG_DISK:
      arg[0] = roll(m, COMPARE_CRNG_DISKS);
      arg[1] = roll(m, 1 << 20);
      event->irq = roll(m, 2);
      break;
    case COMPARE_CRNG_INPUT:
      arg[0] = roll(m, 32);
      arg[1] = roll(m, 70000);
      arg[2] = PICK(m, values);
      event->irq = roll(m, 2);
      break;
    case COMPARE_CRNG_HWGENERATOR:
      arg[0] = PICK(m, seed_len);
      arg[1] = draw_bits(m);
      arg[2] = roll(m, 2);
      break;
    case COMPARE_CRNG_USER:
      arg[0] = PICK(m, seed_len);
      arg[1] = draw_bits(m);
      break;
    case COMPARE_CRNG_GETRANDOM:
      arg[0] = PICK(m, read_len);
      arg[1] = PICK(m, flags);
      break;
    case COMPARE_CRNG_BYTES:
      arg[0] = PICK(m, bytes_len);
      event->irq = !roll(m, 3);
      break;
    case COMPARE_CRNG_BATCHED:
      arg[0] = 1ull << roll(m, CRNG_BATCH_KINDS);
      arg[1] = 1 + (roll(m, 2) ? 0 : roll(m, 100));
      event->irq = !roll(m, 3);
      break;
    case COMPARE_CRNG_EXECUTE:
    case COMPARE_CRNG_ON_FORK:
      arg[0] = roll(m, COMPARE_CRNG_NOTIFIERS);
      break;
    case COMPARE_CRNG_FORK:
      arg[0] = PICK(m, seed_len);
      break;
    case COMPARE_CRNG_PM:
      arg[0] = roll(m, 2) ? CRNG_PM_POST_SUSPEND : 1 + roll(m, CRNG_PM_POST_RESTORE);
      break;
    case COMPARE_CRNG_SIGNAL:
      arg[0] = draw_waiter(m);
      break;
    case COMPARE_CRNG_WORKQUEUES:
    case COMPARE_CRNG_INIT_EARLY:
    case COMPARE_CRNG_INIT:
    case COMPARE_CRNG_WAIT:
    case COMPARE_CRNG_DOWN:
    case COMPARE_CRNG_UP:
    case COMPARE_CRNG_RESEED:
    case COMPARE_CRNG_NUM_KINDS:
      break;
  }
}

// What may come before interrupts are enabled: on CPU 0, and nothing waits.
static void add_early(struct maker *m) {
  static const u8 kinds[] = {COMPARE_CRNG_BOOTLOADER, COMPARE_CRNG_DEVICE, COMPARE_CRNG_BYTES,
                             COMPARE_CRNG_BATCHED};

  for (u64 n = roll(m, 3); n; n--) {
    struct compare_event *event = add(m, PICK(m, kinds));

    draw_args(m, event);
    event->cpu = 0;
    event->irq = false;
  }
}

static void add_boot(struct maker *m) {
  add_early(m);
  add(m, COMPARE_CRNG_INIT_EARLY)->cpu = 0;
  add_early(m);
  add(m, COMPARE_CRNG_WORKQUEUES)->cpu = 0;
  add_early(m);
  add(m, COMPARE_CRNG_INIT)->cpu = 0;
}

static void add_any(struct maker *m) {
  // As often as they stand here.
  static const u8 kinds[] = {
      COMPARE_CRNG_BOOTLOADER, COMPARE_CRNG_DEVICE,      COMPARE_CRNG_INTERRUPT,
      COMPARE_CRNG_INTERRUPT,  COMPARE_CRNG_INTERRUPT,   COMPARE_CRNG_DISK,
      COMPARE_CRNG_DISK,       COMPARE_CRNG_INPUT,       COMPARE_CRNG_INPUT,
      COMPARE_CRNG_INPUT,      COMPARE_CRNG_HWGENERATOR, COMPARE_CRNG_HWGENERATOR,
      COMPARE_CRNG_USER,       COMPARE_CRNG_GETRANDOM,   COMPARE_CRNG_GETRANDOM,
      COMPARE_CRNG_GETRANDOM,  COMPARE_CRNG_GETRANDOM,   COMPARE_CRNG_BYTES,
      COMPARE_CRNG_BYTES,      COMPARE_CRNG_BATCHED,     COMPARE_CRNG_BATCHED,
      COMPARE_CRNG_BATCHED,    COMPARE_CRNG_WAIT,        COMPARE_CRNG_EXECUTE,
      COMPARE_CRNG_ON_FORK,    COMPARE_CRNG_FORK,        COMPARE_CRNG_PM,
      COMPARE_CRNG_DOWN,       COMPARE_CRNG_UP,          COMPARE_CRNG_UP,
      COMPARE_CRNG_SIGNAL,     COMPARE_CRNG_RESEED,
  };
  enum compare_crng_kind kind = PICK(m, kinds);

  // Linux 6.1 has no such function, and one CPU does not go.
  if (kind == COMPARE_CRNG_EXECUTE && m->linux_version < 6002) kind = COMPARE_CRNG_WAIT;
  if (m->num_cpus == 1 && (kind == COMPARE_CRNG_DOWN || kind == COMPARE_CRNG_UP))
    kind = COMPARE_CRNG_INTERRUPT;
  draw_args(m, add(m, kind));
  // A CPU that went comes again, sooner or later, and is used.
  if (kind == COMPARE_CRNG_DOWN && m->list->num + 3 < COMPARE_EVENTS_MAX && roll(m, 2)) {
    u8 cpu = m->list->event[m->list->num - 1].cpu;
    struct compare_event *read;

    add(m, COMPARE_CRNG_UP)->cpu = cpu;
    read = add(m, roll(m, 2) ? COMPARE_CRNG_BYTES : COMPARE_CRNG_BATCHED);
    read->cpu = cpu;
    draw_args(m, read);
  }
}

void compare_crng_generate(struct compare_list *list, u32 linux_version) {
  static const u16 hz[HZ_KINDS] = {250, 100, 1000};
  static const u8 arch_longs[] = {0, 0, 8, 3};
  static const u32 uptime_s[] = {0, 0, 30, 119, 100000};
  struct maker m = {.list = list,
                    .dice = {sim_mix64(list->seed)},
                    .linux_version = linux_version,
                    .now_ns = 2 * SIM_NSEC_PER_SEC};
  u32 more;

  m.hz = PICK(&m, hz);
  m.num_cpus = 1 + (u32)roll(&m, COMPARE_CRNG_CPUS_MAX);
  compare_set(list, "hz", m.hz);
  compare_set(list, "num_cpus", m.num_cpus);
  compare_set(list, "arch_longs", PICK(&m, arch_longs));
  compare_set(list, "trust_cpu", (s64)roll(&m, 2));
  compare_set(list, "trust_boot", (s64)roll(&m, 2));
  compare_set(list, "uptime_s", PICK(&m, uptime_s));
  add_boot(&m);
  more = EVENTS_MIN + (u32)roll(&m, EVENTS_MORE - EVENTS_MIN);
  while (more-- && list->num < COMPARE_EVENTS_MAX) add_any(&m);
  list->end_ns = compare_off_tick(&m.dice, m.now_ns + draw_gap_ns(&m), m.hz);
}
