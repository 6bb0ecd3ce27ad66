// SPDX-License-Identifier: GPL-2.0-or-later
//
// seedbed explore: one scenario under many seeds. seedbed sweep: one scenario under every
// event of its calm run.

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "models/vdso/vdso_sweep.h"
#include "sim/checker.h"
#include "tools/command.h"
#include "tools/interrupt.h"
#include "tools/options.h"
#include "tools/output.h"
#include "tools/registry.h"
#include "tools/swept.h"

enum { KEY_WINDOW = 'w', WINDOW_DEFAULT = 8, WINDOW_MAX = 1000000, WINDOW_UNSET = -1 };

struct arguments {
  struct options options;
  u32 window;
};

static error_t parse(int key, char *arg, struct argp_state *state) {
  struct arguments *arguments = state->input;
  const char *command = arguments->options.command, *why;
  u64 number = 0;

  switch (key) {
    case ARGP_KEY_INIT:
      options_begin(state, &arguments->options);
      return 0;
    case ARGP_KEY_ARG:
      if (arguments->options.scenario) usage_error(command, "'%s': one scenario at a time", arg);
      arguments->options.scenario = arg;
      return 0;
    case ARGP_KEY_NO_ARGS:
      usage_error(command, "a scenario is missing; `seedbed list' shows all");
    case KEY_WINDOW:
      if (!text_parse_u64(arg, &number, &why)) usage_error(command, "--window=%s: %s", arg, why);
      if (number > WINDOW_MAX)
        usage_error(command, "--window=%s: at most %d boundaries", arg, WINDOW_MAX);
      arguments->window = (u32)number;
      return 0;
    default:
      return ARGP_ERR_UNKNOWN;
  }
}

static const struct argp_child children[] = {{&options_argp, 0, NULL, 0}, {0}};

static const struct argp explore_argp = {
    .parser = parse,
    .args_doc = "SCENARIO",
    .doc =
        "Run SCENARIO once for each seed. Stops at the first finding - the lowest failing "
        "seed, whatever --jobs is - unless --keep-going; so is every other result. A finding is "
        "reproduced twice in "
        "fresh processes, shrunk, and kept as a folder below findings/. With --time, all shrinking "
        "together takes a quarter of that time more at most, or a second; what is shrunk by "
        "then is kept.\v"
        "Examples:\n"
        "  seedbed explore bcm2835-unregister\n"
        "  seedbed explore bcm2835-unregister --bug=57 --seeds=1..200000\n"
        "  seedbed explore hwrng-lifecycle --time=10m --keep-going --jobs=2\n"
        "  seedbed explore bcm2835-read --set=num_cpus=1 --strategy=pct3 --json\n"
        "\n"
        "The last lines are \"OK ...\", or \"FAIL key=...\" and \"replay: \" with a command "
        "that ends with the very same line. Exit status: see `seedbed --help'; 15 if a "
        "situation that must occur in so many runs never did.",
    .children = children,
};

static const struct argp_option sweep_options[] = {
    {"window", KEY_WINDOW, "W", 0,
     "Pairs: the second event lies at most W boundaries after the first (default 8; 0: single "
     "events only). In a guest a boundary is an instruction (default 0: pairs at one boundary)",
     1},
    {0},
};

static const struct argp_child sweep_children[] = {{&options_sweep_argp, 0, NULL, 0}, {0}};

static const struct argp sweep_argp = {
    .options = sweep_options,
    .parser = parse,
    .args_doc = "SCENARIO",
    .doc =
        "Run SCENARIO calmly, then under every single event, then under every ordered pair "
        "of events within a window. A boundary is a draw of the calm run; an event is a "
        "value there that is not calm. Exhaustive within that bound: no seed is involved.\v"
        "Examples:\n"
        "  seedbed sweep bcm2835-unregister --window=0\n"
        "  seedbed sweep bcm2835-read --window=16 --jobs=2 --time=10m\n"
        "\n"
        "All options of explore are taken; those that are not listed have no effect here.",
    .children = sweep_children,
};

// `what` is "seeds=A..B", for a sweep something else.
static void print_json(const struct campaign *campaign, const struct campaign_result *result,
                       const char *what) {
  const struct run_spec *spec = campaign->spec;
  bool has_seeds = campaign->kind == CAMPAIGN_SEEDS;
  cJSON *object = output_json_new();

  json_text(object, "scenario", spec->scenario->name);
  json_text(object, "seeds", has_seeds ? what + strlen("seeds=") : NULL);
  json_text(object, "strategy", has_seeds ? sim_strategy_name(spec->strategy) : NULL);
  json_text(object, "commit", spec->commit);
  json_text(object, "subject", spec->subject.sha256);
  output_json_add(object, spec, result);
  if (campaign->kind == CAMPAIGN_SWEEP) {
    json_u64(object, "window", campaign->window);
    json_u64(object, "boundaries", result->sweep_boundaries);
    json_u64(object, "events", result->sweep_events);
    cJSON_AddBoolToObject(object, "completed", result->jobs.completed);
  }
  json_print(object);
}

// Of a guest's sweep: how the calls ended.
static void print_outcomes(const struct campaign_result *result) {
  const size_t prefix = strlen(VDSO_SWEPT_MARK);
  bool any = false;

  for (u32 i = 0; i < result->jobs.num_marks; i++) {
    const struct sim_mark *mark = sim_mark_at(i);

    if (!result->jobs.mark_hits[i] || strncmp(mark->name, VDSO_SWEPT_MARK, prefix)) continue;
    printf("%s%s=%" PRIu64, any ? " " : "outcomes: ", mark->name + prefix,
           result->jobs.mark_hits[i]);
    any = true;
  }
  if (any) printf("\n");
}

static int run_campaign(const struct options *options, const struct campaign *campaign) {
  struct campaign_result result;
  struct text what = {0};
  int status;

  campaign_run(campaign, &result);
  if (campaign->kind == CAMPAIGN_SWEEP)
    text_addf(&what, "boundaries=%" PRIu64 " events=%" PRIu64 " window=%u completed=%s",
              result.sweep_boundaries, result.sweep_events, campaign->window,
              result.jobs.completed ? "yes" : "no");
  else if (options->seed_last == UINT64_MAX)
    text_addf(&what, "seeds=%" PRIu64 "..", options->seed_first);
  else
    text_addf(&what, "seeds=%" PRIu64 "..%" PRIu64, options->seed_first, options->seed_last);
  if (campaign->kind == CAMPAIGN_SWEEP && !options->json) print_outcomes(&result);
  if (options->json)
    print_json(campaign, &result, text_str(&what));
  else
    output_campaign(campaign, &result, text_str(&what));
  status = result.status;
  if (result.jobs.interrupted && !status) status = 128 + interrupt_signal();
  text_free(&what);
  campaign_result_free(&result);
  return status;
}

static int run(const struct arguments *arguments, enum campaign_kind kind) {
  const struct options *options = &arguments->options;
  const struct sim_scenario *scenario = registry_require(options->scenario, options->command);
  struct run_spec spec;
  struct known_list known;
  struct campaign campaign = {
      .kind = kind,
      .spec = &spec,
      .known = &known,
      .out = options_out(options),
      .label = scenario->name,
      .seed_first = options->seed_first,
      .seed_last = options->seed_last,
      .window = arguments->window,
      .time_ms = options->time_ms,
      .watchdog_ms = options->watchdog_ms,
      .jobs = options_jobs(options),
      .keep_going = options->keep_going,
  };
  int status;

  options_make_spec(options, scenario, &spec);
  // In a guest a boundary is an instruction, and pairs are at one boundary unless asked for more.
  if (kind == CAMPAIGN_SWEEP && campaign.window == (u32)WINDOW_UNSET)
    campaign.window = swept_guest(&spec) ? 0 : WINDOW_DEFAULT;
  status = campaign_prepare(options->known, campaign.out, &known);
  if (!status) {
    if (known.count && spec.subject.kind == SUBJECT_KERNEL && !subject_has_version(&spec.subject))
      complain(
          "%s: its Makefile tells no version, so that nothing is known of it: what is found"
          " counts as new",
          spec.subject.name);
    interrupt_catch();
    status = run_campaign(options, &campaign);
    known_free(&known);
  }
  run_spec_free(&spec);
  return status;
}

int cmd_explore(int argc, char **argv) {
  struct arguments arguments = {0};

  options_init(&arguments.options, "explore");
  options_parse("explore", &explore_argp, argc, argv, &arguments);
  return run(&arguments, CAMPAIGN_SEEDS);
}

int cmd_sweep(int argc, char **argv) {
  struct arguments arguments = {.window = (u32)WINDOW_UNSET};

  options_init(&arguments.options, "sweep");
  options_parse("sweep", &sweep_argp, argc, argv, &arguments);
  return run(&arguments, CAMPAIGN_SWEEP);
}
