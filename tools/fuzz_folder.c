// SPDX-License-Identifier: GPL-2.0-or-later
//
// Folders of fuzz_finding.h: what they hold, and which inputs they have seen.

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/command.h"
#include "tools/fuzz_finding_internal.h"
#include "tools/keep.h"

// ---- What a folder has seen ----

// Whole lines of `text` that are hashes; `out_end` is where the last whole line ends.
static u64 count_lines(const struct text *text, const char *hash, bool *out_has, size_t *out_end) {
  size_t at = 0;
  u64 count = 0;

  *out_has = false;
  for (;;) {
    const char *line = text_str(text) + at, *end = memchr(line, '\n', text->len - at);

    if (!end) break;
    if (end - line == 2 * FUZZ_HASH_LEN) {
      count++;
      if (hash && !memcmp(line, hash, 2 * FUZZ_HASH_LEN)) *out_has = true;
    }
    at = (size_t)(end - text_str(text)) + 1;
  }
  *out_end = at;
  return count;
}

enum { SEEN_MAX = 1 << 28 };

u64 fuzz_finding_count(const char *folder) {
  char *path = xasprintf("%s/seen", folder);
  struct text text = {0};
  size_t end;
  u64 count = 0;
  bool has;

  if (read_file(path, SEEN_MAX, &text)) count = count_lines(&text, NULL, &has, &end);
  text_free(&text);
  free(path);
  return count;
}

// Adds the input to those that the folder has seen. Whatever is written of a line that is not
// whole counts for nothing, and the next line goes over it.
static bool note_seen(struct fuzz_work *work, const char *folder) {
  char *path = xasprintf("%s/seen", folder), line[2 * FUZZ_HASH_LEN + 2];
  struct text text = {0};
  bool has = false, good = true;
  size_t end = 0;
  int error = 0, fd;

  snprintf(line, sizeof(line), "%s\n", work->hash);
  if (read_file(path, SEEN_MAX, &text))
    work->out->count = count_lines(&text, work->hash, &has, &end);
  else if (errno != ENOENT)
    error = errno;
  text_free(&text);
  if (!has && !error) {
    fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    if (fd < 0) error = errno;
    if (!error && ftruncate(fd, (off_t)end)) error = errno;
    if (!error) {
      ssize_t done = pwrite(fd, line, strlen(line), (off_t)end);

      if (done != (ssize_t)strlen(line)) error = done < 0 ? errno : ENOSPC;
      if (!error && fsync(fd) && errno != EINVAL) error = errno;
      if (error) (void)!ftruncate(fd, (off_t)end);
    }
    if (fd >= 0) close(fd);
    if (!error) work->out->count++;
  }
  if (error) {
    complain("%s: %s", path, strerror(error));
    good = false;
  }
  free(path);
  return good;
}

// ---- Folders ----

void fuzz_add_tried(struct fuzz_work *work, const char *what, const char *how) {
  text_addf(&work->tried, "%s: %s\n", what, how);
}

void fuzz_refuse(struct fuzz_work *work, const char *why) {
  if (why) complain("%s: not kept: %s", work->failure->input, why);
  work->out->kept = FUZZ_KEPT_NOT_WRITTEN;
  work->out->status = SIM_OURS;
}

// A folder that holds the finding; NULL: it could not be written, which was said.
void fuzz_settle(struct fuzz_work *work, char *folder, bool before) {
  struct fuzz_finding *out = work->out;

  if (!folder) {
    fuzz_refuse(work, NULL);
    return;
  }
  // A new one has seen it: the line came with it. Others may have added theirs.
  if (before && !note_seen(work, folder)) {
    free(folder);
    fuzz_refuse(work, NULL);
    return;
  }
  out->folder = folder;
  out->count = fuzz_finding_count(folder);
  out->kept = before ? FUZZ_KEPT_BEFORE : FUZZ_KEPT_NEW;
}

bool fuzz_add_file(struct findings_temp *temp, const char *name, const void *bytes, size_t len) {
  char err[512];

  if (findings_add(temp, name, bytes, len, err, sizeof(err))) return true;
  complain("the finding is not written: %s", err);
  return false;
}

static bool add_text(struct findings_temp *temp, const char *name, const struct text *text) {
  return !text || !text->len || fuzz_add_file(temp, name, text->s, text->len);
}

static bool add_line(struct findings_temp *temp, const char *name, const char *line) {
  struct text text = {0};
  bool good;

  text_addf(&text, "%s\n", line);
  good = fuzz_add_file(temp, name, text.s, text.len);
  text_free(&text);
  return good;
}

static void add_replay(const struct fuzz_parts *parts, const char *folder, struct text *out) {
  char *here = getcwd(NULL, 0);
  char *file = xasprintf("%s/%s", folder, parts->is_history ? "history" : "input.bytes");

  if (here) {
    text_add(out, "cd ");
    text_add_quoted(out, here);
    text_add(out, " && ");
  }
  free(here);
  if (parts->told)
    fuzz_engine_add_command(&parts->work->build, file, parts->is_history, parts->told->what, out);
  else
    run_add_replay_file(&parts->work->spec, file, true, out);
  free(file);
}

static bool fill(struct findings_temp *temp, const char *folder, void *arg) {
  const struct fuzz_parts *parts = arg;
  const struct fuzz_work *work = parts->work;
  struct text replay = {0};
  bool good;

  add_replay(parts, folder, &replay);
  good = add_line(temp, "key", work->out->key) && add_line(temp, "cause", work->out->text) &&
         add_line(temp, "replay", text_str(&replay)) &&
         fuzz_add_file(temp, "input.bytes", text_str(&work->bytes), work->bytes.len) &&
         add_line(temp, "seen", work->hash) &&
         add_line(temp, "subject", work->spec.subject.sha256) &&
         add_text(temp, "history", parts->history) &&
         add_text(temp, "history.full", parts->history_full) &&
         add_text(temp, "engine.log", parts->log) && add_text(temp, "tried", parts->tried);
  text_free(&replay);
  return good;
}

// Writes, or finds, the folder of out->key.
void fuzz_keep_parts(struct fuzz_work *work, const char *out, struct fuzz_parts *parts) {
  const char *sha256 = work->spec.subject.sha256;
  char *name = keep_folder_name(&work->named, work->out->key);
  char *folder = keep_find_folder(out, name, work->out->key, sha256);
  bool before = folder != NULL;

  if (!folder) folder = keep_write_folder(out, name, work->out->key, sha256, fill, parts, &before);
  fuzz_settle(work, folder, before);
  free(name);
}

void fuzz_make_key(struct fuzz_work *work, const char *oracle, const char *stable) {
  run_make_key(work->spec.scenario, oracle, stable, work->out->key);
}
