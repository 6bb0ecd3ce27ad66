// SPDX-License-Identifier: GPL-2.0-or-later
//
// A decision file as it was before it went through a mail; see mailed.h.

#include "tools/mailed.h"

#include <stdlib.h>
#include <string.h>

#include "sim/decision.h"

// A line without its end. Bytes may be anything.
struct line {
  const char *s;
  size_t len;
  bool ended;  // by a newline
};

static struct line line_at(const struct text *bytes, size_t at) {
  const char *s = bytes->s + at, *newline = memchr(s, '\n', bytes->len - at);

  return (struct line){s, newline ? (size_t)(newline - s) : bytes->len - at, newline != NULL};
}

static size_t behind(const struct line *line) { return line->len + line->ended; }

static void strip_front(struct line *line) {
  while (line->len && strchr(" \t>", *line->s) && *line->s) line->s++, line->len--;
}

static void strip_end(struct line *line) {
  while (line->len && strchr(" \t\r", line->s[line->len - 1]) && line->s[line->len - 1])
    line->len--;
}

// ---- Words ----

enum { WORDS_MAX = 5 };

struct word {
  const char *s;
  size_t len;
};

// The first words of a line; more than WORDS_MAX are not told apart.
static u32 words_of(const struct line *line, struct word out[WORDS_MAX]) {
  size_t at = 0, start;
  u32 count = 0;

  while (count < WORDS_MAX) {
    while (at < line->len && line->s[at] == ' ') at++;
    if (at == line->len) break;
    for (start = at; at < line->len && line->s[at] != ' '; at++)
      ;
    out[count++] = (struct word){line->s + start, at - start};
  }
  return count;
}

static bool only(const struct word *word, const char *bytes) {
  size_t i;

  for (i = 0; i < word->len && word->s[i] && strchr(bytes, word->s[i]); i++)
    ;
  return word->len && i == word->len;
}

static bool is(const struct word *word, const char *text) {
  return word->len == strlen(text) && !memcmp(word->s, text, word->len);
}

// "SITE ACTOR K VALUE"
static bool is_draw(const struct line *line) {
  struct word words[WORDS_MAX];

  return words_of(line, words) == 4 && only(&words[2], "0123456789") &&
         (*words[3].s == '>' || only(&words[3], "0123456789"));
}

static bool ends_with_sum(const struct line *line) {
  struct line last = *line;
  struct word word;

  while (last.len && line->s[last.len - 1] != ' ') last.len--;
  word = (struct word){line->s + last.len, line->len - last.len};
  return word.len == 64 && only(&word, "0123456789abcdef");
}

// ---- The file ----

struct finding {
  struct mailed *out;
  u32 number;  // of the line that is looked at, in the file as it came
  bool strip, in_draws, has_draws;
  u64 draws;  // stated and not yet seen
};

static void add(struct finding *f, const struct line *line) {
  struct mailed *out = f->out;

  if (!line->len && !line->ended) return;  // blanks at the end of the file
  out->line = xrealloc(out->line, (out->num_lines + 1) * sizeof(*out->line));
  out->line[out->num_lines++] = f->number;
  text_add_bytes(&out->text, line->s, line->len);
  if (line->ended) text_add(&out->text, "\n");
}

static void begin_draws(struct finding *f) {
  const struct line empty = {"", 0, true};

  f->in_draws = true;
  if (f->out->text.s[f->out->text.len - 1] == '\n') add(f, &empty);
}

// Whether `next` is the end of the subject's line `line`.
static bool is_wrapped(const struct line *line, const struct line *next) {
  struct word words[WORDS_MAX];

  return words_of(line, words) >= 2 && is(&words[0], "subject") && !ends_with_sum(line) &&
         words_of(next, words) && !is(&words[0], "subject") && !is(&words[0], "commit") &&
         ends_with_sum(next);
}

static void look_at_header(struct finding *f, const struct line *line) {
  struct word words[WORDS_MAX];
  u32 count = words_of(line, words);
  size_t i;

  if (count == 2 && is(&words[0], "draws") && only(&words[1], "0123456789") && words[1].len < 10) {
    f->has_draws = true;
    for (f->draws = i = 0; i < words[1].len; i++)
      f->draws = f->draws * 10 + (u64)(words[1].s[i] - '0');
  }
}

// Adds a line behind the first. Returns false where the file ends.
static bool take(struct finding *f, const struct line *line) {
  struct word words[WORDS_MAX];

  if (!f->in_draws && f->has_draws && is_draw(line) && words_of(line, words) &&
      !is(&words[0], "subject"))
    begin_draws(f);
  if (!f->in_draws) {
    f->in_draws = !line->len && line->ended;
    look_at_header(f, line);
    add(f, line);
    return true;
  }
  if (!f->has_draws || f->draws) {
    f->draws -= f->has_draws;
    add(f, line);
    return true;
  }
  // One draw more than stated is a fault, anything else what somebody wrote below.
  if (is_draw(line)) add(f, line);
  return false;
}

// The place of the version line; its number and what is before it go to `f`.
static bool find_version(const struct text *bytes, struct finding *f, size_t *out_at) {
  size_t at;

  f->number = 1;
  // Some editors begin a file with a byte order mark.
  at = bytes->len >= 3 && !memcmp(bytes->s, "\xef\xbb\xbf", 3) ? 3 : 0;
  for (; at < bytes->len; f->number++) {
    struct line line = line_at(bytes, at), stripped = line;

    strip_front(&stripped);
    if (sim_is_decision_file(stripped.s, stripped.len)) {
      f->strip = stripped.s != line.s;
      *out_at = at;
      return true;
    }
    at += behind(&line);
  }
  return false;
}

// Takes the next line from `at` on, without quotes and what is at its end.
static struct line next_line(const struct text *bytes, size_t *at, const struct finding *f) {
  struct line line = line_at(bytes, *at);

  *at += behind(&line);
  if (f->strip) strip_front(&line);
  // In the version line the last blank makes it a decision file.
  if (f->out->num_lines || line.len > strlen("seedbed-decisions 1")) strip_end(&line);
  return line;
}

bool mailed_find(const struct text *bytes, struct mailed *out) {
  struct finding f = {.out = out};
  size_t at = 0, ahead;
  struct line line;
  bool more = true;

  *out = (struct mailed){0};
  if (!find_version(bytes, &f, &at)) return false;
  line = next_line(bytes, &at, &f);
  add(&f, &line);
  for (f.number++; more && at < bytes->len; f.number++) {
    struct text joined = {0};
    struct line next;

    line = next_line(bytes, &at, &f);
    ahead = at;
    if (!f.in_draws && at < bytes->len) {
      next = next_line(bytes, &ahead, &f);
      if (is_wrapped(&line, &next)) {
        text_add_bytes(&joined, line.s, line.len);
        text_add(&joined, " ");
        text_add_bytes(&joined, next.s, next.len);
        line = (struct line){joined.s, joined.len, next.ended};
        at = ahead;
      }
    }
    more = take(&f, &line);
    f.number += joined.len > 0;
    text_free(&joined);
  }
  // Mail programs drop empty lines at the end.
  if (!f.in_draws && f.has_draws && !f.draws) begin_draws(&f);
  return true;
}

void mailed_free(struct mailed *mailed) {
  text_free(&mailed->text);
  free(mailed->line);
  *mailed = (struct mailed){0};
}

u32 mailed_line(const struct mailed *mailed, u32 line) {
  if (!line || !mailed->num_lines) return line;
  if (line <= mailed->num_lines) return mailed->line[line - 1];
  return mailed->line[mailed->num_lines - 1] + 1;
}
