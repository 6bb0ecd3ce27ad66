// SPDX-License-Identifier: GPL-2.0-or-later
//
// seedbed hunt: the main job. Every scenario for its share of the time, under the default
// portfolio, as corrected and - where it has suspects - as shipped, and then one table.

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tools/child.h"
#include "tools/command.h"
#include "tools/interrupt.h"
#include "tools/options.h"
#include "tools/output.h"
#include "tools/registry.h"

enum { KEY_BASE = 0x400, KEY_OF_EXPLORE, TIME_MS_DEFAULT = 60000, ENTRY_MS_MIN = 100 };

struct arguments {
  struct options options;
  bool has_base;
  u64 base;
};

static const struct argp_option option_list[] = {
    {"base", KEY_BASE, "K", 0,
     "Begin at seed K * 2^32 (default: drawn from the clock and printed, so that each hunt "
     "breaks new ground)",
     1},
    {"bug", KEY_OF_EXPLORE, "ID", OPTION_HIDDEN, NULL, 1},
    {"set", KEY_OF_EXPLORE, "KEY=VALUE", OPTION_HIDDEN, NULL, 1},
    {"seeds", KEY_OF_EXPLORE, "A..B", OPTION_HIDDEN, NULL, 1},
    {"strategy", KEY_OF_EXPLORE, "NAME", OPTION_HIDDEN, NULL, 1},
    {"subject", KEY_OF_EXPLORE, "SUBJECT", OPTION_HIDDEN, NULL, 1},
    {0},
};

static error_t parse(int key, char *arg, struct argp_state *state) {
  struct arguments *arguments = state->input;
  const char *why = NULL;

  switch (key) {
    case ARGP_KEY_INIT:
      options_begin(state, &arguments->options);
      return 0;
    case KEY_BASE:
      if (!text_parse_u64(arg, &arguments->base, &why))
        usage_error("hunt", "--base=%s: %s", arg, why);
      if (arguments->base > UINT32_MAX) usage_error("hunt", "--base=%s: at most 2^32-1", arg);
      arguments->has_base = true;
      return 0;
    case KEY_OF_EXPLORE:
      usage_error("hunt",
                  "hunt runs all scenarios as they are; `seedbed explore SCENARIO' takes --bug, "
                  "--set, --seeds, --strategy and --subject");
    case ARGP_KEY_ARG:
      usage_error("hunt", "'%s': hunt takes no scenario; `seedbed explore %s' does", arg, arg);
    default:
      return ARGP_ERR_UNKNOWN;
  }
}

static const struct argp_child children[] = {{&options_where_argp, 0, NULL, 0}, {0}};

static const struct argp hunt_argp = {
    .options = option_list,
    .parser = parse,
    .args_doc = "",
    .doc =
        "Run all scenarios for --time seconds together (60 unless told), each seed with the "
        "strategy and the faults that it draws. Each scenario is run in its corrected form, "
        "where nothing may fire, and, where it has suspects, also as shipped: what a suspect "
        "explains is counted under its name, anything else is a finding. Findings are "
        "reproduced, shrunk (within a quarter of a scenario's time, or a second) and kept below "
        "findings/.\v"
        "Examples:\n"
        "  seedbed hunt\n"
        "  seedbed hunt --time=8h --jobs=2 --out=/var/tmp/findings\n"
        "  seedbed hunt --time=10 --base=7 --json\n"
        "\n"
        "Exit status 0 if nothing was found that is not known; else that of the worst "
        "finding, see `seedbed --help'. Ctrl-C ends it in order, with the table.",
    .children = children,
};

struct entry {
  const struct sim_scenario *scenario;
  bool as_shipped;
  struct run_spec spec;
  char *label;
  struct campaign campaign;
  struct campaign_result result;
  bool ran;
};

// ---- What is hunted ----

static void switch_suspects_on(struct run_spec *spec) {
  const struct sim_suspect *suspect = spec->scenario->suspects;
  char err[256];

  for (; suspect && suspect->name; suspect++) {
    char *key = xasprintf("suspect.%s", suspect->name);

    SIM_ASSERT(sim_params_set(spec->params, key, "1", err, sizeof(err)));
    free(key);
  }
}

static struct entry *make_entries(u32 *out_count) {
  const struct sim_scenario *scenario;
  struct entry *entries = NULL;
  u32 count = 0, i, variant;

  for (i = 0; (scenario = registry_at(i)); i++) {
    bool has_suspects = scenario->suspects && scenario->suspects->name;

    for (variant = 0; variant <= has_suspects && !scenario->testonly; variant++) {
      entries = xrealloc(entries, (count + 1) * sizeof(*entries));
      entries[count++] = (struct entry){
          .scenario = scenario,
          .as_shipped = variant,
          .label = xasprintf("%s%s", scenario->name,
                             variant        ? ", as shipped"
                             : has_suspects ? ", corrected"
                                            : ""),
      };
    }
  }
  // The entries' addresses are settled now.
  for (i = 0; i < count; i++) {
    run_spec_init(&entries[i].spec, entries[i].scenario);
    if (entries[i].as_shipped) switch_suspects_on(&entries[i].spec);
  }
  *out_count = count;
  return entries;
}

static void free_entries(struct entry *entries, u32 count) {
  u32 i;

  for (i = 0; i < count; i++) {
    campaign_result_free(&entries[i].result);
    run_spec_free(&entries[i].spec);
    free(entries[i].label);
  }
  free(entries);
}

// ---- The table ----

static u32 label_width(const struct entry *entries, u32 count) {
  u32 width = 8, i;

  for (i = 0; i < count; i++) {
    if (strlen(entries[i].label) > width) width = (u32)strlen(entries[i].label);
  }
  return width;
}

static void add_verdict(const struct entry *entry, struct text *text) {
  const struct jobs_result *jobs = &entry->result.jobs;
  u32 findings = campaign_findings(&entry->result), i;
  u64 explained = 0;
  char count[TEXT_COUNT_LEN];
  size_t before = text->len;

  for (i = 0; i < jobs->num_suspects; i++) explained += jobs->suspect_hits[i];
  if (findings) text_addf(text, "%u FINDING%s", findings, findings == 1 ? "" : "S");
  if (entry->result.num_missing)
    text_addf(text, "%s%u situation%s never reached", text->len > before ? ", " : "",
              entry->result.num_missing, entry->result.num_missing == 1 ? "" : "s");
  if (entry->result.known_runs)
    text_addf(text, "%s%s known", text->len > before ? ", " : "",
              text_count(entry->result.known_runs, count));
  if (explained)
    text_addf(text, "%s%s explained by suspects", text->len > before ? ", " : "",
              text_count(explained, count));
  if (jobs->trouble)
    text_addf(text, "%sstopped: %s", text->len > before ? ", " : "", jobs->trouble);
  if (text->len == before) text_add(text, jobs->runs ? "clean" : "not run");
}

static void add_row(const struct entry *entry, u32 width, struct text *text) {
  const struct jobs_result *jobs = &entry->result.jobs;
  char runs[TEXT_COUNT_LEN], distinct[TEXT_COUNT_LEN], rate[TEXT_COUNT_LEN];

  text_addf(text, "  %-*s  %7s  %8s  %7s  ", (int)width, entry->label, text_count(jobs->runs, runs),
            text_count(distinct_count(&jobs->distinct), distinct),
            text_count(jobs->elapsed_ms ? jobs->runs * 1000 / jobs->elapsed_ms : 0, rate));
  add_verdict(entry, text);
  text_add(text, "\n");
}

static void add_missing(const struct entry *entry, struct text *text) {
  char count[TEXT_COUNT_LEN + 8];
  u32 i;

  for (i = 0; i < entry->result.num_missing; i++)
    text_addf(text, "  %s: never reached in %s runs: %s\n", entry->label,
              text_grouped(entry->result.jobs.runs, count), entry->result.missing[i].name);
}

// Each suspect once, with the runs of all scenarios that it explains.
static void add_suspects(const struct entry *entries, u32 count, struct text *text) {
  const char *names[64], *lines[64];
  u64 runs[64];
  u32 num = 0, i, j, k;
  char number[TEXT_COUNT_LEN + 8];

  for (i = 0; i < count; i++) {
    const struct sim_suspect *suspects = entries[i].scenario->suspects;

    for (j = 0; j < entries[i].result.jobs.num_suspects; j++) {
      u64 hits = entries[i].result.jobs.suspect_hits[j];

      for (k = 0; k < num && strcmp(names[k], suspects[j].name); k++)
        ;
      if (!hits || k == SIM_ARRAY_SIZE(names)) continue;
      if (k == num) {
        names[num] = suspects[j].name;
        lines[num] = suspects[j].line;
        runs[num++] = 0;
      }
      runs[k] += hits;
    }
  }
  if (num) text_add(text, "What the kernel does as shipped, and oracles object to (suspects):\n");
  for (k = 0; k < num; k++)
    text_addf(text, "  %11s run%s  %s: %s\n", text_grouped(runs[k], number),
              runs[k] == 1 ? " " : "s", names[k], lines[k]);
  if (num) text_add(text, "\n");
}

static void add_findings(const struct entry *entry, struct text *text) {
  u32 i;

  for (i = 0; i < entry->result.jobs.num_findings; i++) {
    const struct jobs_finding *finding = &entry->result.jobs.finding[i];

    if (finding->known) continue;
    output_finding(finding, "  ", text);
    if (!output_has_no_line(&entry->result.jobs, i))
      output_finding_end(&entry->spec, finding, "  ", text);
    text_add(text, "\n");
  }
}

struct totals {
  u64 runs, distinct, ms;
  u32 findings, missing;
  int status;
  bool exact, interrupted;
};

static struct totals add_up(const struct entry *entries, u32 count) {
  struct totals totals = {.exact = true};
  u32 i;

  for (i = 0; i < count; i++) {
    const struct campaign_result *result = &entries[i].result;

    totals.runs += result->jobs.runs;
    totals.distinct += distinct_count(&result->jobs.distinct);
    totals.exact &= distinct_is_exact(&result->jobs.distinct);
    totals.findings += campaign_findings(result);
    totals.missing += result->num_missing;
    totals.status = status_join(totals.status, result->status);
    totals.interrupted |= result->jobs.interrupted;
  }
  return totals;
}

// What follows the table.
static void print_closing(const struct entry *entries, u32 count, const struct totals *totals,
                          u64 base) {
  struct text text = {0};
  u32 i;

  text_add(&text, "\n");
  add_suspects(entries, count, &text);
  for (i = 0; i < count; i++) add_missing(&entries[i], &text);
  if (totals->missing) text_add(&text, "\n");
  for (i = 0; i < count; i++) add_findings(&entries[i], &text);
  output_counts(totals->runs, totals->distinct, totals->exact, totals->ms, &text);
  if (totals->interrupted) text_add(&text, " (interrupted)");
  if (!totals->findings)
    text_add(&text, "; nothing was found that is not explained");
  else
    text_addf(&text, "; %u finding%s", totals->findings, totals->findings == 1 ? "" : "s");
  text_addf(&text, "\n%s runs=%" PRIu64 " findings=%u base=%" PRIu64 " commit=%s subject=%s\n",
            totals->status ? "FAIL" : "OK", totals->runs, totals->findings, base, subject_commit(),
            subject_model().sha256);
  fputs(text_str(&text), stdout);
  text_free(&text);
}

// ---- The hunt ----

// The table grows while the hunt goes on, a line for each scenario that is done.
static void print_row(const struct entry *entry, u32 width) {
  struct text text = {0};

  add_row(entry, width, &text);
  fputs(text_str(&text), stdout);
  fflush(stdout);
  text_free(&text);
}

static void hunt(const struct arguments *arguments, struct entry *entries, u32 count, u64 base,
                 const struct known_list *known) {
  const struct options *options = &arguments->options;
  u64 start_ms = monotonic_ms();
  u64 time_ms = options->time_ms ? options->time_ms : TIME_MS_DEFAULT;
  u32 width = label_width(entries, count), i;

  for (i = 0; i < count && !interrupt_signal(); i++) {
    struct entry *entry = &entries[i];
    u64 gone_ms = monotonic_ms() - start_ms;
    u64 left_ms = time_ms > gone_ms ? time_ms - gone_ms : 0;

    entry->campaign = (struct campaign){
        .kind = CAMPAIGN_SEEDS,
        .spec = &entry->spec,
        .known = known,
        .out = options_out(options),
        .label = entry->label,
        .seed_first = base << 32,
        .seed_last = base << 32 | UINT32_MAX,
        // Equal shares of what is left: time that one did not use is the
        // others'.
        .time_ms = left_ms / (count - i) > ENTRY_MS_MIN ? left_ms / (count - i) : ENTRY_MS_MIN,
        .watchdog_ms = options->watchdog_ms,
        .jobs = options_jobs(options),
        .keep_going = true,
        .announce = !options->json,
    };
    campaign_run(&entry->campaign, &entry->result);
    entry->ran = true;
    if (!options->json) print_row(entry, width);
  }
}

static void print_json(const struct entry *entries, u32 count, const struct totals *totals,
                       u64 base) {
  cJSON *object = output_json_new(), *array, *item;
  struct text verdict = {0};
  u32 i;

  json_text(object, "strategy", sim_strategy_name(SIM_STRATEGY_PORTFOLIO));
  json_text(object, "commit", subject_commit());
  json_text(object, "subject", subject_model().sha256);
  for (i = 0; i < count; i++) output_json_add(object, &entries[i].spec, &entries[i].result);
  cJSON_SetNumberValue(cJSON_GetObjectItemCaseSensitive(object, "seconds"),
                       (double)totals->ms / 1000);
  json_u64(object, "base", base);
  array = cJSON_AddArrayToObject(object, "scenarios");
  for (i = 0; i < count; i++) {
    item = cJSON_CreateObject();
    cJSON_AddStringToObject(item, "scenario", entries[i].scenario->name);
    cJSON_AddBoolToObject(item, "as_shipped", entries[i].as_shipped);
    json_u64(item, "runs", entries[i].result.jobs.runs);
    json_u64(item, "distinct", distinct_count(&entries[i].result.jobs.distinct));
    json_u64(item, "findings", campaign_findings(&entries[i].result));
    verdict.len = 0;
    add_verdict(&entries[i], &verdict);
    cJSON_AddStringToObject(item, "verdict", text_str(&verdict));
    cJSON_AddItemToArray(array, item);
  }
  text_free(&verdict);
  json_print(object);
}

static void print_opening(const struct options *options, const struct entry *entries, u32 count,
                          u64 base) {
  char time[TEXT_COUNT_LEN];

  printf("Hunting for %s with %u process%s, from seed 0x%" PRIx64 " on (--base=%" PRIu64 ").\n",
         text_duration(options->time_ms ? options->time_ms : TIME_MS_DEFAULT, time),
         options_jobs(options), options_jobs(options) == 1 ? "" : "es", base << 32, base);
  printf(
      "Each run is one small machine, whose every interleaving and fault its seed decides.\n"
      "Findings go to %s/. Ctrl-C ends the hunt in order.\n\n",
      options_out(options));
  printf("  %-*s  %7s  %8s  %7s\n", (int)label_width(entries, count), "scenario", "runs",
         "distinct", "runs/s");
  fflush(stdout);
}

int cmd_hunt(int argc, char **argv) {
  struct arguments arguments = {0};
  struct options *options = &arguments.options;
  struct known_list known;
  struct totals totals;
  struct entry *entries;
  u64 start_ms = monotonic_ms(), base;
  u32 count;
  int status;

  options_init(options, "hunt");
  options_parse("hunt", &hunt_argp, argc, argv, &arguments);
  status = campaign_prepare(options->known, options_out(options), &known);
  if (status) return status;
  base = arguments.has_base ? arguments.base : (u64)time(NULL) & UINT32_MAX;
  entries = make_entries(&count);
  if (!count) {
    complain("this build has no scenario to hunt through");
    known_free(&known);
    return SIM_OURS;
  }
  interrupt_catch();
  if (!options->json) print_opening(options, entries, count, base);
  hunt(&arguments, entries, count, base, &known);
  totals = add_up(entries, count);
  totals.ms = monotonic_ms() - start_ms;
  if (interrupt_signal()) totals.interrupted = true;
  if (options->json)
    print_json(entries, count, &totals, base);
  else
    print_closing(entries, count, &totals, base);
  status = totals.status;
  if (totals.interrupted && !status) status = 128 + interrupt_signal();
  free_entries(entries, count);
  known_free(&known);
  return status;
}
