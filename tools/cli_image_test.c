// SPDX-License-Identifier: GPL-2.0-or-later
//
// image: what it tells and carves; and images as subjects of explore and replay.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tools/cli_testing.h"

// Copies of vDSOs, by name: the smallest ones, and a built-in one that was stripped of all symbols
// but the function's.
static const struct {
  const char *name, *path;
} copies[] = {
    {"arm64.so", "models/vdso/testing/tiny_arm64.so"},
    {"ppc32.so", "models/vdso/testing/tiny_ppc32.so"},
    {"ppc64le.so", "models/vdso/testing/tiny_ppc64le.so"},
    {"x86_64.so", "models/vdso/testing/tiny_x86_64.so"},
    {"stripped.so", "models/vdso/stripped_arm64.so"},
};
static char *files[SIM_ARRAY_SIZE(copies)];

static int begin(void **state) {
  u32 i;

  cli_clean();
  for (i = 0; i < SIM_ARRAY_SIZE(copies); i++) {
    char *command = xasprintf("cp '%s' %s", files[i], copies[i].name);

    cli_shell(command);
    cli_expect_status(0);
    free(command);
  }
  return 0;
}

// The SHA-256 that `image` tells of the file's only vDSO; valid until the next call.
static const char *sha256_of(const char *file) {
  static char sha256[65];
  cJSON *object, *images;

  cli_run("image %s --json", file);
  cli_expect_status(0);
  object = cli_json();
  images = cJSON_GetObjectItem(object, "images");
  assert_int_equal(cJSON_GetArraySize(images), 1);
  snprintf(sha256, sizeof(sha256), "%s",
           cJSON_GetObjectItem(cJSON_GetArrayItem(images, 0), "sha256")->valuestring);
  assert_int_equal(strspn(sha256, "0123456789abcdef"), 64);
  cJSON_Delete(object);
  return sha256;
}

static void image_is_told(void **state) {
  cJSON *object, *image, *data, *symbol;
  char *line;

  cli_run("image ppc64le.so");
  cli_expect_status(0);
  cli_expect_out("ppc64le.so: 1 vDSO\n\nppc64le, ");
  cli_expect_out(" 16  __kernel_getrandom@LINUX_2.6.15\n");
  cli_expect_out("__arch_chacha20_blocks_nostack (local)\n");
  cli_expect_out("4 pages of 4096; the RNG's data at offset 0x2000\n");
  cli_expect_out("kernel      7.2.13 (7.2.13-tiny)\n");
  line = xasprintf("sha256      %s\n", sha256_of("ppc64le.so"));
  cli_run("image ppc64le.so");
  cli_expect_out(line);
  free(line);
  cli_run("image x86_64.so");
  cli_expect_status(0);
  cli_expect_out("listed only, nothing here runs it");
  cli_run("image ppc64le.so --json");
  object = cli_json();
  assert_string_equal(cJSON_GetObjectItem(object, "file")->valuestring, "ppc64le.so");
  image = cJSON_GetArrayItem(cJSON_GetObjectItem(object, "images"), 0);
  assert_string_equal(cJSON_GetObjectItem(image, "arch")->valuestring, "ppc64le");
  assert_true(cJSON_IsTrue(cJSON_GetObjectItem(image, "runs")));
  assert_true(cJSON_IsNull(cJSON_GetObjectItem(image, "payload")));
  data = cJSON_GetObjectItem(image, "data");
  assert_string_equal(cJSON_GetObjectItem(data, "source")->valuestring, "symbols");
  assert_int_equal(cJSON_GetObjectItem(data, "rng_offset")->valueint, 0x2000);
  symbol = cJSON_GetArrayItem(cJSON_GetObjectItem(image, "symbols"), 0);
  assert_string_equal(cJSON_GetObjectItem(symbol, "name")->valuestring, "__kernel_getrandom");
  assert_string_equal(cJSON_GetObjectItem(symbol, "version")->valuestring, "LINUX_2.6.15");
  cJSON_Delete(object);
}

static void fault_of_a_file_has_its_status(void **state) {
  cli_run("image nowhere.so");
  cli_expect_status(66);
  cli_expect_err("seedbed: nowhere.so: No such file or directory");
  cli_shell("head -c 1000 ppc64le.so >cut.so; echo text >text; : >empty");
  cli_run("image cut.so");
  cli_expect_status(65);
  cli_expect_err("seedbed: cut.so: ");
  cli_expect_err("it is truncated");
  cli_run("image text");
  cli_expect_status(65);
  cli_expect_err("seedbed: text: no vDSO is in it");
  cli_run("image empty");
  cli_expect_status(65);
  cli_expect_err("seedbed: empty: it is empty");
}

// What is carved from a kernel file is the file that went into it.
static void vdsos_are_carved(void **state) {
  char *name, *command;

  cli_shell("(echo kernel; cat ppc64le.so; echo more; cat arm64.so; echo end) >kernel");
  cli_run("image kernel --carve=out");
  cli_expect_status(0);
  cli_expect_out("kernel: 2 vDSOs\n");
  name = xasprintf("ppc64le-%.12s.so", sha256_of("ppc64le.so"));
  command =
      xasprintf("cmp out/%s ppc64le.so && cmp out/arm64-*.so arm64.so && ls out | wc -l", name);
  cli_shell(command);
  cli_expect_status(0);
  cli_expect_out("2\n");
  free(command);
  free(name);
  cli_run("image kernel --carve=out");
  cli_expect_status(0);
  cli_run("image kernel --carve=kernel");
  cli_expect_status(64);
}

// A run on an image names it, and a finding is replayed on it.
static void finding_on_an_image_is_replayed(void **state) {
  char *sha256 = xstrdup(sha256_of("ppc64le.so")), *text, *line;

  cli_run("explore test-image --seeds=1..100");
  cli_expect_status(0);
  cli_run("explore test-image --seeds=1..1000 --subject=image:ppc64le.so");
  cli_expect_status(10);
  cli_expect_out("an image for ppc64le");
  text = xasprintf(" subject=%s", sha256);
  cli_expect_out(text);
  cli_expect_out(" --subject=image:ppc64le.so\n");
  free(text);
  cli_shell("cp findings/test-image*/decisions.full found && grep '^subject' found");
  text = xasprintf("subject image:ppc64le.so %s\n", sha256);
  cli_expect_out(text);
  free(text);
  cli_run("replay found");
  cli_expect_status(10);
  line = xstrdup(cli_line("FAIL "));
  assert_non_null(strstr(line, sha256));
  cli_run("replay found --twice");
  cli_expect_status(10);

  // The same vDSO from a kernel file is the same subject and the same run.
  cli_shell("(echo kernel; cat ppc64le.so; echo end) >kernel");
  cli_run("replay found --subject=image:kernel");
  cli_expect_status(10);
  assert_string_equal(cli_line("FAIL "), line);
  assert_null(strstr(text_str(&cli_run("replay found")->err), "recorded under"));
  free(line);

  // On another one it says so and goes on; on the model too.
  cli_run("replay found --subject=image:ppc32.so");
  cli_expect_status(10);
  cli_expect_err("recorded under the subject ");
  cli_expect_out("an image for ppc32");
  cli_run("replay found --subject=model");
  cli_expect_status(0);
  cli_expect_err("recorded under the subject ");

  // The file is gone, or damaged; then another may still take its place.
  cli_shell("mv ppc64le.so gone");
  cli_run("replay found");
  cli_expect_status(66);
  cli_expect_err("found: line 3: ppc64le.so: No such file or directory; --subject=image:FILE");
  cli_run("replay found --subject=image:gone");
  cli_expect_status(10);
  cli_shell("head -c 1000 gone >ppc64le.so");
  cli_run("replay found");
  cli_expect_status(65);
  cli_expect_err("found: line 3: ppc64le.so: ");
  free(sha256);
}

static void image_that_does_not_run_is_refused(void **state) {
  cli_run("explore test-image --subject=image:x86_64.so");
  cli_expect_status(65);
  cli_expect_err("x86_64.so: none of its vDSOs");
  cli_expect_err("PowerPC, of 32 and 64 bits, and arm64");
  cli_shell("cat ppc32.so ppc64le.so >two");
  cli_run("explore test-image --subject=image:two");
  cli_expect_status(65);
  cli_expect_err("a vDSO for ppc32 and one for ppc64le: carve one of them");
  cli_run("explore test-image --subject=image:nowhere");
  cli_expect_status(66);
  cli_run("explore test-image --subject=image:");
  cli_expect_status(64);
  cli_run("explore test-image --subject=moon");
  cli_expect_status(64);
  cli_expect_err("test-image takes: model, image:FILE, kernel:DIR");
  cli_run("list test-image");
  cli_expect_out("subjects: model, image:FILE, kernel:DIR\n");
}

// An arm64 image as kernels ship it, stripped: it is told, explored, swept and replayed.
static void arm64_image_runs(void **state) {
  cli_run("image stripped.so");
  cli_expect_status(0);
  cli_expect_out("stripped.so: 1 vDSO\n\narm64, ");
  assert_null(strstr(text_str(&cli_run("image stripped.so")->out), "nothing here runs it"));
  cli_expect_out("data pages  unknown: no symbol tells; to be found by watching");
  cli_expect_out("ChaCha20    no symbol tells where; to be found by watching where a call goes\n");
  assert_null(strstr(text_str(&cli_run("image arm64.so")->out), "ChaCha20"));
  assert_null(strstr(text_str(&cli_run("image x86_64.so")->out), "ChaCha20"));
  cli_run("explore vdso-getrandom --subject=image:stripped.so --seeds=1..2000 --known=/dev/null");
  cli_expect_status(0);
  cli_expect_out("runs=2000");
  cli_run("explore vdso-chacha --subject=image:stripped.so --seeds=1..2000 --known=/dev/null");
  cli_expect_status(0);
  cli_run("explore vdso-getrandom --subject=image:stripped.so --seeds=1..2000 --set fpsimd=0");
  cli_expect_status(0);
  cli_run("sweep vdso-getrandom --subject=image:stripped.so --window=0 --known=/dev/null");
  cli_expect_status(0);
  cli_run("replay vdso-getrandom --subject=image:stripped.so --seed=7 --twice");
  cli_expect_status(0);
}

// What an image or an architecture has not is an error that says so.
static void missing_feature_is_told(void **state) {
  cli_run("explore vdso-getrandom --set fpsimd=0 --seeds=1..10");
  cli_expect_status(64);
  cli_expect_err("fpsimd=0 is arm64's: ppc64le has no such state");
  cli_run("explore vdso-getrandom --set fpsimd=0 --subject=image:ppc64le.so --seeds=1..10");
  cli_expect_status(64);
  // The tiny one's function is no code.
  cli_run("explore vdso-getrandom --subject=image:arm64.so --seeds=1..10 --known=/dev/null");
  cli_expect_status(12);
  cli_run("explore vdso-getrandom --bug=so-left --set arch=arm64 --seeds=1..10");
  cli_expect_status(64);
  cli_expect_err("bug so-left is not made for arm64");
  cli_run("explore vdso-chacha --bug=d8-used --set arch=ppc32 --seeds=1..10");
  cli_expect_status(64);
  cli_expect_err("bug d8-used is not made for ppc32");
  // The bug would not be there, and the run clean.
  cli_run("explore vdso-getrandom --bug=37 --subject=image:stripped.so --seeds=1..10");
  cli_expect_status(64);
  cli_expect_err("bug 37 is in no image");
  cli_run("explore vdso-getrandom --bug=so-left --seeds=1..10 --jobs=1");
  cli_expect_status(10);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup(image_is_told, begin),
      cmocka_unit_test_setup(fault_of_a_file_has_its_status, begin),
      cmocka_unit_test_setup(vdsos_are_carved, begin),
      cmocka_unit_test_setup(finding_on_an_image_is_replayed, begin),
      cmocka_unit_test_setup(image_that_does_not_run_is_refused, begin),
      cmocka_unit_test_setup(arm64_image_runs, begin),
      cmocka_unit_test_setup(missing_feature_is_told, begin),
  };
  u32 i;

  // Before the test enters a folder of its own.
  for (i = 0; i < SIM_ARRAY_SIZE(copies); i++) {
    files[i] = realpath(copies[i].path, NULL);
    assert_non_null(files[i]);
  }
  cli_begin(argc, argv);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
