// SPDX-License-Identifier: GPL-2.0-or-later
//
// seedbed replay: one run of a seed, a decision file or fuzzer bytes, in a child process,
// so that a run which kills its process is told like any other.

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/trace.h"
#include "tools/child.h"
#include "tools/command.h"
#include "tools/difference.h"
#include "tools/findings.h"
#include "tools/input.h"
#include "tools/jobs.h"
#include "tools/output.h"
#include "tools/probe.h"
#include "tools/trace_tail.h"

enum {
  KEY_SEED = 0x200,
  KEY_TRACE,
  KEY_UNTIL,
  KEY_TWICE,
  KEY_PROBE,
  KEY_LOG,
  TAIL_LINES = 20,
  UNMATCHED_MAX = 10,
};

enum trace { TRACE_NONE, TRACE_TEXT, TRACE_PERFETTO };

struct arguments {
  struct options options;
  struct input_arguments input;
  enum trace trace;
  const char *trace_file;
  u64 until;
  bool twice, probe, log;
};

static const struct argp_option option_list[] = {
    {NULL, 0, NULL, 0, "One run:", 1},
    {"seed", KEY_SEED, "N", 0, "Run this seed of SCENARIO, decimal or 0x", 1},
    {"trace", KEY_TRACE, "FORM", 0,
     "Show every event: text, a line each (docs/TRACE.md), or perfetto, JSON to be opened in "
     "the Perfetto viewer",
     1},
    {"output", 'o', "FILE", 0, "Write the trace to FILE in place of stdout", 1},
    {"until", KEY_UNTIL, "STEP", 0, "End the run after that many steps", 1},
    {"twice", KEY_TWICE, NULL, 0,
     "Check determinism: run again in the same process with other bytes in unused memory, and "
     "in a fresh process; status 13 and the first event that differs if they do",
     1},
    {"probe", KEY_PROBE, NULL, OPTION_HIDDEN, NULL, 1},
    {"log", KEY_LOG, NULL, OPTION_HIDDEN, NULL, 1},
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
        usage_error("replay", "--seed=%s: %s", arg, why);
      arguments->input.has_seed = true;
      return 0;
    case KEY_TRACE:
      if (!strcmp(arg, "text"))
        arguments->trace = TRACE_TEXT;
      else if (!strcmp(arg, "perfetto"))
        arguments->trace = TRACE_PERFETTO;
      else
        usage_error("replay", "--trace=%s: text or perfetto is meant", arg);
      return 0;
    case 'o':
      arguments->trace_file = arg;
      return 0;
    case KEY_UNTIL:
      if (!text_parse_u64(arg, &arguments->until, &why))
        usage_error("replay", "--until=%s: %s", arg, why);
      if (!arguments->until) usage_error("replay", "--until=0: a run has a first step, number 1");
      return 0;
    case KEY_TWICE:
      arguments->twice = true;
      return 0;
    case KEY_PROBE:
      arguments->probe = true;
      return 0;
    case KEY_LOG:
      arguments->log = true;
      return 0;
    case ARGP_KEY_ARG:
      if (arguments->input.num_args == 2)
        usage_error("replay", "one file at a time: %s is one more than a scenario and a file", arg);
      arguments->input.arg[arguments->input.num_args++] = arg;
      return 0;
    case ARGP_KEY_SUCCESS:
      if (arguments->trace_file && arguments->trace == TRACE_NONE)
        usage_error("replay",
                    "-o is for the trace: --trace=text or perfetto is "
                    "missing");
      if (arguments->options.json && arguments->trace != TRACE_NONE && !arguments->trace_file)
        usage_error("replay",
                    "--json with --trace: -o FILE for the trace is "
                    "missing");
      return 0;
    default:
      return ARGP_ERR_UNKNOWN;
  }
}

static const struct argp_child children[] = {{&options_run_argp, 0, NULL, 0}, {0}};

static const struct argp replay_argp = {
    .options = option_list,
    .parser = parse,
    .args_doc = "SCENARIO --seed=N\n[SCENARIO] FILE",
    .doc =
        "Run once: a seed, a decision file (as in a finding's folder), or a file of fuzzer "
        "bytes, which needs its scenario named.\v"
        "Examples:\n"
        "  seedbed replay bcm2835-unregister --seed=0x12\n"
        "  seedbed replay findings/KEY/decisions --trace=text\n"
        "  seedbed replay bcm2835-read crash-1234 --set=num_cpus=1\n"
        "  seedbed replay hwrng-lifecycle --seed=7 --trace=perfetto -o run.json\n"
        "  seedbed replay hwrng-lifecycle --seed=7 --twice\n"
        "\n"
        "All options of explore are taken; those that are not listed have no effect on a single "
        "run. What is set on the command line goes before what a "
        "decision file says. Exit status: that of the run; 13 with --twice if it is not "
        "deterministic; 64, 65 or 66 if the input cannot be had; see `seedbed --help'.",
    .children = children,
};

// ---- In the child ----

struct child_arguments {
  const struct arguments *arguments;
  const struct input *input;
  FILE *trace;  // NULL: none
  struct trace_tail *tail;
};

struct child_report {
  struct sim_result result;
  bool setup_failed, trace_lost;
  u32 num_unmatched, unmatched[UNMATCHED_MAX];
  struct sim_failure explained[SIM_FAILURES_MAX];  // by suspects
};

static int run_main(void *arg, FILE *out) {
  const struct child_arguments *a = arg;
  const struct run_spec *spec = &a->input->spec;
  struct sim_world *world = sim_world_new();
  struct child_report report = {0};
  struct sim_trace_perfetto *perfetto = NULL;
  struct sim_trace_text text;
  u32 i;

  if (!world) return SIM_OURS;
  if (sim_world_setup(world, spec->scenario, spec->params, &report.result) != SIM_OK) {
    report.setup_failed = true;
    fwrite(&report, sizeof(report), 1, out);
    return 0;
  }
  sim_world_set_sink(world, trace_tail_sink(a->tail));
  if (a->trace) {
    // A run may kill the process: its last lines are the interesting ones.
    setvbuf(a->trace, NULL, _IOLBF, 1 << 16);
    if (a->arguments->trace == TRACE_TEXT) {
      sim_trace_text_init(&text, a->trace, 0);
      sim_world_set_sink(world, &text.sink);
    } else {
      perfetto = sim_trace_perfetto_new(a->trace);
      sim_world_set_sink(world, sim_trace_perfetto_sink(perfetto));
    }
  }
  sim_world_set_until(world, a->arguments->until);
  sim_world_run(world, &a->input->run, &report.result);
  if (perfetto) sim_trace_perfetto_finish(perfetto);
  if (a->trace && (fflush(a->trace) || ferror(a->trace))) report.trace_lost = true;
  for (i = 0; i < report.result.num_suspects && i < SIM_FAILURES_MAX; i++)
    report.explained[i] = *sim_world_explained(world, i);
  report.num_unmatched = sim_world_unmatched(world, report.unmatched, UNMATCHED_MAX);
  fwrite(&report, sizeof(report), 1, out);
  return 0;
}

// ---- In the parent ----

// A result for a run that killed its process.
static void result_of_death(const struct arguments *arguments, const struct input *input,
                            enum jobs_death death, int code, const struct trace_tail *tail,
                            struct sim_result *result) {
  struct trace_end end = trace_tail_end(tail);
  struct sim_failure *failure = &result->failures[0];
  char stable[64];

  *result = (struct sim_result){
      .status = jobs_death_status(death, code),
      .num_failures = 1,
      .steps = end.step,
      .digest = end.digest,
      .strategy = input->run.strategy,
  };
  failure->status = result->status;
  failure->step = end.step;
  snprintf(failure->oracle, sizeof(failure->oracle), "%s", jobs_death_oracle(death, code));
  jobs_death_stable(death, code, stable, sizeof(stable));
  run_make_key(input->spec.scenario, failure->oracle, stable, failure->key);
  jobs_death_text(death, code, arguments->options.watchdog_ms, failure->text,
                  sizeof(failure->text));
}

static void tell_unmatched(const struct input *input, const struct child_report *report) {
  u32 i;

  if (!report->num_unmatched) return;
  complain("%u of %u decisions matched nothing in this run:", report->num_unmatched,
           input->file.list.count);
  for (i = 0; i < report->num_unmatched && i < UNMATCHED_MAX; i++) {
    const struct sim_decision *decision = &input->file.list.item[report->unmatched[i]];

    fprintf(stderr, "  %s %s %u\n", decision->site, decision->actor, decision->k);
  }
  if (report->num_unmatched > UNMATCHED_MAX)
    fprintf(stderr, "  and %u more\n", report->num_unmatched - UNMATCHED_MAX);
}

// An input of a fuzzing engine in a finding's folder has the finding's key beside it; what failed
// in the engine's build alone, or after other inputs, passes here.
static void tell_beside(const struct input *input, const struct sim_result *result) {
  const char *slash = strrchr(input->path, '/');
  char *folder = slash ? xasprintf("%.*s", (int)(slash - input->path), input->path) : xstrdup(".");
  char *path = xasprintf("%s/key", folder);
  struct text key = {0};
  bool expected = true;
  u32 i;

  if (!strcmp(slash ? slash + 1 : input->path, "input.bytes") &&
      read_file(path, SIM_KEY_LEN, &key) && key.len) {
    key.s[strcspn(key.s, "\n")] = '\0';
    expected = false;
    for (i = 0; i < result->num_failures; i++)
      if (!strcmp(result->failures[i].key, key.s)) expected = true;
  }
  if (!expected)
    complain(
        "the run does not fail with the key beside it, %s: the command that does is in %s/replay",
        key.s, folder);
  text_free(&key);
  free(path);
  free(folder);
}

static void tell_expected(const struct input *input, const struct sim_result *result) {
  u32 i;

  if (input->kind == INPUT_BYTES) tell_beside(input, result);
  if (input->kind != INPUT_LIST || !*input->file.key) return;
  for (i = 0; i < result->num_failures; i++) {
    if (!strcmp(result->failures[i].key, input->file.key)) return;
  }
  complain("the run does not fail with the file's key, %s", input->file.key);
}

// The file says under which subject and commit it was recorded. Under the same ones, with all
// decisions placed, another digest means that this is not the run that was recorded.
static void tell_digest(const struct input *input, const struct child_report *report) {
  const struct sim_decision_file *file = &input->file;

  if (input->kind != INPUT_LIST || !file->digest || report->num_unmatched) return;
  if (strcmp(file->subject_sha256, input->spec.subject.sha256)) return;
  if (strcmp(file->commit, input->spec.commit)) return;
  if (file->build != run_spec_build(&input->spec)) return;
  if (report->result.digest != file->digest)
    complain("the digest is not the file's, 0x%016" PRIx64
             ": this is not the run that was recorded",
             file->digest);
}

struct outcome {
  struct sim_result result;
  struct sim_failure explained[SIM_FAILURES_MAX];
  bool died, trace_lost;
};

// Runs in a child. Returns false, after a complaint, where the machine did not let it.
static bool run(const struct arguments *arguments, const struct input *input, FILE *trace,
                struct trace_tail *tail, struct outcome *out) {
  struct child_arguments a = {arguments, input, trace, tail};
  struct child_limits limits = {.cpu_ms = arguments->options.watchdog_ms, .again = !trace};
  struct child_report report;
  struct child_result child;
  enum jobs_death death;
  char why[256];
  int code;

  *out = (struct outcome){0};
  child_fork(run_main, &a, &limits, &child);
  if (child.end == CHILD_FAILED) {
    complain("no process could be started: %s", strerror(child.code));
    return false;
  }
  if (child.end == CHILD_EXITED && !child.code && child.out.len == sizeof(report)) {
    memcpy(&report, child.out.s, sizeof(report));
    out->result = report.result;
    memcpy(out->explained, report.explained, sizeof(out->explained));
    out->trace_lost = report.trace_lost;
    child_result_free(&child);
    // A run that was cut short has not met all, and not failed.
    if (!report.setup_failed && !arguments->until) {
      tell_unmatched(input, &report);
      tell_digest(input, &report);
      tell_expected(input, &out->result);
    }
    return true;
  }
  death = jobs_death_of_child(&child, &code);
  child_result_free(&child);
  if (jobs_death_outside(death, code)) {
    jobs_death_text(death, code, limits.cpu_ms, why, sizeof(why));
    complain("%s", why);
    return false;
  }
  if (trace) {
    // The trace went elsewhere; the line wants to know where it ended.
    a.trace = NULL;
    child_fork(run_main, &a, &limits, &child);
    child_result_free(&child);
  }
  result_of_death(arguments, input, death, code, tail, &out->result);
  out->died = true;
  return true;
}

static struct run_line line_of(const struct input *input, const struct sim_result *result,
                               const struct sim_failure *failure) {
  return run_line_of(&input->spec, result, failure, input->has_seed ? &input->seed : NULL);
}

static void add_replay(const struct arguments *arguments, const struct input *input,
                       const struct sim_result *result, struct text *text) {
  input_add_replay(input, text);
  if (arguments->until) text_addf(text, " --until=%" PRIu64, arguments->until);
  if (result->status == SIM_NONDETERMINISM) text_add(text, " --twice");
}

// The failure that the line is about: that of the file's key, else the worst.
static const struct sim_failure *main_failure(const struct input *input,
                                              const struct sim_result *result) {
  u32 i;

  for (i = 0; input->kind == INPUT_LIST && i < result->num_failures; i++) {
    if (!strcmp(result->failures[i].key, input->file.key)) return &result->failures[i];
  }
  return run_failure(result);
}

static void print_json(const struct arguments *arguments, const struct input *input,
                       const struct outcome *outcome, const char *first_difference) {
  const struct sim_result *result = &outcome->result;
  const struct sim_failure *failure = main_failure(input, result);
  cJSON *object = cJSON_CreateObject(), *keys, *explained, *item;
  struct text replay = {0};
  u32 i;

  add_replay(arguments, input, result, &replay);
  cJSON_AddStringToObject(object, "result", result->status ? "FAIL" : "OK");
  json_text(object, "key", failure ? failure->key : NULL);
  cJSON_AddStringToObject(object, "scenario", input->spec.scenario->name);
  if (input->has_seed)
    json_hex(object, "seed", input->seed);
  else
    json_text(object, "seed", NULL);
  json_u64(object, "draws", result->draws);
  json_u64(object, "steps", result->steps);
  json_u64(object, "vtime_ns", result->vtime_ns);
  json_hex(object, "digest", result->digest);
  cJSON_AddStringToObject(object, "commit", input->spec.commit);
  cJSON_AddStringToObject(object, "subject", input->spec.subject.sha256);
  if (run_spec_build(&input->spec)) json_hex(object, "build", run_spec_build(&input->spec));
  cJSON_AddNumberToObject(object, "status", (int)result->status);
  json_text(object, "cause", failure ? failure->text : NULL);
  keys = cJSON_AddArrayToObject(object, "keys");
  for (i = 0; i < result->num_failures; i++)
    cJSON_AddItemToArray(keys, cJSON_CreateString(result->failures[i].key));
  json_u64(object, "suspects", result->num_suspects);
  explained = cJSON_AddArrayToObject(object, "explained");
  for (i = 0; i < result->num_suspects && i < SIM_FAILURES_MAX; i++) {
    item = cJSON_CreateObject();
    json_text(item, "suspect", result->suspects[i]);
    json_text(item, "key", outcome->explained[i].key);
    json_text(item, "cause", outcome->explained[i].text);
    cJSON_AddItemToArray(explained, item);
  }
  if (input->kind == INPUT_SEED) json_text(object, "strategy", sim_strategy_name(result->strategy));
  json_text(object, "replay", text_str(&replay));
  if (first_difference) json_text(object, "first_difference", first_difference);
  json_print(object);
  text_free(&replay);
}

static void print_text(const struct arguments *arguments, const struct input *input,
                       const struct outcome *outcome, const struct trace_tail *tail, FILE *out) {
  const struct sim_result *result = &outcome->result;
  const struct sim_failure *failure = main_failure(input, result);
  struct run_line line = line_of(input, result, failure);
  struct text text = {0};
  u32 i;

  if (failure) text_addf(&text, "%s: %s\n", failure->oracle, failure->text);
  for (i = 0; i < result->num_failures; i++) {
    if (failure != &result->failures[i])
      text_addf(&text, "  also: %s: %s\n", result->failures[i].key, result->failures[i].text);
  }
  for (i = 0; i < result->num_suspects && i < SIM_FAILURES_MAX; i++)
    text_addf(&text, "%s: %s\n  explained by the suspect %s, key %s\n",
              outcome->explained[i].oracle, outcome->explained[i].text, result->suspects[i],
              outcome->explained[i].key);
  if (result->num_failures && input->kind == INPUT_SEED)
    text_addf(&text, "the strategy of this seed: %s\n", sim_strategy_name(result->strategy));
  if (result->num_failures && trace_tail_end(tail).events) {
    text_add(&text, "the last events:\n");
    trace_tail_add(tail, TAIL_LINES, "  ", &text);
  }
  run_line_add(&line, &text);
  text_add(&text, "\n");
  if (result->num_failures) {
    text_add(&text, "replay: ");
    add_replay(arguments, input, result, &text);
    text_add(&text, "\n");
  }
  fputs(text_str(&text), out);
  text_free(&text);
}

// Replaces the result by a failure of determinism if there is one. Returns false, after a
// complaint, where the machine did not let it look.
static bool check_twice(const struct arguments *arguments, const struct input *input,
                        struct text *out_difference, struct outcome *outcome) {
  char *args[RUN_ARGS_MAX + 4];
  u32 num_args = input_args(input, args), i;
  struct difference_input difference = {&input->spec, &input->run, args, num_args};
  enum difference answer =
      difference_find(&difference, arguments->options.watchdog_ms * 3, out_difference);
  struct sim_result *result = &outcome->result;
  struct sim_failure *failure = &result->failures[0];

  for (i = 0; i < num_args; i++) free(args[i]);
  if (answer == DIFFERENCE_FAILED) {
    complain("the run cannot be made again: no process, or it is killed from outside");
    return false;
  }
  if (answer == DIFFERENCE_DIED && !outcome->died)
    text_add(out_difference, "the run killed its process in one of several attempts\n");
  else if (answer != DIFFERENCE_FOUND)
    return true;
  result->status = SIM_NONDETERMINISM;
  result->num_failures = 1;
  *failure = (struct sim_failure){.status = SIM_NONDETERMINISM};
  snprintf(failure->oracle, sizeof(failure->oracle), "not-deterministic");
  run_make_key(input->spec.scenario, failure->oracle, "", failure->key);
  snprintf(failure->text, sizeof(failure->text), "%.*s",
           (int)strcspn(text_str(out_difference), "\n"), text_str(out_difference));
  return true;
}

static FILE *open_trace(const struct arguments *arguments, const struct input *input) {
  FILE *trace;

  if (!arguments->trace_file) return stdout;
  if (input->path && !strcmp(arguments->trace_file, input->path))
    usage_error("replay", "-o %s would overwrite the input", input->path);
  trace = fopen(arguments->trace_file, "we");
  if (!trace) usage_error("replay", "-o %s: %s", arguments->trace_file, strerror(errno));
  return trace;
}

static int replay(const struct arguments *arguments, const struct input *input) {
  struct trace_tail *tail = trace_tail_new(TAIL_LINES);
  struct text difference = {0};
  struct outcome outcome;
  FILE *trace = NULL, *out = stdout;
  int status = SIM_OURS;

  if (arguments->trace != TRACE_NONE) {
    trace = open_trace(arguments, input);
    // A JSON trace on stdout is not to be followed by anything.
    if (trace == stdout && arguments->trace == TRACE_PERFETTO) out = stderr;
  }
  if (run(arguments, input, trace, tail, &outcome) &&
      (!arguments->twice || check_twice(arguments, input, &difference, &outcome))) {
    status = (int)outcome.result.status;
    if (difference.len && !arguments->options.json) fputs(text_str(&difference), out);
    if (arguments->options.json)
      print_json(arguments, input, &outcome, difference.s);
    else
      print_text(arguments, input, &outcome, tail, out);
  }
  if (trace && trace != stdout && fclose(trace)) outcome.trace_lost = true;
  if (outcome.trace_lost) {
    if (trace != stdout || !command_reader_gone())
      complain("%s: the trace could not be written",
               arguments->trace_file ? arguments->trace_file : "stdout");
    status = status_join(status, SIM_OURS);
  }
  trace_tail_free(tail);
  text_free(&difference);
  return status;
}

// One run without a net; see probe.h.
static int probe(const struct input *input) {
  struct sim_world *world = sim_world_new();
  struct sim_result result;

  if (!world) return SIM_OURS;
  if (sim_world_setup(world, input->spec.scenario, input->spec.params, &result) == SIM_OK)
    sim_world_run(world, &input->run, &result);
  probe_write(&result, stdout);
  return 0;
}

int cmd_replay(int argc, char **argv) {
  struct arguments arguments = {0};
  struct input input;
  int status;

  options_init(&arguments.options, "replay");
  options_parse("replay", &replay_argp, argc, argv, &arguments);
  status = input_load(&arguments.options, &arguments.input, &input);
  if (status) return status;
  if (arguments.probe) {
    status = probe(&input);
  } else if (arguments.log) {
    struct difference_input log = {&input.spec, &input.run, NULL, 0};

    status = difference_log_main(&log, stdout);
  } else {
    status = replay(&arguments, &input);
  }
  input_free(&input);
  return status;
}
