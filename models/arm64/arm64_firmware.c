// SPDX-License-Identifier: GPL-2.0-or-later
//
// See arm64_firmware.h.
#include "models/arm64/arm64_firmware.h"

#include "models/arm64/arm64_oracles.h"
#include "sim/checker.h"
#include "sim/choice.h"

enum { BITS_MAX = 192, INVALID_PARAMETER = -2, NOT_SUPPORTED = -1 };

const char *const arm64_smccc_names[] = {"absent", "1.0", "1.1", "1.5", "drawn", NULL};
const char *const arm64_trng_names[] = {"absent", "0.9", "1.0", "1.0-drawn", "drawn", NULL};

static u64 random_word(struct arm64_machine *m) { return sim_mix64(0xa64aull << 48 | ++m->words); }
static u64 garbage(struct arm64_machine *m) { return sim_mix64(0xbad5ull << 48 | ++m->garbage); }

static s64 smccc_version(const struct arm64_machine *m) {
  switch (m->hw.smccc) {
    case ARM64_SMCCC_1_0:
      return 0x10000;
    case ARM64_SMCCC_1_1:
      return 0x10001;
    case ARM64_SMCCC_1_5:
      return 0x10005;
    default:
      return NOT_SUPPORTED;
  }
}

static s64 trng_version(const struct arm64_machine *m) {
  switch (m->hw.trng) {
    case ARM64_TRNG_ABSENT:
      return NOT_SUPPORTED;
    case ARM64_TRNG_0_9:
      return 0x9;
    default:
      return 0x10000;
  }
}

// The words go into the last registers.
static s64 words(struct arm64_call *call, u64 bits, u64 regs[3]) {
  static const s64 result[ARM64_ANSWERS] = {
      [ARM64_ANSWER_WORDS] = 0,
      [ARM64_ANSWER_NO_ENTROPY] = -3,
      [ARM64_ANSWER_NOT_SUPPORTED] = NOT_SUPPORTED,
      [ARM64_ANSWER_INVALID] = INVALID_PARAMETER,
      [ARM64_ANSWER_UNKNOWN] = 0x5eed80000000,
      [ARM64_ANSWER_NARROW] = 0xfffffffd,
      [ARM64_ANSWER_WIDE] = 0x5eed00000000,
      [ARM64_ANSWER_POSITIVE] = 1,
  };
  struct arm64_machine *m = call->m;
  u32 answer = ARM64_ANSWER_WORDS;

  call->trng_calls++;
  call->asked_bits = bits > UINT32_MAX ? UINT32_MAX : (u32)bits;
  call->num_words = 0;
  if (m->hw.trng == ARM64_TRNG_ABSENT) return NOT_SUPPORTED;
  if (!bits || bits > BITS_MAX) return INVALID_PARAMETER;
  if (m->hw.trng == ARM64_TRNG_DRAWN)
    answer = sim_choose(sim_w, SIM_SITE_DRAW("arm64-trng", SIM_SITE_WORK, 0, 0), ARM64_ANSWERS);
  // As the kernel does, by an int.
  if ((s32)result[answer] >= 0) {
    call->num_words = (u32)(bits + 63) / 64;
    for (u32 i = 0; i < call->num_words; i++) regs[2 - i] = random_word(m);
    m->counts.trng_words += call->num_words;
  }
  return result[answer];
}

void arm64_firmware_call(struct arm64_call *call, u32 conduit, u32 immediate) {
  struct arm64_machine *m = call->m;
  struct guest *g = call->g;
  u32 function = (u32)guest_get(g, GUEST_R(0));
  u64 argument = guest_get(g, GUEST_R(1));
  u64 regs[3] = {garbage(m), garbage(m), garbage(m)};
  s64 result = NOT_SUPPORTED;

  if (conduit != m->hw.conduit)
    sim_fail(&arm64_oracle_crash, "conduit", "%s executes %s, and the firmware is called by %s",
             arm64_fn_names[call->fn], conduit == ARM64_CONDUIT_HVC ? "hvc" : "smc",
             m->hw.conduit == ARM64_CONDUIT_HVC   ? "hvc"
             : m->hw.conduit == ARM64_CONDUIT_SMC ? "smc"
                                                  : "neither");
  if (immediate)
    sim_fail(&arm64_oracle_crash, "immediate", "%s calls the firmware with #%u, and SMCCC has #0",
             arm64_fn_names[call->fn], immediate);
  m->counts.smccc++;
  switch (function) {
    case ARM64_PSCI_FEATURES:
      if (m->hw.smccc != ARM64_SMCCC_ABSENT && argument == ARM64_SMCCC_VERSION) result = 0;
      break;
    case ARM64_SMCCC_VERSION:
      result = smccc_version(m);
      break;
    case ARM64_TRNG_VERSION:
      result = trng_version(m);
      break;
    case ARM64_TRNG_RND64:
      result = words(call, argument, regs);
      break;
    default:
      break;
  }
  guest_set(g, GUEST_R(0), (u64)result);
  for (u32 i = 0; i < 3; i++) {
    call->words[i] = regs[i];
    guest_set(g, GUEST_R(1 + i), regs[i]);
  }
  call->owed_ns += m->config.smccc_ns;
}
