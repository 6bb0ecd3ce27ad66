// SPDX-License-Identifier: GPL-2.0-only
//
// The log of accesses, the hash of a path, coverage, and the words for people.
#include "models/guest/guest.h"
#include "models/guest/testing/bed.h"

enum { LOG_MAX = 256 };

static void accesses_are_logged(void **state) {
  static struct guest_access log[LOG_MAX];
  struct bed bed;
  FOR_EACH_ARCH_WITH(bed, GUEST_LOG) {
    guest_store(bed.g, bed.data + 16, 4, 0x01020304);
    guest_set_log(bed.g, log, LOG_MAX);
    bed_call(&bed, FN_INCREMENT, BED_DATA + 16, 2, 0);
    EXPECT_EQ(bed_run(&bed, GUEST_NO_LIMIT), GUEST_RETURNED);
    EXPECT_EQ(guest_log_count(bed.g), 4);
    for (u32 i = 0; i < 4; i++) {
      u64 insn = (is_arm64(&bed) ? 0 : 1) + i / 2 * (is_arm64(&bed) ? 5 : 4) + i % 2 * 2;
      EXPECT_EQ(log[i].write, i % 2);
      EXPECT_EQ(log[i].size, 4);
      EXPECT_EQ(log[i].addr, BED_DATA + 16);
      EXPECT_EQ(log[i].value, 0x01020304 + (i + 1) / 2);
      EXPECT_EQ(log[i].insn, insn);
      EXPECT_EQ(log[i].pc,
                BED_TEXT + 0x100 * FN_INCREMENT + 4 * (i % 2 * 2 + (is_arm64(&bed) ? 0 : 1)));
    }
    // Reading all registers is no access of the guest's; a short log counts on.
    struct guest_regs regs;
    guest_regs_get(bed.g, &regs);
    guest_regs_set(bed.g, &regs);
    EXPECT_EQ(guest_log_count(bed.g), 4);
    guest_set_log(bed.g, log, 1);
    bed_call(&bed, FN_INCREMENT, BED_DATA + 16, 2, 0);
    EXPECT_EQ(bed_run(&bed, GUEST_NO_LIMIT), GUEST_RETURNED);
    EXPECT_EQ(guest_log_count(bed.g), 4);
    // A stop between the halves of a loop changes nothing.
    guest_set_log(bed.g, log, LOG_MAX);
    bed_call(&bed, FN_INCREMENT, BED_DATA + 16, 2, 0);
    EXPECT_EQ(bed_run(&bed, 3), GUEST_BOUNDARY);
    EXPECT_EQ(bed_run(&bed, GUEST_NO_LIMIT), GUEST_RETURNED);
    EXPECT_EQ(guest_log_count(bed.g), 4);
    guest_set_log(bed.g, NULL, 0);
  }
}

static u64 path(struct bed *bed, enum function fn, u64 a, u64 b, u64 c, u64 stop_at) {
  guest_reset(bed->g);
  guest_set_log(bed->g, NULL, 0);
  bed_call(bed, fn, a, b, c);
  if (stop_at != GUEST_NO_LIMIT) EXPECT_EQ(bed_run(bed, stop_at), GUEST_BOUNDARY);
  EXPECT_EQ(bed_run(bed, GUEST_NO_LIMIT), GUEST_RETURNED);
  return guest_path_hash(bed->g);
}

static void paths_are_told_apart(void **state) {
  struct bed bed;
  FOR_EACH_ARCH_WITH(bed, GUEST_LOG) {
    u64 first = path(&bed, FN_MIX, BED_DATA, 9, 1, GUEST_NO_LIMIT);
    EXPECT_EQ(path(&bed, FN_MIX, BED_DATA, 9, 0xdeadbeef, GUEST_NO_LIMIT), first);
    EXPECT_EQ(path(&bed, FN_MIX, BED_DATA, 9, 3, 17), first);
    assert_true(path(&bed, FN_MIX, BED_DATA, 8, 1, GUEST_NO_LIMIT) != first);
    assert_true(path(&bed, FN_MIX, BED_DATA + 4, 9, 1, GUEST_NO_LIMIT) != first);
  }
}

static void blocks_and_edges_are_counted(void **state) {
  static u8 block[2048], edge[1024], again[1024], marks[16];
  struct bed bed;
  FOR_EACH_ARCH_WITH(bed, GUEST_COVER) {
    struct guest_cover cover = {
        .base = BED_TEXT,
        .block = block,
        .edge = edge,
        .state = marks,
        .num_block = sizeof(block),
        .num_edge = sizeof(edge),
        .num_state = sizeof(marks),
    };
    memset(block, 0, sizeof(block));
    memset(edge, 0, sizeof(edge));
    memset(marks, 0, sizeof(marks));
    guest_set_cover(bed.g, &cover);
    mix_begin(&bed);
    EXPECT_EQ(bed_run(&bed, GUEST_NO_LIMIT), GUEST_RETURNED);
    u64 insns = bed.stop.insns;
    u32 first = 0x100 / 4 * FN_MIX, loop = first + (is_arm64(&bed) ? 6 : 8);
    u32 blocks = 0, edges = 0, bumps = 0;
    for (u32 i = 0; i < sizeof(block); i++) blocks += block[i] != 0;
    for (u32 i = 0; i < sizeof(edge); i++) edges += edge[i] != 0;
    for (u32 i = 0; i < sizeof(edge); i++) bumps += edge[i];
    EXPECT_EQ(block[first], 1);
    EXPECT_EQ(block[loop], MIXED - 1);
    // Entry, loop, behind the loop, the end; the loop's edge to itself.
    EXPECT_EQ(blocks, 4);
    EXPECT_EQ(edges, 5);
    EXPECT_EQ(bumps, 3 + MIXED - 1);
    // Stops add no block, and lose none.
    for (u64 k = 1; k < insns; k++) {
      memset(again, 0, sizeof(again));
      cover.edge = again;
      cover.num_block = 0;
      guest_set_cover(bed.g, &cover);
      mix_begin(&bed);
      EXPECT_EQ(bed_run(&bed, k), GUEST_BOUNDARY);
      EXPECT_EQ(bed_run(&bed, GUEST_NO_LIMIT), GUEST_RETURNED);
      if (memcmp(edge, again, sizeof(edge)) != 0)
        fail_msg("%s: edges, boundary %llu", arch_now, (unsigned long long)k);
    }
    guest_cover_state(bed.g, 3);
    guest_cover_state(bed.g, 19);
    EXPECT_EQ(marks[3], 2);
  }
}

static void places_have_names(void **state) {
  char text[128];
  struct bed bed;
  FOR_EACH_ARCH(bed) {
    assert_string_equal(guest_where(bed.g, BED_TEXT + 0x100 * FN_MIX + 0x24, text, sizeof(text)),
                        "mix+0x24");
    assert_string_equal(guest_where(bed.g, BED_TEXT + 0x100 * FN_LEAF, text, sizeof(text)),
                        "functions+0xa00");
    assert_string_equal(guest_where(bed.g, BED_DATA, text, sizeof(text)), "0x300000");
    assert_string_equal(guest_where(bed.g, BED_TEXT + 0x100, text, 4), "mix");
    guest_disassemble(bed.g, BED_TEXT + 0x100 * FN_ADD, text, sizeof(text));
    assert_string_equal(text, is_arm64(&bed) ? "add x0, x0, x1" : "add r3, r3, r4");
    guest_disassemble(bed.g, BED_TEXT + 0x100 * FN_SPIN, text, sizeof(text));
    assert_non_null(strstr(text, "0x100500"));
    guest_disassemble(bed.g, BED_NOTHING, text, sizeof(text));
    assert_string_equal(text, "no memory");
    bed_call(&bed, FN_LOAD, BED_NOTHING, 0, 0);
    EXPECT_EQ(bed_run(&bed, GUEST_NO_LIMIT), GUEST_FAULT);
    static const char *const described[GUEST_ARCHES] = {
        "read of 4 bytes at 0x303000, unmapped, at load+0x0: lwz r3, 0(r3)",
        "read of 8 bytes at 0x303000, unmapped, at load+0x0: ld r3, 0(r3)",
        "read of 8 bytes at 0x303000, unmapped, at load+0x0: ld r3, 0(r3)",
        "read of 8 bytes at 0x303000, unmapped, at load+0x0: ldr x0, [x0]",
    };
    assert_string_equal(guest_describe(bed.g, &bed.stop, text, sizeof(text)), described[arch_]);
    bed_call(&bed, FN_JUMP, BED_DATA, 0, 0);
    EXPECT_EQ(bed_run(&bed, GUEST_NO_LIMIT), GUEST_FAULT);
    assert_string_equal(guest_describe(bed.g, &bed.stop, text, sizeof(text)),
                        "execution of 0x300000, not permitted");
    bed_call(&bed, FN_UNDEFINED, BED_DATA, 0, 0);
    EXPECT_EQ(bed_run(&bed, GUEST_NO_LIMIT), GUEST_FAULT);
    assert_non_null(strstr(guest_describe(bed.g, &bed.stop, text, sizeof(text)), "exception "));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(accesses_are_logged),
      cmocka_unit_test(paths_are_told_apart),
      cmocka_unit_test(blocks_and_edges_are_counted),
      cmocka_unit_test(places_have_names),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
