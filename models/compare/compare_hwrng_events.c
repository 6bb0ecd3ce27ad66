// SPDX-License-Identifier: GPL-2.0-or-later
//
// Lists of events of the hwrng core: devices come, are chosen, read and go. See
// compare_hwrng.h.
#include "models/compare/compare_hwrng.h"
#include "sim/timer.h"

enum { HZ_KINDS = 3, EVENTS_MIN = 8, EVENTS_MORE = 40, NUM_CPUS_MAX = 2, END_MS = 15000 };

struct maker {
  struct compare_list *list;
  struct compare_dice dice;
  u32 hz, num_cpus;
  bool suspended;  // a read of that device polls: no long time passes
  u64 now_ns;
};

static u64 roll(struct maker *m, u64 n) { return compare_roll(&m->dice, n); }

#define PICK(m, array) ((array)[roll((m), SIM_ARRAY_SIZE(array))])

// Grace periods are of 8 ms or more.
u64 compare_hwrng_settle_ns(u32 hz) { return 30 * SIM_NSEC_PER_MSEC + 3 * SIM_NSEC_PER_SEC / hz; }

static u64 draw_gap_ns(struct maker *m) {
  static const u32 gap_ms[] = {100, 300, 600, 1100, 2500, 7000, 11000, 61000};
  u64 least_ns = compare_hwrng_settle_ns(m->hz) + 2 * SIM_NSEC_PER_SEC / m->hz;

  return least_ns + (roll(m, 3) || m->suspended ? 0 : PICK(m, gap_ms) * SIM_NSEC_PER_MSEC);
}

static struct compare_event *add(struct maker *m, enum compare_hwrng_kind kind) {
  struct compare_event *event = &m->list->event[m->list->num++];

  SIM_ASSERT(m->list->num <= COMPARE_EVENTS_MAX);
  m->now_ns = compare_off_tick(&m->dice, m->now_ns + draw_gap_ns(m), m->hz);
  event->at_ns = m->now_ns;
  event->kind = (u8)kind;
  event->cpu = (u8)roll(m, m->num_cpus);
  return event;
}

// A read before this event, or the list's beginning.
static u64 draw_read(struct maker *m) {
  u32 num = m->list->num;

  for (u32 tries = 0; tries < 8 && num > 1; tries++) {
    u32 number = (u32)roll(m, num - 1);

    if (m->list->event[number].kind == COMPARE_HWRNG_READ) return number;
  }
  return 0;
}

static void draw_args(struct maker *m, struct compare_event *event) {
  static const u16 quality[] = {0, 1, 1, 100, 512, 700, 1023, 1024, 1025, 2000};
  static const u16 len[] = {0, 1, 4, 16, 20, 32, 63, 64, 65, 100, 200};
  static const u16 stuck_ms[] = {30, 80, 300, 1300, 2500};
  static const u8 sleep_ms[] = {0, 0, 30, 120};
  u64 *arg = event->arg;

  switch ((enum compare_hwrng_kind)event->kind) {
    case COMPARE_HWRNG_REGISTER:
      arg[0] = roll(m, COMPARE_HWRNG_DEVICES);
      arg[1] = PICK(m, quality);
      break;
    case COMPARE_HWRNG_UNREGISTER:
      arg[0] = roll(m, COMPARE_HWRNG_DEVICES);
      break;
    case COMPARE_HWRNG_READ:
      arg[0] = PICK(m, len);
      arg[1] = !roll(m, 3);
      break;
    case COMPARE_HWRNG_CHOOSE:
      arg[0] = roll(m, COMPARE_HWRNG_NAMES);
      break;
    case COMPARE_HWRNG_QUALITY:
      arg[0] = PICK(m, quality);
      break;
    case COMPARE_HWRNG_SUSPEND:
    case COMPARE_HWRNG_RESUME:
      arg[0] = COMPARE_HWRNG_IPROC;
      m->suspended = event->kind == COMPARE_HWRNG_SUSPEND;
      break;
    case COMPARE_HWRNG_SIGNAL:
      arg[0] = draw_read(m);
      break;
    case COMPARE_HWRNG_STUCK:
      arg[0] = roll(m, COMPARE_HWRNG_PLAIN);
      arg[1] = PICK(m, stuck_ms);
      break;
    case COMPARE_HWRNG_PLAIN_DOES:
      arg[0] = COMPARE_HWRNG_PLAIN + roll(m, COMPARE_HWRNG_DEVICES - COMPARE_HWRNG_PLAIN);
      arg[1] = roll(m, COMPARE_HWRNG_DEEDS);
      arg[2] = PICK(m, sleep_ms);
      break;
    case COMPARE_HWRNG_SHOW:
    case COMPARE_HWRNG_NUM_KINDS:
      break;
  }
}

void compare_hwrng_generate(struct compare_list *list, u32 linux_version) {
  static const u16 hz[HZ_KINDS] = {250, 100, 1000};
  static const u32 uptime_s[] = {0, 30, 100000};
  // As often as they stand here.
  static const u8 kinds[] = {
      COMPARE_HWRNG_REGISTER,   COMPARE_HWRNG_REGISTER,   COMPARE_HWRNG_REGISTER,
      COMPARE_HWRNG_REGISTER,   COMPARE_HWRNG_UNREGISTER, COMPARE_HWRNG_UNREGISTER,
      COMPARE_HWRNG_READ,       COMPARE_HWRNG_READ,       COMPARE_HWRNG_READ,
      COMPARE_HWRNG_READ,       COMPARE_HWRNG_READ,       COMPARE_HWRNG_CHOOSE,
      COMPARE_HWRNG_CHOOSE,     COMPARE_HWRNG_CHOOSE,     COMPARE_HWRNG_SHOW,
      COMPARE_HWRNG_SHOW,       COMPARE_HWRNG_QUALITY,    COMPARE_HWRNG_QUALITY,
      COMPARE_HWRNG_SUSPEND,    COMPARE_HWRNG_RESUME,     COMPARE_HWRNG_SIGNAL,
      COMPARE_HWRNG_STUCK,      COMPARE_HWRNG_PLAIN_DOES, COMPARE_HWRNG_PLAIN_DOES,
      COMPARE_HWRNG_PLAIN_DOES,
  };
  struct maker m = {.list = list, .dice = {sim_mix64(list->seed)}, .now_ns = 2 * SIM_NSEC_PER_SEC};
  u32 num = EVENTS_MIN + (u32)roll(&m, EVENTS_MORE);

  (void)linux_version;
  m.hz = PICK(&m, hz);
  m.num_cpus = 1 + (u32)roll(&m, NUM_CPUS_MAX);
  compare_set(list, "hz", m.hz);
  compare_set(list, "num_cpus", m.num_cpus);
  compare_set(list, "uptime_s", PICK(&m, uptime_s));
  compare_set(list, "crng_ready", (s64)roll(&m, 2));
  compare_set(list, "slow", (s64)roll(&m, 2));
  compare_set(list, "fill", roll(&m, 8) != 0);
  while (num--) draw_args(&m, add(&m, PICK(&m, kinds)));
  list->end_ns = compare_off_tick(&m.dice, m.now_ns + END_MS * SIM_NSEC_PER_MSEC, m.hz);
}
