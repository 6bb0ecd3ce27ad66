// SPDX-License-Identifier: GPL-2.0-or-later
//
// A device with room for one word, its interrupt, and readers that share it. Left out:
// everything else. See mailbox.h.
#include "models/testing/mailbox.h"

#include "sim/checker.h"
#include "sim/choice.h"
#include "sim/cpu.h"
#include "sim/lock.h"
#include "sim/task.h"
#include "sim/wait.h"
#include "sim/world.h"

enum { WORDS_MAX = 64 };

// All that a run may change; sim_alloc_static puts it into the arena, so that each run
// begins with what set-up left.
struct mailbox {
  u32 words_each;
  u64 word_ns;
  bool unlocked;
  struct sim_mutex lock;             // held from the wait for a word to its taking
  struct sim_wait_queue_head ready;  // waits for `full`
  struct sim_hw_event event;         // the word that is being made
  bool full, late;
  u32 word;                 // in the box: 1, 2, 3, ...
  u8 taken[WORDS_MAX + 1];  // how many readers have got each word
};

// ---- The device ----

// The word is complete: an interrupt of CPU 0.
static void word_done(void *arg) {
  struct mailbox *box = arg;

  box->word++;
  sim_write_once(box->full, true);
  sim_wake_up(&box->ready);
}

static void make_word(struct mailbox *box) {
  if (box->event.armed || box->word == WORDS_MAX) return;
  // A fault: 0 (none) nearly always, and always in phase two.
  box->late = sim_choose(sim_w, SIM_SITE_DRAW("mailbox-late", SIM_SITE_FAULT, 1, 16), 2);
  u64 ns = box->late ? 100 * box->word_ns : box->word_ns;
  sim_hw_event_arm(&box->event, sim_clock_ns() + ns, word_done, box, 0);
}

// ---- The driver ----

static u32 mailbox_read(struct mailbox *box) {
  if (!box->unlocked) sim_mutex_lock(&box->lock);
  SIM_SOMETIMES("mailbox", "a reader waits for a late word", 1000, box->late && !box->full);
  sim_wait_event(&box->ready, sim_read_once(box->full));
  u32 word = sim_read_once(box->word);
  sim_write_once(box->full, false);
  make_word(box);
  if (!box->unlocked) sim_mutex_unlock(&box->lock);
  return word;
}

// ---- The scenario ----

static void reader(void *arg) {
  struct mailbox *box = arg;

  for (u32 i = 0; i < box->words_each; i++) box->taken[mailbox_read(box)]++;
}

static void setup(void) {
  struct mailbox *box = sim_alloc_static(sizeof(*box), "mailbox");
  u32 readers = (u32)sim_param("readers");

  sim_set_private(box);
  box->words_each = (u32)sim_param("words");
  box->word_ns = (u64)sim_param("word_ns");
  box->unlocked = sim_bug("unlocked");
  sim_mutex_init(&box->lock, "mailbox");
  sim_init_waitqueue_head(&box->ready, "mailbox");
  make_word(box);
  for (u32 i = 0; i < readers; i++) sim_task_new("reader", reader, box, i % sim_nr_cpus());
}

static const struct sim_oracle word_once = {
    .id = "mailbox-word-once",
    .status = SIM_SAFETY,
    .sentence = "each word goes to one reader",
    .source = "the definition of this example",
};

static void check(void) {
  const struct mailbox *box = sim_private();

  for (u32 word = 1; word <= WORDS_MAX; word++)
    if (box->taken[word] > 1)
      sim_fail(&word_once, "", "word %u went to %u readers", word, box->taken[word]);
}

static const struct sim_param params[] = {
    {.name = "readers", .def = 2, .min = 1, .max = 4, .unit = "", .line = "tasks that read"},
    {.name = "words", .def = 3, .min = 1, .max = 16, .unit = "", .line = "words that each wants"},
    {.name = "word_ns", .def = 500, .min = 1, .max = 1000000, .unit = "ns", .line = "per word"},
    {.name = NULL},
};
static const struct sim_oracle *const oracles[] = {&word_once, NULL};
static const struct sim_bug bugs[] = {
    {.id = "unlocked", .line = "readers share the box without a lock"},
    {.id = NULL},
};

const struct sim_scenario scenario_mailbox = {
    .name = "mailbox",
    .claim = "an example: each word of a small device goes to one reader",
    .params = params,
    .oracles = oracles,
    .bugs = bugs,
    .input_len_max = 64,
    .yardstick_runs = 1000,
    .testonly = true,
    .setup = setup,
    .check = check,
};
