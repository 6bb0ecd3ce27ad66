// SPDX-License-Identifier: GPL-2.0-or-later
//
// A campaign; see campaign.h.

#include "tools/campaign.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/checker.h"
#include "tools/command.h"
#include "tools/findings.h"
#include "tools/swept.h"

// Shrinking may take so long in all, however short the campaign.
enum { SHRINK_MS_MIN = 1000 };

struct running {
  const struct campaign *campaign;
  struct swept sweep;  // a worker's
  u64 shrink_left_ms;  // with a limit of time
  struct progress progress;
};

static bool key_is_known(const char *key, void *arg) {
  const struct campaign *campaign = ((const struct running *)arg)->campaign;

  return campaign->known && known_find(campaign->known, &campaign->spec->subject, key);
}

static void run_item(struct jobs_worker *worker, struct sim_world *world, u64 item, void *arg) {
  struct running *running = arg;
  struct sim_input input = {.backend = SIM_BACKEND_SEED};
  struct sim_result result;

  if (running->campaign->kind == CAMPAIGN_SWEEP) {
    swept_item(&running->sweep, running->campaign->spec, running->campaign->window, worker, world,
               item);
    return;
  }
  input.seed = running->campaign->seed_first + item;
  input.strategy = running->campaign->spec->strategy;
  jobs_run_one(worker, world, &input, &input.seed, &result);
}

static void keep(struct running *running, const struct sim_input *run,
                 struct jobs_finding *finding) {
  const struct campaign *campaign = running->campaign;
  struct keep keeper = {
      .spec = campaign->spec,
      .out = campaign->out,
      .watchdog_ms = campaign->watchdog_ms,
      .shrink_left_ms = campaign->time_ms ? &running->shrink_left_ms : NULL,
      .run = run,
  };

  keep_finding(&keeper, finding);
}

// What a swept run was is known by its place alone.
static void keep_swept_death(struct running *running, struct jobs_finding *finding) {
  const struct campaign *campaign = running->campaign;
  struct sim_odometer odometer;
  struct sim_input run = {.backend = SIM_BACKEND_ODOMETER, .odometer = &odometer};

  if (swept_digits(campaign->spec, campaign->window, finding->run.item, finding->run.sub,
                   campaign->watchdog_ms, &odometer))
    keep(running, &run, finding);
  else
    keep(running, NULL, finding);
  sim_odometer_free(&odometer);
}

static void take_finding(struct jobs_finding *finding, void *arg) {
  struct running *running = arg;

  if (finding->known) return;
  if (running->campaign->kind == CAMPAIGN_SEEDS && !finding->run.has_seed) {
    finding->run.has_seed = true;  // the run killed its worker
    finding->run.seed = running->campaign->seed_first + finding->run.item;
  }
  progress_clear(&running->progress);
  if (running->campaign->announce)
    fprintf(stderr, "  %s: found %s, which is being reproduced and shrunk\n",
            running->campaign->label, finding->key);
  if (running->campaign->kind == CAMPAIGN_SWEEP && finding->death != JOBS_ALIVE)
    keep_swept_death(running, finding);
  else
    keep(running, NULL, finding);
}

static void take_progress(const struct jobs_progress *progress, void *arg) {
  struct running *running = arg;

  progress_show(&running->progress, progress->runs, progress->elapsed_ms, progress->findings);
}

// A set-up that failed or died is a finding of every run; there is no input to it.
static void take_setup(struct running *running, struct jobs_result *jobs) {
  const struct campaign *campaign = running->campaign;
  struct jobs_finding finding = {.count = 1};
  const struct sim_failure *failure;
  struct sim_decision_file file;

  if (jobs->setup_death != JOBS_ALIVE) {
    char stable[64];

    finding.death = jobs->setup_death;
    finding.code = jobs->setup_code;
    finding.status = jobs_death_status(finding.death, finding.code);
    snprintf(finding.oracle, sizeof(finding.oracle), "%s",
             jobs_death_oracle(finding.death, finding.code));
    jobs_death_stable(finding.death, finding.code, stable, sizeof(stable));
    run_make_key(campaign->spec->scenario, finding.oracle, stable, finding.key);
    jobs_death_text(finding.death, finding.code, campaign->watchdog_ms, finding.text,
                    sizeof(finding.text));
  } else {
    failure = run_failure(&jobs->setup);
    if (!failure) {
      jobs->trouble = "the set-up failed and gave no reason";
      return;
    }
    finding.status = failure->status;
    memcpy(finding.oracle, failure->oracle, sizeof(finding.oracle));
    memcpy(finding.key, failure->key, sizeof(finding.key));
    memcpy(finding.text, failure->text, sizeof(finding.text));
    finding.run.digest = jobs->setup.digest;
    finding.run.steps = jobs->setup.steps;
    finding.run.vtime_ns = jobs->setup.vtime_ns;
  }
  run_decision_file(campaign->spec, NULL, finding.key, finding.run.digest, &file);
  finding.decisions = run_decision_text(&file, &finding.decisions_len);
  sim_decision_file_free(&file);
  keep(running, NULL, &finding);
  jobs->finding = xrealloc(jobs->finding, (jobs->num_findings + 1) * sizeof(*jobs->finding));
  jobs->finding[jobs->num_findings++] = finding;
}

// Marks are of the workload that the scenario has by default: another one may lack what they need
// (no readers, no fill thread). Where hooks are, and what the kernel does, is no workload.
static bool has_own_workload(const struct sim_params *params) {
  char value[64];
  const char *key;

  for (u32 i = 0; sim_params_changed(params, i, &key, value, sizeof(value)); i++)
    if (strncmp(key, "suspect.", 8) && strcmp(key, "hooks")) return true;
  return false;
}

// Marks of the scenario, by name: a function that was inlined twice has two of one name.
static void judge_marks(const struct campaign *campaign, struct campaign_result *out) {
  u32 i, j;

  if (has_own_workload(campaign->spec->params)) return;
  for (i = 0; i < out->jobs.num_marks; i++) {
    const struct sim_mark *mark = sim_mark_at(i), *other;
    u64 hits = 0;
    bool first = true;

    if (strcmp(mark->scenario, campaign->spec->scenario->name)) continue;
    for (j = 0; j < out->jobs.num_marks; j++) {
      other = sim_mark_at(j);
      if (strcmp(mark->scenario, other->scenario) || strcmp(mark->name, other->name)) continue;
      hits += out->jobs.mark_hits[j];
      first &= j >= i;
    }
    if (hits || !first || out->jobs.runs < mark->runs_min) continue;
    out->missing = xrealloc(out->missing, (out->num_missing + 1) * sizeof(*out->missing));
    out->missing[out->num_missing++] = (struct campaign_missing){mark->name, mark->runs_min};
  }
}

static void judge(struct running *running, struct campaign_result *out) {
  const struct campaign *campaign = running->campaign;
  u32 i;

  if (out->jobs.setup_failed) take_setup(running, &out->jobs);
  for (i = 0; i < out->jobs.num_findings; i++) {
    const struct jobs_finding *finding = &out->jobs.finding[i];

    if (finding->known) {
      out->known_runs += finding->count;
      continue;
    }
    out->status = status_join(out->status, (int)finding->status);
    if (finding->kept == KEPT_NOT_WRITTEN) out->status = status_join(out->status, SIM_OURS);
  }
  // A guest's sweep makes its cases outside of the world, where no mark is reached.
  if (!out->jobs.setup_failed && (campaign->kind != CAMPAIGN_SWEEP || !swept_guest(campaign->spec)))
    judge_marks(campaign, out);
  if (out->num_missing) out->status = status_join(out->status, SIM_SOMETIMES);
  if (out->jobs.trouble) {
    if (out->jobs.trouble_in_run && campaign->kind == CAMPAIGN_SEEDS)
      complain("%s: seed 0x%" PRIx64 ": %s", campaign->label,
               campaign->seed_first + out->jobs.trouble_item, out->jobs.trouble);
    else
      complain("%s: %s", campaign->label, out->jobs.trouble);
    out->status = status_join(out->status, SIM_OURS);
  }
}

int campaign_prepare(const char *known_file, const char *out, struct known_list *out_known) {
  char err[512];

  int status = known_read(out_known, known_file, err, sizeof(err));

  if (status) {
    complain("%s", err);
    return status;
  }
  if (findings_check(out, err, sizeof(err))) return SIM_OK;
  complain("%s; --out=DIR names another folder", err);
  known_free(out_known);
  return SIM_USAGE;
}

static void clean(const char *out) {
  char *below = xasprintf("%s/not-deterministic", out);

  findings_clean(out);
  findings_clean(below);
  free(below);
}

void campaign_run(const struct campaign *campaign, struct campaign_result *out) {
  struct running running = {
      .campaign = campaign,
      .shrink_left_ms = campaign->time_ms / CAMPAIGN_SHRINK_SHARE > SHRINK_MS_MIN
                            ? campaign->time_ms / CAMPAIGN_SHRINK_SHARE
                            : SHRINK_MS_MIN,
  };
  struct jobs_plan plan = {
      .spec = campaign->spec,
      .items_last = campaign->seed_last - campaign->seed_first,
      .jobs = campaign->jobs,
      .keep_going = campaign->keep_going,
      .time_ms = campaign->time_ms,
      .watchdog_ms = campaign->watchdog_ms,
      .arg = &running,
      .item = run_item,
      .known = key_is_known,
      .finding = take_finding,
      .progress = take_progress,
  };
  struct swept_size size = {0};

  *out = (struct campaign_result){0};
  clean(campaign->out);
  if (campaign->kind == CAMPAIGN_SWEEP) {
    // The calm run is item 0 as well, where what it finds is taken; here only its length
    // matters.
    size = swept_measure(campaign->spec, campaign->watchdog_ms);
    plan.items_last = size.events;
    plan.chunk_items_max = 1;
    out->sweep_boundaries = size.boundaries;
    out->sweep_events = size.events;
  }
  progress_begin(
      &running.progress, campaign->label,
      campaign->kind == CAMPAIGN_SEEDS && plan.items_last < 1ull << 62 ? plan.items_last + 1 : 0,
      campaign->time_ms);
  jobs_run(&plan, &out->jobs);
  if (size.killed && !out->jobs.trouble)
    out->jobs.trouble = "the calm run was killed from outside twice (out of memory?)";
  progress_clear(&running.progress);
  judge(&running, out);
}

void campaign_result_free(struct campaign_result *result) {
  jobs_result_free(&result->jobs);
  free(result->missing);
  *result = (struct campaign_result){0};
}

u32 campaign_findings(const struct campaign_result *result) {
  u32 count = 0, i;

  for (i = 0; i < result->jobs.num_findings; i++) count += !result->jobs.finding[i].known;
  return count;
}

char *campaign_file(const struct jobs_finding *finding) {
  if (!finding->folder || !finding->decisions) return NULL;
  return xasprintf("%s/decisions", finding->folder);
}

char *campaign_replay(const struct run_spec *spec, const struct jobs_finding *finding) {
  struct text text = {0}, full = {0};
  char *file = campaign_file(finding);

  // It ends with the very line that is printed here: by the seed that of the run's worst
  // failure, by the decisions that of their key.
  if (finding->run.has_seed && !(finding->second && finding->kept == KEPT_NEW && file)) {
    run_add_replay_seed(spec, finding->run.seed, &text);
  } else if (file) {
    // Before shrinking it is the run of the line.
    text_add(&full, file);
    text_add(&full, finding->kept == KEPT_NEW ? ".full" : "");
    run_add_replay_file(spec, text_str(&full), false, &text);
  }
  text_free(&full);
  if (text.len && finding->kept == KEPT_NOT_DETERMINISTIC) text_add(&text, " --twice");
  free(file);
  return text.s;
}
