// SPDX-License-Identifier: GPL-2.0-or-later
//
// Decisions: the recorded draws of a run under portable labels, as a list in memory
// and as a text file; what replay, shrinking and bug reports use.
//
// File: a version line, then `key value` lines in any order, an empty line, then one draw
// a line. Lines end with a newline, the last one too, and hold printable ASCII only.
//   seedbed-decisions 1
//   scenario bcm2835-unregister
//   subject model SHA256HEX     name, then 64 digits or "-"; the name may hold blanks
//   commit abc
//   set num_cpus 1              any number of these, each key once
//   bug 55                      if planted
//   seed 0x12                   or "-"
//   strategy pct2
//   key ...                     expected failure
//   digest 0x...
//   build 0x...                 if the run had access hooks: the seed is of this build
//   draws N                     number of lines after the empty one
//
//   SITE ACTOR K VALUE          VALUE: a number; at a scheduling point ">label", or ">line:N"
//                               where the drawn interrupt line of that number landed
// "-" stands for what is empty or unknown. `scenario` and `draws` must be there; each key
// but `set` at most once. Labels contain no blank. No two draws have the same SITE, ACTOR
// and K; there are at most SIM_RECORD_MAX, which a run's record holds. Any fault is
// reported with its line and a reason.
#ifndef SEEDBED_SIM_DECISION_H_
#define SEEDBED_SIM_DECISION_H_

#include <stdio.h>

#include "sim/base.h"
#include "sim/world.h"

enum { SIM_LABEL_LEN = SIM_SITE_LABEL_LEN };

struct sim_decision {
  char site[SIM_LABEL_LEN];
  char actor[32];
  char target[32];  // scheduling point: who goes on; else ""
  u32 k;
  u32 value;  // where target is ""
};

struct sim_decisions {
  struct sim_decision *item;
  u32 count, cap;
};

// A run described: what a decision file holds. Strings are owned; "" where unknown.
struct sim_decision_file {
  char scenario[64], subject[256], subject_sha256[65], commit[64], bug[32];
  char strategy[24], key[SIM_KEY_LEN];
  u64 seed, digest;
  u64 build;  // 0: without access hooks
  bool has_seed;
  struct {
    char key[48], value[48];
  } * set;
  u32 num_set;
  struct sim_decisions list;
};

// Copies the last run's record into `out` (zero-initialised or used before).
void sim_decisions_from_world(struct sim_decisions *out, const struct sim_world *w);
void sim_decisions_free(struct sim_decisions *d);
// The position of the first decision with the site, actor and k of an earlier one, or the
// list's count. In a record that is whole there is none.
u32 sim_decisions_repeated(const struct sim_decisions *d);

// The list back-end's index: finds a decision by the hashes (sim_hash_str) of its site's
// and its actor's label and by k, in about 10 ns, and knows which were never found. Of two
// decisions with the same three the first counts; the other is never found. `list` is
// borrowed: after it changed, call sim_decision_index_rebuild (which keeps the memory).
struct sim_decision_index;
struct sim_decision_index *sim_decision_index_new(const struct sim_decisions *list);
void sim_decision_index_rebuild(struct sim_decision_index *idx, const struct sim_decisions *list);
void sim_decision_index_free(struct sim_decision_index *idx);
// Forgets which decisions were found: before each run.
void sim_decision_index_begin(struct sim_decision_index *idx);
// Returns the decision and marks it found, or NULL.
const struct sim_decision *sim_decision_index_find(struct sim_decision_index *idx, u64 site_hash,
                                                   u64 actor_hash, u32 k);
// Takes a find back: the decision was met, but its value is no alternative here.
void sim_decision_index_misfit(struct sim_decision_index *idx, const struct sim_decision *d);
// Writes the positions in the list, ascending, of at most `max` decisions that were not
// found since begin; returns how many there are in all.
u32 sim_decision_index_unused(const struct sim_decision_index *idx, u32 *out, u32 max);

void sim_decision_file_free(struct sim_decision_file *f);
// Writes the text form. Returns false on a write error, or, with nothing written, if a
// string holds what the format cannot (a blank, a byte that is not printable ASCII, "-"
// alone), or the list what a file cannot.
SIM_MUST_CHECK bool sim_decision_file_write(const struct sim_decision_file *f, FILE *out);
// Parses `len` bytes. Returns false with "line N: reason" in `err`, and `f` holding
// nothing to free. Never reads past `text + len`.
SIM_MUST_CHECK bool sim_decision_file_parse(struct sim_decision_file *f, const char *text,
                                            size_t len, char *err, size_t err_len);
// Whether bytes are meant as a decision file: they start with "seedbed-decisions ".
bool sim_is_decision_file(const char *text, size_t len);

#endif  // SEEDBED_SIM_DECISION_H_
