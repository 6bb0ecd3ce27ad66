// SPDX-License-Identifier: GPL-2.0-or-later
//
// From an input that failed in an engine to a finding; see fuzz_finding.h.

#include "tools/fuzz_finding.h"

#include <blake2.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fuzz/fuzz_input.h"
#include "fuzz/history.h"
#include "tools/command.h"
#include "tools/fuzz_finding_internal.h"
#include "tools/interrupt.h"
#include "tools/options.h"

enum { TIMEOUT_S = 25, RSS_MB = 2048, SHRINK_MS = 60000, LOG_MAX = 1 << 26 };

// Keeps it as what did not fail again, with all that is known.
static void not_reproduced(struct fuzz_work *work, const struct text *record) {
  char *out = xasprintf("%s/not-deterministic", work->failure->out);
  struct text log = {0};
  struct fuzz_parts parts = {.work = work, .history = record, .tried = &work->tried};

  // What the engine saw tells more than how a later attempt ended.
  if (work->failure->log && read_file(work->failure->log, LOG_MAX, &log)) {
    if (log.len > FUZZ_LOG_MAX) {
      memmove(log.s, log.s + log.len - FUZZ_LOG_MAX, FUZZ_LOG_MAX);
      log.len = FUZZ_LOG_MAX;
    }
    text_add(&log, "\n");
  }
  text_add_bytes(&log, text_str(&work->log), work->log.len);
  parts.log = &log;
  work->out->kind = FUZZ_KIND_NONE;
  work->out->status = SIM_NONDETERMINISM;
  snprintf(work->out->text, sizeof(work->out->text),
           "it failed in an engine, and not twice in the same way since: see `tried'");
  fuzz_make_key(work, "not-reproduced", work->hash);
  findings_clean(out);
  fuzz_keep_parts(work, out, &parts);
  text_free(&log);
  free(out);
}

static bool refuse_input(struct fuzz_work *work, const char *why) {
  complain("%s: %s", work->failure->input, why);
  work->out->kept = FUZZ_KEPT_NO_INPUT;
  work->out->status = SIM_MISSING_FILE;
  return false;
}

static bool read_input(struct fuzz_work *work) {
  u8 hash[FUZZ_HASH_LEN];
  struct stat st;

  if (stat(work->failure->input, &st)) return refuse_input(work, strerror(errno));
  if (!S_ISREG(st.st_mode)) return refuse_input(work, "no regular file");
  if (!read_file(work->failure->input, HISTORY_INPUT_MAX, &work->bytes))
    return refuse_input(work, errno == EFBIG ? "longer than 1 MiB: no input" : strerror(errno));
  blake2b(hash, text_str(&work->bytes), NULL, FUZZ_HASH_LEN, work->bytes.len, 0);
  for (u32 i = 0; i < FUZZ_HASH_LEN; i++) snprintf(work->hash + 2 * i, 3, "%02x", hash[i]);
  return true;
}

// From any folder, and not by PATH.
static char *absolute(const char *path) {
  char *here = *path == '/' ? NULL : getcwd(NULL, 0);
  char *found = here ? xasprintf("%s/%s", here, path) : xstrdup(path);

  free(here);
  return found;
}

static bool init(struct fuzz_work *work) {
  const struct fuzz_failure *failure = work->failure;
  const u8 *bytes = (const u8 *)text_str(&work->bytes);
  struct run_spec *specs[] = {&work->named, &work->spec};

  for (u32 i = 0; i < 2; i++) {
    run_spec_init(specs[i], failure->scenario);
    if (failure->bug && !sim_params_set_bug(specs[i]->params, failure->bug)) {
      complain("%s has no planted bug '%s'", failure->scenario->name, failure->bug);
      work->out->kept = FUZZ_KEPT_NOT_WRITTEN;
      work->out->status = SIM_USAGE;
      return false;
    }
  }
  fuzz_settings_apply(bytes, work->bytes.len, work->spec.params);
  work->run = fuzz_sim_input(bytes, work->bytes.len);
  if (failure->binary) work->binary = absolute(failure->binary);
  work->watchdog_ms = failure->watchdog_ms ? failure->watchdog_ms : OPTIONS_WATCHDOG_MS;
  work->shrink_ms = failure->shrink_ms ? failure->shrink_ms : SHRINK_MS;
  work->build = (struct fuzz_build){
      .binary = work->binary ? work->binary : failure->binary,
      .engine = failure->engine,
      .bug = failure->bug,
      .timeout_s = failure->engine_timeout_s ? failure->engine_timeout_s : TIMEOUT_S,
      .rss_mb = failure->engine_rss_mb ? failure->engine_rss_mb : RSS_MB,
  };
  return true;
}

// One at a time for each findings folder. Returns a descriptor that holds the lock, or -1.
static int lock(const struct fuzz_work *work) {
  char *path = xasprintf("%s/.lock", work->failure->out);
  int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);

  if (fd < 0) complain("%s: %s", path, strerror(errno));
  while (fd >= 0 && flock(fd, LOCK_EX)) {
    if (errno == EINTR && !interrupt_signal()) continue;
    close(fd);
    fd = -1;
  }
  free(path);
  return fd;
}

static void handle(struct fuzz_work *work) {
  struct text record = {0};
  enum fuzz_stage stage = fuzz_try_plain(work);

  if (stage == FUZZ_STAGE_NEXT) stage = fuzz_try_engine(work);
  if (stage == FUZZ_STAGE_NEXT) stage = fuzz_try_history(work, &record);
  if (stage != FUZZ_STAGE_DONE) not_reproduced(work, &record);
  text_free(&record);
}

void fuzz_finding_keep(const struct fuzz_failure *failure, struct fuzz_finding *out) {
  struct fuzz_work work = {.failure = failure, .out = out};
  char err[512];
  int fd;

  *out = (struct fuzz_finding){.kind = FUZZ_KIND_NONE};
  // A finding says how `seedbed` replays it, whatever this program is.
  command_find_invocation("tools/seedbed");
  if (read_input(&work) && init(&work)) {
    if (!findings_begin(failure->out, &work.temp, err, sizeof(err))) {
      fuzz_refuse(&work, err);
    } else {
      fd = lock(&work);
      findings_clean(failure->out);
      work.path = findings_temp_path(&work.temp, "input.bytes");
      if (fd < 0 ||
          !fuzz_add_file(&work.temp, "input.bytes", text_str(&work.bytes), work.bytes.len))
        fuzz_refuse(&work, NULL);
      else
        handle(&work);
      findings_abort(&work.temp);
      if (fd >= 0) close(fd);
    }
  }
  free(work.path);
  free(work.binary);
  run_spec_free(&work.named);
  run_spec_free(&work.spec);
  text_free(&work.bytes);
  text_free(&work.tried);
  text_free(&work.log);
}

void fuzz_finding_free(struct fuzz_finding *finding) {
  free(finding->folder);
  *finding = (struct fuzz_finding){0};
}
