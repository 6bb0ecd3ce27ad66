// SPDX-License-Identifier: GPL-2.0-or-later
//
// The list of known findings; see known.h.

#include "tools/known.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/world.h"
#include "tools/findings.h"
#include "tools/text.h"

enum { KNOWN_FILE_MAX = 1 << 22 };

// Compares as far as `limit` (its count of numbers) says; what is missing in `a` is 0.
static int compare_numbers(const char *a, const char *b, bool prefix) {
  for (;;) {
    unsigned long x, y;
    char *a_end, *b_end;

    x = strtoul(a, &a_end, 10);
    y = strtoul(b, &b_end, 10);
    if (x != y) return x < y ? -1 : 1;
    if (*b_end != '.') break;
    b = b_end + 1;
    a = *a_end == '.' ? a_end + 1 : "";
    if (*a < '0' || *a > '9') a = "0";
    continue;
  }
  if (prefix) return 0;
  // b has ended; what a has beyond it decides.
  for (a += strspn(a, "0123456789"); *a == '.'; a += strspn(a, "0123456789")) {
    a++;
    if (strtoul(a, NULL, 10)) return 1;
  }
  return 0;
}

int known_version_compare(const char *a, const char *b) { return compare_numbers(a, b, false); }

static void entry_free(struct known_entry *entry) {
  free(entry->key);
  free(entry->reason);
  free(entry->replay);
}

void known_free(struct known_list *list) {
  u32 i;

  for (i = 0; i < list->count; i++) entry_free(&list->entry[i]);
  free(list->entry);
  *list = (struct known_list){0};
}

static bool is_version(const char *s) {
  return *s >= '0' && *s <= '9' && strlen(s) < 32 && strspn(s, "0123456789.") == strlen(s);
}

static const char *set_versions(struct known_entry *entry, const char *value) {
  const char *dots = strstr(value, "..");
  char first[32] = "";

  if (!dots || (size_t)(dots - value) >= sizeof(first)) return "versions are FIRST..LAST";
  memcpy(first, value, (size_t)(dots - value));
  first[dots - value] = '\0';
  if ((*first && !is_version(first)) || (dots[2] && !is_version(dots + 2)) || (!*first && !dots[2]))
    return "versions are FIRST..LAST, numbers with dots";
  strcpy(entry->version_first, first);
  strcpy(entry->version_last, dots + 2);
  return NULL;
}

// One "word value" line; returns what is wrong with it, or NULL.
static const char *take_line(struct known_entry *entry, char *line) {
  char *value = strchr(line, ' ');

  if (!value || !value[1]) return "a word and its value are missing";
  *value++ = '\0';
  if (!strcmp(line, "key")) {
    if (entry->key) return "a second key in one block";
    if (strchr(value, ' ')) return "a key has no spaces";
    entry->key = xstrdup(value);
  } else if (!strcmp(line, "reason")) {
    if (entry->reason) return "a second reason in one block";
    entry->reason = xstrdup(value);
  } else if (!strcmp(line, "replay")) {
    if (entry->replay) return "a second replay in one block";
    entry->replay = xstrdup(value);
  } else if (!strcmp(line, "subject") || !strcmp(line, "versions")) {
    if (*entry->sha256 || *entry->version_first || *entry->version_last)
      return "a second subject or versions in one block";
    if (!strcmp(line, "versions")) return set_versions(entry, value);
    if (strlen(value) != 64 || strspn(value, "0123456789abcdef") != 64)
      return "a subject is a SHA-256 of 64 lower-case hexadecimal digits";
    memcpy(entry->sha256, value, 65);
  } else {
    return "not one of key, subject, versions, reason, replay";
  }
  return NULL;
}

static const char *end_block(struct known_list *list, struct known_entry *entry) {
  if (!entry->key) return "the block has no key";
  if (!*entry->sha256 && !*entry->version_first && !*entry->version_last)
    return "the block has neither subject nor versions";
  if (!entry->reason) return "the block has no reason";
  if (!entry->replay) return "the block has no replay";
  list->entry = xrealloc(list->entry, (list->count + 1) * sizeof(*list->entry));
  list->entry[list->count++] = *entry;
  *entry = (struct known_entry){0};
  return NULL;
}

bool known_parse(struct known_list *out, const char *text, size_t len, char *err, size_t err_len) {
  struct known_list list = {0};
  struct known_entry entry = {0};
  const char *end = text + len, *why = NULL;
  bool in_block = false;
  u32 number = 0;

  while (text < end && !why) {
    const char *newline = memchr(text, '\n', (size_t)(end - text));
    size_t line_len = (size_t)((newline ? newline : end) - text);
    char *line = xcalloc(1, line_len + 1);

    memcpy(line, text, line_len);
    text += line_len + 1;
    number++;
    if (strlen(line) != line_len)
      why = "a NUL byte";
    else if (*line == '#')
      ;
    else if (!*line)
      why = in_block ? end_block(&list, &entry) : NULL;
    else
      why = take_line(&entry, line);
    if (*line != '#') in_block = *line != '\0';
    free(line);
  }
  if (!why && in_block) why = end_block(&list, &entry);
  if (why) {
    snprintf(err, err_len, "line %u: %s", number, why);
    entry_free(&entry);
    known_free(&list);
    return false;
  }
  *out = list;
  return true;
}

int known_read(struct known_list *out, const char *path, char *err, size_t err_len) {
  const char *root = getenv("SEEDBED_ROOT");
  struct text text = {0};
  char *file, why[256];
  int status = SIM_OK;

  *out = (struct known_list){0};
  if (!path && (!root || !*root)) return SIM_OK;
  file = path ? xstrdup(path) : xasprintf("%s/corpora/known-findings", root);
  if (!read_file(file, KNOWN_FILE_MAX, &text)) {
    if (path || errno != ENOENT) status = errno == EFBIG ? SIM_MALFORMED : SIM_MISSING_FILE;
    snprintf(err, err_len, "%s: %s", file, strerror(errno));
  } else if (!known_parse(out, text_str(&text), text.len, why, sizeof(why))) {
    status = SIM_MALFORMED;
    snprintf(err, err_len, "%s: %s", file, why);
  }
  free(file);
  text_free(&text);
  return status;
}

const struct known_entry *known_find(const struct known_list *list, const struct subject *subject,
                                     const char *key) {
  u32 i;

  if (subject->kind == SUBJECT_MODEL) return NULL;
  for (i = 0; i < list->count; i++) {
    const struct known_entry *entry = &list->entry[i];

    if (strcmp(entry->key, key)) continue;
    if (*entry->sha256) {
      if (!strcmp(entry->sha256, subject->sha256)) return entry;
      continue;
    }
    if (!*subject->version) continue;
    if (*entry->version_first && known_version_compare(subject->version, entry->version_first) < 0)
      continue;
    if (*entry->version_last && compare_numbers(subject->version, entry->version_last, true) > 0)
      continue;
    return entry;
  }
  return NULL;
}
