// SPDX-License-Identifier: GPL-2.0-or-later
//
// See image_branches.h. Encodings: Power ISA 1.6 and 2.4 (I-form, B-form); Arm Architecture
// Reference Manual C4.1.94.
#include "models/vdso/image_branches.h"

// Beyond every image by more than the longest distance, and so when it is cut to 32 bits.
#define ABSOLUTE 0x80000000ull

// The two's complement number in the bits from `low`, `bits` of them, as bytes: it counts words.
static u64 distance(u32 word, u32 low, u32 bits) {
  u64 value = word >> low & ((1u << bits) - 1);

  if (value >> (bits - 1) & 1) value -= 1ull << bits;
  return value * 4;
}

static bool ppc_branch(u32 word, u64 at, u64 *to) {
  u32 opcode = word >> 26;
  // AA: an address of the process and no distance. No image knows where it is mapped.
  u64 from = word & 2 ? ABSOLUTE : at;

  if (opcode != 18 && opcode != 16) return false;
  *to = from + (opcode == 18 ? distance(word, 2, 24) : distance(word, 2, 14));
  return true;
}

static bool arm64_branch(u32 word, u64 at, u64 *to) {
  if ((word & 0x7c000000) == 0x14000000)  // b, bl
    *to = at + distance(word, 0, 26);
  else if ((word & 0xff000000) == 0x54000000 || (word & 0x7e000000) == 0x34000000)
    *to = at + distance(word, 5, 19);  // b.cond; cbz, cbnz
  else if ((word & 0x7e000000) == 0x36000000)
    *to = at + distance(word, 5, 14);  // tbz, tbnz
  else
    return false;
  return true;
}

static const struct vdso_segment *code_at(const struct vdso_image *image, u64 vaddr) {
  for (u32 i = 0; i < image->num_segments; i++) {
    const struct vdso_segment *segment = &image->segments[i];

    if (segment->is_executable && vaddr - segment->vaddr < segment->file_len) return segment;
  }
  return NULL;
}

static u32 word_of(const struct vdso_image *image, const u8 *at) {
  if (image->is_big_endian)
    return (u32)at[0] << 24 | (u32)at[1] << 16 | (u32)at[2] << 8 | (u32)at[3];
  return (u32)at[3] << 24 | (u32)at[2] << 16 | (u32)at[1] << 8 | (u32)at[0];
}

bool vdso_image_branches_stay(const struct vdso_image *image, u64 *out_at, u64 *out_to) {
  u64 end = image->text_vaddr + image->text_len;

  if (!vdso_arch_runs(image->arch)) return true;
  for (u64 at = image->text_vaddr; at + 4 <= end; at += 4) {
    const struct vdso_segment *segment = code_at(image, at);
    u64 to;
    u32 word;

    // A function may end where a segment's bytes do.
    if (!segment || segment->vaddr + segment->file_len - at < 4) continue;
    word = word_of(image, image->bytes + segment->offset + (at - segment->vaddr));
    if (image->arch == VDSO_ARM64 ? !arm64_branch(word, at, &to) : !ppc_branch(word, at, &to))
      continue;
    if (!image->is_64bit) to = (u32)to;
    if (code_at(image, to)) continue;
    *out_at = at;
    *out_to = to;
    return false;
  }
  return true;
}
