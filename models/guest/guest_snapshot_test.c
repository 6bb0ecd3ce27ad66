// SPDX-License-Identifier: GPL-2.0-only
//
// Snapshots: what is restored is what was taken, at any boundary, whatever came between.
#include "models/guest/guest.h"
#include "models/guest/testing/bed.h"

static void goes_on_from_every_boundary(void **state) {
  static struct outcome whole, part;
  struct bed bed;
  FOR_EACH_ARCH(bed) {
    struct guest_snapshot *start = guest_snapshot_new(bed.g), *at = guest_snapshot_new(bed.g);
    mix_begin(&bed);
    guest_take(bed.g, start);
    EXPECT_EQ(bed_run(&bed, GUEST_NO_LIMIT), GUEST_RETURNED);
    outcome(&bed, &whole);
    for (u64 k = 0; k < whole.insns; k++) {
      guest_restore(bed.g, k ? at : start);
      EXPECT_EQ(guest_insns(bed.g), k ? k - 1 : 0);
      EXPECT_EQ(bed_run(&bed, k), GUEST_BOUNDARY);
      guest_take(bed.g, at);
      // What happens in between does not matter: another call, a fault, a nested call.
      bed_call(&bed, k % 2 ? FN_HANDLER : FN_UNDEFINED, 0, 0, 0);
      EXPECT_EQ(bed_run(&bed, GUEST_NO_LIMIT), k % 2 ? GUEST_RETURNED : GUEST_FAULT);
      memset(bed.data, 0xee, BED_DATA_LEN);
      struct guest_call handler = bed_args(FN_HANDLER, 0, 0, 0);
      if (k % 3 == 0) assert_true(guest_nested_begin(bed.g, &handler));
      for (u32 again = 0; again < 2; again++) {
        guest_restore(bed.g, at);
        EXPECT_EQ(guest_level(bed.g), 0);
        EXPECT_EQ(bed_run(&bed, GUEST_NO_LIMIT), GUEST_RETURNED);
        outcome(&bed, &part);
        expect_outcome(&whole, &part, "boundary", k);
      }
    }
  }
}

static void several_at_once(void **state) {
  enum { SNAPSHOTS = 6 };
  struct bed bed;
  FOR_EACH_ARCH(bed) {
    struct guest_snapshot *snapshot[SNAPSHOTS];
    struct guest_regs regs[SNAPSHOTS], now;
    mix_begin(&bed);
    for (u32 i = 0; i < SNAPSHOTS; i++) {
      EXPECT_EQ(bed_run(&bed, 10 * i), GUEST_BOUNDARY);
      snapshot[i] = guest_snapshot_new(bed.g);
      guest_take(bed.g, snapshot[i]);
      guest_regs_get(bed.g, &regs[i]);
    }
    for (u32 i = 0; i < 4 * SNAPSHOTS; i++) {
      u32 at = i * 5 % SNAPSHOTS;
      guest_restore(bed.g, snapshot[at]);
      guest_regs_get(bed.g, &now);
      if (memcmp(&now, &regs[at], sizeof(now)) != 0) fail_msg("%s: snapshot %u", arch_now, at);
      EXPECT_EQ(bed_run(&bed, GUEST_NO_LIMIT), GUEST_RETURNED);
      expect_mixed(&bed);
    }
    guest_snapshot_free(bed.g, snapshot[2]);
    guest_snapshot_free(bed.g, NULL);
    guest_restore(bed.g, snapshot[3]);
    EXPECT_EQ(guest_insns(bed.g), 30);
  }
}

// Open calls are part of it.
static void within_nested_calls(void **state) {
  static struct outcome whole, part;
  struct bed bed;
  FOR_EACH_ARCH(bed) {
    struct guest_snapshot *deep = guest_snapshot_new(bed.g);
    struct guest_call handler = bed_args(FN_HANDLER, 0, 0, 0);
    mix_begin(&bed);
    EXPECT_EQ(bed_run(&bed, 12), GUEST_BOUNDARY);
    assert_true(guest_nested_begin(bed.g, &handler));
    EXPECT_EQ(bed_run(&bed, 5), GUEST_BOUNDARY);
    assert_true(guest_nested_begin(bed.g, &handler));
    EXPECT_EQ(bed_run(&bed, 3), GUEST_BOUNDARY);
    guest_take(bed.g, deep);
    for (u32 i = 0; i < 3; i++) {
      if (i) guest_restore(bed.g, deep);
      EXPECT_EQ(guest_level(bed.g), 2);
      for (u32 level = 2; level > 0; level--) {
        EXPECT_EQ(bed_run(&bed, GUEST_NO_LIMIT), GUEST_RETURNED);
        guest_nested_end(bed.g);
      }
      EXPECT_EQ(bed_run(&bed, GUEST_NO_LIMIT), GUEST_RETURNED);
      expect_mixed(&bed);
      outcome(&bed, i ? &part : &whole);
      if (i) expect_outcome(&whole, &part, "time", i);
      // Something else, so that the saved calls are overwritten.
      mix_begin(&bed);
      assert_true(guest_nested_begin(bed.g, &handler));
    }
  }
}

// State of the host's is kept too, and may be compared with what it was.
static void host_state(void **state) {
  struct bed bed;
  FOR_EACH_ARCH(bed) {
    u64 ledger[4] = {1, 2, 3, 4};
    guest_keep(bed.g, ledger, sizeof(ledger));
    struct guest_snapshot *snapshot = guest_snapshot_new(bed.g);
    bed.data[5] = 55;
    guest_take(bed.g, snapshot);
    ledger[2] = 0;
    bed.data[5] = 0;
    assert_int_equal(*(const u8 *)guest_snapshot_host(bed.g, snapshot, bed.data + 5), 55);
    u64 was;
    memcpy(&was, guest_snapshot_host(bed.g, snapshot, &ledger[2]), sizeof(was));
    EXPECT_EQ(was, 3);
    assert_null(guest_snapshot_host(bed.g, snapshot, bed.text));
    guest_restore(bed.g, snapshot);
    EXPECT_EQ(ledger[2], 3);
    EXPECT_EQ(bed.data[5], 55);
  }
}

static void timebase_is_in_it(void **state) {
  struct bed bed;
  FOR_EACH_ARCH(bed) {
    if (is_arm64(&bed)) continue;
    struct guest_snapshot *snapshot = guest_snapshot_new(bed.g);
    guest_set_timebase(bed.g, 1000, 10);
    bed_call(&bed, FN_COUNTER, 0, 0, 0);
    guest_take(bed.g, snapshot);
    for (u32 i = 0; i < 3; i++) {
      guest_restore(bed.g, snapshot);
      EXPECT_EQ(bed_run(&bed, GUEST_NO_LIMIT), GUEST_RETURNED);
      EXPECT_EQ(bed_result(&bed), 1000);
      EXPECT_EQ(guest_get(bed.g, GUEST_R(4)), 1010);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(goes_on_from_every_boundary), cmocka_unit_test(several_at_once),
      cmocka_unit_test(within_nested_calls),         cmocka_unit_test(host_state),
      cmocka_unit_test(timebase_is_in_it),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
