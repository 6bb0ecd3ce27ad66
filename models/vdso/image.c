// SPDX-License-Identifier: GPL-2.0-or-later
//
// See image.h. Sections: names; looking through bytes; payloads; files; symbols.
#include "models/vdso/image.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "models/vdso/image_elf.h"
#include "models/vdso/unpack.h"

enum {
  // A file with more of them was made to cost time; a kernel has a handful.
  CANDIDATES_MAX = 1024,
  ATTEMPTS_MAX = 256,
  DEPTH_MAX = 2,  // a payload in a payload: Image.gz in an EFI program
  REASON_LEN = 200,
};
static const char elf_magic[] =
    "\x7f"
    "ELF";

// ---- Names ----

const char *vdso_arch_name(enum vdso_arch arch) {
  static const char *const names[] = {"other", "ppc32", "ppc64", "ppc64le", "arm64", "x86-64"};

  _Static_assert(SIM_ARRAY_SIZE(names) == VDSO_ARCH_COUNT, "a name each");
  SIM_ASSERT(arch < VDSO_ARCH_COUNT);
  return names[arch];
}

bool vdso_arch_runs(enum vdso_arch arch) {
  return arch == VDSO_PPC32 || arch == VDSO_PPC64 || arch == VDSO_PPC64LE || arch == VDSO_ARM64;
}

// ---- Looking through bytes ----

struct search {
  struct vdso_images *images;
  struct unpack_budget budget;
  u32 candidates_left;
  bool is_final;  // `reason` is what the whole file ends with
  // The best reason so far: of the candidate or payload that came nearest.
  char reason[REASON_LEN];
  u64 rank;  // 0: none
};

static void note(struct search *s, u64 rank, const char *payload, const char *what, u64 offset,
                 const char *why) {
  if (rank <= s->rank) return;
  s->rank = rank;
  snprintf(s->reason, sizeof(s->reason), "%s at 0x%" PRIx64 "%s%s: %s", what, offset,
           *payload ? " of " : "", payload, why);
}

static bool is_known(const struct vdso_images *images, const char *sha256) {
  for (u32 i = 0; i < images->count; i++)
    if (!strcmp(images->image[i].sha256, sha256)) return true;
  return false;
}

// Keeps a vDSO, unless there is the same already.
static void keep(struct search *s, struct vdso_image *image, u64 offset, const char *payload) {
  if (is_known(s->images, image->sha256)) {
    vdso_image_free(image);
    return;
  }
  if (s->images->count == VDSO_IMAGES_MAX) {
    vdso_image_free(image);
    s->is_final = true;
    snprintf(s->reason, sizeof(s->reason), "more than %d vDSOs are in it", VDSO_IMAGES_MAX);
    return;
  }
  image->file_offset = offset;
  snprintf(image->payload, sizeof(image->payload), "%s", payload);
  s->images->image[s->images->count++] = *image;
}

// Whether a file that is no larger than a vDSO is meant as one: its fault is the file's.
static bool is_whole_file(u64 offset, u64 len, const char *payload) {
  return offset == 0 && len <= VDSO_IMAGE_LEN_MAX && !*payload;
}

// Finds the vDSOs that lie in the bytes as they are.
static void carve(struct search *s, const u8 *bytes, u64 len, const char *payload) {
  const u8 *at = bytes, *end = bytes + len;

  while (!s->is_final && (at = memmem(at, (size_t)(end - at), elf_magic, 4))) {
    u64 offset = (u64)(at - bytes), left = len - offset;
    enum image_verdict verdict;
    struct vdso_image image;
    char why[160];

    if (!s->candidates_left) {
      s->is_final = true;
      snprintf(s->reason, sizeof(s->reason), "more than %d ELF headers are in it", CANDIDATES_MAX);
      return;
    }
    s->candidates_left--;
    verdict = vdso_image_read(at, left < VDSO_IMAGE_LEN_MAX ? left : VDSO_IMAGE_LEN_MAX,
                              left <= VDSO_IMAGE_LEN_MAX, &image, why, sizeof(why));
    if (verdict == IMAGE_GOOD) {
      at += image.len;
      keep(s, &image, offset, payload);
      continue;
    }
    if (verdict == IMAGE_BROKEN && is_whole_file(offset, len, payload)) {
      s->is_final = true;
      snprintf(s->reason, sizeof(s->reason), "%s", why);
      return;
    }
    note(s, verdict == IMAGE_BROKEN ? 2 : 1, payload, "ELF file", offset, why);
    at++;
  }
}

// ---- Payloads ----

static void name_payload(char *out, size_t out_len, enum unpack_format format, u64 offset,
                         const char *outer) {
  snprintf(out, out_len, "%s at 0x%" PRIx64 "%s%s", unpack_format_name(format), offset,
           *outer ? " of " : "", outer);
}

// The next byte from `at` on where a payload may begin, or NULL.
static const u8 *next_payload(const u8 *at, const u8 *end, enum unpack_format *out_format) {
  for (; at < end; at++) {
    // Rare bytes first: this looks at every byte of the file.
    if (*at != 0x1f && *at != 0xfd && *at != 0x28) continue;
    *out_format = unpack_format_at(at, (u64)(end - at));
    if (*out_format != UNPACK_FORMAT_COUNT) return at;
  }
  return NULL;
}

// Looks into the bytes, and where nothing is into each payload, until one has something.
static void look(struct search *s, const u8 *bytes, u64 len, const char *payload, u32 depth) {
  const u8 *at = bytes, *end = bytes + len;
  enum unpack_format format;

  carve(s, bytes, len, payload);
  if (depth == DEPTH_MAX) return;
  while (!s->is_final && !s->images->count && (at = next_payload(at, end, &format))) {
    u64 offset = (u64)(at - bytes), made;
    struct unpacked unpacked;
    char name[sizeof(s->images->image[0].payload)], why[120];
    bool ok = unpack(format, at, (u64)(end - at), &s->budget, &unpacked, &made, why, sizeof(why));

    name_payload(name, sizeof(name), format, offset, payload);
    if (ok) {
      look(s, unpacked.bytes, unpacked.len, name, depth + 1);
      at += unpacked.in_len;
      unpacked_free(&unpacked);
      continue;
    }
    // The more came out, the more likely is it a payload at all.
    note(s, 3 + made, payload, unpack_format_name(format), offset, why);
    if (!s->budget.attempts || !s->budget.in_len || !s->budget.out_len) return;
    at++;
  }
}

bool vdso_images_parse(const u8 *bytes, u64 len, struct vdso_images *out, char *err,
                       size_t err_len) {
  struct search s = {
      .images = out,
      // Reading all of a file twice is more than any real one needs.
      .budget = {2 * VDSO_FILE_LEN_MAX, VDSO_UNPACKED_LEN_MAX, ATTEMPTS_MAX},
      .candidates_left = CANDIDATES_MAX,
  };

  *out = (struct vdso_images){0};
  if (!len) {
    snprintf(err, err_len, "it is empty");
    return false;
  }
  look(&s, bytes, len, "", 0);
  if (s.is_final)
    snprintf(err, err_len, "%s", s.reason);
  else if (!out->count)
    snprintf(err, err_len, "no vDSO is in it%s%s%s", s.rank ? " (" : "", s.reason,
             s.rank ? ")" : "");
  if (!s.is_final && out->count) return true;
  vdso_images_free(out);
  return false;
}

// ---- Files ----

// Reads at most VDSO_FILE_LEN_MAX bytes; grows as they come, for what has no size.
static enum sim_status read_file(const char *path, u8 **out, u64 *out_len, char *err,
                                 size_t err_len) {
  FILE *file = fopen(path, "rb");
  enum sim_status status = SIM_OK;
  struct stat stat;
  u64 cap = 0;

  *out = NULL;
  *out_len = 0;
  if (!file) {
    snprintf(err, err_len, "%s", strerror(errno));
    return SIM_MISSING_FILE;
  }
  // One that has a size is not read in vain.
  if (fstat(fileno(file), &stat) == 0 && S_ISREG(stat.st_mode) &&
      stat.st_size > (off_t)VDSO_FILE_LEN_MAX) {
    snprintf(err, err_len, "it is larger than %llu MiB", VDSO_FILE_LEN_MAX >> 20);
    fclose(file);
    return SIM_MALFORMED;
  }
  while (!feof(file)) {
    if (*out_len == cap) {
      cap = cap ? 2 * cap : 1 << 20;
      *out = realloc(*out, cap);  // tidy-allow(banned): host memory, outside of any world
      SIM_ASSERT(*out);
    }
    *out_len += fread(*out + *out_len, 1, cap - *out_len, file);
    if (ferror(file)) {
      snprintf(err, err_len, "%s", strerror(errno));
      status = SIM_MISSING_FILE;
      break;
    }
    if (*out_len > VDSO_FILE_LEN_MAX) {
      snprintf(err, err_len, "it is larger than %llu MiB", VDSO_FILE_LEN_MAX >> 20);
      status = SIM_MALFORMED;
      break;
    }
  }
  fclose(file);
  return status;
}

enum sim_status vdso_images_load(const char *path, struct vdso_images *out, char *err,
                                 size_t err_len) {
  enum sim_status status;
  u8 *bytes;
  u64 len;

  *out = (struct vdso_images){0};
  status = read_file(path, &bytes, &len, err, err_len);
  if (status == SIM_OK && !vdso_images_parse(bytes, len, out, err, err_len)) status = SIM_MALFORMED;
  free(bytes);  // tidy-allow(banned): as above
  return status;
}

void vdso_images_free(struct vdso_images *images) {
  for (u32 i = 0; i < images->count; i++) vdso_image_free(&images->image[i]);
  images->count = 0;
}

// ---- Symbols ----

const struct vdso_symbol *vdso_symbol_find(const struct vdso_image *image, const char *name) {
  // Exported ones come first.
  for (u32 i = 0; i < image->num_symbols; i++)
    if (!strcmp(image->symbols[i].name, name)) return &image->symbols[i];
  return NULL;
}

const struct vdso_symbol *vdso_symbol_at(const struct vdso_image *image, u64 vaddr) {
  bool is_inside = vaddr - image->vaddr < image->mem_len;
  const struct vdso_symbol *best = NULL;

  for (u32 i = 0; i < image->num_symbols; i++) {
    const struct vdso_symbol *symbol = &image->symbols[i];

    if (symbol->value > vaddr || (is_inside && !symbol->is_function)) continue;
    // Of two at one place the exported one, or the one with a length.
    if (!best || symbol->value > best->value ||
        (symbol->value == best->value && !best->is_exported && symbol->len > best->len))
      best = symbol;
  }
  return best;
}
