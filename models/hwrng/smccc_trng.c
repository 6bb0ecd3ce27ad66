// SPDX-License-Identifier: GPL-2.0-or-later
//
// See smccc_trng.h.
#include "models/hwrng/smccc_trng.h"

#include <string.h>

#include "models/hwrng/hwrng_world.h"
#include "sim/choice.h"
#include "sim/task.h"
#include "sim/world.h"

enum {
  SMCCC_CALL_NS = 2000,  // into the firmware and back: assumed
  SMCCC_TRNG_MAX_TRIES = 20,
  MAX_BITS_PER_CALL = 192,
  SMCCC_RET_SUCCESS = 0,
  SMCCC_RET_TRNG_NO_ENTROPY = -3,
};

// ---- The firmware ----

static u64 take_u64(struct smccc_trng_dev *dev) {
  struct hw_words *words = &hwrng_world()->words;
  u64 low = hw_words_take(words, dev->hw.id);

  return low | (u64)hw_words_take(words, dev->hw.id) << 32;
}

void smccc_trng_rnd(struct smccc_trng_dev *dev, u32 bits, struct smccc_res *res) {
  static const u8 in_a_row[] = {0, 1, 3, 19, 25};

  memset(res, 0, sizeof(*res));
  hw_access(&dev->hw, SMCCC_CALL_NS);
  if (dev->no_entropy_seen == 0)
    dev->no_entropy_left =
        in_a_row[sim_choose(sim_w, SIM_SITE_DRAW("smccc-no-entropy", SIM_SITE_FAULT, 1, 32), 5)];
  if (dev->no_entropy_left) {
    dev->no_entropy_left--;
    dev->no_entropy_seen++;
    res->a0 = SMCCC_RET_TRNG_NO_ENTROPY;
    return;
  }
  dev->no_entropy_seen = 0;
  res->a3 = take_u64(dev);
  if (bits > 64) res->a2 = take_u64(dev);
  if (bits > 128) res->a1 = take_u64(dev);
}

static u64 word_due_ns(const struct hw_device *hw) {
  const struct smccc_trng_dev *dev = sim_container_of(hw, const struct smccc_trng_dev, hw);

  // Whoever has asked 20 times in a row has asked often enough.
  return dev->no_entropy_seen + dev->no_entropy_left < SMCCC_TRNG_MAX_TRIES ? 0 : UINT64_MAX;
}

static bool is_off(const struct hw_device *hw) { return true; }

void smccc_trng_dev_init(struct smccc_trng_dev *dev, const char *name, u8 id) {
  *dev = (struct smccc_trng_dev){
      .hw = {.name = name,
             .kind = "smccc",
             .id = id,
             .word_ns_max = SMCCC_TRNG_MAX_TRIES * SMCCC_CALL_NS,
             .word_due_ns = word_due_ns,
             .grain = 8,
             .is_off = is_off},
  };
}

// ---- The driver ----

static u32 copy_from_registers(u8 *buf, const struct smccc_res *res, u32 bytes) {
  const u64 regs[] = {res->a3, res->a2, res->a1};
  u32 copied = 0;

  for (u32 i = 0; i < 3 && copied < bytes; i++) {
    u32 chunk = bytes - copied < 8 ? bytes - copied : 8;

    memcpy(buf + copied, &regs[i], chunk);
    copied += chunk;
  }
  return copied;
}

static int smccc_trng_read(struct hwrng *rng, void *data, size_t max, bool wait) {
  struct smccc_trng *trng = sim_container_of(rng, struct smccc_trng, trng);
  u32 copied = 0;
  int tries = 0;

  while (copied < max) {
    u32 bits = (u32)(max - copied) * 8;
    struct smccc_res res;

    if (bits > MAX_BITS_PER_CALL) bits = MAX_BITS_PER_CALL;
    smccc_trng_rnd(trng->firmware, bits, &res);
    if (trng->bug_71 && (int)res.a0 < 0) return (int)res.a0;
    switch ((int)res.a0) {
      case SMCCC_RET_SUCCESS:
        copied += copy_from_registers((u8 *)data + copied, &res, bits / 8);
        tries = 0;
        break;
      case SMCCC_RET_TRNG_NO_ENTROPY:
        if (!wait || ++tries >= SMCCC_TRNG_MAX_TRIES) return (int)copied;
        sim_cond_resched();
        break;
      default:
        return -SIM_EIO;
    }
  }
  return (int)copied;
}

int smccc_trng_probe(struct smccc_trng_dev *dev, u16 quality, bool bug_71,
                     struct smccc_trng **out_trng) {
  struct smccc_trng *trng = sim_zalloc(sizeof(*trng), "smccc_trng");
  int err;

  dev->hw.going = false;
  trng->firmware = dev;
  trng->bug_71 = bug_71;
  trng->trng.name = dev->hw.name;
  trng->trng.read = smccc_trng_read;
  trng->trng.quality = quality;
  err = devm_hwrng_register(&dev->hw, &trng->trng);
  if (err) {
    sim_free(trng);
    return err;
  }
  *out_trng = trng;
  return 0;
}

void smccc_trng_remove(struct smccc_trng *trng) {
  trng->firmware->hw.going = true;
  devm_hwrng_unregister(&trng->firmware->hw, &trng->trng);
  sim_free(trng);
}
