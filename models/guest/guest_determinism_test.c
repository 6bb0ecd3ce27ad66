// SPDX-License-Identifier: GPL-2.0-only
//
// A call gives the same outcome in every engine and every process: it sees neither addresses
// of the host nor what ran before.
#include <stdlib.h>

#include "models/guest/guest.h"
#include "models/guest/testing/bed.h"

static const char *self;  // this program

static u64 fold(u64 hash, const void *bytes, size_t len) {
  const u8 *at = bytes;
  for (size_t i = 0; i < len; i++) hash = (hash ^ at[i]) * 0x100000001b3ull;
  return hash;
}

// Everything that calls of all kinds leave, in one number.
static u64 digest(struct bed *bed) {
  static struct outcome out;
  static const enum function fns[] = {FN_ADD,  FN_SYSCALL, FN_LOAD,  FN_STORE,   FN_UNDEFINED,
                                      FN_LEAF, FN_HANDLER, FN_CARRY, FN_ENTROPY, FN_MIX};
  u64 hash = 0xcbf29ce484222325ull;
  guest_reset(bed->g);
  memset(bed->data, 0, BED_DATA_LEN);
  memset(bed->stack, 0, BED_STACK_LEN);
  for (u32 i = 0; i < SIM_ARRAY_SIZE(fns); i++) {
    if (fns[i] == FN_MIX)
      mix_begin(bed);
    else
      bed_call(bed, fns[i], BED_DATA + 16 * i, 17 * i, 3);
    u64 stop_at = 3;
    for (u32 legs = 0; legs < 20; legs++) {
      enum guest_stop_kind kind = bed_run(bed, stop_at);
      hash = fold(hash, &kind, sizeof(kind));
      hash = fold(hash, &bed->stop.pc, sizeof(bed->stop.pc));
      hash = fold(hash, &bed->stop.insns, sizeof(bed->stop.insns));
      outcome(bed, &out);
      hash = fold(hash, &out, sizeof(out));
      if (kind == GUEST_RETURNED || kind == GUEST_FAULT) break;
      stop_at += 7;
    }
  }
  return hash;
}

static void in_other_engines(void **state) {
  struct bed bed;
  FOR_EACH_ARCH(bed) {
    u64 first = digest(&bed);
    EXPECT_EQ(digest(&bed), first);
    // The same engine for another set-up; another engine; one of its own.
    bed_open(&bed, guest_shared((enum guest_arch)arch_, 0, 0));
    EXPECT_EQ(digest(&bed), first);
    bed_open(&bed, guest_shared((enum guest_arch)arch_, 0, 1));
    EXPECT_EQ(digest(&bed), first);
    struct guest *g = guest_new((enum guest_arch)arch_, 0);
    bed_open(&bed, g);
    EXPECT_EQ(digest(&bed), first);
    guest_free(g);
    for (u32 options = 1; options < 4; options++) {
      bed_open(&bed, guest_shared((enum guest_arch)arch_, options, 0));
      EXPECT_EQ(digest(&bed), first);
    }
  }
  guest_free(NULL);
}

// What runs in one bank leaves the engines of another as they are, and itself does the same there.
static void in_other_banks(void **state) {
  struct bed bed, other;
  FOR_EACH_ARCH(bed) {
    guest_shared_bank(0);
    bed_open(&bed, guest_shared((enum guest_arch)arch_, 0, 0));
    u64 first = digest(&bed);
    guest_shared_bank(1);
    struct guest *g = guest_shared((enum guest_arch)arch_, 0, 0);
    assert_ptr_not_equal(g, bed.g);
    bed_open(&other, g);
    EXPECT_EQ(digest(&other), first);
    EXPECT_EQ(digest(&bed), first);  // not cleared
    guest_shared_bank(0);
    assert_ptr_equal(guest_shared((enum guest_arch)arch_, 0, 0), bed.g);
  }
}

static void in_another_process(void **state) {
  struct bed bed;
  FOR_EACH_ARCH(bed) {
    char command[4096], line[64] = "", here[64];
    snprintf(command, sizeof(command), "'%s' %u", self, arch_);
    snprintf(here, sizeof(here), "%016llx\n", (unsigned long long)digest(&bed));
    FILE *other = popen(command, "r");
    assert_non_null(other);
    assert_non_null(fgets(line, sizeof(line), other));
    assert_int_equal(pclose(other), 0);
    assert_string_equal(line, here);
  }
}

// All registers from one engine to another, in the middle of a call: a fork.
static void copied_to_another_engine(void **state) {
  static struct outcome whole, part;
  struct bed bed, child;
  FOR_EACH_ARCH(bed) {
    bed_open(&child, guest_shared((enum guest_arch)arch_, 0, 1));
    mix_begin(&bed);
    EXPECT_EQ(bed_run(&bed, GUEST_NO_LIMIT), GUEST_RETURNED);
    outcome(&bed, &whole);
    for (u64 k = 0; k < whole.insns; k += 3) {
      struct guest_regs regs;
      mix_begin(&bed);
      EXPECT_EQ(bed_run(&bed, k), GUEST_BOUNDARY);
      guest_regs_get(bed.g, &regs);
      memcpy(child.data, bed.data, BED_DATA_LEN);
      memcpy(child.stack, bed.stack, BED_STACK_LEN);
      bed_call(&child, FN_ADD, 0, 0, 0);
      guest_regs_set(child.g, &regs);
      EXPECT_EQ(bed_run(&child, GUEST_NO_LIMIT), GUEST_RETURNED);
      outcome(&child, &part);
      part.insns = whole.insns;
      expect_outcome(&whole, &part, "boundary", k);
      EXPECT_EQ(bed_run(&bed, GUEST_NO_LIMIT), GUEST_RETURNED);
      expect_mixed(&bed);
    }
  }
}

// One page in two engines, at different addresses: a store of one is what the other loads.
static void shared_pages(void **state) {
  struct bed a, b;
  FOR_EACH_ARCH(a) {
    bed_open(&b, guest_shared((enum guest_arch)arch_, 0, 1));
    u64 at = BED_NOTHING + 16 * GUEST_PAGE;
    SIM_ASSERT(guest_map(b.g, at, a.data, GUEST_PAGE, GUEST_READ | GUEST_WRITE));
    for (u32 i = 0; i < 4; i++) {
      bed_call(&a, FN_WORD, BED_DATA + 32, 1000 + i, 0);
      bed_call(&b, FN_INCREMENT, at + 32, 1, 0);
      EXPECT_EQ(bed_run(&a, 1), GUEST_BOUNDARY);
      EXPECT_EQ(bed_run(&b, GUEST_NO_LIMIT), GUEST_RETURNED);
      EXPECT_EQ(bed_run(&a, GUEST_NO_LIMIT), GUEST_RETURNED);
      EXPECT_EQ(bed_result(&a), 1001 + i);
    }
  }
}

static void reset_is_complete(void **state) {
  static struct guest_regs zero, regs;
  struct bed bed;
  FOR_EACH_ARCH(bed) {
    guest_reset(bed.g);
    guest_regs_get(bed.g, &zero);
    memset(&regs, 0, sizeof(regs));
    regs.msr = zero.msr;
    if (memcmp(&zero, &regs, sizeof(regs)) != 0) fail_msg("%s: not zero", arch_now);
    bed_call(&bed, FN_HANDLER, 1, 2, 3);
    EXPECT_EQ(bed_run(&bed, GUEST_NO_LIMIT), GUEST_RETURNED);
    guest_regs_get(bed.g, &regs);
    assert_true(regs.vec[is_arm64(&bed) ? 20 : 52][1] == ~0ull);
    guest_reset(bed.g);
    guest_regs_get(bed.g, &regs);
    if (memcmp(&zero, &regs, sizeof(regs)) != 0) fail_msg("%s: not reset", arch_now);
    EXPECT_EQ(guest_insns_total(bed.g), 0);
  }
}

// Each register by its name, and all of them at once.
static void registers_by_name(void **state) {
  static struct guest_regs regs;
  struct bed bed;
  FOR_EACH_ARCH(bed) {
    u64 ones = word_mask(&bed);
    u32 generals = is_arm64(&bed) ? 31 : 32;
    for (u32 n = 0; n < generals; n++) guest_set(bed.g, GUEST_R(n), 0x0101010101010101 * n);
    for (u32 n = 0; n < 32; n++) guest_set(bed.g, GUEST_F(n), 0x4000000000000000 + n);
    guest_set(bed.g, GUEST_CR, 0x60000000);
    guest_set(bed.g, GUEST_PC, BED_TEXT);
    guest_regs_get(bed.g, &regs);
    for (u32 n = 0; n < generals; n++) {
      EXPECT_EQ(guest_get(bed.g, GUEST_R(n)), 0x0101010101010101 * n & ones);
      EXPECT_EQ(regs.gpr[n], 0x0101010101010101 * n & ones);
    }
    for (u32 n = 0; n < 32; n++) {
      EXPECT_EQ(guest_get(bed.g, GUEST_F(n)), 0x4000000000000000 + n);
      EXPECT_EQ(regs.vec[n][is_arm64(&bed)], 0x4000000000000000 + n);
    }
    EXPECT_EQ(regs.cr, 0x60000000);
    EXPECT_EQ(guest_get(bed.g, GUEST_CR), 0x60000000);
    EXPECT_EQ(regs.pc, BED_TEXT);
    guest_set(bed.g, GUEST_SP, BED_STACK + 64);
    EXPECT_EQ(guest_get(bed.g, GUEST_SP), BED_STACK + 64);
    guest_set(bed.g, GUEST_LR, 0x1234);
    EXPECT_EQ(guest_get(bed.g, GUEST_LR), 0x1234);
    if (is_arm64(&bed)) continue;
    guest_set(bed.g, GUEST_CTR, 0x777);
    EXPECT_EQ(guest_get(bed.g, GUEST_CTR), 0x777);
    guest_set(bed.g, GUEST_XER, 0xa0000000);
    EXPECT_EQ(guest_get(bed.g, GUEST_XER), 0xa0000000);
    EXPECT_EQ(guest_get(bed.g, GUEST_R(3)), 0x0303030303030303 & ones);
    EXPECT_EQ(guest_get(bed.g, GUEST_R(4)), 0x0404040404040404 & ones);
    EXPECT_EQ(guest_get(bed.g, GUEST_PC), BED_TEXT);
    bed_call(&bed, FN_CARRY, 0, 0, 0);
    EXPECT_EQ(bed_run(&bed, GUEST_NO_LIMIT), GUEST_RETURNED);
    EXPECT_EQ(guest_get(bed.g, GUEST_XER) & 0xe0000000, 0xa0000000);
    EXPECT_EQ(guest_get(bed.g, GUEST_CR), 0xffffffff);
    guest_set(bed.g, GUEST_XER, 0);
    bed_call(&bed, FN_CARRY, 0, 0, 0);
    EXPECT_EQ(bed_run(&bed, GUEST_NO_LIMIT), GUEST_RETURNED);
    // ISA 3.0 has a copy of the carry below.
    EXPECT_EQ(guest_get(bed.g, GUEST_XER) & 0xe0000000, 0x20000000);
    // Only all at once.
    regs.vrsave = is_arm64(&bed) ? 0 : 0x12345678;
    guest_regs_set(bed.g, &regs);
    memset(&regs, 0, sizeof(regs));
    guest_regs_get(bed.g, &regs);
    EXPECT_EQ(regs.vrsave, is_arm64(&bed) ? 0 : 0x12345678);
  }
}

static int print_digest(const char *arg) {
  enum guest_arch arch = (enum guest_arch)(arg[0] - '0');
  struct bed bed;
  bed_open(&bed, guest_shared(arch, 0, 0));
  printf("%016llx\n", (unsigned long long)digest(&bed));
  return 0;
}

int main(int argc, char **argv) {
  if (argc == 2) return print_digest(argv[1]);
  self = argv[0];
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(in_other_engines),   cmocka_unit_test(in_other_banks),
      cmocka_unit_test(in_another_process), cmocka_unit_test(copied_to_another_engine),
      cmocka_unit_test(shared_pages),       cmocka_unit_test(reset_is_complete),
      cmocka_unit_test(registers_by_name),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
