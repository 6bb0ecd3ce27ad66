// SPDX-License-Identifier: GPL-2.0-or-later
//
// See compare_search.h. Sections: the child's side; what it tells; the search.
#include "tools/compare_search.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/child.h"
#include "tools/command.h"
#include "tools/interrupt.h"

enum { CHUNK = 256 };

// A child runs lists [first, last], or shrinks that of `first`.
struct errand {
  struct compare_search *search;
  u64 first, last;
  const char *key;
};

// ---- The child's side ----

static int run_chunk(void *arg, FILE *out) {
  const struct errand *errand = arg;
  struct compare_pair *pair = errand->search->pair;
  u64 ran[COMPARE_FIELDS_MAX] = {0};
  struct compare_outcome outcome;
  struct compare_list list;
  char key[COMPARE_KEY_LEN];

  compare_open(pair);
  for (u64 seed = errand->first;; seed++) {
    // Whoever dies is known by this.
    fprintf(out, "seed %" PRIu64 "\n", seed);
    fflush(out);
    compare_make(pair, seed, &list);
    compare_run(pair, &list, &outcome);
    compare_key(pair, &list, &outcome, key);
    for (u32 i = 0; i < list.num; i++) ran[list.event[i].kind]++;
    if (*key) fprintf(out, "key %s\n", key);
    if (outcome.cut) fprintf(out, "cut\n");
    if (seed == errand->last) break;
  }
  for (u32 i = 0; i < pair->family->num_kinds; i++) fprintf(out, "ran %" PRIu64 "\n", ran[i]);
  fprintf(out, "end\n");
  compare_close(pair);
  return 0;
}

static int shrink(void *arg, FILE *out) {
  const struct errand *errand = arg;
  struct compare_pair *pair = errand->search->pair;
  struct compare_outcome outcome;
  struct compare_list list;
  struct text text = {0};

  compare_open(pair);
  compare_make(pair, errand->first, &list);
  compare_shrink(pair, &list, errand->key);
  compare_run(pair, &list, &outcome);
  compare_tell_only(&list, &text);
  text_add(&text, "\n");
  compare_tell(pair, &list, &outcome, &text);
  fputs(text_str(&text), out);
  text_free(&text);
  compare_close(pair);
  return 0;
}

// ---- What it tells ----

static void found(struct compare_search *search, const char *key, u64 seed, bool crashed) {
  struct compare_found *one;
  u32 i;

  for (i = 0; i < search->num_found; i++)
    if (!strcmp(search->found[i].key, key)) break;
  if (i == COMPARE_KEYS_MAX) {
    search->more = true;
    return;
  }
  one = &search->found[i];
  one->lists++;
  if (i < search->num_found) return;
  search->num_found++;
  snprintf(one->key, sizeof(one->key), "%s", key);
  one->seed = seed;
  one->crashed = crashed;
  one->known = known_find(search->known, search->subject, key);
}

// Reads what a child said; returns the seed after the last that it ran to its end.
static u64 read_chunk(struct compare_search *search, char *text, u64 first) {
  u64 seed = first, lists = 0;
  bool ended = false;
  u32 kind = 0;
  char *save = NULL;

  for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
    if (!strncmp(line, "seed ", 5)) {
      seed = strtoull(line + 5, NULL, 10);
      lists++;
    } else if (!strncmp(line, "key ", 4)) {
      found(search, line + 4, seed, false);
    } else if (!strncmp(line, "ran ", 4) && kind < COMPARE_FIELDS_MAX) {
      u64 num = strtoull(line + 4, NULL, 10);

      search->ran[kind++] += num;
      search->events += num;
    } else if (!strcmp(line, "cut")) {
      search->cut++;
    } else if (!strcmp(line, "end")) {
      ended = true;
    }
  }
  search->lists += ended ? lists : lists - (lists > 0);
  return ended ? seed + 1 : seed;
}

// ---- The search ----

static int ask(struct compare_search *search, int (*fn)(void *arg, FILE *out),
               struct errand *errand, struct child_result *result) {
  // A list takes milliseconds.
  const struct child_limits limits = {.cpu_ms = 600000, .yields = true};

  child_fork(fn, errand, &limits, result);
  if (interrupt_signal()) search->interrupted = true;
  if (result->end != CHILD_FAILED) return 0;
  complain("no child process could be started");
  return SIM_OURS;
}

static int run_all(struct compare_search *search) {
  u64 seed = search->seed_first;

  while (!search->interrupted) {
    struct errand errand = {.search = search, .first = seed, .last = search->seed_last};
    struct child_result child;
    char key[COMPARE_KEY_LEN];
    u64 next;
    int status;

    if (errand.last - errand.first >= CHUNK) errand.last = errand.first + CHUNK - 1;
    status = ask(search, run_chunk, &errand, &child);
    next = child.out.s ? read_chunk(search, child.out.s, seed) : seed;
    // It died under this list.
    if (!status && !search->interrupted && next <= errand.last) {
      snprintf(key, sizeof(key), "%s/crash", search->pair->family->scenario->name);
      found(search, key, next, true);
      search->lists++;
      next++;
    }
    child_result_free(&child);
    if (status) return status;
    if (next > search->seed_last) break;
    seed = next;
  }
  return 0;
}

static int tell_all(struct compare_search *search) {
  for (u32 i = 0; i < search->num_found && !search->interrupted; i++) {
    struct compare_found *one = &search->found[i];
    struct errand errand = {search, one->seed, one->seed, one->key};
    struct child_result child;
    char *rest;
    int status;

    if (one->known || one->crashed) continue;
    status = ask(search, shrink, &errand, &child);
    rest = child.out.s ? strchr(child.out.s, '\n') : NULL;
    if (!status && rest) {
      *rest = '\0';
      one->only = xstrdup(child.out.s);
      one->told = xstrdup(rest + 1);
    }
    child_result_free(&child);
    if (status) return status;
  }
  return 0;
}

int compare_search_run(struct compare_search *search) {
  int status = run_all(search);

  return status ? status : tell_all(search);
}

void compare_search_free(struct compare_search *search) {
  for (u32 i = 0; i < search->num_found; i++) {
    free(search->found[i].only);
    free(search->found[i].told);
  }
}
