// SPDX-License-Identifier: GPL-2.0-or-later
//
// An image whose symbols say nothing of its data pages: the RNG's data are found by watching
// what a call reads, and calls then run as on the same image with symbols.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "models/vdso/image_subject.h"
#include "models/vdso/vdso_run.h"

static struct vdso_image *load(struct vdso_images *images) {
  char err[160];

  if (vdso_images_load("models/vdso/stripped_ppc64le.so", images, err, sizeof(err)) != SIM_OK)
    fail_msg("%s", err);
  assert_int_equal(images->count, 1);
  return &images->image[0];
}

static void call_runs_without_symbols(void **state) {
  static struct vdso_images images;
  static struct vdso_run run;
  const struct vdso_setting setting = {.arch = GUEST_PPC64LE, .variant = "clean"};
  const struct vdso_image *image = load(&images);
  char err[160];

  assert_int_equal(image->data.source, VDSO_DATA_UNKNOWN);
  assert_int_equal(image->data.rng_offset, -1);
  vdso_subject_set(image);
  run.m = vdso_machine_new(&setting, err, sizeof(err));
  if (!run.m) fail_msg("%s", err);
  // Where the image's linker script has it.
  assert_int_equal(run.m->rng_addr, run.m->image_addr - 0x2000);
  for (u32 script = VDSO_SCRIPT_FIRST; script < VDSO_SCRIPT_DRAWN; script++) {
    run.script = script;
    if (!vdso_run_all(&run)) fail_msg("%s: %s", run.verdict.oracle->id, run.verdict.text);
    assert_int_equal(run.outcome, VDSO_SERVED);
  }
  vdso_subject_set(NULL);
  vdso_images_free(&images);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(call_runs_without_symbols)};

  return cmocka_run_group_tests(tests, NULL, NULL);
}
