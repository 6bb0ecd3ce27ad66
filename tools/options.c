// SPDX-License-Identifier: GPL-2.0-or-later
//
// The options of `explore`; see options.h.

#include "tools/options.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "tools/command.h"

enum {
  KEY_SEEDS = 0x100,
  KEY_TIME,
  KEY_STRATEGY,
  KEY_JOBS,
  KEY_SUBJECT,
  KEY_BUG,
  KEY_SET,
  KEY_KEEP_GOING,
  KEY_OUT,
  KEY_JSON,
  KEY_KNOWN,
  KEY_WATCHDOG,
  KEY_BISECT,
};

// Every list has all options of explore; those without effect are not shown: `flags` is 0 or
// OPTION_HIDDEN.
#define OPTIONS_WHERE(flags)                                                                       \
  {"time",                                                                                         \
   KEY_TIME,                                                                                       \
   "S",                                                                                            \
   flags,                                                                                          \
   "Stop after that many seconds (60, 0.5, 10m, 2h); a run that has begun is ended first",         \
   3},                                                                                             \
      {"jobs", KEY_JOBS, "N", flags, "Worker processes, 1 to 1024 (default: as many as CPUs)", 3}, \
      {"out", KEY_OUT, "DIR", flags, "Folder for findings (default findings)", 3},                 \
      {"known",                                                                                    \
       KEY_KNOWN,                                                                                  \
       "FILE",                                                                                     \
       flags,                                                                                      \
       "Known findings of image: and kernel: subjects (default corpora/known-findings)",           \
       3},                                                                                         \
      {"json", KEY_JSON, NULL, 0, "Print one JSON object in place of text", 3}, {                  \
    "watchdog", KEY_WATCHDOG, "S", OPTION_HIDDEN, NULL, 3                                          \
  }

#define OPTIONS_ALL(strategy_flags, seeds_flags, where_flags, where)                               \
  {                                                                                                \
    {NULL, 0, NULL, 0, "What is run:", 2},                                                         \
        {"subject",                                                                                \
         KEY_SUBJECT,                                                                              \
         "SUBJECT",                                                                                \
         0,                                                                                        \
         "What is under test: model, the built-in one (default); or, where the scenario takes "    \
         "it, image:FILE, a vDSO or a kernel file that holds one, or kernel:DIR, files of a "      \
         "kernel tree",                                                                            \
         2},                                                                                       \
        {"bug", KEY_BUG, "ID", 0, "Switch a planted bug on (see `seedbed list')", 2},              \
        {"set",                                                                                    \
         KEY_SET,                                                                                  \
         "KEY=VALUE",                                                                              \
         0,                                                                                        \
         "Set a parameter of the scenario or of the machine, or suspect.NAME=1 to have a "         \
         "behaviour that an oracle objects to as the kernel does it; any number of times",         \
         2},                                                                                       \
        {"strategy",                                                                               \
         KEY_STRATEGY,                                                                             \
         "NAME",                                                                                   \
         strategy_flags,                                                                           \
         "How a seed picks who runs (see `seedbed list'; default portfolio: drawn by each seed)",  \
         2},                                                                                       \
        {NULL, 0, NULL, 0, where, 3},                                                              \
        {"seeds",                                                                                  \
         KEY_SEEDS,                                                                                \
         "A..B",                                                                                   \
         seeds_flags,                                                                              \
         "Seeds to run, both ends included; `A..' has no end, `A' is that one. Decimal or 0x "     \
         "(default 1..100000; without end if --time is given)",                                    \
         3},                                                                                       \
        {"keep-going",                                                                             \
         KEY_KEEP_GOING,                                                                           \
         NULL,                                                                                     \
         where_flags,                                                                              \
         "Go on after a finding; equal keys are counted, not repeated",                            \
         3},                                                                                       \
        {"bisect",                                                                                 \
         KEY_BISECT,                                                                               \
         NULL,                                                                                     \
         where_flags,                                                                              \
         "End as `git bisect run' asks: 0 good, 1 a finding, 125 the subject does not build, 128 " \
         "anything else",                                                                          \
         3},                                                                                       \
        OPTIONS_WHERE(where_flags), {                                                              \
      0                                                                                            \
    }                                                                                              \
  }

static const struct argp_option option_list[] = OPTIONS_ALL(0, 0, 0, "How much and where:");
static const struct argp_option sweep_list[] =
    OPTIONS_ALL(OPTION_HIDDEN, OPTION_HIDDEN, 0, "How much and where:");
static const struct argp_option run_list[] =
    OPTIONS_ALL(0, OPTION_HIDDEN, OPTION_HIDDEN, "What is printed:");
static const struct argp_option where_list[] = {OPTIONS_WHERE(0), {0}};

void options_init(struct options *options, const char *command) {
  *options = (struct options){
      .command = command,
      .strategy = -1,
      .seed_first = 1,
      .seed_last = OPTIONS_SEEDS_DEFAULT,
      .watchdog_ms = OPTIONS_WATCHDOG_MS,
  };
}

static void parse_strategy(struct options *options, const char *arg) {
  struct text names = {0};
  u32 i;

  options->strategy = sim_strategy_by_name(arg);
  if (options->strategy >= 0) return;
  for (i = 0; i < SIM_STRATEGY_COUNT; i++)
    text_addf(&names, "%s%s", i ? ", " : "", sim_strategy_name(i));
  usage_error(options->command, "--strategy=%s: not one of %s", arg, text_str(&names));
}

static error_t parse_option(int key, char *arg, struct argp_state *state) {
  struct options *options = state->input;
  const char *why = NULL;
  u64 number = 0;

  switch (key) {
    case KEY_SUBJECT:
      options->subject = arg;
      return 0;
    case KEY_BUG:
      options->bug = arg;
      return 0;
    case KEY_SET:
      if (!strchr(arg, '=') || *arg == '=')
        usage_error(options->command, "--set=%s: KEY=VALUE is meant", arg);
      if (options->num_set == OPTIONS_SETS_MAX)
        usage_error(options->command, "--set more than %d times", OPTIONS_SETS_MAX);
      options->set[options->num_set++] = arg;
      return 0;
    case KEY_STRATEGY:
      parse_strategy(options, arg);
      return 0;
    case KEY_SEEDS:
      if (!text_parse_range(arg, &options->seed_first, &options->seed_last, &why))
        usage_error(options->command, "--seeds=%s: %s", arg, why);
      options->seeds_given = true;
      return 0;
    case KEY_TIME:
      if (!text_parse_time(arg, &options->time_ms, &why))
        usage_error(options->command, "--time=%s: %s", arg, why);
      return 0;
    case KEY_JOBS:
      if (!text_parse_u64(arg, &number, &why))
        usage_error(options->command, "--jobs=%s: %s", arg, why);
      if (number < 1 || number > OPTIONS_JOBS_MAX)
        usage_error(options->command, "--jobs=%s: 1 to %d workers are possible", arg,
                    OPTIONS_JOBS_MAX);
      options->jobs = (u32)number;
      return 0;
    case KEY_BISECT:
      return 0;  // main has seen it
    case KEY_KEEP_GOING:
      options->keep_going = true;
      return 0;
    case KEY_OUT:
      if (!*arg) usage_error(options->command, "--out: a folder is missing");
      options->out = arg;
      return 0;
    case KEY_KNOWN:
      options->known = arg;
      return 0;
    case KEY_JSON:
      options->json = true;
      return 0;
    case KEY_WATCHDOG:
      if (!text_parse_time(arg, &options->watchdog_ms, &why))
        usage_error(options->command, "--watchdog=%s: %s", arg, why);
      return 0;
    case ARGP_KEY_SUCCESS:
      if (options->time_ms && !options->seeds_given) options->seed_last = UINT64_MAX;
      return 0;
    default:
      return ARGP_ERR_UNKNOWN;
  }
}

const struct argp options_argp = {option_list, parse_option, NULL, NULL, NULL, NULL, NULL};
const struct argp options_sweep_argp = {sweep_list, parse_option, NULL, NULL, NULL, NULL, NULL};
const struct argp options_run_argp = {run_list, parse_option, NULL, NULL, NULL, NULL, NULL};
const struct argp options_where_argp = {where_list, parse_option, NULL, NULL, NULL, NULL, NULL};

// A subject that cannot be had ends the command.
static void require_subject(enum sim_status status, const char *err) {
  if (!status) return;
  complain("--subject: %s", err);
  if (command_bisect && (status == SIM_MALFORMED || status == SIM_MISSING_FILE))
    command_exit(COMMAND_NOT_BUILT);
  command_exit(status);
}

void options_apply(const struct options *options, struct run_spec *spec) {
  enum sim_status status = SIM_OK;
  char err[512];
  u32 i;

  if (options->subject)
    status = subject_parse(options->subject, spec->scenario, &spec->subject, err, sizeof(err));
  if (status == SIM_USAGE) usage_error(options->command, "--subject: %s", err);
  require_subject(status, err);
  if (options->strategy >= 0) spec->strategy = (u32)options->strategy;
  if (options->bug && !sim_params_set_bug(spec->params, options->bug)) {
    const struct sim_bug *bug = spec->scenario->bugs;
    struct text ids = {0};

    for (; bug && bug->id; bug++) text_addf(&ids, "%s%s", ids.len ? ", " : "", bug->id);
    if (!ids.len)
      usage_error(options->command, "--bug=%s: %s has no planted bugs", options->bug,
                  spec->scenario->name);
    usage_error(options->command, "--bug=%s: %s has the planted bugs %s", options->bug,
                spec->scenario->name, text_str(&ids));
  }
  for (i = 0; i < options->num_set; i++) {
    const char *equals = strchr(options->set[i], '=');
    char *key = xstrdup(options->set[i]);
    s64 value;

    key[equals - options->set[i]] = '\0';
    if (!sim_params_get(spec->params, key, &value))
      usage_error(options->command,
                  "--set=%s: %s has no parameter '%s'; `seedbed list %s' shows all",
                  options->set[i], spec->scenario->name, key, spec->scenario->name);
    if (!sim_params_set(spec->params, key, equals + 1, err, sizeof(err)))
      usage_error(options->command, "--set=%s: %s", options->set[i], err);
    free(key);
  }
  status = subject_complete(&spec->subject, spec->scenario, spec->params, err, sizeof(err));
  // It may be a file's subject, of another machine.
  if (status == SIM_MISSING_FILE && !options->subject) {
    size_t len = strlen(err);

    snprintf(err + len, sizeof(err) - len, "; --subject=kernel:DIR runs it on another");
  }
  require_subject(status, err);
  subject_use(&spec->subject);
  if (spec->scenario->refuses && spec->scenario->refuses(spec->params, err, sizeof(err)))
    usage_error(options->command, "%s: %s", spec->scenario->name, err);
}

void options_make_spec(const struct options *options, const struct sim_scenario *scenario,
                       struct run_spec *out) {
  run_spec_init(out, scenario);
  options_apply(options, out);
}

u32 options_jobs(const struct options *options) {
  cpu_set_t cpus;

  if (options->jobs) return options->jobs;
  if (sched_getaffinity(0, sizeof(cpus), &cpus)) return 1;  // more CPUs than the set can hold
  return (u32)CPU_COUNT(&cpus);
}

const char *options_out(const struct options *options) {
  return options->out ? options->out : "findings";
}

void options_begin(struct argp_state *state, struct options *child) {
  if (child) state->child_inputs[0] = child;
}

// argp takes its name for usage lines from argv[0], after ARGP_KEY_INIT, and so does getopt
// for its complaints. Those are to begin with command_name, these with the subcommand as well:
// a hidden option, put before all others, renames argp alone.
enum { KEY_NAME = 0x7f00 };

struct named {
  const char *name;
  void *input;
};

static error_t parse_name(int key, char *arg, struct argp_state *state) {
  const struct named *named = state->input;

  if (key == ARGP_KEY_INIT) {
    state->child_inputs[0] = named->input;
    return 0;
  }
  if (key != KEY_NAME) return ARGP_ERR_UNKNOWN;
  state->name = (char *)(uintptr_t)named->name;
  return 0;
}

void options_parse(const char *command, const struct argp *argp, int argc, char **argv,
                   void *input) {
  static const struct argp_option hidden[] = {
      {"\001", KEY_NAME, NULL, OPTION_HIDDEN, NULL, 0},
      {0},
  };
  const struct argp_child child[] = {{argp, 0, NULL, 0}, {0}};
  const struct argp root = {hidden, parse_name, NULL, NULL, child, NULL, NULL};
  static char rename[] = "--\001";
  char **longer = xcalloc((size_t)argc + 2, sizeof(*longer));
  char *name = xasprintf("%s %s", command_name, command);
  struct named named = {name, input};
  int i;

  longer[0] = argv[0];
  longer[1] = rename;
  for (i = 1; i < argc; i++) longer[i + 1] = argv[i];
  // Errors end the process; anything else is out of memory.
  if (argp_parse(&root, argc + 1, longer, 0, NULL, &named)) exit(SIM_OURS);
  // The arguments live on in argv.
  free(longer);
  free(name);
}
