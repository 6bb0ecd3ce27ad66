// SPDX-License-Identifier: GPL-2.0-or-later
//
// seedbed compare: the model against a kernel tree's code, event by event.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "models/crng/kernel_crng.h"
#include "models/kernel/kernel_random.h"
#include "tools/command.h"
#include "tools/compare_search.h"
#include "tools/interrupt.h"
#include "tools/options.h"
#include "tools/output.h"

enum { KEY_JSON = 0x800, KEY_SUBJECT, KEY_SEEDS, KEY_BUG, KEY_ONLY, KEY_KNOWN, KEY_SHOW };

// Of the model alone.
enum { VERSION_OF_MODEL = 7002 };

static const struct compare_family *const families[] = {&compare_crng, &compare_hwrng};

struct arguments {
  const struct compare_family *family;
  const char *subject, *bug, *only, *known;
  u64 first, last;
  bool json, show;
};

static const struct argp_option option_list[] = {
    {"subject", KEY_SUBJECT, "kernel:DIR", 0,
     "The kernel tree whose code the model is held against", 0},
    {"bug", KEY_BUG, "ID", 0,
     "In place of a tree: the model with this planted bug, against the model without", 0},
    {"seeds", KEY_SEEDS, "A..B", 0, "Lists of events of these seeds (default 1..10000)", 0},
    {"only", KEY_ONLY, "N,...", 0, "Of the list of one seed these events alone, by number", 0},
    {"show", KEY_SHOW, NULL, 0, "Of one seed: each event, and all that changes on both sides", 0},
    {"known", KEY_KNOWN, "FILE", 0,
     "What is known to differ in trees (default corpora/known-findings)", 0},
    {"json", KEY_JSON, NULL, 0, "Print one JSON object in place of text", 0},
    {0},
};

static const struct compare_family *find_family(const char *name) {
  for (u32 i = 0; i < SIM_ARRAY_SIZE(families); i++)
    if (!strcmp(families[i]->name, name)) return families[i];
  usage_error("compare", "there is nothing to compare by the name of '%s'; there are: crng, hwrng",
              name);
}

static error_t parse(int key, char *arg, struct argp_state *state) {
  struct arguments *arguments = state->input;
  const char *why = NULL;

  switch (key) {
    case ARGP_KEY_INIT:
      options_begin(state, NULL);
      return 0;
    case KEY_JSON:
      arguments->json = true;
      return 0;
    case KEY_SHOW:
      arguments->show = true;
      return 0;
    case KEY_SUBJECT:
      arguments->subject = arg;
      return 0;
    case KEY_BUG:
      arguments->bug = arg;
      return 0;
    case KEY_ONLY:
      arguments->only = arg;
      return 0;
    case KEY_KNOWN:
      arguments->known = arg;
      return 0;
    case KEY_SEEDS:
      if (!text_parse_range(arg, &arguments->first, &arguments->last, &why))
        usage_error("compare", "--seeds=%s: %s", arg, why);
      return 0;
    case ARGP_KEY_ARG:
      if (arguments->family) usage_error("compare", "'%s': one at a time", arg);
      arguments->family = find_family(arg);
      return 0;
    case ARGP_KEY_NO_ARGS:
      usage_error("compare", "what is to be compared is missing: crng or hwrng");
    default:
      return ARGP_ERR_UNKNOWN;
  }
}

static const struct argp compare_argp = {
    .options = option_list,
    .parser = parse,
    .args_doc = "crng|hwrng",
    .doc =
        "Run lists of events on the model, with every suspect that the kernel has, and on the code "
        "of a kernel tree, and tell where they differ: return values, bytes, stages, credit, keys, "
        "wake-ups, and the times of all that. crng: random.c. hwrng: the core of hw_random with "
        "the "
        "drivers of bcm2835 and iproc-rng200 and two plain ones. An event is a call of one "
        "primitive, at a time of "
        "its own; before the next the world settles, so that no interleaving decides. A list is a "
        "function of its seed. A difference is a defect of one of the two.\v"
        "Examples:\n"
        "  seedbed compare crng --subject=kernel:.build/kernel-trees/6.12\n"
        "  seedbed compare crng --subject=kernel:../mine --seeds=1..100000\n"
        "  seedbed compare crng --subject=kernel:../mine --seeds=7 --only=2,9 --show\n"
        "  seedbed compare crng --bug=16\n"
        "  seedbed compare hwrng --subject=kernel:../mine\n"
        "\n"
        "Each kind of difference is told once, by the fewest events of its lowest seed that show "
        "it. Exit status: 0, they are the same, or differ as is known; 10, they differ; 12, one of "
        "them crashed; 64 usage; 65 the tree does not compile; 66 it has no such file.",
};

// ---- Subjects ----

static const char *bug_of(const struct arguments *arguments) {
  const struct sim_bug *bug = arguments->family->scenario->bugs;

  for (; bug && bug->id; bug++)
    if (!strcmp(bug->id, arguments->bug)) return bug->id;
  usage_error("compare", "--bug=%s: there is no such planted bug to compare with", arguments->bug);
}

// "6.12.117": 6012; of a tree without a version, that of the model.
static u32 version_of(const char *text) {
  unsigned major, minor;

  return sscanf(text, "%u.%u", &major, &minor) == 2 ? 1000 * major + minor : VERSION_OF_MODEL;
}

static void make_pair(const struct arguments *arguments, struct subject *subject,
                      struct compare_pair *pair) {
  char err[400];

  *pair = (struct compare_pair){.family = arguments->family, .linux_version = VERSION_OF_MODEL};
  pair->side[0].name = "model";
  *subject = subject_model();
  if (arguments->subject) {
    enum sim_status status =
        subject_parse(arguments->subject, arguments->family->scenario, subject, err, sizeof(err));

    if (status == SIM_OK && subject->kind != SUBJECT_KERNEL)
      usage_error("compare", "--subject=%s: a tree is needed, kernel:DIR", arguments->subject);
    if (status != SIM_OK) {
      complain("%s", err);
      command_exit((int)status);
    }
    kernel_subject_set(subject->kernel);
    pair->linux_version = kernel_random_version();
    kernel_subject_set(NULL);
    if (!pair->linux_version && arguments->family == &compare_crng) {
      complain("%s has no drivers/char/random.c", subject->name);
      command_exit(SIM_MISSING_FILE);
    }
    if (!pair->linux_version) pair->linux_version = version_of(subject->version);
    pair->side[1] = (struct compare_side){.name = "kernel", .kernel = subject->kernel};
  } else if (arguments->bug) {
    pair->side[1] = (struct compare_side){.name = "bug", .bug = bug_of(arguments)};
  } else {
    usage_error("compare", "--subject=kernel:DIR is missing, or --bug=ID");
  }
}

static void tell_command(const struct arguments *arguments, u64 seed, const char *only,
                         struct text *text) {
  text_addf(text, "%s compare %s", command_invocation, arguments->family->name);
  text_add(text, arguments->subject ? " --subject=" : " --bug=");
  text_add_quoted(text, arguments->subject ? arguments->subject : arguments->bug);
  text_addf(text, " --seeds=%" PRIu64, seed);
  if (only) text_addf(text, " --only=%s", only);
}

// ---- What is told ----

static void tell_line(const char *word, const struct arguments *arguments,
                      const struct subject *subject, const char *fields) {
  printf("%s compare=%s seeds=%" PRIu64 "..%" PRIu64 " %s commit=%s subject=%s\n", word,
         arguments->family->name, arguments->first, arguments->last, fields, subject_commit(),
         subject->sha256);
}

static void tell_counts(const struct compare_search *search) {
  const struct compare_family *family = search->pair->family;
  char lists[TEXT_COUNT_LEN + 8], events[TEXT_COUNT_LEN + 8];

  printf("  %-32s %12s\n", "event", "ran");
  for (u32 i = 0; i < family->num_kinds; i++)
    printf("  %-32s %12s\n", family->kinds[i].name, text_grouped(search->ran[i], lists));
  printf("%s lists, %s events", text_grouped(search->lists, lists),
         text_grouped(search->events, events));
  if (search->cut)
    printf("; %s lists end where a busy loop begins", text_grouped(search->cut, lists));
  printf("%s\n", search->interrupted ? "; interrupted" : "");
}

static int status_of(const struct compare_found *one) {
  return one->known ? SIM_OK : one->crashed ? SIM_CRASH : SIM_SAFETY;
}

static int tell_text(const struct arguments *arguments, const struct compare_search *search) {
  u32 num_new = 0, num_known = 0;
  int status = 0;
  char fields[96];

  tell_counts(search);
  for (u32 i = 0; i < search->num_found; i++) {
    const struct compare_found *one = &search->found[i];
    struct text text = {0};

    num_new += !one->known;
    num_known += one->known != NULL;
    status = status_join(status, status_of(one));
    printf("%s %s, first of %" PRIu64 " lists\n", one->known ? "known:" : "differs:", one->key,
           one->lists);
    if (one->known) {
      printf("  %s\n", one->known->reason);
      continue;
    }
    if (one->told) fputs(one->told, stdout);
    tell_command(arguments, one->seed, one->only, &text);
    printf("  repeat: %s\n", text_str(&text));
    text_free(&text);
  }
  if (search->more) printf("there are more kinds of differences than %d\n", COMPARE_KEYS_MAX);
  snprintf(fields, sizeof(fields), "lists=%" PRIu64 " differences=%u known=%u", search->lists,
           num_new, num_known);
  tell_line(num_new ? "FAIL" : "OK", arguments, search->subject, fields);
  return status;
}

static int tell_json(const struct arguments *arguments, const struct compare_search *search) {
  const struct compare_family *family = search->pair->family;
  cJSON *object = cJSON_CreateObject(), *ran, *differences;
  int status = 0;

  json_text(object, "compare", family->name);
  json_text(object, "commit", subject_commit());
  json_text(object, "subject", search->subject->sha256);
  json_u64(object, "lists", search->lists);
  json_u64(object, "cut", search->cut);
  ran = cJSON_AddObjectToObject(object, "events");
  for (u32 i = 0; i < family->num_kinds; i++) json_u64(ran, family->kinds[i].name, search->ran[i]);
  differences = cJSON_AddArrayToObject(object, "differences");
  for (u32 i = 0; i < search->num_found; i++) {
    const struct compare_found *one = &search->found[i];
    cJSON *difference = cJSON_CreateObject();
    struct text text = {0};

    status = status_join(status, status_of(one));
    json_text(difference, "key", one->key);
    json_u64(difference, "lists", one->lists);
    json_hex(difference, "seed", one->seed);
    cJSON_AddBoolToObject(difference, "known", one->known != NULL);
    tell_command(arguments, one->seed, one->only, &text);
    json_text(difference, "repeat", text_str(&text));
    cJSON_AddItemToArray(differences, difference);
    text_free(&text);
  }
  json_print(object);
  return status;
}

// ---- The command ----

// One list, whole or not, as it is: nothing is shrunk.
static int run_one(const struct arguments *arguments, const struct subject *subject,
                   struct compare_pair *pair) {
  struct compare_outcome outcome;
  struct compare_list list;
  struct text text = {0};
  char key[COMPARE_KEY_LEN], fields[COMPARE_KEY_LEN + 16];
  const char *why = NULL;

  compare_open(pair);
  compare_make(pair, arguments->first, &list);
  if (arguments->only && !compare_only(&list, arguments->only, &why))
    usage_error("compare", "--only=%s: %s", arguments->only, why);
  compare_run(pair, &list, &outcome);
  compare_key(pair, &list, &outcome, key);
  if (arguments->show) compare_tell_all(pair, &list, &text);
  if (*key || !arguments->show) compare_tell(pair, &list, &outcome, &text);
  fputs(text_str(&text), stdout);
  text_free(&text);
  compare_close(pair);
  snprintf(fields, sizeof(fields), "%s%s", *key ? "key=" : "differences=0", key);
  tell_line(*key ? "FAIL" : "OK", arguments, subject, fields);
  return *key ? SIM_SAFETY : 0;
}

int cmd_compare(int argc, char **argv) {
  struct arguments arguments = {.first = 1, .last = 10000};
  struct compare_search search = {0};
  static struct compare_pair pair;
  struct known_list known = {0};
  struct subject subject;
  char err[400];
  int status;

  options_parse("compare", &compare_argp, argc, argv, &arguments);
  if (arguments.subject && arguments.bug)
    usage_error("compare", "a bug is planted in the model, not in a kernel tree");
  make_pair(&arguments, &subject, &pair);
  if ((arguments.only || arguments.show) && arguments.first != arguments.last)
    usage_error("compare", "--only and --show are of one seed: --seeds=N");
  if (arguments.only || arguments.show) return run_one(&arguments, &subject, &pair);
  status = known_read(&known, arguments.known, err, sizeof(err));
  if (status) {
    complain("%s", err);
    return status;
  }
  interrupt_catch();
  search.pair = &pair;
  search.seed_first = arguments.first;
  search.seed_last = arguments.last;
  search.subject = &subject;
  search.known = &known;
  status = compare_search_run(&search);
  if (!status)
    status = arguments.json ? tell_json(&arguments, &search) : tell_text(&arguments, &search);
  if (!status && search.interrupted) status = 128 + interrupt_signal();
  compare_search_free(&search);
  known_free(&known);
  return status;
}
