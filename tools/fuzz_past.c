// SPDX-License-Identifier: GPL-2.0-or-later
//
// A failing input that passes on the plain build: on the engine's build alone, then after what its
// process had run before.

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "fuzz/history.h"
#include "tools/child.h"
#include "tools/fuzz_finding_internal.h"
#include "tools/interrupt.h"

enum { MINIMISE_RUNS_MAX = 300 };

// ---- The engine's build ----

// Runs the binary twice. Returns FUZZ_STAGE_NEXT with `told` filled if both failed in one way (then
// `out_same`), or did not.
static enum fuzz_stage run_twice(struct fuzz_work *work, const char *path, bool is_history,
                                 const char *what, struct fuzz_told *told, bool *out_same) {
  struct fuzz_told second = {0};

  *out_same = false;
  *told = (struct fuzz_told){0};
  for (u32 i = 0; i < 2; i++) {
    struct fuzz_told *now = i ? &second : told;

    fuzz_engine_run(&work->build, path, is_history, now);
    if (now->outcome == FUZZ_REFUSED) {
      fuzz_refuse(work, now->text);
      fuzz_told_free(told);
      if (i) fuzz_told_free(&second);
      return FUZZ_STAGE_DONE;
    }
    fuzz_add_tried(work, what, now->text);
    if (now->outcome == FUZZ_PASSED) break;
    text_free(&work->log);
    text_add_bytes(&work->log, text_str(&now->log), now->log.len);
  }
  if (second.outcome == FUZZ_FAILED && fuzz_told_same(told, &second)) {
    *out_same = true;
    if (strcmp(told->stable, second.stable) != 0) told->stable[0] = '\0';
  }
  fuzz_told_free(&second);
  return FUZZ_STAGE_NEXT;
}

enum fuzz_stage fuzz_try_engine(struct fuzz_work *work) {
  struct fuzz_finding *out = work->out;
  struct fuzz_told told;
  char oracle[64];
  bool same;

  if (!work->failure->binary) {
    fuzz_add_tried(work, "the engine's build", "not tried: no binary was named");
    return FUZZ_STAGE_NEXT;
  }
  if (run_twice(work, work->path, false, "the engine's build, the input alone", &told, &same) ==
      FUZZ_STAGE_DONE)
    return FUZZ_STAGE_DONE;
  if (same) {
    struct fuzz_parts parts = {.work = work, .told = &told, .log = &told.log};

    out->kind = FUZZ_KIND_ENGINE;
    out->status = told.status;
    snprintf(out->text, sizeof(out->text), "%.400s; the plain build passes", told.text);
    snprintf(oracle, sizeof(oracle), "engine-%s", told.what);
    fuzz_make_key(work, oracle, told.stable);
    fuzz_keep_parts(work, work->failure->out, &parts);
  }
  fuzz_told_free(&told);
  return same ? FUZZ_STAGE_DONE : FUZZ_STAGE_NEXT;
}

// ---- Its history ----

static bool is_input(const struct fuzz_work *work, const struct history_input *input) {
  return !input->cut && input->len == work->bytes.len &&
         (!input->len || !memcmp(input->bytes, work->bytes.s, input->len));
}

// Whether the record is of the process that failed: it ends with the input, or with an earlier one
// that was run again after it.
static bool ends_with_input(const struct fuzz_work *work, const struct history *history) {
  for (u32 i = 0; i < 2 && i < history->count; i++)
    if (is_input(work, &history->input[history->count - 1 - i])) return true;
  return false;
}

// The newest record in a folder that is of the process which failed; NULL: none is.
static char *find_record(const struct fuzz_work *work, const char *folder) {
  struct timespec newest = {0};
  struct dirent *entry;
  DIR *dir = opendir(folder);
  char *found = NULL;

  while (dir && (entry = readdir(dir))) {
    char *path = xasprintf("%s/%s", folder, entry->d_name), err[256];
    struct history history;
    struct stat st;

    if (entry->d_name[0] != '.' && !stat(path, &st) && S_ISREG(st.st_mode) &&
        history_read(path, &history, err, sizeof(err)) == SIM_OK) {
      bool newer = !found || st.st_mtim.tv_sec > newest.tv_sec ||
                   (st.st_mtim.tv_sec == newest.tv_sec && st.st_mtim.tv_nsec > newest.tv_nsec);

      if (newer && !strcmp(history.scenario, work->spec.scenario->name) &&
          ends_with_input(work, &history)) {
        free(found);
        found = path;
        path = NULL;
        newest = st.st_mtim;
      }
      history_free(&history);
    }
    free(path);
  }
  if (dir) closedir(dir);
  return found;
}

// Reads the record, if there is one; its bytes, as small as they can be, go to `out_file`.
static bool read_record(struct fuzz_work *work, struct history *history, struct text *out_file) {
  const char *path = work->failure->history;
  char *found = NULL, err[256];
  struct stat st;
  bool good = false;
  size_t len;
  u8 *bytes;

  if (!path) {
    fuzz_add_tried(work, "the process's history", "not tried: there is no record");
    return false;
  }
  if (!stat(path, &st) && S_ISDIR(st.st_mode)) {
    found = find_record(work, path);
    if (!found) {
      fuzz_add_tried(work, "the process's history", "not tried: no record ends with this input");
      return false;
    }
    path = found;
  }
  if (history_read(path, history, err, sizeof(err)) != SIM_OK) {
    text_addf(&work->tried, "the process's history: not tried: %s: %s\n", path, err);
  } else if (strcmp(history->scenario, work->spec.scenario->name) != 0) {
    text_addf(&work->tried, "the process's history: not tried: a record of %s\n",
              history->scenario);
    history_free(history);
  } else {
    bytes = history_make(history->scenario, history->input, history->count, &len);
    good = bytes != NULL;
    if (good) text_add_bytes(out_file, (const char *)bytes, len);
    if (!good) history_free(history);
    free(bytes);
  }
  free(found);
  return good;
}

// Puts a record of these inputs where binaries find it. False after a complaint.
static bool put_record(struct fuzz_work *work, const struct history_input *input, u32 count,
                       struct text *out_file) {
  size_t len;
  u8 *bytes = history_make(work->spec.scenario->name, input, count, &len);
  bool good = bytes && fuzz_add_file(&work->temp, "history", bytes, len);

  if (good && out_file) {
    text_free(out_file);
    text_add_bytes(out_file, (const char *)bytes, len);
  }
  free(bytes);
  return good;
}

// `out_log`, which may be NULL, becomes what the binary said.
static bool record_fails(struct fuzz_work *work, const struct history_input *input, u32 count,
                         const char *path, const struct fuzz_told *as, struct text *out_log) {
  struct fuzz_told told;
  bool same;

  if (!put_record(work, input, count, NULL)) return false;
  fuzz_engine_run(&work->build, path, true, &told);
  same = told.outcome == FUZZ_FAILED && fuzz_told_same(&told, as);
  if (same && out_log) {
    text_free(out_log);
    *out_log = told.log;
    told.log = (struct text){0};
  }
  fuzz_told_free(&told);
  return same;
}

// Leaves out chunks, largest first, while it still fails. Returns how many inputs are left.
static u32 minimise(struct fuzz_work *work, struct history_input *input, u32 count,
                    const char *path, const struct fuzz_told *as) {
  struct history_input *less = xcalloc(count + 1, sizeof(*less));
  u64 start_ms = monotonic_ms();
  u32 runs = 0;

  for (u32 chunk = count / 2 ? count / 2 : 1; chunk && count > 1; chunk /= 2) {
    u32 at = 0;

    while (at < count && runs < MINIMISE_RUNS_MAX && !interrupt_signal() &&
           monotonic_ms() - start_ms < work->shrink_ms) {
      u32 len = chunk < count - at ? chunk : count - at;

      memcpy(less, input, at * sizeof(*less));
      memcpy(less + at, input + at + len, (count - at - len) * sizeof(*less));
      runs++;
      if (count > len && record_fails(work, less, count - len, path, as, NULL)) {
        count -= len;
        memcpy(input, less, count * sizeof(*less));
      } else {
        at += len;
      }
    }
  }
  free(less);
  return count;
}

static void keep_history(struct fuzz_work *work, struct history *history, const char *path,
                         const struct text *full, const struct fuzz_told *told) {
  struct history_input *input = xcalloc(history->count + 1, sizeof(*input));
  struct text file = {0}, stable = {0}, log = {0};
  struct fuzz_finding *out = work->out;
  struct fuzz_parts parts = {.work = work, .told = told, .is_history = true, .log = &told->log};
  u32 count;

  memcpy(input, history->input, history->count * sizeof(*input));
  count = minimise(work, input, history->count, path, told);
  // What is left has failed once; now twice more.
  if (count < history->count && record_fails(work, input, count, path, told, NULL) &&
      record_fails(work, input, count, path, told, &log)) {
    parts.log = &log;
    if (!put_record(work, input, count, &file)) count = 0;
  } else {
    count = history->count;
    text_add_bytes(&file, full->s, full->len);
  }
  out->kind = FUZZ_KIND_HISTORY;
  out->status = SIM_NONDETERMINISM;
  if (count == 1)
    snprintf(out->text, sizeof(out->text),
             "an input of the process's record fails alone, and is not the one at hand: %.300s",
             told->text);
  else
    snprintf(out->text, sizeof(out->text),
             "a run depends on earlier ones of its process, a defect of ours; %u inputs in a row: "
             "%.300s",
             count, told->text);
  text_addf(&stable, "%s %s", told->what, told->target_key);
  fuzz_make_key(work, "history", text_str(&stable));
  parts.history = &file;
  if (count < history->count) parts.history_full = full;
  if (count)
    fuzz_keep_parts(work, work->failure->out, &parts);
  else
    fuzz_refuse(work, NULL);
  text_free(&file);
  text_free(&stable);
  text_free(&log);
  free(input);
}

enum fuzz_stage fuzz_try_history(struct fuzz_work *work, struct text *out_record) {
  struct history history;
  struct fuzz_told told;
  enum fuzz_stage stage;
  char *path;
  bool same = false;

  if (!work->failure->binary || !read_record(work, &history, out_record)) return FUZZ_STAGE_NEXT;
  path = findings_temp_path(&work->temp, "history");
  if (!put_record(work, history.input, history.count, NULL)) {
    fuzz_refuse(work, NULL);
    stage = FUZZ_STAGE_DONE;
  } else {
    stage = run_twice(work, path, true, "the engine's build, the process's history", &told, &same);
    if (same) keep_history(work, &history, path, out_record, &told);
    if (stage == FUZZ_STAGE_NEXT) fuzz_told_free(&told);
    if (same) stage = FUZZ_STAGE_DONE;
  }
  free(path);
  history_free(&history);
  return stage;
}
