// SPDX-License-Identifier: GPL-2.0-or-later
//
// The rules. Sections: tables, text helpers, rules over lines, rules over C code,
// rules over the list of files.
#include "tools/tidy/tidy.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- Tables

enum rule_index {
  RULE_BANNED,
  RULE_ADDRESS,
  RULE_LONG_LINE,
  RULE_SPDX,
  RULE_SPACE,
  RULE_FIXME,
  RULE_MACHINE,
  RULE_BLOB,
  RULE_TWICE,
  RULE_OWN_HEADER,
  RULE_INCLUDE_ROOT,
};

const struct tidy_rule tidy_rules[] = {
    [RULE_BANNED] = {"banned", "sim/ and models/ take nothing from the host: a seed decides all"},
    [RULE_ADDRESS] = {"address", "an address differs from run to run: print a name or an index"},
    [RULE_LONG_LINE] = {"long-line", "a line has at most 100 columns"},
    [RULE_SPDX] = {"spdx", "a file says its licence within its first three lines"},
    [RULE_SPACE] = {"space", "a line ends without space, a file with one newline"},
    [RULE_FIXME] = {"fixme", "what must be mended is mended before it lands"},
    [RULE_MACHINE] = {"machine", "the tree names no folder and no host of one machine"},
    [RULE_BLOB] = {"blob", "a file of more than 512 KiB does not belong into the tree"},
    [RULE_TWICE] = {"twice", "a file name occurs once, so that a name is enough to find it"},
    [RULE_OWN_HEADER] = {"own-header", "a .c file includes its own header first"},
    [RULE_INCLUDE_ROOT] = {"include-root", "an include in quotes is rooted at the top of the tree"},
    {NULL, NULL},
};

enum { LINE_COLUMNS_MAX = 100, TAB_COLUMNS = 8, BLOB_BYTES_MAX = 512 * 1024, SPDX_LINES = 3 };

// Where a word is banned.
enum banned_where {
  EVERYWHERE = 1,  // in sim/ and models/, tests too
  NOT_IN_TESTS,    // in sim/ and models/ but for *_test.c
  IN_MODELS,       // in models/ but for *_test.c
};

// What may not be said. A name that ends in '*' is a prefix. A call is the word before an
// opening parenthesis, not a member; a keyword counts wherever it stands.
static const struct {
  const char *name;
  bool is_keyword;
  enum banned_where where;
  const char *instead;
} banned[] = {
    {"time", false, EVERYWHERE, "the world's clock"},
    {"clock", false, EVERYWHERE, "the world's clock"},
    {"clock_gettime", false, EVERYWHERE, "the world's clock"},
    {"clock_nanosleep", false, EVERYWHERE, "the world's clock"},
    {"gettimeofday", false, EVERYWHERE, "the world's clock"},
    {"localtime", false, EVERYWHERE, "the world's clock"},
    {"gmtime", false, EVERYWHERE, "the world's clock"},
    {"sleep", false, EVERYWHERE, "sim_msleep"},
    {"usleep", false, EVERYWHERE, "sim_usleep_range"},
    {"nanosleep", false, EVERYWHERE, "sim_usleep_range"},
    {"alarm", false, EVERYWHERE, "a timer of the world"},
    {"__rdtsc", false, EVERYWHERE, "the world's cycle counter"},
    {"__builtin_ia32_rdtsc", false, EVERYWHERE, "the world's cycle counter"},
    {"rand", false, EVERYWHERE, "sim_choose"},
    {"rand_r", false, EVERYWHERE, "sim_choose"},
    {"random", false, EVERYWHERE, "sim_choose"},
    {"srand", false, EVERYWHERE, "sim_choose"},
    {"drand48", false, EVERYWHERE, "sim_choose"},
    {"getrandom", false, EVERYWHERE, "sim_choose"},
    {"getentropy", false, EVERYWHERE, "sim_choose"},
    {"arc4random*", false, EVERYWHERE, "sim_choose"},
    {"getpid", false, NOT_IN_TESTS, "an actor's number"},
    {"gettid", false, NOT_IN_TESTS, "an actor's number"},
    {"gethostname", false, EVERYWHERE, "a parameter of the scenario"},
    {"getenv", false, NOT_IN_TESTS, "a parameter of the scenario"},
    {"secure_getenv", false, NOT_IN_TESTS, "a parameter of the scenario"},
    {"pthread_*", false, EVERYWHERE, "a task of the world"},
    {"thrd_*", false, EVERYWHERE, "a task of the world"},
    {"fork", false, NOT_IN_TESTS, "a task of the world"},
    {"setlocale", false, EVERYWHERE, "bytes, in the C locale"},
    {"strcoll", false, EVERYWHERE, "strcmp"},
    {"float", true, NOT_IN_TESTS, "integers, and ratios of them"},
    {"double", true, NOT_IN_TESTS, "integers, and ratios of them"},
    {"malloc", false, IN_MODELS, "sim_alloc"},
    {"calloc", false, IN_MODELS, "sim_zalloc"},
    {"realloc", false, IN_MODELS, "sim_alloc"},
    {"strdup", false, IN_MODELS, "sim_alloc"},
    {"free", false, IN_MODELS, "sim_free"},
};

// Folders and hosts of one machine. In two halves, so that this file passes.
static const char *const machine_words[] = {
    "/wo"
    "rk/",
    "/ho"
    "me/",
    "/ro"
    "ot/",
    "/Us"
    "ers/",
    "debian"
    ".org",
    "npm"
    "js",
    "py"
    "pi.org",
};

// May stand in several folders: Bazel's names, and a folder's own README.
static const char *const names_allowed_twice[] = {
    "BUILD.bazel", "README.md", "WORKSPACE", "defs.bzl", ".gitignore",
};

// ---- Text helpers

// One walk over the tree.
struct walk {
  tidy_report_fn *report;
  void *arg;
  size_t num_breaches;
};

static bool starts_with(const char *text, const char *prefix) {
  return strncmp(text, prefix, strlen(prefix)) == 0;
}

static bool ends_with(const char *text, const char *suffix) {
  size_t text_len = strlen(text), suffix_len = strlen(suffix);

  return text_len >= suffix_len && strcmp(text + text_len - suffix_len, suffix) == 0;
}

static bool is_word(char c) { return isalnum((unsigned char)c) || c == '_'; }

static const char *base_name(const char *path) {
  const char *slash = strrchr(path, '/');

  return slash ? slash + 1 : path;
}

// The line that holds `at` ends here.
static const char *line_end(const char *at) {
  const char *end = strchr(at, '\n');

  return end ? end : at + strlen(at);
}

// Reports a breach unless the line [begin, end) allows it; a whole file is line 0.
static void breach(struct walk *walk, const char *path, unsigned line, const char *begin,
                   const char *end, enum rule_index index, const char *detail) {
  char allowed[64];
  int allowed_len = snprintf(allowed, sizeof allowed, "tidy-allow(%s): ", tidy_rules[index].id);
  const char *found = begin ? strstr(begin, allowed) : NULL;

  if (found && found + allowed_len < end) return;
  walk->num_breaches++;
  walk->report(path, line, &tidy_rules[index], detail, walk->arg);
}

static bool is_c(const char *path) { return ends_with(path, ".c") || ends_with(path, ".h"); }

// Data is kept as it came.
static bool is_data(const struct tidy_file *file) {
  return (starts_with(file->path, "corpora/") && !ends_with(file->path, "BUILD.bazel")) ||
         strstr(file->path, "testdata/") || memchr(file->text, 0, file->text_len);
}

static bool is_prose(const char *path) {
  return ends_with(path, ".md") || strcmp(path, "LICENSE") == 0;
}

// ---- Rules over lines

static unsigned columns(const char *begin, const char *end) {
  unsigned count = 0;

  for (; begin < end; begin++) {
    if (*begin == '\t')
      count += TAB_COLUMNS - count % TAB_COLUMNS;
    else if (((unsigned char)*begin & 0xc0) != 0x80)  // not a byte within a UTF-8 sequence
      count++;
  }
  return count;
}

// The word `word` stands in [begin, end), not as a part of a longer one.
static bool has_word(const char *begin, const char *end, const char *word) {
  size_t word_len = strlen(word);

  for (const char *at = begin; (at = strstr(at, word)) && at + word_len <= end; at++)
    if ((at == begin || !is_word(at[-1])) && !is_word(at[word_len])) return true;
  return false;
}

static void check_line(struct walk *walk, const struct tidy_file *file, unsigned line,
                       const char *begin, const char *end) {
  char detail[64];

  if (end > begin && isspace((unsigned char)end[-1]))
    breach(walk, file->path, line, begin, end, RULE_SPACE, "space at the end");
  if (has_word(begin, end,
               "FIX"
               "ME") ||
      has_word(begin, end,
               "XX"
               "X"))
    breach(walk, file->path, line, begin, end, RULE_FIXME, "left over");
  for (size_t i = 0; i < sizeof machine_words / sizeof machine_words[0]; i++) {
    const char *found = strstr(begin, machine_words[i]);

    if (found && found < end)
      breach(walk, file->path, line, begin, end, RULE_MACHINE, machine_words[i]);
  }
  if (!is_prose(file->path) && columns(begin, end) > LINE_COLUMNS_MAX) {
    snprintf(detail, sizeof detail, "%u columns", columns(begin, end));
    breach(walk, file->path, line, begin, end, RULE_LONG_LINE, detail);
  }
}

static void check_lines(struct walk *walk, const struct tidy_file *file) {
  bool has_spdx = false;
  unsigned line = 0;

  for (const char *begin = file->text; *begin;
       begin = *line_end(begin) ? line_end(begin) + 1 : line_end(begin)) {
    const char *spdx = strstr(begin, "SPDX-License-Identifier: ");

    line++;
    check_line(walk, file, line, begin, line_end(begin));
    if (line <= SPDX_LINES && spdx && spdx < line_end(begin)) has_spdx = true;
  }
  if (file->text_len && (file->text[file->text_len - 1] != '\n' || ends_with(file->text, "\n\n")))
    breach(walk, file->path, line, NULL, NULL, RULE_SPACE, "the last line");
  if (!has_spdx && !is_prose(file->path) && !ends_with(file->path, ".gitignore") &&
      !ends_with(file->path, ".json"))
    breach(walk, file->path, 0, NULL, NULL, RULE_SPDX, "no SPDX-License-Identifier");
}

// ---- Rules over C code

// Copies C text with comments turned into spaces, and strings and characters too if
// `drop_strings`; newlines stay, so positions do. The caller frees it.
static char *code_only(const struct tidy_file *file, bool drop_strings) {
  char *code = malloc(file->text_len + 1);
  char inside = 0;  // 0: code; '/' and '*': the two comments; '"' and '\'': literals

  if (!code) abort();
  for (size_t i = 0; i <= file->text_len; i++) {
    char c = file->text[i], next = c ? file->text[i + 1] : 0;
    bool is_literal = inside == '"' || inside == '\'';

    code[i] = !inside || c == '\n' || !c || (is_literal && !drop_strings) ? c : ' ';
    if (!inside && c == '/' && (next == '/' || next == '*')) {
      inside = next;
      code[i] = ' ';
      code[++i] = ' ';
    } else if (!inside && (c == '"' || c == '\'')) {
      inside = c;
    } else if (inside == '*' && c == '*' && next == '/') {
      inside = 0;
      code[++i] = ' ';
    } else if (is_literal && c == '\\' && next) {
      i++;
      code[i] = drop_strings && next != '\n' ? ' ' : next;
    } else if ((is_literal && c == inside) || (inside != '*' && c == '\n')) {
      inside = 0;
    }
  }
  return code;
}

static bool matches(const char *word, size_t word_len, const char *name) {
  size_t name_len = strlen(name);

  if (name[name_len - 1] == '*')
    return word_len >= name_len - 1 && strncmp(word, name, name_len - 1) == 0;
  return word_len == name_len && strncmp(word, name, name_len) == 0;
}

// The word at [word, word + word_len) of `code` is called: not a member, and "(" follows.
static bool is_call(const char *code, const char *word, size_t word_len) {
  const char *before = word, *after = word + word_len;

  while (before > code && isspace((unsigned char)before[-1])) before--;
  while (isspace((unsigned char)*after)) after++;
  if (before > code && before[-1] == '.') return false;
  if (before > code + 1 && before[-1] == '>' && before[-2] == '-') return false;
  return *after == '(';
}

static void check_word(struct walk *walk, const struct tidy_file *file, unsigned line,
                       const char *code, const char *word, size_t word_len) {
  bool in_test = ends_with(file->path, "_test.c");
  bool in_models = starts_with(file->path, "models/");
  const char *begin = file->text + (word - code);
  char detail[128];

  while (begin > file->text && begin[-1] != '\n') begin--;
  for (size_t i = 0; i < sizeof banned / sizeof banned[0]; i++) {
    if (in_test && banned[i].where != EVERYWHERE) continue;
    if (!in_models && banned[i].where == IN_MODELS) continue;
    if (!matches(word, word_len, banned[i].name)) continue;
    if (!banned[i].is_keyword && !is_call(code, word, word_len)) continue;
    snprintf(detail, sizeof detail, "%.*s; use %s", (int)word_len, word, banned[i].instead);
    breach(walk, file->path, line, begin, line_end(begin), RULE_BANNED, detail);
  }
}

// Calls and words that sim/ and models/ do without.
static void check_banned(struct walk *walk, const struct tidy_file *file) {
  char *code = code_only(file, true);
  unsigned line = 1;

  for (const char *at = code; *at;) {
    size_t word_len = 0;

    while (is_word(at[word_len])) word_len++;
    if (word_len) check_word(walk, file, line, code, at, word_len);
    if (*at == '\n') line++;
    at += word_len ? word_len : 1;
  }
  free(code);
}

static void check_addresses(struct walk *walk, const struct tidy_file *file) {
  char *code = code_only(file, false);
  unsigned line = 1;

  for (const char *at = code; *at; at++) {
    const char *begin = file->text + (at - code);

    if (*at == '\n') line++;
    if (at[0] != '%' || at[1] != 'p' || (at > code && at[-1] == '%')) continue;
    while (begin > file->text && begin[-1] != '\n') begin--;
    breach(walk, file->path, line, begin, line_end(begin), RULE_ADDRESS, "%p");
  }
  free(code);
}

static bool is_listed(const struct tidy_file *files, size_t num_files, const char *path) {
  for (size_t i = 0; i < num_files; i++)
    if (strcmp(files[i].path, path) == 0) return true;
  return false;
}

static void check_includes(struct walk *walk, const struct tidy_file *file,
                           const struct tidy_file *files, size_t num_files) {
  char own[256];  // the header that must come first; empty if none must
  char *code = code_only(file, false);
  bool is_first = true;
  unsigned line = 1;

  snprintf(own, sizeof own, "%.*s.h", (int)(strlen(file->path) - 2), file->path);
  if (!ends_with(file->path, ".c") || !is_listed(files, num_files, own)) own[0] = 0;

  for (const char *at = code; *at; at = *line_end(at) ? line_end(at) + 1 : line_end(at), line++) {
    const char *begin = file->text + (at - code);
    const char *end = line_end(begin);
    char name[256];

    if (sscanf(at, "#include %255s", name) != 1) continue;
    if (is_first && own[0] &&
        (strlen(name) != strlen(own) + 2 || strncmp(name + 1, own, strlen(own)) != 0))
      breach(walk, file->path, line, begin, end, RULE_OWN_HEADER, own);
    is_first = false;
    if (name[0] == '"' && (!strchr(name, '/') || strstr(name, "../") || strstr(name, "./")))
      breach(walk, file->path, line, begin, end, RULE_INCLUDE_ROOT, name);
  }
  free(code);
}

// ---- Rules over the list of files

static bool may_occur_twice(const struct tidy_file *file) {
  for (size_t i = 0; i < sizeof names_allowed_twice / sizeof names_allowed_twice[0]; i++)
    if (strcmp(base_name(file->path), names_allowed_twice[i]) == 0) return true;
  if (starts_with(file->path, "corpora/")) return true;
  // Names of a kernel tree's files.
  return strstr(file->path, "/shim/") || strstr(file->path, "/testing/tree/");
}

static void check_twice(struct walk *walk, const struct tidy_file *files, size_t index) {
  if (may_occur_twice(&files[index])) return;
  for (size_t i = 0; i < index; i++)
    if (strcmp(base_name(files[i].path), base_name(files[index].path)) == 0 &&
        !may_occur_twice(&files[i]))
      breach(walk, files[index].path, 0, NULL, NULL, RULE_TWICE, files[i].path);
}

size_t tidy_check(const struct tidy_file *files, size_t num_files, tidy_report_fn *report,
                  void *arg) {
  struct walk walk = {.report = report, .arg = arg};

  for (size_t i = 0; i < num_files; i++) {
    const struct tidy_file *file = &files[i];
    bool is_world = starts_with(file->path, "sim/") || starts_with(file->path, "models/");

    check_twice(&walk, files, i);
    if (file->text_len > BLOB_BYTES_MAX)
      breach(&walk, file->path, 0, NULL, NULL, RULE_BLOB, "too large");
    if (is_data(file)) continue;
    check_lines(&walk, file);
    if (!is_c(file->path)) continue;
    check_includes(&walk, file, files, num_files);
    if (!is_world) continue;
    check_banned(&walk, file);
    check_addresses(&walk, file);
  }
  return walk.num_breaches;
}
