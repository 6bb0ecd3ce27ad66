// SPDX-License-Identifier: GPL-2.0-or-later
//
// See compare_play.h. Sections: settings; numbers and data; notes; the conductor.
#include "models/compare/compare_play.h"

#include <string.h>

#include "sim/cpu.h"
#include "sim/world.h"

// ---- Settings ----

// Of the process, as the subject is: no run changes them.
static const struct compare_list *list_now;
static struct compare_log *log_now;
static size_t stage_now;

void compare_use(const struct compare_family *family, const struct compare_list *list,
                 struct compare_log *log) {
  stage_now = family->stage;
  list_now = list;
  log_now = log;
  log->num = 0;
  log->full = log->cut = false;
}

static struct compare_stage *the_stage(void) {
  return (struct compare_stage *)((char *)sim_private() + stage_now);
}

const struct compare_list *compare_list(void) { return list_now; }

// ---- Numbers and data ----

u64 compare_roll(struct compare_dice *dice, u64 n) {
  dice->state += 0x9e3779b97f4a7c15ull;
  return sim_mix64(dice->state) % n;
}

void compare_data(u64 tag, void *out, size_t len) {
  for (size_t at = 0; at < len; at += 8) {
    u64 word = sim_mix64(sim_mix64(tag) + at);

    memcpy((u8 *)out + at, &word, len - at < 8 ? len - at : 8);
  }
}

u64 compare_hash(const void *bytes, size_t len) {
  const u8 *at = bytes;
  u64 hash = 0xcbf29ce484222325ull ^ len;

  for (size_t i = 0; i < len; i++) hash = (hash ^ at[i]) * 0x100000001b3ull;
  return sim_mix64(hash);
}

void compare_set(struct compare_list *list, const char *name, s64 value) {
  SIM_ASSERT(list->num_settings < COMPARE_SETTINGS_MAX);
  list->setting[list->num_settings].name = name;
  list->setting[list->num_settings++].value = value;
}

u64 compare_off_tick(struct compare_dice *dice, u64 ns, u32 hz) {
  u64 tick_ns = SIM_NSEC_PER_SEC / hz;

  return ns - ns % tick_ns +
         COMPARE_STEP_NS * (1 + compare_roll(dice, tick_ns / COMPARE_STEP_NS - 1));
}

// ---- Notes ----

void compare_note(u32 field, u32 index, u64 value) {
  const struct compare_stage *stage = the_stage();

  if (log_now->cut) return;
  if (log_now->num == COMPARE_NOTES_MAX) {
    log_now->full = true;
    return;
  }
  log_now->note[log_now->num++] =
      (struct compare_note){(u16)stage->moment, (u8)field, (u8)index, value};
}

u64 compare_now_ns(void) {
  u64 now = sim_clock_ns();

  return now - now % COMPARE_STEP_NS;
}

// ---- The conductor ----

static void ring(struct sim_hrtimer *timer) {
  struct compare_stage *stage = sim_container_of(timer, struct compare_stage, alarm);

  stage->rings = true;
  sim_wake_up_process(stage->conductor);
}

static void sleep_until(struct compare_stage *stage, u64 at_ns) {
  if (at_ns <= sim_clock_ns()) return;
  stage->rings = false;
  sim_hrtimer_start(&stage->alarm, at_ns, at_ns);
  for (;;) {
    sim_set_current_state(SIM_TASK_IDLE);
    if (stage->rings) break;
    sim_schedule();
  }
  sim_set_current_state(SIM_TASK_RUNNING);
}

static void carry_out(void *arg) {
  struct compare_hand *hand = arg;
  const struct compare_stage *stage = the_stage();

  stage->play->run(hand->number, &list_now->event[hand->number]);
  hand->ended = true;
}

static void begin(struct compare_stage *stage, u32 number) {
  const struct compare_event *event = &list_now->event[number];
  u32 cpu = event->cpu < sim_nr_cpus() && sim_cpu_online(event->cpu) ? event->cpu : 0;
  struct compare_hand *hand = &stage->hand[number];

  hand->number = number;
  if (!event->irq)
    hand->task = sim_task_new("event", carry_out, hand, cpu);
  else if (sim_smp_call_function_single(cpu, carry_out, hand, true))
    SIM_ASSERT(!"an online CPU answers");
}

static bool is_settled(const struct compare_stage *stage) {
  for (u32 i = 0; i < list_now->num; i++) {
    const struct compare_hand *hand = &stage->hand[i];

    if (hand->task && !hand->ended && sim_task_state(hand->task) == SIM_TASK_RUNNING) return false;
  }
  return !stage->play->runs || !stage->play->runs();
}

// Looks at `at_ns`; false, and the list is cut, if the world has not settled by then.
static bool look_at(struct compare_stage *stage, u64 at_ns) {
  sleep_until(stage, at_ns);
  if (is_settled(stage)) {
    stage->play->look();
    return true;
  }
  log_now->cut = true;
  log_now->cut_moment = stage->moment;
  return false;
}

// The first event from `number` on that is not left out; list_now->num if there is none.
static u32 next_event(u32 number) {
  while (number < list_now->num && list_now->event[number].left_out) number++;
  return number;
}

static bool play_event(struct compare_stage *stage, u32 number) {
  u64 at_ns = list_now->event[number].at_ns;

  // Until then time alone brings what comes.
  stage->moment = 2 * number;
  if (!look_at(stage, at_ns - COMPARE_STEP_NS)) return false;
  sleep_until(stage, at_ns);
  stage->moment = 2 * number + 1;
  begin(stage, number);
  return look_at(stage, at_ns + stage->play->settle_ns);
}

static void end(struct compare_stage *stage) {
  stage->moment = 2 * list_now->num + 1;
  for (u32 i = 0; i < list_now->num; i++) (void)compare_signal(i);
  for (u32 i = 0; i < list_now->num; i++)
    if (stage->hand[i].task) sim_task_join(stage->hand[i].task);
  if (stage->play->wind_up) stage->play->wind_up();
  stage->play->look();
}

void compare_conduct(const struct compare_play *play) {
  struct compare_stage *stage = the_stage();
  u32 number = next_event(0);

  stage->conductor = sim_current();
  stage->play = play;
  sim_hrtimer_setup(&stage->alarm, ring);
  while (number < list_now->num && play_event(stage, number)) number = next_event(number + 1);
  if (number == list_now->num) {
    stage->moment = 2 * number;
    (void)look_at(stage, list_now->end_ns);
  }
  // A busy loop goes on until there is a signal.
  end(stage);
}

bool compare_signal(u32 number) {
  const struct compare_stage *stage = the_stage();
  const struct compare_hand *hand = &stage->hand[number];

  if (!hand->task || hand->ended) return false;
  sim_send_signal(hand->task);
  return true;
}
