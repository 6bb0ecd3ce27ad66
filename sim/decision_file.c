// SPDX-License-Identifier: GPL-2.0-or-later
//
// Decision files: the writer, and a parser for whatever somebody was sent. Sections: what
// may be in a string; writing; lines; numbers and words; header; draws.
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "sim/decision.h"

#define MAGIC "seedbed-decisions "
enum { LINE_LEN_MAX = 512, SETS_MAX = 1024, K_MAX = (1 << 24) - 1 };

// ---- What may be in a string ----

static bool printable(unsigned char c) { return c >= 0x20 && c <= 0x7e; }

// One word of printable ASCII that is not the sign for "empty".
static bool is_word(const char *s, size_t len) {
  if (len == 0 || (len == 1 && s[0] == '-')) return false;
  for (size_t i = 0; i < len; i++)
    if (!printable((unsigned char)s[i]) || s[i] == ' ') return false;
  return true;
}

// Words with blanks between them.
static bool is_phrase(const char *s, size_t len) {
  if (len == 0 || s[0] == ' ' || s[len - 1] == ' ' || (len == 1 && s[0] == '-')) return false;
  for (size_t i = 0; i < len; i++)
    if (!printable((unsigned char)s[i])) return false;
  return true;
}

static bool is_sha256(const char *s, size_t len) {
  if (len != 64) return false;
  for (size_t i = 0; i < len; i++)
    if (!((s[i] >= '0' && s[i] <= '9') || (s[i] >= 'a' && s[i] <= 'f'))) return false;
  return true;
}

bool sim_is_decision_file(const char *text, size_t len) {
  return len >= strlen(MAGIC) && memcmp(text, MAGIC, strlen(MAGIC)) == 0;
}

void sim_decisions_free(struct sim_decisions *d) {
  free(d->item);
  memset(d, 0, sizeof(*d));
}

void sim_decision_file_free(struct sim_decision_file *f) {
  free(f->set);
  sim_decisions_free(&f->list);
  memset(f, 0, sizeof(*f));
}

// ---- Writing ----

static bool word_or_empty(const char *s) { return !*s || is_word(s, strlen(s)); }

static bool same_draw(const struct sim_decision *a, const struct sim_decision *b) {
  return a->k == b->k && strcmp(a->site, b->site) == 0 && strcmp(a->actor, b->actor) == 0;
}

// An open hash table of positions, half full at most.
u32 sim_decisions_repeated(const struct sim_decisions *list) {
  u32 bits = 4;
  while (1u << bits < 2 * list->count) bits++;
  u32 *table = calloc((size_t)1 << bits, sizeof(*table));  // 1 + position; 0: empty
  SIM_ASSERT(table);
  u32 found = list->count;
  for (u32 i = 0; i < list->count && found == list->count; i++) {
    const struct sim_decision *d = &list->item[i];
    u64 hash = sim_mix64(sim_hash_str(d->site) ^ sim_mix64(sim_hash_str(d->actor) + d->k));
    u32 at = (u32)(hash >> (64 - bits));
    while (table[at] && !same_draw(&list->item[table[at] - 1], d))
      at = (at + 1) & ((1u << bits) - 1);
    if (table[at]) found = i;
    table[at] = i + 1;
  }
  free(table);
  return found;
}

static bool can_be_written(const struct sim_decision_file *f) {
  bool ok = is_word(f->scenario, strlen(f->scenario)) &&
            (!*f->subject || is_phrase(f->subject, strlen(f->subject))) &&
            (!*f->subject_sha256 || is_sha256(f->subject_sha256, strlen(f->subject_sha256))) &&
            word_or_empty(f->commit) && word_or_empty(f->bug) && word_or_empty(f->strategy) &&
            word_or_empty(f->key) && f->num_set <= SETS_MAX;
  for (u32 i = 0; ok && i < f->num_set; i++)
    ok = is_word(f->set[i].key, strlen(f->set[i].key)) &&
         is_word(f->set[i].value, strlen(f->set[i].value));
  for (u32 i = 0; ok && i < f->list.count; i++) {
    const struct sim_decision *d = &f->list.item[i];
    ok = is_word(d->site, strlen(d->site)) && is_word(d->actor, strlen(d->actor)) &&
         word_or_empty(d->target) && d->k <= K_MAX && d->value < SIM_CHOICE_MAX;
  }
  return ok && f->list.count <= SIM_RECORD_MAX && sim_decisions_repeated(&f->list) == f->list.count;
}

static const char *or_dash(const char *s) { return *s ? s : "-"; }

bool sim_decision_file_write(const struct sim_decision_file *f, FILE *out) {
  if (!can_be_written(f)) return false;
  fprintf(out, MAGIC "1\n");
  fprintf(out, "scenario %s\n", f->scenario);
  fprintf(out, "subject %s %s\n", or_dash(f->subject), or_dash(f->subject_sha256));
  fprintf(out, "commit %s\n", or_dash(f->commit));
  for (u32 i = 0; i < f->num_set; i++) fprintf(out, "set %s %s\n", f->set[i].key, f->set[i].value);
  if (*f->bug) fprintf(out, "bug %s\n", f->bug);
  if (f->has_seed)
    fprintf(out, "seed 0x%" PRIx64 "\n", f->seed);
  else
    fprintf(out, "seed -\n");
  fprintf(out, "strategy %s\n", or_dash(f->strategy));
  fprintf(out, "key %s\n", or_dash(f->key));
  fprintf(out, "digest 0x%016" PRIx64 "\n", f->digest);
  if (f->build) fprintf(out, "build 0x%016" PRIx64 "\n", f->build);
  fprintf(out, "draws %u\n\n", f->list.count);
  for (u32 i = 0; i < f->list.count; i++) {
    const struct sim_decision *d = &f->list.item[i];
    fprintf(out, "%s %s %u ", d->site, d->actor, d->k);
    if (*d->target)
      fprintf(out, ">%s\n", d->target);
    else
      fprintf(out, "%u\n", d->value);
  }
  return fflush(out) == 0 && !ferror(out);
}

// ---- Lines ----

struct parser {
  const char *at, *end;  // what is left
  const char *text;      // the line, without its newline
  size_t len;
  u32 line;  // its number
  char *err;
  size_t err_len;
};

SIM_PRINTF(2, 3) static bool fault(struct parser *p, const char *fmt, ...) {
  char reason[160];
  va_list ap;
  va_start(ap, fmt);
  vsnprintf(reason, sizeof(reason), fmt, ap);
  va_end(ap);
  snprintf(p->err, p->err_len, "line %u: %s", p->line, reason);
  return false;
}

static bool next_line(struct parser *p) {
  size_t left = (size_t)(p->end - p->at);
  p->line++;
  if (left == 0) return fault(p, "the file ends here: it is cut, ask for the whole of it");
  const char *newline = memchr(p->at, '\n', left);
  size_t len = newline ? (size_t)(newline - p->at) : left;
  for (size_t i = 0; i < len && i <= LINE_LEN_MAX; i++)
    if (!printable((unsigned char)p->at[i]))
      return fault(p, "byte 0x%02x is not text", (unsigned char)p->at[i]);
  if (len > LINE_LEN_MAX) return fault(p, "longer than %d bytes", LINE_LEN_MAX);
  if (!newline) return fault(p, "it does not end with a newline: if nothing is cut off, add one");
  p->text = p->at;
  p->len = len;
  p->at = newline + 1;
  return true;
}

// Takes the word before the next blank (or the end) off the line. A line never has two
// blanks in a row, one in front or one behind: then the word is empty.
static void take_word(struct parser *p, const char **word, size_t *len) {
  const char *blank = memchr(p->text, ' ', p->len);
  *word = p->text;
  *len = blank ? (size_t)(blank - p->text) : p->len;
  size_t used = blank ? *len + 1 : *len;
  p->text += used;
  p->len -= used;
}

// ---- Numbers and words ----

// A decimal number, or one after 0x, of at most 64 bits and not above `max`.
static bool parse_u64(const char *s, size_t len, u64 max, u64 *out) {
  u64 base = 10, value = 0;
  if (len > 2 && s[0] == '0' && s[1] == 'x') {
    base = 16;
    s += 2;
    len -= 2;
  }
  if (len == 0) return false;
  for (size_t i = 0; i < len; i++) {
    u64 digit = 99;
    if (s[i] >= '0' && s[i] <= '9') digit = (u64)(s[i] - '0');
    if (s[i] >= 'a' && s[i] <= 'f') digit = (u64)(s[i] - 'a') + 10;
    if (digit >= base || value > (UINT64_MAX - digit) / base) return false;
    value = value * base + digit;
  }
  if (value > max) return false;
  *out = value;
  return true;
}

static bool copy(struct parser *p, const char *what, char *out, size_t out_len, const char *s,
                 size_t len) {
  if (len >= out_len) return fault(p, "%s is longer than %zu characters", what, out_len - 1);
  memcpy(out, s, len);
  out[len] = 0;
  return true;
}

// The rest of the line as one word; "-" leaves `out` empty.
static bool take_value(struct parser *p, const char *what, char *out, size_t out_len) {
  if (p->len == 1 && p->text[0] == '-') return true;
  if (!is_word(p->text, p->len)) return fault(p, "%s is not one word", what);
  return copy(p, what, out, out_len, p->text, p->len);
}

// ---- Header ----

static bool parse_subject(struct parser *p, struct sim_decision_file *f) {
  size_t len = p->len;
  while (len > 0 && p->text[len - 1] != ' ') len--;
  if (len == 0) return fault(p, "subject has no SHA-256: if the line below is it, join them");
  const char *sha = p->text + len;
  size_t sha_len = p->len - len, name_len = len - 1;
  if (!(sha_len == 1 && sha[0] == '-')) {
    if (!is_sha256(sha, sha_len)) return fault(p, "a SHA-256 has 64 digits 0-9 and a-f");
    memcpy(f->subject_sha256, sha, sha_len);
  }
  if (name_len == 1 && p->text[0] == '-') return true;
  if (!is_phrase(p->text, name_len)) return fault(p, "subject has no name");
  return copy(p, "subject", f->subject, sizeof(f->subject), p->text, name_len);
}

static bool parse_set(struct parser *p, struct sim_decision_file *f) {
  const char *key;
  size_t key_len;
  take_word(p, &key, &key_len);
  if (!is_word(key, key_len) || !is_word(p->text, p->len))
    return fault(p, "set takes a name and a value");
  if (f->num_set == SETS_MAX) return fault(p, "more than %d settings", SETS_MAX);
  if ((f->num_set & (f->num_set - 1)) == 0) {
    u32 cap = f->num_set ? 2 * f->num_set : 1;
    f->set = realloc(f->set, cap * sizeof(f->set[0]));
    SIM_ASSERT(f->set);
  }
  char *to = f->set[f->num_set].key;
  if (!copy(p, "the name", to, sizeof(f->set[0].key), key, key_len) ||
      !copy(p, "the value", f->set[f->num_set].value, sizeof(f->set[0].value), p->text, p->len))
    return false;
  for (u32 i = 0; i < f->num_set; i++)
    if (strcmp(f->set[i].key, to) == 0) return fault(p, "%s is set twice", to);
  f->num_set++;
  return true;
}

static bool parse_seed(struct parser *p, struct sim_decision_file *f) {
  if (p->len == 1 && p->text[0] == '-') return true;
  f->has_seed = parse_u64(p->text, p->len, UINT64_MAX, &f->seed);
  return f->has_seed || fault(p, "seed is not a number of at most 64 bits");
}

// Keys that occur at most once; `set` is apart.
enum key {
  KEY_SCENARIO,
  KEY_SUBJECT,
  KEY_COMMIT,
  KEY_BUG,
  KEY_SEED,
  KEY_STRATEGY,
  KEY_KEY,
  KEY_DIGEST,
  KEY_BUILD,
  KEY_DRAWS,
  KEY_COUNT,
};
static const char *const key_names[KEY_COUNT] = {"scenario", "subject", "commit", "bug",   "seed",
                                                 "strategy", "key",     "digest", "build", "draws"};

static bool parse_value(struct parser *p, struct sim_decision_file *f, enum key key, u64 *draws) {
  switch (key) {
    case KEY_SCENARIO:
      return take_value(p, "scenario", f->scenario, sizeof(f->scenario));
    case KEY_SUBJECT:
      return parse_subject(p, f);
    case KEY_COMMIT:
      return take_value(p, "commit", f->commit, sizeof(f->commit));
    case KEY_BUG:
      return take_value(p, "bug", f->bug, sizeof(f->bug));
    case KEY_SEED:
      return parse_seed(p, f);
    case KEY_STRATEGY:
      return take_value(p, "strategy", f->strategy, sizeof(f->strategy));
    case KEY_KEY:
      return take_value(p, "key", f->key, sizeof(f->key));
    case KEY_DIGEST:
      return parse_u64(p->text, p->len, UINT64_MAX, &f->digest) ||
             fault(p, "digest is not a number of at most 64 bits");
    case KEY_BUILD:
      return parse_u64(p->text, p->len, UINT64_MAX, &f->build) ||
             fault(p, "build is not a number of at most 64 bits");
    case KEY_DRAWS:
      return parse_u64(p->text, p->len, SIM_RECORD_MAX, draws) ||
             fault(p, "draws is not a number of 0..%d", SIM_RECORD_MAX);
    case KEY_COUNT:
      break;
  }
  return false;
}

static bool parse_header(struct parser *p, struct sim_decision_file *f, u64 *draws) {
  bool seen[KEY_COUNT] = {false};
  if (!next_line(p)) return false;
  if (!sim_is_decision_file(p->text, p->len)) return fault(p, "it is not a decision file");
  if (p->len != strlen(MAGIC) + 1 || p->text[strlen(MAGIC)] != '1')
    return fault(p, "version '%.*s' is not known, only 1: take a newer seedbed",
                 (int)(p->len - strlen(MAGIC)), p->text + strlen(MAGIC));
  for (;;) {
    const char *name;
    size_t len;
    if (!next_line(p)) return false;
    if (p->len == 0) break;
    take_word(p, &name, &len);
    if (len == 3 && memcmp(name, "set", 3) == 0) {
      if (!parse_set(p, f)) return false;
      continue;
    }
    u32 key = 0;
    while (key < KEY_COUNT &&
           (strlen(key_names[key]) != len || memcmp(key_names[key], name, len) != 0))
      key++;
    if (key == KEY_COUNT)
      return fault(p, "'%.*s' is no key; if it belongs to the line above, join them",
                   (int)(len > 40 ? 40 : len), name);
    if (seen[key]) return fault(p, "%s is given twice", key_names[key]);
    seen[key] = true;
    if (!parse_value(p, f, key, draws)) return false;
  }
  if (!*f->scenario) return fault(p, "no scenario was named above");
  if (!seen[KEY_DRAWS]) return fault(p, "the number of draws was not given above");
  return true;
}

// ---- Draws ----

static bool parse_draw(struct parser *p, struct sim_decision *d) {
  const char *word[3];
  size_t len[3];
  u64 number;
  for (u32 i = 0; i < 3; i++) take_word(p, &word[i], &len[i]);
  if (!is_word(word[0], len[0])) return fault(p, "a draw begins with its site's label");
  if (!is_word(word[1], len[1])) return fault(p, "a draw's second word is an actor's label");
  if (!parse_u64(word[2], len[2], K_MAX, &number))
    return fault(p, "the occurrence is not a number of 0..%d", K_MAX);
  d->k = (u32)number;
  if (!copy(p, "the site's label", d->site, sizeof(d->site), word[0], len[0]) ||
      !copy(p, "the actor's label", d->actor, sizeof(d->actor), word[1], len[1]))
    return false;
  if (p->len > 1 && p->text[0] == '>') {
    if (!is_word(p->text + 1, p->len - 1)) return fault(p, "after > comes one label");
    return copy(p, "the target's label", d->target, sizeof(d->target), p->text + 1, p->len - 1);
  }
  if (!parse_u64(p->text, p->len, SIM_CHOICE_MAX - 1, &number))
    return fault(p, "the value is neither a number of 0..%d nor >label", SIM_CHOICE_MAX - 1);
  d->value = (u32)number;
  return true;
}

static bool parse_draws(struct parser *p, struct sim_decision_file *f, u64 draws) {
  struct sim_decisions *list = &f->list;
  u32 first_line = p->line + 1;
  for (u64 i = 0; i < draws; i++) {
    if (!next_line(p)) return false;
    // Grown as lines come: the number in the header is only a claim.
    if (list->count == list->cap) {
      list->cap = list->cap ? list->cap * 2 : 64;
      list->item = realloc(list->item, list->cap * sizeof(list->item[0]));
      SIM_ASSERT(list->item);
    }
    struct sim_decision *d = &list->item[list->count];
    memset(d, 0, sizeof(*d));
    if (!parse_draw(p, d)) return false;
    list->count++;
  }
  p->line++;
  if (p->at != p->end) return fault(p, "more than the %u draws of the header", (u32)draws);
  u32 repeated = sim_decisions_repeated(list);
  p->line = first_line + repeated;
  return repeated == list->count ||
         fault(p, "a draw with this site, actor and occurrence is above");
}

bool sim_decision_file_parse(struct sim_decision_file *f, const char *text, size_t len, char *err,
                             size_t err_len) {
  struct parser p = {.at = text, .end = text + len, .err = err, .err_len = err_len};
  u64 draws = 0;
  memset(f, 0, sizeof(*f));
  if (parse_header(&p, f, &draws) && parse_draws(&p, f, draws)) return true;
  sim_decision_file_free(f);
  return false;
}
