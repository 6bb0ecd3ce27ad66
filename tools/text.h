// SPDX-License-Identifier: GPL-2.0-or-later
//
// Text for the command: a string that grows, words quoted for the shell, and numbers
// that are parsed strictly.
#ifndef SEEDBED_TOOLS_TEXT_H_
#define SEEDBED_TOOLS_TEXT_H_

#include <stdarg.h>

#include "sim/base.h"

// A string that grows. Zero-initialised it is empty. `s` is NULL until the first
// byte is added; text_str never returns NULL. Running out of memory ends the process
// with status 70, here and wherever the command allocates.
struct text {
  char *s;
  size_t len, cap;
};
void text_add(struct text *text, const char *s);
void text_add_bytes(struct text *text, const void *bytes, size_t len);
void text_addf(struct text *text, const char *fmt, ...) SIM_PRINTF(2, 3);
void text_vaddf(struct text *text, const char *fmt, va_list args) SIM_PRINTF(2, 0);
// Adds `word` so that a POSIX shell reads it back as one word: as it is where no byte
// needs quoting, else in single quotes.
void text_add_quoted(struct text *text, const char *word);
const char *text_str(const struct text *text);
// Frees what it holds; it is empty again.
void text_free(struct text *text);

// Allocation that ends the process with status 70 where there is no memory.
void *xcalloc(size_t count, size_t size);
void *xrealloc(void *ptr, size_t size);
char *xstrdup(const char *s);
char *xasprintf(const char *fmt, ...) SIM_PRINTF(1, 2);

// Parses a whole string as a decimal or 0x-hexadecimal number: digits only, no sign, no
// space, at most 2^64-1. Returns false with a reason in `out_why` (a literal) and
// `out` unchanged.
SIM_MUST_CHECK bool text_parse_u64(const char *s, u64 *out, const char **out_why);
// Parses "A..B", "A.." (to 2^64-1) or "A" (that one). Both ends are included and A must
// not be above B. Errors as above.
SIM_MUST_CHECK bool text_parse_range(const char *s, u64 *out_first, u64 *out_last,
                                     const char **out_why);
// Parses a time in seconds with up to three decimals ("60", "0.5"), optionally followed
// by s, m or h, to milliseconds; 1 ms to ten years. Errors as above.
SIM_MUST_CHECK bool text_parse_time(const char *s, u64 *out_ms, const char **out_why);

// The number of single-byte edits between two strings, at most 99; for "did you mean".
u32 text_distance(const char *a, const char *b);

// Writes a count for people: "950", "12.3k", "4.56M". Returns `out`.
enum { TEXT_COUNT_LEN = 48 };
const char *text_count(u64 count, char out[TEXT_COUNT_LEN]);
// Writes a duration for people: "0.4 s", "12 s", "3 min 05 s", "2 h 10 min".
const char *text_duration(u64 ms, char out[TEXT_COUNT_LEN]);
// Writes a number with thin groups for tables: "1,204,224".
const char *text_grouped(u64 count, char out[TEXT_COUNT_LEN + 8]);

#endif  // SEEDBED_TOOLS_TEXT_H_
