// SPDX-License-Identifier: GPL-2.0-or-later
//
// See fuzz_input.h.
#include "fuzz/fuzz_input.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "sim/strategy.h"

enum { SETTABLE_MAX = 64 };

// What may be set of the machine, and no other of its parameters, whoever lists them.
static const struct sim_param machine[] = {
    {.name = "num_cpus", .min = 1, .max = 4},
    {.name = "hz", .min = 100, .max = 1000},
    {.name = "preempt", .min = 0, .max = 1},
};

static bool is_machines(const char *name) {
  for (u32 i = 0; i < sim_machine_params_count(); i++)
    if (!strcmp(sim_machine_param(i)->name, name)) return true;
  return false;
}

// It counts something.
static bool may_be_set(const struct sim_param *param) {
  const char *unit = param->unit ? param->unit : "";

  return !param->names && !param->provokes && param->min < param->max &&
         !is_machines(param->name) && (!*unit || !strcmp(unit, "B") || !strcmp(unit, "bytes"));
}

// Those that may be set, of the scenario that was asked for last: asked for with each input.
static struct {
  const struct sim_scenario *of;
  const struct sim_param *param[SETTABLE_MAX];
  u32 num;
} settable;

static u32 num_settable(const struct sim_scenario *scenario) {
  if (settable.of == scenario) return settable.num;
  settable.of = scenario;
  settable.num = 0;
  for (u32 i = 0; i < SIM_ARRAY_SIZE(machine); i++) settable.param[settable.num++] = &machine[i];
  for (const struct sim_param *p = scenario->params; p && p->name; p++)
    if (may_be_set(p) && settable.num < SETTABLE_MAX) settable.param[settable.num++] = p;
  return settable.num;
}

static u32 choices_of(const struct sim_param *param) {
  if (!strcmp(param->name, "hz")) return 3;
  return param->max - param->min < 16 ? (u32)(param->max - param->min + 1) : 5;
}

static s64 value_of(const struct sim_param *param, u32 choice) {
  static const s64 hz[] = {250, 100, 1000};
  const s64 def = param->def, among[] = {def, param->min, def + 1, 2 * def, def / 2};

  if (!strcmp(param->name, "hz")) return hz[choice];
  if (param->max - param->min < 16) return param->min + choice;
  return among[choice] < param->min   ? param->min
         : among[choice] > param->max ? param->max
                                      : among[choice];
}

struct fuzz_head fuzz_head(const u8 *bytes, size_t len) {
  struct fuzz_head head = {0};
  size_t room = len ? len - 1 : 0;
  u32 settings, turns;

  if (!len) return head;
  settings = bytes[0] % (FUZZ_SETTINGS_MAX + 1);
  turns = bytes[0] >> FUZZ_TURNS_SHIFT & FUZZ_TURNS_MAX;
  while (head.num_settings < settings && room >= FUZZ_SETTING_LEN) {
    head.num_settings++;
    room -= FUZZ_SETTING_LEN;
  }
  if (head.num_settings < settings || !(bytes[0] & FUZZ_BASED) || room < FUZZ_BASE_LEN) return head;
  head.based = true;
  room -= FUZZ_BASE_LEN;
  head.num_turns = turns < room / FUZZ_TURN_LEN ? turns : (u32)(room / FUZZ_TURN_LEN);
  return head;
}
u8 fuzz_head_byte(struct fuzz_head head) {
  return (u8)(head.num_settings | (head.based ? FUZZ_BASED : 0) |
              head.num_turns << FUZZ_TURNS_SHIFT);
}

size_t fuzz_head_len(struct fuzz_head head) {
  return 1 + (size_t)head.num_settings * FUZZ_SETTING_LEN + (head.based ? FUZZ_BASE_LEN : 0) +
         (size_t)head.num_turns * FUZZ_TURN_LEN;
}

static u64 number_at(const u8 *at, u32 len) {
  u64 number = 0;

  for (u32 i = 0; i < len; i++) number |= (u64)at[i] << 8 * i;
  return number;
}

struct sim_input fuzz_sim_input(const u8 *bytes, size_t len) {
  struct fuzz_head head = fuzz_head(bytes, len);
  size_t begin = len ? fuzz_head_len(head) : 0;
  const u8 *at;
  struct sim_input input = {.backend = SIM_BACKEND_BYTES,
                            .strategy = SIM_STRATEGY_PORTFOLIO,
                            .bytes = bytes + begin,
                            .len = len - begin,
                            .based = head.based,
                            .num_turns = head.num_turns};

  if (!head.based) return input;
  at = bytes + 1 + (size_t)head.num_settings * FUZZ_SETTING_LEN;
  input.seed = number_at(at, FUZZ_BASE_LEN);
  at += FUZZ_BASE_LEN;
  for (u32 i = 0; i < head.num_turns; i++, at += FUZZ_TURN_LEN)
    input.turns[i] = (struct sim_turn){(u32)number_at(at, 2), (u32)number_at(at + 2, 4)};
  return input;
}

size_t fuzz_settings_key(const u8 *bytes, size_t len, const struct sim_scenario *scenario,
                         u8 out_key[2 * FUZZ_SETTINGS_MAX]) {
  size_t end = 1 + (size_t)fuzz_head(bytes, len).num_settings * FUZZ_SETTING_LEN, out = 0;

  for (size_t at = 1; at < end; at += FUZZ_SETTING_LEN) {
    u8 index = (u8)(bytes[at] % num_settable(scenario));
    u32 value = (u32)bytes[at + 1] | (u32)bytes[at + 2] << 8;
    u8 choice = (u8)(value % choices_of(settable.param[index]));
    size_t i = 0;

    while (i < out && out_key[i] < index) i += 2;
    if (i == out || out_key[i] != index) {
      memmove(out_key + i + 2, out_key + i, out - i);
      out += 2;
    }
    out_key[i] = index;
    out_key[i + 1] = choice;
  }
  return out;
}

void fuzz_settings_apply(const u8 *bytes, size_t len, struct sim_params *params) {
  const struct sim_scenario *scenario = sim_params_scenario(params);
  u8 key[2 * FUZZ_SETTINGS_MAX];
  size_t end = fuzz_settings_key(bytes, len, scenario, key);

  for (size_t at = 0; at < end; at += 2) {
    const struct sim_param *param = settable.param[key[at]];
    char text[24], err[160];

    s64 before;

    if (!sim_params_get(params, param->name, &before)) continue;
    snprintf(text, sizeof(text), "%" PRId64, value_of(param, key[at + 1]));
    // A scenario may have narrowed a machine's bounds, or refuse what the value leads to: then it
    // stays.
    if (!sim_params_set(params, param->name, text, err, sizeof(err)) || !scenario->refuses ||
        !scenario->refuses(params, err, sizeof(err)))
      continue;
    snprintf(text, sizeof(text), "%" PRId64, before);
    if (!sim_params_set(params, param->name, text, err, sizeof(err)))
      SIM_ASSERT(!"a value that was set can be set");
  }
}
