// SPDX-License-Identifier: GPL-2.0-or-later
//
// vDSO images: the shared objects that a kernel maps into every process, read from a .so
// or carved from a kernel file.
//
// A kernel file is anything that holds a whole vDSO somewhere: a vmlinux, a raw arm64
// Image, or a file with a payload compressed by gzip, xz or zstd in which one of those is
// found (an x86 bzImage, an EFI zboot image, Image.gz). Payloads are found by their magic
// number, two deep at most.
//
// Files are hostile. All ELF structures are read through libelf, and what is kept of them
// was checked first: sizes, overlaps, and that each address lies where it should. What a
// file can cost is bounded by the limits below, whatever it claims.
//
// This is host memory, outside of any world: images are loaded before one is set up, and no
// run changes them.
#ifndef SEEDBED_MODELS_VDSO_IMAGE_H_
#define SEEDBED_MODELS_VDSO_IMAGE_H_

#include "sim/base.h"
#include "sim/world.h"

enum {
  VDSO_IMAGES_MAX = 8,           // vDSOs of one file; a kernel has three at most
  VDSO_IMAGE_LEN_MAX = 1 << 20,  // bytes of one vDSO, and of the memory it takes; real: < 128 KiB
  VDSO_SEGMENTS_MAX = 4,         // loadable; real ones have one
  VDSO_SECTIONS_MAX = 256,
  VDSO_SYMBOLS_MAX = 1024,
};
#define VDSO_FILE_LEN_MAX (1ull << 30)      // bytes of a file
#define VDSO_UNPACKED_LEN_MAX (1ull << 29)  // bytes of all payloads of a file, unpacked

enum vdso_arch {
  VDSO_OTHER,  // listed, but nothing here can run it
  VDSO_PPC32,  // big-endian
  VDSO_PPC64,  // big-endian
  VDSO_PPC64LE,
  VDSO_ARM64,
  VDSO_X86_64,  // listed; not run
  VDSO_ARCH_COUNT,
};
// "ppc32", "ppc64", "ppc64le", "arm64", "x86-64", "other".
const char *vdso_arch_name(enum vdso_arch arch);
// Whether the scenarios run it.
bool vdso_arch_runs(enum vdso_arch arch);

// A defined symbol with a name.
struct vdso_symbol {
  const char *name;
  const char *version;  // "LINUX_2.6.15"; NULL where it has none
  u64 value;            // link-time address; of a data page below the image: as two's complement
  u64 len;              // bytes; 0 where the assembler was not told
  u32 local_entry_len;  // ppc64le: from `value` to the entry that needs no r12 (bytes); else 0
  bool is_function;
  bool is_exported;  // of .dynsym; else of .symtab, which some images keep
};

// A run of bytes that is mapped: file bytes, then zeros up to `mem_len`.
struct vdso_segment {
  u64 vaddr;              // link-time address
  u64 offset;             // in `bytes`
  u64 file_len, mem_len;  // bytes; file_len <= mem_len
  bool is_writable, is_executable;
};

// The data pages, which the kernel maps right before the image.
enum vdso_data_source {
  VDSO_DATA_UNKNOWN,  // no symbol tells: to be found by watching what a call reads
  VDSO_DATA_SYMBOLS,  // by _vdso_datapage, vdso_u_data, vdso_u_rng_data and the like
  VDSO_DATA_WATCHED,  // somebody watched, and filled this in
};
struct vdso_data_layout {
  enum vdso_data_source source;
  u64 len;         // bytes from the first data page's start to the image's; 0 where unknown
  u64 page_len;    // bytes of a page; 0 where unknown
  s64 rng_offset;  // of the RNG's data from the first data page's start, bytes; -1: unknown
};

struct vdso_image {
  enum vdso_arch arch;
  u16 machine;  // e_machine of the ELF header
  bool is_64bit, is_big_endian;
  // The whole ELF file as the kernel embeds it: up to the end of the last thing that its
  // headers speak of. Owned.
  const u8 *bytes;
  u64 len;
  // Of `bytes`: the subject. So the same vDSO has one SHA-256 whether it came as a .so or in
  // a kernel file, compressed or not.
  char sha256[65];                                  // hexadecimal, lower case
  char build_id[129];                               // hexadecimal; "" where there is none
  char version[16];                                 // of the kernel, by its note: "6.12.95"; ""
  char release[64];                                 // the same with its suffix; ""
  char soname[64];                                  // "linux-vdso64.so.1"; ""
  u64 file_offset;                                  // where it began, in the file or its payload
  char payload[64];                                 // "gzip at 0x4000"; "": in the file itself
  struct vdso_segment segments[VDSO_SEGMENTS_MAX];  // ascending, not overlapping
  u32 num_segments;
  u64 vaddr, mem_len;                        // of all segments together; mem_len bytes are mapped
  u64 text_vaddr, text_len;                  // .text; where there is none, the executable segments
  u64 fixup_len;                             // bytes of tables by which a kernel patches it at boot
  u64 alternatives_vaddr, alternatives_len;  // of them .altinstructions, in loaded memory; 0: none
  u32 num_relocs;               // entries of relocation sections; a kernel applies none
  u32 num_undefined;            // undefined symbols of .dynsym; a vDSO has none
  struct vdso_symbol *symbols;  // exported ones first, each part by value, then by name; owned
  u32 num_symbols;
  struct vdso_data_layout data;
  char *names;  // what the names of symbols and versions point into; owned
};

// All vDSOs of a file, in the order in which they stand in it.
struct vdso_images {
  struct vdso_image image[VDSO_IMAGES_MAX];
  u32 count;
};

// Loads each vDSO of the file at `path`. Returns SIM_OK and at least one; free with
// vdso_images_free. Otherwise `out` is empty and `err` has the reason without the path:
// SIM_MISSING_FILE, it cannot be read; SIM_MALFORMED, no vDSO is in it, or it is one and
// breaks a rule. A candidate within a kernel file that breaks a rule is passed over, and
// named when there is no better one.
SIM_MUST_CHECK enum sim_status vdso_images_load(const char *path, struct vdso_images *out,
                                                char *err, size_t err_len);
// The same for a file's bytes, which are borrowed for the call; false is SIM_MALFORMED.
SIM_MUST_CHECK bool vdso_images_parse(const u8 *bytes, u64 len, struct vdso_images *out, char *err,
                                      size_t err_len);
// Frees what it holds; it is empty again.
void vdso_images_free(struct vdso_images *images);

// The symbol of that name, an exported one before a local one; NULL if there is none.
const struct vdso_symbol *vdso_symbol_find(const struct vdso_image *image, const char *name);
// The function that holds the address, or the last one before it; of an address outside of
// the image the last symbol before it, as that of a data page. NULL where there is none. For
// reports.
const struct vdso_symbol *vdso_symbol_at(const struct vdso_image *image, u64 vaddr);

#endif  // SEEDBED_MODELS_VDSO_IMAGE_H_
