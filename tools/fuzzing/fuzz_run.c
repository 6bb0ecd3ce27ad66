// SPDX-License-Identifier: GPL-2.0-or-later
//
// tools/fuzz run and batch: a campaign, by hand and on a machine that does it every night.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/child.h"
#include "tools/command.h"
#include "tools/fuzzing/fuzz_commands.h"
#include "tools/fuzzing/fuzz_supervise.h"
#include "tools/interrupt.h"
#include "tools/options.h"

enum { PRUNE_SHARE = 4, PRUNE_MS_MIN = 60000 };

// ---- The campaign ----

// A planted bug is one of each target's scenario.
static void require_bug(const struct fuzz_targets *targets) {
  const char *id = getenv("SEEDBED_FUZZ_BUG");

  for (u32 i = 0; id && i < targets->count; i++) {
    const struct sim_scenario *scenario = targets->target[i].scenario;
    const struct sim_bug *bug = scenario ? scenario->bugs : NULL;

    while (bug && bug->id && strcmp(bug->id, id) != 0) bug++;
    if (scenario && !(bug && bug->id))
      usage_error("", "--bug=%s: %s has no such planted bug; `seedbed list' has all", id,
                  scenario->name);
  }
}

static void print_opening(const struct fuzz_options *options, const struct fuzz_place *place,
                          const struct fuzz_targets *targets) {
  char time[TEXT_COUNT_LEN];

  printf("Fuzzing %u target%s with %s, %u at once, ", targets->count,
         targets->count == 1 ? "" : "s",
         !options->afl         ? "libFuzzer"
         : !options->libfuzzer ? "AFL++"
                               : "libFuzzer and AFL++",
         fuzz_options_jobs(options));
  if (options->time_ms)
    printf("for %s.\n", text_duration(options->time_ms, time));
  else
    printf("until Ctrl-C.\n");
  printf("State and findings are in %s; called again, it goes on there.\n", place->dir);
  if (getenv("SEEDBED_FUZZ_BUG"))
    printf("PLANTED BUG: %s. What is found says nothing of the subject.\n",
           getenv("SEEDBED_FUZZ_BUG"));
  printf("\n");
}

int fuzz_campaign(const struct fuzz_options *options, const struct fuzz_place *place,
                  const struct fuzz_targets *targets) {
  const struct fuzz_plan plan = {
      .place = place,
      .targets = targets,
      .libfuzzer = options->libfuzzer,
      .afl = options->afl,
      .jobs = fuzz_options_jobs(options),
      .time_ms = options->time_ms,
      .slices_max = options->slices_max,
      .late_ms = options->late_ms ? options->late_ms : FUZZ_LATE_MS,
      .slice_ms = options->slice_ms ? options->slice_ms : FUZZ_SLICE_MS,
  };
  char executions[TEXT_COUNT_LEN + 8];
  struct fuzz_outcome outcome;

  print_opening(options, place, targets);
  fuzz_supervise(&plan, &outcome);
  printf("\n%s slices=%llu executions=%s failures=%llu findings=%llu%s\n",
         outcome.status       ? "FAIL"
         : outcome.executions ? "OK"
                              : "NOTHING RAN",
         (unsigned long long)outcome.slices, text_grouped(outcome.executions, executions),
         (unsigned long long)outcome.failures, (unsigned long long)outcome.findings,
         interrupt_signal() ? " (interrupted)" : "");
  fuzz_failed_tell(place->failed);
  if (outcome.failures)
    printf("see %s/findings, and `tools/fuzz status --out=%s'\n", place->dir, place->dir);
  if (outcome.status) return outcome.status;
  if (interrupt_signal()) return 128 + interrupt_signal();
  return outcome.executions ? SIM_OK : SIM_OURS;
}

static int open_all(const struct fuzz_options *options, struct fuzz_place *place,
                    struct fuzz_targets *targets) {
  int status;

  interrupt_catch();
  fuzz_place_open(options->out, place);
  // Names are looked at before anything is waited for.
  fuzz_targets_open(place, options->name, options->num_names, targets);
  require_bug(targets);
  fuzz_options_check_engines(options, place, targets);
  status = fuzz_place_lock(place);
  if (status) return status;
  fuzz_targets_free(targets);
  fuzz_targets_open(place, options->name, options->num_names, targets);
  return SIM_OK;
}

// ---- run ----

static const struct argp run_argp = {
    .parser = fuzz_options_parse_own,
    .args_doc = "[TARGET...]",
    .doc =
        "Fuzz the targets, or all of them, with both engines until the time is over or Ctrl-C. "
        "Each engine has slices of time on each target; the inputs that it found new go to the "
        "target's one corpus, from which both engines begin. Each pair of a target and an engine "
        "has a first slice; then half of the time goes to all alike and half by the new inputs a "
        "second that their last four slices found. Inputs that fail become findings; what was "
        "found before is counted and ends nothing. Killed at any moment and called again, it goes "
        "on.\v"
        "Examples:\n"
        "  fuzz run --time=10m\n"
        "  fuzz run crng_seed_fuzz --engine=libfuzzer\n"
        "  fuzz run canary_fuzz --time=20     fails by design: tries it all\n"
        "\n"
        "Exit status 0 if no input failed; else that of the worst finding, see `fuzz --help'.",
    .children = fuzz_options_campaign,
};

int fuzz_run_command(int argc, char **argv) {
  struct fuzz_options options;
  struct fuzz_targets targets;
  struct fuzz_place place;
  int status;

  fuzz_options_init(&options, "run");
  options_parse("run", &run_argp, argc, argv, &options);
  status = open_all(&options, &place, &targets);
  if (!status) status = fuzz_campaign(&options, &place, &targets);
  fuzz_targets_free(&targets);
  fuzz_place_close(&place);
  return status;
}

// ---- batch ----

static const struct argp_option batch_list[] = {
    {"html", FUZZ_KEY_HTML, "FILE", 0, "Status page (default DIR/status.html)", 3},
    {0},
};

static const struct argp batch_argp = {
    .options = batch_list,
    .parser = fuzz_options_parse_own,
    .args_doc = "[TARGET...]",
    .doc =
        "For a machine that fuzzes every night: `run' for --time, then `prune', which may take a "
        "quarter of that time more, then the status page. The exit status is the run's.\v"
        "Example:\n"
        "  fuzz batch --time=8h --out=/var/tmp/fuzz >batch.log",
    .children = fuzz_options_campaign,
};

int fuzz_batch_command(int argc, char **argv) {
  struct fuzz_options options;
  struct fuzz_targets targets;
  struct fuzz_place place;
  char *page = NULL;
  u64 prune_ms;
  int status;

  fuzz_options_init(&options, "batch");
  options_parse("batch", &batch_argp, argc, argv, &options);
  if (!options.time_ms) usage_error("batch", "--time says how long");
  status = open_all(&options, &place, &targets);
  if (!status) {
    prune_ms = options.time_ms / PRUNE_SHARE;
    if (prune_ms < PRUNE_MS_MIN) prune_ms = PRUNE_MS_MIN;
    page = options.html ? xstrdup(options.html) : fuzz_place_path(&place, "status.html");
    status = fuzz_campaign(&options, &place, &targets);
    printf("\nPruning\n");
    if (!interrupt_signal())
      status = status_join(status, fuzz_prune_targets(&place, &targets, prune_ms, NULL));
    status = status_join(status, fuzz_page(&place, page));
  }
  free(page);
  fuzz_targets_free(&targets);
  fuzz_place_close(&place);
  return status;
}
