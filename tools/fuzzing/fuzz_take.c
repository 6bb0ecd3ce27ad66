// SPDX-License-Identifier: GPL-2.0-or-later
//
// Taking slices in; see fuzz_take.h. Sections: new inputs; failing inputs; figures; the whole.

#include "tools/fuzzing/fuzz_take.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/command.h"
#include "tools/findings.h"
#include "tools/fuzzing/fuzz_corpus.h"
#include "tools/fuzzing/fuzz_figures.h"
#include "tools/fuzzing/fuzz_inputs.h"
#include "tools/fuzzing/fuzz_minder.h"
#include "tools/interrupt.h"
#include "tools/progress.h"

enum {
  OUTPUT_LEN_MAX = 1 << 28,
  // Of one finding: it is not the only one, and `seedbed shrink` goes on where this ends.
  SHRINK_MS = 10000,
};

struct taking {
  const struct fuzz_place *place;
  const struct fuzz_target *target;
  const struct fuzz_slice *slice;
  struct fuzz_record *record;
  struct text output;  // of the engine
  struct text taken;   // of the file: a line "HASH STATUS new|before FOLDER" each
};

static char *in_slice(const struct taking *taking, const char *name) {
  return xasprintf("%s/%s", taking->slice->folder, name);
}

static char *afl_folder(const struct taking *taking, const char *name) {
  return xasprintf("%s/afl/default/%s", taking->slice->folder, name);
}

// ---- New inputs ----

static bool is_empty(const char *path) {
  struct stat stat_buffer;

  return !stat(path, &stat_buffer) && !stat_buffer.st_size;
}

// Of AFL++'s queue the inputs that it began with are in the corpus already; what is set aside does
// not come back. An empty file is one that a killed engine was about to write; if not, it is the
// calm run, which is there.
static bool is_new(const struct taking *taking, const char *path) {
  char hash[FUZZ_HASH_LEN];

  if (taking->slice->engine == FUZZ_ENGINE_AFL && strstr(path, ",orig:")) return false;
  return !is_empty(path) && fuzz_hash_file(path, hash) &&
         !fuzz_inputs_is_aside(taking->target, hash);
}

static int take_inputs(struct taking *taking) {
  bool afl = taking->slice->engine == FUZZ_ENGINE_AFL;
  char *folder = afl ? afl_folder(taking, "queue") : in_slice(taking, "new");
  char *corpus = xasprintf("%s/corpus", taking->target->dir), err[512];
  struct fuzz_files files;
  int status = SIM_OK;

  fuzz_files_list(folder, &files);
  for (u32 i = 0; i < files.count && !status; i++) {
    char *path = xasprintf("%s/%s", folder, files.name[i]);

    if (is_new(taking, path)) {
      taking->record->found++;
      if (fuzz_corpus_add(corpus, path, err, sizeof(err)) == FUZZ_ADDED_NOT) {
        complain("%s", err);
        status = SIM_OURS;
      }
    }
    free(path);
  }
  fuzz_files_free(&files);
  free(corpus);
  free(folder);
  return status;
}

// ---- Failing inputs ----

struct failing {
  const struct fuzz_place *place;
  const struct fuzz_target *target;
  const char *path, *log, *history, *bug;
  enum fuzz_engine engine;
};

// What became of a failing input.
struct fate {
  bool new;
  int status;
  char *folder;  // of the finding; owned, NULL: none
};

// Makes a finding of one input. 70: the machine refused.
static int keep_one(const struct failing *failing, const char *hash, struct fuzz_record *record,
                    struct fate *out) {
  char *findings = fuzz_place_path(failing->place, "findings");
  char *program = fuzz_place_program(failing->place, failing->target, failing->engine);
  struct fuzz_failure failure = {
      .scenario = failing->target->scenario,
      .input = failing->path,
      .out = findings,
      .binary = program,
      .engine = failing->engine,
      .history = failing->history,
      .bug = failing->bug,
      .log = failing->log,
      .shrink_ms = SHRINK_MS,
  };
  struct fuzz_finding finding = {0};
  int status = SIM_OK;

  fuzz_finding_keep(&failure, &finding);
  if (finding.kept == FUZZ_KEPT_NOT_WRITTEN) {
    status = SIM_OURS;
  } else {
    *out = (struct fate){finding.kept == FUZZ_KEPT_NEW, (int)finding.status, finding.folder};
    finding.folder = NULL;
    // An input of the corpus that fails would end each later slice. The corpus has no use for one
    // that only what ran before it makes fail, but no harm by it either.
    if (finding.kind == FUZZ_KIND_RUN || finding.kind == FUZZ_KIND_ENGINE)
      record->set_aside += fuzz_inputs_set_aside(failing->target, hash);
    if (out->new) {
      progress_clear_of_parent();
      complain("new: %s: %s, %s", finding.key, finding.text, out->folder);
    }
  }
  fuzz_finding_free(&finding);
  free(program);
  free(findings);
  return status;
}

static void count_failure(const struct fuzz_place *place, const struct fate *fate,
                          struct fuzz_record *record) {
  record->failures++;
  record->findings += fate->new;
  record->status = (enum sim_status)status_join((int)record->status, fate->status);
  if (fate->folder) fuzz_failed_add(place->failed, fate->folder);
}

// Whether the slice's earlier taking has handled it; it is then counted.
static bool was_taken(struct taking *taking, const char *hash) {
  const char *line = text_str(&taking->taken);
  struct fate fate = {0};
  int used = 0;
  char how[16];

  for (; *line; line += strcspn(line, "\n"), line += *line == '\n') {
    if (strncmp(line, hash, strlen(hash)) != 0) continue;
    if (sscanf(line + strlen(hash), " %d %15s %n", &fate.status, how, &used) != 2) continue;
    fate.new = !strcmp(how, "new");
    fate.folder = xasprintf("%.*s", (int)strcspn(line + strlen(hash) + used, "\n"),
                            line + strlen(hash) + used);
    count_failure(taking->place, &fate, taking->record);
    free(fate.folder);
    return true;
  }
  return false;
}

static void note_taken(struct taking *taking, const char *hash, const struct fate *fate) {
  char *path = in_slice(taking, "taken"),
       *line = xasprintf("%s %d %s %s\n", hash, fate->status, fate->new ? "new" : "before",
                         fate->folder ? fate->folder : "");
  int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);

  // Where it is not written the input is handled once more, and known by then.
  if (fd >= 0) {
    (void)!write(fd, line, strlen(line));
    close(fd);
  }
  free(line);
  free(path);
}

// `history`: its own record; NULL: one of the slice's.
static int take_failing(struct taking *taking, const char *path, const char *own_history) {
  char *history = own_history ? xstrdup(own_history) : in_slice(taking, "history"),
       *log = in_slice(taking, "output");
  const struct failing failing = {
      .place = taking->place,
      .target = taking->target,
      .path = path,
      .log = log,
      .history = history,
      .bug = *taking->slice->bug ? taking->slice->bug : NULL,
      .engine = taking->slice->engine,
  };
  struct fate fate = {0};
  char hash[FUZZ_HASH_LEN];
  int status = SIM_OK;

  if (interrupt_signal()) {
    status = SIM_OURS;
  } else if (fuzz_hash_file(path, hash) && !was_taken(taking, hash)) {
    status = keep_one(&failing, hash, taking->record, &fate);
    if (!status) {
      count_failure(taking->place, &fate, taking->record);
      note_taken(taking, hash, &fate);
    }
  }
  free(fate.folder);
  free(log);
  free(history);
  return status;
}

// Whether an engine was killed within the write: of libFuzzer's, where the content is not what the
// name says; of AFL++'s, which runs no empty input, where there is none.
static bool is_torn(const char *path, const char *name) {
  const char *end = strrchr(name, '-');
  char hash[FUZZ_HASH_LEN];

  if (!end || strspn(end + 1, "0123456789abcdef") != FUZZ_HASH_LEN - 1) return is_empty(path);
  return fuzz_hash_file(path, hash) && strcmp(hash, end + 1) != 0;
}

static bool is_failing(const char *name) {
  static const char *const kinds[] = {"crash-", "leak-", "timeout-", "oom-", "id:"};

  for (u32 i = 0; i < SIM_ARRAY_SIZE(kinds); i++)
    if (!strncmp(name, kinds[i], strlen(kinds[i]))) return true;
  return false;
}

static int take_folder(struct taking *taking, char *folder) {
  struct fuzz_files files;
  int status = SIM_OK;

  fuzz_files_list(folder, &files);
  for (u32 i = 0; i < files.count && !status; i++) {
    char *path = xasprintf("%s/%s", folder, files.name[i]);

    if (is_failing(files.name[i]) && !is_torn(path, files.name[i]))
      status = take_failing(taking, path, NULL);
    free(path);
  }
  fuzz_files_free(&files);
  free(folder);
  return status;
}

// What oracles said, which ended no process.
static int take_failed(struct taking *taking) {
  char *folder = in_slice(taking, "failed");
  struct fuzz_files files;
  int status = SIM_OK;

  fuzz_files_list(folder, &files);
  for (u32 i = 0; i < files.count && !status; i++) {
    char *path = xasprintf("%s/%s", folder, files.name[i]);
    char *history = xasprintf("%s.history", path);

    // Records lie beside their inputs, and what was being written is none.
    if (!strstr(files.name[i], ".history") && !strstr(files.name[i], ".part."))
      status = take_failing(taking, path, access(history, F_OK) ? NULL : history);
    free(history);
    free(path);
  }
  fuzz_files_free(&files);
  free(folder);
  return status;
}

struct skipping {
  struct taking *taking;
  int status;
};

static void take_skipped(void *arg, const char *name) {
  struct skipping *skipping = arg;
  char *path = xasprintf("%s/corpus/%s", skipping->taking->target->dir, name);

  if (!skipping->status && !access(path, F_OK))
    skipping->status = take_failing(skipping->taking, path, NULL);
  free(path);
}

static int take_failures(struct taking *taking) {
  struct skipping skipping = {taking, take_failed(taking)};

  if (skipping.status) return skipping.status;
  if (taking->slice->engine == FUZZ_ENGINE_LIBFUZZER)
    return take_folder(taking, in_slice(taking, "artifacts"));
  skipping.status = take_folder(taking, afl_folder(taking, "crashes"));
  if (!skipping.status) skipping.status = take_folder(taking, afl_folder(taking, "hangs"));
  if (!skipping.status)
    fuzz_figures_afl_skipped(text_str(&taking->output), take_skipped, &skipping);
  return skipping.status;
}

int fuzz_take_failure(const struct fuzz_place *place, const struct fuzz_target *target,
                      const char *path, const char *log, struct fuzz_record *record) {
  const struct failing failing = {
      .place = place,
      .target = target,
      .path = path,
      .log = log,
      .bug = getenv("SEEDBED_FUZZ_BUG"),
      .engine = record->engine,
  };
  struct fate fate = {0};
  char hash[FUZZ_HASH_LEN];
  int status;

  if (!fuzz_hash_file(path, hash)) return SIM_OK;
  status = keep_one(&failing, hash, record, &fate);
  if (!status) count_failure(place, &fate, record);
  free(fate.folder);
  return status;
}

int fuzz_take_failures(const struct fuzz_place *place, const struct fuzz_target *target,
                       const char *folder, const char *log, struct fuzz_record *record) {
  struct fuzz_files files;
  int status = SIM_OK;

  fuzz_files_list(folder, &files);
  for (u32 i = 0; i < files.count && !status; i++) {
    char *path = xasprintf("%s/%s", folder, files.name[i]);

    if (is_failing(files.name[i])) status = fuzz_take_failure(place, target, path, log, record);
    if (!status) unlink(path);
    free(path);
  }
  fuzz_files_free(&files);
  return status;
}

// ---- Figures ----

static void read_figures(struct taking *taking) {
  struct fuzz_record *record = taking->record;
  struct fuzz_figures figures;
  struct text stats = {0};
  char *path;

  if (taking->slice->engine == FUZZ_ENGINE_AFL) {
    path = afl_folder(taking, "fuzzer_stats");
    if (!read_file(path, OUTPUT_LEN_MAX, &stats)) stats.len = 0;
    fuzz_figures_afl(text_str(&stats), &figures);
    text_free(&stats);
    free(path);
  } else {
    fuzz_figures_libfuzzer(text_str(&taking->output), &figures);
  }
  record->executions = figures.executions;
  record->features = figures.features;
  record->edges = figures.edges;
  record->rate = record->ms ? figures.executions * 1000 / record->ms : 0;
}

// How long a slice ran that nobody saw the end of: until its last word.
static u64 until_last_word(const struct fuzz_slice *slice) {
  char *path = xasprintf("%s/output", slice->folder);
  struct stat stat_buffer;
  u64 end_ms = 0;

  if (!stat(path, &stat_buffer))
    end_ms = (u64)stat_buffer.st_mtim.tv_sec * 1000 + (u64)stat_buffer.st_mtim.tv_nsec / 1000000;
  free(path);
  return end_ms > slice->start_ms ? end_ms - slice->start_ms : 0;
}

static void tell_end(const struct fuzz_ending *ending, struct fuzz_record *record) {
  if (!ending->ours)
    snprintf(record->ended, sizeof(record->ended), "killed");
  else if (record->failures && ending->status && record->engine == FUZZ_ENGINE_LIBFUZZER)
    snprintf(record->ended, sizeof(record->ended), "failure");
  else if (ending->status > 128)
    snprintf(record->ended, sizeof(record->ended), "signal %d", ending->status - 128);
  else if (ending->status)
    snprintf(record->ended, sizeof(record->ended), "exit %d", ending->status);
  else
    snprintf(record->ended, sizeof(record->ended), "time");
}

// ---- The whole ----

// Whether an earlier taking of the slice got as far as the log.
static bool is_logged(const char *log, const char *id) {
  struct fuzz_log read;
  char err[512];
  bool found = fuzz_log_read(log, &read, err, sizeof(err)) && fuzz_log_has(&read, id);

  fuzz_log_free(&read);
  return found;
}

static int add_to_log(struct taking *taking, const struct fuzz_ending *ending) {
  char *log = fuzz_place_path(taking->place, "log.jsonl"), err[512];
  int status = SIM_OK, fd;

  // What is in the corpus is on the disk before the slice's folder goes.
  fd = open(taking->place->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd >= 0) {
    (void)syncfs(fd);
    close(fd);
  }
  if ((ending->ours || !is_logged(log, taking->record->id)) &&
      !fuzz_log_add(log, taking->record, err, sizeof(err))) {
    complain("%s", err);
    status = SIM_OURS;
  }
  free(log);
  return status;
}

int fuzz_take(const struct fuzz_place *place, const struct fuzz_target *target,
              const struct fuzz_slice *slice, const struct fuzz_ending *ending,
              struct fuzz_record *out) {
  struct taking taking = {.place = place, .target = target, .slice = slice, .record = out};
  char *output = xasprintf("%s/output", slice->folder), *taken = in_slice(&taking, "taken");
  char *corpus = xasprintf("%s/corpus", target->dir);
  struct fuzz_files files;
  int status;

  *out = (struct fuzz_record){
      .engine = slice->engine,
      .start_ms = slice->start_ms,
      .ms = ending->ours ? ending->ms : until_last_word(slice),
  };
  snprintf(out->id, sizeof(out->id), "%s", slice->id);
  snprintf(out->target, sizeof(out->target), "%s", target->name);
  snprintf(out->bug, sizeof(out->bug), "%s", slice->bug);
  if (!read_file(output, OUTPUT_LEN_MAX, &taking.output)) taking.output.len = 0;
  if (!read_file(taken, OUTPUT_LEN_MAX, &taking.taken)) taking.taken.len = 0;
  read_figures(&taking);
  status = take_inputs(&taking);
  if (!status) status = take_failures(&taking);
  fuzz_files_list(corpus, &files);
  out->corpus = files.count;
  fuzz_files_free(&files);
  tell_end(ending, out);
  if (!status) status = add_to_log(&taking, ending);
  text_free(&taking.output);
  text_free(&taking.taken);
  free(corpus);
  free(taken);
  free(output);
  return status;
}

pid_t fuzz_take_start(const struct fuzz_place *place, const struct fuzz_target *target,
                      const struct fuzz_slice *slice, const struct fuzz_ending *ending,
                      int *out_fd) {
  pid_t parent = getpid(), pid;
  int pipe_fd[2];

  fflush(NULL);
  if (pipe2(pipe_fd, O_CLOEXEC)) return -1;
  pid = fork();
  if (!pid) {
    struct fuzz_record record;
    struct text line = {0};
    int status;

    interrupt_leave_to_parent(parent);
    fuzz_failed_free(place->failed);  // so that what is there is of this slice
    status = fuzz_take(place, target, slice, ending, &record);
    fuzz_failed_lines(place->failed, &line);
    fuzz_record_line(&record, &line);
    if (write(pipe_fd[1], line.s, line.len) != (ssize_t)line.len) status = SIM_OURS;
    if (!status) fuzz_folder_remove(slice->folder);
    fflush(NULL);
    _exit(status);
  }
  close(pipe_fd[1]);
  if (pid < 0)
    close(pipe_fd[0]);
  else
    *out_fd = pipe_fd[0];
  return pid;
}

int fuzz_take_left(const struct fuzz_place *place, const struct fuzz_target *target,
                   struct fuzz_log *records) {
  const struct fuzz_ending ending = {.ours = false};
  DIR *folder = opendir(target->dir);
  struct dirent *entry;
  int status = SIM_OK;

  while (folder && !status && (entry = readdir(folder))) {
    struct fuzz_slice slice;
    struct fuzz_record record;

    if (strncmp(entry->d_name, "slice.", 6) != 0) continue;
    if (!fuzz_slice_read(target, entry->d_name, &slice)) {
      char *path = xasprintf("%s/%s", target->dir, entry->d_name);

      fuzz_folder_remove(path);
      free(path);
      continue;
    }
    status = fuzz_take(place, target, &slice, &ending, &record);
    if (!status) {
      fuzz_folder_remove(slice.folder);
      records->record = xrealloc(records->record, (records->count + 1) * sizeof(*records->record));
      records->record[records->count++] = record;
    }
    fuzz_slice_free(&slice);
  }
  if (folder) closedir(folder);
  return status;
}
