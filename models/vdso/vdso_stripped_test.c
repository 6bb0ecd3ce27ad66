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

// As all kernels but 6.12's: time, time namespace, RNG, architecture, of page_len bytes each.
static void runs_without_symbols(enum guest_arch arch, const char *path, u64 page_len) {
  static struct vdso_images images;
  static struct vdso_run run;
  const struct vdso_image *image = load(path, &images);

  assert_int_equal(image->data.source, VDSO_DATA_UNKNOWN);
  assert_int_equal(image->data.rng_offset, -1);
  assert_null(vdso_symbol_find(image, "__arch_chacha20_blocks_nostack"));
  run.m = open_machine(image, arch);
  // Where the image's linker script has it.
  assert_int_equal(run.m->rng_addr, run.m->image_addr - 2 * page_len);
  assert_int_equal(run.m->data.source, VDSO_DATA_WATCHED);
  assert_int_equal(run.m->data.len, 4 * page_len);
  assert_int_equal(run.m->data.page_len, page_len);
  assert_int_equal(run.m->page_len, page_len);
  assert_int_equal(run.m->data.rng_offset, 2 * page_len);
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
  runs_without_symbols(GUEST_PPC64LE, "models/vdso/stripped_ppc64le.so", 4096);
}
static void arm64_runs_without_symbols(void **state) {
  runs_without_symbols(GUEST_ARM64, "models/vdso/stripped_arm64.so", 4096);
}
static void length_of_a_page_is_found(void **state) {
  runs_without_symbols(GUEST_ARM64, "models/vdso/stripped_arm64_16k.so", 16384);
  runs_without_symbols(GUEST_ARM64, "models/vdso/stripped_arm64_64k.so", 65536);
}

// A quiet call of 32 bytes on the fast engine: how often it asked for a key; fails if it fell back.
static u32 keys_of_a_call(struct vdso_machine *m) {
  const u64 args[5] = {vdso_main_addr(), 32, 0, vdso_state_addr(0), VDSO_STATE_LEN};
  struct guest *g = m->fast.g;
  struct guest_stop stop;
  u32 keys = 0;

  vdso_call_begin(g, m, 0, args);
  while (guest_run(g, GUEST_NO_LIMIT, &stop) == GUEST_SYSCALL) {
    assert_true(vdso_arg(g, 0) != vdso_main_addr());
    vdso_give(m, guest_host(g, vdso_arg(g, 0), 32), 32);
    vdso_syscall_return(g, 32);
    keys++;
  }
  assert_int_equal(stop.kind, GUEST_RETURNED);
  assert_int_equal(vdso_result(g), 32);
  return keys;
}

// The RNG's data lie in the page of the clock mode, and in a time namespace a page further on.
static void two_pages_are_found(void **state) {
  static struct vdso_images images;
  struct vdso_machine *m =
      open_machine(load("models/vdso/stripped_arm64_two_pages.so", &images), GUEST_ARM64);

  assert_int_equal(m->data.source, VDSO_DATA_WATCHED);
  assert_int_equal(m->data.len, 0x2000);
  assert_int_equal(m->data.rng_offset, 480);
  assert_int_equal(m->rng_addr, m->image_addr - 0x2000 + 480);
  assert_int_equal(m->clock_mode_addr, m->image_addr - 0x2000 + 4);
  vdso_machine_begin(m);
  memset(m->fast.state[0], 0, VDSO_STATE_LEN);
  assert_int_equal(keys_of_a_call(m), 1);
  assert_int_equal(keys_of_a_call(m), 0);
  // The same generation, read elsewhere; then another one.
  vdso_set_timens(m, true);
  vdso_publish(m, &m->fast);
  assert_int_equal(keys_of_a_call(m), 0);
  vdso_bump(m);
  assert_int_equal(keys_of_a_call(m), 1);
  vdso_set_timens(m, false);
  vdso_publish(m, &m->fast);
  assert_int_equal(keys_of_a_call(m), 0);
  vdso_subject_set(NULL);
  vdso_images_free(&images);
}

// Unpatched, as a kernel leaves it where there is no FPSIMD: no data page is read, and none must
// be found.
static void without_fpsimd_no_page_is_wanted(void **state) {
  static struct vdso_images images;
  const struct vdso_setting setting = {.arch = GUEST_ARM64, .variant = "clean", .no_fpsimd = true};
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
  char err[160], where[64];

  memcpy(bytes, image.bytes, image.len);
  memcpy(bytes + image.segments[0].offset + (entry->value + 4 - image.segments[0].vaddr), code,
         sizeof(code));
  image.bytes = bytes;
  vdso_subject_set(&image);
  assert_null(vdso_machine_try(&setting, where, err, sizeof(err)));
  assert_string_equal(err, "no data page is read before the system call");
  assert_string_equal(where, "set-up");
  vdso_subject_set(NULL);
  vdso_images_free(&images);
}

// A call of set-up that faults says which instruction did, and its key is of that address; nothing
// is known of other failures but that set-up failed. `udf`, and `brk` one instruction on.
static void fault_of_set_up_says_where(void **state) {
  static const struct {
    u32 at, word;
    const char *text;
  } rows[] = {
      {4, 0x00000000, "exception "},
      {8, 0xd4200000, "brk"},
      {4, 0xd538c009, "forbidden instruction, at "},  // mrs x9, vbar_el1
  };
  const struct vdso_setting setting = {.arch = GUEST_ARM64, .variant = "clean"};
  static u8 bytes[VDSO_IMAGE_LEN_MAX];
  char keys[SIM_ARRAY_SIZE(rows)][64], err[200];

  for (u32 i = 0; i < SIM_ARRAY_SIZE(rows); i++) {
    static struct vdso_images images;
    struct vdso_image image = *load("models/vdso/stripped_arm64.so", &images);
    const struct vdso_symbol *entry = vdso_symbol_find(&image, "__kernel_getrandom");
    u64 at = image.segments[0].offset + (entry->value + rows[i].at - image.segments[0].vaddr);
    memcpy(bytes, image.bytes, image.len);
    for (u32 k = 0; k < 4; k++) bytes[at + k] = (u8)(rows[i].word >> 8 * k);
    image.bytes = bytes;
    vdso_subject_set(&image);
    assert_null(vdso_machine_try(&setting, keys[i], err, sizeof(err)));
    assert_non_null(strstr(err, "a first call: "));
    assert_non_null(strstr(err, keys[i]));
    assert_non_null(strstr(err, rows[i].text));
    vdso_subject_set(NULL);
    vdso_images_free(&images);
  }
  assert_string_not_equal(keys[0], keys[1]);
  assert_string_equal(keys[0], keys[2]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ppc64le_runs_without_symbols),
      cmocka_unit_test(arm64_runs_without_symbols),
      cmocka_unit_test(length_of_a_page_is_found),
      cmocka_unit_test(two_pages_are_found),
      cmocka_unit_test(without_fpsimd_no_page_is_wanted),
      cmocka_unit_test(image_that_reads_no_page_is_refused),
      cmocka_unit_test(fault_of_set_up_says_where),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
