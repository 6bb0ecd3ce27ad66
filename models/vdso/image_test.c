// SPDX-License-Identifier: GPL-2.0-or-later
//
// What is told of a good image; files that cannot be read; which image scenarios take.
#include "models/vdso/testing/tiny_files.h"

#include "models/vdso/image_subject.h"

static void load(const char *arch, struct vdso_images *out) {
  char path[64], err[256];

  tiny_path(path, arch);
  if (vdso_images_load(path, out, err, sizeof(err)) != SIM_OK) fail_msg("%s: %s", path, err);
  assert_int_equal(out->count, 1);
}

static void each_architecture_is_told(void **state) {
  static const struct {
    const char *file;
    enum vdso_arch arch;
    const char *name;
    bool runs, is_64bit, is_big_endian;
  } cases[] = {
      /* 1 */ {"ppc32", VDSO_PPC32, "ppc32", true, false, true},
      /* 2 */ {"ppc64", VDSO_PPC64, "ppc64", true, true, true},
      /* 3 */ {"ppc64le", VDSO_PPC64LE, "ppc64le", true, true, false},
      /* 4 */ {"arm64", VDSO_ARM64, "arm64", true, true, false},
      /* 5 */ {"x86_64", VDSO_X86_64, "x86-64", false, true, false},
      /* 6 */ {"i386", VDSO_OTHER, "other", false, false, false},
  };

  for (u32 i = 0; i < SIM_ARRAY_SIZE(cases); i++) {
    struct vdso_images images;
    const struct vdso_image *image = &images.image[0];

    load(cases[i].file, &images);
    assert_int_equal(image->arch, cases[i].arch);
    assert_string_equal(vdso_arch_name(image->arch), cases[i].name);
    assert_int_equal(vdso_arch_runs(image->arch), cases[i].runs);
    assert_int_equal(image->is_64bit, cases[i].is_64bit);
    assert_int_equal(image->is_big_endian, cases[i].is_big_endian);
    // The note is of the image's own byte order, and symbols below the image of its width.
    assert_string_equal(image->version, "7.2.13");
    assert_int_equal(image->data.source, VDSO_DATA_SYMBOLS);
    assert_int_equal(image->data.len, 0x4000);
    assert_int_equal(image->data.page_len, 0x1000);
    assert_int_equal(image->data.rng_offset, 0x2000);
    vdso_images_free(&images);
    assert_int_equal(images.count, 0);
  }
}

static void image_has_what_its_file_has(void **state) {
  static const struct {
    const char *name;
    u64 len, bytes_offset;  // from the text's start
    bool is_exported;
  } functions[] = {
      {"__kernel_getrandom", 16, 0, true},
      {"__kernel_gettimeofday", 8, 16, true},
      {"__arch_chacha20_blocks_nostack", 12, 24, false},
  };
  struct tiny file = tiny_read("ppc64le");
  struct vdso_images images;
  const struct vdso_image *image = &images.image[0];

  load("ppc64le", &images);
  assert_int_equal(image->len, file.len);
  assert_memory_equal(image->bytes, file.bytes, file.len);
  assert_int_equal(strspn(image->sha256, "0123456789abcdef"), 64);
  assert_int_equal(strspn(image->build_id, "0123456789abcdef"), 40);
  assert_string_equal(image->release, "7.2.13-tiny");
  assert_string_equal(image->soname, "linux-vdso.so.1");
  assert_int_equal(image->file_offset, 0);
  assert_string_equal(image->payload, "");
  assert_int_equal(image->num_segments, 1);
  assert_int_equal(image->vaddr, 0);
  assert_int_equal(image->mem_len, image->segments[0].mem_len);
  assert_int_equal(image->segments[0].file_len, image->segments[0].mem_len);
  assert_int_equal(image->segments[0].offset, 0);
  assert_true(image->segments[0].is_executable);
  assert_false(image->segments[0].is_writable);
  assert_int_equal(image->text_len, 36);
  assert_int_equal(image->fixup_len, 12);
  assert_int_equal(image->alternatives_len, 12);
  assert_int_equal(image->alternatives_vaddr, image->text_vaddr + image->text_len);
  assert_int_equal(image->num_relocs, 0);
  assert_int_equal(image->num_undefined, 0);
  for (u32 i = 0; i < SIM_ARRAY_SIZE(functions); i++) {
    const struct vdso_symbol *symbol = vdso_symbol_find(image, functions[i].name);

    assert_non_null(symbol);
    assert_true(symbol->is_function);
    assert_int_equal(symbol->value, image->text_vaddr + functions[i].bytes_offset);
    assert_int_equal(symbol->len, functions[i].len);
    assert_int_equal(symbol->is_exported, functions[i].is_exported);
    assert_int_equal(symbol->local_entry_len, 0);
    if (functions[i].is_exported)
      assert_string_equal(symbol->version, "LINUX_2.6.15");
    else
      assert_null(symbol->version);
  }
  // Versions are no symbols, and what is in both tables is there once.
  assert_null(vdso_symbol_find(image, "LINUX_2.6.15"));
  assert_null(vdso_symbol_find(image, "__kernel_time"));
  for (u32 i = 1; i < image->num_symbols; i++) {
    const struct vdso_symbol *a = &image->symbols[i - 1], *b = &image->symbols[i];

    assert_true(a->is_exported > b->is_exported ||
                (a->is_exported == b->is_exported && a->value <= b->value));
    for (u32 j = 0; j < i; j++)
      assert_string_not_equal(image->symbols[j].name, image->symbols[i].name);
  }
  vdso_images_free(&images);
  tiny_free(&file);
}

static void address_has_the_symbol_before_it(void **state) {
  struct vdso_images images;
  const struct vdso_image *image = &images.image[0];
  u64 text;

  load("ppc64le", &images);
  text = image->text_vaddr;
  assert_null(vdso_symbol_at(image, text - 1));
  assert_string_equal(vdso_symbol_at(image, text)->name, "__kernel_getrandom");
  assert_string_equal(vdso_symbol_at(image, text + 15)->name, "__kernel_getrandom");
  assert_string_equal(vdso_symbol_at(image, text + 16)->name, "__kernel_gettimeofday");
  assert_string_equal(vdso_symbol_at(image, text + 60)->name, "__arch_chacha20_blocks_nostack");
  assert_string_equal(vdso_symbol_at(image, (u64)0 - 0x2000)->name, "vdso_u_rng_data");
  vdso_images_free(&images);
}

// What cannot be read is 66, what is read and no image 65, each with a reason.
static void unreadable_files_are_told(void **state) {
  static const struct {
    const char *path;
    enum sim_status status;
    const char *reason;
  } cases[] = {
      /* 1 */ {"nowhere/vdso.so", SIM_MISSING_FILE, "No such file or directory"},
      /* 2 */ {"models", SIM_MISSING_FILE, "Is a directory"},
      /* 3 */ {"/dev/null", SIM_MALFORMED, "it is empty"},
      /* 4 */ {"/proc/self/status", SIM_MALFORMED, "no vDSO is in it"},
  };

  for (u32 i = 0; i < SIM_ARRAY_SIZE(cases); i++) {
    struct vdso_images images;
    char err[256];

    if (vdso_images_load(cases[i].path, &images, err, sizeof(err)) != cases[i].status ||
        strcmp(err, cases[i].reason))
      fail_msg("case %u: %s", i + 1, err);
    assert_int_equal(images.count, 0);
    vdso_images_free(&images);
  }
}

// Scenarios run on the one image that has the function and an engine.
static void one_image_is_picked(void **state) {
  struct vdso_images images = {0}, arm64, ppc64le, ppc32, x86_64;
  char err[256] = "";

  load("ppc64le", &ppc64le);
  load("ppc32", &ppc32);
  load("x86_64", &x86_64);
  assert_null(vdso_subject_pick(&images, err, sizeof(err)));
  assert_non_null(strstr(err, "none of its vDSOs"));
  images.count = 1;
  images.image[0] = x86_64.image[0];
  assert_null(vdso_subject_pick(&images, err, sizeof(err)));
  assert_non_null(strstr(err, "PowerPC, of 32 and 64 bits, and arm64"));
  load("arm64", &arm64);
  images.image[0] = arm64.image[0];
  assert_ptr_equal(vdso_subject_pick(&images, err, sizeof(err)), &images.image[0]);
  images.image[0] = x86_64.image[0];
  images.count = 2;
  images.image[1] = ppc64le.image[0];
  assert_ptr_equal(vdso_subject_pick(&images, err, sizeof(err)), &images.image[1]);
  images.count = 3;
  images.image[2] = ppc32.image[0];
  assert_null(vdso_subject_pick(&images, err, sizeof(err)));
  assert_non_null(strstr(err, "a vDSO for ppc64le and one for ppc32"));
  assert_null(vdso_subject());
  vdso_subject_set(&images.image[1]);
  assert_ptr_equal(vdso_subject(), &images.image[1]);
  vdso_subject_set(NULL);
  assert_null(vdso_subject());
  vdso_images_free(&arm64);
  vdso_images_free(&ppc64le);
  vdso_images_free(&ppc32);
  vdso_images_free(&x86_64);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_architecture_is_told),
      cmocka_unit_test(image_has_what_its_file_has),
      cmocka_unit_test(address_has_the_symbol_before_it),
      cmocka_unit_test(unreadable_files_are_told),
      cmocka_unit_test(one_image_is_picked),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
