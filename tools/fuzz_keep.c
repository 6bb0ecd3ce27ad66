// SPDX-License-Identifier: GPL-2.0-or-later
//
// fuzz keep: inputs that failed in an engine become findings.

#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/command.h"
#include "tools/findings.h"
#include "tools/fuzz_finding.h"
#include "tools/interrupt.h"
#include "tools/options.h"
#include "tools/output.h"
#include "tools/registry.h"

enum {
  KEY_ENGINE = 0x200,
  KEY_BINARY,
  KEY_HISTORY,
  KEY_BUG,
  KEY_OUT,
  KEY_TIMEOUT,
  KEY_RSS,
  KEY_JSON,
  KEY_WATCHDOG
};

struct arguments {
  struct fuzz_failure failure;
  char *target;
  bool engine_given, json;
  const char **file;
  u32 num_files;
};

static const struct argp_option option_list[] = {
    {"engine", KEY_ENGINE, "ENGINE", 0,
     "Whose build failed: libfuzzer, aflpp or none (default: libfuzzer's, else aflpp's, as "
     "tools/fuzz has built it)",
     1},
    {"binary", KEY_BINARY, "FILE", 0, "Its TARGET_bin, built elsewhere", 1},
    {"history", KEY_HISTORY, "PATH", 0,
     "The target's record of what ran before, or a folder of records (SEEDBED_FUZZ_HISTORY)", 1},
    {"bug", KEY_BUG, "ID", 0, "The planted bug that was in force (SEEDBED_FUZZ_BUG)", 1},
    {"timeout", KEY_TIMEOUT, "S", 0, "Seconds that an input may take in the engine's build (25)",
     1},
    {"rss-limit", KEY_RSS, "MB", 0, "Memory that it may take there (2048)", 1},
    {"watchdog", KEY_WATCHDOG, "S", 0,
     "Seconds of CPU time that a run of the plain build may take (60)", 1},
    {"out", KEY_OUT, "DIR", 0, "The findings folder (default findings)", 1},
    {"json", KEY_JSON, NULL, 0, "Print an object for each file", 1},
    {0},
};

// "canary_fuzz", or the scenario's name.
static void set_target(struct arguments *arguments, const char *name) {
  const struct sim_scenario *scenario = registry_find_target(name);

  if (!scenario) registry_no_target(name, "keep", NULL, NULL);
  arguments->failure.scenario = scenario;
  arguments->target = registry_target_name(scenario->name);
}

static u64 number(const char *option, const char *arg, u64 max) {
  const char *why = NULL;
  u64 value = 0;

  if (!text_parse_u64(arg, &value, &why)) usage_error("keep", "--%s=%s: %s", option, arg, why);
  if (!value || value > max)
    usage_error("keep", "--%s=%s: from 1 to %llu is meant", option, arg, (unsigned long long)max);
  return value;
}

static error_t parse(int key, char *arg, struct argp_state *state) {
  struct arguments *arguments = state->input;
  struct fuzz_failure *failure = &arguments->failure;
  const char *why = NULL;

  switch (key) {
    case KEY_ENGINE:
      arguments->engine_given = true;
      if (!strcmp(arg, "libfuzzer"))
        failure->engine = FUZZ_ENGINE_LIBFUZZER;
      else if (!strcmp(arg, "aflpp"))
        failure->engine = FUZZ_ENGINE_AFL;
      else if (!strcmp(arg, "none"))
        failure->engine = FUZZ_ENGINE_NONE;
      else
        usage_error("keep", "--engine=%s: libfuzzer, aflpp or none is meant", arg);
      return 0;
    case KEY_BINARY:
      failure->binary = arg;
      return 0;
    case KEY_HISTORY:
      failure->history = arg;
      return 0;
    case KEY_BUG:
      failure->bug = arg;
      return 0;
    case KEY_TIMEOUT:
      failure->engine_timeout_s = (u32)number("timeout", arg, 86400);
      return 0;
    case KEY_RSS:
      failure->engine_rss_mb = (u32)number("rss-limit", arg, 1 << 20);
      return 0;
    case KEY_WATCHDOG:
      if (!text_parse_time(arg, &failure->watchdog_ms, &why))
        usage_error("keep", "--watchdog=%s: %s", arg, why);
      return 0;
    case KEY_OUT:
      failure->out = arg;
      return 0;
    case KEY_JSON:
      arguments->json = true;
      return 0;
    case ARGP_KEY_ARG:
      if (!failure->scenario)
        set_target(arguments, arg);
      else
        arguments->file[arguments->num_files++] = arg;
      return 0;
    case ARGP_KEY_END:
      if (!failure->scenario) usage_error("keep", "a target is missing");
      if (!arguments->num_files) usage_error("keep", "a file that failed is missing");
      if (arguments->engine_given && failure->engine == FUZZ_ENGINE_NONE) return 0;
      if (failure->binary && !arguments->engine_given)
        usage_error("keep", "--binary=%s: of which build? --engine is missing", failure->binary);
      return 0;
    default:
      return ARGP_ERR_UNKNOWN;
  }
}

static const struct argp keep_argp = {
    .options = option_list,
    .parser = parse,
    .args_doc = "TARGET FILE...",
    .doc =
        "Make a finding of each FILE, an input that failed in a fuzzing engine: run it on the "
        "plain build, on the engine's build, and after what its process had run before; keep "
        "what fails twice, shrunk. FILE stays where it is.\v"
        "Examples:\n"
        "  tools/fuzz keep canary_fuzz fuzz-out/canary_fuzz/artifacts/crash-1234\n"
        "  tools/fuzz keep canary_fuzz crash-1234 --history=fuzz-out/canary_fuzz/history\n"
        "  tools/fuzz keep vdso_crng_fuzz oom-1234 --engine=libfuzzer --binary=vdso_crng_fuzz_bin\n"
        "\n"
        "Exit status: the smallest of the findings': 10 a safety oracle; 11 a liveness oracle; 12 "
        "a crash; 13 not deterministic, or it depends on earlier runs; 14 too much time or memory; "
        "64 usage; 66 a FILE that cannot be read; 70 a defect of ours, or a finding that could not "
        "be written.",
};

// The engine's build, where tools/fuzz puts it; NULL: there is none. The caller frees it.
static char *built(struct arguments *arguments) {
  static const struct {
    const char *folder;
    enum fuzz_engine engine;
  } builds[] = {{"libfuzzer", FUZZ_ENGINE_LIBFUZZER}, {"aflpp", FUZZ_ENGINE_AFL}};
  const char *engines = getenv("SEEDBED_FUZZ_ENGINES");

  for (u32 i = 0; i < SIM_ARRAY_SIZE(builds); i++) {
    char *path;

    if (arguments->engine_given && arguments->failure.engine != builds[i].engine) continue;
    path = xasprintf("%s/%s/%s", engines && *engines ? engines : ".build/fuzz", builds[i].folder,
                     arguments->target);
    if (!access(path, X_OK)) {
      arguments->failure.engine = builds[i].engine;
      return path;
    }
    free(path);
  }
  if (arguments->engine_given && arguments->failure.engine != FUZZ_ENGINE_NONE)
    complain("no such build of %s is there: only the plain build is tried", arguments->target);
  return NULL;
}

static const char *const kinds[] = {
    [FUZZ_KIND_RUN] = "run",
    [FUZZ_KIND_ENGINE] = "engine",
    [FUZZ_KIND_HISTORY] = "history",
    [FUZZ_KIND_NONE] = "not reproduced",
};
static const char *const kept[] = {
    [FUZZ_KEPT_NEW] = "new",
    [FUZZ_KEPT_BEFORE] = "before",
    [FUZZ_KEPT_NOT_WRITTEN] = "not written",
    [FUZZ_KEPT_NO_INPUT] = "no input",
};

static void print_json(const char *file, const struct fuzz_finding *finding) {
  cJSON *object = cJSON_CreateObject();

  cJSON_AddStringToObject(object, "input", file);
  cJSON_AddStringToObject(object, "kept", kept[finding->kept]);
  cJSON_AddStringToObject(object, "kind", kinds[finding->kind]);
  json_u64(object, "status", (u64)finding->status);
  json_text(object, "key", *finding->key ? finding->key : NULL);
  json_text(object, "text", *finding->text ? finding->text : NULL);
  json_text(object, "folder", finding->folder);
  json_u64(object, "count", finding->count);
  json_print(object);
}

static void print(const char *file, const struct fuzz_finding *finding) {
  struct text replay = {0};
  char *path;

  if (!finding->folder) return;  // it was said
  printf("%s: %s\n", file, finding->text);
  printf("%s %s, %s: %s\n", finding->kind == FUZZ_KIND_NONE ? "NOT REPRODUCED" : "FAIL",
         finding->key, finding->kept == FUZZ_KEPT_NEW ? "new" : "known", finding->folder);
  printf("inputs that failed so: %llu\n", (unsigned long long)finding->count);
  path = xasprintf("%s/replay", finding->folder);
  if (read_file(path, 1 << 16, &replay)) printf("replay: %s", text_str(&replay));
  text_free(&replay);
  free(path);
}

int fuzz_keep(int argc, char **argv) {
  struct arguments arguments = {.failure = {.out = "findings"}};
  char *binary = NULL;
  int status = SIM_OK;

  arguments.file = xcalloc((size_t)argc, sizeof(*arguments.file));
  options_parse("keep", &keep_argp, argc, argv, &arguments);
  if (!arguments.failure.binary) {
    binary = built(&arguments);
    arguments.failure.binary = binary;
  }
  interrupt_catch();
  for (u32 i = 0; i < arguments.num_files && !interrupt_signal(); i++) {
    struct fuzz_finding finding;

    arguments.failure.input = arguments.file[i];
    fuzz_finding_keep(&arguments.failure, &finding);
    // What is interrupted is for the next call.
    if (!interrupt_signal() || finding.kept != FUZZ_KEPT_NOT_WRITTEN)
      status = status_join(status, (int)finding.status);
    if (arguments.json)
      print_json(arguments.file[i], &finding);
    else
      print(arguments.file[i], &finding);
    fflush(stdout);
    fuzz_finding_free(&finding);
  }
  if (interrupt_signal() && !status) status = 128 + interrupt_signal();
  free(binary);
  free(arguments.target);
  free(arguments.file);
  return status;
}
