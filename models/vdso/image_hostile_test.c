// SPDX-License-Identifier: GPL-2.0-or-later
//
// Images from somebody who means harm: each lie of a header has its reason, each truncation
// is refused, and any mutation of a good image, kernel file or payload is refused with a
// reason or gives an image in which everything lies where it should. 6,000 mutations;
// nightly a million.
#include "models/vdso/testing/tiny_files.h"

#include <elf.h>
#include <sys/mman.h>

#include "models/vdso/image.h"

enum { RUNS = 6000, RUNS_NIGHTLY = 1000000 };

// ---- Memory that ends at a page which may not be read ----

enum { ARENA_LEN = 1 << 20, GUARD_LEN = 1 << 16 };

static u8 *arena;

static int make_arena(void **state) {
  arena =
      mmap(NULL, ARENA_LEN + GUARD_LEN, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (arena == MAP_FAILED) return -1;
  return mprotect(arena + ARENA_LEN, GUARD_LEN, PROT_NONE);
}

// Parses the bytes where reading on is death, and checks what must hold of any outcome.
// Returns whether there was an image.
static bool parse(const u8 *bytes, u64 len, struct vdso_images *out, char *err, size_t err_len) {
  u8 *at = arena + ARENA_LEN - len;

  assert_true(len <= ARENA_LEN);
  memcpy(at, bytes, len);
  *err = '\0';
  if (vdso_images_parse(at, len, out, err, err_len)) {
    assert_in_range(out->count, 1, VDSO_IMAGES_MAX);
    return true;
  }
  assert_int_equal(out->count, 0);
  assert_true(*err);
  for (; *err; err++) assert_in_range((u8)*err, 0x20, 0x7e);
  return false;
}

static bool lies_in_a_segment(const struct vdso_image *image, u64 vaddr, u64 len) {
  for (u32 i = 0; i < image->num_segments; i++) {
    const struct vdso_segment *segment = &image->segments[i];

    if (vaddr >= segment->vaddr && vaddr - segment->vaddr <= segment->mem_len &&
        len <= segment->mem_len - (vaddr - segment->vaddr))
      return true;
  }
  return false;
}

static void check_image(const struct vdso_image *image) {
  const struct vdso_data_layout *data = &image->data;
  struct vdso_images again;
  char err[256];

  assert_in_range(image->len, 1, VDSO_IMAGE_LEN_MAX);
  assert_in_range(image->mem_len, 1, VDSO_IMAGE_LEN_MAX);
  assert_in_range(image->num_segments, 1, VDSO_SEGMENTS_MAX);
  for (u32 i = 0; i < image->num_segments; i++) {
    const struct vdso_segment *segment = &image->segments[i];

    assert_true(segment->file_len <= segment->mem_len);
    assert_true(!segment->file_len || segment->offset + segment->file_len <= image->len);
    assert_true(segment->vaddr - image->vaddr + segment->mem_len <= image->mem_len);
    if (i) assert_true(segment[-1].vaddr + segment[-1].mem_len <= segment->vaddr);
  }
  assert_true(image->text_len && lies_in_a_segment(image, image->text_vaddr, image->text_len));
  assert_in_range(image->num_symbols, 0, VDSO_SYMBOLS_MAX);
  for (u32 i = 0; i < image->num_symbols; i++) {
    const struct vdso_symbol *symbol = &image->symbols[i];

    assert_true(strlen(symbol->name) > 0);
    for (const char *s = symbol->name; *s; s++) assert_in_range((u8)*s, 0x21, 0x7e);
    if (symbol->is_function) assert_true(lies_in_a_segment(image, symbol->value, symbol->len));
  }
  assert_true(data->len <= VDSO_IMAGE_LEN_MAX && data->rng_offset < (s64)VDSO_IMAGE_LEN_MAX);
  assert_true(data->rng_offset >= -1);
  assert_true(!data->page_len || data->len % data->page_len == 0);
  // The carved image by itself is the same subject.
  if (!vdso_images_parse(image->bytes, image->len, &again, err, sizeof(err))) fail_msg("%s", err);
  assert_int_equal(again.count, 1);
  assert_string_equal(again.image[0].sha256, image->sha256);
  vdso_images_free(&again);
}

// ---- Lies, one by one ----

// A lie sets `size` bytes at `offset` (from the end, if negative) of a part.
enum part { EHDR, PHDR, SHDR, SYM, BYTES };

static u64 section_offset(const u8 *bytes, u32 index) {
  Elf64_Ehdr ehdr;
  Elf64_Shdr shdr;

  memcpy(&ehdr, bytes, sizeof(ehdr));
  memcpy(&shdr, bytes + ehdr.e_shoff + index * sizeof(shdr), sizeof(shdr));
  return shdr.sh_offset;
}

// The section of that name.
static u32 section_named(const u8 *bytes, const char *name) {
  Elf64_Ehdr ehdr;

  memcpy(&ehdr, bytes, sizeof(ehdr));
  for (u32 i = 0; i < ehdr.e_shnum; i++) {
    Elf64_Shdr shdr;

    memcpy(&shdr, bytes + ehdr.e_shoff + i * sizeof(shdr), sizeof(shdr));
    if (!strcmp((const char *)bytes + section_offset(bytes, ehdr.e_shstrndx) + shdr.sh_name, name))
      return i;
  }
  fail_msg("no section %s", name);
  return 0;
}

#define FIELD(type, member) offsetof(type, member), sizeof(((type *)0)->member)

struct lie {
  enum part part;
  const char *section;  // of SHDR, SYM and BYTES
  u32 index;            // of PHDR and SYM
  size_t offset, size;
  u64 value;
  const char *reason;
};

static const struct lie lies[] = {
    {EHDR, NULL, 0, EI_CLASS, 1, 7, "its ELF header"},
    {EHDR, NULL, 0, EI_DATA, 1, 7, "its ELF header"},
    {EHDR, NULL, 0, FIELD(Elf64_Ehdr, e_type), ET_EXEC, "no shared object"},
    {EHDR, NULL, 0, FIELD(Elf64_Ehdr, e_phnum), 0, "no program headers"},
    {EHDR, NULL, 0, FIELD(Elf64_Ehdr, e_phnum), 33, "33 program headers"},
    {EHDR, NULL, 0, FIELD(Elf64_Ehdr, e_phnum), 0xffff, "65535 program headers"},
    {EHDR, NULL, 0, FIELD(Elf64_Ehdr, e_phentsize), 8, "another size than its class"},
    {EHDR, NULL, 0, FIELD(Elf64_Ehdr, e_phoff), UINT64_MAX - 8, "the table of program headers"},
    {EHDR, NULL, 0, FIELD(Elf64_Ehdr, e_shnum), 0, "no section headers"},
    {EHDR, NULL, 0, FIELD(Elf64_Ehdr, e_shnum), 300, "300 sections"},
    {EHDR, NULL, 0, FIELD(Elf64_Ehdr, e_shnum), 200, "it is truncated"},
    {EHDR, NULL, 0, FIELD(Elf64_Ehdr, e_shentsize), 0, "another size than its class"},
    {EHDR, NULL, 0, FIELD(Elf64_Ehdr, e_shoff), UINT64_MAX - 8, "the table of section headers"},
    {EHDR, NULL, 0, FIELD(Elf64_Ehdr, e_shoff), 1 << 19, "it is truncated"},
    {EHDR, NULL, 0, FIELD(Elf64_Ehdr, e_shstrndx), 0, "no string table"},
    {EHDR, NULL, 0, FIELD(Elf64_Ehdr, e_shstrndx), 200, "no string table"},
    {PHDR, NULL, 0, FIELD(Elf64_Phdr, p_type), PT_NULL, "no segment is loaded"},
    {PHDR, NULL, 0, FIELD(Elf64_Phdr, p_memsz), 16, "more bytes in the file than in memory"},
    {PHDR, NULL, 0, FIELD(Elf64_Phdr, p_memsz), 1ull << 40, "1099511627776 bytes of memory"},
    {PHDR, NULL, 0, FIELD(Elf64_Phdr, p_filesz), 1ull << 40, "segment 0 would end beyond"},
    {PHDR, NULL, 0, FIELD(Elf64_Phdr, p_offset), UINT64_MAX, "segment 0 would end beyond"},
    {PHDR, NULL, 0, FIELD(Elf64_Phdr, p_offset), 5000, "it is truncated"},
    {PHDR, NULL, 0, FIELD(Elf64_Phdr, p_vaddr), UINT64_MAX - 8, "end of the address space"},
    {PHDR, NULL, 0, FIELD(Elf64_Phdr, p_vaddr), 1 << 16, "lies in no loaded segment"},
    {PHDR, NULL, 1, FIELD(Elf64_Phdr, p_type), PT_LOAD, "segment 1 overlaps"},
    {SHDR, ".dynsym", 0, FIELD(Elf64_Shdr, sh_offset), 1ull << 50, "would end beyond"},
    {SHDR, ".dynsym", 0, FIELD(Elf64_Shdr, sh_size), 1 << 19, "it is truncated"},
    {SHDR, ".dynsym", 0, FIELD(Elf64_Shdr, sh_addr), 1 << 19, "lies in no loaded segment"},
    {SHDR, ".dynsym", 0, FIELD(Elf64_Shdr, sh_type), SHT_PROGBITS, "no dynamic symbols"},
    {SHDR, ".dynsym", 0, FIELD(Elf64_Shdr, sh_link), 77, "no string table"},
    {SHDR, ".symtab", 0, FIELD(Elf64_Shdr, sh_type), SHT_DYNSYM, "two tables of dynamic symbols"},
    {SHDR, ".symtab", 0, FIELD(Elf64_Shdr, sh_link), 1, "no string table"},
    {SHDR, ".text", 0, FIELD(Elf64_Shdr, sh_addr), 64, "elsewhere in memory"},
    {SHDR, ".text", 0, FIELD(Elf64_Shdr, sh_name), 0xffffff, "no proper name"},
    {SHDR, ".hash", 0, FIELD(Elf64_Shdr, sh_type), SHT_GNU_verdef, "two definitions of versions"},
    {SYM, ".dynsym", 1, FIELD(Elf64_Sym, st_name), 0xfffff, "symbol 1 has no proper name"},
    {SYM, ".dynsym", 1, FIELD(Elf64_Sym, st_value), 1 << 20, "lies in no loaded segment"},
    {SYM, ".dynsym", 1, FIELD(Elf64_Sym, st_size), UINT64_MAX, "lies in no loaded segment"},
    {BYTES, ".dynstr", 0, 1, 1, 7, "no proper"},
    {BYTES, ".gnu.version", 0, 2, 2, 9, "a version that is not defined"},
    {BYTES, ".gnu.version_d", 0, FIELD(Elf64_Verdef, vd_next), 0x7ffffff0,
     "version 1 lies outside"},
    {BYTES, ".gnu.version_d", 0, FIELD(Elf64_Verdef, vd_aux), 0x7ffffff0, "version 0 lies outside"},
    {BYTES, ".note", 0, 4, 4, 0x7fffffff, "a note that goes beyond its end"},
};

static void apply(u8 *bytes, const struct lie *lie) {
  Elf64_Ehdr ehdr;
  u64 at = lie->offset;

  memcpy(&ehdr, bytes, sizeof(ehdr));
  switch (lie->part) {
    case EHDR:
      break;
    case PHDR:
      at += ehdr.e_phoff + lie->index * sizeof(Elf64_Phdr);
      break;
    case SHDR:
      at += ehdr.e_shoff + section_named(bytes, lie->section) * sizeof(Elf64_Shdr);
      break;
    case SYM:
      at += section_offset(bytes, section_named(bytes, lie->section)) +
            lie->index * sizeof(Elf64_Sym);
      break;
    case BYTES:
      at += section_offset(bytes, section_named(bytes, lie->section));
      break;
  }
  memcpy(bytes + at, &lie->value, lie->size);  // both little-endian
}

static void each_lie_has_its_reason(void **state) {
  struct tiny vdso = tiny_read("ppc64le"), lied = tiny_alloc(vdso.len);

  for (u32 i = 0; i < SIM_ARRAY_SIZE(lies); i++) {
    struct vdso_images images;
    char err[256];

    memcpy(lied.bytes, vdso.bytes, vdso.len);
    apply(lied.bytes, &lies[i]);
    if (parse(lied.bytes, lied.len, &images, err, sizeof(err))) fail_msg("lie %u is believed", i);
    if (!strstr(err, lies[i].reason))
      fail_msg("lie %u: \"%s\" lacks \"%s\"", i, err, lies[i].reason);
  }
  tiny_free(&lied);
  tiny_free(&vdso);
}

// Two sections that share bytes cannot both mean them.
static void overlapping_sections_are_refused(void **state) {
  struct tiny vdso = tiny_read("ppc64le");
  u32 dynsym = section_named(vdso.bytes, ".dynsym"), dynstr = section_named(vdso.bytes, ".dynstr");
  struct vdso_images images;
  Elf64_Shdr a, b;
  Elf64_Ehdr ehdr;
  char err[256];

  memcpy(&ehdr, vdso.bytes, sizeof(ehdr));
  memcpy(&a, vdso.bytes + ehdr.e_shoff + dynsym * sizeof(a), sizeof(a));
  memcpy(&b, vdso.bytes + ehdr.e_shoff + dynstr * sizeof(b), sizeof(b));
  b.sh_addr = a.sh_addr + a.sh_size - 1;
  b.sh_offset = a.sh_offset + a.sh_size - 1;
  memcpy(vdso.bytes + ehdr.e_shoff + dynstr * sizeof(b), &b, sizeof(b));
  assert_false(parse(vdso.bytes, vdso.len, &images, err, sizeof(err)));
  assert_non_null(strstr(err, "overlap"));
  tiny_free(&vdso);
}

// Whichever table of strings has no NUL at its end.
static void string_tables_end_with_nul(void **state) {
  static const char *const tables[] = {".dynstr", ".strtab", ".shstrtab"};
  struct tiny vdso = tiny_read("ppc64le"), lied = tiny_alloc(vdso.len);

  for (u32 i = 0; i < SIM_ARRAY_SIZE(tables); i++) {
    struct vdso_images images;
    Elf64_Ehdr ehdr;
    Elf64_Shdr shdr;
    char err[256];

    memcpy(lied.bytes, vdso.bytes, vdso.len);
    memcpy(&ehdr, lied.bytes, sizeof(ehdr));
    memcpy(&shdr,
           lied.bytes + ehdr.e_shoff + section_named(lied.bytes, tables[i]) * sizeof(Elf64_Shdr),
           sizeof(shdr));
    lied.bytes[shdr.sh_offset + shdr.sh_size - 1] = 'x';
    assert_false(parse(lied.bytes, lied.len, &images, err, sizeof(err)));
    assert_non_null(strstr(err, "does not end with NUL"));
  }
  tiny_free(&lied);
  tiny_free(&vdso);
}

// A shared object that is no vDSO is not taken for one.
static void other_shared_object_is_no_vdso(void **state) {
  struct tiny vdso = tiny_read("ppc64le");
  u64 dynstr = section_offset(vdso.bytes, section_named(vdso.bytes, ".dynstr"));
  struct vdso_images images;
  char err[256];

  for (u64 at = dynstr; at < dynstr + 120; at++) {
    if (!strncmp((char *)vdso.bytes + at, "__kernel", 8)) vdso.bytes[at + 2] = 'c';
    if (!strncmp((char *)vdso.bytes + at, "linux-vdso", 10)) vdso.bytes[at] = 'm';
  }
  assert_false(parse(vdso.bytes, vdso.len, &images, err, sizeof(err)));
  assert_non_null(strstr(err, "it is a shared object, but no vDSO"));
  tiny_free(&vdso);
}

// Cut at any length, every image is refused with a reason; what follows it is not looked at.
static void truncation_is_refused_at_every_length(void **state) {
  static const char *const archs[] = {"ppc32", "ppc64", "ppc64le", "arm64"};

  for (u32 i = 0; i < SIM_ARRAY_SIZE(archs); i++) {
    struct tiny vdso = tiny_read(archs[i]);
    struct vdso_images images;
    char err[256];

    for (u64 len = 0; len < vdso.len; len++)
      if (parse(vdso.bytes, len, &images, err, sizeof(err)))
        fail_msg("%s is whole after %llu bytes", archs[i], (unsigned long long)len);
    assert_true(parse(vdso.bytes, vdso.len, &images, err, sizeof(err)));
    vdso_images_free(&images);
    tiny_free(&vdso);
  }
}

// ---- Mutations ----

struct noise {
  u64 seed, count;
};

static u64 draw(struct noise *noise, u64 n) {
  return sim_mix64(noise->seed + 0x9e3779b97f4a7c15ull * ++noise->count) % n;
}

static u64 odd_value(struct noise *noise, u64 len) {
  static const u64 values[] = {
      0,          1,          2,          7,          8,          0x7f,
      0xff,       0xffff,     0x7fff,     0x7fffffff, 0xffffffff, 0x80000000,
      UINT64_MAX, 1ull << 63, 1ull << 20, 1ull << 32, 0xfff0,     UINT64_MAX - 7,
  };
  u64 kind = draw(noise, 4);

  if (kind == 0) return draw(noise, len + 1);
  if (kind == 1) return len + draw(noise, 9) - 4;
  if (kind == 2) return draw(noise, UINT64_MAX);
  return values[draw(noise, SIM_ARRAY_SIZE(values))];
}

// Headers are hit more often than the rest.
static u64 place(struct noise *noise, u64 len) {
  u64 kind = draw(noise, 4);

  if (kind == 0) return draw(noise, len < 256 ? len : 256);
  if (kind == 1) return len - 1 - draw(noise, len < 1024 ? len : 1024);
  return draw(noise, len);
}

static void mutate(struct noise *noise, u8 *bytes, u64 *len) {
  u64 at = place(noise, *len), left = *len - at, size = 1ull << draw(noise, 4), value, from;

  switch (draw(noise, 8)) {
    case 0:
      bytes[at] ^= (u8)(1u << draw(noise, 8));
      return;
    case 1:
      bytes[at] = (u8)draw(noise, 256);
      return;
    case 2:  // a block over another
      from = draw(noise, *len);
      size = 1 + draw(noise, 64);
      if (size > left) size = left;
      if (size > *len - from) size = *len - from;
      memmove(bytes + at, bytes + from, size);
      return;
    case 3:  // a hole
      size = 1 + draw(noise, 32);
      memset(bytes + at, (int)(draw(noise, 2) * 0xff), size < left ? size : left);
      return;
    case 4:  // an end, now and then
      if (draw(noise, 8) == 0) *len = at + 1;
      return;
    default:  // a field
      at &= ~(size - 1);
      value = odd_value(noise, *len);
      for (u64 i = 0; i < size && at + i < *len; i++) bytes[at + i] = (u8)(value >> 8 * i);
      return;
  }
}

// The file of one run: a vDSO by itself, in a kernel, or packed; mutated before or after.
static struct tiny make_file(struct noise *noise, const struct tiny *vdso) {
  u64 kind = draw(noise, 16), count = 1 + draw(noise, 6);
  struct tiny file = tiny_embed(vdso->bytes, vdso->len, 0, 0), outer;

  if (kind >= 5 || draw(noise, 2))
    for (u64 i = 0; i < count; i++) mutate(noise, file.bytes, &file.len);
  if (kind == 4)
    outer = tiny_embed(file.bytes, file.len, draw(noise, 5000), draw(noise, 5000));
  else if (kind < UNPACK_FORMAT_COUNT)
    outer = tiny_pack((enum unpack_format)kind, file.bytes, file.len);
  else
    return file;
  tiny_free(&file);
  if (draw(noise, 4))
    for (u64 i = 0; i < count; i++) mutate(noise, outer.bytes, &outer.len);
  return outer;
}

static void mutations_do_no_harm(void **state) {
  static const char *const archs[] = {"ppc64le", "ppc64", "ppc32", "arm64"};
  u64 runs = getenv("SEEDBED_NIGHTLY") ? RUNS_NIGHTLY : RUNS, good = 0;
  struct tiny vdsos[SIM_ARRAY_SIZE(archs)];

  for (u32 i = 0; i < SIM_ARRAY_SIZE(archs); i++) vdsos[i] = tiny_read(archs[i]);
  for (u64 run = 0; run < runs; run++) {
    struct noise noise = {.seed = sim_mix64(run)};
    struct tiny file = make_file(&noise, &vdsos[run % SIM_ARRAY_SIZE(archs)]);
    struct vdso_images images;
    char err[256];

    if (parse(file.bytes, file.len, &images, err, sizeof(err))) {
      good++;
      for (u32 i = 0; i < images.count; i++) check_image(&images.image[i]);
      vdso_images_free(&images);
    }
    tiny_free(&file);
  }
  // A mutation may hit what nobody reads; neither outcome is rare.
  print_message("%llu of %llu mutations left an image\n", (unsigned long long)good,
                (unsigned long long)runs);
  assert_in_range(good, runs / 20, runs - runs / 20);
  for (u32 i = 0; i < SIM_ARRAY_SIZE(archs); i++) tiny_free(&vdsos[i]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_lie_has_its_reason),
      cmocka_unit_test(overlapping_sections_are_refused),
      cmocka_unit_test(string_tables_end_with_nul),
      cmocka_unit_test(other_shared_object_is_no_vdso),
      cmocka_unit_test(truncation_is_refused_at_every_length),
      cmocka_unit_test(mutations_do_no_harm),
  };

  return cmocka_run_group_tests(tests, make_arena, NULL);
}
