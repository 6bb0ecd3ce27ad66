// SPDX-License-Identifier: GPL-2.0-or-later
//
// tools/fuzz status: what a campaign did and found, for people, machines and browsers. It only
// reads, so it may be asked while the campaign is at work.

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/command.h"
#include "tools/fuzzing/fuzz_commands.h"
#include "tools/fuzzing/fuzz_page.h"
#include "tools/fuzzing/fuzz_slice.h"
#include "tools/fuzzing/fuzz_summary.h"
#include "tools/options.h"
#include "tools/output.h"
#include "tools/registry.h"

// ---- Text ----

static void print_rows(const struct fuzz_summary *summary) {
  u64 now_ms = fuzz_now_ms();

  printf("  %-24s %-9s %9s %10s %8s %8s %8s %8s  %s\n", "target", "engine", "time", "executions",
         "exec/s", "features", "corpus", "failures", "last new");
  for (u32 i = 0; i < summary->num_rows; i++) {
    const struct fuzz_row *row = &summary->row[i];
    char executions[TEXT_COUNT_LEN], rate[TEXT_COUNT_LEN], time[TEXT_COUNT_LEN];
    char ago[TEXT_COUNT_LEN];

    printf("  %-24s %-9s %9s %10s %8s %8" PRIu64 " %8" PRIu64 " %8" PRIu64 "  ", row->target,
           fuzz_engine_name(row->engine), text_duration(row->ms, time),
           text_count(row->executions, executions), text_count(row->rate, rate), row->features,
           row->corpus, row->failures);
    if (row->last_new_ms)
      printf("%s ago\n",
             text_duration(now_ms > row->last_new_ms ? now_ms - row->last_new_ms : 0, ago));
    else
      printf("never\n");
  }
}

static void print_found(const struct fuzz_summary *summary, const char *dir) {
  for (u32 i = 0; i < summary->num_found; i++) {
    const struct fuzz_found *found = &summary->found[i];

    printf("  %s%s, %" PRIu64 " input%s", found->key, found->reproduced ? "" : " (not reproduced)",
           found->count, found->count == 1 ? "" : "s");
    if (found->bug) printf(", of the planted bug %s", found->bug);
    printf("\n    %s\n    %s/%s\n", found->cause, dir, found->folder);
    if (*found->replay) printf("    replay: %s\n", found->replay);
  }
}

static void print_text(const struct fuzz_summary *summary, const char *dir) {
  if (summary->bugs.len) printf("PLANTED BUG: %s\n\n", text_str(&summary->bugs));
  if (!summary->num_rows) {
    printf("No slice has ended in %s; `tools/fuzz run --out=%s' begins a campaign.\n", dir, dir);
  } else {
    print_rows(summary);
  }
  printf("\n%u finding%s\n", summary->num_found, summary->num_found == 1 ? "" : "s");
  print_found(summary, dir);
  if (summary->log.passed_over)
    printf("%u line%s of the log %s no record\n", summary->log.passed_over,
           summary->log.passed_over == 1 ? "" : "s", summary->log.passed_over == 1 ? "is" : "are");
}

// ---- JSON ----

static void print_json(const struct fuzz_summary *summary, const char *dir) {
  cJSON *object = cJSON_CreateObject(), *array, *item;

  json_text(object, "dir", dir);
  array = cJSON_AddArrayToObject(object, "targets");
  for (u32 i = 0; i < summary->num_rows; i++) {
    const struct fuzz_row *row = &summary->row[i];

    item = cJSON_CreateObject();
    json_text(item, "target", row->target);
    json_text(item, "engine", fuzz_engine_name(row->engine));
    json_u64(item, "slices", row->slices);
    json_u64(item, "ms", row->ms);
    json_u64(item, "executions", row->executions);
    json_u64(item, "executions_per_second", row->rate);
    json_u64(item, "features", row->features);
    json_u64(item, "corpus", row->corpus);
    json_u64(item, "new", row->found);
    json_u64(item, "failures", row->failures);
    json_u64(item, "last_new_ms", row->last_new_ms);
    cJSON_AddItemToArray(array, item);
  }
  array = cJSON_AddArrayToObject(object, "findings");
  for (u32 i = 0; i < summary->num_found; i++) {
    const struct fuzz_found *found = &summary->found[i];

    item = cJSON_CreateObject();
    json_text(item, "key", found->key);
    json_text(item, "cause", found->cause);
    json_text(item, "replay", found->replay);
    json_text(item, "folder", found->folder);
    json_u64(item, "count", found->count);
    json_text(item, "bug", found->bug);
    cJSON_AddBoolToObject(item, "reproduced", found->reproduced);
    cJSON_AddItemToArray(array, item);
  }
  json_u64(object, "lines_passed_over", summary->log.passed_over);
  json_print(object);
}

// ---- The command ----

static const struct argp_option option_list[] = {
    {"json", FUZZ_KEY_JSON, NULL, 0, "Print one JSON object in place of text", 3},
    {"html", FUZZ_KEY_HTML, "FILE", 0,
     "Write a page with plots over time to FILE; it needs gnuplot, and no network", 3},
    {0},
};

static const struct argp status_argp = {
    .options = option_list,
    .parser = fuzz_options_parse_own,
    .args_doc = "[TARGET...]",
    .doc =
        "Show what a campaign did: for each target and engine the time it had, executions, what "
        "its last slice reached (libFuzzer's features, AFL++'s edges), the inputs of the corpus, "
        "inputs that failed, and when something new was last reached; then the findings. It may "
        "be asked while the campaign is at work.\v"
        "Examples:\n"
        "  fuzz status\n"
        "  fuzz status --html=status.html\n"
        "\n"
        "Exit status 0; 66 where there is no campaign; 69 for --html without gnuplot.",
    .children = fuzz_options_where,
};

int fuzz_status_command(int argc, char **argv) {
  struct fuzz_options options;
  struct fuzz_summary summary;
  int status = SIM_OK;
  char err[512];

  fuzz_options_init(&options, "status");
  options_parse("status", &status_argp, argc, argv, &options);
  for (u32 i = 0; i < options.num_names; i++)
    if (!registry_find_target(options.name[i]))
      registry_no_target(options.name[i], "status", NULL, NULL);
  if (access(options.out, F_OK)) {
    complain("%s: there is no campaign; `fuzz run --out=%s' begins one", options.out, options.out);
    return SIM_MISSING_FILE;
  }
  if (!fuzz_summary_read(options.out, options.name, options.num_names, &summary, err,
                         sizeof(err))) {
    complain("%s", err);
    return SIM_OURS;
  }
  if (options.json)
    print_json(&summary, options.out);
  else if (!options.html)
    print_text(&summary, options.out);
  if (options.html) status = fuzz_page_write(&summary, options.html);
  fuzz_summary_free(&summary);
  return status;
}

int fuzz_page(const struct fuzz_place *place, const char *path) {
  struct fuzz_summary summary;
  char err[512];
  int status;

  if (!fuzz_summary_read(place->dir, NULL, 0, &summary, err, sizeof(err))) {
    complain("%s", err);
    return SIM_OURS;
  }
  status = fuzz_page_write(&summary, path);
  if (!status) printf("\nstatus page: %s\n", path);
  fuzz_summary_free(&summary);
  return status;
}
