// SPDX-License-Identifier: GPL-2.0-or-later
//
// See image_elf.h. Sections: complaints; headers and extent; segments; sections; strings;
// versions; symbols; notes; data pages; reading.
//
// The rule: libelf finds and converts each structure; what it says is checked before it is
// used or kept. Work and memory are bounded by the limits of image.h, so that a file of many
// candidates stays cheap.
#include "models/vdso/image_elf.h"

#include <gelf.h>
#include <inttypes.h>
#include <libelf.h>
#include <sodium/crypto_hash_sha256.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef SHT_RELR
#define SHT_RELR 19
#endif

enum {
  PHDRS_MAX = 32,
  VERSIONS_MAX = 64,
  NAME_LEN_MAX = 200,
  // Types of the notes named "Linux" (include/linux/elfnote.h and elfnote-lto.h of the kernel).
  NOTE_LINUX_VERSION = 0,
  NOTE_LINUX_BUILD_SALT = 0x100,
};

// One reading. Offsets are those of the file, addresses those of the link.
struct reader {
  Elf *elf;
  GElf_Ehdr ehdr;
  u64 len;  // bytes that there are
  bool is_all;
  struct vdso_image *image;
  struct section {
    GElf_Shdr shdr;
    const char *name;
  } sections[VDSO_SECTIONS_MAX];
  u32 num_sections;
  const char *versions[VERSIONS_MAX];  // by index; NULL: not defined
  size_t names_len, names_cap;
  char *err;
  size_t err_len;
};

// ---- Complaints ----

SIM_PRINTF(2, 3) static bool broken(struct reader *r, const char *fmt, ...) {
  va_list args;

  va_start(args, fmt);
  vsnprintf(r->err, r->err_len, fmt, args);
  va_end(args);
  return false;
}

// [begin, begin + len) ends within `limit`.
static bool fits(u64 begin, u64 len, u64 limit) { return begin <= limit && len <= limit - begin; }

static bool overlap(u64 a, u64 a_len, u64 b, u64 b_len) {
  return a_len && b_len && a < b + b_len && b < a + a_len;
}

// ---- Headers and extent ----

// Lets the image reach to begin + len.
static bool extend(struct reader *r, const char *what, u64 begin, u64 len) {
  struct vdso_image *image = r->image;

  if (!fits(begin, len, VDSO_IMAGE_LEN_MAX))
    return broken(r, "%s would end beyond %d bytes, more than a vDSO has", what,
                  VDSO_IMAGE_LEN_MAX);
  if (begin + len > r->len)
    return broken(r, "%s ends at byte %" PRIu64 ", the file at %" PRIu64 "%s", what, begin + len,
                  r->len, r->is_all ? ": it is truncated" : "");
  if (begin + len > image->len) image->len = begin + len;
  return true;
}

static enum vdso_arch arch_of(const GElf_Ehdr *ehdr) {
  bool is_64bit = ehdr->e_ident[EI_CLASS] == ELFCLASS64;
  bool is_big_endian = ehdr->e_ident[EI_DATA] == ELFDATA2MSB;

  switch (ehdr->e_machine) {
    case EM_PPC:
      return !is_64bit && is_big_endian ? VDSO_PPC32 : VDSO_OTHER;
    case EM_PPC64:
      if (!is_64bit) return VDSO_OTHER;
      return is_big_endian ? VDSO_PPC64 : VDSO_PPC64LE;
    case EM_AARCH64:
      return is_64bit && !is_big_endian ? VDSO_ARM64 : VDSO_OTHER;
    case EM_X86_64:
      return is_64bit && !is_big_endian ? VDSO_X86_64 : VDSO_OTHER;
    default:
      return VDSO_OTHER;
  }
}

static bool read_headers(struct reader *r) {
  const GElf_Ehdr *ehdr = &r->ehdr;
  struct vdso_image *image = r->image;

  image->arch = arch_of(ehdr);
  image->machine = ehdr->e_machine;
  image->is_64bit = ehdr->e_ident[EI_CLASS] == ELFCLASS64;
  image->is_big_endian = ehdr->e_ident[EI_DATA] == ELFDATA2MSB;
  if (ehdr->e_phnum == 0) return broken(r, "it has no program headers");
  if (ehdr->e_phnum > PHDRS_MAX)
    return broken(r, "it has %u program headers; a vDSO has at most %d", ehdr->e_phnum, PHDRS_MAX);
  if (ehdr->e_shnum == 0) return broken(r, "it has no section headers, so no symbols");
  if (ehdr->e_shnum > VDSO_SECTIONS_MAX)
    return broken(r, "it has %u sections; a vDSO has at most %d", ehdr->e_shnum, VDSO_SECTIONS_MAX);
  if (ehdr->e_phentsize != gelf_fsize(r->elf, ELF_T_PHDR, 1, EV_CURRENT) ||
      ehdr->e_shentsize != gelf_fsize(r->elf, ELF_T_SHDR, 1, EV_CURRENT))
    return broken(r, "its program or section headers have another size than its class has");
  return extend(r, "the ELF header", 0, ehdr->e_ehsize) &&
         extend(r, "the table of program headers", ehdr->e_phoff,
                (u64)ehdr->e_phnum * ehdr->e_phentsize) &&
         extend(r, "the table of section headers", ehdr->e_shoff,
                (u64)ehdr->e_shnum * ehdr->e_shentsize);
}

// ---- Segments ----

static bool add_segment(struct reader *r, u32 index, const GElf_Phdr *phdr) {
  struct vdso_image *image = r->image;
  struct vdso_segment *segment = &image->segments[image->num_segments];

  if (image->num_segments == VDSO_SEGMENTS_MAX)
    return broken(r, "more than %d segments are loaded", VDSO_SEGMENTS_MAX);
  if (phdr->p_filesz > phdr->p_memsz)
    return broken(r, "segment %u has more bytes in the file than in memory", index);
  if (phdr->p_memsz > VDSO_IMAGE_LEN_MAX)
    return broken(r, "segment %u takes %" PRIu64 " bytes of memory, more than a vDSO has", index,
                  (u64)phdr->p_memsz);
  if (phdr->p_vaddr > UINT64_MAX - phdr->p_memsz ||
      (!image->is_64bit && phdr->p_vaddr + phdr->p_memsz > UINT32_MAX))
    return broken(r, "segment %u goes beyond the end of the address space", index);
  if (image->num_segments && phdr->p_vaddr < segment[-1].vaddr + segment[-1].mem_len)
    return broken(r, "segment %u overlaps the one before it, or is out of order", index);
  *segment = (struct vdso_segment){
      .vaddr = phdr->p_vaddr,
      .offset = phdr->p_offset,
      .file_len = phdr->p_filesz,
      .mem_len = phdr->p_memsz,
      .is_writable = phdr->p_flags & PF_W,
      .is_executable = phdr->p_flags & PF_X,
  };
  image->num_segments++;
  return true;
}

static bool read_segments(struct reader *r) {
  struct vdso_image *image = r->image;
  char what[32];

  for (u32 i = 0; i < r->ehdr.e_phnum; i++) {
    GElf_Phdr phdr;

    if (!gelf_getphdr(r->elf, (int)i, &phdr)) return broken(r, "program header %u is lost", i);
    snprintf(what, sizeof(what), "segment %u", i);
    if (phdr.p_filesz && !extend(r, what, phdr.p_offset, phdr.p_filesz)) return false;
    if (phdr.p_type == PT_LOAD && phdr.p_memsz && !add_segment(r, i, &phdr)) return false;
  }
  if (!image->num_segments) return broken(r, "no segment is loaded");
  const struct vdso_segment *last = &image->segments[image->num_segments - 1];
  image->vaddr = image->segments[0].vaddr;
  image->mem_len = last->vaddr + last->mem_len - image->vaddr;
  if (image->mem_len > VDSO_IMAGE_LEN_MAX)
    return broken(r, "its segments span %" PRIu64 " bytes of memory, more than a vDSO has",
                  image->mem_len);
  return true;
}

// The segment in which all of [vaddr, vaddr + len) lies, or NULL.
static const struct vdso_segment *segment_of(const struct vdso_image *image, u64 vaddr, u64 len) {
  for (u32 i = 0; i < image->num_segments; i++) {
    const struct vdso_segment *segment = &image->segments[i];

    if (vaddr >= segment->vaddr && fits(vaddr - segment->vaddr, len, segment->mem_len))
      return segment;
  }
  return NULL;
}

// ---- Strings ----

// Something, only what a terminal can show, and of a sane length.
static bool is_name(const char *s) {
  size_t len = 0;

  for (; s[len]; len++)
    if (s[len] < 0x21 || s[len] > 0x7e || len == NAME_LEN_MAX) return false;
  return len > 0;
}

static Elf_Data *section_data(struct reader *r, u32 index) {
  Elf_Scn *scn = elf_getscn(r->elf, index);
  Elf_Data *data = scn ? elf_getdata(scn, NULL) : NULL;

  return data && data->d_buf && data->d_size ? data : NULL;
}

// The section is a string table that ends with NUL, so that each string in it ends.
static bool check_strings(struct reader *r, u32 index, const char *whose) {
  Elf_Data *data;

  if (index >= r->num_sections || r->sections[index].shdr.sh_type != SHT_STRTAB)
    return broken(r, "%s: section %u is no string table", whose, index);
  data = section_data(r, index);
  if (!data || ((const char *)data->d_buf)[data->d_size - 1])
    return broken(r, "%s: the string table does not end with NUL", whose);
  return true;
}

static const char *string_at(struct reader *r, u32 index, u64 offset) {
  const char *s = offset < VDSO_IMAGE_LEN_MAX ? elf_strptr(r->elf, index, offset) : NULL;

  return s && is_name(s) ? s : NULL;
}

// ---- Sections ----

static bool check_section(struct reader *r, u32 index) {
  const GElf_Shdr *shdr = &r->sections[index].shdr;
  const struct vdso_segment *segment;
  char what[32];

  snprintf(what, sizeof(what), "section %u", index);
  if (shdr->sh_type != SHT_NOBITS && shdr->sh_size &&
      !extend(r, what, shdr->sh_offset, shdr->sh_size))
    return false;
  if (!(shdr->sh_flags & SHF_ALLOC) || !shdr->sh_size) return true;
  segment = segment_of(r->image, shdr->sh_addr, shdr->sh_size);
  if (!segment) return broken(r, "section %u lies in no loaded segment", index);
  if (shdr->sh_type != SHT_NOBITS &&
      shdr->sh_offset - segment->offset != shdr->sh_addr - segment->vaddr)
    return broken(r, "section %u lies elsewhere in memory than in the file", index);
  for (u32 i = 1; i < index; i++) {
    const GElf_Shdr *other = &r->sections[i].shdr;

    if ((other->sh_flags & SHF_ALLOC) &&
        overlap(shdr->sh_addr, shdr->sh_size, other->sh_addr, other->sh_size))
      return broken(r, "sections %u and %u overlap", i, index);
  }
  return true;
}

static bool read_sections(struct reader *r) {
  size_t names = 0;

  r->num_sections = r->ehdr.e_shnum;
  for (u32 i = 1; i < r->num_sections; i++) {
    Elf_Scn *scn = elf_getscn(r->elf, i);

    if (!scn || !gelf_getshdr(scn, &r->sections[i].shdr))
      return broken(r, "section header %u is lost", i);
    if (!check_section(r, i)) return false;
  }
  if (elf_getshdrstrndx(r->elf, &names)) return broken(r, "its sections have no names");
  if (!check_strings(r, (u32)names, "names of sections")) return false;
  for (u32 i = 1; i < r->num_sections; i++) {
    r->sections[i].name = string_at(r, (u32)names, r->sections[i].shdr.sh_name);
    if (!r->sections[i].name) return broken(r, "section %u has no proper name", i);
  }
  return true;
}

// Tables by which a kernel patches the image when it boots; arm64 and x86, then powerpc.
static bool is_fixup(const char *name) {
  static const char *const names[] = {
      ".altinstructions", "__ftr_fixup", "__mmu_ftr_fixup", "__fw_ftr_fixup", "__lwsync_fixup",
  };

  for (u32 i = 0; i < SIM_ARRAY_SIZE(names); i++)
    if (!strcmp(name, names[i])) return true;
  return false;
}

static bool measure_sections(struct reader *r) {
  struct vdso_image *image = r->image;

  for (u32 i = 1; i < r->num_sections; i++) {
    const struct section *section = &r->sections[i];
    const GElf_Shdr *shdr = &section->shdr;
    bool is_relocs =
        shdr->sh_type == SHT_REL || shdr->sh_type == SHT_RELA || shdr->sh_type == SHT_RELR;

    if (!(shdr->sh_flags & SHF_ALLOC)) continue;
    if (is_relocs) {
      if (shdr->sh_size && !shdr->sh_entsize)
        return broken(r, "section %u has relocations of no size", i);
      if (shdr->sh_size) image->num_relocs += (u32)(shdr->sh_size / shdr->sh_entsize);
    }
    if (is_fixup(section->name)) image->fixup_len += shdr->sh_size;
    if (!strcmp(section->name, ".altinstructions") && shdr->sh_type == SHT_PROGBITS) {
      image->alternatives_vaddr = shdr->sh_addr;
      image->alternatives_len = shdr->sh_size;
    }
    if (!strcmp(section->name, ".text")) {
      image->text_vaddr = shdr->sh_addr;
      image->text_len = shdr->sh_size;
    }
  }
  for (u32 i = 0; i < image->num_segments && !image->text_len; i++) {
    if (!image->segments[i].is_executable) continue;
    image->text_vaddr = image->segments[i].vaddr;
    image->text_len = image->segments[i].mem_len;
  }
  if (!image->text_len) return broken(r, "nothing in it is executable");
  return true;
}

// The only section of this type, or 0.
static bool find_section(struct reader *r, u32 type, const char *what, u32 *out) {
  *out = 0;
  for (u32 i = 1; i < r->num_sections; i++) {
    if (r->sections[i].shdr.sh_type != type) continue;
    if (*out) return broken(r, "it has two %s", what);
    *out = i;
  }
  return true;
}

// ---- Versions ----

static bool read_versions(struct reader *r, u32 index) {
  u32 strings = r->sections[index].shdr.sh_link;
  Elf_Data *data = section_data(r, index);
  u64 offset = 0;

  if (!data) return broken(r, "section %u with the versions is empty", index);
  if (!check_strings(r, strings, "versions")) return false;
  for (u32 i = 0; i < VERSIONS_MAX; i++) {
    GElf_Verdef def;
    GElf_Verdaux aux;

    if (offset > INT32_MAX || !gelf_getverdef(data, (int)offset, &def) ||
        offset + def.vd_aux > INT32_MAX || !gelf_getverdaux(data, (int)(offset + def.vd_aux), &aux))
      return broken(r, "version %u lies outside of its section", i);
    if (def.vd_ndx < VERSIONS_MAX) {
      r->versions[def.vd_ndx] = string_at(r, strings, aux.vda_name);
      if (!r->versions[def.vd_ndx]) return broken(r, "version %u has no proper name", i);
    }
    if (!def.vd_next) return true;
    offset += def.vd_next;
  }
  return broken(r, "it defines more than %d versions", VERSIONS_MAX);
}

// ---- Symbols ----

// Keeps a string for the image's life; returns where, from 1 on: the pool may move.
static size_t keep_name(struct reader *r, const char *name) {
  size_t len = strlen(name) + 1, at = r->names_len;

  if (r->names_len + len > r->names_cap) {
    r->names_cap = 2 * r->names_cap + len + 1024;
    // tidy-allow(banned): host memory, outside of any world
    r->image->names = realloc(r->image->names, r->names_cap);  // tidy-allow(banned): as above
    SIM_ASSERT(r->image->names);
  }
  memcpy(r->image->names + at, name, len);
  r->names_len += len;
  return at + 1;
}

static bool is_known(const struct vdso_image *image, u64 value, const char *name,
                     const size_t *name_at) {
  for (u32 i = 0; i < image->num_symbols; i++)
    if (image->symbols[i].value == value && !strcmp(image->names + name_at[i] - 1, name))
      return true;
  return false;
}

// The distance of ppc64le's local entry, in the upper bits of st_other (ELFv2 ABI, 3.4.1).
static u32 local_entry_len(const struct vdso_image *image, u8 other) {
  u32 field = (other >> 5) & 7;

  return image->arch == VDSO_PPC64LE && field > 1 && field < 7 ? 1u << field : 0;
}

struct symbol_names {
  size_t name[VDSO_SYMBOLS_MAX], version[VDSO_SYMBOLS_MAX];  // of keep_name; 0: none
};

static bool add_symbol(struct reader *r, u32 index, const GElf_Sym *sym, const char *name,
                       const char *version, bool is_exported, struct symbol_names *names) {
  struct vdso_image *image = r->image;
  u64 value = sym->st_value;
  bool is_function = GELF_ST_TYPE(sym->st_info) == STT_FUNC;

  if (is_function && image->machine == EM_ARM) value &= ~1ull;  // the Thumb bit
  if (is_function && !segment_of(image, value, sym->st_size))
    return broken(r, "function %u (%s) lies in no loaded segment", index, name);
  if (!is_exported && is_known(image, sym->st_value, name, names->name)) return true;
  if (image->num_symbols == VDSO_SYMBOLS_MAX)
    return broken(r, "it has more than %d symbols", VDSO_SYMBOLS_MAX);
  names->name[image->num_symbols] = keep_name(r, name);
  names->version[image->num_symbols] = version ? keep_name(r, version) : 0;
  image->symbols[image->num_symbols++] = (struct vdso_symbol){
      .value = sym->st_value,
      .len = sym->st_size,
      .local_entry_len = is_function ? local_entry_len(image, sym->st_other) : 0,
      .is_function = is_function,
      .is_exported = is_exported,
  };
  return true;
}

static bool read_symbol(struct reader *r, u32 strings, Elf_Data *versym, u32 index,
                        const GElf_Sym *sym, bool is_exported, struct symbol_names *names) {
  u32 type = GELF_ST_TYPE(sym->st_info);
  const char *version = NULL, *name;

  if (!sym->st_name || (type != STT_NOTYPE && type != STT_OBJECT && type != STT_FUNC)) return true;
  name = string_at(r, strings, sym->st_name);
  if (!name) return broken(r, "symbol %u has no proper name", index);
  if (sym->st_shndx == SHN_UNDEF) {
    r->image->num_undefined += is_exported;
    return true;
  }
  if (*name == '$') return true;  // marks of the assembler between code and data
  if (versym) {
    GElf_Versym v;

    if (!gelf_getversym(versym, (int)index, &v))
      return broken(r, "symbol %u has no entry among the versions", index);
    v &= 0x7fff;  // the upper bit: not the default version
    if (v >= 2 && v < VERSIONS_MAX) version = r->versions[v];
    if (v >= 2 && !version) return broken(r, "symbol %u has a version that is not defined", index);
    // The definition of a version itself.
    if (version && type == STT_OBJECT && sym->st_shndx == SHN_ABS && !strcmp(name, version))
      return true;
  }
  return add_symbol(r, index, sym, name, version, is_exported, names);
}

static bool read_table(struct reader *r, u32 index, Elf_Data *versym, bool is_exported,
                       struct symbol_names *names) {
  u32 strings = r->sections[index].shdr.sh_link;
  Elf_Data *data = section_data(r, index);
  u64 count = data ? data->d_size / gelf_fsize(r->elf, ELF_T_SYM, 1, EV_CURRENT) : 0;

  if (!data) return true;
  if (data->d_type != ELF_T_SYM) return broken(r, "section %u holds no symbols", index);
  if (!check_strings(r, strings, "names of symbols")) return false;
  if (count > VDSO_SYMBOLS_MAX)
    return broken(r, "section %u has %" PRIu64 " symbols; a vDSO has at most %d", index, count,
                  VDSO_SYMBOLS_MAX);
  for (u32 i = 1; i < count; i++) {
    GElf_Sym sym;

    if (!gelf_getsym(data, (int)i, &sym)) return broken(r, "symbol %u is lost", i);
    if (!read_symbol(r, strings, versym, i, &sym, is_exported, names)) return false;
  }
  return true;
}

static int compare_symbols(const void *a, const void *b) {
  const struct vdso_symbol *x = a, *y = b;

  if (x->is_exported != y->is_exported) return x->is_exported ? -1 : 1;
  if (x->value != y->value) return x->value < y->value ? -1 : 1;
  if (x->len != y->len) return x->len < y->len ? -1 : 1;
  return strcmp(x->name, y->name);
}

static bool read_symbols_into(struct reader *r, struct symbol_names *names) {
  struct vdso_image *image = r->image;
  u32 dynsym, symtab, versym, verdef;
  Elf_Data *versym_data = NULL;

  if (!find_section(r, SHT_DYNSYM, "tables of dynamic symbols", &dynsym) ||
      !find_section(r, SHT_SYMTAB, "symbol tables", &symtab) ||
      !find_section(r, SHT_GNU_versym, "tables of versions", &versym) ||
      !find_section(r, SHT_GNU_verdef, "definitions of versions", &verdef))
    return false;
  if (!dynsym) return broken(r, "it has no dynamic symbols");
  if (verdef && !read_versions(r, verdef)) return false;
  if (versym && verdef) {
    versym_data = section_data(r, versym);
    if (!versym_data) return broken(r, "the table of versions is empty");
  }
  if (!read_table(r, dynsym, versym_data, true, names)) return false;
  if (symtab && !read_table(r, symtab, NULL, false, names)) return false;
  for (u32 i = 0; i < image->num_symbols; i++) {
    image->symbols[i].name = image->names + names->name[i] - 1;
    image->symbols[i].version = names->version[i] ? image->names + names->version[i] - 1 : NULL;
  }
  if (image->num_symbols)
    qsort(image->symbols, image->num_symbols, sizeof(image->symbols[0]), compare_symbols);
  return true;
}

static bool read_symbols(struct reader *r) {
  struct symbol_names names;  // 16 KiB

  r->image->symbols =
      calloc(VDSO_SYMBOLS_MAX, sizeof(struct vdso_symbol));  // tidy-allow(banned): as above
  SIM_ASSERT(r->image->symbols);
  return read_symbols_into(r, &names);
}

static bool starts_with(const char *text, const char *prefix) {
  return !strncmp(text, prefix, strlen(prefix));
}

static bool is_vdso(const struct vdso_image *image) {
  if (starts_with(image->soname, "linux-vdso") || starts_with(image->soname, "linux-gate"))
    return true;
  for (u32 i = 0; i < image->num_symbols; i++) {
    const struct vdso_symbol *symbol = &image->symbols[i];

    if (symbol->is_exported &&
        (starts_with(symbol->name, "__kernel_") || starts_with(symbol->name, "__vdso_")))
      return true;
  }
  return false;
}

// ---- Notes and the dynamic section ----

static void read_build_id(struct vdso_image *image, const u8 *desc, u32 len) {
  if (2 * (size_t)len >= sizeof(image->build_id)) return;
  for (u32 i = 0; i < len; i++) snprintf(image->build_id + 2 * (size_t)i, 3, "%02x", desc[i]);
}

static void read_version(struct vdso_image *image, const u8 *desc, u32 len) {
  u32 code = 0;

  if (len != sizeof(code)) return;
  for (u32 i = 0; i < len; i++) code |= (u32)desc[image->is_big_endian ? 3 - i : i] << 8 * i;
  if (code >> 24) return;  // LINUX_VERSION_CODE has three bytes
  snprintf(image->version, sizeof(image->version), "%u.%u.%u", code >> 16, (code >> 8) & 255,
           code & 255);
}

static void read_release(struct vdso_image *image, const u8 *desc, u32 len) {
  if (!len || len > sizeof(image->release) || desc[len - 1] || !is_name((const char *)desc)) return;
  snprintf(image->release, sizeof(image->release), "%s", (const char *)desc);
}

static bool read_notes_of(struct reader *r, u32 index) {
  Elf_Data *data = section_data(r, index);
  size_t offset = 0, next, name_at, desc_at;
  GElf_Nhdr note;

  while (data && offset < data->d_size) {
    const char *base = data->d_buf, *owner;
    const u8 *desc;

    next = gelf_getnote(data, offset, &note, &name_at, &desc_at);
    if (!next || next <= offset || !fits(name_at, note.n_namesz, data->d_size) ||
        !fits(desc_at, note.n_descsz, data->d_size))
      return broken(r, "section %u has a note that goes beyond its end", index);
    offset = next;
    owner = base + name_at;
    desc = (const u8 *)base + desc_at;
    if (note.n_namesz == sizeof("GNU") && !memcmp(owner, "GNU", sizeof("GNU")) &&
        note.n_type == NT_GNU_BUILD_ID)
      read_build_id(r->image, desc, note.n_descsz);
    if (note.n_namesz != sizeof("Linux") || memcmp(owner, "Linux", sizeof("Linux"))) continue;
    if (note.n_type == NOTE_LINUX_VERSION) read_version(r->image, desc, note.n_descsz);
    if (note.n_type == NOTE_LINUX_BUILD_SALT) read_release(r->image, desc, note.n_descsz);
  }
  return true;
}

static bool read_notes(struct reader *r) {
  for (u32 i = 1; i < r->num_sections; i++) {
    const GElf_Shdr *shdr = &r->sections[i].shdr;

    if (shdr->sh_type == SHT_NOTE && (shdr->sh_flags & SHF_ALLOC) && !read_notes_of(r, i))
      return false;
  }
  return true;
}

static bool read_soname(struct reader *r) {
  u32 index;
  Elf_Data *data;
  GElf_Dyn dyn;

  if (!find_section(r, SHT_DYNAMIC, "dynamic sections", &index)) return false;
  if (!index || !(data = section_data(r, index))) return true;
  if (data->d_type != ELF_T_DYN) return broken(r, "section %u is no dynamic section", index);
  for (int i = 0; gelf_getdyn(data, i, &dyn) && dyn.d_tag != DT_NULL; i++) {
    u32 strings = r->sections[index].shdr.sh_link;
    const char *name;

    if (dyn.d_tag != DT_SONAME) continue;
    if (!check_strings(r, strings, "soname")) return false;
    name = string_at(r, strings, dyn.d_un.d_val);
    if (!name) return broken(r, "it has no proper soname");
    snprintf(r->image->soname, sizeof(r->image->soname), "%s", name);
    return true;
  }
  return true;
}

// ---- Data pages ----

// Symbols of the linker script at data pages, each at the start of one.
static bool is_data_page(const char *name) {
  static const char *const names[] = {
      "_vdso_datapage", "_vdso_data", "_vdso_rng_data", "vvar_start", "vvar_page",
  };

  for (u32 i = 0; i < SIM_ARRAY_SIZE(names); i++)
    if (!strcmp(name, names[i])) return true;
  return starts_with(name, "vdso_u_");
}

static void read_data_layout(struct vdso_image *image) {
  u64 gap = 0, before = 0, rng = 0;
  struct vdso_data_layout *data = &image->data;

  data->rng_offset = -1;
  // By value, so the lowest page comes first; what is below the image is above it as an
  // unsigned number. In a 32-bit image the same at 32 bits.
  for (u32 i = 0; i < image->num_symbols; i++) {
    const struct vdso_symbol *symbol = &image->symbols[i];
    u64 below = image->vaddr - symbol->value;

    if (!image->is_64bit) below = (u32)below;
    if (symbol->is_exported || !is_data_page(symbol->name)) continue;
    if (!below || below > VDSO_IMAGE_LEN_MAX) continue;
    if (below > data->len) data->len = below;
    if (before > below && (!gap || before - below < gap)) gap = before - below;
    before = below;
    if (strstr(symbol->name, "_rng_data")) rng = below;
  }
  if (!data->len) return;
  data->source = VDSO_DATA_SYMBOLS;
  if (rng) data->rng_offset = (s64)(data->len - rng);
  // Two symbols at least tell how long a page is, if they are of neighbours; the last page ends
  // where the image begins. Two pages of 4 KiB are no page: there is none of 8.
  if (gap && before < gap) gap = before;
  if ((gap == 4096 || gap == 16384 || gap == 65536) && data->len % gap == 0) data->page_len = gap;
}

// ---- Reading ----

static void keep_bytes(struct vdso_image *image, const u8 *bytes) {
  u8 sum[crypto_hash_sha256_BYTES];
  u8 *copy = malloc(image->len);  // tidy-allow(banned): as above

  SIM_ASSERT(copy);
  memcpy(copy, bytes, image->len);
  image->bytes = copy;
  crypto_hash_sha256(sum, bytes, image->len);
  for (u32 i = 0; i < sizeof(sum); i++) snprintf(image->sha256 + 2 * (size_t)i, 3, "%02x", sum[i]);
}

static enum image_verdict read_all(struct reader *r) {
  if (elf_kind(r->elf) != ELF_K_ELF || !gelf_getehdr(r->elf, &r->ehdr)) {
    broken(r, "its ELF header is cut off or no such thing");
    return IMAGE_BROKEN;
  }
  if (r->ehdr.e_type != ET_DYN) {
    broken(r, "it is an ELF file, but no shared object");
    return IMAGE_OTHER;
  }
  if (!read_headers(r) || !read_segments(r) || !read_sections(r) || !measure_sections(r) ||
      !read_symbols(r) || !read_soname(r) || !read_notes(r))
    return IMAGE_BROKEN;
  if (is_vdso(r->image)) return IMAGE_GOOD;
  broken(r, "it is a shared object, but no vDSO: it exports no __kernel_ or __vdso_ name");
  return IMAGE_OTHER;
}

void vdso_image_free(struct vdso_image *image) {
  free(image->symbols);        // tidy-allow(banned): as above
  free(image->names);          // tidy-allow(banned): as above
  free((void *)image->bytes);  // tidy-allow(banned): as above
  *image = (struct vdso_image){0};
}

enum image_verdict vdso_image_read(const u8 *bytes, u64 len, bool is_all, struct vdso_image *out,
                                   char *err, size_t err_len) {
  struct reader r = {.len = len, .is_all = is_all, .image = out, .err = err, .err_len = err_len};
  enum image_verdict verdict;

  *out = (struct vdso_image){0};
  SIM_ASSERT(elf_version(EV_CURRENT) != EV_NONE);
  // libelf only reads it.
  r.elf = elf_memory((char *)(uintptr_t)bytes, len);
  verdict = read_all(&r);
  elf_end(r.elf);
  if (verdict == IMAGE_GOOD) {
    keep_bytes(out, bytes);
    read_data_layout(out);
  } else {
    vdso_image_free(out);
  }
  return verdict;
}
