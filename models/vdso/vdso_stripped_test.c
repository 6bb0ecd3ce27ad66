// SPDX-License-Identifier: GPL-2.0-or-later
//
// An image whose symbols say nothing of its data pages and of its block function: the RNG's data,
// a page's length, the layout and the function are found by watching what calls do, and calls then
// run as on the same image with symbols.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "models/vdso/builtin.h"
#include "models/vdso/image_subject.h"
#include "models/vdso/vdso_run.h"

static struct vdso_image *load(const char *path, struct vdso_images *images) {
  char err[160];

  if (vdso_images_load(path, images, err, sizeof(err)) != SIM_OK) fail_msg("%s", err);
  assert_int_equal(images->count, 1);
  return &images->image[0];
}

static struct vdso_machine *open_machine(const struct vdso_image *image, enum guest_arch arch) {
  const struct vdso_setting setting = {.arch = arch, .variant = "clean"};
  char err[160];
  struct vdso_machine *m;

  vdso_subject_set(image);
  m = vdso_machine_new(&setting, err, sizeof(err));
  if (!m) fail_msg("%s", err);
  return m;
}

// What its symbols say where it has them, as an offset in the image.
static u64 chacha_of_builtin(enum guest_arch arch) {
  const struct vdso_image *image = vdso_builtin_image(guest_arch_name(arch), "clean");
  const struct vdso_symbol *chacha = vdso_symbol_find(image, "__arch_chacha20_blocks_nostack");
  const struct vdso_symbol *entry = vdso_symbol_find(image, "__kernel_getrandom");

  return chacha->value - entry->value;
}

static void runs_without_symbols(enum guest_arch arch, const char *path) {
  static struct vdso_images images;
  static struct vdso_run run;
  const struct vdso_image *image = load(path, &images);

  assert_int_equal(image->data.source, VDSO_DATA_UNKNOWN);
  assert_int_equal(image->data.rng_offset, -1);
  assert_null(vdso_symbol_find(image, "__arch_chacha20_blocks_nostack"));
  run.m = open_machine(image, arch);
  // Where the image's linker script has it.
  assert_int_equal(run.m->rng_addr, run.m->image_addr - 0x2000);
  assert_int_equal(run.m->data.source, VDSO_DATA_WATCHED);
  assert_int_equal(run.m->data.len, 0x4000);
  assert_int_equal(run.m->data.page_len, 0x1000);
  assert_int_equal(run.m->data.rng_offset, 0x2000);
  assert_int_equal(run.m->chacha - run.m->entry, chacha_of_builtin(arch));
  for (u32 script = VDSO_SCRIPT_FIRST; script < VDSO_SCRIPT_DRAWN; script++) {
    run.script = script;
    if (!vdso_run_all(&run)) fail_msg("%s: %s", run.verdict.oracle->id, run.verdict.text);
    assert_int_equal(run.outcome, VDSO_SERVED);
  }
  vdso_subject_set(NULL);
  vdso_images_free(&images);
}

static void ppc64le_runs_without_symbols(void **state) {
  runs_without_symbols(GUEST_PPC64LE, "models/vdso/stripped_ppc64le.so");
}
static void arm64_runs_without_symbols(void **state) {
  runs_without_symbols(GUEST_ARM64, "models/vdso/stripped_arm64.so");
}

// Unpatched, as a kernel leaves it where there is no FPSIMD: no data page is read, and none must
// be found.
static void without_fpsimd_no_page_is_wanted(void **state) {
  static struct vdso_images images;
  const struct vdso_setting setting = {
      .arch = GUEST_ARM64, .variant = "clean", .no_fpsimd = true};
  char err[160];
  struct vdso_machine *m;

  vdso_subject_set(load("models/vdso/stripped_arm64.so", &images));
  m = vdso_machine_new(&setting, err, sizeof(err));
  if (!m) fail_msg("%s", err);
  assert_int_equal(m->data.source, VDSO_DATA_UNKNOWN);
  assert_int_equal(m->chacha, 0);
  vdso_subject_set(NULL);
  vdso_images_free(&images);
}

// An image of which no call reads a data page is refused: here because its function is the system
// call alone, `mov x8, #278; svc #0; ret` behind the entry's branch.
static void image_that_reads_no_page_is_refused(void **state) {
  static struct vdso_images images;
  struct vdso_image image = *load("models/vdso/stripped_arm64.so", &images);
  const u8 code[] = {0xc8, 0x22, 0x80, 0xd2, 0x01, 0x00, 0x00, 0xd4, 0xc0, 0x03, 0x5f, 0xd6};
  const struct vdso_symbol *entry = vdso_symbol_find(&image, "__kernel_getrandom");
  const struct vdso_setting setting = {.arch = GUEST_ARM64, .variant = "clean"};
  static u8 bytes[VDSO_IMAGE_LEN_MAX];
  char err[160];

  memcpy(bytes, image.bytes, image.len);
  memcpy(bytes + image.segments[0].offset + (entry->value + 4 - image.segments[0].vaddr), code,
         sizeof(code));
  image.bytes = bytes;
  vdso_subject_set(&image);
  assert_null(vdso_machine_new(&setting, err, sizeof(err)));
  assert_string_equal(err, "no data page is read before the system call");
  vdso_subject_set(NULL);
  vdso_images_free(&images);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ppc64le_runs_without_symbols),
      cmocka_unit_test(arm64_runs_without_symbols),
      cmocka_unit_test(without_fpsimd_no_page_is_wanted),
      cmocka_unit_test(image_that_reads_no_page_is_refused),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
