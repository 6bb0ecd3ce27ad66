// SPDX-License-Identifier: GPL-2.0-or-later
//
// seedbed image: what an image or kernel file holds. Each vDSO with its architecture, where
// it is, its memory, symbols and data pages; on request carved into files of their own.

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "models/vdso/image.h"
#include "tools/command.h"
#include "tools/findings.h"
#include "tools/options.h"
#include "tools/output.h"

enum { KEY_JSON = 0x700, KEY_CARVE };

struct arguments {
  const char *file, *carve;
  bool json;
};

static const struct argp_option option_list[] = {
    {"json", KEY_JSON, NULL, 0, "Print one JSON object in place of text", 0},
    {"carve", KEY_CARVE, "DIR", 0,
     "Write each vDSO to DIR, made if it is not there, as ARCHITECTURE-SHA256.so; the sum's first "
     "12 digits",
     0},
    {0},
};

static error_t parse(int key, char *arg, struct argp_state *state) {
  struct arguments *arguments = state->input;

  switch (key) {
    case ARGP_KEY_INIT:
      options_begin(state, NULL);
      return 0;
    case KEY_JSON:
      arguments->json = true;
      return 0;
    case KEY_CARVE:
      if (!*arg) usage_error("image", "--carve: a folder is missing");
      arguments->carve = arg;
      return 0;
    case ARGP_KEY_ARG:
      if (arguments->file) usage_error("image", "'%s': one file at a time", arg);
      arguments->file = arg;
      return 0;
    case ARGP_KEY_NO_ARGS:
      usage_error("image", "a file is missing");
    default:
      return ARGP_ERR_UNKNOWN;
  }
}

static const struct argp image_argp = {
    .options = option_list,
    .parser = parse,
    .args_doc = "FILE",
    .doc =
        "Tell what an image or kernel file holds: each vDSO with its architecture, symbols and "
        "data pages. FILE is a vDSO, a vmlinux, a raw Image, or anything in which one of those "
        "lies compressed by gzip, xz or zstd. `tools/kernel-image' fetches kernel files of "
        "Debian. The SHA-256 is that of the vDSO itself, and what a run on it calls its "
        "subject.\v"
        "Examples:\n"
        "  seedbed image vdso64.so\n"
        "  seedbed image /boot/vmlinuz --json\n"
        "  seedbed image vmlinux --carve=vdsos\n"
        "\n"
        "Exit status: 0 at least one vDSO was found; 64 usage, or DIR cannot be written to; 65 "
        "there is none, or the file is damaged; 66 the file cannot be read.",
};

// ---- Text ----

static const char *machine_name(const struct vdso_image *image, char out[40]) {
  if (image->arch != VDSO_OTHER) return vdso_arch_name(image->arch);
  snprintf(out, 40, "other (ELF machine %u, %d-bit)", image->machine, image->is_64bit ? 64 : 32);
  return out;
}

static void add_data_pages(const struct vdso_data_layout *data, struct text *text) {
  if (data->source == VDSO_DATA_UNKNOWN) {
    text_add(text, "unknown: no symbol tells; to be found by watching what a call reads\n");
    return;
  }
  text_addf(text, "%" PRIu64 " bytes right below the image", data->len);
  if (data->page_len)
    text_addf(text, ", %" PRIu64 " pages of %" PRIu64, data->len / data->page_len, data->page_len);
  if (data->rng_offset >= 0)
    text_addf(text, "; the RNG's data at offset 0x%" PRIx64 "\n", (u64)data->rng_offset);
  else
    text_add(text, "; the RNG's data unknown: to be found by watching\n");
}

static void add_image(const struct vdso_image *image, struct text *text) {
  char name[40];
  u32 i;

  text_addf(text, "\n%s, %" PRIu64 " bytes at 0x%" PRIx64 "%s%s%s\n", machine_name(image, name),
            image->len, image->file_offset, *image->payload ? " of " : "", image->payload,
            vdso_arch_runs(image->arch) ? "" : "; listed only, nothing here runs it");
  text_addf(text, "  sha256      %s\n", image->sha256);
  text_addf(text, "  build id    %s\n", *image->build_id ? image->build_id : "-");
  text_addf(text, "  kernel      %s%s%s%s\n", *image->version ? image->version : "-",
            *image->release ? " (" : "", image->release, *image->release ? ")" : "");
  text_addf(text, "  soname      %s\n", *image->soname ? image->soname : "-");
  text_addf(text, "  memory      %" PRIu64 " bytes from 0x%" PRIx64 ", %u segment%s\n",
            image->mem_len, image->vaddr, image->num_segments, image->num_segments == 1 ? "" : "s");
  text_addf(text, "  text        %" PRIu64 " bytes from 0x%" PRIx64 "\n", image->text_len,
            image->text_vaddr);
  text_addf(text,
            "  to resolve  %u relocations, %u undefined symbols; %" PRIu64
            " bytes of fix-ups for boot\n",
            image->num_relocs, image->num_undefined, image->fixup_len);
  text_add(text, "  data pages  ");
  add_data_pages(&image->data, text);
  if (vdso_arch_runs(image->arch) && vdso_symbol_find(image, "__kernel_getrandom") &&
      !vdso_symbol_find(image, "__arch_chacha20_blocks_nostack"))
    text_add(text,
             "  ChaCha20    no symbol tells where; to be found by watching where a call goes\n");
  text_add(text, "  symbols\n");
  for (i = 0; i < image->num_symbols; i++) {
    const struct vdso_symbol *symbol = &image->symbols[i];

    // What is neither exported, nor a function, nor a data page is of interest to JSON only.
    if (!symbol->is_exported && !symbol->is_function && symbol->value - image->vaddr <= INT32_MAX)
      continue;
    text_addf(text, "    0x%-16" PRIx64 " %5" PRIu64 "  %s%s%s", symbol->value, symbol->len,
              symbol->name, symbol->version ? "@" : "", symbol->version ? symbol->version : "");
    if (symbol->local_entry_len) text_addf(text, " (local entry +%u)", symbol->local_entry_len);
    text_add(text, symbol->is_exported ? "\n" : " (local)\n");
  }
}

static void print_text(const char *file, const struct vdso_images *images) {
  struct text text = {0};
  u32 i;

  text_addf(&text, "%s: %u vDSO%s\n", file, images->count, images->count == 1 ? "" : "s");
  for (i = 0; i < images->count; i++) add_image(&images->image[i], &text);
  fputs(text_str(&text), stdout);
  text_free(&text);
}

// ---- JSON ----

// NULL for what is not known.
static void json_known(cJSON *object, const char *name, bool is_known, u64 value) {
  if (is_known)
    json_u64(object, name, value);
  else
    json_text(object, name, NULL);
}

static cJSON *json_data(const struct vdso_data_layout *data) {
  static const char *const sources[] = {"unknown", "symbols", "watched"};
  cJSON *object = cJSON_CreateObject();

  cJSON_AddStringToObject(object, "source", sources[data->source]);
  json_known(object, "len", data->len, data->len);
  json_known(object, "page_len", data->page_len, data->page_len);
  json_known(object, "rng_offset", data->rng_offset >= 0, (u64)data->rng_offset);
  return object;
}

static cJSON *json_image(const struct vdso_image *image) {
  cJSON *object = cJSON_CreateObject(), *array, *item;
  u32 i;

  cJSON_AddStringToObject(object, "arch", vdso_arch_name(image->arch));
  json_u64(object, "machine", image->machine);
  cJSON_AddBoolToObject(object, "runs", vdso_arch_runs(image->arch));
  json_u64(object, "len", image->len);
  json_hex(object, "offset", image->file_offset);
  json_text(object, "payload", *image->payload ? image->payload : NULL);
  cJSON_AddStringToObject(object, "sha256", image->sha256);
  json_text(object, "build_id", *image->build_id ? image->build_id : NULL);
  json_text(object, "version", *image->version ? image->version : NULL);
  json_text(object, "release", *image->release ? image->release : NULL);
  json_text(object, "soname", *image->soname ? image->soname : NULL);
  json_hex(object, "vaddr", image->vaddr);
  json_u64(object, "mem_len", image->mem_len);
  json_hex(object, "text_vaddr", image->text_vaddr);
  json_u64(object, "text_len", image->text_len);
  json_u64(object, "fixup_len", image->fixup_len);
  json_u64(object, "relocs", image->num_relocs);
  json_u64(object, "undefined", image->num_undefined);
  cJSON_AddItemToObject(object, "data", json_data(&image->data));
  array = cJSON_AddArrayToObject(object, "symbols");
  for (i = 0; i < image->num_symbols; i++) {
    const struct vdso_symbol *symbol = &image->symbols[i];

    item = cJSON_CreateObject();
    cJSON_AddStringToObject(item, "name", symbol->name);
    json_text(item, "version", symbol->version);
    json_hex(item, "value", symbol->value);
    json_u64(item, "len", symbol->len);
    json_u64(item, "local_entry_len", symbol->local_entry_len);
    cJSON_AddBoolToObject(item, "function", symbol->is_function);
    cJSON_AddBoolToObject(item, "exported", symbol->is_exported);
    cJSON_AddItemToArray(array, item);
  }
  return object;
}

static void print_json(const char *file, const struct vdso_images *images) {
  cJSON *object = cJSON_CreateObject(), *array;
  u32 i;

  cJSON_AddStringToObject(object, "file", file);
  array = cJSON_AddArrayToObject(object, "images");
  for (i = 0; i < images->count; i++) cJSON_AddItemToArray(array, json_image(&images->image[i]));
  json_print(object);
}

// ---- Carving ----

static int carve(const char *dir, const struct vdso_images *images) {
  char err[256];
  u32 i;

  if (mkdir(dir, 0777) && errno != EEXIST) {
    complain("%s: %s", dir, strerror(errno));
    return SIM_USAGE;
  }
  for (i = 0; i < images->count; i++) {
    const struct vdso_image *image = &images->image[i];
    char *path = xasprintf("%s/%s-%.12s.so", dir, vdso_arch_name(image->arch), image->sha256);
    bool ok = write_file(path, image->bytes, image->len, err, sizeof(err));

    if (!ok) complain("%s", err);
    free(path);
    if (!ok) return SIM_OURS;
  }
  return SIM_OK;
}

// ---- The command ----

int cmd_image(int argc, char **argv) {
  struct arguments arguments = {0};
  struct vdso_images images;
  char err[256];
  int status;

  options_parse("image", &image_argp, argc, argv, &arguments);
  if (arguments.carve && !findings_check(arguments.carve, err, sizeof(err)))
    usage_error("image", "--carve: %s", err);
  status = vdso_images_load(arguments.file, &images, err, sizeof(err));
  if (status) {
    complain("%s: %s", arguments.file, err);
    return status;
  }
  if (arguments.carve) status = carve(arguments.carve, &images);
  if (arguments.json)
    print_json(arguments.file, &images);
  else
    print_text(arguments.file, &images);
  vdso_images_free(&images);
  return status;
}
