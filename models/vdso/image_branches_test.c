// SPDX-License-Identifier: GPL-2.0-or-later
//
// Branches that leave an image, and those that do not: words put into the smallest vDSOs.
#include "models/vdso/testing/tiny_files.h"

#include "models/vdso/image_branches.h"

// Whether the image stays within itself with this word as the second of its text.
static bool stays(const char *arch, u32 word, u64 *out_at, u64 *out_to) {
  struct tiny file = tiny_read(arch);
  struct vdso_images images;
  struct vdso_image *image = &images.image[0];
  char err[256];
  bool well;
  u8 *at;

  assert_true(vdso_images_parse(file.bytes, file.len, &images, err, sizeof(err)));
  // The functions' words are numbers from 1, which are no branches.
  at = (u8 *)(uintptr_t)image->bytes + image->segments[0].offset +
       (image->text_vaddr - image->segments[0].vaddr) + 4;
  for (u32 i = 0; i < 4; i++) at[i] = (u8)(word >> (image->is_big_endian ? 24 - 8 * i : 8 * i));
  well = vdso_image_branches_stay(image, out_at, out_to);
  if (!well) assert_int_equal(*out_at, image->text_vaddr + 4);
  if (!well) *out_to -= image->text_vaddr;
  vdso_images_free(&images);
  tiny_free(&file);
  return well;
}

static void each_kind_is_seen(void **state) {
  static const struct {
    const char *arch;
    u32 word;
    s64 to;  // from the text's start, where it leaves; else STAYS
  } cases[] = {
#define STAYS INT64_MAX
      /* 1 */ {"ppc32", 0x48000008, STAYS},          // b +8
      /* 2 */ {"ppc32", 0x4bfffffc, STAYS},          // b -4
      /* 3 */ {"ppc32", 0x48100000, 0x100004},       // b +1 MiB
      /* 4 */ {"ppc32", 0x48100001, 0x100004},       // bl
      /* 5 */ {"ppc32", 0x4bf00001, 4 - 0x100000},   // bl -1 MiB
      /* 6 */ {"ppc32", 0x41820008, STAYS},          // beq +8
      /* 7 */ {"ppc32", 0x41824000, 0x4004},         // beq +16 KiB
      /* 8 */ {"ppc32", 0x4182c000, 4 - 0x4000},     // beq -16 KiB
      /* 9 */ {"ppc64", 0x48100001, 0x100004},       //
      /* 10 */ {"ppc64le", 0x48100001, 0x100004},    //
      /* 11 */ {"ppc64le", 0x4e800020, STAYS},       // blr
      /* 12 */ {"ppc64le", 0x44000002, STAYS},       // sc
      /* 13 */ {"arm64", 0x14000002, STAYS},         // b +8
      /* 14 */ {"arm64", 0x14040000, 0x100004},      // b +1 MiB
      /* 15 */ {"arm64", 0x94040000, 0x100004},      // bl
      /* 16 */ {"arm64", 0x97fc0000, 4 - 0x100000},  // bl -1 MiB
      /* 17 */ {"arm64", 0x54000040, STAYS},         // b.eq +8
      /* 18 */ {"arm64", 0x54080000, 0x10004},       // b.eq +64 KiB
      /* 19 */ {"arm64", 0xb4080001, 0x10004},       // cbz x1
      /* 20 */ {"arm64", 0x35080001, 0x10004},       // cbnz w1
      /* 21 */ {"arm64", 0x36020001, 0x4004},        // tbz w1, #0
      /* 22 */ {"arm64", 0x37060001, 4 - 0x4000},    // tbnz w1, #0
  };
  u64 at = 0, to = 0;

  for (u32 i = 0; i < SIM_ARRAY_SIZE(cases); i++) {
    bool well = stays(cases[i].arch, cases[i].word, &at, &to);

    if (well != (cases[i].to == STAYS) ||
        (!well && to != (u64)cases[i].to && (u32)to != (u32)cases[i].to))
      fail_msg("case %u: %s, to 0x%llx", i + 1, well ? "stays" : "leaves", (unsigned long long)to);
  }
}

// An address is none of an image, however low it is.
static void address_is_no_place_of_an_image(void **state) {
  u64 at = 0, to = 0;

  assert_false(stays("ppc32", 0x48000402, &at, &to));    // ba 0x400
  assert_false(stays("ppc64le", 0x48000403, &at, &to));  // bla
  assert_false(stays("ppc64le", 0x41820402, &at, &to));  // beqa
}

static void what_does_not_run_is_not_looked_at(void **state) {
  u64 at = 0, to = 0;

  assert_true(stays("x86_64", 0x48100001, &at, &to));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_kind_is_seen),
      cmocka_unit_test(address_is_no_place_of_an_image),
      cmocka_unit_test(what_does_not_run_is_not_looked_at),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
