// SPDX-License-Identifier: GPL-2.0-or-later
//
// See arm64_watch.h.
#include "models/arm64/arm64_watch.h"

#include "models/arm64/arm64_oracles.h"
#include "models/arm64/arm64_use.h"
#include "sim/checker.h"
#include "sim/cover.h"
#include "sim/trace.h"

static bool is_seed(const struct arm64_call *call) {
  return call->fn == ARM64_FN_RANDOM_SEED_LONGS || call->fn == ARM64_FN_RANDOM_SEED_LONGS_EARLY;
}

// The firmware's TRNG counts from version 1.0 on, by a conduit that SMCCC 1.1 allows.
static bool has_trng(const struct arm64_machine *m) {
  return m->hw.conduit != ARM64_CONDUIT_NONE && m->hw.smccc >= ARM64_SMCCC_1_1 &&
         m->hw.trng >= ARM64_TRNG_1_0;
}

static void judge_firmware(const struct arm64_call *call, u32 max) {
  u32 asked = max < 3 ? max : 3;
  bool expected = is_seed(call) && max && has_trng(call->m);

  if (call->trng_calls != expected)
    sim_report(&arm64_oracle_trng, expected ? "tries" : "none expected",
               "%s for %u words calls the TRNG %u times, and should %s", arm64_fn_names[call->fn],
               max, call->trng_calls, expected ? "once" : "not");
  if (call->trng_calls && call->asked_bits != 64 * asked)
    sim_report(&arm64_oracle_trng, "bits", "%s asks the TRNG for %u bits, and needs %u words",
               arm64_fn_names[call->fn], call->asked_bits, asked);
}

// What a call may find: capabilities may become final, and a CPU come, while it stands open; then
// it is as before or as after that.
struct view {
  enum arm64_phase phase;
  bool all_have;
};

static u32 views_of(const struct arm64_watch *watch, const struct arm64_call *call,
                    struct view out[3]) {
  const struct arm64_machine *m = call->m;
  bool early = call->phase == ARM64_PHASE_EARLY;
  // Of 6.1's functions those that are not random_init_early's own do as everybody's.
  bool common = early && watch->design == ARM64_EARLY_VARIANTS &&
                call->fn != ARM64_FN_RANDOM_LONGS_EARLY &&
                call->fn != ARM64_FN_RANDOM_SEED_LONGS_EARLY;
  enum arm64_phase before = common ? ARM64_PHASE_BOOT : call->phase;

  out[0] = (struct view){before, call->all_had};
  out[1] = (struct view){early ? before : m->phase, arm64_all_have(m, false)};
  out[2] = (struct view){early ? before : m->phase, arm64_all_have(m, true)};
  return 3;
}

// The register is read once, or not at all.
static void judge_use(struct arm64_watch *watch, const struct arm64_call *call, u32 max) {
  const struct arm64_machine *m = call->m;
  u32 reads = call->rndr_reads + call->rndrrs_reads;
  bool this_has = arm64_has_rndr(m, call->cpu), boot_has = arm64_has_rndr(m, watch->boot_cpu);
  bool wanted = max && !call->num_words;
  struct view views[3];

  if (reads > 1) {
    sim_report(&arm64_oracle_use, "tries", "%s reads RNDR %u times", arm64_fn_names[call->fn],
               reads);
    return;
  }
  // 6.1's early functions have RNDR for both.
  if (call->rndrrs_reads && call->fn != ARM64_FN_RANDOM_SEED_LONGS)
    sim_report(&arm64_oracle_use, "RNDRRS", "%s reads RNDRRS", arm64_fn_names[call->fn]);
  if (call->rndr_reads && call->fn == ARM64_FN_RANDOM_SEED_LONGS)
    sim_report(&arm64_oracle_use, "RNDR", "%s reads RNDR", arm64_fn_names[call->fn]);
  for (u32 i = 0; i < views_of(watch, call, views); i++) {
    const struct arm64_use *use = arm64_use_of(watch->design, views[i].phase, call->preemptible,
                                               this_has, boot_has, views[i].all_have);

    if (reads == (wanted && use->used)) return;
  }
  sim_report(&arm64_oracle_use, reads ? "used" : "not used",
             "%s, %s, design %s: RNDR is %s on CPU %u, which has %s (boot CPU: %s; all: %s; "
             "preemptible: %s)",
             arm64_fn_names[call->fn], arm64_phase_names[m->phase],
             arm64_design_names[watch->design], reads ? "read" : "not read", call->cpu,
             this_has ? "it" : "none", boot_has ? "yes" : "no", views[1].all_have ? "yes" : "no",
             call->preemptible ? "yes" : "no");
}

static void judge_reads(const struct arm64_watch *watch, const struct arm64_call *call, u32 max) {
  bool asks = max && !call->num_words;
  struct view views[3];
  u32 want = 0;

  if (call->queried_preemptible)
    sim_report(&arm64_oracle_query, "", "%s asks for the capability of CPU %u, and is preemptible",
               arm64_fn_names[call->fn], call->cpu);
  for (u32 i = 0; i < views_of(watch, call, views); i++) {
    want = asks ? arm64_reads_of(watch->design, views[i].phase, call->preemptible) : 0;
    if (call->isar0_reads == want) return;
  }
  sim_report(&arm64_oracle_reads_call, arm64_design_names[watch->design],
             "%s, %s: %u reads of ID_AA64ISAR0_EL1, and by design %s %u", arm64_fn_names[call->fn],
             arm64_phase_names[call->phase], call->isar0_reads, arm64_design_names[watch->design],
             want);
}

// What was delivered, in the order of the registers: x1 first, and the last ones count.
static void judge_words(const struct arm64_call *call, const u64 *v, u32 num) {
  const u64 *words = call->num_words ? call->words + 3 - call->num_words : &call->word;
  u32 delivered = call->num_words ? call->num_words : call->worked;

  if (num != delivered)
    sim_fail(&arm64_oracle_value, num > delivered ? "more" : "fewer",
             "%s returns %u words, and %u were delivered", arm64_fn_names[call->fn], num,
             delivered);
  if (call->wrote_behind)
    sim_fail(&arm64_oracle_value, "behind", "%s writes behind the words that it was asked for",
             arm64_fn_names[call->fn]);
  for (u32 i = 0; i < num; i++)
    if (v[i] != words[i])
      sim_fail(&arm64_oracle_value, "word", "%s: word %u of %u is not what x%u brought",
               arm64_fn_names[call->fn], i, num, 4 - num + i);
}

static void note(struct arm64_watch *watch, const struct arm64_call *call, u32 num) {
  const struct arm64_machine *m = call->m;
  u32 reads = call->rndr_reads + call->rndrrs_reads;

  if (num && !call->num_words)
    watch->saw |= call->rndrrs_reads ? ARM64_SAW_SEED_WORD : ARM64_SAW_RNDR_WORD;
  if (call->num_words == 3) watch->saw |= ARM64_SAW_TRNG_3;
  if (call->trng_calls && !call->num_words) watch->saw |= ARM64_SAW_TRNG_FAIL;
  if (reads && !call->worked) watch->saw |= ARM64_SAW_RNDR_FAIL;
  if (call->rndrrs_reads && m->hw.rndr[call->cpu] == ARM64_RNDR_RNDRRS_NEVER)
    watch->saw |= ARM64_SAW_NO_RNDRRS;
  if (!reads && arm64_has_rndr(m, call->cpu) && m->phase == ARM64_PHASE_FINAL && !m->has_rng)
    watch->saw |= ARM64_SAW_UNEQUAL;
  sim_cover_state(4, (u64)call->phase << 32 | call->fn << 8 | num << 4 | reads << 1 | call->worked);
  if (call->preemptible && m->phase < ARM64_PHASE_FINAL) watch->saw |= ARM64_SAW_PREEMPTIBLE;
}

static void judge(void *arg, const struct arm64_call *call, const u64 *v, u32 max, u32 num) {
  struct arm64_watch *watch = arg;

  sim_trace_model("archrandom", call->fn << 16 | max << 8 | num, guest_insns(call->g));
  judge_firmware(call, max);
  judge_reads(watch, call, max);
  judge_use(watch, call, max);
  judge_words(call, v, num);
  note(watch, call, num);
  watch->words += num;
}

void arm64_watch_init(struct arm64_watch *watch, struct arm64_machine *m, u32 design) {
  watch->m = m;
  watch->design = design;
  m->judge = judge;
  m->judge_arg = watch;
}
