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
enum { MERGED = 0, SUBJECTS_MAX = SIM_ARRAY_SIZE(builtin) + TABLE_VDSO_SUBJECTS_MAX };

static const struct {
  const char *cpu;
  double vdso, libc, syscall;  // seconds
  // The highest clock of its data sheet (MPC885EC, MPC8323EEC): the mail does not tell its own.
  double mhz;
} published[] = {
    {"885", 7.897495392, 56.091632232, 55.704851989, 133},
    {"8321", 2.017183250, 13.088533630, 12.952458068, 333},
};
enum { FITTED = 0, PREDICTED = 1 };
#define CALLS 2500000.0

struct column {
  const char *name;
  enum guest_arch arch;
  const struct vdso_image *image;
  struct vdso_survey survey;
};

static struct column column[SUBJECTS_MAX];
static u32 num_columns;
// The column that stands beside what was published: real code of 32 bits, or MERGED.
static u32 chief;
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
static double hit_32(const struct column *c) { return (double)c->survey.costs.hit_32; }
static double refill_32(const struct column *c) { return (double)c->survey.costs.refill_32; }
static double amortised_32(const struct column *c) {
  return (refill_32(c) + (VDSO_BATCH_CALLS_32 - 1) * hit_32(c)) / VDSO_BATCH_CALLS_32;
}
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
    {"32 bytes: batch hit", hit_32},
    {"32 bytes: refill, 1 call of 3", refill_32},
    {"32 bytes: amortised", amortised_32},
    {"block of ChaCha20", block},
    {"system call, as stated", system_call},
};

// ---- Cycles ----

// Cycles of an instruction that the FITTED processor would have taken `seconds` with.
static double cycles(double seconds, double insns) {
  return seconds * published[FITTED].mhz * 1e6 / (CALLS * insns);
}

// What of the PREDICTED processor follows, if its instructions take as many cycles. What clock and
// count were does not matter to their ratio: it is that of the FITTED one.
static const struct prediction {
  const char *name, *unit;
  double published, predicted;
} * predictions(u32 *num) {
  static struct prediction list[3];
  const double clock = published[FITTED].mhz / published[PREDICTED].mhz;

  list[0] =
      (struct prediction){"vDSO", "s", published[PREDICTED].vdso, published[FITTED].vdso * clock};
  list[1] = (struct prediction){"system call", "s", published[PREDICTED].syscall,
                                published[FITTED].syscall * clock};
  list[2] = (struct prediction){"system call / vDSO", "times",
                                published[PREDICTED].syscall / published[PREDICTED].vdso,
                                published[FITTED].syscall / published[FITTED].vdso};
  *num = SIM_ARRAY_SIZE(list);
  return list;
}

// Instructions of a system call, entry, exit and copying alone, with which the FITTED processor's
// ratio would be what it is, where instructions of both ways take the same time.
static double fitted_overhead(const struct column *c) {
  return published[FITTED].syscall / published[FITTED].vdso * amortised(c) - block(c);
}

// ---- Columns ----

// Built-in subject `index`, or the image.
static bool add(u32 index, const char *name, const struct vdso_image *image) {
  const struct vdso_setting setting = {.arch = builtin[index].arch,
                                       .variant = builtin[index].variant};
  struct column *c = &column[num_columns];
  struct vdso_machine *m;
  char err[160];

  vdso_subject_set(image);
  m = vdso_machine_new(&setting, err, sizeof(err));
  if (!m || !vdso_survey(m, &c->survey, err, sizeof(err))) {
    complain("%s: %s", image ? name : builtin[index].name, err);
    return false;
  }
  c->image = m->image;
  c->arch = m->setting.arch;
  c->name = image ? name : builtin[index].name;
  if (image && c->arch == GUEST_PPC32 && chief == MERGED) chief = num_columns;
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

static double error_of(double simulated, double pub) { return (simulated / pub - 1) * 100; }

static void print_cycles(void) {
  const struct column *c = &column[chief];
  const struct prediction *list;
  double overhead = (double)syscall_insns;
  u32 num;

  printf("\ncycles, by the instructions of %s and the highest clocks of the data sheets\n\n",
         c->name);
  printf("  %-44s %10.2f\n", "885, 133 MHz: of an instruction in the vDSO",
         cycles(published[FITTED].vdso, amortised(c)));
  printf("  %-44s %10.2f\n", "  in a system call, of its stated number",
         cycles(published[FITTED].syscall, by_syscall(c, overhead)));
  printf("  %-44s %10.1f\n", "  its number, if they were the same", fitted_overhead(c) + block(c));
  printf("  %-44s %10s %10s %10s\n", "8321, 333 MHz, with the same cycles", "published",
         "predicted", "error");
  list = predictions(&num);
  for (u32 i = 0; i < num; i++)
    printf("    %-42s %10.3f %10.3f %+9.1f%%\n", list[i].name, list[i].published, list[i].predicted,
           error_of(list[i].predicted, list[i].published));
  printf("  %-44s %10s %10s %10s\n", "system call / vDSO, by counts alone", "published",
         "simulated", "error");
  for (u32 i = 0; i < SIM_ARRAY_SIZE(published); i++) {
    double pub = published[i].syscall / published[i].vdso;

    printf("    %-42s %10.2f %10.2f %+9.1f%%\n", published[i].cpu, pub, ratio(c, overhead),
           error_of(ratio(c, overhead), pub));
  }
}

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
  print_cycles();
  // What was asked for comes first.
  for (u32 k = SIM_ARRAY_SIZE(builtin); k < num_columns; k++) print_registers(&column[k]);
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

static void add_cycles(cJSON *array) {
  const struct column *c = &column[chief];
  const struct prediction *list;
  double overhead = (double)syscall_insns, value;
  char name[96];
  u32 num;

  value = cycles(published[FITTED].vdso, amortised(c));
  fill(row(array, "885: an instruction in the vDSO", "cycles"), 0, value, value, value);
  value = cycles(published[FITTED].syscall, by_syscall(c, overhead));
  fill(row(array, "885: an instruction in a system call", "cycles"), 0, value,
       cycles(published[FITTED].syscall, by_syscall(c, overhead * 2)),
       cycles(published[FITTED].syscall, by_syscall(c, overhead / 2)));
  value = fitted_overhead(c) + block(c);
  fill(row(array, "885: a system call, if both took the same", "instructions"), 0, value, value,
       value);
  list = predictions(&num);
  for (u32 i = 0; i < num; i++) {
    snprintf(name, sizeof(name), "8321, with the 885's cycles: %s", list[i].name);
    value = list[i].predicted;
    fill(row(array, name, list[i].unit), list[i].published, value, value, value);
  }
}

static void print_json(void) {
  cJSON *object = cJSON_CreateObject(), *array = cJSON_AddArrayToObject(object, "rows");
  double overhead = (double)syscall_insns;
  char name[96];

  for (u32 i = 0; i < SIM_ARRAY_SIZE(published); i++) {
    const struct column *c = &column[chief];
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
  add_cycles(array);
  json_u64(object, "syscall_insns", syscall_insns);
  add_registers(object);
  json_print(object);
}

int table_vdso(const struct table_vdso_subject *subjects, u32 num, u64 insns, bool json) {
  bool well = true;

  SIM_ASSERT(num <= TABLE_VDSO_SUBJECTS_MAX);
  syscall_insns = insns;
  num_columns = 0;
  chief = MERGED;
  for (u32 i = 0; i < SIM_ARRAY_SIZE(builtin); i++)
    if (!add(i, NULL, NULL)) return SIM_OURS;
  for (u32 i = 0; i < num; i++)
    if (!add(MERGED, subjects[i].name, subjects[i].image)) return SIM_MALFORMED;
  for (u32 k = 0; k < num_columns; k++)
    well &= column[k].survey.stable && column[k].survey.restored && column[k].survey.zone_kept;
  if (json)
    print_json();
  else
    print_text();
  return well ? SIM_OK : SIM_SAFETY;
}
