// SPDX-License-Identifier: GPL-2.0-or-later
//
// Summing a campaign up; see fuzz_summary.h.

#include "tools/fuzzing/fuzz_summary.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/findings.h"
#include "tools/fuzzing/fuzz_corpus.h"
#include "tools/origin.h"
#include "tools/registry.h"

static bool is_wanted(const char *target, const char *const names[], u32 num_names) {
  bool wanted = !num_names;

  for (u32 i = 0; i < num_names && !wanted; i++) {
    char *name = registry_target_name(names[i]);

    wanted = !strcmp(name, target);
    free(name);
  }
  return wanted;
}

static struct fuzz_row *row_of(struct fuzz_summary *summary, const struct fuzz_record *record) {
  struct fuzz_row *row;

  for (u32 i = 0; i < summary->num_rows; i++) {
    row = &summary->row[i];
    if (row->engine == record->engine && !strcmp(row->target, record->target)) return row;
  }
  summary->row = xrealloc(summary->row, (summary->num_rows + 1) * sizeof(*summary->row));
  row = &summary->row[summary->num_rows++];
  *row = (struct fuzz_row){.engine = record->engine};
  memcpy(row->target, record->target, sizeof(row->target));
  return row;
}

static bool has_bug(const struct fuzz_summary *summary, const char *bug) {
  size_t len = strlen(bug);

  for (const char *at = text_str(&summary->bugs); *at; at += strspn(at, ", ")) {
    size_t word = strcspn(at, ",");

    if (word == len && !strncmp(at, bug, len)) return true;
    at += word;
  }
  return false;
}

static void add_record(struct fuzz_summary *summary, const struct fuzz_record *record) {
  struct fuzz_row *row = row_of(summary, record);

  if (*record->bug && !has_bug(summary, record->bug))
    text_addf(&summary->bugs, "%s%s", summary->bugs.len ? ", " : "", record->bug);
  row->slices++;
  row->ms += record->ms;
  row->executions += record->executions;
  row->found += record->found;
  row->failures += record->failures;
  if (record->executions) {
    row->rate = record->rate;
    row->features = record->features;
  }
  if (record->found) row->last_new_ms = record->start_ms + record->ms;
}

static int compare_rows(const void *a, const void *b) {
  const struct fuzz_row *left = a, *right = b;
  int order = strcmp(left->target, right->target);

  return order ? order : (int)left->engine - (int)right->engine;
}

// ---- Findings ----

static int compare_found(const void *a, const void *b) {
  const struct fuzz_found *left = a, *right = b;
  int order = strcmp(left->key, right->key);

  if (left->reproduced != right->reproduced) return left->reproduced ? -1 : 1;
  return order ? order : strcmp(left->folder, right->folder);
}

static void add_findings(struct fuzz_summary *summary, const char *dir, const char *below,
                         bool reproduced) {
  char *path = xasprintf("%s/%s", dir, below);
  DIR *folder = opendir(path);
  struct dirent *entry;

  while (folder && (entry = readdir(folder))) {
    char *one = xasprintf("%s/%s", path, entry->d_name);
    struct fuzz_found found = {.key = findings_line(one, "key"), .reproduced = reproduced};

    if (entry->d_name[0] != '.' && *found.key) {
      found.folder = xasprintf("%s/%s", below, entry->d_name);
      found.cause = findings_line(one, "cause");
      found.replay = findings_line(one, "replay");
      found.bug = origin_of_finding(one);
      found.count = fuzz_finding_count(one);
      summary->found = xrealloc(summary->found, (summary->num_found + 1) * sizeof(*summary->found));
      summary->found[summary->num_found++] = found;
    } else {
      free(found.key);
    }
    free(one);
  }
  if (folder) closedir(folder);
  free(path);
}

// ---- The whole ----

bool fuzz_summary_read(const char *dir, const char *const names[], u32 num_names,
                       struct fuzz_summary *out, char *err, size_t len) {
  char *path = xasprintf("%s/log.jsonl", dir);
  bool good;

  *out = (struct fuzz_summary){0};
  good = fuzz_log_read(path, &out->log, err, len);
  free(path);
  if (!good) return false;
  for (u32 i = 0; i < out->log.count; i++)
    if (is_wanted(out->log.record[i].target, names, num_names))
      add_record(out, &out->log.record[i]);
  if (out->num_rows) qsort(out->row, out->num_rows, sizeof(*out->row), compare_rows);
  for (u32 i = 0; i < out->num_rows; i++) {
    struct fuzz_files files;

    path = xasprintf("%s/%s/corpus", dir, out->row[i].target);
    fuzz_files_list(path, &files);
    out->row[i].corpus = files.count;
    fuzz_files_free(&files);
    free(path);
  }
  add_findings(out, dir, "findings", true);
  add_findings(out, dir, "findings/not-deterministic", false);
  if (out->num_found) qsort(out->found, out->num_found, sizeof(*out->found), compare_found);
  return true;
}

void fuzz_summary_free(struct fuzz_summary *summary) {
  for (u32 i = 0; i < summary->num_found; i++) {
    free(summary->found[i].key);
    free(summary->found[i].folder);
    free(summary->found[i].cause);
    free(summary->found[i].replay);
    free(summary->found[i].bug);
  }
  free(summary->found);
  free(summary->row);
  text_free(&summary->bugs);
  fuzz_log_free(&summary->log);
  *summary = (struct fuzz_summary){0};
}
