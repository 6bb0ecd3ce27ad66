// SPDX-License-Identifier: GPL-2.0-or-later
//
// Text for the command; see text.h.

#include "tools/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

SIM_NORETURN static void no_memory(void) {
  fputs("seedbed: out of memory\n", stderr);
  _Exit(70);
}

void *xcalloc(size_t count, size_t size) {
  void *ptr = calloc(count ? count : 1, size ? size : 1);

  if (!ptr) no_memory();
  return ptr;
}

void *xrealloc(void *ptr, size_t size) {
  ptr = realloc(ptr, size ? size : 1);
  if (!ptr) no_memory();
  return ptr;
}

char *xstrdup(const char *s) {
  size_t size = strlen(s) + 1;

  return memcpy(xcalloc(1, size), s, size);
}

char *xasprintf(const char *fmt, ...) {
  struct text text = {0};
  va_list args;

  va_start(args, fmt);
  text_vaddf(&text, fmt, args);
  va_end(args);
  if (!text.s) return xstrdup("");
  return text.s;
}

void text_add_bytes(struct text *text, const void *bytes, size_t len) {
  if (len >= SIZE_MAX / 2 - text->len) no_memory();
  if (text->len + len + 1 > text->cap) {
    text->cap = (text->len + len + 1) * 2;
    text->s = xrealloc(text->s, text->cap);
  }
  if (len) memcpy(text->s + text->len, bytes, len);
  text->len += len;
  text->s[text->len] = '\0';
}

void text_add(struct text *text, const char *s) { text_add_bytes(text, s, strlen(s)); }

void text_vaddf(struct text *text, const char *fmt, va_list args) {
  char *s = NULL;
  int len = vasprintf(&s, fmt, args);

  if (len < 0) no_memory();
  text_add_bytes(text, s, (size_t)len);
  free(s);
}

void text_addf(struct text *text, const char *fmt, ...) {
  va_list args;

  va_start(args, fmt);
  text_vaddf(text, fmt, args);
  va_end(args);
}

void text_add_quoted(struct text *text, const char *word) {
  static const char plain[] =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
      "0123456789@%+=:,./_-";

  if (*word && strspn(word, plain) == strlen(word)) {
    text_add(text, word);
    return;
  }
  text_add(text, "'");
  for (; *word; word++) {
    if (*word == '\'')
      text_add(text, "'\\''");
    else
      text_add_bytes(text, word, 1);
  }
  text_add(text, "'");
}

const char *text_str(const struct text *text) { return text->s ? text->s : ""; }

void text_free(struct text *text) {
  free(text->s);
  *text = (struct text){0};
}

static int digit_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return 99;
}

// Parses the number at the start of [s, end); it must fill it.
static bool parse_u64_span(const char *s, const char *end, u64 *out, const char **out_why) {
  u32 base = 10;
  u64 value = 0;

  if (end - s > 2 && s[0] == '0' && (s[1] == 'x' || s[1] == 'X')) {
    base = 16;
    s += 2;
  }
  if (s == end) {
    *out_why = "a number is missing";
    return false;
  }
  for (; s < end; s++) {
    u32 digit = (u32)digit_value(*s);

    if (digit >= base) {
      *out_why = "not a decimal or 0x number";
      return false;
    }
    if (value > (UINT64_MAX - digit) / base) {
      *out_why = "above 2^64-1";
      return false;
    }
    value = value * base + digit;
  }
  *out = value;
  return true;
}

bool text_parse_u64(const char *s, u64 *out, const char **out_why) {
  return parse_u64_span(s, s + strlen(s), out, out_why);
}

bool text_parse_range(const char *s, u64 *out_first, u64 *out_last, const char **out_why) {
  const char *dots = strstr(s, "..");
  u64 first, last;

  if (!dots) {
    if (!text_parse_u64(s, &first, out_why)) return false;
    last = first;
  } else {
    if (!parse_u64_span(s, dots, &first, out_why)) return false;
    last = UINT64_MAX;
    if (dots[2] && !text_parse_u64(dots + 2, &last, out_why)) return false;
  }
  if (first > last) {
    *out_why = "the range is empty: its first number is above its last";
    return false;
  }
  *out_first = first;
  *out_last = last;
  return true;
}

bool text_parse_time(const char *s, u64 *out_ms, const char **out_why) {
  const u64 ms_max = 3650ull * 86400 * 1000;
  u64 unit_ms = 1000, whole = 0, ms;
  size_t len = strlen(s), digits;

  if (len && strchr("smh", s[len - 1])) {
    unit_ms = s[len - 1] == 's' ? 1000 : s[len - 1] == 'm' ? 60000 : 3600000;
    len--;
  }
  digits = strspn(s, "0123456789");
  if (!digits || digits > len || digits > 12 || !parse_u64_span(s, s + digits, &whole, out_why)) {
    *out_why = "not a time in seconds (60, 0.5, 10m, 2h)";
    return false;
  }
  ms = whole * unit_ms;
  if (digits < len) {
    u64 part = unit_ms;
    size_t i;

    if (s[digits] != '.' || digits + 1 == len || len - digits - 1 > 3) {
      *out_why = "not a time in seconds (60, 0.5, 10m, 2h)";
      return false;
    }
    for (i = digits + 1; i < len; i++) {
      if (s[i] < '0' || s[i] > '9') {
        *out_why = "not a time in seconds (60, 0.5, 10m, 2h)";
        return false;
      }
      part /= 10;
      ms += part * (u64)(s[i] - '0');
    }
  }
  if (ms < 1 || ms > ms_max) {
    *out_why = "a time of 0, or above ten years";
    return false;
  }
  *out_ms = ms;
  return true;
}

u32 text_distance(const char *a, const char *b) {
  enum { LEN_MAX = 96 };
  size_t a_len = strlen(a), b_len = strlen(b), i, j;
  u32 row[LEN_MAX + 1];

  if (a_len > LEN_MAX || b_len > LEN_MAX) return 99;
  for (j = 0; j <= b_len; j++) row[j] = (u32)j;
  for (i = 1; i <= a_len; i++) {
    u32 diagonal = row[0];

    row[0] = (u32)i;
    for (j = 1; j <= b_len; j++) {
      u32 cost = diagonal + (a[i - 1] != b[j - 1]);

      diagonal = row[j];
      if (row[j] + 1 < cost) cost = row[j] + 1;
      if (row[j - 1] + 1 < cost) cost = row[j - 1] + 1;
      row[j] = cost;
    }
  }
  return row[b_len] > 99 ? 99 : row[b_len];
}

const char *text_count(u64 count, char out[TEXT_COUNT_LEN]) {
  static const char units[] = "kMGTP";
  u64 unit = 1000;
  u32 i = 0;

  if (count < 1000) {
    snprintf(out, TEXT_COUNT_LEN, "%" PRIu64, count);
    return out;
  }
  while (count / unit >= 1000 && units[i + 1]) {
    unit *= 1000;
    i++;
  }
  if (count / unit >= 100)
    snprintf(out, TEXT_COUNT_LEN, "%" PRIu64 "%c", count / unit, units[i]);
  else if (count / unit >= 10)
    snprintf(out, TEXT_COUNT_LEN, "%" PRIu64 ".%" PRIu64 "%c", count / unit,
             count % unit / (unit / 10), units[i]);
  else
    snprintf(out, TEXT_COUNT_LEN, "%" PRIu64 ".%02" PRIu64 "%c", count / unit,
             count % unit / (unit / 100), units[i]);
  return out;
}

const char *text_duration(u64 ms, char out[TEXT_COUNT_LEN]) {
  u64 s = ms / 1000;

  if (s < 10)
    snprintf(out, TEXT_COUNT_LEN, "%" PRIu64 ".%" PRIu64 " s", s, ms % 1000 / 100);
  else if (s < 60)
    snprintf(out, TEXT_COUNT_LEN, "%" PRIu64 " s", s);
  else if (s < 3600)
    snprintf(out, TEXT_COUNT_LEN, "%" PRIu64 " min %02" PRIu64 " s", s / 60, s % 60);
  else
    snprintf(out, TEXT_COUNT_LEN, "%" PRIu64 " h %02" PRIu64 " min", s / 3600, s % 3600 / 60);
  return out;
}

const char *text_grouped(u64 count, char out[TEXT_COUNT_LEN + 8]) {
  char digits[TEXT_COUNT_LEN];
  size_t len = (size_t)snprintf(digits, sizeof(digits), "%" PRIu64, count), i, at = 0;

  for (i = 0; i < len; i++) {
    if (i && (len - i) % 3 == 0) out[at++] = ',';
    out[at++] = digits[i];
  }
  out[at] = '\0';
  return out;
}
