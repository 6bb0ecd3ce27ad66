// SPDX-License-Identifier: GPL-2.0-or-later
//
// The one rule: every decision of a run is a draw. sim_choose returns 0..n-1,
// and 0 is always the calm choice. Four back-ends answer:
//   seed      a PRNG stream per site class, derived from a 64-bit seed by label,
//             below a strategy that picks who runs
//   bytes     fuzzer input: for each class of sites so many calm draws, then a value;
//             when dry, calm: see sim/bytes.h
//   list      recorded decisions, found by (site, occurrence on the actor)
//   odometer  every combination in order: exhaustive search
// What is recorded is the outcome of each draw that is not calm: never a
// strategy's inner state, so that any run replays from its list.
#ifndef SEEDBED_SIM_CHOICE_H_
#define SEEDBED_SIM_CHOICE_H_

#include "sim/base.h"
#include "sim/site.h"

struct sim_world;
extern struct sim_world *sim_w;  // the world that is running in this process

enum sim_backend {
  SIM_BACKEND_CALM = 0,  // every draw is 0
  SIM_BACKEND_SEED,
  SIM_BACKEND_BYTES,
  SIM_BACKEND_LIST,
  SIM_BACKEND_ODOMETER,
};

// Who draws: a task's creation number in this run, or a CPU.
enum { SIM_ACTOR_CPU0 = 4000, SIM_ACTORS_MAX = 4096 };

// A recorded draw, 8 bytes. `site` is the canonical site number (this process
// only), `k` counts the site's occurrences on the actor from 0 (whether or not
// they had a choice). At a SIM_SITE_POINT the value is 1 + the actor that was
// switched to (a task, or a CPU for what is current there), or at an access of hooked code
// 0x8000 + the number of the drawn interrupt line that landed; elsewhere it is what
// sim_choose returned.
struct sim_draw {
  u64 site : 12;
  u64 actor : 12;
  u64 k : 24;
  u64 value : 16;
};
_Static_assert(sizeof(struct sim_draw) == 8, "records are 8 bytes");
enum { SIM_CHOICE_MAX = 65536 };

// sim_choose draws at `site` with `n` alternatives and returns 0..n-1; n = 1
// returns 0 and is no draw. `n` is 1..SIM_CHOICE_MAX. `site` must not be a
// SIM_SITE_POINT. While a world is set up, and for faults, interrupts and time
// after healing, it returns 0. May be called in any context.
// Determinism: one draw where n > 1; recorded where the result is not 0.
u32 sim_choose(struct sim_world *w, struct sim_site *site, u32 n);

// sim_choose_range draws an integer between lo and hi, both included; calm: lo.
// hi - lo must be below SIM_CHOICE_MAX.
static inline u64 sim_choose_range(struct sim_world *w, struct sim_site *site, u64 lo, u64 hi) {
  SIM_ASSERT(lo <= hi && hi - lo < SIM_CHOICE_MAX);
  return lo + sim_choose(w, site, (u32)(hi - lo + 1));
}

// The odometer: the digits of one execution and the highest value of each. Zero-initialise
// for the first run; the back-end calls sim_odometer_begin before each run and
// sim_odometer_draw for each draw; sim_odometer_next moves to the next combination, in
// lexicographic order. Owned by the caller (malloc inside).
//
// `bound` limits the digits of a run that are not calm (a preemption or a delay each), and
// draws from the `depth_max`-th on are calm and not kept: together they make the search
// finite where runs are long. A caller may also write the digits itself (sim/sweep.c).
struct sim_odometer {
  u16 *digit;
  u16 *top;  // highest value of the digit: alternatives - 1
  u32 len;   // digits of the run that is described
  u32 pos;   // next digit in the running run
  u32 cap;
  u32 bound;      // digits that are not 0 allowed in a run; 0: no bound
  u32 depth_max;  // 0: no limit
  bool diverged;  // a draw had not the alternatives that it had before: the run is not a
                  // function of its digits
};
void sim_odometer_begin(struct sim_odometer *o);
// The next digit, 0..n-1; n is 2..SIM_CHOICE_MAX. A new digit is 0. Where the number of
// alternatives is another than before, sets `diverged`, and the digit is 0 if too large.
u32 sim_odometer_draw(struct sim_odometer *o, u32 n);
// sim_odometer_next returns false when every combination has been run.
SIM_MUST_CHECK bool sim_odometer_next(struct sim_odometer *o);
void sim_odometer_free(struct sim_odometer *o);

struct sim_decisions;

// What decides one run. Borrowed for the duration of sim_world_run.
// From the `draws`-th draw after the turn before (or the first draw) on, a based run goes on as one
// of `seed`: another strategy and swarm, other streams. What came before is as it was, so a turn
// tries another end of the same beginning.
enum { SIM_TURNS_MAX = 7 };
struct sim_turn {
  u32 draws;
  u32 seed;
};

struct sim_input {
  enum sim_backend backend;
  u64 seed;         // seed back-end
  u32 strategy;     // seed back-end: enum sim_strategy
  const u8 *bytes;  // bytes back-end
  size_t len;
  bool based;  // bytes back-end: where they say nothing, by `seed` and `strategy` in place of calm
  u32 num_turns;  // of a based run
  struct sim_turn turns[SIM_TURNS_MAX];
  const struct sim_decisions *list;  // list back-end
  struct sim_odometer *odometer;     // odometer back-end
};

#endif  // SEEDBED_SIM_CHOICE_H_
