// SPDX-License-Identifier: GPL-2.0-or-later
//
// See vdso_alternatives.h.
#include "models/vdso/vdso_alternatives.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

// An entry of .altinstructions (arch/arm64/include/asm/alternative.h, struct alt_instr): where
// the original lies and where its replacement, each from its own field on, the capability, and
// the bytes of both.
enum { ENTRY_LEN = 12, ENTRIES_MAX = 8 };
#define NOP 0xd503201fu
#define IS_BRANCH(word) (((word)&0xfc000000u) == 0x14000000u)

struct entry {
  u64 original, replacement;  // from image->vaddr on
  u32 capability, original_len, replacement_len;
};

static u32 load32(const u8 *at) {
  return at[0] | (u32)at[1] << 8 | (u32)at[2] << 16 | (u32)at[3] << 24;
}

static struct entry read_entry(const u8 *memory, u64 at) {
  return (struct entry){
      .original = at + (u64)(s64)(s32)load32(memory + at),
      .replacement = at + 4 + (u64)(s64)(s32)load32(memory + at + 4),
      .capability = memory[at + 8] | (u32)memory[at + 9] << 8,
      .original_len = memory[at + 10],
      .replacement_len = memory[at + 11],
  };
}

// Whether [at, at + len) lies in the image's memory.
static bool lies_in(const struct vdso_image *image, u64 at, u64 len) {
  return at <= image->mem_len && len <= image->mem_len - at;
}

// A branch that a NOP replaces.
static bool is_switch(const struct vdso_image *image, const u8 *memory, const struct entry *e) {
  return e->original_len == 4 && e->replacement_len == 4 && !(e->original & 3) &&
         lies_in(image, e->original, 4) && lies_in(image, e->replacement, 4) &&
         IS_BRANCH(load32(memory + e->original)) && load32(memory + e->replacement) == NOP;
}

bool vdso_alternatives_apply(const struct vdso_image *image, u8 *memory, bool has_fpsimd, char *err,
                             size_t err_len) {
  const struct vdso_symbol *function = vdso_symbol_find(image, "__kernel_getrandom");
  u64 table = image->alternatives_vaddr - image->vaddr, begin, end;
  u64 found[ENTRIES_MAX];
  u32 num = 0, capability = 0;

  if (image->arch != VDSO_ARM64 || !function) return true;
  begin = function->value - image->vaddr;
  end = function->len ? begin + function->len : image->mem_len;
  for (u64 at = 0; at + ENTRY_LEN <= image->alternatives_len; at += ENTRY_LEN) {
    struct entry e = read_entry(memory, table + at);

    if (e.original < begin || e.original >= end) continue;
    if (!is_switch(image, memory, &e) || num == ENTRIES_MAX ||
        (num && e.capability != capability)) {
      snprintf(err, err_len,
               "the alternative of capability %" PRIu32 " at __kernel_getrandom+0x%" PRIx64
               " is not the branch of a processor without FPSIMD",
               e.capability, e.original - begin);
      return false;
    }
    capability = e.capability;
    found[num++] = e.original;
  }
  if (!has_fpsimd && !num) {
    snprintf(err, err_len, "the image has no alternative for a processor without FPSIMD");
    return false;
  }
  for (u32 i = 0; i < num && has_fpsimd; i++)
    memcpy(memory + found[i], (const u8[]){NOP & 255, NOP >> 8 & 255, NOP >> 16 & 255, NOP >> 24},
           4);
  return true;
}
