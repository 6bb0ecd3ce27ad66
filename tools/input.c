// SPDX-License-Identifier: GPL-2.0-or-later
//
// What replay and shrink run; see input.h.

#include "tools/input.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fuzz/fuzz_input.h"
#include "tools/command.h"
#include "tools/findings.h"
#include "tools/mailed.h"
#include "tools/origin.h"
#include "tools/registry.h"

// The number of the line that starts with `word` and a space, and then `value`.
static u32 line_of(const struct mailed *mailed, const char *word, const char *value) {
  const char *at = text_str(&mailed->text), *newline;
  size_t word_len = strlen(word), value_len = strlen(value);
  u32 number;

  for (number = 1; (newline = strchr(at, '\n')); number++, at = newline + 1) {
    if (!strncmp(at, word, word_len) && at[word_len] == ' ' &&
        !strncmp(at + word_len + 1, value, value_len))
      return mailed_line(mailed, number);
  }
  return mailed_line(mailed, 1);
}

static int malformed(const char *path, u32 line, const char *why) {
  complain("%s: line %u: %s", path, line, why);
  return SIM_MALFORMED;
}

// Applies the file's subject to the spec; faults as input_load.
static int apply_subject(const struct mailed *mailed, const char *path,
                         const struct sim_decision_file *file, struct run_spec *spec) {
  u32 line = line_of(mailed, "subject", file->subject);
  enum sim_status status;
  char err[512];

  if (!*file->subject) return SIM_OK;
  status = subject_parse(file->subject, spec->scenario, &spec->subject, err, sizeof(err));
  if (!status) return SIM_OK;
  if (status != SIM_MISSING_FILE) return malformed(path, line, err);
  complain("%s: line %u: %s; --subject=%s runs it on another", path, line, err,
           strncmp(file->subject, "kernel:", 7) ? "image:FILE" : "kernel:DIR");
  return status;
}

// Applies what the file says to the spec; faults as input_load. A subject that the options
// replace need not be there.
static int apply_file(const struct options *options, const struct mailed *mailed, const char *path,
                      const struct sim_decision_file *file, struct run_spec *spec) {
  char err[256];
  int strategy, status;
  u32 i;

  status = options->subject ? SIM_OK : apply_subject(mailed, path, file, spec);
  if (status) return status;
  // First, since what is set holds over what a bug sets.
  if (*file->bug && !sim_params_set_bug(spec->params, file->bug)) {
    snprintf(err, sizeof(err), "%s has no planted bug '%s'", spec->scenario->name, file->bug);
    return malformed(path, line_of(mailed, "bug", file->bug), err);
  }
  for (i = 0; i < file->num_set; i++) {
    if (!sim_params_set(spec->params, file->set[i].key, file->set[i].value, err, sizeof(err)))
      return malformed(path, line_of(mailed, "set", file->set[i].key), err);
  }
  if (*file->strategy) {
    strategy = sim_strategy_by_name(file->strategy);
    if (strategy < 0) {
      snprintf(err, sizeof(err), "'%s' is not a strategy", file->strategy);
      return malformed(path, line_of(mailed, "strategy", file->strategy), err);
    }
    spec->strategy = (u32)strategy;
  }
  return SIM_OK;
}

static void tell_differences(const struct sim_decision_file *file, const struct run_spec *spec) {
  if (*file->subject_sha256 && strcmp(file->subject_sha256, spec->subject.sha256))
    complain(
        "recorded under the subject %.12s..., run under %.12s...: the run may "
        "differ",
        file->subject_sha256, spec->subject.sha256);
  else if (*file->commit && strcmp(file->commit, spec->commit))
    complain("recorded under the commit %s, run under %s", file->commit, spec->commit);
  if (file->build && run_spec_build(spec) && file->build != run_spec_build(spec))
    complain("recorded with the access hooks of another build, 0x%016" PRIx64
             ": its seed is another run here; decisions find their places by their labels",
             file->build);
}

static int load_decisions(const struct options *options, const char *scenario_name,
                          const struct mailed *mailed, struct input *input) {
  const struct sim_scenario *scenario;
  unsigned line = 1;
  char err[512];
  int status, used = 0;

  if (!sim_decision_file_parse(&input->file, text_str(&mailed->text), mailed->text.len, err,
                               sizeof(err))) {
    sscanf(err, "line %u: %n", &line, &used);
    return malformed(input->path, mailed_line(mailed, line), err + used);
  }
  scenario = registry_find(input->file.scenario);
  if (!scenario) {
    snprintf(err, sizeof(err), "no scenario of this build is named '%s'", input->file.scenario);
    status = malformed(input->path, line_of(mailed, "scenario", input->file.scenario), err);
    sim_decision_file_free(&input->file);
    return status;
  }
  if (scenario_name && strcmp(scenario_name, scenario->name))
    usage_error(options->command, "%s is of the scenario %s, not of %s", input->path,
                scenario->name, scenario_name);
  run_spec_init(&input->spec, scenario);
  status = apply_file(options, mailed, input->path, &input->file, &input->spec);
  if (status) {
    run_spec_free(&input->spec);
    sim_decision_file_free(&input->file);
    return status;
  }
  options_apply(options, &input->spec);
  input->overridden =
      options->subject || options->bug || options->num_set || options->strategy >= 0;
  input->kind = INPUT_LIST;
  input->has_seed = input->file.has_seed;
  input->seed = input->file.seed;
  input->run = (struct sim_input){.backend = SIM_BACKEND_LIST, .list = &input->file.list};
  tell_differences(&input->file, &input->spec);
  return SIM_OK;
}

// What was found with a planted bug passes without it, which says nothing.
static void tell_bug(const struct options *options, const struct input *input) {
  char *bug = options->bug ? NULL : origin_of_input(input->spec.scenario, input->path);

  if (bug)
    complain(
        "NOTE: %s was found with the planted bug %s, and runs here without it: --bug=%s plants it",
        input->path, bug, bug);
  free(bug);
}

static int load_file(const struct options *options, const char *scenario_name,
                     struct input *input) {
  struct text text = {0};
  struct mailed mailed;
  const u8 *bytes;
  int status;

  if (!read_file(input->path, INPUT_FILE_MAX, &text)) {
    int error = errno;

    if (error == ENOENT && !scenario_name && registry_find(input->path))
      usage_error(options->command, "%s is a scenario: --seed=N or a file is missing", input->path);
    complain("%s: %s", input->path, strerror(error));
    return error == EFBIG ? SIM_MALFORMED : SIM_MISSING_FILE;
  }
  if (mailed_find(&text, &mailed)) {
    text_free(&text);
    status = load_decisions(options, scenario_name, &mailed, input);
    mailed_free(&mailed);
    return status;
  }
  if (!scenario_name)
    usage_error(options->command,
                "%s is not a decision file; fuzzer bytes need their scenario: seedbed "
                "%s SCENARIO %s",
                input->path, options->command, input->path);
  options_make_spec(options, registry_require(scenario_name, options->command), &input->spec);
  input->kind = INPUT_BYTES;
  input->bytes = text;
  bytes = (const u8 *)text_str(&input->bytes);
  fuzz_settings_apply(bytes, input->bytes.len, input->spec.params);
  input->run = fuzz_sim_input(bytes, input->bytes.len);
  tell_bug(options, input);
  return SIM_OK;
}

int input_load(const struct options *options, const struct input_arguments *arguments,
               struct input *out) {
  *out = (struct input){0};
  if (arguments->has_seed) {
    if (arguments->num_args != 1)
      usage_error(options->command, "--seed takes one scenario and no file");
    options_make_spec(options, registry_require(arguments->arg[0], options->command), &out->spec);
    out->kind = INPUT_SEED;
    out->has_seed = true;
    out->seed = arguments->seed;
    out->run = (struct sim_input){
        .backend = SIM_BACKEND_SEED,
        .seed = arguments->seed,
        .strategy = out->spec.strategy,
    };
    return SIM_OK;
  }
  if (!arguments->num_args)
    usage_error(options->command, "a file, or a scenario and --seed=N, is missing");
  if (arguments->num_args == 2 && !registry_find(arguments->arg[0]) &&
      !access(arguments->arg[0], F_OK))
    usage_error(options->command, "one file at a time: %s, %s", arguments->arg[0],
                arguments->arg[1]);
  out->path = arguments->arg[arguments->num_args - 1];
  return load_file(options, arguments->num_args == 2 ? arguments->arg[0] : NULL, out);
}

void input_free(struct input *input) {
  if (input->kind == INPUT_LIST) sim_decision_file_free(&input->file);
  text_free(&input->bytes);
  run_spec_free(&input->spec);
}

u32 input_args(const struct input *input, char **out) {
  u32 count = 0;

  if (input->kind != INPUT_LIST) out[count++] = xstrdup(input->spec.scenario->name);
  if (input->kind == INPUT_SEED) out[count++] = xasprintf("--seed=0x%" PRIx64, input->seed);
  // Options first: a path may begin with '-'. A decision file has its own settings, and
  // saying them again changes nothing.
  count += run_spec_args(&input->spec, out + count, RUN_ARGS_MAX);
  if (input->kind != INPUT_SEED) {
    out[count++] = xstrdup("--");
    out[count++] = xstrdup(input->path);
  }
  return count;
}

void input_add_replay(const struct input *input, struct text *text) {
  if (input->kind == INPUT_SEED)
    run_add_replay_seed(&input->spec, input->seed, text);
  else
    run_add_replay_file(&input->spec, input->path, input->kind == INPUT_BYTES || input->overridden,
                        text);
}
