// SPDX-License-Identifier: GPL-2.0-or-later
//
// seedbed shrink: the smallest decision list that fails with the same key.

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/child.h"
#include "tools/command.h"
#include "tools/findings.h"
#include "tools/input.h"
#include "tools/keep.h"
#include "tools/output.h"

enum { KEY_SEED = 0x200, KEY_KEY };

struct arguments {
  struct options options;
  struct input_arguments input;
  const char *output, *key;
};

static const struct argp_option option_list[] = {
    {NULL, 0, NULL, 0, "What is shrunk:", 1},
    {"seed", KEY_SEED, "N", 0, "The run of this seed of SCENARIO, decimal or 0x", 1},
    {"key", KEY_KEY, "KEY", 0,
     "The failure to keep, if the run has several (default: the file's key, else the worst)", 1},
    {"output", 'o', "FILE", 0,
     "Where the decision file goes (default FILE.shrunk, or SCENARIO-SEED.decisions)", 1},
    {0},
};

static error_t parse(int key, char *arg, struct argp_state *state) {
  struct arguments *arguments = state->input;
  const char *why = NULL;

  switch (key) {
    case ARGP_KEY_INIT:
      options_begin(state, &arguments->options);
      return 0;
    case KEY_SEED:
      if (!text_parse_u64(arg, &arguments->input.seed, &why))
        usage_error("shrink", "--seed=%s: %s", arg, why);
      arguments->input.has_seed = true;
      return 0;
    case KEY_KEY:
      arguments->key = arg;
      return 0;
    case 'o':
      arguments->output = arg;
      return 0;
    case ARGP_KEY_ARG:
      if (arguments->input.num_args == 2)
        usage_error("shrink", "one file at a time: %s is one more than a scenario and a file", arg);
      arguments->input.arg[arguments->input.num_args++] = arg;
      return 0;
    default:
      return ARGP_ERR_UNKNOWN;
  }
}

static const struct argp_child children[] = {{&options_run_argp, 0, NULL, 0}, {0}};

static const struct argp shrink_argp = {
    .options = option_list,
    .parser = parse,
    .args_doc = "[SCENARIO] FILE\nSCENARIO --seed=N",
    .doc =
        "Delete, zero and lower decisions of a failing run while it fails with the same key, "
        "and write the smallest list as a decision file. What explore finds is shrunk "
        "already.\v"
        "Examples:\n"
        "  seedbed shrink bcm2835-unregister --seed=0x12\n"
        "  seedbed shrink mail.decisions -o small.decisions\n"
        "  seedbed shrink bcm2835-read crash-1234\n"
        "\n"
        "All options of explore are taken; those that are not listed have no effect here. The "
        "last lines are those of a replay of the file "
        "that was written; the exit status is that of the failure, or 0 if the run does not "
        "fail, which is said; 64 if it does not fail with --key=KEY, or FILE cannot be "
        "written to.",
    .children = children,
};

// The failure to keep: by --key, by the file's key, or the worst.
static const struct sim_failure *choose(const struct arguments *arguments,
                                        const struct input *input,
                                        const struct sim_result *result) {
  const char *key = arguments->key;
  u32 i;

  if (!key && input->kind == INPUT_LIST && *input->file.key) key = input->file.key;
  if (!key) return run_failure(result);
  for (i = 0; i < result->num_failures; i++) {
    if (!strcmp(result->failures[i].key, key)) return &result->failures[i];
  }
  return NULL;
}

// A --key that the run does not fail with is a slip.
static SIM_NORETURN void refuse_key(const char *key, const struct sim_result *result) {
  struct text keys = {0};
  u32 i;

  for (i = 0; i < result->num_failures; i++)
    text_addf(&keys, "%s%s", i ? ", " : "", result->failures[i].key);
  if (keys.len) usage_error("shrink", "--key=%s: the run fails with %s", key, text_str(&keys));
  usage_error("shrink", "--key=%s: the run does not fail", key);
}

static char *output_path(const struct arguments *arguments, const struct input *input) {
  if (arguments->output) return xstrdup(arguments->output);
  if (input->path) return xasprintf("%s.shrunk", input->path);
  return xasprintf("%s-0x%" PRIx64 ".decisions", input->spec.scenario->name, input->seed);
}

// What was shrunk.
struct shrunk {
  struct sim_decision_file file;
  const char *path;
  u32 before;  // decisions
  u64 runs;
  bool stopped;  // at a limit, after `ms`
  u64 ms;
};

static void print(const struct arguments *arguments, const struct input *input,
                  const struct shrunk *shrunk, const struct sim_result *result,
                  const struct sim_failure *failure) {
  struct run_line line =
      run_line_of(&input->spec, result, failure, input->has_seed ? &input->seed : NULL);
  u32 after = shrunk->file.list.count;
  struct text text = {0}, replay = {0};
  char time[TEXT_COUNT_LEN];

  run_add_replay_file(&input->spec, shrunk->path, false, &replay);
  if (arguments->options.json) {
    cJSON *object = cJSON_CreateObject();

    cJSON_AddStringToObject(object, "result", "FAIL");
    cJSON_AddStringToObject(object, "key", failure->key);
    cJSON_AddStringToObject(object, "scenario", input->spec.scenario->name);
    cJSON_AddStringToObject(object, "file", shrunk->path);
    json_u64(object, "decisions_before", shrunk->before);
    json_u64(object, "decisions", after);
    json_u64(object, "runs", shrunk->runs);
    cJSON_AddBoolToObject(object, "stopped", shrunk->stopped);
    json_u64(object, "draws", result->draws);
    json_u64(object, "steps", result->steps);
    json_u64(object, "vtime_ns", result->vtime_ns);
    json_hex(object, "digest", result->digest);
    cJSON_AddStringToObject(object, "replay", text_str(&replay));
    json_print(object);
  } else {
    text_addf(&text, "%u decision%s left of %u, after %" PRIu64 " runs: %s\n", after,
              after == 1 ? "" : "s", shrunk->before, shrunk->runs, shrunk->path);
    if (shrunk->stopped)
      text_addf(&text, "shrinking stopped after %s; --watchdog=S gives it ten times S seconds\n",
                text_duration(shrunk->ms, time));
    text_addf(&text, "%s: %s\n", failure->oracle, failure->text);
    run_line_add(&line, &text);
    text_addf(&text, "\nreplay: %s\n", text_str(&replay));
    fputs(text_str(&text), stdout);
  }
  text_free(&text);
  text_free(&replay);
}

// Of a run that is not shrunk. `key` is NULL where it does not fail.
static void print_unshrunk(const struct arguments *arguments, const struct input *input,
                           const char *key, const char *why) {
  struct text replay = {0};
  cJSON *object;

  complain("%s", why);
  if (!arguments->options.json) return;
  object = cJSON_CreateObject();
  input_add_replay(input, &replay);
  cJSON_AddStringToObject(object, "result", key ? "FAIL" : "OK");
  json_text(object, "key", key);
  cJSON_AddStringToObject(object, "scenario", input->spec.scenario->name);
  json_text(object, "file", NULL);
  cJSON_AddStringToObject(object, "reason", why);
  cJSON_AddStringToObject(object, "replay", text_str(&replay));
  json_print(object);
  text_free(&replay);
}

// Writes the file, runs it once more and prints what that gives.
static int finish(const struct arguments *arguments, const struct input *input,
                  const struct shrunk *shrunk) {
  struct sim_input run = {.backend = SIM_BACKEND_LIST, .list = &shrunk->file.list};
  struct sim_result result;
  size_t len = 0;
  char err[512], *text = run_decision_text(&shrunk->file, &len);
  bool written = write_file(shrunk->path, text, len, err, sizeof(err));
  int code;
  u32 i;

  free(text);
  if (!written) {
    complain("%s", err);
    return SIM_OURS;
  }
  if (keep_run(&input->spec, &run, arguments->options.watchdog_ms, NULL, NULL, &result, &code) ==
      JOBS_ALIVE) {
    for (i = 0; i < result.num_failures; i++) {
      if (strcmp(result.failures[i].key, shrunk->file.key)) continue;
      print(arguments, input, shrunk, &result, &result.failures[i]);
      return SIM_OK;
    }
  }
  complain("%s was written, and does not fail with its key", shrunk->path);
  return SIM_NONDETERMINISM;
}

static int shrink_to(const struct arguments *arguments, const struct input *input,
                     const char *path) {
  u64 ms = arguments->options.watchdog_ms;
  struct sim_decisions list = {0};
  const struct sim_failure *failure;
  struct sim_result result;
  struct shrunk shrunk = {0};
  enum jobs_death death;
  char key[SIM_KEY_LEN], stable[64], why[256];
  int code = 0, status;

  death = keep_run(&input->spec, &input->run, ms, NULL, &list, &result, &code);
  if (death != JOBS_ALIVE) {
    jobs_death_text(death, code, ms, why, sizeof(why));
    if (jobs_death_outside(death, code)) {
      complain("%s", why);
      return SIM_OURS;
    }
    jobs_death_stable(death, code, stable, sizeof(stable));
    run_make_key(input->spec.scenario, jobs_death_oracle(death, code), stable, key);
    strncat(why, "; what explore keeps of such a run is shrunk already",
            sizeof(why) - strlen(why) - 1);
    print_unshrunk(arguments, input, key, why);
    return (int)jobs_death_status(death, code);
  }
  failure = choose(arguments, input, &result);
  if (!failure && arguments->key) refuse_key(arguments->key, &result);
  if (!failure || result.draws_overflow) {
    // It may fail otherwise than its file says.
    const struct sim_failure *worst = failure ? failure : run_failure(&result);

    print_unshrunk(arguments, input, worst ? worst->key : NULL,
                   failure ? "the run has more decisions than a record holds"
                   : worst ? "the run does not fail with the file's key: nothing to shrink"
                           : "the run does not fail: nothing to shrink");
    sim_decisions_free(&list);
    return worst ? (int)worst->status : SIM_OK;
  }
  run_decision_file(&input->spec, input->has_seed ? &input->seed : NULL, failure->key,
                    result.digest, &shrunk.file);
  shrunk.file.list = list;
  shrunk.before = list.count;
  shrunk.path = path;
  shrunk.ms = monotonic_ms();
  shrunk.runs = keep_shrink(&input->spec, &shrunk.file, ms * 10, 0, &shrunk.stopped);
  shrunk.ms = monotonic_ms() - shrunk.ms;
  status = status_join((int)failure->status, finish(arguments, input, &shrunk));
  sim_decision_file_free(&shrunk.file);
  return status;
}

static int shrink(const struct arguments *arguments, const struct input *input) {
  char *path = output_path(arguments, input), err[512];
  int status;

  // Shrinking may take minutes.
  if (!write_file_check(path, err, sizeof(err)))
    usage_error("shrink", "%s; -o FILE names another file", err);
  status = shrink_to(arguments, input, path);
  free(path);
  return status;
}

int cmd_shrink(int argc, char **argv) {
  struct arguments arguments = {0};
  struct input input;
  int status;

  options_init(&arguments.options, "shrink");
  options_parse("shrink", &shrink_argp, argc, argv, &arguments);
  status = input_load(&arguments.options, &arguments.input, &input);
  if (status) return status;
  status = shrink(&arguments, &input);
  input_free(&input);
  return status;
}
