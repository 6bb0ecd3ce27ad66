// SPDX-License-Identifier: GPL-2.0-or-later
//
// Payloads: unpacked whole, or refused with a reason and at a bounded cost.
#include "models/vdso/testing/tiny_files.h"

#include "models/vdso/unpack.h"

#define PLENTY ((u64)64 << 20)

static struct unpack_budget plenty(void) { return (struct unpack_budget){PLENTY, PLENTY, 16}; }

static struct tiny noise(u64 len) {
  struct tiny tiny = tiny_alloc(len);

  for (u64 i = 0; i < len; i++) tiny.bytes[i] = (u8)sim_mix64(i / 3);
  return tiny;
}

// Each format gives back what was packed, says how much it read, and looks at nothing after
// it; the budget pays for both.
static void payload_is_unpacked_whole(void **state) {
  static const u64 lens[] = {0, 1, 65535, 65536, 65537, 1000000};

  for (u32 format = 0; format < UNPACK_FORMAT_COUNT; format++) {
    for (u32 i = 0; i < SIM_ARRAY_SIZE(lens); i++) {
      struct tiny plain = noise(lens[i]), packed = tiny_pack(format, plain.bytes, plain.len);
      struct tiny file = tiny_embed(packed.bytes, packed.len, 0, 1000);
      struct unpack_budget budget = plenty();
      struct unpacked out;
      char err[160];
      u64 made;

      assert_int_equal(unpack_format_at(file.bytes, file.len), format);
      if (!unpack(format, file.bytes, file.len, &budget, &out, &made, err, sizeof(err)))
        fail_msg("%s, %llu bytes: %s", unpack_format_name(format), (unsigned long long)lens[i],
                 err);
      assert_int_equal(out.len, plain.len);
      assert_int_equal(made, plain.len);
      if (plain.len) assert_memory_equal(out.bytes, plain.bytes, plain.len);
      assert_int_equal(out.in_len, packed.len);
      assert_int_equal(budget.in_len, PLENTY - packed.len);
      assert_int_equal(budget.out_len, PLENTY - plain.len);
      assert_int_equal(budget.attempts, 15);
      unpacked_free(&out);
      tiny_free(&file);
      tiny_free(&packed);
      tiny_free(&plain);
    }
  }
}

// Cut anywhere, a payload is refused.
static void cut_off_payload_is_refused(void **state) {
  struct tiny plain = noise(3000);

  for (u32 format = 0; format < UNPACK_FORMAT_COUNT; format++) {
    struct tiny packed = tiny_pack(format, plain.bytes, plain.len);

    for (u64 len = 1; len < packed.len; len++) {
      // At the end of its memory, for the address sanitizer.
      struct tiny cut = tiny_alloc(len - 1);
      struct unpack_budget budget = plenty();
      struct unpacked out;
      char err[160] = "";
      u64 made;

      memcpy(cut.bytes, packed.bytes, len);
      assert_false(unpack(format, cut.bytes, len, &budget, &out, &made, err, sizeof(err)));
      assert_null(out.bytes);
      assert_true(made <= plain.len);
      assert_string_equal(err, "it is cut off");
      tiny_free(&cut);
    }
    tiny_free(&packed);
  }
  tiny_free(&plain);
}

// With any byte wrong, gzip and xz notice by their sums if other bytes come out; zstd has no
// sum here.
static void damaged_payload_is_noticed(void **state) {
  struct tiny plain = noise(3000);

  for (u32 format = 0; format < UNPACK_FORMAT_COUNT; format++) {
    struct tiny packed = tiny_pack(format, plain.bytes, plain.len);

    for (u64 at = 0; at < packed.len; at++) {
      struct unpack_budget budget = plenty();
      struct unpacked out;
      char err[160] = "";
      u64 made;
      bool ok;

      // Time, extra flags and system of gzip's header mean nothing.
      if (format == UNPACK_GZIP && at >= 4 && at < 10) continue;
      packed.bytes[at] ^= 0xff;
      ok = unpack(format, packed.bytes, packed.len, &budget, &out, &made, err, sizeof(err));
      packed.bytes[at] ^= 0xff;
      if (format != UNPACK_ZSTD && ok &&
          (out.len != plain.len || memcmp(out.bytes, plain.bytes, plain.len)))
        fail_msg("%s: byte %llu of %llu", unpack_format_name(format), (unsigned long long)at,
                 (unsigned long long)packed.len);
      if (!ok) assert_true(strlen(err) > 0);
      unpacked_free(&out);
    }
    tiny_free(&packed);
  }
  tiny_free(&plain);
}

// A bomb stops at the budget; what it used is gone, and nothing more is unpacked then.
static void bomb_stops_at_the_budget(void **state) {
  struct tiny plain = tiny_alloc(4 << 20);

  for (u32 format = 0; format < UNPACK_FORMAT_COUNT; format++) {
    struct tiny packed = tiny_pack(format, plain.bytes, plain.len);
    struct unpack_budget budget = {PLENTY, 1 << 20, 16};
    struct unpacked out;
    char err[160];
    u64 made;

    assert_false(unpack(format, packed.bytes, packed.len, &budget, &out, &made, err, sizeof(err)));
    assert_string_equal(err, "it unpacks to more than is looked at");
    assert_int_equal(made, 1 << 20);
    assert_int_equal(budget.out_len, 0);
    assert_false(unpack(format, packed.bytes, packed.len, &budget, &out, &made, err, sizeof(err)));
    assert_string_equal(err, "there is more in the file than is looked at");
    // Just enough is enough.
    budget = (struct unpack_budget){packed.len, plain.len, 1};
    assert_true(unpack(format, packed.bytes, packed.len, &budget, &out, &made, err, sizeof(err)));
    unpacked_free(&out);
    assert_int_equal(budget.out_len + budget.in_len + budget.attempts, 0);
    // Too little to read is no end of the payload.
    budget = (struct unpack_budget){packed.len - 1, PLENTY, 1};
    assert_false(unpack(format, packed.bytes, packed.len, &budget, &out, &made, err, sizeof(err)));
    tiny_free(&packed);
  }
  tiny_free(&plain);
}

static void magic_numbers_are_told_apart(void **state) {
  static const struct {
    const char *bytes;
    u64 len;
    enum unpack_format format;
  } cases[] = {
      /* 1 */ {"\x1f\x8b\x08\x00", 4, UNPACK_GZIP},
      /* 2 */ {"\x1f\x8b\x08\x20", 4, UNPACK_FORMAT_COUNT},  // a reserved flag
      /* 3 */ {"\x1f\x8b\x09\x00", 4, UNPACK_FORMAT_COUNT},
      /* 4 */ {"\x1f\x8b\x08", 3, UNPACK_FORMAT_COUNT},
      /* 5 */ {"\xfd\x37\x7a\x58\x5a\x00", 6, UNPACK_XZ},
      /* 6 */ {"\xfd\x37\x7a\x58\x5a\x00", 5, UNPACK_FORMAT_COUNT},
      /* 7 */ {"\x28\xb5\x2f\xfd", 4, UNPACK_ZSTD},
      /* 8 */ {"\x28\xb5\x2f\xfd", 3, UNPACK_FORMAT_COUNT},
      /* 9 */ {"", 0, UNPACK_FORMAT_COUNT},
  };

  for (u32 i = 0; i < SIM_ARRAY_SIZE(cases); i++)
    if (unpack_format_at((const u8 *)cases[i].bytes, cases[i].len) != cases[i].format)
      fail_msg("case %u", i + 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(payload_is_unpacked_whole),    cmocka_unit_test(cut_off_payload_is_refused),
      cmocka_unit_test(damaged_payload_is_noticed),   cmocka_unit_test(bomb_stops_at_the_budget),
      cmocka_unit_test(magic_numbers_are_told_apart),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
