// SPDX-License-Identifier: GPL-2.0-or-later
//
// Unpacking compressed payloads of kernel files, within a budget. Internal to models/vdso.
#ifndef SEEDBED_MODELS_VDSO_UNPACK_H_
#define SEEDBED_MODELS_VDSO_UNPACK_H_

#include "sim/base.h"

enum unpack_format { UNPACK_GZIP, UNPACK_XZ, UNPACK_ZSTD, UNPACK_FORMAT_COUNT };
const char *unpack_format_name(enum unpack_format format);  // "gzip", ...

// Which format's magic number is at bytes[0]; UNPACK_FORMAT_COUNT: none.
enum unpack_format unpack_format_at(const u8 *bytes, u64 len);

// What all payloads of one file may cost together. Each attempt takes from it what it used,
// whether it succeeds or not.
struct unpack_budget {
  u64 in_len, out_len;  // bytes read and written
  u32 attempts;
};

struct unpacked {
  u8 *bytes;  // owned; free with unpacked_free
  u64 len;
  u64 in_len;  // bytes of input that the payload took
};
void unpacked_free(struct unpacked *unpacked);

// Unpacks the one payload that begins at in[0]; what follows it is not looked at. Needs no
// more memory than the output (at most budget->out_len, grown by doubling) and what the
// formats' decoders take (256 MiB at most). Returns false with a reason in `err` and `out`
// empty, but for in_len, if the payload is damaged, goes on beyond `len`, or exceeds the
// budget; `*out_made` is how many bytes had come out until then.
SIM_MUST_CHECK bool unpack(enum unpack_format format, const u8 *in, u64 len,
                           struct unpack_budget *budget, struct unpacked *out, u64 *out_made,
                           char *err, size_t err_len);

#endif  // SEEDBED_MODELS_VDSO_UNPACK_H_
