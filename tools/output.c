// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the command prints; see output.h.

#include "tools/output.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "tools/command.h"

void json_u64(cJSON *object, const char *name, u64 value) {
  char digits[24];

  snprintf(digits, sizeof(digits), "%" PRIu64, value);
  cJSON_AddRawToObject(object, name, digits);
}

void json_hex(cJSON *object, const char *name, u64 value) {
  char digits[24];

  snprintf(digits, sizeof(digits), "0x%" PRIx64, value);
  cJSON_AddStringToObject(object, name, digits);
}

void json_text(cJSON *object, const char *name, const char *value) {
  if (value)
    cJSON_AddStringToObject(object, name, value);
  else
    cJSON_AddNullToObject(object, name);
}

void json_print(cJSON *object) {
  char *text = cJSON_Print(object);

  SIM_ASSERT(text);
  puts(text);
  cJSON_free(text);
  cJSON_Delete(object);
}

cJSON *output_json_new(void) {
  cJSON *object = cJSON_CreateObject();

  cJSON_AddRawToObject(object, "runs", "0");
  cJSON_AddRawToObject(object, "distinct", "0");
  cJSON_AddTrueToObject(object, "distinct_exact");
  cJSON_AddNumberToObject(object, "seconds", 0);
  cJSON_AddArrayToObject(object, "findings");
  cJSON_AddArrayToObject(object, "sometimes_missing");
  cJSON_AddObjectToObject(object, "suspects");
  return object;
}

// Adds to a count that was written whole.
static void json_increase(cJSON *object, const char *name, u64 value) {
  cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);
  char digits[24];

  if (item) value += strtoull(item->valuestring, NULL, 10);
  snprintf(digits, sizeof(digits), "%" PRIu64, value);
  if (item)
    cJSON_ReplaceItemInObjectCaseSensitive(object, name, cJSON_CreateRaw(digits));
  else
    cJSON_AddRawToObject(object, name, digits);
}

static void json_finding(cJSON *array, const struct run_spec *spec,
                         const struct jobs_finding *finding) {
  cJSON *object = cJSON_CreateObject();
  char *file = campaign_file(finding), *replay = campaign_replay(spec, finding);

  cJSON_AddStringToObject(object, "key", finding->key);
  if (finding->run.has_seed)
    json_hex(object, "seed", finding->run.seed);
  else
    json_text(object, "seed", NULL);
  json_text(object, "file", file);
  json_text(object, "replay", replay);
  cJSON_AddBoolToObject(object, "known", finding->known);
  cJSON_AddNumberToObject(object, "status", (int)finding->status);
  json_u64(object, "count", finding->count);
  cJSON_AddStringToObject(object, "cause", finding->text);
  cJSON_AddItemToArray(array, object);
  free(file);
  free(replay);
}

void output_json_add(cJSON *object, const struct run_spec *spec,
                     const struct campaign_result *result) {
  const struct jobs_result *jobs = &result->jobs;
  cJSON *seconds = cJSON_GetObjectItemCaseSensitive(object, "seconds");
  cJSON *findings = cJSON_GetObjectItemCaseSensitive(object, "findings");
  cJSON *missing = cJSON_GetObjectItemCaseSensitive(object, "sometimes_missing");
  cJSON *suspects = cJSON_GetObjectItemCaseSensitive(object, "suspects");
  u32 i;

  json_increase(object, "runs", jobs->runs);
  json_increase(object, "distinct", distinct_count(&jobs->distinct));
  if (!distinct_is_exact(&jobs->distinct))
    cJSON_ReplaceItemInObjectCaseSensitive(object, "distinct_exact", cJSON_CreateFalse());
  cJSON_SetNumberValue(seconds, seconds->valuedouble + (double)jobs->elapsed_ms / 1000);
  for (i = 0; i < jobs->num_findings; i++) json_finding(findings, spec, &jobs->finding[i]);
  for (i = 0; i < result->num_missing; i++) {
    char *name = xasprintf("%s/%s", spec->scenario->name, result->missing[i].name);

    cJSON_AddItemToArray(missing, cJSON_CreateString(name));
    free(name);
  }
  for (i = 0; i < jobs->num_suspects; i++) {
    if (jobs->suspect_hits[i])
      json_increase(suspects, spec->scenario->suspects[i].name, jobs->suspect_hits[i]);
  }
}

void output_finding_line(const struct run_spec *spec, const struct jobs_finding *finding,
                         struct text *text) {
  struct run_line line = {
      .scenario = spec->scenario->name,
      .key = finding->key,
      .has_seed = finding->run.has_seed,
      .seed = finding->run.seed,
      .draws = finding->run.draws,
      .steps = finding->run.steps,
      .vtime_ns = finding->run.vtime_ns,
      .digest = finding->run.digest,
      .commit = spec->commit,
      .subject_sha256 = spec->subject.sha256,
      .build = run_spec_build(spec),
  };

  run_line_add(&line, text);
}

void output_finding(const struct jobs_finding *finding, const char *indent, struct text *text) {
  char count[TEXT_COUNT_LEN + 8];

  text_addf(text, "%s%s: %s\n", indent, finding->oracle, finding->text);
  if (finding->count > 1)
    text_addf(text, "%s  seen in %s runs\n", indent, text_grouped(finding->count, count));
  if (finding->known) text_addf(text, "%s  known: %s\n", indent, finding->key);
  if (finding->draws_overflow)
    text_addf(text,
              "%s  its decisions are more than a record holds: replay it by its "
              "seed\n",
              indent);
  switch ((enum kept)finding->kept) {
    case KEPT_NEW:
      text_addf(text, "%s  kept in %s", indent, finding->folder);
      if (finding->num_decisions_full)
        text_addf(text, " (%u decision%s; %u before shrinking%s%s)", finding->num_decisions,
                  finding->num_decisions == 1 ? "" : "s", finding->num_decisions_full,
                  finding->shrink_stopped ? ", stopped after " : "",
                  finding->shrink_stopped ? text_duration(finding->shrink_ms, count) : "");
      text_add(text, "\n");
      break;
    case KEPT_BEFORE:
      text_addf(text, "%s  was in %s before\n", indent, finding->folder);
      break;
    case KEPT_NOT_DETERMINISTIC:
      text_addf(text, "%s  NOT DETERMINISTIC: it does not reproduce; see %s/first-difference\n",
                indent, finding->folder);
      break;
    case KEPT_NOT_WRITTEN:
      text_addf(text, "%s  not written to the disk\n", indent);
      break;
    case KEPT_NOT_ASKED:
      break;
  }
}

bool output_has_no_line(const struct jobs_result *jobs, u32 index) {
  const struct jobs_finding *finding = &jobs->finding[index], *other;
  u32 i;

  if (finding->known) return true;
  for (i = 0; finding->second && i < jobs->num_findings; i++) {
    other = &jobs->finding[i];
    if (!other->known && other->run.item == finding->run.item &&
        other->run.sub == finding->run.sub && (!other->second || i < index))
      return true;
  }
  return false;
}

void output_finding_end(const struct run_spec *spec, const struct jobs_finding *finding,
                        const char *indent, struct text *text) {
  char *replay = campaign_replay(spec, finding);

  text_add(text, indent);
  output_finding_line(spec, finding, text);
  text_add(text, "\n");
  if (replay) text_addf(text, "%sreplay: %s\n", indent, replay);
  free(replay);
}

void output_counts(u64 runs, u64 distinct, bool exact, u64 ms, struct text *text) {
  char runs_text[TEXT_COUNT_LEN + 8], distinct_text[TEXT_COUNT_LEN + 8];
  char time_text[TEXT_COUNT_LEN];

  text_addf(text, "%s run%s, %s%s distinct, %s", text_grouped(runs, runs_text),
            runs == 1 ? "" : "s", exact ? "" : "about ", text_grouped(distinct, distinct_text),
            text_duration(ms, time_text));
}

static void add_suspects(const struct run_spec *spec, const struct jobs_result *jobs,
                         struct text *text) {
  char count[TEXT_COUNT_LEN + 8];
  u32 i;

  for (i = 0; i < jobs->num_suspects; i++) {
    if (jobs->suspect_hits[i])
      text_addf(text, "  suspect %s explains %s run%s\n", spec->scenario->suspects[i].name,
                text_grouped(jobs->suspect_hits[i], count), jobs->suspect_hits[i] == 1 ? "" : "s");
  }
}

static void add_missing(const struct campaign_result *result, struct text *text) {
  char count[TEXT_COUNT_LEN + 8];
  u32 i;

  for (i = 0; i < result->num_missing; i++)
    text_addf(text, "  never reached: %s (a mark that must be, from %s runs on)\n",
              result->missing[i].name, text_grouped(result->missing[i].runs_min, count));
}

void output_campaign(const struct campaign *campaign, const struct campaign_result *result,
                     const char *what) {
  const struct run_spec *spec = campaign->spec;
  const struct jobs_result *jobs = &result->jobs;
  u64 distinct = distinct_count(&jobs->distinct);
  bool exact = distinct_is_exact(&jobs->distinct);
  char build[32] = "";
  struct text text = {0};
  u32 i;

  if (run_spec_build(spec))
    snprintf(build, sizeof(build), " build=0x%016" PRIx64, run_spec_build(spec));

  output_counts(jobs->runs, distinct, exact, jobs->elapsed_ms, &text);
  text_add(&text, jobs->interrupted ? " (interrupted)\n" : "\n");
  add_suspects(spec, jobs, &text);
  add_missing(result, &text);
  for (i = 0; i < jobs->num_findings; i++) {
    output_finding(&jobs->finding[i], "  ", &text);
  }
  for (i = 0; i < jobs->num_findings; i++) {
    if (!output_has_no_line(jobs, i)) output_finding_end(spec, &jobs->finding[i], "", &text);
  }
  for (i = 0; i < result->num_missing; i++) {
    char key[SIM_KEY_LEN];

    run_make_key(spec->scenario, "never-reached", result->missing[i].name, key);
    text_addf(&text,
              "FAIL key=%s scenario=%s %s runs=%" PRIu64 " mark=\"%s\" commit=%s subject=%s\n", key,
              spec->scenario->name, what, jobs->runs, result->missing[i].name, spec->commit,
              spec->subject.sha256);
  }
  if (!campaign_findings(result) && !result->num_missing && !jobs->trouble && jobs->runs)
    text_addf(&text,
              "OK scenario=%s %s runs=%" PRIu64 " distinct=%s%" PRIu64 " commit=%s subject=%s%s\n",
              spec->scenario->name, what, jobs->runs, exact ? "" : "~", distinct, spec->commit,
              spec->subject.sha256, build);
  fputs(text_str(&text), stdout);
  text_free(&text);
}
