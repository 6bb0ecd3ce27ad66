// SPDX-License-Identifier: GPL-2.0-or-later
//
// See kernel_where.h.
#include "models/kernel/kernel_where.h"

#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct kernel_function {
  u64 at, len;
  const char *name;
};

// Its first `len` bytes, in memory that stays.
static const char *keep(const char *name, size_t len) {
  char *kept = malloc(len + 1);  // tidy-allow(banned): host memory, outside of any world

  if (!kept) return "?";
  memcpy(kept, name, len);
  kept[len] = '\0';
  return kept;
}

static void read_table(struct kernel_object *object, Elf *elf, Elf_Scn *scn, const GElf_Shdr *shdr,
                       const char *known, u64 at) {
  Elf_Data *data = elf_getdata(scn, NULL);
  u64 base = 0, count = data && shdr->sh_entsize ? shdr->sh_size / shdr->sh_entsize : 0;
  size_t size = (size_t)(count + 1) * sizeof(*object->functions);

  object->functions = malloc(size);  // tidy-allow(banned): as above
  if (!object->functions) return;
  for (u64 i = 0; i < count; i++) {
    const char *name;
    GElf_Sym sym;

    if (!gelf_getsym(data, (int)i, &sym) || GELF_ST_TYPE(sym.st_info) != STT_FUNC || !sym.st_size)
      continue;
    name = elf_strptr(elf, shdr->sh_link, sym.st_name);
    if (!name) continue;
    object->functions[object->num_functions++] = (struct kernel_function){
        .at = sym.st_value,
        .len = sym.st_size,
        .name = keep(name, strcspn(name, ".")),
    };
    if (!strcmp(name, known)) base = at - sym.st_value;
  }
  if (!base) object->num_functions = 0;
  for (u32 i = 0; i < object->num_functions; i++) object->functions[i].at += base;
}

void kernel_where_read(struct kernel_object *object, const char *path, const char *known, u64 at) {
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  Elf *elf = NULL;
  Elf_Scn *scn = NULL;

  if (fd >= 0 && elf_version(EV_CURRENT) != EV_NONE) elf = elf_begin(fd, ELF_C_READ, NULL);
  while (elf && !object->functions && (scn = elf_nextscn(elf, scn))) {
    GElf_Shdr shdr;

    if (gelf_getshdr(scn, &shdr) && shdr.sh_type == SHT_SYMTAB)
      read_table(object, elf, scn, &shdr, known, at);
  }
  if (elf) elf_end(elf);
  if (fd >= 0) close(fd);
}

const char *kernel_where(const struct kernel_object *object, u64 pc) {
  for (u32 i = 0; i < object->num_functions; i++)
    if (pc - object->functions[i].at < object->functions[i].len) return object->functions[i].name;
  return NULL;
}
