// SPDX-License-Identifier: GPL-2.0-or-later
//
// seedbed table: published figures beside simulated ones. The tables are files of their own.
#include <stdlib.h>
#include <string.h>

#include "tools/command.h"
#include "tools/options.h"
#include "tools/output.h"
#include "tools/registry.h"
#include "tools/table.h"
#include "tools/text.h"

enum { KEY_JSON = 0x600, KEY_SUBJECT, KEY_SYSCALL_INSNS };

static const char names[] = "bcm2835, vdso";

struct arguments {
  const char *table, *subject;
  u64 syscall_insns;
  bool json, of_vdso;  // an option of the table vdso was given
};

static const struct argp_option option_list[] = {
    {"json", KEY_JSON, NULL, 0, "Print one JSON object in place of text", 0},
    {"subject", KEY_SUBJECT, "image:FILE", 0,
     "vdso: a vDSO, or a kernel file that holds one, beside the built-in subjects", 0},
    {"syscall-insns", KEY_SYSCALL_INSNS, "N", 0,
     "vdso: instructions of a system call besides its block of ChaCha20 (default 600)", 0},
    {0},
};

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
    case KEY_SUBJECT:
      arguments->subject = arg;
      arguments->of_vdso = true;
      return 0;
    case KEY_SYSCALL_INSNS:
      if (!text_parse_u64(arg, &arguments->syscall_insns, &why))
        usage_error("table", "--syscall-insns=%s: %s", arg, why);
      if (arguments->syscall_insns < 1 || arguments->syscall_insns > 1000000)
        usage_error("table", "--syscall-insns=%s: 1 to 1000000 instructions", arg);
      arguments->of_vdso = true;
      return 0;
    case ARGP_KEY_ARG:
      if (arguments->table) usage_error("table", "'%s': one table at a time", arg);
      if (strcmp(arg, "bcm2835") && strcmp(arg, "vdso"))
        usage_error("table", "there is no table '%s'; there are: %s", arg, names);
      arguments->table = arg;
      return 0;
    case ARGP_KEY_NO_ARGS:
      usage_error("table", "a table is missing; there are: %s", names);
    default:
      return ARGP_ERR_UNKNOWN;
  }
}

static const struct argp table_argp = {
    .options = option_list,
    .parser = parse,
    .args_doc = "bcm2835|vdso",
    .doc =
        "Print published figures beside simulated ones. bcm2835: the throughput of each way in "
        "which its driver has waited for a word, in bytes a second, on one set of physical "
        "parameters. The mean is without the fill thread; minimum and maximum (in JSON: over "
        "all columns) are over the phase at which a reader meets the tick. vdso: 2,500,000 "
        "calls of getrandom for 4 bytes on two PowerPC processors, by the vDSO and by the system "
        "call, beside instructions of the simulated calls and the ratio that follows from them; "
        "and where non-volatile registers differ from what the caller left in them.\v"
        "Examples:\n"
        "  seedbed table bcm2835\n"
        "  seedbed table vdso --json\n"
        "  seedbed table vdso --subject=image:vmlinuz-7.2.13+deb14-powerpc64le",
};

int cmd_table(int argc, char **argv) {
  struct arguments arguments = {.syscall_insns = TABLE_SYSCALL_INSNS};
  static struct subject subject;
  const struct sim_scenario *scenario;
  enum sim_status status;
  char err[400];

  options_parse("table", &table_argp, argc, argv, &arguments);
  if (!strcmp(arguments.table, "bcm2835")) {
    if (arguments.of_vdso)
      usage_error("table", "--subject and --syscall-insns are options of the table vdso");
    return table_bcm2835(arguments.json);
  }
  if (!arguments.subject) return table_vdso(NULL, arguments.syscall_insns, arguments.json);
  scenario = registry_find("vdso-getrandom");
  if (!scenario) {
    complain("this build has no scenario vdso-getrandom");
    return SIM_OURS;
  }
  status = subject_parse(arguments.subject, scenario, &subject, err, sizeof(err));
  if (status != SIM_OK) {
    complain("%s", err);
    return (int)status;
  }
  return table_vdso(subject.image ? &subject : NULL, arguments.syscall_insns, arguments.json);
}
