// SPDX-License-Identifier: GPL-2.0-or-later
//
// See kernel_where.h.
#include "models/kernel/kernel_where.h"

#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct kernel_symbol {
  u64 at, len;
  const char *name;
  bool is_function;
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
  size_t size = (size_t)(count + 1) * sizeof(*object->symbols);

  object->symbols = malloc(size);  // tidy-allow(banned): as above
  if (!object->symbols) return;
  for (u64 i = 0; i < count; i++) {
    const char *name;
    GElf_Sym sym;
    bool is_function;

    if (!gelf_getsym(data, (int)i, &sym) || !sym.st_size) continue;
    is_function = GELF_ST_TYPE(sym.st_info) == STT_FUNC;
    if (!is_function && GELF_ST_TYPE(sym.st_info) != STT_OBJECT) continue;
    name = elf_strptr(elf, shdr->sh_link, sym.st_name);
    if (!name) continue;
    object->symbols[object->num_symbols++] = (struct kernel_symbol){
        .at = sym.st_value,
        .len = sym.st_size,
        .name = keep(name, strcspn(name, ".")),
        .is_function = is_function,
    };
    if (!strcmp(name, known)) base = at - sym.st_value;
  }
  if (!base) object->num_symbols = 0;
  for (u32 i = 0; i < object->num_symbols; i++) object->symbols[i].at += base;
}

void kernel_where_read(struct kernel_object *object, const char *path, const char *known, u64 at) {
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  Elf *elf = NULL;
  Elf_Scn *scn = NULL;

  if (fd >= 0 && elf_version(EV_CURRENT) != EV_NONE) elf = elf_begin(fd, ELF_C_READ, NULL);
  while (elf && !object->symbols && (scn = elf_nextscn(elf, scn))) {
    GElf_Shdr shdr;

    if (gelf_getshdr(scn, &shdr) && shdr.sh_type == SHT_SYMTAB)
      read_table(object, elf, scn, &shdr, known, at);
  }
  if (elf) elf_end(elf);
  if (fd >= 0) close(fd);
}

static const struct kernel_symbol *symbol_at(const struct kernel_object *object, u64 at,
                                             bool is_function) {
  for (u32 i = 0; i < object->num_symbols; i++) {
    const struct kernel_symbol *symbol = &object->symbols[i];

    if (symbol->is_function == is_function && at - symbol->at < symbol->len) return symbol;
  }
  return NULL;
}

const char *kernel_where(const struct kernel_object *object, u64 pc) {
  const struct kernel_symbol *symbol = symbol_at(object, pc, true);

  return symbol ? symbol->name : NULL;
}

bool kernel_where_variable(const struct sim_module *module, size_t offset, char *out, size_t len) {
  const struct kernel_object *object =
      (const void *)((const char *)module - offsetof(struct kernel_object, module));
  u64 at = (u64)(uintptr_t)module->data + offset;
  const struct kernel_symbol *symbol = NULL;

  if (offset >= module->data_len) return false;
  symbol = symbol_at(object, at, false);
  if (!symbol) return false;
  if (symbol->len <= 8)
    snprintf(out, len, "%s", symbol->name);
  else
    snprintf(out, len, "%s+0x%llx", symbol->name, (unsigned long long)((at - symbol->at) / 8 * 8));
  return true;
}
