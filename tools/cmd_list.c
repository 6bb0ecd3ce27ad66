// SPDX-License-Identifier: GPL-2.0-or-later
//
// seedbed list: what can be run, and what can be set.

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tools/command.h"
#include "tools/options.h"
#include "tools/output.h"
#include "tools/registry.h"

enum { KEY_JSON = 0x300, KEY_ALL };

struct arguments {
  const char *scenario;
  bool json, all;
};

static const struct argp_option option_list[] = {
    {"json", KEY_JSON, NULL, 0, "Print one JSON object in place of text", 0},
    {"all", KEY_ALL, NULL, 0, "Scenarios that are for tests only, too", 0},
    {0},
};

static error_t parse(int key, char *arg, struct argp_state *state) {
  struct arguments *arguments = state->input;

  switch (key) {
    case ARGP_KEY_INIT:
      options_begin(state, NULL);
      return 0;
    case KEY_JSON:
      arguments->json = true;
      return 0;
    case KEY_ALL:
      arguments->all = true;
      return 0;
    case ARGP_KEY_ARG:
      if (arguments->scenario) usage_error("list", "'%s': one scenario at a time", arg);
      arguments->scenario = arg;
      return 0;
    default:
      return ARGP_ERR_UNKNOWN;
  }
}

static const struct argp list_argp = {
    .options = option_list,
    .parser = parse,
    .args_doc = "[SCENARIO]",
    .doc =
        "List the scenarios with their parameters, oracles, planted bugs and suspects; and, "
        "without SCENARIO, the parameters that every scenario has, the strategies and the "
        "subjects.\v"
        "Examples:\n"
        "  seedbed list\n"
        "  seedbed list bcm2835-unregister\n"
        "  seedbed list --json\n"
        "\n"
        "Parameters are set by --set=NAME=VALUE, planted bugs by --bug=ID, suspects by "
        "--set=suspect.NAME=1.",
};

static bool shown(const struct arguments *arguments, const struct sim_scenario *scenario) {
  if (arguments->scenario) return !strcmp(arguments->scenario, scenario->name);
  return !scenario->testonly || arguments->all;
}

// ---- Text ----

static const char *value_name(const struct sim_param *param, s64 value, char out[24]) {
  if (param->names) return param->names[value];
  snprintf(out, 24, "%" PRId64, value);
  return out;
}

// A scenario may change no more of a machine's parameter than its default: the rest is the
// machine's.
static struct sim_param whole(const struct sim_param *param) {
  struct sim_param result = *param;
  u32 i;

  if (param->line) return result;
  for (i = 0; i < sim_machine_params_count(); i++) {
    const struct sim_param *machine = sim_machine_param(i);

    if (strcmp(machine->name, param->name)) continue;
    result = *machine;
    result.def = param->def;
  }
  return result;
}

static void add_param(const struct sim_param *param, struct text *text) {
  char def[24], min[24], max[24];
  u32 i;

  text_addf(text, "    %-20s %s%s%s", param->name, value_name(param, param->def, def),
            param->unit && *param->unit ? " " : "", param->unit ? param->unit : "");
  if (param->names) {
    text_add(text, " (one of");
    for (i = 0; param->names[i]; i++) text_addf(text, "%s %s", i ? "," : "", param->names[i]);
    text_add(text, ")");
  } else if (param->min != param->max) {
    text_addf(text, " (%s to %s)", value_name(param, param->min, min),
              value_name(param, param->max, max));
  }
  text_addf(text, "\n        %s\n", param->line);
}

static void add_scenario(const struct sim_scenario *scenario, struct text *text) {
  const struct sim_param *param = scenario->params;
  const struct sim_suspect *suspect = scenario->suspects;
  const struct sim_bug *bug = scenario->bugs;
  u32 i;

  text_addf(text, "%s%s\n  %s\n", scenario->name, scenario->testonly ? " (tests only)" : "",
            scenario->claim);
  if (scenario->takes_image) text_add(text, "  subjects: model, image:FILE, kernel:DIR\n");
  if (scenario->takes_kernel || scenario->takes_guest)
    text_add(text, "  subjects: model, kernel:DIR\n");
  if (param && param->name) text_add(text, "  parameters\n");
  for (; param && param->name; param++) {
    struct sim_param one = whole(param);

    add_param(&one, text);
  }
  text_addf(text, "    and those of every scenario: `seedbed list', hooks %s\n",
            scenario->hooked ? "among them" : "excepted");
  if (scenario->oracles && *scenario->oracles) text_add(text, "  oracles\n");
  for (i = 0; scenario->oracles && scenario->oracles[i]; i++)
    text_addf(text, "    %s\n        %s\n        source: %s\n", scenario->oracles[i]->id,
              scenario->oracles[i]->sentence, scenario->oracles[i]->source);
  if (bug && bug->id) text_add(text, "  planted bugs\n");
  for (; bug && bug->id; bug++) {
    text_addf(text, "    --bug=%-14s %s", bug->id, bug->line);
    if (bug->needs) text_addf(text, " [sets %s=%s]", bug->needs, bug->value);
    text_add(text, "\n");
  }
  if (suspect && suspect->name) text_add(text, "  suspects\n");
  for (; suspect && suspect->name; suspect++) {
    text_addf(text, "    --set=suspect.%s=1\n        %s\n        explains:", suspect->name,
              suspect->line);
    for (i = 0; suspect->oracles[i]; i++)
      text_addf(text, "%s %s", i ? "," : "", suspect->oracles[i]);
    text_add(text, "\n");
  }
  text_add(text, "\n");
}

static void add_common(struct text *text) {
  u32 i;

  text_add(text, "parameters of every scenario\n");
  for (i = 0; i < sim_machine_params_count(); i++) add_param(sim_machine_param(i), text);
  text_add(text, "\nstrategies\n");
  for (i = 0; i < SIM_STRATEGY_COUNT; i++)
    text_addf(text, "    --strategy=%-10s %s%s\n", sim_strategy_name(i), sim_strategy_line(i),
              i == SIM_STRATEGY_PORTFOLIO ? " (default)" : "");
  text_addf(
      text,
      "\nsubjects\n    --subject=model      built in (default), SHA-256 %s\n"
      "    --subject=image:FILE a vDSO, or a kernel file that holds one (see `seedbed image')\n"
      "    --subject=kernel:DIR files of the kernel tree DIR (see docs/KERNEL.md)\n",
      subject_model().sha256);
}

// ---- JSON ----

static cJSON *json_param(const struct sim_param *param) {
  cJSON *object = cJSON_CreateObject(), *names;
  char number[24];
  u32 i;

  cJSON_AddStringToObject(object, "name", param->name);
  snprintf(number, sizeof(number), "%" PRId64, param->def);
  cJSON_AddRawToObject(object, "default", number);
  snprintf(number, sizeof(number), "%" PRId64, param->min);
  cJSON_AddRawToObject(object, "min", number);
  snprintf(number, sizeof(number), "%" PRId64, param->max);
  cJSON_AddRawToObject(object, "max", number);
  json_text(object, "unit", param->unit ? param->unit : "");
  json_text(object, "line", param->line);
  if (param->names) {
    names = cJSON_AddArrayToObject(object, "names");
    for (i = 0; param->names[i]; i++)
      cJSON_AddItemToArray(names, cJSON_CreateString(param->names[i]));
  }
  return object;
}

static cJSON *json_scenario(const struct sim_scenario *scenario) {
  const struct sim_param *param = scenario->params;
  const struct sim_suspect *suspect = scenario->suspects;
  const struct sim_bug *bug = scenario->bugs;
  cJSON *object = cJSON_CreateObject(), *array, *item, *ids;
  u32 i;

  cJSON_AddStringToObject(object, "name", scenario->name);
  cJSON_AddStringToObject(object, "claim", scenario->claim);
  cJSON_AddBoolToObject(object, "testonly", scenario->testonly);
  cJSON_AddBoolToObject(object, "takes_image", scenario->takes_image);
  cJSON_AddBoolToObject(object, "takes_kernel", scenario->takes_kernel);
  cJSON_AddBoolToObject(object, "takes_guest", scenario->takes_guest);
  json_u64(object, "input_len_max", scenario->input_len_max);
  array = cJSON_AddArrayToObject(object, "parameters");
  for (; param && param->name; param++) {
    struct sim_param one = whole(param);

    cJSON_AddItemToArray(array, json_param(&one));
  }
  array = cJSON_AddArrayToObject(object, "oracles");
  for (i = 0; scenario->oracles && scenario->oracles[i]; i++) {
    item = cJSON_CreateObject();
    cJSON_AddStringToObject(item, "id", scenario->oracles[i]->id);
    cJSON_AddNumberToObject(item, "status", (int)scenario->oracles[i]->status);
    json_text(item, "sentence", scenario->oracles[i]->sentence);
    json_text(item, "source", scenario->oracles[i]->source);
    cJSON_AddItemToArray(array, item);
  }
  array = cJSON_AddArrayToObject(object, "bugs");
  for (; bug && bug->id; bug++) {
    item = cJSON_CreateObject();
    cJSON_AddStringToObject(item, "id", bug->id);
    json_text(item, "line", bug->line);
    cJSON_AddItemToArray(array, item);
  }
  array = cJSON_AddArrayToObject(object, "suspects");
  for (; suspect && suspect->name; suspect++) {
    item = cJSON_CreateObject();
    cJSON_AddStringToObject(item, "name", suspect->name);
    json_text(item, "line", suspect->line);
    ids = cJSON_AddArrayToObject(item, "oracles");
    for (i = 0; suspect->oracles[i]; i++)
      cJSON_AddItemToArray(ids, cJSON_CreateString(suspect->oracles[i]));
    cJSON_AddItemToArray(array, item);
  }
  return object;
}

static void print_json(const struct arguments *arguments) {
  cJSON *object = cJSON_CreateObject(), *array = cJSON_AddArrayToObject(object, "scenarios");
  const struct sim_scenario *scenario;
  cJSON *item;
  u32 i;

  for (i = 0; (scenario = registry_at(i)); i++) {
    if (shown(arguments, scenario)) cJSON_AddItemToArray(array, json_scenario(scenario));
  }
  array = cJSON_AddArrayToObject(object, "parameters");
  for (i = 0; i < sim_machine_params_count(); i++)
    cJSON_AddItemToArray(array, json_param(sim_machine_param(i)));
  array = cJSON_AddArrayToObject(object, "strategies");
  for (i = 0; i < SIM_STRATEGY_COUNT; i++) {
    item = cJSON_CreateObject();
    cJSON_AddStringToObject(item, "name", sim_strategy_name(i));
    cJSON_AddStringToObject(item, "line", sim_strategy_line(i));
    cJSON_AddItemToArray(array, item);
  }
  array = cJSON_AddArrayToObject(object, "subjects");
  item = cJSON_CreateObject();
  cJSON_AddStringToObject(item, "name", "model");
  cJSON_AddStringToObject(item, "sha256", subject_model().sha256);
  cJSON_AddItemToArray(array, item);
  item = cJSON_CreateObject();
  cJSON_AddStringToObject(item, "name", "image:FILE");
  json_text(item, "sha256", NULL);
  cJSON_AddItemToArray(array, item);
  item = cJSON_CreateObject();
  cJSON_AddStringToObject(item, "name", "kernel:DIR");
  json_text(item, "sha256", NULL);
  cJSON_AddItemToArray(array, item);
  json_print(object);
}

int cmd_list(int argc, char **argv) {
  struct arguments arguments = {0};
  const struct sim_scenario *scenario;
  struct text text = {0};
  u32 i;

  options_parse("list", &list_argp, argc, argv, &arguments);
  if (arguments.scenario) registry_require(arguments.scenario, "list");
  if (arguments.json) {
    print_json(&arguments);
    return SIM_OK;
  }
  for (i = 0; (scenario = registry_at(i)); i++) {
    if (shown(&arguments, scenario)) add_scenario(scenario, &text);
  }
  if (!arguments.scenario) add_common(&text);
  fputs(text_str(&text), stdout);
  text_free(&text);
  return SIM_OK;
}
