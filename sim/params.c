// SPDX-License-Identifier: GPL-2.0-or-later
//
// Parameters of a run: the scenario's own, the machine's (sim/config.h) and the suspects
// in one flat table of named integers, and the planted bug. Values come from users and
// from decision files, so sim_params_set takes any text.
//
// Sections: the machine's table; building; reading a value; looking up.
#include "sim/config.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/scenario.h"

// ---- The machine's table ----

enum machine_field {
#define X(field, type, def, min, max, unit, line) MACHINE_##field,
  SIM_CONFIG_TABLE(X)
#undef X
      MACHINE_COUNT
};

static const struct sim_param machine_params[MACHINE_COUNT] = {
#define X(field, type, def, min, max, unit, line) {#field, def, min, max, unit, line, NULL},
    SIM_CONFIG_TABLE(X)
#undef X
};

// The table has every field of struct sim_config, in order and with its type: the struct
// made from it has the same layout.
struct config_mirror {
#define X(field, type, def, min, max, unit, line) type field;
  SIM_CONFIG_TABLE(X)
#undef X
};
#define X(field, type, def, min, max, unit, line)                                             \
  _Static_assert(offsetof(struct config_mirror, field) == offsetof(struct sim_config, field), \
                 "sim/config.h lists the fields of struct sim_config");                       \
  _Static_assert((min) <= (def) && (def) <= (max), "a default lies within its bounds");
SIM_CONFIG_TABLE(X)
#undef X
_Static_assert(sizeof(struct config_mirror) == sizeof(struct sim_config),
               "sim/config.h lists every field of struct sim_config");

u32 sim_machine_params_count(void) { return MACHINE_COUNT; }

const struct sim_param *sim_machine_param(u32 index) {
  SIM_ASSERT(index < MACHINE_COUNT);
  return &machine_params[index];
}

void sim_config_default(struct sim_config *out_config) {
  memset(out_config, 0, sizeof(*out_config));
#define X(field, type, def, min, max, unit, line) out_config->field = def;
  SIM_CONFIG_TABLE(X)
#undef X
}

// What bounds alone cannot say.
static bool machine_value_ok(int field, s64 value) {
  return field != MACHINE_hz || value == 100 || value == 250 || value == 1000;
}

static int machine_field_by_name(const char *name) {
  for (int i = 0; i < MACHINE_COUNT; i++)
    if (strcmp(machine_params[i].name, name) == 0) return i;
  return -1;
}

// ---- Building ----

enum { KEY_LEN = 64, NOT_MACHINE = -1 };

struct entry {
  char key[KEY_LEN];
  s64 value, def, min, max;
  const char *const *names;           // enumeration, or NULL
  const struct sim_suspect *suspect;  // or NULL
  int field;                          // enum machine_field, or NOT_MACHINE
  bool own;                           // the scenario's, not the machine's
};

struct sim_params {
  const struct sim_scenario *scenario;
  const struct sim_bug *bug;
  s64 needed;  // the value of the parameter that it needs
  u32 num;
  struct entry entry[];
};

static struct entry *find(const struct sim_params *params, const char *key) {
  for (u32 i = 0; i < params->num; i++)
    if (strcmp(params->entry[i].key, key) == 0) return (struct entry *)&params->entry[i];
  return NULL;
}

static struct entry *add(struct sim_params *params, const char *prefix, const char *name) {
  struct entry *e = &params->entry[params->num];
  int len = snprintf(e->key, sizeof(e->key), "%s%s", prefix, name);
  SIM_ASSERT(len > 0 && len < KEY_LEN);
  SIM_ASSERT(!find(params, e->key));
  params->num++;
  e->field = NOT_MACHINE;
  return e;
}

static void set_range(struct entry *e, s64 def, s64 min, s64 max) {
  SIM_ASSERT(min <= def && def <= max);
  e->value = e->def = def;
  e->min = min;
  e->max = max;
}

static s64 num_names(const char *const *names) {
  s64 n = 0;
  while (names[n]) n++;
  return n;
}

static void add_own(struct sim_params *params, const struct sim_param *p) {
  struct entry *e = add(params, "", p->name);
  e->own = true;
  e->names = p->names;
  e->field = machine_field_by_name(p->name);
  if (e->names) {
    // An enumeration's bounds are its names'.
    SIM_ASSERT(e->field == NOT_MACHINE);
    set_range(e, p->def, 0, num_names(p->names) - 1);
  } else if (e->field == NOT_MACHINE) {
    set_range(e, p->def, p->min, p->max);
  } else {
    const struct sim_param *machine = &machine_params[e->field];
    bool inherit = p->min == 0 && p->max == 0 && p->line == NULL;
    SIM_ASSERT(inherit || (p->min >= machine->min && p->max <= machine->max));
    SIM_ASSERT(machine_value_ok(e->field, p->def));
    set_range(e, p->def, inherit ? machine->min : p->min, inherit ? machine->max : p->max);
  }
}

struct sim_params *sim_params_new(const struct sim_scenario *scenario) {
  u32 cap = MACHINE_COUNT;
  for (const struct sim_param *p = scenario->params; p && p->name; p++) cap++;
  for (const struct sim_suspect *s = scenario->suspects; s && s->name; s++) cap++;
  struct sim_params *params = calloc(1, sizeof(*params) + cap * sizeof(params->entry[0]));
  SIM_ASSERT(params);
  params->scenario = scenario;
  for (const struct sim_param *p = scenario->params; p && p->name; p++) add_own(params, p);
  for (int i = 0; i < MACHINE_COUNT; i++) {
    const struct sim_param *p = &machine_params[i];
    if (find(params, p->name)) continue;
    if (i == MACHINE_hooks && !scenario->hooked) continue;
    struct entry *e = add(params, "", p->name);
    e->field = i;
    set_range(e, p->def, p->min, p->max);
  }
  for (const struct sim_suspect *s = scenario->suspects; s && s->name; s++) {
    struct entry *e = add(params, "suspect.", s->name);
    e->suspect = s;
    set_range(e, 0, 0, 1);
  }
  return params;
}

struct sim_params *sim_params_clone(const struct sim_params *params) {
  size_t size = sizeof(*params) + params->num * sizeof(params->entry[0]);
  struct sim_params *copy = malloc(size);
  SIM_ASSERT(copy);
  memcpy(copy, params, size);
  return copy;
}

void sim_params_free(struct sim_params *params) { free(params); }

const struct sim_scenario *sim_params_scenario(const struct sim_params *params) {
  return params->scenario;
}

// ---- Reading a value ----

static int digit_of(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return 99;
}

enum number { NUMBER_OK, NUMBER_BAD, NUMBER_RANGE };

// A decimal number, or a hexadecimal one after 0x, with one '-' before it at most. Unlike
// strtoll it takes no blanks, no '+', no octal, and no locale.
static enum number parse_number(const char *text, s64 *out) {
  bool negative = *text == '-';
  if (negative) text++;
  int base = 10;
  if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
    base = 16;
    text += 2;
  }
  if (!*text) return NUMBER_BAD;
  u64 limit = negative ? (u64)INT64_MAX + 1 : (u64)INT64_MAX;
  u64 value = 0;
  bool range = false;
  for (; *text; text++) {
    int d = digit_of(*text);
    if (d >= base) return NUMBER_BAD;
    if (value > (limit - (u64)d) / (u64)base) range = true;
    if (!range) value = value * (u64)base + (u64)d;
  }
  if (range) return NUMBER_RANGE;
  *out = negative ? (s64)(0 - value) : (s64)value;
  return NUMBER_OK;
}

SIM_PRINTF(3, 4) static bool refuse(char *err, size_t len, const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  vsnprintf(err, len, fmt, ap);
  va_end(ap);
  return false;
}

static bool refuse_names(char *err, size_t len, const struct entry *e, const char *value) {
  int at = snprintf(err, len, "%s: '%.40s' is none of", e->key, value);
  for (s64 i = 0; e->names[i] && at >= 0 && (size_t)at < len; i++)
    at += snprintf(err + at, len - (size_t)at, "%s%s", i ? ", " : " ", e->names[i]);
  return false;
}

bool sim_params_set(struct sim_params *params, const char *key, const char *value, char *err,
                    size_t len) {
  struct entry *e = find(params, key);
  if (!e)
    return refuse(err, len, "scenario %s has no parameter '%.60s'", params->scenario->name, key);
  s64 number = 0;
  for (s64 i = 0; e->names && e->names[i]; i++) {
    if (strcmp(e->names[i], value) != 0) continue;
    e->value = i;
    return true;
  }
  switch (parse_number(value, &number)) {
    case NUMBER_BAD:
      if (e->names) return refuse_names(err, len, e, value);
      return refuse(err, len, "%s: '%.40s' is not a number", e->key, value);
    case NUMBER_OK:
      if (number >= e->min && number <= e->max) break;
      __attribute__((fallthrough));
    case NUMBER_RANGE:
      return refuse(err, len, "%s: %.40s is not within %lld..%lld", e->key, value,
                    (long long)e->min, (long long)e->max);
  }
  if (!machine_value_ok(e->field, number))
    return refuse(err, len, "%s: %.40s is none of 100, 250, 1000", e->key, value);
  e->value = number;
  return true;
}

bool sim_params_set_bug(struct sim_params *params, const char *id) {
  for (const struct sim_bug *b = params->scenario->bugs; b && b->id; b++) {
    if (strcmp(b->id, id) != 0) continue;
    params->bug = b;
    char err[128];
    SIM_ASSERT(!b->needs || sim_params_set(params, b->needs, b->value, err, sizeof(err)));
    params->needed = b->needs ? find(params, b->needs)->value : 0;
    return true;
  }
  return false;
}

// ---- Looking up ----

const char *sim_params_bug(const struct sim_params *params) {
  return params->bug ? params->bug->id : NULL;
}

bool sim_params_get(const struct sim_params *params, const char *key, s64 *out) {
  const struct entry *e = find(params, key);
  if (!e) return false;
  *out = e->value;
  return true;
}

// Not what it is without being set: its default, or what the bug that is on sets.
static bool is_changed(const struct sim_params *params, const struct entry *e) {
  const struct sim_bug *bug = params->bug;

  if (e->value != e->def) return true;
  return bug && bug->needs && strcmp(bug->needs, e->key) == 0 && e->value != params->needed;
}

bool sim_params_changed(const struct sim_params *params, u32 index, const char **key, char *value,
                        size_t len) {
  for (u32 i = 0; i < params->num; i++) {
    const struct entry *e = &params->entry[i];
    if (!is_changed(params, e) || index-- > 0) continue;
    *key = e->key;
    if (e->names)
      snprintf(value, len, "%s", e->names[e->value]);
    else
      snprintf(value, len, "%lld", (long long)e->value);
    return true;
  }
  return false;
}

const struct sim_suspect *sim_params_suspect_of(const struct sim_params *params,
                                                const char *oracle_id) {
  for (u32 i = 0; i < params->num; i++) {
    const struct entry *e = &params->entry[i];
    if (!e->suspect || !e->value) continue;
    for (const char *const *id = e->suspect->oracles; id && *id; id++)
      if (strcmp(*id, oracle_id) == 0) return e->suspect;
  }
  return NULL;
}

void sim_params_to_config(const struct sim_params *params, struct sim_config *out) {
  memset(out, 0, sizeof(*out));
  for (u32 i = 0; i < params->num; i++) {
    const struct entry *e = &params->entry[i];
    switch (e->field) {
#define X(field, type, def, min, max, unit, line) \
  case MACHINE_##field:                           \
    out->field = (type)e->value;                  \
    break;
      SIM_CONFIG_TABLE(X)
#undef X
      default:
        break;
    }
  }
}

s64 sim_param(const char *name) {
  const struct entry *e = find(sim_world_params(sim_w), name);
  SIM_ASSERT(e && e->own);
  return e->value;
}

bool sim_bug(const char *id) {
  const char *on = sim_params_bug(sim_world_params(sim_w));
  return on && strcmp(on, id) == 0;
}

bool sim_suspect(const char *name) {
  const struct sim_params *params = sim_world_params(sim_w);
  for (u32 i = 0; i < params->num; i++) {
    const struct entry *e = &params->entry[i];
    if (e->suspect && strcmp(e->suspect->name, name) == 0) return e->value != 0;
  }
  return false;
}
