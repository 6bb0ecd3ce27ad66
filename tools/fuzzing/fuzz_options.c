// SPDX-License-Identifier: GPL-2.0-or-later
//
// Options of several subcommands of tools/fuzz; see fuzz_commands.h.

#include "tools/fuzzing/fuzz_commands.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/command.h"
#include "tools/fuzzing/fuzz_supervise.h"

enum {
  KEY_TIME = 0x100,
  KEY_JOBS,
  KEY_OUT,
  KEY_ENGINE,
  KEY_SLICE,
  KEY_SLICES,
  KEY_LATE,
  KEY_BUG,
  JOBS_MAX = 1024
};

#define OPTION_OUT \
  { "out", KEY_OUT, "DIR", 0, "Folder of the campaign (default fuzz-out)", 3 }

static const struct argp_option option_list[] = {
    {"time", KEY_TIME, "S", 0, "Stop after that many seconds (60, 0.5, 10m, 2h)", 3},
    {"jobs", KEY_JOBS, "N", 0, "Engines at once, 1 to 1024 (default: as many as CPUs)", 3},
    {"engine", KEY_ENGINE, "NAME", 0, "libfuzzer, aflpp or both (default both)", 3},
    {"slice", KEY_SLICE, "S", 0,
     "Length of an engine's first slice on a target (default 30 s); the next three are twice as "
     "long each",
     3},
    {"bug", KEY_BUG, "ID", 0, "Plant a bug, to see it found; it wants an --out of its own", 3},
    // For tests, which do not measure time.
    {"slices", KEY_SLICES, "N", OPTION_HIDDEN, NULL, 3},
    {"late", KEY_LATE, "S", OPTION_HIDDEN, NULL, 3},
    OPTION_OUT,
    {0},
};
static const struct argp_option where_list[] = {OPTION_OUT, {0}};

void fuzz_options_init(struct fuzz_options *options, const char *command) {
  *options =
      (struct fuzz_options){.command = command, .out = "fuzz-out", .libfuzzer = true, .afl = true};
}

static u64 time_of(const struct fuzz_options *options, const char *name, const char *arg) {
  const char *why = NULL;
  u64 ms = 0;

  if (!text_parse_time(arg, &ms, &why))
    usage_error(options->command, "--%s=%s: %s", name, arg, why);
  return ms;
}

static const char *name_of(const struct fuzz_options *options, const char *option, const char *arg,
                           const char *what) {
  if (!*arg) usage_error(options->command, "--%s= names no %s", option, what);
  return arg;
}

static error_t parse(int key, char *arg, struct argp_state *state) {
  struct fuzz_options *options = state->input;
  const char *why = NULL;
  u64 number;

  switch (key) {
    case KEY_TIME:
      options->time_ms = time_of(options, "time", arg);
      if (options->time_ms < FUZZ_SLICE_MS_MIN)
        usage_error(options->command, "--time=%s: at least 1 s, or nothing would run", arg);
      return 0;
    case KEY_SLICE:
      options->slice_ms = time_of(options, "slice", arg);
      if (options->slice_ms < FUZZ_SLICE_MS_MIN)
        usage_error(options->command, "--slice=%s: at least 1 s", arg);
      return 0;
    case KEY_JOBS:
      if (!text_parse_u64(arg, &number, &why))
        usage_error(options->command, "--jobs=%s: %s", arg, why);
      if (!number || number > JOBS_MAX)
        usage_error(options->command, "--jobs=%s: from 1 to %d", arg, JOBS_MAX);
      options->jobs = (u32)number;
      return 0;
    case KEY_SLICES:
      if (!text_parse_u64(arg, &options->slices_max, &why))
        usage_error(options->command, "--slices=%s: %s", arg, why);
      return 0;
    case KEY_BUG:
      options->bug = name_of(options, "bug", arg, "bug");
      // Where targets, and all who start them, look for it.
      setenv("SEEDBED_FUZZ_BUG", arg, 1);
      return 0;
    case KEY_LATE:
      options->late_ms = time_of(options, "late", arg);
      return 0;
    case KEY_OUT:
      options->out = name_of(options, "out", arg, "folder");
      return 0;
    case KEY_ENGINE:
      options->libfuzzer = strcmp(arg, "aflpp") != 0;
      options->afl = strcmp(arg, "libfuzzer") != 0;
      if (options->libfuzzer && options->afl && strcmp(arg, "both") != 0)
        usage_error(options->command, "--engine=%s: not one of libfuzzer, aflpp, both", arg);
      return 0;
    case ARGP_KEY_ARG:
      if (options->num_names == FUZZ_NAMES_MAX)
        usage_error(options->command, "at most %d targets", FUZZ_NAMES_MAX);
      options->name[options->num_names++] = arg;
      return 0;
    default:
      return ARGP_ERR_UNKNOWN;
  }
}

static const struct argp campaign_argp = {.options = option_list, .parser = parse};
static const struct argp where_argp = {.options = where_list, .parser = parse};
const struct argp_child fuzz_options_campaign[] = {{&campaign_argp, 0, NULL, 0}, {0}};
const struct argp_child fuzz_options_where[] = {{&where_argp, 0, NULL, 0}, {0}};

error_t fuzz_options_parse_own(int key, char *arg, struct argp_state *state) {
  struct fuzz_options *options = state->input;

  switch (key) {
    case ARGP_KEY_INIT:
      state->child_inputs[0] = options;
      return 0;
    case FUZZ_KEY_HTML:
      options->html = name_of(options, "html", arg, "file");
      return 0;
    case FUZZ_KEY_INTO:
      options->into = name_of(options, "into", arg, "folder");
      return 0;
    case FUZZ_KEY_BASE:
      if (!*arg || *arg == '-') usage_error(options->command, "--base=%s: no revision", arg);
      options->base = arg;
      return 0;
    case FUZZ_KEY_JSON:
      options->json = true;
      return 0;
    case FUZZ_KEY_ALL_TIME:
      options->time_ms = time_of(options, "time", arg);
      return 0;
    default:
      return ARGP_ERR_UNKNOWN;
  }
}

u32 fuzz_options_jobs(const struct fuzz_options *options) {
  cpu_set_t cpus;

  if (options->jobs) return options->jobs;
  if (sched_getaffinity(0, sizeof(cpus), &cpus)) return 1;
  return (u32)CPU_COUNT(&cpus);
}

static bool in_path(const char *name) {
  const char *path = getenv("PATH");
  bool found = false;

  for (; path && *path && !found; path += strcspn(path, ":"), path += *path == ':') {
    char *file = xasprintf("%.*s/%s", (int)strcspn(path, ":"), path, name);

    found = !access(file, X_OK);
    free(file);
  }
  return found;
}

void fuzz_options_check_engines(const struct fuzz_options *options, const struct fuzz_place *place,
                                const struct fuzz_targets *targets) {
  if (options->afl && !in_path("afl-fuzz")) {
    complain("no afl-fuzz: apt-get install afl++, or --engine=libfuzzer");
    command_exit(SIM_MISSING_PACKAGE);
  }
  for (u32 i = 0; i < targets->count; i++) {
    for (enum fuzz_engine engine = FUZZ_ENGINE_LIBFUZZER; engine <= FUZZ_ENGINE_AFL; engine++) {
      bool wanted = engine == FUZZ_ENGINE_AFL ? options->afl : options->libfuzzer;
      char *program = fuzz_place_program(place, &targets->target[i], engine);

      if (wanted && (access(program, X_OK) || !targets->target[i].scenario)) {
        complain("%s: no such program, or no scenario has its name", program);
        command_exit(SIM_MISSING_FILE);
      }
      free(program);
    }
  }
}
