// SPDX-License-Identifier: GPL-2.0-or-later
//
// seedbed table: published figures beside simulated ones. The tables are files of their own.
#include <stdlib.h>
#include <string.h>

#include "models/vdso/image.h"
#include "tools/command.h"
#include "tools/kernel_guest.h"
#include "tools/options.h"
#include "tools/output.h"
#include "tools/registry.h"
#include "tools/table.h"
#include "tools/text.h"

enum { KEY_JSON = 0x600, KEY_SUBJECT, KEY_SYSCALL_INSNS, KEY_SECTION_CYCLES };

static const char names[] = "archrandom, bcm2835, blake2s, vdso";

struct arguments {
  const char *table, *subject;
  u64 syscall_insns, section_cycles;
  bool json, of_vdso, of_blake2s;  // an option of the table vdso, or blake2s, was given
};

static const struct argp_option option_list[] = {
    {"json", KEY_JSON, NULL, 0, "Print one JSON object in place of text", 0},
    {"subject", KEY_SUBJECT, "image:FILE", 0,
     "vdso: a vDSO, or a kernel file that holds one, beside the built-in subjects; or kernel:DIR, "
     "a kernel tree, with a column for each architecture that is compiled of it",
     0},
    {"syscall-insns", KEY_SYSCALL_INSNS, "N", 0,
     "vdso: instructions of a system call besides its block of ChaCha20 (default 600)", 0},
    {"section-cycles", KEY_SECTION_CYCLES, "N", 0,
     "blake2s: cycles of a section's begin and end, with saving and loading registers (default "
     "346)",
     0},
    {0},
};

static u64 number(const char *option, const char *arg, const char *unit) {
  const char *why = NULL;
  u64 value;

  if (!text_parse_u64(arg, &value, &why)) usage_error("table", "%s=%s: %s", option, arg, why);
  if (value < 1 || value > 1000000)
    usage_error("table", "%s=%s: 1 to 1000000 %s", option, arg, unit);
  return value;
}

static error_t parse(int key, char *arg, struct argp_state *state) {
  struct arguments *arguments = state->input;

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
      arguments->syscall_insns = number("--syscall-insns", arg, "instructions");
      arguments->of_vdso = true;
      return 0;
    case KEY_SECTION_CYCLES:
      arguments->section_cycles = number("--section-cycles", arg, "cycles");
      arguments->of_blake2s = true;
      return 0;
    case ARGP_KEY_ARG:
      if (arguments->table) usage_error("table", "'%s': one table at a time", arg);
      if (strcmp(arg, "archrandom") && strcmp(arg, "bcm2835") && strcmp(arg, "blake2s") &&
          strcmp(arg, "vdso"))
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
    .args_doc = "archrandom|bcm2835|blake2s|vdso",
    .doc =
        "Print published figures beside simulated or measured ones. archrandom: reads of an ID "
        "register that a hypervisor traps while an arm64 guest boots, by design of archrandom.h "
        "and configuration of the kernel, and what they are of a boot's time. bcm2835: the "
        "throughput of "
        "each way in "
        "which its driver has waited for a word, in bytes a second, on one set of physical "
        "parameters. The mean is without the fill thread; minimum and maximum (in JSON: over "
        "all columns) are over the phase at which a reader meets the tick. blake2s: what a "
        "compression costs on this machine with and without vector registers, when a section of "
        "the kernel with them pays, and the simulated share of calls that may have one, by "
        "context and design. vdso: 2,500,000 "
        "calls of getrandom for 4 bytes on two PowerPC processors, by the vDSO and by the system "
        "call, beside instructions of the simulated calls and the ratio that follows from them; "
        "and where non-volatile registers differ from what the caller left in them; with "
        "--subject=image:FILE of a vDSO of PowerPC or arm64 too, and with kernel:DIR of what is "
        "compiled of a tree.\v"
        "Examples:\n"
        "  seedbed table archrandom\n"
        "  seedbed table bcm2835\n"
        "  seedbed table blake2s --section-cycles=200\n"
        "  seedbed table vdso --json\n"
        "  seedbed table vdso --subject=image:vmlinuz-7.2.13+deb14-powerpc64le",
};

// The table of the vDSO with the subject that was asked for.
static int with_subject(const struct arguments *arguments, const struct sim_scenario *scenario,
                        const struct subject *subject) {
  static const char *const archs[][3] = {
      {"ppc32", "own", "ppc32.k"},     {"ppc32", "compat", "compat.k"}, {"ppc64", "own", "ppc64.k"},
      {"ppc64le", "own", "ppc64le.k"}, {"arm64", "own", "arm64.k"},
  };
  // What the columns speak of lives as long as the process.
  static struct vdso_images images[SIM_ARRAY_SIZE(archs)];
  struct table_vdso_subject subjects[TABLE_VDSO_SUBJECTS_MAX];
  char err[400], path[4096];

  _Static_assert(SIM_ARRAY_SIZE(archs) == TABLE_VDSO_SUBJECTS_MAX, "each is a column");
  if (subject->kind == SUBJECT_MODEL)
    return table_vdso(NULL, 0, arguments->syscall_insns, arguments->json);
  if (subject->kind == SUBJECT_IMAGE) {
    subjects[0] = (struct table_vdso_subject){"image", subject->image};
    return table_vdso(subjects, 1, arguments->syscall_insns, arguments->json);
  }
  for (u32 i = 0; i < SIM_ARRAY_SIZE(archs); i++) {
    struct sim_params *params = sim_params_new(scenario);
    enum sim_status status = SIM_OURS;

    if (sim_params_set(params, "arch", archs[i][0], err, sizeof(err)) &&
        sim_params_set(params, "vdso32", archs[i][1], err, sizeof(err)))
      status = kernel_vdso(subject->name + strlen("kernel:"), params, path, sizeof(path), err,
                           sizeof(err));
    sim_params_free(params);
    if (!status) status = vdso_images_load(path, &images[i], err, sizeof(err));
    if (!status && !kernel_guest_is_whole(&images[i].image[0], err, sizeof(err)))
      status = SIM_MALFORMED;
    if (status) {
      complain("%s: %s", subject->name, err);
      return (int)status;
    }
    subjects[i] = (struct table_vdso_subject){archs[i][2], &images[i].image[0]};
  }
  return table_vdso(subjects, SIM_ARRAY_SIZE(archs), arguments->syscall_insns, arguments->json);
}

int cmd_table(int argc, char **argv) {
  struct arguments arguments = {.syscall_insns = TABLE_SYSCALL_INSNS,
                                .section_cycles = TABLE_SECTION_CYCLES};
  static struct subject subject;
  const struct sim_scenario *scenario;
  enum sim_status status;
  char err[400];

  options_parse("table", &table_argp, argc, argv, &arguments);
  if (arguments.of_vdso && strcmp(arguments.table, "vdso"))
    usage_error("table", "--subject and --syscall-insns are options of the table vdso");
  if (arguments.of_blake2s && strcmp(arguments.table, "blake2s"))
    usage_error("table", "--section-cycles is an option of the table blake2s");
  if (!strcmp(arguments.table, "archrandom")) return table_archrandom(arguments.json);
  if (!strcmp(arguments.table, "bcm2835")) return table_bcm2835(arguments.json);
  if (!strcmp(arguments.table, "blake2s"))
    return table_blake2s(arguments.section_cycles, arguments.json);
  if (!arguments.subject) return table_vdso(NULL, 0, arguments.syscall_insns, arguments.json);
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
  return with_subject(&arguments, scenario, &subject);
}
