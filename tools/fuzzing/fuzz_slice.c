// SPDX-License-Identifier: GPL-2.0-or-later
//
// Slices; see fuzz_slice.h. Sections: text; preparing; the engines; the folder.

#include "tools/fuzzing/fuzz_slice.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "tools/findings.h"
#include "tools/fuzzing/fuzz_corpus.h"
#include "tools/fuzzing/fuzz_inputs.h"
#include "tools/fuzzing/fuzz_minder.h"

enum {
  DESCRIBE_MS = 60000,
  BEYOND_MS = 2000,
  DESCRIBE_FILES_MAX = 128,
  SMALL_FILE_MAX = 1 << 20,
  MAX_LEN_DEFAULT = 1024,
  ARGS_MAX = 24,
  ENV_MAX = 16,
};

// ---- Text ----

u64 fuzz_now_ms(void) {
  struct timespec now;

  if (clock_gettime(CLOCK_REALTIME, &now)) return 0;
  return (u64)now.tv_sec * 1000 + (u64)now.tv_nsec / 1000000;
}

// The rest of the line that begins with `name` and a blank; NULL: there is none.
static const char *line_value(const char *text, const char *name) {
  size_t len = strlen(name);

  for (; *text; text += strcspn(text, "\n"), text += *text == '\n')
    if (!strncmp(text, name, len) && text[len] == ' ') return text + len + 1;
  return NULL;
}

u64 fuzz_line_number(const char *text, const char *name) {
  const char *value = line_value(text, name);

  return value ? strtoull(value, NULL, 10) : 0;
}

// A list of strings that it owns, NULL-terminated.
struct words {
  char *word[ARGS_MAX + DESCRIBE_FILES_MAX];
  u32 count;
};

static void add_word(struct words *words, char *word) {
  SIM_ASSERT(words->count + 1 < SIM_ARRAY_SIZE(words->word));
  words->word[words->count++] = word;
}

static void free_words(struct words *words) {
  for (u32 i = 0; i < words->count; i++) free(words->word[i]);
}

// ---- Preparing ----

static time_t changed_at(const char *path) {
  struct stat stat_buffer;

  return stat(path, &stat_buffer) ? 0 : stat_buffer.st_mtime;
}

// What was set aside before the program was built may be mended by now.
static bool bring_back(const struct fuzz_target *target, const char *program, const char *corpus,
                       char *err, size_t len) {
  char *killers = xasprintf("%s/killers", target->dir);
  struct fuzz_files files;
  bool good = true;

  fuzz_files_list(killers, &files);
  for (u32 i = 0; i < files.count && good; i++) {
    char *path = xasprintf("%s/%s", killers, files.name[i]);

    if (changed_at(path) < changed_at(program)) {
      good = fuzz_corpus_add(corpus, path, err, len) != FUZZ_ADDED_NOT;
      if (good) unlink(path);
    }
    free(path);
  }
  fuzz_files_free(&files);
  free(killers);
  return good;
}

// Adds the inputs of one folder of the tree, and names them in `words`.
static bool add_inputs(const struct fuzz_target *target, const char *folder, const char *corpus,
                       struct words *words, char *err, size_t len) {
  struct fuzz_files files;
  bool good = true;

  fuzz_files_list(folder, &files);
  for (u32 i = 0; i < files.count && good; i++) {
    char *path = xasprintf("%s/%s", folder, files.name[i]), hash[FUZZ_HASH_LEN];

    if (fuzz_hash_file(path, hash) && !fuzz_inputs_is_aside(target, hash)) {
      good = fuzz_corpus_add(corpus, path, err, len) != FUZZ_ADDED_NOT;
      if (words->count < DESCRIBE_FILES_MAX) add_word(words, xstrdup(path));
    }
    free(path);
  }
  fuzz_files_free(&files);
  return good;
}

// Has the program write its description; with the inputs, if one of them does not keep it from it.
static bool describe(const struct fuzz_target *target, const char *program, struct words *inputs,
                     char *err, size_t len) {
  char *path = xasprintf("%s/description", target->dir);
  char *output = xasprintf("%s/describing", target->dir);
  char *env[] = {xasprintf("!SEEDBED_FUZZ_DESCRIBE=%s", path), NULL};
  const char *argv[DESCRIBE_FILES_MAX + 2] = {program};
  bool good = false;

  for (u32 i = 0; i < inputs->count; i++) argv[i + 1] = inputs->word[i];
  for (u32 try = 0; try < 2 && !good; try++) {
    struct fuzz_program run = {argv, (const char *const *)env, output, DESCRIBE_MS};

    unlink(path);
    good = !fuzz_minder_run(&run) && !access(path, F_OK);
    argv[1] = NULL;
  }
  if (!good) snprintf(err, len, "%s does not describe itself; see %s", program, output);
  if (good) unlink(output);
  free(env[0]);
  free(output);
  free(path);
  return good;
}

bool fuzz_target_prepare(const struct fuzz_place *place, const struct fuzz_target *target,
                         enum fuzz_engine engine, char *err, size_t len) {
  static const char *const folders[] = {"seed", "regress"};
  char *corpus = xasprintf("%s/corpus", target->dir);
  char *program = fuzz_place_program(place, target, engine);
  struct words inputs = {0};
  // The calm run with a length, since AFL++ passes over an empty file.
  bool good = fuzz_folder_make(corpus, err, len) && bring_back(target, program, corpus, err, len) &&
              fuzz_corpus_add_bytes(corpus, "", 1, err, len) != FUZZ_ADDED_NOT;

  for (u32 i = 0; i < SIM_ARRAY_SIZE(folders) && good; i++) {
    char *folder = xasprintf("%s/corpora/%s/%s", place->root, target->name, folders[i]);

    good = add_inputs(target, folder, corpus, &inputs, err, len);
    free(folder);
  }
  good = good && describe(target, program, &inputs, err, len);
  free_words(&inputs);
  free(program);
  free(corpus);
  return good;
}

static u64 input_len_max(const struct fuzz_target *target) {
  char *path = xasprintf("%s/description", target->dir);
  struct text text = {0};
  u64 max_len = 0;

  if (read_file(path, SMALL_FILE_MAX, &text))
    max_len = fuzz_line_number(text_str(&text), "max_len");
  text_free(&text);
  free(path);
  return max_len ? max_len : MAX_LEN_DEFAULT;
}

// ---- The engines ----

static u64 whole_seconds(u64 ms) { return ms < 1000 ? 1 : ms / 1000; }

// Inputs stay as long as they are: making them smaller is for `prune`.
static void command_libfuzzer(const struct fuzz_target *target, const char *program,
                              const char *folder, u64 ms, struct words *argv) {
  add_word(argv, xstrdup(program));
  add_word(argv, xasprintf("-max_total_time=%" PRIu64, whole_seconds(ms)));
  add_word(argv, xasprintf("-max_len=%" PRIu64, input_len_max(target)));
  add_word(argv, xasprintf("-timeout=%d", FUZZ_RUN_TIMEOUT_S));
  add_word(argv, xasprintf("-rss_limit_mb=%d", FUZZ_RUN_MEMORY_MB));
  add_word(argv, xasprintf("-report_slow_units=%d", FUZZ_RUN_TIMEOUT_S));
  add_word(argv, xstrdup("-reduce_inputs=0"));
  add_word(argv, xstrdup("-print_final_stats=1"));
  add_word(argv, xasprintf("-artifact_prefix=%s/artifacts/", folder));
  add_word(argv, xasprintf("%s/new", folder));
  add_word(argv, xasprintf("%s/inputs", folder));
}

static void command_afl(const struct fuzz_place *place, const struct fuzz_target *target,
                        const char *program, const char *folder, u64 ms, struct words *argv,
                        struct words *env) {
  add_word(argv, xstrdup("afl-fuzz"));
  add_word(argv, xstrdup("-i"));
  add_word(argv, xasprintf("%s/inputs", folder));
  add_word(argv, xstrdup("-o"));
  add_word(argv, xasprintf("%s/afl", folder));
  add_word(argv, xstrdup("-G"));
  add_word(argv, xasprintf("%" PRIu64, input_len_max(target)));
  add_word(argv, xstrdup("-V"));
  add_word(argv, xasprintf("%" PRIu64, whole_seconds(ms)));
  add_word(argv, xstrdup("--"));
  add_word(argv, xstrdup(program));
  // Cores and the crash reporter are the machine's owner's.
  add_word(env, xstrdup("AFL_SKIP_CPUFREQ=1"));
  add_word(env, xstrdup("AFL_TRY_AFFINITY=1"));
  add_word(env, xstrdup("AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES=1"));
  add_word(env, xstrdup("!AFL_NO_UI=1"));
  // An input of the corpus that fails ends nothing; it is named in the output.
  add_word(env, xstrdup("AFL_SKIP_CRASHES=1"));
  add_word(env, xstrdup("AFL_FAST_CAL=1"));
  add_word(env, xstrdup("AFL_DISABLE_TRIM=1"));  // as fuzz/run.sh says
  add_word(env, xasprintf("AFL_HANG_TMOUT=%d", FUZZ_RUN_TIMEOUT_S * 1000));
  add_word(env, xasprintf("AFL_CUSTOM_MUTATOR_LIBRARY=%s/aflpp/mutator_afl.so", place->engines));
  add_word(env, xstrdup("AFL_CUSTOM_MUTATOR_ONLY=1"));
  add_word(env, xasprintf("!SEEDBED_FUZZ_DESCRIPTION=%s/description", target->dir));
}

// ---- The folder ----

void fuzz_slice_free(struct fuzz_slice *slice) {
  free(slice->folder);
  slice->folder = NULL;
}

// A new folder; its number is the time, so that no later slice has it.
static bool make_folder(const struct fuzz_target *target, struct fuzz_slice *slice, char *err,
                        size_t len) {
  static const char *const inner[] = {"new", "artifacts", "failed", "history"};
  u64 number = slice->start_ms;
  char *inputs;
  bool good;

  for (;; number++) {
    slice->folder = xasprintf("%s/slice.%" PRIu64, target->dir, number);
    if (!mkdir(slice->folder, 0777)) break;
    if (errno != EEXIST) {
      snprintf(err, len, "cannot make the folder %s: %s", slice->folder, strerror(errno));
      return false;
    }
    free(slice->folder);
  }
  snprintf(slice->id, sizeof(slice->id), "%s/slice.%" PRIu64, target->name, number);
  for (u32 i = 0; i < SIM_ARRAY_SIZE(inner); i++) {
    char *path = xasprintf("%s/%s", slice->folder, inner[i]);

    good = fuzz_folder_make(path, err, len);
    free(path);
    if (!good) return false;
  }
  inputs = xasprintf("%s/inputs", slice->folder);
  good = fuzz_inputs_link(target, inputs, err, len);
  free(inputs);
  return good;
}

static bool write_slice(const struct fuzz_slice *slice, char *err, size_t len) {
  char *path = xasprintf("%s/slice", slice->folder);
  struct text text = {0};
  bool good;

  text_addf(&text, "engine %s\nstart_ms %" PRIu64 "\n", fuzz_engine_name(slice->engine),
            slice->start_ms);
  if (*slice->bug) text_addf(&text, "bug %s\n", slice->bug);
  good = write_file(path, text.s, text.len, err, len);
  text_free(&text);
  free(path);
  return good;
}

bool fuzz_slice_read(const struct fuzz_target *target, const char *name, struct fuzz_slice *out) {
  struct fuzz_slice slice = {.folder = xasprintf("%s/%s", target->dir, name)};
  char *path = xasprintf("%s/slice", slice.folder), engine[32] = "";
  struct text text = {0};
  const char *value;

  snprintf(slice.id, sizeof(slice.id), "%s/%s", target->name, name);
  if (read_file(path, SMALL_FILE_MAX, &text)) {
    value = line_value(text_str(&text), "engine");
    if (value) snprintf(engine, sizeof(engine), "%.*s", (int)strcspn(value, "\n"), value);
    value = line_value(text_str(&text), "bug");
    if (value) snprintf(slice.bug, sizeof(slice.bug), "%.*s", (int)strcspn(value, "\n"), value);
    slice.engine = fuzz_engine_by_name(engine);
    slice.start_ms = fuzz_line_number(text_str(&text), "start_ms");
  }
  text_free(&text);
  free(path);
  if (slice.engine == FUZZ_ENGINE_NONE) {
    fuzz_slice_free(&slice);
    return false;
  }
  *out = slice;
  return true;
}

pid_t fuzz_slice_start(const struct fuzz_place *place, const struct fuzz_target *target,
                       enum fuzz_engine engine, u64 ms, struct fuzz_slice *out, int *out_fd,
                       char *err, size_t len) {
  const char *bug = getenv("SEEDBED_FUZZ_BUG");
  struct fuzz_slice slice = {.engine = engine, .start_ms = fuzz_now_ms()};
  char *program = fuzz_place_program(place, target, engine), *output;
  struct words argv = {0}, env = {0};
  pid_t pid = -1;

  if (bug) snprintf(slice.bug, sizeof(slice.bug), "%s", bug);
  if (make_folder(target, &slice, err, len) && write_slice(&slice, err, len)) {
    output = xasprintf("%s/output", slice.folder);
    if (engine == FUZZ_ENGINE_AFL)
      command_afl(place, target, program, slice.folder, ms, &argv, &env);
    else
      command_libfuzzer(target, program, slice.folder, ms, &argv);
    add_word(&env, xasprintf("!SEEDBED_FUZZ_HISTORY=%s/history/%%p", slice.folder));
    add_word(&env, xasprintf("!SEEDBED_FUZZ_FAILED=%s/failed", slice.folder));
    // The engine ends by itself; what it needs beyond its time is for its start and its report.
    // One that is at an input which takes long has to be asked.
    pid = fuzz_minder_start(
        &(struct fuzz_program){(const char *const *)argv.word, (const char *const *)env.word,
                               output, ms + BEYOND_MS},
        out_fd);
    if (pid < 0) snprintf(err, len, "cannot start %s: %s", program, strerror(errno));
    free(output);
  }
  free_words(&argv);
  free_words(&env);
  free(program);
  if (pid < 0)
    fuzz_slice_free(&slice);
  else
    *out = slice;
  return pid;
}
