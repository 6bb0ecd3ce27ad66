// SPDX-License-Identifier: GPL-2.0-or-later
//
// Keeping a finding; see keep.h. Sections: runs in a child; shrinking; runs that kill
// their process; folders; keeping.

#include "tools/keep.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/shrink.h"
#include "tools/child.h"
#include "tools/command.h"
#include "tools/difference.h"
#include "tools/findings.h"
#include "tools/input.h"
#include "tools/interrupt.h"
#include "tools/probe.h"
#include "tools/recorder.h"
#include "tools/trace_tail.h"

// ---- Runs in a child ----

static struct sim_world *world_of(const struct run_spec *spec) {
  struct sim_world *world = sim_world_new();

  if (world && sim_world_setup(world, spec->scenario, spec->params, NULL) != SIM_OK) {
    sim_world_free(world);
    return NULL;
  }
  return world;
}

struct child_run {
  const struct run_spec *spec;
  const struct sim_input *run;
  struct sim_trace_sink *sink;
  bool want_list;
};

// Writes the result and, if wanted, the decisions as the text of a file.
static int run_main(void *arg, FILE *out) {
  const struct child_run *run = arg;
  struct sim_world *world = world_of(run->spec);
  struct sim_result result;

  if (!world) return SIM_OURS;
  sim_world_set_sink(world, run->sink);
  sim_world_run(world, run->run, &result);
  fwrite(&result, sizeof(result), 1, out);
  if (run->want_list) {
    struct sim_decision_file file;
    size_t len = 0;
    char *text;

    run_decision_file(run->spec, NULL, "", 0, &file);
    sim_decisions_from_world(&file.list, world);
    if (result.draws_overflow) file.list.count = sim_decisions_repeated(&file.list);
    text = run_decision_text(&file, &len);
    fwrite(text, 1, len, out);
  }
  return 0;
}

enum jobs_death keep_run(const struct run_spec *spec, const struct sim_input *run, u64 ms,
                         struct sim_trace_sink *sink, struct sim_decisions *out_list,
                         struct sim_result *result, int *out_code) {
  struct child_run child_run = {spec, run, sink, out_list != NULL};
  struct child_limits limits = {.cpu_ms = ms, .again = !sink};
  struct sim_decision_file file = {0};
  struct child_result child;
  enum jobs_death death;
  char err[256];

  child_fork(run_main, &child_run, &limits, &child);
  death = jobs_death_of_child(&child, out_code);
  if (death == JOBS_EXIT && !*out_code && child.out.len >= sizeof(*result)) {
    death = JOBS_ALIVE;
    memcpy(result, child.out.s, sizeof(*result));
  }
  if (death == JOBS_ALIVE && out_list &&
      sim_decision_file_parse(&file, child.out.s + sizeof(*result), child.out.len - sizeof(*result),
                              err, sizeof(err))) {
    sim_decisions_free(out_list);
    *out_list = file.list;
    file.list = (struct sim_decisions){0};
    sim_decision_file_free(&file);
  }
  child_result_free(&child);
  return death;
}

static struct sim_input input_of_seed(const struct run_spec *spec, u64 seed) {
  return (struct sim_input){
      .backend = SIM_BACKEND_SEED,
      .seed = seed,
      .strategy = spec->strategy,
  };
}

// ---- Shrinking ----

struct shrink_run {
  const struct run_spec *spec;
  struct sim_decision_file *file;
  FILE *out;
  struct sim_world *world;
  u32 last_count;
};

// One record of the shrinking child: the runs so far, then the file's text.
static void shrink_emit(struct shrink_run *run, u64 runs) {
  size_t len = 0;
  char *text = run_decision_text(run->file, &len);
  u64 head[2] = {runs, len};

  fwrite(head, sizeof(head), 1, run->out);
  fwrite(text, 1, len, run->out);
  fflush(run->out);
  free(text);
}

// What is found so far outlives a crash or an interruption later on.
static void shrink_changed(void *arg, u32 count) {
  struct shrink_run *run = arg;

  if (count > run->last_count / 2) return;
  run->last_count = count;
  shrink_emit(run, 1);
}

static int shrink_main(void *arg, FILE *out) {
  struct shrink_run *run = arg;
  struct sim_input input = {.backend = SIM_BACKEND_LIST, .list = &run->file->list};
  struct sim_result result;
  u64 runs;

  run->out = out;
  run->world = world_of(run->spec);
  if (!run->world) return SIM_OURS;
  runs = sim_shrink(run->world, &run->file->list, run->file->key, KEEP_SHRINK_RUNS_MAX,
                    shrink_changed, run);
  if (runs) {
    sim_world_run(run->world, &input, &result);
    run->file->digest = result.digest;
    shrink_emit(run, runs);
  }
  return 0;
}

// Takes the last whole record.
static u64 shrink_take(const struct text *out, struct sim_decision_file *file) {
  struct sim_decision_file best = {0}, next;
  u64 runs = 0, head[2];
  size_t at = 0;
  char err[256];

  while (out->len - at >= sizeof(head)) {
    memcpy(head, out->s + at, sizeof(head));
    at += sizeof(head);
    if (out->len - at < head[1] ||
        !sim_decision_file_parse(&next, out->s + at, head[1], err, sizeof(err)))
      break;
    at += head[1];
    sim_decision_file_free(&best);
    best = next;
    runs = head[0];
  }
  if (!runs) return 0;
  sim_decisions_free(&file->list);
  file->list = best.list;
  best.list = (struct sim_decisions){0};
  file->digest = best.digest;
  sim_decision_file_free(&best);
  return runs;
}

u64 keep_shrink(const struct run_spec *spec, struct sim_decision_file *file, u64 cpu_ms,
                u64 wall_ms, bool *out_stopped) {
  struct shrink_run run = {.spec = spec, .file = file, .last_count = file->list.count};
  struct child_limits limits = {.cpu_ms = cpu_ms, .wall_ms = wall_ms, .yields = true};
  struct child_result child;
  u64 runs;

  child_fork(shrink_main, &run, &limits, &child);
  runs = shrink_take(&child.out, file);
  *out_stopped = child.end == CHILD_HUNG || runs >= KEEP_SHRINK_RUNS_MAX;
  if (runs && child.end != CHILD_EXITED) {
    // Only the last record has the list's digest.
    struct sim_input input = {.backend = SIM_BACKEND_LIST, .list = &file->list};
    struct sim_result result;
    int code;

    if (keep_run(spec, &input, cpu_ms, NULL, NULL, &result, &code) == JOBS_ALIVE)
      file->digest = result.digest;
  }
  child_result_free(&child);
  return runs;
}

// ---- Runs that kill their process ----

// Whether the list kills its process as the finding does.
static bool kills(const struct keep *keep, const struct jobs_finding *finding,
                  const struct sim_decisions *list) {
  struct sim_input run = {.backend = SIM_BACKEND_LIST, .list = list};
  struct sim_result result;
  int code = 0;

  return keep_run(keep->spec, &run, keep->watchdog_ms, NULL, NULL, &result, &code) ==
             finding->death &&
         code == finding->code;
}

// Runs it once more to have its decisions, and to know where it ended.
static bool recover(const struct keep *keep, struct jobs_finding *finding,
                    struct sim_decisions *out_list) {
  struct recorder *recorder = recorder_new();
  struct sim_input run = input_of_seed(keep->spec, finding->run.seed);
  struct sim_result result;
  struct trace_end end;
  bool found = false;
  int code = 0;

  if (!finding->run.has_seed)
    run = keep->run ? *keep->run : (struct sim_input){.backend = SIM_BACKEND_CALM};
  if (keep_run(keep->spec, &run, keep->watchdog_ms, recorder_sink(recorder), NULL, &result,
               &code) == finding->death &&
      code == finding->code) {
    end = recorder_end(recorder);
    finding->run.steps = finding->step = end.step;
    finding->run.digest = end.digest;
    found = recorder_take(recorder, out_list);
  }
  recorder_free(recorder);
  return found;
}

// Deletes chunks, largest first, while the list still kills. Returns whether a limit ended it.
static bool shrink_killer(const struct keep *keep, const struct jobs_finding *finding,
                          struct sim_decisions *list) {
  u64 start_ms = monotonic_ms();
  u32 children = 0, chunk;
  bool stopped = false;

  for (chunk = list->count; chunk; chunk /= 2) {
    u32 at = 0;

    while (at < list->count && !interrupt_signal() && !stopped) {
      u32 len = chunk < list->count - at ? chunk : list->count - at;
      struct sim_decisions less = {
          .item = xcalloc(list->count - len, sizeof(*list->item)),
          .count = list->count - len,
          .cap = list->count - len,
      };

      if (at) memcpy(less.item, list->item, at * sizeof(*list->item));
      if (less.count > at)
        memcpy(less.item + at, list->item + at + len, (less.count - at) * sizeof(*list->item));
      children++;
      stopped = children == KEEP_SHRINK_CHILDREN_MAX ||
                (keep->shrink_left_ms && monotonic_ms() - start_ms >= *keep->shrink_left_ms);
      if (kills(keep, finding, &less)) {
        sim_decisions_free(list);
        *list = less;
      } else {
        sim_decisions_free(&less);
        at += len;
      }
    }
  }
  return stopped;
}

// ---- Folders ----

char *keep_folder_name(const struct run_spec *spec, const char *key) {
  const char *bug = sim_params_bug(spec->params);
  char *args[RUN_ARGS_MAX], *at;
  struct text name = {0}, rest = {0};
  u32 count = run_spec_args(spec, args, RUN_ARGS_MAX), i;

  text_add(&name, key);
  for (at = name.s; *at; at++) {
    if (*at == '/') *at = '.';
  }
  if (bug) text_addf(&name, ".bug%s", bug);
  for (i = 0; i < count; i++) {
    // A strategy leads to a run but is no part of it.
    if (strncmp(args[i], "--bug=", 6) && strncmp(args[i], "--strategy=", 11))
      text_addf(&rest, "%s\n", args[i]);
    free(args[i]);
  }
  if (rest.len) text_addf(&name, ".set-%08" PRIx32, (u32)sim_hash_str(rest.s));
  text_free(&rest);
  return name.s;
}

// Whether the file is this one line.
static bool is_line(const char *folder, const char *name, const char *line) {
  char *path = xasprintf("%s/%s", folder, name);
  struct text text = {0};
  size_t len = strlen(line);
  bool same = read_file(path, SIM_KEY_LEN * 2, &text) && text.len == len + 1 &&
              !memcmp(text.s, line, len) && text.s[len] == '\n';

  text_free(&text);
  free(path);
  return same;
}

// Whether the folder holds this key under this subject.
static bool same_finding(const char *folder, const char *key, const char *sha256) {
  char *path = xasprintf("%s/decisions", folder), err[256];
  struct sim_decision_file file;
  struct text text = {0};
  bool same = false;

  if (read_file(path, INPUT_FILE_MAX, &text) &&
      sim_decision_file_parse(&file, text_str(&text), text.len, err, sizeof(err))) {
    same = !strcmp(file.key, key) && !strcmp(file.subject_sha256, sha256);
    sim_decision_file_free(&file);
  } else {
    same = is_line(folder, "key", key) && is_line(folder, "subject", sha256);
  }
  text_free(&text);
  free(path);
  return same;
}

static char *numbered(const char *name, u32 number) {
  return number == 1 ? xstrdup(name) : xasprintf("%s.%u", name, number);
}

enum { NAMES_MAX = 1000 };

char *keep_find_folder(const char *out, const char *name, const char *key, const char *sha256) {
  u32 number;

  for (number = 1; number < NAMES_MAX; number++) {
    char *file = numbered(name, number), *folder = xasprintf("%s/%s", out, file);
    bool same = same_finding(folder, key, sha256);
    struct text text = {0};
    char *key_path = xasprintf("%s/key", folder);
    bool there = read_file(key_path, SIM_KEY_LEN * 2, &text);

    text_free(&text);
    free(key_path);
    free(file);
    if (same) return folder;
    free(folder);
    if (!there) break;
  }
  return NULL;
}

// What goes into a folder.
struct contents {
  struct text decisions, decisions_full, trace, difference;
};

static bool add(struct findings_temp *temp, const char *name, const struct text *text) {
  char err[512];

  if (findings_add(temp, name, text_str(text), text->len, err, sizeof(err))) return true;
  complain("the finding is not written: %s", err);
  return false;
}

static bool add_line(struct findings_temp *temp, const char *name, const char *line) {
  struct text text = {0};
  bool good;

  text_addf(&text, "%s\n", line);
  good = add(temp, name, &text);
  text_free(&text);
  return good;
}

static bool fill(const struct keep *keep, const struct jobs_finding *finding,
                 const struct contents *contents, const char *folder, struct findings_temp *temp) {
  struct text replay = {0}, seed = {0};
  char *here = getcwd(NULL, 0);
  bool good;

  // From any folder: paths are those of this one.
  if (here) {
    text_add(&replay, "cd ");
    text_add_quoted(&replay, here);
    text_add(&replay, " && ");
  }
  free(here);
  if (contents->decisions.len) {
    char *file = xasprintf("%s/decisions", folder);

    run_add_replay_file(keep->spec, file, false, &replay);
    free(file);
  } else if (keep->bytes) {
    char *file = xasprintf("%s/input.bytes", folder);

    run_add_replay_file(keep->spec, file, true, &replay);
    free(file);
  } else {
    run_add_replay_seed(keep->spec, finding->run.seed, &replay);
  }
  text_addf(&seed, "0x%" PRIx64, finding->run.seed);
  good =
      add_line(temp, "key", finding->key) && add_line(temp, "cause", finding->text) &&
      add_line(temp, "replay", text_str(&replay)) && add(temp, "trace.txt", &contents->trace) &&
      (!finding->run.has_seed || add_line(temp, "input.seed", text_str(&seed))) &&
      (!keep->bytes || add(temp, "input.bytes", keep->bytes)) &&
      (!keep->seen || add_line(temp, "seen", keep->seen)) &&
      (contents->decisions.len || add_line(temp, "subject", keep->spec->subject.sha256)) &&
      (!contents->decisions.len || add(temp, "decisions", &contents->decisions)) &&
      (!contents->decisions_full.len || add(temp, "decisions.full", &contents->decisions_full)) &&
      (!contents->difference.len || add(temp, "first-difference", &contents->difference));
  text_free(&replay);
  text_free(&seed);
  return good;
}

static bool begin(const char *out, struct findings_temp *temp) {
  char err[512];

  if (findings_begin(out, temp, err, sizeof(err))) return true;
  complain("the finding is not written: %s", err);
  return false;
}

char *keep_write_folder(const char *out, const char *name, const char *key, const char *sha256,
                        keep_fill *fill_with, void *arg, bool *out_before) {
  u32 number;

  *out_before = false;
  for (number = 1; number < NAMES_MAX; number++) {
    char *file = numbered(name, number), *folder = xasprintf("%s/%s", out, file), *before;
    struct findings_temp temp;
    enum findings_commit commit;
    char err[512];

    if (!begin(out, &temp)) {
      free(file);
      free(folder);
      return NULL;
    }
    if (!fill_with(&temp, folder, arg)) {
      findings_abort(&temp);
      free(file);
      free(folder);
      return NULL;
    }
    commit = findings_commit(&temp, file, err, sizeof(err));
    free(file);
    if (commit == FINDINGS_COMMITTED) return folder;
    findings_abort(&temp);
    free(folder);
    if (commit == FINDINGS_ERROR) {
      complain("the finding is not written: %s", err);
      return NULL;
    }
    before = keep_find_folder(out, name, key, sha256);
    if (before) {
      *out_before = true;
      return before;
    }
  }
  complain("the finding is not written: %s/%s is taken %d times", out, name, NAMES_MAX);
  return NULL;
}

struct filling {
  const struct keep *keep;
  const struct jobs_finding *finding;
  const struct contents *contents;
};

static bool fill_folder(struct findings_temp *temp, const char *folder, void *arg) {
  const struct filling *filling = arg;

  return fill(filling->keep, filling->finding, filling->contents, folder, temp);
}

static char *write_folder(const struct keep *keep, const struct jobs_finding *finding,
                          const struct contents *contents, const char *out, const char *name,
                          bool *out_before) {
  struct filling filling = {keep, finding, contents};

  return keep_write_folder(out, name, finding->key, keep->spec->subject.sha256, fill_folder,
                           &filling, out_before);
}

// ---- Keeping ----

static bool probe_agrees(const struct probe *probe, const struct jobs_finding *finding,
                         u64 digest) {
  u32 i;

  if (finding->death != JOBS_ALIVE)
    return probe->death == finding->death && probe->code == finding->code;
  if (probe->death != JOBS_ALIVE || probe->digest != digest) return false;
  for (i = 0; i < probe->num_keys; i++) {
    if (!strcmp(probe->key[i], finding->key)) return true;
  }
  return false;
}

enum verified {
  VERIFIED,
  VERIFIED_NOT,    // it ends otherwise
  NOT_VERIFIABLE,  // the machine refused; said on stderr
};

static enum verified verify(const struct probe *probe, const struct jobs_finding *finding,
                            u64 digest) {
  if (probe->started) return probe_agrees(probe, finding, digest) ? VERIFIED : VERIFIED_NOT;
  complain("the run cannot be made again: no process, or it is killed from outside");
  return NOT_VERIFIABLE;
}

// Replays these decisions in a fresh process: does it end as the finding did?
static enum verified verify_decisions(const struct keep *keep, const struct jobs_finding *finding,
                                      const struct text *decisions, u64 digest) {
  enum verified verified = NOT_VERIFIABLE;
  struct findings_temp temp;
  struct probe probe = {0};

  if (!begin(keep->out, &temp)) return NOT_VERIFIABLE;
  if (add(&temp, "decisions", decisions)) {
    char *path = findings_temp_path(&temp, "decisions");

    probe_file(path, keep->watchdog_ms, &probe);
    verified = verify(&probe, finding, digest);
    free(path);
  }
  findings_abort(&temp);
  return verified;
}

static enum verified reproduces(const struct keep *keep, const struct jobs_finding *finding,
                                const struct text *decisions) {
  bool whole = decisions->len && !finding->draws_overflow;
  enum verified verified = VERIFIED;
  struct probe probe;
  u32 i, times = whole ? 1 : 2;

  // Once by the seed, once by the decisions: both ways are printed for the user.
  for (i = 0; finding->run.has_seed && i < times && verified == VERIFIED; i++) {
    probe_seed(keep->spec, finding->run.seed, keep->watchdog_ms, &probe);
    verified = verify(&probe, finding, finding->run.digest);
  }
  for (i = finding->run.has_seed; whole && i < 2 && verified == VERIFIED; i++)
    verified = verify_decisions(keep, finding, decisions, finding->run.digest);
  return verified;
}

static void add_trace(const struct keep *keep, const struct jobs_finding *finding,
                      const struct text *decisions, struct text *out) {
  struct trace_tail *tail = trace_tail_new(TRACE_TAIL_LINES);
  struct sim_input run = input_of_seed(keep->spec, finding->run.seed);
  struct sim_decision_file file = {0};
  struct sim_result result;
  char err[256];
  int code;

  if (decisions->len &&
      sim_decision_file_parse(&file, decisions->s, decisions->len, err, sizeof(err)))
    run = (struct sim_input){.backend = SIM_BACKEND_LIST, .list = &file.list};
  else if (!finding->run.has_seed && keep->run)
    run = *keep->run;
  if (run.list || finding->run.has_seed || keep->run)
    keep_run(keep->spec, &run, keep->watchdog_ms, trace_tail_sink(tail), NULL, &result, &code);
  if (run.list) sim_decision_file_free(&file);
  trace_tail_add(tail, TRACE_TAIL_LINES, "", out);
  trace_tail_free(tail);
}

// Looks for the place a few times, since chance may be against us.
static void find_difference(const struct keep *keep, const struct sim_input *run, char *const *args,
                            u32 num_args, struct text *out) {
  struct difference_input input = {keep->spec, run, args, num_args};
  enum difference answer = DIFFERENCE_NONE;
  u32 i;

  for (i = 0; answer == DIFFERENCE_NONE && i < 3; i++)
    answer = difference_find(&input, keep->watchdog_ms, out);
  if (answer == DIFFERENCE_NONE)
    text_add(out, "the runs differed once; looked at three times more, they did not\n");
  else if (answer == DIFFERENCE_DIED)
    text_add(out, "a run killed its process in one of several attempts\n");
}

static void difference_of_seed(const struct keep *keep, u64 seed, struct text *out) {
  struct sim_input run = input_of_seed(keep->spec, seed);
  char *args[RUN_ARGS_MAX + 2];
  u32 count = 0, i;

  args[count++] = xstrdup(keep->spec->scenario->name);
  args[count++] = xasprintf("--seed=0x%" PRIx64, seed);
  count += run_spec_args(keep->spec, args + count, RUN_ARGS_MAX);
  find_difference(keep, &run, args, count, out);
  for (i = 0; i < count; i++) free(args[i]);
}

static void difference_of_decisions(const struct keep *keep, const struct text *decisions,
                                    struct text *out) {
  struct sim_decision_file file;
  struct findings_temp temp;
  char err[256], *path;

  if (!sim_decision_file_parse(&file, text_str(decisions), decisions->len, err, sizeof(err)))
    return;
  if (begin(keep->out, &temp)) {
    path = findings_temp_path(&temp, "decisions");
    if (add(&temp, "decisions", decisions)) {
      struct sim_input run = {.backend = SIM_BACKEND_LIST, .list = &file.list};
      char *args[] = {(char *)(uintptr_t) "--", path};

      find_difference(keep, &run, args, 2, out);
    }
    free(path);
    findings_abort(&temp);
  }
  sim_decision_file_free(&file);
}

static void not_deterministic(const struct keep *keep, struct jobs_finding *finding,
                              const char *name, struct contents *contents) {
  char *out = xasprintf("%s/not-deterministic", keep->out);
  bool before;

  if (finding->run.has_seed)
    difference_of_seed(keep, finding->run.seed, &contents->difference);
  else
    difference_of_decisions(keep, &contents->decisions, &contents->difference);
  add_trace(keep, finding, &contents->decisions, &contents->trace);
  findings_clean(out);
  finding->folder = write_folder(keep, finding, contents, out, name, &before);
  finding->kept = finding->folder ? KEPT_NOT_DETERMINISTIC : KEPT_NOT_WRITTEN;
  finding->status = SIM_NONDETERMINISM;
  free(out);
}

// Replaces the folder by one with shrunk decisions, if they fail in a fresh process too.
static void shrink_kept(const struct keep *keep, struct jobs_finding *finding,
                        struct contents *contents) {
  struct sim_decision_file file;
  struct contents shrunk = {0};
  struct findings_temp temp;
  const char *name = strrchr(finding->folder, '/') + 1;
  u64 start_ms = monotonic_ms(), *left_ms = keep->shrink_left_ms, used_ms;
  size_t len = 0;
  char err[512];

  if (left_ms && !*left_ms) {
    finding->shrink_stopped = true;
    return;
  }
  if (!sim_decision_file_parse(&file, text_str(&contents->decisions), contents->decisions.len, err,
                               sizeof(err)))
    return;
  if (finding->death == JOBS_ALIVE)
    keep_shrink(keep->spec, &file, keep->watchdog_ms * 10, left_ms ? *left_ms : 0,
                &finding->shrink_stopped);
  else if (finding->death != JOBS_HANG)
    finding->shrink_stopped = shrink_killer(keep, finding, &file.list);
  used_ms = monotonic_ms() - start_ms;
  finding->shrink_ms = used_ms;
  if (left_ms) *left_ms -= used_ms < *left_ms ? used_ms : *left_ms;
  if (file.list.count < finding->num_decisions_full) {
    shrunk.decisions.s = run_decision_text(&file, &len);
    shrunk.decisions.len = len;
    shrunk.decisions.cap = len + 1;
    shrunk.decisions_full = contents->decisions_full;
    if (verify_decisions(keep, finding, &shrunk.decisions, file.digest) == VERIFIED &&
        begin(keep->out, &temp)) {
      add_trace(keep, finding, &shrunk.decisions, &shrunk.trace);
      if (!fill(keep, finding, &shrunk, finding->folder, &temp)) {
        findings_abort(&temp);
      } else if (!findings_replace(&temp, name, err, sizeof(err))) {
        complain("shrunk decisions are not written: %s", err);
        findings_abort(&temp);
      } else {
        finding->num_decisions = file.list.count;
      }
    }
    text_free(&shrunk.decisions);
    text_free(&shrunk.trace);
  }
  sim_decision_file_free(&file);
}

static u32 count_decisions(const char *text, size_t len) {
  struct sim_decision_file file;
  char err[256];
  u32 count;

  if (!sim_decision_file_parse(&file, text, len, err, sizeof(err))) return 0;
  count = file.list.count;
  sim_decision_file_free(&file);
  return count;
}

void keep_finding(const struct keep *keep, struct jobs_finding *finding) {
  char *name = keep_folder_name(keep->named ? keep->named : keep->spec, finding->key);
  struct contents contents = {0};
  bool before = false;

  finding->folder = keep_find_folder(keep->out, name, finding->key, keep->spec->subject.sha256);
  if (finding->death != JOBS_ALIVE && !finding->decisions) {
    struct sim_decision_file file;
    struct sim_decisions list = {0};

    if (recover(keep, finding, &list)) {
      run_decision_file(keep->spec, finding->run.has_seed ? &finding->run.seed : NULL, finding->key,
                        finding->run.digest, &file);
      file.list = list;
      finding->decisions = run_decision_text(&file, &finding->decisions_len);
      sim_decision_file_free(&file);
    }
  }
  if (finding->folder) {
    finding->kept = KEPT_BEFORE;
    free(name);
    return;
  }
  if (finding->decisions) {
    finding->num_decisions = finding->num_decisions_full =
        count_decisions(finding->decisions, finding->decisions_len);
    text_add_bytes(&contents.decisions, finding->decisions, finding->decisions_len);
    text_add_bytes(&contents.decisions_full, finding->decisions, finding->decisions_len);
  }
  switch (reproduces(keep, finding, &contents.decisions)) {
    case NOT_VERIFIABLE:
      finding->kept = KEPT_NOT_WRITTEN;
      break;
    case VERIFIED_NOT:
      not_deterministic(keep, finding, name, &contents);
      break;
    case VERIFIED:
      add_trace(keep, finding, &contents.decisions, &contents.trace);
      finding->folder = write_folder(keep, finding, &contents, keep->out, name, &before);
      finding->kept = !finding->folder ? KEPT_NOT_WRITTEN : before ? KEPT_BEFORE : KEPT_NEW;
      if (finding->kept == KEPT_NEW && contents.decisions.len && !interrupt_signal())
        shrink_kept(keep, finding, &contents);
      break;
  }
  text_free(&contents.decisions);
  text_free(&contents.decisions_full);
  text_free(&contents.trace);
  text_free(&contents.difference);
  free(name);
}
