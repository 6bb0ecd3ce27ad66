// SPDX-License-Identifier: GPL-2.0-or-later
//
// The tables of `seedbed table`: published figures beside simulated or measured ones. Each
// prints its own and returns the command's status.
#ifndef SEEDBED_TOOLS_TABLE_H_
#define SEEDBED_TOOLS_TABLE_H_

#include "tools/subject.h"

int table_bcm2835(bool json);
int table_archrandom(bool json);

// What a system call is taken to cost: the instructions of one block of ChaCha20, which the
// kernel computes for up to 32 bytes, and these for entry, exit and copying.
enum { TABLE_SYSCALL_INSNS = 600 };
// What stands beside the built-in subjects; each lives until the table is printed. The first of
// ppc32, if there is one, is what the published figures are compared with.
enum { TABLE_VDSO_SUBJECTS_MAX = 5 };
struct table_vdso_subject {
  const char *name;
  const struct vdso_image *image;
};
int table_vdso(const struct table_vdso_subject *subjects, u32 num, u64 syscall_insns, bool json);

// What a section of the kernel is taken to cost: its begin and end, and saving and loading a
// task's registers; the default of fpu-blake2s.
enum { TABLE_SECTION_CYCLES = 346 };
int table_blake2s(u64 section_cycles, bool json);

#endif  // SEEDBED_TOOLS_TABLE_H_
