// SPDX-License-Identifier: GPL-2.0-or-later
//
// A failing input on the plain build: an ordinary finding, kept by keep.h.

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/child.h"
#include "tools/fuzz_finding_internal.h"
#include "tools/fuzz_probe.h"
#include "tools/interrupt.h"
#include "tools/keep.h"

static bool probe_fails(const struct probe *probe) {
  return probe->death != JOBS_ALIVE || probe->num_keys;
}

static bool probes_agree(const struct probe *a, const struct probe *b) {
  if (a->death != b->death || a->code != b->code || a->digest != b->digest ||
      a->num_keys != b->num_keys)
    return false;
  for (u32 i = 0; i < a->num_keys; i++)
    if (strcmp(a->key[i], b->key[i]) != 0) return false;
  return true;
}

static void tell_probe(struct fuzz_work *work, const struct probe *probe) {
  char text[SIM_TEXT_LEN];

  if (probe->death != JOBS_ALIVE)
    jobs_death_text(probe->death, probe->code, work->watchdog_ms, text, sizeof(text));
  else
    snprintf(text, sizeof(text), "%s%s digest=0x%016" PRIx64, probe->num_keys ? "FAIL " : "OK",
             probe->num_keys ? probe->key[0] : "", probe->digest);
  fuzz_add_tried(work, "the plain build, the input alone", text);
}

struct look {
  const struct fuzz_work *work;
  struct sim_result result;
};

// The whole result, in a child; a set-up that fails is one too.
static int look_main(void *arg, FILE *out) {
  const struct fuzz_work *work = arg;
  struct sim_world *world = sim_world_new();
  struct sim_result result = {0};

  if (!world) return SIM_OURS;
  if (sim_world_setup(world, work->spec.scenario, work->spec.params, &result) == SIM_OK)
    sim_world_run(world, &work->run, &result);
  fwrite(&result, sizeof(result), 1, out);
  return 0;
}

static bool look(struct fuzz_work *work, struct sim_result *result) {
  struct child_limits limits = {.cpu_ms = work->watchdog_ms, .again = true};
  struct child_result child;
  bool good;

  child_fork(look_main, work, &limits, &child);
  good = child.end == CHILD_EXITED && !child.code && child.out.len == sizeof(*result);
  if (good) memcpy(result, child.out.s, sizeof(*result));
  child_result_free(&child);
  return good;
}

static bool has_key(const struct sim_result *result, const char *key) {
  for (u32 i = 0; i < result->num_failures; i++)
    if (!strcmp(result->failures[i].key, key)) return true;
  return false;
}

// The run's decisions, if they make the same run: else it is replayed by its bytes.
static void add_decisions(struct fuzz_work *work, struct jobs_finding *finding) {
  struct sim_decisions list = {0};
  struct sim_decision_file file;
  struct sim_input run = {.backend = SIM_BACKEND_LIST, .list = &list};
  struct sim_result result;
  int code;

  if (finding->draws_overflow ||
      keep_run(&work->spec, &work->run, work->watchdog_ms, NULL, &list, &result, &code) !=
          JOBS_ALIVE ||
      keep_run(&work->spec, &run, work->watchdog_ms, NULL, NULL, &result, &code) != JOBS_ALIVE ||
      result.digest != finding->run.digest || !has_key(&result, finding->key)) {
    sim_decisions_free(&list);
    return;
  }
  run_decision_file(&work->spec, NULL, finding->key, finding->run.digest, &file);
  file.list = list;
  finding->decisions = run_decision_text(&file, &finding->decisions_len);
  sim_decision_file_free(&file);
}

// What two fresh processes showed, as a finding. False if it is not seen once more.
static bool finding_of(struct fuzz_work *work, const struct probe *probe,
                       struct jobs_finding *out) {
  const struct sim_failure *failure;
  struct sim_result result;
  char stable[64];

  *out = (struct jobs_finding){.count = 1, .death = probe->death, .code = probe->code};
  if (probe->death != JOBS_ALIVE) {
    out->status = jobs_death_status(probe->death, probe->code);
    snprintf(out->oracle, sizeof(out->oracle), "%s", jobs_death_oracle(probe->death, probe->code));
    jobs_death_stable(probe->death, probe->code, stable, sizeof(stable));
    run_make_key(work->spec.scenario, out->oracle, stable, out->key);
    jobs_death_text(probe->death, probe->code, work->watchdog_ms, out->text, sizeof(out->text));
    return true;
  }
  if (!look(work, &result) || result.digest != probe->digest) return false;
  failure = run_failure(&result);
  if (!failure) return false;
  out->run = (struct jobs_run){.draws = result.draws,
                               .steps = result.steps,
                               .vtime_ns = result.vtime_ns,
                               .digest = result.digest,
                               .strategy = result.strategy};
  out->status = failure->status;
  out->step = failure->step;
  out->draws_overflow = result.draws_overflow;
  snprintf(out->oracle, sizeof(out->oracle), "%s", failure->oracle);
  snprintf(out->key, sizeof(out->key), "%s", failure->key);
  snprintf(out->text, sizeof(out->text), "%s", failure->text);
  add_decisions(work, out);
  return true;
}

static void keep_run_finding(struct fuzz_work *work, struct jobs_finding *finding) {
  u64 left_ms = work->shrink_ms;
  struct keep keep = {
      .spec = &work->spec,
      .named = &work->named,
      .out = work->failure->out,
      .watchdog_ms = work->watchdog_ms,
      .shrink_left_ms = &left_ms,
      .run = &work->run,
      .bytes = &work->bytes,
      .seen = work->hash,
  };
  char *not_deterministic = xasprintf("%s/not-deterministic", work->failure->out);
  char *name = keep_folder_name(&work->named, finding->key), *folder, *there;
  struct fuzz_finding *out = work->out;
  bool before;

  there = keep_find_folder(not_deterministic, name, finding->key, work->spec.subject.sha256);
  keep_finding(&keep, finding);
  before = finding->kept == KEPT_BEFORE || (finding->kept == KEPT_NOT_DETERMINISTIC && there);
  free(there);
  free(name);
  free(not_deterministic);
  out->kind = finding->kept == KEPT_NOT_DETERMINISTIC ? FUZZ_KIND_NONE : FUZZ_KIND_RUN;
  out->status = finding->status;
  snprintf(out->key, sizeof(out->key), "%s", finding->key);
  snprintf(out->text, sizeof(out->text), "%s", finding->text);
  folder = finding->folder;
  finding->folder = NULL;
  if (finding->kept == KEPT_NOT_WRITTEN) {
    free(folder);
    folder = NULL;
  }
  fuzz_settle(work, folder, before);
}

enum fuzz_stage fuzz_try_plain(struct fuzz_work *work) {
  const char *why = "no process, or it is killed from outside";
  struct jobs_finding finding;
  struct probe probe[2];

  for (u32 i = 0; i < 2; i++) {
    fuzz_probe(work->spec.scenario, work->failure->bug, work->path, work->watchdog_ms, &probe[i]);
    if (!probe[i].started || interrupt_signal()) {
      fuzz_refuse(work, interrupt_signal() ? "interrupted" : why);
      return FUZZ_STAGE_DONE;
    }
    tell_probe(work, &probe[i]);
  }
  if (!probes_agree(&probe[0], &probe[1])) return FUZZ_STAGE_NONE;
  if (!probe_fails(&probe[0])) return FUZZ_STAGE_NEXT;
  if (!finding_of(work, &probe[0], &finding)) {
    fuzz_add_tried(work, "the plain build, the input alone",
                   "a third run differed from the first two");
    return FUZZ_STAGE_NONE;
  }
  keep_run_finding(work, &finding);
  free(finding.decisions);
  return FUZZ_STAGE_DONE;
}
