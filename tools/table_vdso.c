// SPDX-License-Identifier: GPL-2.0-or-later
//
// seedbed table vdso: getrandom for 4 bytes, 2,500,000 times, by the vDSO and by the system
// call, as published and as simulated.
//
// Published are the figures of "Wire up getrandom() vDSO implementation on powerpc" (16 Aug
// 2024): vdso_test_getrandom bench-single on an MPC885 and an MPC8321.
//
// Simulated are instructions. What a block costs and what a call costs in the vDSO is counted;
// what the kernel does in a system call is stated, the same for all rows: the block that it
// computes for up to 32 bytes, and TABLE_SYSCALL_INSNS for entry, exit and copying. The ratio of
// both ways follows, an instruction taken to last as long in one as in the other; minimum and
// maximum are for half and twice the stated number. Seconds depend on a board's clock and
// memory, of which the mail says nothing: they are not simulated.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "models/vdso/image_subject.h"
#include "models/vdso/vdso_survey.h"
#include "tools/command.h"
#include "tools/output.h"
#include "tools/table.h"
#include "tools/text.h"

// The built-in subjects that are listed; MERGED is what stands beside the published figures.
static const struct {
  const char *name, *variant;
  enum guest_arch arch;
} builtin[] = {
    {"as merged", "state_trusted", GUEST_PPC32},
    {"ppc32", "clean", GUEST_PPC32},
    {"ppc64", "clean", GUEST_PPC64},
    {"ppc64le", "clean", GUEST_PPC64LE},
};
enum { MERGED = 0, SUBJECTS_MAX = SIM_ARRAY_SIZE(builtin) + 1 };

static const struct {
  const char *cpu;
  double vdso, libc, syscall;  // seconds
} published[] = {
    {"885", 7.897495392, 56.091632232, 55.704851989},
    {"8321", 2.017183250, 13.088533630, 12.952458068},
};

struct column {
  const char *name;
  enum guest_arch arch;
  const struct vdso_image *image;
  struct vdso_survey survey;
};

static struct column column[SUBJECTS_MAX];
static u32 num_columns;
static u64 syscall_insns;

// ---- Figures ----

static double amortised(const struct column *c) {
  return (double)vdso_costs_batch(&c->survey.costs) / VDSO_BATCH_CALLS;
}

// Instructions of a system call of 4 bytes.
static double by_syscall(const struct column *c, double overhead) {
  return (double)c->survey.costs.block + overhead;
}

static double ratio(const struct column *c, double overhead) {
  return by_syscall(c, overhead) / amortised(c);
}

static double hit(const struct column *c) { return (double)c->survey.costs.hit; }
static double refill(const struct column *c) { return (double)c->survey.costs.refill; }
static double first(const struct column *c) { return (double)c->survey.costs.first; }
static double fallback(const struct column *c) { return (double)c->survey.costs.fallback; }
static double block(const struct column *c) { return (double)c->survey.costs.block; }
static double system_call(const struct column *c) { return by_syscall(c, (double)syscall_insns); }

static const struct {
  const char *name;
  double (*value)(const struct column *c);
} figures[] = {
    {"batch hit", hit},
    {"refill, 1 call of 24", refill},
    {"amortised", amortised},
    {"first call, its key's system call apart", first},
    {"call that falls back, its system call apart", fallback},
    {"block of ChaCha20", block},
    {"system call, as stated", system_call},
};

// ---- Columns ----

// Built-in subject `index`, or the image.
static bool add(u32 index, const struct vdso_image *image) {
  const struct vdso_setting setting = {.arch = builtin[index].arch,
                                       .variant = builtin[index].variant};
  struct column *c = &column[num_columns];
  struct vdso_machine *m;
  char err[160];

  vdso_subject_set(image);
  m = vdso_machine_new(&setting, err, sizeof(err));
  if (!m || !vdso_survey(m, &c->survey, err, sizeof(err))) {
    complain("%s: %s", image ? "the image" : builtin[index].name, err);
    return false;
  }
  c->image = m->image;
  c->arch = m->setting.arch;
  c->name = image ? "image" : builtin[index].name;
  num_columns++;
  return true;
}

// ---- Registers ----

static void ranges(struct text *text, const char *kind, u32 mask) {
  for (u32 n = 0; n < 32; n++) {
    u32 last = n;

    if (!(mask >> n & 1)) continue;
    while (last < 31 && mask >> (last + 1) & 1) last++;
    text_addf(text, "%s%s%" PRIu32, text->len ? " " : "", kind, n);
    if (last > n) text_addf(text, "-%s%" PRIu32, kind, last);
    n = last;
  }
}

// "r14-r31 CR2", "x19-x29 d8"
static void registers(struct text *text, const struct column *c,
                      const struct vdso_survey_line *line) {
  const struct vdso_abi *abi = vdso_abi(c->arch);

  ranges(text, (const char[]){abi->gpr, '\0'}, line->gpr);
  ranges(text, "CR", line->cr);
  ranges(text, (const char[]){abi->fpr, '\0'}, line->fpr);
  ranges(text, "v", line->vr);
}

// "symbol+0x24" of an offset in the image.
static void where(const struct vdso_image *image, u64 offset, char *out, size_t len) {
  const struct vdso_symbol *best = NULL;
  u64 addr = image->vaddr + offset;

  for (u32 i = 0; i < image->num_symbols; i++) {
    const struct vdso_symbol *symbol = &image->symbols[i];

    if (!symbol->is_function || symbol->value > addr || addr - symbol->value >= symbol->len)
      continue;
    if (!best || symbol->value > best->value) best = symbol;
  }
  if (best)
    snprintf(out, len, "%.60s+0x%" PRIx64, best->name, addr - best->value);
  else
    snprintf(out, len, "0x%" PRIx64, addr);
}

static const char *key_order(const struct vdso_survey *survey) {
  if (survey->key_words && survey->key_bytes) return "words or bytes, which are the same here";
  if (survey->key_words) return "words of the machine, as merged";
  return survey->key_bytes ? "bytes" : "unknown: what is returned is no keystream";
}

static void print_registers(const struct column *c) {
  const struct vdso_survey *survey = &c->survey;

  printf("\n%s: registers that differ from what the caller left in them, before an instruction\n",
         c->name);
  printf("  %" PRIu64 " boundaries at %" PRIu64
         " addresses; stable between keys: %s; all equal again at return: %s;\n"
         "  nothing live below %s%s: %s%s%s\n  a key is %s\n",
         survey->boundaries, survey->addresses, survey->stable ? "yes" : "no",
         survey->restored ? "yes" : "no", vdso_abi(c->arch)->sp,
         guest_red_zone(c->arch) ? " and 288 bytes" : "", survey->zone_kept ? "yes" : "no",
         survey->where[0] ? "; " : "", survey->where, key_order(survey));
  for (u32 i = 0; i < survey->num_lines; i++) {
    const struct vdso_survey_line *line = &survey->line[i];
    struct text text = {0};
    char from[80];

    where(c->image, line->from, from, sizeof(from));
    registers(&text, c, line);
    printf("  0x%04" PRIx64 " to 0x%04" PRIx64 "  %-44s %s\n", c->image->vaddr + line->from,
           c->image->vaddr + line->to, from, text_str(&text));
    text_free(&text);
  }
}

static void add_registers(cJSON *object) {
  cJSON *array = cJSON_AddArrayToObject(object, "registers");

  for (u32 k = 0; k < num_columns; k++) {
    const struct vdso_survey *survey = &column[k].survey;
    cJSON *entry = cJSON_CreateObject(), *lines;

    cJSON_AddStringToObject(entry, "subject", column[k].name);
    cJSON_AddStringToObject(entry, "sha256", column[k].image->sha256);
    json_u64(entry, "boundaries", survey->boundaries);
    cJSON_AddBoolToObject(entry, "stable", survey->stable);
    cJSON_AddBoolToObject(entry, "restored", survey->restored);
    cJSON_AddBoolToObject(entry, "red_zone_kept", survey->zone_kept);
    cJSON_AddBoolToObject(entry, "key_words", survey->key_words);
    cJSON_AddBoolToObject(entry, "key_bytes", survey->key_bytes);
    lines = cJSON_AddArrayToObject(entry, "differ");
    for (u32 i = 0; i < survey->num_lines; i++) {
      cJSON *line = cJSON_CreateObject();
      struct text text = {0};
      char from[80];

      where(column[k].image, survey->line[i].from, from, sizeof(from));
      registers(&text, &column[k], &survey->line[i]);
      json_hex(line, "from", column[k].image->vaddr + survey->line[i].from);
      json_hex(line, "to", column[k].image->vaddr + survey->line[i].to);
      cJSON_AddStringToObject(line, "where", from);
      cJSON_AddStringToObject(line, "registers", text_str(&text));
      cJSON_AddItemToArray(lines, line);
      text_free(&text);
    }
    cJSON_AddItemToArray(array, entry);
  }
}

// ---- Printing ----

static void print_text(void) {
  double overhead = (double)syscall_insns;

  printf(
      "getrandom, 2500000 calls of 4 bytes: seconds, as published\n\n  %-44s %10s %10s %10s %s\n",
      "processor", "vDSO", "libc", "system call", "system call / vDSO");
  for (u32 i = 0; i < SIM_ARRAY_SIZE(published); i++)
    printf("  %-44s %10.3f %10.3f %10.3f  %.2f\n", published[i].cpu, published[i].vdso,
           published[i].libc, published[i].syscall, published[i].syscall / published[i].vdso);
  printf("\ninstructions of a call of 4 bytes, simulated\n\n  %-44s", "");
  for (u32 k = 0; k < num_columns; k++) printf(" %10s", column[k].name);
  putchar('\n');
  for (u32 i = 0; i < SIM_ARRAY_SIZE(figures); i++) {
    printf("  %-44s", figures[i].name);
    for (u32 k = 0; k < num_columns; k++) printf(" %10.1f", figures[i].value(&column[k]));
    putchar('\n');
  }
  printf("  %-44s", "system call / vDSO");
  for (u32 k = 0; k < num_columns; k++) printf(" %10.2f", ratio(&column[k], overhead));
  printf("\n  %-44s", "  if entry, exit and copying cost half");
  for (u32 k = 0; k < num_columns; k++) printf(" %10.2f", ratio(&column[k], overhead / 2));
  printf("\n  %-44s", "  if they cost twice as much");
  for (u32 k = 0; k < num_columns; k++) printf(" %10.2f", ratio(&column[k], overhead * 2));
  printf(
      "\n\nA system call is taken to cost a block of ChaCha20 and %" PRIu64
      " instructions for entry, exit and\ncopying (--syscall-insns), and an instruction to last as "
      "long in the kernel as in the vDSO. Both\nprocessors are of 32 bits. \"as merged\" is ppc32 "
      "with the algorithm that Linux has; the other "
      "built-in\nsubjects check the state that they take bytes from (suspect state_trusted).\n",
      syscall_insns);
  // The one that was asked for comes first.
  if (num_columns > SIM_ARRAY_SIZE(builtin)) print_registers(&column[num_columns - 1]);
  for (u32 k = 0; k < SIM_ARRAY_SIZE(builtin); k++) print_registers(&column[k]);
}

static cJSON *row(cJSON *array, const char *name, const char *unit) {
  cJSON *item = cJSON_CreateObject();

  cJSON_AddStringToObject(item, "row", name);
  cJSON_AddStringToObject(item, "unit", unit);
  cJSON_AddItemToArray(array, item);
  return item;
}

// What is not known is null.
static void known(cJSON *item, const char *key, bool is_known, double value) {
  if (is_known)
    cJSON_AddNumberToObject(item, key, value);
  else
    cJSON_AddNullToObject(item, key);
}

static void fill(cJSON *item, double pub, double simulated, double min, double max) {
  known(item, "published", pub > 0, pub);
  known(item, "simulated", simulated > 0, simulated);
  known(item, "min", simulated > 0, min);
  known(item, "max", simulated > 0, max);
  known(item, "ratio", pub > 0 && simulated > 0, pub > 0 ? simulated / pub : 0);
}

static void print_json(void) {
  cJSON *object = cJSON_CreateObject(), *array = cJSON_AddArrayToObject(object, "rows");
  double overhead = (double)syscall_insns;
  char name[96];

  for (u32 i = 0; i < SIM_ARRAY_SIZE(published); i++) {
    const struct column *c = &column[MERGED];
    double simulated = ratio(c, overhead), min = ratio(c, overhead / 2),
           max = ratio(c, overhead * 2);

    snprintf(name, sizeof(name), "%s: vDSO", published[i].cpu);
    fill(row(array, name, "s"), published[i].vdso, 0, 0, 0);
    snprintf(name, sizeof(name), "%s: libc", published[i].cpu);
    fill(row(array, name, "s"), published[i].libc, 0, 0, 0);
    snprintf(name, sizeof(name), "%s: system call", published[i].cpu);
    fill(row(array, name, "s"), published[i].syscall, 0, 0, 0);
    snprintf(name, sizeof(name), "%s: system call / vDSO", published[i].cpu);
    fill(row(array, name, "times"), published[i].syscall / published[i].vdso, simulated, min, max);
  }
  for (u32 k = 0; k < num_columns; k++) {
    const struct column *c = &column[k];

    for (u32 i = 0; i < SIM_ARRAY_SIZE(figures); i++) {
      double value = figures[i].value(c), min = value, max = value;

      if (figures[i].value == amortised) {
        min = hit(c);
        max = refill(c);
      } else if (figures[i].value == system_call) {
        min = by_syscall(c, overhead / 2);
        max = by_syscall(c, overhead * 2);
      }
      snprintf(name, sizeof(name), "%s: %s", c->name, figures[i].name);
      fill(row(array, name, "instructions"), 0, value, min, max);
    }
    snprintf(name, sizeof(name), "%s: system call / vDSO", c->name);
    fill(row(array, name, "times"), 0, ratio(c, overhead), ratio(c, overhead / 2),
         ratio(c, overhead * 2));
  }
  json_u64(object, "syscall_insns", syscall_insns);
  add_registers(object);
  json_print(object);
}

int table_vdso(const struct subject *subject, u64 insns, bool json) {
  bool well = true;

  syscall_insns = insns;
  num_columns = 0;
  for (u32 i = 0; i < SIM_ARRAY_SIZE(builtin); i++)
    if (!add(i, NULL)) return SIM_OURS;
  if (subject && !add(MERGED, subject->image)) return SIM_MALFORMED;
  for (u32 k = 0; k < num_columns; k++)
    well &= column[k].survey.stable && column[k].survey.restored && column[k].survey.zone_kept;
  if (json)
    print_json();
  else
    print_text();
  return well ? SIM_OK : SIM_SAFETY;
}
