// SPDX-License-Identifier: GPL-2.0-or-later
//
// For tests of images: the vDSOs of models/vdso/testing as bytes, and packing bytes as
// kernels are packed. Uses cmocka's assertions; inline, for tests only.
#ifndef SEEDBED_MODELS_VDSO_TESTING_TINY_FILES_H_
#define SEEDBED_MODELS_VDSO_TESTING_TINY_FILES_H_

#include <lzma.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "models/vdso/unpack.h"
#include "sim/base.h"

struct tiny {
  u8 *bytes;  // owned; free with tiny_free
  u64 len;
};

static inline void tiny_free(struct tiny *tiny) {
  free(tiny->bytes);  // tidy-allow(banned): for tests, outside of any world
  *tiny = (struct tiny){0};
}

static inline struct tiny tiny_alloc(u64 len) {
  u8 *bytes = calloc(1, len + 1);  // tidy-allow(banned): as above

  assert_non_null(bytes);
  return (struct tiny){bytes, len};
}

static inline void tiny_path(char out[64], const char *arch) {
  snprintf(out, 64, "models/vdso/testing/tiny_%s.so", arch);
}

// The tiny vDSO of that architecture: "ppc32", "ppc64", "ppc64le", "arm64", "x86_64", "i386".
static inline struct tiny tiny_read(const char *arch) {
  char path[64];
  FILE *file;
  struct tiny tiny = tiny_alloc(1 << 16);

  tiny_path(path, arch);
  file = fopen(path, "rb");
  assert_non_null(file);
  tiny.len = fread(tiny.bytes, 1, tiny.len, file);
  assert_true(tiny.len > 0 && feof(file));
  fclose(file);
  return tiny;
}

// `before` bytes of noise without a magic number, the bytes, and `after` more of them.
static inline struct tiny tiny_embed(const u8 *bytes, u64 len, u64 before, u64 after) {
  struct tiny tiny = tiny_alloc(before + len + after);

  for (u64 i = 0; i < tiny.len; i++) tiny.bytes[i] = (u8)('a' + sim_mix64(i) % 20);
  memcpy(tiny.bytes + before, bytes, len);
  return tiny;
}

static inline struct tiny tiny_gzip(const u8 *bytes, u64 len) {
  struct tiny tiny = tiny_alloc(len + len / 100 + 1000);
  z_stream stream = {0};

  assert_int_equal(deflateInit2(&stream, 1, Z_DEFLATED, 16 + MAX_WBITS, 8, 0), Z_OK);
  stream.next_in = (Bytef *)(uintptr_t)bytes;
  stream.avail_in = (uInt)len;
  stream.next_out = tiny.bytes;
  stream.avail_out = (uInt)tiny.len;
  assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
  tiny.len = stream.total_out;
  deflateEnd(&stream);
  return tiny;
}

static inline struct tiny tiny_xz(const u8 *bytes, u64 len) {
  struct tiny tiny = tiny_alloc(len + len / 100 + 1000);
  size_t used = 0;

  assert_int_equal(
      lzma_easy_buffer_encode(0, LZMA_CHECK_CRC32, NULL, bytes, len, tiny.bytes, &used, tiny.len),
      LZMA_OK);
  tiny.len = used;
  return tiny;
}

static inline struct tiny tiny_zstd(const u8 *bytes, u64 len) {
  struct tiny tiny = tiny_alloc(ZSTD_compressBound(len));

  tiny.len = ZSTD_compress(tiny.bytes, tiny.len, bytes, len, 1);
  assert_false(ZSTD_isError(tiny.len));
  return tiny;
}

static inline struct tiny tiny_pack(enum unpack_format format, const u8 *bytes, u64 len) {
  if (format == UNPACK_GZIP) return tiny_gzip(bytes, len);
  if (format == UNPACK_XZ) return tiny_xz(bytes, len);
  return tiny_zstd(bytes, len);
}

#endif  // SEEDBED_MODELS_VDSO_TESTING_TINY_FILES_H_
