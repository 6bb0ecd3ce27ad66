// SPDX-License-Identifier: GPL-2.0-or-later
//
// Decision files: what is written is read back; whatever else comes is refused with its
// line and a reason, and nothing is left to free. SEEDBED_NIGHTLY raises the number of
// mutations from 20,000 to 1,000,000.
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/decision.h"
#include "sim/prng.h"

#define SHA "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static const char valid[] =
    "seedbed-decisions 1\n"
    "scenario bcm2835-unregister\n"
    "subject image:vdso 64.so " SHA
    "\n"
    "commit 1a2b3c\n"
    "set num_cpus 1\n"
    "set suspect.late 1\n"
    "bug 55\n"
    "seed 0x12\n"
    "strategy pct2\n"
    "key bcm2835-unregister/hung-task/0badcafe\n"
    "digest 0x00000000deadbeef\n"
    "build 0x0123456789abcdef\n"
    "draws 4\n"
    "\n"
    "hwrng_fillfn:mutex_lock reader#0 12 >cpu1\n"
    "bcm2835-stuck cpu0 0 3\n"
    "idle cpu1 16777215 >fill#0\n"
    "late reader#1 7 65535\n";

static bool same_decision(const struct sim_decision *a, const struct sim_decision *b) {
  return strcmp(a->site, b->site) == 0 && strcmp(a->actor, b->actor) == 0 &&
         strcmp(a->target, b->target) == 0 && a->k == b->k && a->value == b->value;
}

static bool same_file(const struct sim_decision_file *a, const struct sim_decision_file *b) {
  bool same = strcmp(a->scenario, b->scenario) == 0 && strcmp(a->subject, b->subject) == 0 &&
              strcmp(a->subject_sha256, b->subject_sha256) == 0 &&
              strcmp(a->commit, b->commit) == 0 && strcmp(a->bug, b->bug) == 0 &&
              strcmp(a->strategy, b->strategy) == 0 && strcmp(a->key, b->key) == 0 &&
              a->seed == b->seed && a->digest == b->digest && a->has_seed == b->has_seed &&
              a->build == b->build && a->num_set == b->num_set && a->list.count == b->list.count;
  for (u32 i = 0; same && i < a->num_set; i++)
    same =
        strcmp(a->set[i].key, b->set[i].key) == 0 && strcmp(a->set[i].value, b->set[i].value) == 0;
  for (u32 i = 0; same && i < a->list.count; i++)
    same = same_decision(&a->list.item[i], &b->list.item[i]);
  return same;
}

// Parses a copy of exactly `len` bytes, so that a read past it is seen by ASan.
static bool parse(struct sim_decision_file *f, const char *text, size_t len, char *err,
                  size_t err_len) {
  char *copy = malloc(len + !len);
  assert_non_null(copy);
  memcpy(copy, text, len);
  bool ok = sim_decision_file_parse(f, copy, len, err, err_len);
  free(copy);
  return ok;
}

static char *write_text(const struct sim_decision_file *f, size_t *len) {
  char *text = NULL;
  FILE *out = open_memstream(&text, len);
  assert_non_null(out);
  assert_true(sim_decision_file_write(f, out));
  fclose(out);
  return text;
}

static void expect_round_trip(const struct sim_decision_file *f) {
  size_t len;
  char err[200];
  char *text = write_text(f, &len);
  struct sim_decision_file back;
  if (!parse(&back, text, len, err, sizeof(err))) fail_msg("%s of\n%s", err, text);
  assert_true(same_file(f, &back));
  sim_decision_file_free(&back);
  free(text);
}

// Every field is read, and written the same again.
static void fields(void **state) {
  struct sim_decision_file f;
  char err[200];
  if (!parse(&f, valid, strlen(valid), err, sizeof(err))) fail_msg("%s", err);
  assert_string_equal(f.scenario, "bcm2835-unregister");
  assert_string_equal(f.subject, "image:vdso 64.so");
  assert_string_equal(f.subject_sha256, SHA);
  assert_string_equal(f.commit, "1a2b3c");
  assert_string_equal(f.bug, "55");
  assert_string_equal(f.strategy, "pct2");
  assert_string_equal(f.key, "bcm2835-unregister/hung-task/0badcafe");
  assert_true(f.has_seed);
  assert_int_equal(f.seed, 0x12);
  assert_int_equal(f.digest, 0xdeadbeef);
  assert_true(f.build == 0x0123456789abcdef);
  assert_int_equal(f.num_set, 2);
  assert_string_equal(f.set[1].key, "suspect.late");
  assert_string_equal(f.set[1].value, "1");
  assert_int_equal(f.list.count, 4);
  assert_string_equal(f.list.item[0].site, "hwrng_fillfn:mutex_lock");
  assert_string_equal(f.list.item[0].actor, "reader#0");
  assert_string_equal(f.list.item[0].target, "cpu1");
  assert_int_equal(f.list.item[0].k, 12);
  assert_string_equal(f.list.item[1].target, "");
  assert_int_equal(f.list.item[1].value, 3);
  assert_int_equal(f.list.item[2].k, 16777215);
  assert_int_equal(f.list.item[3].value, 65535);
  size_t len;
  char *text = write_text(&f, &len);
  assert_string_equal(text, valid);
  free(text);
  sim_decision_file_free(&f);
  assert_null(f.list.item);
}

static void random_word(struct sim_stream *rng, char *out, size_t len) {
  size_t n = 1 + sim_stream_below(rng, (u32)len - 1);
  for (size_t i = 0; i < n; i++) out[i] = (char)(0x21 + sim_stream_below(rng, 0x5e));
  out[n] = 0;
  if (strcmp(out, "-") == 0) out[0] = 'x';
}

static void maybe_word(struct sim_stream *rng, char *out, size_t len) {
  if (sim_stream_below(rng, 3)) random_word(rng, out, len);
}

static void random_file(struct sim_stream *rng, struct sim_decision_file *f) {
  memset(f, 0, sizeof(*f));
  random_word(rng, f->scenario, sizeof(f->scenario));
  maybe_word(rng, f->subject, sizeof(f->subject));
  if (sim_stream_below(rng, 2)) strcpy(f->subject_sha256, SHA);
  maybe_word(rng, f->commit, sizeof(f->commit));
  maybe_word(rng, f->bug, sizeof(f->bug));
  maybe_word(rng, f->strategy, sizeof(f->strategy));
  maybe_word(rng, f->key, sizeof(f->key));
  f->has_seed = sim_stream_below(rng, 2);
  if (f->has_seed) f->seed = sim_stream_u64(rng) >> sim_stream_below(rng, 64);
  f->digest = sim_stream_u64(rng);
  if (sim_stream_below(rng, 2)) f->build = sim_stream_u64(rng);
  f->num_set = sim_stream_below(rng, 6);
  f->set = calloc(f->num_set + 1, sizeof(f->set[0]));
  for (u32 i = 0; i < f->num_set; i++) {
    random_word(rng, f->set[i].key, sizeof(f->set[i].key));
    f->set[i].key[0] = (char)('a' + i);
    random_word(rng, f->set[i].value, sizeof(f->set[i].value));
  }
  f->list.count = f->list.cap = sim_stream_below(rng, 200);
  f->list.item = calloc(f->list.count + 1, sizeof(f->list.item[0]));
  for (u32 i = 0; i < f->list.count; i++) {
    struct sim_decision *d = &f->list.item[i];
    random_word(rng, d->site, sizeof(d->site));
    random_word(rng, d->actor, sizeof(d->actor));
    d->k = (u32)(sim_stream_u64(rng) >> 40);
    if (sim_stream_below(rng, 2))
      random_word(rng, d->target, sizeof(d->target));
    else
      d->value = sim_stream_below(rng, SIM_CHOICE_MAX);
  }
}

// parse(write(x)) == x for whatever the format can hold, at full lengths too.
static void round_trips(void **state) {
  struct sim_stream rng;
  sim_stream_seed(&rng, 1);
  for (u32 i = 0; i < 300; i++) {
    struct sim_decision_file f;
    random_file(&rng, &f);
    expect_round_trip(&f);
    sim_decision_file_free(&f);
  }
}

// What the format cannot hold is not written, not even in part.
static void unwritable(void **state) {
  static const char *const bad[] = {"a b", "-", "a\nb", "a\tb", "\x7f", "\xc3\xa4", " a", "a "};
  for (u32 i = 0; i < SIM_ARRAY_SIZE(bad); i++) {
    for (u32 field = 0; field < 10; field++) {
      struct sim_decision d = {.site = "s", .actor = "a"};
      struct sim_decision_file f = {.scenario = "x", .list = {&d, 1, 1}};
      f.set = calloc(1, sizeof(f.set[0]));
      strcpy(f.set[0].key, "k");
      strcpy(f.set[0].value, "v");
      f.num_set = 1;
      char *const fields_of[] = {f.scenario, f.commit, f.bug,    f.strategy,   f.key,
                                 d.site,     d.actor,  d.target, f.set[0].key, f.set[0].value};
      strcpy(fields_of[field], bad[i]);
      char *text = NULL;
      size_t len = 0;
      FILE *out = open_memstream(&text, &len);
      assert_false(sim_decision_file_write(&f, out));
      fclose(out);
      assert_int_equal(len, 0);
      free(text);
      free(f.set);
    }
  }
  struct sim_decision_file none = {.scenario = ""};
  FILE *null = fopen("/dev/null", "w");
  assert_false(sim_decision_file_write(&none, null));
  strcpy(none.scenario, "x");
  strcpy(none.subject_sha256, "12ab");
  assert_false(sim_decision_file_write(&none, null));
  struct sim_decision twice[] = {{.site = "s", .actor = "a"}, {.site = "s", .actor = "a", .k = 1}};
  struct sim_decision_file repeated = {.scenario = "x", .list = {twice, 2, 2}};
  assert_true(sim_decision_file_write(&repeated, null));
  twice[1].k = 0;
  assert_int_equal(sim_decisions_repeated(&repeated.list), 1);
  assert_false(sim_decision_file_write(&repeated, null));
  fclose(null);
}

// A full disk is reported.
static void write_error(void **state) {
  struct sim_decision_file f = {.scenario = "x"};
  FILE *full = fopen("/dev/full", "w");
  if (!full) skip();
  assert_false(sim_decision_file_write(&f, full));
  fclose(full);
}

struct bad_file {
  const char *from, *to;  // first occurrence in `valid` is replaced
  const char *reason;     // the beginning of it
};

static const struct bad_file bad_files[] = {
    {"seedbed-decisions 1", "seedbed-decisions 2", "line 1: version '2' is not known"},
    {"seedbed-decisions 1", "seedbed-decisions ", "line 1: version '' is not known"},
    {"seedbed-decisions 1", "seedbed-decisions 10", "line 1: version '10' is not known"},
    {"seedbed-decisions 1", "seedbed-decision 1", "line 1: it is not a decision file"},
    {"scenario b", "scenaria b", "line 2: 'scenaria' is no key"},
    {"scenario bcm2835-unregister\n", "", "line 13: no scenario was named above"},
    {"scenario bcm2835-unregister", "scenario -", "line 14: no scenario was named above"},
    {"scenario bcm2835-unregister", "scenario", "line 2: scenario is not one word"},
    {"scenario bcm2835-unregister", "scenario  x", "line 2: scenario is not one word"},
    {"scenario bcm2835-unregister", "scenario x y", "line 2: scenario is not one word"},
    {"scenario bcm2835-unregister", " scenario x", "line 2: '' is no key"},
    {"scenario bcm2835",
     "scenario xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
     "line 2: scenario is longer than 63 characters"},
    {"vdso 64.so ", "vdso 64.so", "line 3: a SHA-256 has 64 digits"},
    {SHA "\n", "0123\n", "line 3: a SHA-256 has 64 digits"},
    {"image:vdso 64.so ", "", "line 3: subject has no SHA-256"},
    {"image:vdso 64.so ", " ", "line 3: subject has no name"},
    {"set num_cpus 1", "set num_cpus", "line 5: set takes a name and a value"},
    {"set num_cpus 1", "set num_cpus 1 2", "line 5: set takes a name and a value"},
    {"set suspect.late", "set num_cpus", "line 6: num_cpus is set twice"},
    {"seed 0x12", "seed 0x", "line 8: seed is not a number"},
    {"seed 0x12", "seed 12345678901234567890123", "line 8: seed is not a number"},
    {"seed 0x12", "seed -1", "line 8: seed is not a number"},
    {"seed 0x12", "seed 0X12", "line 8: seed is not a number"},
    {"seed 0x12\n", "seed 0x12\nseed 0x12\n", "line 9: seed is given twice"},
    {"digest 0x", "digest z", "line 11: digest is not a number"},
    {"build 0x", "build z", "line 12: build is not a number"},
    {"build 0x", "build 0x1\nbuild 0x", "line 13: build is given twice"},
    {"draws 4", "draws 1048577", "line 13: draws is not a number of 0..1048576"},
    {"draws 4", "draws 1048576", "line 19: the file ends here"},
    {"draws 4", "draws 5", "line 19: the file ends here"},
    {"draws 4", "draws 3", "line 18: more than the 3 draws of the header"},
    {"draws 4\n", "", "line 13: the number of draws was not given above"},
    {"draws 4\n\n", "draws 4\n", "line 14: 'hwrng_fillfn:mutex_lock' is no key"},
    {"hwrng_fillfn:mutex_lock ", "", "line 15: the occurrence is not a number"},
    {"hwrng_fillfn:mutex_lock", "", "line 15: a draw begins with its site's label"},
    {"reader#0", "", "line 15: a draw's second word is an actor's label"},
    {"reader#0", "reader-that-has-a-name-of-32-ch#0",
     "line 15: the actor's label is longer than 31 characters"},
    {">cpu1", ">", "line 15: the value is neither"},
    {">cpu1", "> cpu1", "line 15: after > comes one label"},
    {">cpu1", ">cpu1 ", "line 15: after > comes one label"},
    {">cpu1", "", "line 15: the value is neither"},
    {">cpu1", "cpu1", "line 15: the value is neither"},
    {"cpu0 0 3", "cpu0 0 65536", "line 16: the value is neither a number of 0..65535"},
    {"cpu0 0 3", "cpu0 0", "line 16: the value is neither"},
    {"cpu0 0 3", "cpu0 0 3 ", "line 16: the value is neither"},
    {"16777215", "16777216", "line 17: the occurrence is not a number of 0..16777215"},
    {"late reader#1 7 65535", "bcm2835-stuck cpu0 0 1",
     "line 18: a draw with this site, actor and occurrence is above"},
    {"idle cpu1 16777215", "hwrng_fillfn:mutex_lock reader#0 12", "line 17: a draw with this site"},
    {"65535\n", "65535", "line 18: it does not end with a newline"},
    {"65535\n", "65535\n\n", "line 19: more than the 4 draws"},
    {"commit 1a2b3c\n", "commit 1a2b3c\r\n", "line 4: byte 0x0d is not text"},
    {"commit 1a2b3c", "commit 1a\377b3c", "line 4: byte 0xff is not text"},
    {"commit 1a2b3c", "commit\t1a2b3c", "line 4: byte 0x09 is not text"},
};

static char *replaced(const struct bad_file *row, size_t *len) {
  const char *at = strstr(valid, row->from);
  assert_non_null(at);
  char *text = NULL;
  FILE *out = open_memstream(&text, len);
  fprintf(out, "%.*s%s%s", (int)(at - valid), valid, row->to, at + strlen(row->from));
  fclose(out);
  return text;
}

static void expect_nothing_held(const struct sim_decision_file *f) {
  static const struct sim_decision_file zero;
  assert_memory_equal(f, &zero, sizeof(zero));
}

// Each fault is named with its line.
static void faults(void **state) {
  for (u32 i = 0; i < SIM_ARRAY_SIZE(bad_files); i++) {
    size_t len;
    char err[200] = "";
    char *text = replaced(&bad_files[i], &len);
    struct sim_decision_file f;
    if (parse(&f, text, len, err, sizeof(err))) fail_msg("row %u was taken", i);
    if (strncmp(err, bad_files[i].reason, strlen(bad_files[i].reason)) != 0)
      fail_msg("row %u: '%s'", i, err);
    expect_nothing_held(&f);
    free(text);
  }
}

// A file cut anywhere is refused: no end looks like a whole file.
static void every_cut_is_refused(void **state) {
  for (size_t len = 0; len < strlen(valid); len++) {
    struct sim_decision_file f;
    char err[200];
    assert_false(parse(&f, valid, len, err, sizeof(err)));
    expect_nothing_held(&f);
  }
}

static void zero_bytes_and_long_lines(void **state) {
  struct sim_decision_file f;
  char err[200], text[2000];
  memcpy(text, valid, sizeof(valid));
  text[30] = 0;
  assert_false(parse(&f, text, strlen(valid), err, sizeof(err)));
  assert_string_equal(err, "line 2: byte 0x00 is not text");
  memset(text, 'a', sizeof(text));
  memcpy(text, "seedbed-decisions 1\n", 20);
  assert_false(parse(&f, text, sizeof(text), err, sizeof(err)));
  assert_string_equal(err, "line 2: longer than 512 bytes");
  assert_false(parse(&f, text, 20 + 512, err, sizeof(err)));
  assert_string_equal(err,
                      "line 2: it does not end with a newline: if nothing is cut off, add one");
  // A reason is cut to its buffer.
  for (size_t len = 1; len < 60; len++) {
    memset(err, '#', sizeof(err));
    assert_false(parse(&f, text, sizeof(text), err, len));
    assert_non_null(memchr(err, 0, len));
    assert_int_equal(err[len], '#');
  }
}

static void magic(void **state) {
  assert_true(sim_is_decision_file(valid, strlen(valid)));
  assert_true(sim_is_decision_file("seedbed-decisions ", 18));
  assert_true(sim_is_decision_file("seedbed-decisions \xff", 19));
  assert_false(sim_is_decision_file("seedbed-decisions", 17));
  assert_false(sim_is_decision_file("seedbed-decisions\n", 18));
  assert_false(sim_is_decision_file("", 0));
  assert_false(sim_is_decision_file(" seedbed-decisions ", 19));
}

// Changes `text` in one of the ways in which files go bad.
static size_t mutate(struct sim_stream *rng, char *text, size_t len, size_t cap) {
  static const char *const snippets[] = {
      "\n",       " ",         "\n\n", "draws 4294967295\n", "0xffffffffffffffffff",
      ">",        "-",         "#0",   "set a b\n",          "18446744073709551616",
      "\xff\xff", "scenario ", "\r\n", "draws 0\n\n"};
  size_t at = sim_stream_below(rng, (u32)len + 1);
  size_t n = 1 + sim_stream_below(rng, 40);
  switch (sim_stream_below(rng, 6)) {
    case 0:  // another byte
      if (at < len) text[at] = (char)sim_stream_u64(rng);
      return len;
    case 1:  // another bit
      if (at < len) text[at] = (char)(text[at] ^ (1 << sim_stream_below(rng, 8)));
      return len;
    case 2:  // bytes are lost
      if (n > len - at) n = len - at;
      memmove(text + at, text + at + n, len - at - n);
      return len - n;
    case 3: {  // something comes in
      const char *s = snippets[sim_stream_below(rng, SIM_ARRAY_SIZE(snippets))];
      n = strlen(s);
      if (len + n > cap) return len;
      memmove(text + at + n, text + at, len - at);
      memcpy(text + at, s, n);
      return len + n;
    }
    case 4:  // a stretch comes twice
      if (n > len - at) n = len - at;
      if (len + n > cap) return len;
      memmove(text + at + n, text + at, len - at);
      return len + n;
    default: {  // a digit, which leaves the file readable
      for (size_t i = at; i < len; i++) {
        if (text[i] < '0' || text[i] > '9') continue;
        text[i] = (char)('0' + sim_stream_below(rng, 10));
        break;
      }
      return len;
    }
  }
}

static void expect_good_reason(const char *err, const char *text, size_t len) {
  unsigned line = 0, lines = 1;
  int used = 0;
  for (size_t i = 0; i < len; i++) lines += text[i] == '\n';
  if (sscanf(err, "line %u: %n", &line, &used) != 1 || used == 0 || !err[used])
    fail_msg("reason '%s'", err);
  assert_in_range(line, 1, lines);
}

// A file that was changed is read or refused, never a crash; what is read is written and
// read back to the same.
static void mutations(void **state) {
  u32 rounds = getenv("SEEDBED_NIGHTLY") ? 1000000 : 20000;
  struct sim_stream rng;
  u32 taken = 0;
  sim_stream_seed(&rng, 2);
  for (u32 i = 0; i < rounds; i++) {
    char text[4096], err[200] = "";
    size_t len = strlen(valid);
    memcpy(text, valid, len);
    for (u32 n = 1 + sim_stream_below(&rng, 4); n > 0; n--)
      len = mutate(&rng, text, len, sizeof(text));
    struct sim_decision_file f;
    if (parse(&f, text, len, err, sizeof(err))) {
      expect_round_trip(&f);
      sim_decision_file_free(&f);
      taken++;
    } else {
      expect_good_reason(err, text, len);
      expect_nothing_held(&f);
    }
  }
  // Both ways are taken often, or the mutations would be no test.
  assert_in_range(taken, rounds / 20, rounds / 2);
}

// ---- The index ----

static void put(struct sim_decision *d, const char *site, const char *actor, u32 k, u32 value) {
  memset(d, 0, sizeof(*d));
  strcpy(d->site, site);
  strcpy(d->actor, actor);
  d->k = k;
  d->value = value;
}

static const struct sim_decision *find(struct sim_decision_index *idx, const char *site,
                                       const char *actor, u32 k) {
  return sim_decision_index_find(idx, sim_hash_str(site), sim_hash_str(actor), k);
}

// Each decision is found by its three names and no other; what was not found is reported.
static void index_finds(void **state) {
  struct sim_decision item[5];
  struct sim_decisions list = {item, 5, 5};
  u32 unused[8];
  put(&item[0], "a:lock", "r#0", 0, 10);
  put(&item[1], "a:lock", "r#0", 1, 11);
  put(&item[2], "a:lock", "r#1", 0, 12);
  put(&item[3], "b:lock", "r#0", 0, 13);
  put(&item[4], "a:lock", "r#0", 1, 14);  // the same as [1]
  struct sim_decision_index *idx = sim_decision_index_new(&list);
  assert_int_equal(sim_decision_index_unused(idx, unused, 8), 5);
  assert_null(find(idx, "a:lock", "r#0", 2));
  assert_null(find(idx, "b:lock", "r#1", 0));
  assert_null(find(idx, "r#0", "a:lock", 0));
  assert_ptr_equal(find(idx, "a:lock", "r#0", 1), &item[1]);
  assert_ptr_equal(find(idx, "b:lock", "r#0", 0), &item[3]);
  assert_int_equal(sim_decision_index_unused(idx, unused, 8), 3);
  assert_int_equal(unused[0], 0);
  assert_int_equal(unused[1], 2);
  assert_int_equal(unused[2], 4);
  assert_ptr_equal(find(idx, "a:lock", "r#0", 0), &item[0]);
  unused[1] = 99;
  assert_int_equal(sim_decision_index_unused(idx, unused, 1), 2);  // all counted, one written
  assert_int_equal(unused[0], 2);
  assert_int_equal(unused[1], 99);
  sim_decision_index_misfit(idx, &item[0]);
  assert_int_equal(sim_decision_index_unused(idx, unused, 8), 3);
  assert_int_equal(unused[0], 0);
  sim_decision_index_begin(idx);
  assert_int_equal(sim_decision_index_unused(idx, unused, 8), 5);
  sim_decision_index_free(idx);
  sim_decision_index_free(NULL);
}

// Large, empty and changed lists.
static void index_rebuilt(void **state) {
  enum { N = 5000 };
  struct sim_decisions list = {calloc(N, sizeof(struct sim_decision)), 0, N};
  struct sim_decision_index *idx = sim_decision_index_new(&list);
  assert_null(find(idx, "s0", "a", 0));
  assert_int_equal(sim_decision_index_unused(idx, NULL, 0), 0);
  for (u32 size = 1; size <= N; size *= 7) {
    list.count = size;
    for (u32 i = 0; i < size; i++) {
      char site[32];
      snprintf(site, sizeof(site), "s%u", i % 13);
      put(&list.item[i], site, i % 2 ? "a" : "b", i, i);
    }
    sim_decision_index_rebuild(idx, &list);
    for (u32 i = 0; i < size; i++) {
      char site[32];
      snprintf(site, sizeof(site), "s%u", i % 13);
      assert_ptr_equal(find(idx, site, i % 2 ? "a" : "b", i), &list.item[i]);
      assert_null(find(idx, site, i % 2 ? "b" : "a", i));
      assert_null(find(idx, site, i % 2 ? "a" : "b", i + 1));
    }
    assert_int_equal(sim_decision_index_unused(idx, NULL, 0), 0);
    // Occurrences far from those in the list, which may share a place with them.
    for (u32 i = 0; i < 100000; i++) assert_null(find(idx, "s0", "b", size + i));
  }
  list.count = 1;
  sim_decision_index_rebuild(idx, &list);
  assert_null(find(idx, "s1", "a", 1));
  assert_ptr_equal(find(idx, "s0", "b", 0), &list.item[0]);
  sim_decision_index_free(idx);
  sim_decisions_free(&list);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(fields),
      cmocka_unit_test(round_trips),
      cmocka_unit_test(unwritable),
      cmocka_unit_test(write_error),
      cmocka_unit_test(faults),
      cmocka_unit_test(every_cut_is_refused),
      cmocka_unit_test(zero_bytes_and_long_lines),
      cmocka_unit_test(magic),
      cmocka_unit_test(mutations),
      cmocka_unit_test(index_finds),
      cmocka_unit_test(index_rebuilt),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
