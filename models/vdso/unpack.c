// SPDX-License-Identifier: GPL-2.0-or-later
//
// See unpack.h. Each decoder is fed the input as it lies and an output that grows.
#include "models/vdso/unpack.h"

#include <inttypes.h>
#include <lzma.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

// A step takes at most so much input, so that counts fit into every decoder's types.
#define STEP_LEN ((u64)1 << 24)
#define OUT_LEN_FIRST ((u64)1 << 16)
// Dictionaries of real kernels are up to 128 MiB.
#define XZ_MEMORY_MAX ((u64)256 << 20)

enum step { STEP_MORE, STEP_END, STEP_DAMAGED };

struct decoder {
  const u8 *in;
  u64 in_left;
  u8 *out;
  u64 out_left;
  const char *why;  // of STEP_DAMAGED
  z_stream gzip;
  lzma_stream xz;
  ZSTD_DStream *zstd;
};

const char *unpack_format_name(enum unpack_format format) {
  static const char *const names[] = {"gzip", "xz", "zstd"};

  SIM_ASSERT(format < UNPACK_FORMAT_COUNT);
  return names[format];
}

enum unpack_format unpack_format_at(const u8 *bytes, u64 len) {
  // With the only method there is, and no reserved flag: RFC 1952.
  if (len >= 4 && !memcmp(bytes, "\x1f\x8b\x08", 3) && !(bytes[3] & 0xe0)) return UNPACK_GZIP;
  if (len >= 6 && !memcmp(bytes,
                          "\xfd"
                          "7zXZ",
                          6))
    return UNPACK_XZ;
  if (len >= 4 && !memcmp(bytes, "\x28\xb5\x2f\xfd", 4)) return UNPACK_ZSTD;
  return UNPACK_FORMAT_COUNT;
}

void unpacked_free(struct unpacked *unpacked) {
  free(unpacked->bytes);  // tidy-allow(banned): host memory, outside of any world
  *unpacked = (struct unpacked){0};
}

// ---- The decoders ----

static bool begin(enum unpack_format format, struct decoder *d) {
  switch (format) {
    case UNPACK_GZIP:
      return inflateInit2(&d->gzip, 16 + MAX_WBITS) == Z_OK;  // 16: gzip's header and sum
    case UNPACK_XZ:
      d->xz = (lzma_stream)LZMA_STREAM_INIT;
      return lzma_stream_decoder(&d->xz, XZ_MEMORY_MAX, 0) == LZMA_OK;
    case UNPACK_ZSTD:
      d->zstd = ZSTD_createDStream();
      return d->zstd != NULL;
    case UNPACK_FORMAT_COUNT:
      break;
  }
  return false;
}

static void end(enum unpack_format format, struct decoder *d) {
  if (format == UNPACK_GZIP) inflateEnd(&d->gzip);
  if (format == UNPACK_XZ) lzma_end(&d->xz);
  if (format == UNPACK_ZSTD) ZSTD_freeDStream(d->zstd);
}

static enum step damaged(struct decoder *d, const char *why) {
  d->why = why ? why : "the data is damaged";
  return STEP_DAMAGED;
}

static enum step step_gzip(struct decoder *d, u64 in_len, u64 out_len) {
  int result;

  d->gzip.next_in = (Bytef *)(uintptr_t)d->in;
  d->gzip.avail_in = (uInt)in_len;
  d->gzip.next_out = d->out;
  d->gzip.avail_out = (uInt)out_len;
  result = inflate(&d->gzip, Z_NO_FLUSH);
  d->in += in_len - d->gzip.avail_in;
  d->in_left -= in_len - d->gzip.avail_in;
  d->out += out_len - d->gzip.avail_out;
  d->out_left -= out_len - d->gzip.avail_out;
  if (result == Z_STREAM_END) return STEP_END;
  if (result == Z_OK || result == Z_BUF_ERROR) return STEP_MORE;
  return damaged(d, d->gzip.msg);
}

static const char *xz_reason(lzma_ret result) {
  switch (result) {
    case LZMA_MEMLIMIT_ERROR:
      return "it needs a larger dictionary than a kernel has";
    case LZMA_OPTIONS_ERROR:
      return "it uses options that liblzma has not";
    default:
      return NULL;
  }
}

static enum step step_xz(struct decoder *d, u64 in_len, u64 out_len) {
  lzma_ret result;

  d->xz.next_in = d->in;
  d->xz.avail_in = in_len;
  d->xz.next_out = d->out;
  d->xz.avail_out = out_len;
  result = lzma_code(&d->xz, LZMA_RUN);
  d->in += in_len - d->xz.avail_in;
  d->in_left -= in_len - d->xz.avail_in;
  d->out += out_len - d->xz.avail_out;
  d->out_left -= out_len - d->xz.avail_out;
  if (result == LZMA_STREAM_END) return STEP_END;
  if (result == LZMA_OK || result == LZMA_BUF_ERROR) return STEP_MORE;
  return damaged(d, xz_reason(result));
}

static enum step step_zstd(struct decoder *d, u64 in_len, u64 out_len) {
  ZSTD_inBuffer in = {d->in, in_len, 0};
  ZSTD_outBuffer out = {d->out, out_len, 0};
  size_t result = ZSTD_decompressStream(d->zstd, &out, &in);

  d->in += in.pos;
  d->in_left -= in.pos;
  d->out += out.pos;
  d->out_left -= out.pos;
  if (ZSTD_isError(result)) return damaged(d, ZSTD_getErrorName(result));
  return result ? STEP_MORE : STEP_END;
}

static enum step step(enum unpack_format format, struct decoder *d) {
  u64 in_len = d->in_left < STEP_LEN ? d->in_left : STEP_LEN;
  u64 out_len = d->out_left < STEP_LEN ? d->out_left : STEP_LEN;

  switch (format) {
    case UNPACK_GZIP:
      return step_gzip(d, in_len, out_len);
    case UNPACK_XZ:
      return step_xz(d, in_len, out_len);
    default:
      return step_zstd(d, in_len, out_len);
  }
}

// ---- The loop ----

// Makes room in an output that is full; false: the budget is.
static bool grow(struct decoder *d, struct unpacked *out, u64 *cap, u64 cap_max) {
  u64 used = *cap - d->out_left;

  if (*cap == cap_max) return false;
  *cap = *cap ? 2 * *cap : OUT_LEN_FIRST;
  if (*cap > cap_max) *cap = cap_max;
  out->bytes = realloc(out->bytes, *cap);  // tidy-allow(banned): as above
  SIM_ASSERT(out->bytes);
  d->out = out->bytes + used;
  d->out_left = *cap - used;
  return true;
}

// Runs the decoder until its end; false with a reason.
static bool run(enum unpack_format format, struct decoder *d, struct unpacked *out, u64 *cap,
                u64 cap_max) {
  for (;;) {
    u64 in_before = d->in_left, out_before = d->out_left;
    enum step result;

    // With no room left a decoder still tells the end, and asks for more by making none.
    result = *cap ? step(format, d) : STEP_MORE;
    if (result == STEP_END) return true;
    if (result == STEP_DAMAGED) return false;
    if (d->out_left == 0) {
      if (*cap == cap_max && in_before == d->in_left && out_before == d->out_left) {
        d->why = "it unpacks to more than is looked at";
        return false;
      }
      if (*cap < cap_max && !grow(d, out, cap, cap_max)) return false;
      continue;
    }
    if (d->in_left == 0 && out_before == d->out_left) {
      d->why = "it is cut off";
      return false;
    }
  }
}

bool unpack(enum unpack_format format, const u8 *in, u64 len, struct unpack_budget *budget,
            struct unpacked *out, u64 *out_made, char *err, size_t err_len) {
  u64 in_max = len < budget->in_len ? len : budget->in_len, cap = 0;
  struct decoder d = {.in = in, .in_left = in_max};
  bool ok;

  *out = (struct unpacked){0};
  *out_made = 0;
  if (!budget->attempts || !budget->in_len || !budget->out_len) {
    snprintf(err, err_len, "there is more in the file than is looked at");
    return false;
  }
  budget->attempts--;
  SIM_ASSERT(begin(format, &d));
  ok = run(format, &d, out, &cap, budget->out_len);
  end(format, &d);
  out->len = cap - d.out_left;
  out->in_len = in_max - d.in_left;
  *out_made = out->len;
  budget->in_len -= out->in_len;
  budget->out_len -= out->len;
  if (ok) return true;
  snprintf(err, err_len, "%s", d.why ? d.why : "there is more in the file than is looked at");
  unpacked_free(out);
  return false;
}
