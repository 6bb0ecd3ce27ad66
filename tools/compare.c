// SPDX-License-Identifier: GPL-2.0-or-later
//
// See compare.h. Sections: running; differences; shrinking; telling.
#include "tools/compare.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/choice.h"
#include "sim/scenario.h"

static u32 least(u32 a, u32 b) { return a < b ? a : b; }

// ---- Running ----

void compare_open(struct compare_pair *pair) {
  pair->world = sim_world_new();
  SIM_ASSERT(pair->world);
}

void compare_close(struct compare_pair *pair) {
  sim_world_free(pair->world);
  kernel_subject_set(NULL);
}

void compare_make(const struct compare_pair *pair, u64 seed, struct compare_list *out) {
  memset(out, 0, sizeof(*out));
  out->seed = seed;
  pair->family->generate(out, pair->linux_version);
}

static void set(struct sim_params *params, const char *key, s64 value) {
  char err[160], text[24];

  snprintf(text, sizeof(text), "%lld", (long long)value);
  if (!sim_params_set(params, key, text, err, sizeof(err)))
    SIM_ASSERT(!"a list sets what there is");
}

static struct sim_params *make_params(const struct compare_pair *pair,
                                      const struct compare_side *side,
                                      const struct compare_list *list) {
  const struct sim_scenario *scenario = pair->family->scenario;
  struct sim_params *params = sim_params_new(scenario);

  for (u32 i = 0; i < list->num_settings; i++)
    set(params, list->setting[i].name, list->setting[i].value);
  if (side->kernel) return params;
  pair->family->set_version(params, pair->linux_version);
  for (const struct sim_suspect *suspect = scenario->suspects; suspect && suspect->name;
       suspect++) {
    char key[96];

    snprintf(key, sizeof(key), "suspect.%s", suspect->name);
    set(params, key, 1);
  }
  if (side->bug && !sim_params_set_bug(params, side->bug)) SIM_ASSERT(!"the bug was looked for");
  return params;
}

static void run_side(struct compare_pair *pair, u32 number, const struct compare_list *list,
                     char finding[SIM_KEY_LEN]) {
  const struct compare_side *side = &pair->side[number];
  static const struct sim_input calm = {.backend = SIM_BACKEND_CALM};
  struct sim_params *params = make_params(pair, side, list);
  struct sim_result result = {0};
  enum sim_status status;

  kernel_subject_set(side->kernel);
  compare_use(pair->family, list, &pair->log[number]);
  status = sim_world_setup(pair->world, pair->family->scenario, params, &result);
  if (status == SIM_OK) sim_world_run(pair->world, &calm, &result);
  finding[0] = '\0';
  if (result.num_failures)
    snprintf(finding, SIM_KEY_LEN, "%s: %.90s", result.failures[0].oracle, result.failures[0].text);
  else if (result.status != SIM_OK)
    snprintf(finding, SIM_KEY_LEN, "status %d", (int)result.status);
  if (pair->log[number].full) snprintf(finding, SIM_KEY_LEN, "more was seen than a log holds");
  sim_params_free(params);
}

// ---- Differences ----

// Of one moment and field the notes of an index, in the order in which they were made.
static int by_place(const void *a, const void *b) {
  const struct compare_note *x = a, *y = b;

  if (x->moment != y->moment) return x->moment < y->moment ? -1 : 1;
  if (x->field != y->field) return x->field < y->field ? -1 : 1;
  if (x->index != y->index) return x->index < y->index ? -1 : 1;
  return 0;
}

// What was noted at one place, as one value: where it was noted several times, of all of them.
static u64 take(const struct compare_log *log, u32 *at) {
  const struct compare_note *note = &log->note[*at];
  u64 value = note->value;

  while (++*at < log->num && !by_place(note, &log->note[*at]))
    value = sim_mix64(value) ^ log->note[*at].value;
  return value;
}

static void add(struct compare_outcome *out, const struct compare_note *note, u64 slack,
                const u64 *a, const u64 *b) {
  struct compare_difference *difference = &out->difference[out->num];

  if (out->num == COMPARE_DIFFERENCES_MAX) return;
  if (a && b && (*a < *b ? *b - *a : *a - *b) <= slack) return;
  *difference = (struct compare_difference){
      .moment = note->moment, .field = note->field, .index = note->index};
  difference->has[0] = a;
  difference->has[1] = b;
  difference->value[0] = a ? *a : 0;
  difference->value[1] = b ? *b : 0;
  out->num++;
}

// Merge sort's order is stable, as qsort's of the library is not promised to be.
static void sort(struct compare_log *log) {
  static struct compare_note spare[COMPARE_NOTES_MAX];

  for (u32 width = 1; width < log->num; width *= 2) {
    for (u32 from = 0; from < log->num; from += 2 * width) {
      u32 mid = least(from + width, log->num), end = least(from + 2 * width, log->num);
      u32 a = from, b = mid;

      for (u32 to = from; to < end; to++)
        spare[to] = b == end || (a < mid && by_place(&log->note[a], &log->note[b]) <= 0)
                        ? log->note[a++]
                        : log->note[b++];
    }
    memcpy(log->note, spare, log->num * sizeof(*spare));
  }
}

// What both noted until one of them ended early, by the same finding.
static u32 last_moment(const struct compare_pair *pair, const struct compare_outcome *out) {
  u32 last = UINT32_MAX;

  for (u32 i = 0; i < COMPARE_SIDES && out->finding[i][0]; i++) {
    const struct compare_log *log = &pair->log[i];

    last = least(last, log->num ? log->note[log->num - 1].moment : 0);
  }
  return last;
}

static void find(struct compare_pair *pair, struct compare_outcome *out) {
  const struct compare_log *a = &pair->log[0], *b = &pair->log[1];
  u32 end = last_moment(pair, out), i = 0, j = 0;

  for (u32 side = 0; side < COMPARE_SIDES; side++) {
    if (!pair->log[side].cut) continue;
    out->cut = true;
    end = least(end, pair->log[side].cut_moment);
  }
  while (i < a->num || j < b->num) {
    int order = i == a->num ? 1 : j == b->num ? -1 : by_place(&a->note[i], &b->note[j]);
    const struct compare_note *note = order <= 0 ? &a->note[i] : &b->note[j];
    u64 x = 0, y = 0;

    if (note->moment >= end) return;
    if (out->num && note->moment != out->difference[0].moment) return;
    if (order <= 0) x = take(a, &i);
    if (order >= 0) y = take(b, &j);
    add(out, note, pair->family->fields[note->field].slack, order <= 0 ? &x : NULL,
        order >= 0 ? &y : NULL);
  }
}

void compare_run(struct compare_pair *pair, const struct compare_list *list,
                 struct compare_outcome *out) {
  memset(out, 0, sizeof(*out));
  for (u32 i = 0; i < COMPARE_SIDES; i++) {
    run_side(pair, i, list, out->finding[i]);
    sort(&pair->log[i]);
  }
  // A run that has ended early noted nothing more.
  if (strcmp(out->finding[0], out->finding[1]) != 0) {
    const struct compare_log *log = &pair->log[!out->finding[0][0]];

    out->num = 1;
    out->difference[0] = (struct compare_difference){
        .moment = log->num ? log->note[log->num - 1].moment : 0, .field = pair->family->num_fields};
    return;
  }
  find(pair, out);
}

const char *compare_moment(const struct compare_family *family, const struct compare_list *list,
                           u32 moment) {
  if (moment > 2 * list->num) return "end";
  return moment % 2 ? family->kinds[list->event[moment / 2].kind].name : "time";
}

static const char *field_name(const struct compare_family *family, u32 field) {
  return field == family->num_fields ? "finding" : family->fields[field].name;
}

void compare_key(const struct compare_pair *pair, const struct compare_list *list,
                 const struct compare_outcome *outcome, char out[COMPARE_KEY_LEN]) {
  const struct compare_difference *first = outcome->difference;

  *out = '\0';
  if (!outcome->num) return;
  snprintf(out, COMPARE_KEY_LEN, "%s/%s/%s", pair->family->scenario->name,
           compare_moment(pair->family, list, first->moment),
           field_name(pair->family, first->field));
  for (char *at = out; *at; at++)
    if (*at == ' ') *at = '-';
}

// ---- Shrinking ----

static bool still(struct compare_pair *pair, const struct compare_list *list, const char *key) {
  struct compare_outcome outcome;
  char now[COMPARE_KEY_LEN];

  compare_run(pair, list, &outcome);
  compare_key(pair, list, &outcome, now);
  return !strcmp(now, key);
}

void compare_shrink(struct compare_pair *pair, struct compare_list *list, const char *key) {
  u32 width = list->num;
  bool better = true;

  while (width > 1 || better) {
    better = false;
    width = width > 1 ? (width + 1) / 2 : 1;
    for (u32 from = 0; from < list->num; from += width) {
      struct compare_list less = *list;
      bool any = false;

      for (u32 i = from; i < least(from + width, list->num); i++) {
        any |= !less.event[i].left_out;
        less.event[i].left_out = true;
      }
      if (!any || !still(pair, &less, key)) continue;
      *list = less;
      better = true;
    }
  }
}

// ---- Telling ----

static void tell_time(u64 ns, struct text *text) {
  text_addf(text, "%u.%06u s", (u32)(ns / SIM_NSEC_PER_SEC), (u32)(ns % SIM_NSEC_PER_SEC / 1000));
}

static void tell_value(const struct compare_field *field, bool has, u64 value, struct text *text) {
  if (!has)
    text_add(text, "none");
  else if (field->form == COMPARE_SIGNED)
    text_addf(text, "%" PRId64, (s64)value);
  else if (field->form == COMPARE_HASH)
    text_addf(text, "#%016" PRIx64, value);
  else if (field->form == COMPARE_NS)
    tell_time(value, text);
  else
    text_addf(text, "%" PRIu64, value);
}

static void tell_event(const struct compare_family *family, const struct compare_list *list,
                       u32 number, struct text *text) {
  const struct compare_event *event = &list->event[number];
  const struct compare_kind *kind = &family->kinds[event->kind];

  text_addf(text, "  %2u  ", number);
  tell_time(event->at_ns, text);
  text_addf(text, "  CPU %u %s  %s(", event->cpu, event->irq ? "irq " : "task", kind->name);
  for (u32 i = 0; i < COMPARE_ARGS_MAX && kind->arg[i]; i++)
    text_addf(text, "%s%s=%" PRIu64, i ? ", " : "", kind->arg[i], event->arg[i]);
  text_add(text, ")\n");
}

static void tell_field(const struct compare_field *field, u32 index, struct text *text) {
  text_add(text, field->name);
  if (field->of) text_addf(text, " [%s %u]", field->of, index);
}

static void tell_difference(const struct compare_pair *pair, const struct compare_outcome *outcome,
                            const struct compare_difference *difference, struct text *text) {
  const struct compare_family *family = pair->family;

  text_add(text, "    ");
  if (difference->field == family->num_fields)
    text_add(text, "finding");
  else
    tell_field(&family->fields[difference->field], difference->index, text);
  for (u32 i = 0; i < COMPARE_SIDES; i++) {
    text_addf(text, "%s%s ", i ? ", " : ": ", pair->side[i].name);
    if (difference->field == family->num_fields)
      text_add(text, outcome->finding[i][0] ? outcome->finding[i] : "none");
    else
      tell_value(&family->fields[difference->field], difference->has[i], difference->value[i],
                 text);
  }
  text_add(text, "\n");
}

static void tell_machine(const struct compare_list *list, struct text *text) {
  text_add(text, "  machine:");
  for (u32 i = 0; i < list->num_settings; i++)
    text_addf(text, " %s=%lld", list->setting[i].name, (long long)list->setting[i].value);
  text_add(text, "\n");
}

void compare_tell(const struct compare_pair *pair, const struct compare_list *list,
                  const struct compare_outcome *outcome, struct text *text) {
  u32 moment = outcome->num ? outcome->difference[0].moment : 2 * list->num + 1;

  tell_machine(list, text);
  for (u32 i = 0; i < list->num && 2 * i <= moment; i++)
    if (!list->event[i].left_out && (2 * i + 1 <= moment || i == moment / 2))
      tell_event(pair->family, list, i, text);
  if (!outcome->num) return;
  if (moment >= 2 * list->num)
    text_addf(text, "  %s:\n", moment % 2 ? "at the end" : "before the end");
  else
    text_addf(text, "  %s %u:\n", moment % 2 ? "after event" : "before event", moment / 2);
  for (u32 i = 0; i < outcome->num; i++)
    tell_difference(pair, outcome, &outcome->difference[i], text);
}

// The value that stood at this place before; false: none did.
static bool value_before(const struct compare_log *log, const struct compare_note *note, u64 *out) {
  for (u32 i = (u32)(note - log->note); i-- > 0;)
    if (log->note[i].field == note->field && log->note[i].index == note->index) {
      *out = log->note[i].value;
      return true;
    }
  return false;
}

void compare_tell_all(const struct compare_pair *pair, const struct compare_list *list,
                      struct text *text) {
  const struct compare_family *family = pair->family;

  tell_machine(list, text);
  for (u32 moment = 0; moment <= 2 * list->num + 1; moment++) {
    if (moment % 2 && moment / 2 < list->num && !list->event[moment / 2].left_out)
      tell_event(family, list, moment / 2, text);
    for (u32 side = 0; side < COMPARE_SIDES; side++) {
      const struct compare_log *log = &pair->log[side];

      for (u32 i = 0; i < log->num; i++) {
        const struct compare_note *note = &log->note[i];
        u64 before;

        if (note->moment != moment) continue;
        if (value_before(log, note, &before) && before == note->value) continue;
        text_addf(text, "    %-8s", pair->side[side].name);
        tell_field(&family->fields[note->field], note->index, text);
        text_add(text, ": ");
        tell_value(&family->fields[note->field], true, note->value, text);
        text_add(text, "\n");
      }
    }
  }
}

void compare_tell_only(const struct compare_list *list, struct text *text) {
  const char *before = "";

  for (u32 i = 0; i < list->num; i++) {
    if (list->event[i].left_out) continue;
    text_addf(text, "%s%u", before, i);
    before = ",";
  }
}

bool compare_only(struct compare_list *list, const char *text, const char **out_why) {
  for (u32 i = 0; i < list->num; i++) list->event[i].left_out = true;
  for (;;) {
    size_t len = strcspn(text, ",");
    char word[24];
    u64 number;

    snprintf(word, sizeof(word), "%.*s", (int)least((u32)len, sizeof(word) - 1), text);
    if (!text_parse_u64(word, &number, out_why)) return false;
    if (number >= list->num) {
      *out_why = "the list has no event of that number";
      return false;
    }
    list->event[number].left_out = false;
    if (!text[len]) return true;
    text += len + 1;
  }
}
