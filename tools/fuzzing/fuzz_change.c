// SPDX-License-Identifier: GPL-2.0-or-later
//
// tools/fuzz change: for a push. The targets that a change reaches run their inputs of the tree,
// then fuzz for a few minutes together. Sections: programs; what has changed; what it reaches; the
// command.

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/child.h"
#include "tools/command.h"
#include "tools/fuzzing/fuzz_commands.h"
#include "tools/fuzzing/fuzz_log.h"
#include "tools/fuzzing/fuzz_reach.h"
#include "tools/fuzzing/fuzz_replay.h"
#include "tools/interrupt.h"
#include "tools/options.h"

enum { TIME_MS_DEFAULT = 180000, PROGRAM_MS = 600000 };

// ---- Programs ----

struct program {
  const char *const *argv;
  const char *root;
};

static int become(void *arg, FILE *out) {
  const struct program *program = arg;
  int null_fd = open("/dev/null", O_RDWR | O_CLOEXEC);

  if (chdir(program->root) || null_fd < 0) return SIM_OURS;
  dup2(null_fd, 0);
  dup2(null_fd, 2);
  dup2(fileno(out), 1);
  // execvp changes nothing, whatever its prototype says.
  execvp(program->argv[0], (char *const *)program->argv);
  return SIM_OURS;
}

// What a program prints, run at the top of the tree. False unless it ends with one of two statuses.
static bool output_of(const char *root, const char *const argv[], int also, struct text *out) {
  struct program program = {argv, root};
  const struct child_limits limits = {.wall_ms = PROGRAM_MS, .yields = true};
  struct child_result result;
  bool good;

  child_fork(become, &program, &limits, &result);
  good = result.end == CHILD_EXITED && (!result.code || result.code == also);
  if (good)
    *out = result.out;
  else
    child_result_free(&result);
  if (good && !out->s) text_add(out, "");
  return good;
}

// ---- What has changed ----

// One line of output, or NULL; the caller frees it.
static char *line_of(const char *root, const char *const argv[]) {
  struct text text = {0};
  char *line = NULL;

  if (output_of(root, argv, 0, &text) && text.len)
    line = xasprintf("%.*s", (int)strcspn(text.s, "\n"), text.s);
  text_free(&text);
  return line;
}

// Where this branch left the main one; without one, the commit that is checked out.
static char *default_base(const char *root) {
  static const char *const mains[] = {"origin/main", "main", "HEAD"};
  char *base = NULL;

  for (u32 i = 0; i < SIM_ARRAY_SIZE(mains) && !base; i++) {
    const char *const argv[] = {"git", "merge-base", "HEAD", mains[i], NULL};

    base = line_of(root, argv);
  }
  return base;
}

// The paths that differ from `base`, committed or not, and those that git does not know yet; a line
// each.
static bool changed_since(const char *root, const char *base, struct text *out) {
  const char *const diff[] = {"git", "diff", "--name-only", "--no-renames", base, "--", NULL};
  const char *const others[] = {"git", "ls-files", "--others", "--exclude-standard", NULL};
  struct text text = {0};
  bool good = output_of(root, diff, 0, out);

  if (good && output_of(root, others, 0, &text)) text_add(out, text_str(&text));
  text_free(&text);
  return good;
}

// ---- What it reaches ----

struct reach {
  const struct fuzz_place *place;
  const struct fuzz_targets *targets;
  bool *reached;      // of each target
  struct text files;  // that Bazel is asked about, a blank between
};

static void reach_all(struct reach *reach) {
  for (u32 i = 0; i < reach->targets->count; i++) reach->reached[i] = true;
}

static void look_at_file(struct reach *reach, const char *path) {
  char *full = xasprintf("%s/%s", reach->place->root, path), target[128] = "";

  switch (fuzz_reach_of(path, !access(full, F_OK), target, sizeof(target))) {
    case FUZZ_REACH_NONE:
      break;
    case FUZZ_REACH_ALL:
      reach_all(reach);
      break;
    case FUZZ_REACH_TARGET:
      for (u32 i = 0; i < reach->targets->count; i++)
        reach->reached[i] |= !strcmp(reach->targets->target[i].name, target);
      break;
    case FUZZ_REACH_ASK:
      text_addf(&reach->files, " %s", path);
      break;
  }
  free(full);
}

// The file that defines a target's scenario, or NULL.
static char *scenario_file(const struct reach *reach, u32 index) {
  const char *name = reach->targets->target[index].name;
  char *pattern =
      xasprintf("models/*/scenario_%.*s.c", (int)(strlen(name) - strlen("_fuzz")), name);
  const char *const argv[] = {"git", "ls-files", "--cached", "--others", pattern, NULL};
  char *path = line_of(reach->place->root, argv);

  free(pattern);
  return path;
}

static bool query(const char *root, const char *const extra[], const char *what, struct text *out) {
  const char *argv[12] = {"bazel", "query", "--noshow_progress", "--keep_going"};
  u32 num = 4;

  while (*extra) argv[num++] = *extra++;
  argv[num++] = what;
  // 3: some files are no target's, which is no error here.
  return output_of(root, argv, 3, out);
}

// Asks Bazel about the files that are left. False if it does not answer.
static bool ask(struct reach *reach) {
  static const char *const plain[] = {NULL};
  static const char *const graph[] = {"--output=graph", "--nograph:factored", "--noimplicit_deps",
                                      NULL};
  u32 count = reach->targets->count;
  char **file = xcalloc(count, sizeof(*file)), *what;
  struct text scenarios = {0}, labels = {0}, owners = {0}, reached = {0};
  bool any = false, good;

  for (u32 i = 0; i < count; i++) {
    file[i] = scenario_file(reach, i);
    if (file[i]) text_addf(&scenarios, " %s", file[i]);
  }
  what = xasprintf("rdeps(//models/... + //fuzz/..., set(%s))", text_str(&reach->files));
  good = query(reach->place->root, plain, what, &labels);
  free(what);
  what = xasprintf("rdeps(//models/..., set(%s), 1)", text_str(&scenarios));
  good = good && query(reach->place->root, graph, what, &owners);
  free(what);
  for (u32 i = 0; i < count && good; i++) {
    reached.len = 0;
    if (file[i]) fuzz_reach_owners(text_str(&owners), file[i], &reached);
    if (!file[i] || !reached.len || fuzz_reach_shares_line(reached.s, text_str(&labels)))
      reach->reached[i] = any = true;
  }
  // Something that all have in common beside their scenarios.
  if (good && !any && strstr(text_str(&labels), "_fuzz_bin\n")) reach_all(reach);
  for (u32 i = 0; i < count; i++) free(file[i]);
  text_free(&scenarios);
  text_free(&labels);
  text_free(&owners);
  text_free(&reached);
  free(file);
  return good;
}

static void keep_reached(const struct reach *reach, struct fuzz_options *options) {
  options->num_names = 0;
  for (u32 i = 0; i < reach->targets->count && options->num_names < FUZZ_NAMES_MAX; i++)
    if (reach->reached[i]) options->name[options->num_names++] = reach->targets->target[i].name;
}

// Names the targets that are reached in the options. Returns SIM_OK or, after a complaint, a
// status.
static int find_reached(const struct fuzz_place *place, const struct fuzz_targets *targets,
                        const char *given_base, struct fuzz_options *options) {
  struct reach reach = {
      .place = place, .targets = targets, .reached = xcalloc(targets->count, sizeof(bool))};
  char *base = given_base ? xstrdup(given_base) : default_base(place->root), *save = NULL;
  struct text changed = {0};
  int status = SIM_OK;
  u32 files = 0;

  if (!base || !changed_since(place->root, base, &changed)) {
    complain("git does not say what has changed since %s", base ? base : "any commit");
    status = SIM_USAGE;
  }
  for (char *path = status || !changed.len ? NULL : strtok_r(changed.s, "\n", &save); path;
       path = strtok_r(NULL, "\n", &save), files++)
    look_at_file(&reach, path);
  if (!status && reach.files.len && !ask(&reach)) {
    complain("bazel query does not say what the change reaches: all targets are taken");
    reach_all(&reach);
  }
  keep_reached(&reach, options);
  if (!status) {
    printf("%u file%s changed since %.12s, which reach%s %u of %u targets\n", files,
           files == 1 ? "" : "s", base, files == 1 ? "es" : "", options->num_names, targets->count);
    for (u32 i = 0; i < options->num_names; i++) printf("  %s\n", options->name[i]);
    fflush(stdout);
  }
  text_free(&changed);
  text_free(&reach.files);
  free(reach.reached);
  free(base);
  return status;
}

// ---- The command ----

static const struct argp_option option_list[] = {
    {"base", FUZZ_KEY_BASE, "REV", 0,
     "What the change is since (default: where the branch left origin/main, or main); files that "
     "are not committed count",
     3},
    {0},
};

static const struct argp change_argp = {
    .options = option_list,
    .parser = fuzz_options_parse_own,
    .args_doc = "",
    .doc =
        "Fuzz the targets that a change reaches: first each runs its inputs of the tree, then they "
        "fuzz for --time together (default 180 s), as `run' does. The simulator, fuzz/ and how "
        "things are built reach all targets; a model's file those whose scenarios depend on it.\v"
        "Examples:\n"
        "  fuzz change\n"
        "  fuzz change --base=HEAD~3 --time=10m\n"
        "\n"
        "Exit status 0 if no input failed, or no target is reached; else that of the worst "
        "finding, see `fuzz --help'.",
    .children = fuzz_options_campaign,
};

static int replay_all(const struct fuzz_options *options, const struct fuzz_place *place,
                      const struct fuzz_targets *targets) {
  struct fuzz_record record = {.engine =
                                   options->libfuzzer ? FUZZ_ENGINE_LIBFUZZER : FUZZ_ENGINE_AFL};
  int status = SIM_OK;

  for (u32 i = 0; i < targets->count && !interrupt_signal(); i++)
    status = status_join(status, fuzz_replay(place, &targets->target[i], &record));
  printf("\nThe tree's inputs: ");
  if (record.failures)
    printf("%llu failed, %llu new findings\n\n", (unsigned long long)record.failures,
           (unsigned long long)record.findings);
  else
    printf("none failed\n\n");
  fflush(stdout);
  return status_join(status, (int)record.status);
}

static int fuzz_reached(const struct fuzz_options *options, struct fuzz_place *place) {
  struct fuzz_targets targets;
  int status = fuzz_place_lock(place);

  if (status) return status;
  fuzz_targets_open(place, options->name, options->num_names, &targets);
  status = replay_all(options, place, &targets);
  if (!interrupt_signal()) status = status_join(status, fuzz_campaign(options, place, &targets));
  fuzz_failed_tell(place->failed);
  fuzz_targets_free(&targets);
  if (interrupt_signal() && !status) status = 128 + interrupt_signal();
  return status;
}

int fuzz_change_command(int argc, char **argv) {
  struct fuzz_options options;
  struct fuzz_targets targets;
  struct fuzz_place place;
  int status;

  fuzz_options_init(&options, "change");
  options_parse("change", &change_argp, argc, argv, &options);
  if (options.num_names)
    usage_error("change", "'%s': the change says which targets; `fuzz run %s' takes any",
                options.name[0], options.name[0]);
  if (options.bug) usage_error("change", "--bug=%s is for `fuzz run'", options.bug);
  if (!options.time_ms) options.time_ms = TIME_MS_DEFAULT;
  interrupt_catch();
  fuzz_place_open(options.out, &place);
  fuzz_targets_open(&place, NULL, 0, &targets);
  fuzz_options_check_engines(&options, &place, &targets);
  status = find_reached(&place, &targets, options.base, &options);
  if (!status && options.num_names)
    status = fuzz_reached(&options, &place);
  else if (!status)
    printf("Nothing is run.\n");
  fuzz_targets_free(&targets);
  fuzz_place_close(&place);
  return status;
}
