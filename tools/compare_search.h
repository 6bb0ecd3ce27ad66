// SPDX-License-Identifier: GPL-2.0-or-later
//
// Many lists on a pair of subjects, in children, since a subject may crash: what differs, how
// often, and the smallest list for each.
#ifndef SEEDBED_TOOLS_COMPARE_SEARCH_H_
#define SEEDBED_TOOLS_COMPARE_SEARCH_H_

#include "tools/compare.h"
#include "tools/known.h"

enum { COMPARE_KEYS_MAX = 64 };

// A kind of difference.
struct compare_found {
  char key[COMPARE_KEY_LEN];
  u64 lists;                        // that show it first
  u64 seed;                         // the lowest
  const struct known_entry *known;  // NULL: it is new
  bool crashed;  // a subject did, under that seed's list, and this is all that is known of it
  char *only;    // the events of the smallest list: see compare_tell_only; NULL: all
  char *told;    // see compare_tell
};

struct compare_search {
  struct compare_pair *pair;  // not open
  u64 seed_first, seed_last;
  const struct subject *subject;  // of the list of what is known
  const struct known_list *known;

  // Filled:
  u64 lists, events, cut;
  u64 ran[COMPARE_FIELDS_MAX];  // events of a kind
  u32 num_found;
  struct compare_found found[COMPARE_KEYS_MAX];  // by seed
  bool more;                                     // there were other keys
  bool interrupted;                              // not all seeds were run
};

// Returns 0, or with a complaint SIM_OURS where no child could be started.
SIM_MUST_CHECK int compare_search_run(struct compare_search *search);
void compare_search_free(struct compare_search *search);

#endif  // SEEDBED_TOOLS_COMPARE_SEARCH_H_
