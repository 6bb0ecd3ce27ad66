// SPDX-License-Identifier: GPL-2.0-or-later
//
// One list of events (models/compare/compare_play.h) on two subjects: the model, with every suspect
// that the kernel has, and a kernel tree's code; or the model and the model with a planted bug.
// What differs first, and the fewest events that show it.
#ifndef SEEDBED_TOOLS_COMPARE_H_
#define SEEDBED_TOOLS_COMPARE_H_

#include "models/compare/compare_play.h"
#include "models/kernel/kernel_object.h"
#include "sim/world.h"
#include "tools/text.h"

enum { COMPARE_SIDES = 2, COMPARE_DIFFERENCES_MAX = 32, COMPARE_KEY_LEN = 128 };

struct compare_side {
  const char *name;              // as reports have it
  struct kernel_object *kernel;  // NULL: the model
  const char *bug;               // planted in the model; NULL: none
};

// A pair of subjects, and what runs them.
struct compare_pair {
  const struct compare_family *family;
  u32 linux_version;  // 1000 * major + minor
  struct compare_side side[COMPARE_SIDES];
  struct sim_world *world;
  struct compare_log log[COMPARE_SIDES];
};

// One value that differs; a side that noted nothing has none.
struct compare_difference {
  u32 moment, field, index;
  bool has[COMPARE_SIDES];
  u64 value[COMPARE_SIDES];
};

// What differs at the first moment at which anything does: what comes later may follow from it.
struct compare_outcome {
  u32 num;
  struct compare_difference difference[COMPARE_DIFFERENCES_MAX];
  bool cut;  // the list, on one side or both: struct compare_log
  // What a run ended with that is not OK, by its oracle; "" where it is.
  char finding[COMPARE_SIDES][SIM_KEY_LEN];
};

// Zeroed, with family, version and sides set; needs the memory of a world. The same process may
// hold several.
void compare_open(struct compare_pair *pair);
void compare_close(struct compare_pair *pair);

// The list of a seed.
void compare_make(const struct compare_pair *pair, u64 seed, struct compare_list *out);
// Runs it on both.
void compare_run(struct compare_pair *pair, const struct compare_list *list,
                 struct compare_outcome *out);
// Leaves out what it can while the difference keeps its key.
void compare_shrink(struct compare_pair *pair, struct compare_list *list, const char *key);

// "compare-FAMILY/KIND/FIELD", of what differs first: what happened, and the first field of the
// family's order. The kind is "time" where nothing but time has passed, and
// "end" at the end. "" if nothing differs.
void compare_key(const struct compare_pair *pair, const struct compare_list *list,
                 const struct compare_outcome *outcome, char out[COMPARE_KEY_LEN]);
// The name of what a moment belongs to.
const char *compare_moment(const struct compare_family *family, const struct compare_list *list,
                           u32 moment);

// Adds the list, an event a line, and what differs, each line after two blanks.
void compare_tell(const struct compare_pair *pair, const struct compare_list *list,
                  const struct compare_outcome *outcome, struct text *text);
// Adds each event and what was seen to change, on both sides, of the last run.
void compare_tell_all(const struct compare_pair *pair, const struct compare_list *list,
                      struct text *text);
// The numbers of the events that are left: "0,3,7".
void compare_tell_only(const struct compare_list *list, struct text *text);
// Keeps those alone; false with a reason if the text is none such.
SIM_MUST_CHECK bool compare_only(struct compare_list *list, const char *text, const char **out_why);

#endif  // SEEDBED_TOOLS_COMPARE_H_
