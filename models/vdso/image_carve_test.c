// SPDX-License-Identifier: GPL-2.0-or-later
//
// Kernel files: vDSOs are found wherever they lie, packed or not, and are the same subject.
#include "models/vdso/testing/tiny_files.h"

#include "models/vdso/image.h"

static void parse(const struct tiny *file, struct vdso_images *out, u32 count) {
  char err[256] = "";

  if (!vdso_images_parse(file->bytes, file->len, out, err, sizeof(err))) fail_msg("%s", err);
  assert_int_equal(out->count, count);
}

static void refused(const struct tiny *file, const char *reason) {
  struct vdso_images images;
  char err[256] = "";

  if (vdso_images_parse(file->bytes, file->len, &images, err, sizeof(err)))
    fail_msg("%u found", images.count);
  assert_int_equal(images.count, 0);
  if (!strstr(err, reason)) fail_msg("\"%s\" lacks \"%s\"", err, reason);
}

static const char *sha256_of(const struct tiny *file) {
  static char sha256[65];
  struct vdso_images images;

  parse(file, &images, 1);
  memcpy(sha256, images.image[0].sha256, sizeof(sha256));
  vdso_images_free(&images);
  return sha256;
}

// At any offset, with anything behind it.
static void vdso_is_found_anywhere(void **state) {
  static const u64 befores[] = {0, 1, 4096, 99999}, afters[] = {0, 1, 50000, 3 << 20};
  struct tiny vdso = tiny_read("arm64");

  for (u32 i = 0; i < SIM_ARRAY_SIZE(befores); i++) {
    for (u32 j = 0; j < SIM_ARRAY_SIZE(afters); j++) {
      struct tiny file = tiny_embed(vdso.bytes, vdso.len, befores[i], afters[j]);
      struct vdso_images images;

      parse(&file, &images, 1);
      assert_int_equal(images.image[0].file_offset, befores[i]);
      assert_int_equal(images.image[0].len, vdso.len);
      assert_string_equal(images.image[0].payload, "");
      assert_string_equal(images.image[0].sha256, sha256_of(&vdso));
      vdso_images_free(&images);
      tiny_free(&file);
    }
  }
  tiny_free(&vdso);
}

// In the order of the file; the same one twice is one.
static void all_vdsos_are_found_once(void **state) {
  struct tiny a = tiny_read("arm64"), b = tiny_read("i386");
  struct tiny file = tiny_alloc(4 * 4096);
  struct vdso_images images;

  memcpy(file.bytes + 100, a.bytes, a.len);
  memcpy(file.bytes + 4096, b.bytes, b.len);
  memcpy(file.bytes + 8192, a.bytes, a.len);
  parse(&file, &images, 2);
  assert_int_equal(images.image[0].arch, VDSO_ARM64);
  assert_int_equal(images.image[0].file_offset, 100);
  assert_int_equal(images.image[1].arch, VDSO_OTHER);
  assert_int_equal(images.image[1].file_offset, 4096);
  vdso_images_free(&images);
  tiny_free(&file);
  tiny_free(&a);
  tiny_free(&b);
}

static void more_vdsos_than_a_kernel_has_are_refused(void **state) {
  struct tiny vdso = tiny_read("arm64"), file = tiny_alloc((VDSO_IMAGES_MAX + 1) * 4096);
  struct vdso_images images;
  u64 text;

  parse(&vdso, &images, 1);
  text = images.image[0].text_vaddr;
  vdso_images_free(&images);
  for (u32 i = 0; i <= VDSO_IMAGES_MAX; i++) {
    vdso.bytes[text] = (u8)i;
    memcpy(file.bytes + (u64)i * 4096, vdso.bytes, vdso.len);
  }
  refused(&file, "more than 8 vDSOs are in it");
  file.len -= 4096;
  parse(&file, &images, VDSO_IMAGES_MAX);
  vdso_images_free(&images);
  tiny_free(&file);
  tiny_free(&vdso);
}

// A payload is found among false magic numbers, and one without a vDSO is passed over.
static void vdso_is_found_in_payloads(void **state) {
  static const u8 false_magics[] = "\x1f\x8b\x08\x00garbage\x28\xb5\x2f\xfdmore\xfd\x37zXZ\x00end";
  struct tiny vdso = tiny_read("ppc64le");
  struct tiny kernel = tiny_embed(vdso.bytes, vdso.len, 70000, 70000);
  char name[64];

  for (u32 format = 0; format < UNPACK_FORMAT_COUNT; format++) {
    struct tiny packed = tiny_pack(format, kernel.bytes, kernel.len);
    struct tiny empty = tiny_pack(format, kernel.bytes, 70000);
    struct tiny file = tiny_alloc(2000 + empty.len + packed.len);
    u64 at = 1000 + empty.len;
    struct vdso_images images;

    memcpy(file.bytes + 10, false_magics, sizeof(false_magics));
    memcpy(file.bytes + 1000, empty.bytes, empty.len);
    memcpy(file.bytes + at, packed.bytes, packed.len);
    parse(&file, &images, 1);
    assert_int_equal(images.image[0].file_offset, 70000);
    snprintf(name, sizeof(name), "%s at 0x%llx", unpack_format_name(format),
             (unsigned long long)at);
    assert_string_equal(images.image[0].payload, name);
    assert_string_equal(images.image[0].sha256, sha256_of(&vdso));
    vdso_images_free(&images);
    tiny_free(&file);
    tiny_free(&empty);
    tiny_free(&packed);
  }
  tiny_free(&kernel);
  tiny_free(&vdso);
}

// Two deep, as an Image.gz within an EFI program's payload; no deeper.
static void payloads_nest_twice(void **state) {
  struct tiny vdso = tiny_read("arm64");

  for (u32 outer = 0; outer < UNPACK_FORMAT_COUNT; outer++) {
    for (u32 inner = 0; inner < UNPACK_FORMAT_COUNT; inner++) {
      struct tiny one = tiny_pack(inner, vdso.bytes, vdso.len);
      struct tiny two = tiny_pack(outer, one.bytes, one.len);
      struct tiny three = tiny_pack(outer, two.bytes, two.len);
      struct vdso_images images;
      char name[64];

      parse(&two, &images, 1);
      snprintf(name, sizeof(name), "%s at 0x0 of %s at 0x0", unpack_format_name(inner),
               unpack_format_name(outer));
      assert_string_equal(images.image[0].payload, name);
      vdso_images_free(&images);
      refused(&three, "no vDSO is in it");
      tiny_free(&one);
      tiny_free(&two);
      tiny_free(&three);
    }
  }
  tiny_free(&vdso);
}

// A damaged payload is refused, and named.
static void damaged_payload_is_named(void **state) {
  struct tiny vdso = tiny_read("arm64"), kernel = tiny_embed(vdso.bytes, vdso.len, 9000, 9000);

  for (u32 format = 0; format < UNPACK_FORMAT_COUNT; format++) {
    struct tiny packed = tiny_pack(format, kernel.bytes, kernel.len);
    struct tiny file = tiny_embed(packed.bytes, packed.len - 5, 256, 0);
    char reason[64];

    snprintf(reason, sizeof(reason), "no vDSO is in it (%s at 0x100: it is cut off)",
             unpack_format_name(format));
    refused(&file, reason);
    tiny_free(&file);
    tiny_free(&packed);
  }
  tiny_free(&kernel);
  tiny_free(&vdso);
}

// A candidate in a kernel that breaks a rule is passed over, and named if there is no other.
static void broken_candidate_is_passed_over(void **state) {
  struct tiny vdso = tiny_read("arm64"), file = tiny_alloc(3 * 4096);
  struct vdso_images images;

  memcpy(file.bytes + 64, vdso.bytes, vdso.len);
  file.bytes[64 + 56] = 0;  // e_phnum
  memcpy(file.bytes + 4096, vdso.bytes, vdso.len);
  parse(&file, &images, 1);
  assert_int_equal(images.image[0].file_offset, 4096);
  vdso_images_free(&images);
  file.bytes[4096 + 16] = 2;  // e_type
  refused(&file, "no vDSO is in it (ELF file at 0x40: it has no program headers)");
  tiny_free(&file);
  tiny_free(&vdso);
}

// What a file can cost is bounded: false headers and payloads are counted.
static void many_false_finds_are_refused(void **state) {
  struct tiny file = tiny_alloc(5 * 2000), one = tiny_gzip((const u8 *)"x", 1);
  struct tiny many = tiny_alloc(one.len * 1000);

  for (u32 i = 0; i < 2000; i++)
    memcpy(file.bytes + 5 * i,
           "\x7f"
           "ELF\x01",
           5);
  refused(&file, "");
  file.bytes[0] = 0;
  refused(&file, "more than 1024 ELF headers are in it");
  for (u32 i = 0; i < 1000; i++) memcpy(many.bytes + i * one.len, one.bytes, one.len);
  refused(&many, "there is more in the file than is looked at");
  tiny_free(&many);
  tiny_free(&one);
  tiny_free(&file);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(vdso_is_found_anywhere),
      cmocka_unit_test(all_vdsos_are_found_once),
      cmocka_unit_test(more_vdsos_than_a_kernel_has_are_refused),
      cmocka_unit_test(vdso_is_found_in_payloads),
      cmocka_unit_test(payloads_nest_twice),
      cmocka_unit_test(damaged_payload_is_named),
      cmocka_unit_test(broken_candidate_is_passed_over),
      cmocka_unit_test(many_false_finds_are_refused),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
