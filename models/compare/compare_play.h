// SPDX-License-Identifier: GPL-2.0-or-later
//
// The model against a kernel tree: a list of events, each a call of one primitive at a time of its
// own, and what can be seen of the subject after each. The same list runs on two subjects, in two
// worlds that make no decision (every draw is calm), and whatever is not the same is a difference.
//
// What makes the two comparable: an event comes at a fixed virtual time; its world then settles,
// until all that could run has run; and the subject's clock and cycle counter move in steps that
// are longer than what happens at once takes, so that both stamp their inputs with the same values
// though they take other numbers of steps. So nothing is compared that an interleaving decides:
// that is what scenarios are for.
//
// Here is what families of events share. The list and the notes lie on the host: they are settings
// of the process, as the subject is, and what a run tells; no run reads what another has noted.
#ifndef SEEDBED_MODELS_COMPARE_COMPARE_PLAY_H_
#define SEEDBED_MODELS_COMPARE_COMPARE_PLAY_H_

#include "sim/base.h"
#include "sim/scenario.h"
#include "sim/task.h"
#include "sim/timer.h"

enum {
  COMPARE_EVENTS_MAX = 64,
  COMPARE_NOTES_MAX = 1 << 14,
  COMPARE_ARGS_MAX = 3,
  COMPARE_SETTINGS_MAX = 16,
  COMPARE_FIELDS_MAX = 64,
};

// The clock and the counter of the subject move so, in ns: a part of a tick at each HZ.
#define COMPARE_STEP_NS 250000ull

struct compare_event {
  u64 at_ns;
  u8 kind;   // of the family's
  u8 cpu;    // where it comes; on CPU 0 if that is offline
  bool irq;  // in hardirq, else in a task
  bool left_out;
  u64 arg[COMPARE_ARGS_MAX];
};

// A list is a function of its seed, and of which of its events are left out: those that stay come
// when they would have come.
struct compare_list {
  u64 seed;
  u64 end_ns;
  // The machine: parameters of the family's scenario.
  struct {
    const char *name;
    s64 value;
  } setting[COMPARE_SETTINGS_MAX];
  u32 num_settings;
  u32 num;
  struct compare_event event[COMPARE_EVENTS_MAX];
};

// When something was seen. Event number n has two moments: 2 * n, just before it, shows what time
// alone has brought since the event before, and 2 * n + 1 what it did. 2 * list.num is when the
// last has had its time, and one more the end, after signals for all.
struct compare_note {
  u16 moment;
  u8 field;  // of the family's
  u8 index;  // of which of several: a CPU, a call
  u64 value;
};

struct compare_log {
  u32 num;
  bool full;  // there was more
  // The world did not settle: somebody ran on and on. Nothing was noted from this moment on.
  bool cut;
  u32 cut_moment;
  struct compare_note note[COMPARE_NOTES_MAX];
};

// How a value is told.
enum compare_form { COMPARE_NUMBER, COMPARE_SIGNED, COMPARE_HASH, COMPARE_NS };

struct compare_field {
  const char *name;
  enum compare_form form;
  const char *of;  // what its index counts: "CPU", "event"; NULL: there is but one
  u64 slack;       // values so far apart are the same
};

struct compare_kind {
  const char *name;                   // of the kernel's function, or what happens
  const char *arg[COMPARE_ARGS_MAX];  // names; NULL: none
};

struct compare_family {
  const char *name;
  const struct sim_scenario *scenario;
  const struct compare_kind *kinds;
  u32 num_kinds;
  const struct compare_field *fields;
  u32 num_fields;
  size_t stage;  // offset of struct compare_stage in the scenario's private state
  // Fills a zeroed list whose seed is set, for a kernel of that version (1000 * major + minor).
  void (*generate)(struct compare_list *list, u32 linux_version);
  // Sets what makes the model that of this version; every suspect is set by the caller.
  void (*set_version)(struct sim_params *params, u32 linux_version);
};
extern const struct compare_family compare_crng, compare_hwrng;

// From now on runs of the family's scenario take this list and fill this log, which is emptied
// here. All are borrowed.
void compare_use(const struct compare_family *family, const struct compare_list *list,
                 struct compare_log *log);

// ---- For families ----

// Parameters of the machine: what happens at once takes far less than a step of the clock, and no
// phase ends.
#define COMPARE_MACHINE_PARAMS                                                         \
  {"access_cost_ns", 1, 0, 0, NULL, NULL}, {"lock_cost_ns", 1, 0, 0, NULL, NULL},      \
      {"relax_cost_ns", 1, 0, 0, NULL, NULL}, {"switch_cost_ns", 0, 0, 0, NULL, NULL}, \
      {"irq_cost_ns", 0, 0, 0, NULL, NULL}, {"wake_latency_ns", 0, 0, 0, NULL, NULL},  \
      {"chaos_ns", 1000000000000000, 0, 0, NULL, NULL}, {                              \
    "steps_max", 5000000, 0, 0, NULL, NULL                                             \
  }

// A generator's numbers: a function of the seed. `n` is at least 1.
struct compare_dice {
  u64 state;
};
u64 compare_roll(struct compare_dice *dice, u64 n);
// Data of an event: bytes that are a function of `tag`.
void compare_data(u64 tag, void *out, size_t len);
u64 compare_hash(const void *bytes, size_t len);
// Adds a setting of the machine.
void compare_set(struct compare_list *list, const char *name, s64 value);
// A time in the tick of `ns`, at a step's beginning and not at the tick's.
u64 compare_off_tick(struct compare_dice *dice, u64 ns, u32 hz);

// In a run: the list; what is seen now is noted.
const struct compare_list *compare_list(void);
void compare_note(u32 field, u32 index, u64 value);
// The clock, in whole steps.
u64 compare_now_ns(void);

// Lies in the scenario's private state.
struct compare_play;
struct compare_stage {
  struct sim_task *conductor;
  struct sim_hrtimer alarm;
  bool rings;
  u32 moment;
  const struct compare_play *play;
  struct compare_hand {
    struct sim_task *task;  // NULL: none was made
    u32 number;
    bool ended;
  } hand[COMPARE_EVENTS_MAX];
};

// The work of a task of the scenario's on CPU 0. At its time each event is carried out by `run`, in
// hardirq of its CPU or by a task of its own there, which may sleep as long as it likes; the world
// settles for `settle_ns`; `look` notes what can be seen, and calls no primitive. Where a task of
// an event still runs then, or `runs` says that another does, the list is cut: how far a busy loop
// has come is a matter of instructions. At the end those tasks that sleep get a signal each, and
// `wind_up` takes away what there is.
struct compare_play {
  void (*run)(u32 number, const struct compare_event *event);
  void (*look)(void);
  bool (*runs)(void);     // may be NULL
  void (*wind_up)(void);  // may be NULL
  u64 settle_ns;
};
void compare_conduct(const struct compare_play *play);
// Sends a signal to the task of event `number`, if it has one that has not ended.
bool compare_signal(u32 number);

#endif  // SEEDBED_MODELS_COMPARE_COMPARE_PLAY_H_
