// SPDX-License-Identifier: GPL-2.0-or-later
//
// The ledger: what it finds, and what it says of bytes that are handed out twice or are nobody's.
#include "models/vdso/vdso_ledger.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static struct ledger ledger;
static struct ledger_answer answer;
static u8 out[512];

static void look(u32 len, s32 *key, u32 *at) {
  ledger_look_up(&ledger, out, len, true, key, at, &answer);
}

// The key stream of the zero key begins as in RFC 7539, appendix A.1, test vector 1.
static void stream_is_chacha20(void **state) {
  static const u8 zeros[32], want[8] = {0x76, 0xb8, 0xe0, 0xad, 0xa0, 0xf1, 0x3d, 0x90};

  ledger_begin(&ledger, false);
  ledger_deliver(&ledger, zeros, 0, 0);
  ledger_stream(&ledger, 0, 0, out, 8);
  assert_memory_equal(out, want, 8);
}

// A big-endian machine's words are the key's bytes in another order.
static void words_are_swapped(void **state) {
  u8 raw[32], other[32], a[64], b[64];

  for (u8 i = 0; i < 32; i++) raw[i] = i;
  for (u8 i = 0; i < 32; i++) other[i] = i ^ 3;
  ledger_begin(&ledger, true);
  ledger_deliver(&ledger, raw, 0, 0);
  ledger_stream(&ledger, 0, 0, a, 64);
  ledger_begin(&ledger, false);
  ledger_deliver(&ledger, other, 0, 0);
  ledger_stream(&ledger, 0, 0, b, 64);
  assert_memory_equal(a, b, 64);
}

static void begin(void) {
  u8 raw[32];

  memset(raw, 0x42, 32);
  ledger_begin(&ledger, false);
  ledger_deliver(&ledger, raw, 3, 7);
}

// Whole blocks, a batch, the key behind it and that key's batch: any cut is found.
static void splits_are_found(void **state) {
  for (u32 cut = 1; cut < 300; cut++) {
    s32 key = 0;
    u32 at = 0;
    u8 all[300], raw[32];

    begin();
    // 64 bytes to the buffer, 96 of a batch, then the key at 160 and its stream.
    ledger_stream(&ledger, 0, 0, all, 160);
    ledger_stream(&ledger, 0, 160, raw, 32);
    ledger_deliver(&ledger, raw, 3, 7);
    ledger_stream(&ledger, 1, 0, all + 160, 140);
    begin();
    memcpy(out, all, cut);
    look(cut, &key, &at);
    assert_true(answer.found);
    assert_false(answer.repeated);
    assert_int_equal(answer.oldest_epoch, 7);
    assert_int_equal(answer.first_process, 3);
    memcpy(out, all + cut, 300 - cut);
    look(300 - cut, &key, &at);
    assert_true(answer.found);
    assert_false(answer.repeated);
  }
}

static void repeated_bytes_are_seen(void **state) {
  s32 key = 0;
  u32 at = 0;

  begin();
  ledger_stream(&ledger, 0, 0, out, 40);
  look(40, &key, &at);
  key = 0;
  at = 0;
  ledger_stream(&ledger, 0, 20, out, 40);
  look(40, &key, &at);
  assert_true(answer.found);
  assert_true(answer.repeated);
  assert_int_equal(answer.repeated_at, 0);
  assert_true(ledger_handed_out(&ledger, 0, 39));
  assert_false(ledger_handed_out(&ledger, 0, 64));
}

// Bytes that were thrown away leave a gap.
static void gaps_are_found(void **state) {
  s32 key = 0;
  u32 at = 0;

  begin();
  ledger_stream(&ledger, 0, 50, out, 30);
  look(30, &key, &at);
  assert_true(answer.found);
  assert_int_equal(at, 80);
}

static void foreign_bytes_are_lost(void **state) {
  s32 key = 0;
  u32 at = 0;

  begin();
  ledger_stream(&ledger, 0, 0, out, 40);
  memset(out + 20, 0, 20);
  look(40, &key, &at);
  assert_false(answer.found);
  assert_int_equal(answer.lost_at, 20);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(stream_is_chacha20), cmocka_unit_test(words_are_swapped),
      cmocka_unit_test(splits_are_found),   cmocka_unit_test(repeated_bytes_are_seen),
      cmocka_unit_test(gaps_are_found),     cmocka_unit_test(foreign_bytes_are_lost),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
