// SPDX-License-Identifier: GPL-2.0-or-later
//
// A run of getrandom calls in processes that fork, are interrupted, lose their state pages
// and see the kernel reseed; and what an oracle says of each call.
//
// The events, each at any instruction boundary of a call:
//   bump    the kernel publishes a new generation
//   wipe    the pages of the thread's state become zero, as reclaim may do at any moment
//   signal  a handler calls getrandom on the same state, on the same stack below the red zone
//   fork    the child goes on after the parent has made all its calls; its state pages are zero
//   ready   the RNG page's is_ready changes
//   thread  another thread, with a stack and a state of its own, makes a call; it is made from
//           the boundary to its end, on the same engine, which is as good as any interleaving:
//           what both threads can see, only the kernel writes
// The parent and its children are judged by one ledger of keystream.
//
// Draws go through `world`; without one every draw is calm, and the caller plans the events.
#ifndef SEEDBED_MODELS_VDSO_VDSO_RUN_H_
#define SEEDBED_MODELS_VDSO_VDSO_RUN_H_

#include "models/vdso/vdso_ledger.h"
#include "models/vdso/vdso_machine.h"
#include "sim/scenario.h"

enum vdso_event {
  VDSO_NONE,
  VDSO_BUMP,
  VDSO_WIPE,
  VDSO_SIGNAL,
  VDSO_FORK,
  VDSO_READY,
  VDSO_THREAD,
  VDSO_EVENT_END,
  VDSO_SWEPT_EVENTS = VDSO_READY,  // what a sweep goes through: 1 to this
};
const char *vdso_event_name(enum vdso_event event);

// What a run's main calls are.
enum vdso_script {
  VDSO_SCRIPT_FIRST,   // 32 bytes from an empty state
  VDSO_SCRIPT_BATCH,   // 16 more, which the batch has
  VDSO_SCRIPT_REFILL,  // 64 bytes of which the batch has 32
  VDSO_SCRIPT_BLOCKS,  // 200 bytes: whole blocks straight to the buffer
  VDSO_SCRIPT_DRAWN,   // up to six calls with drawn arguments
  VDSO_SCRIPTS,
};
const char *vdso_script_name(enum vdso_script script);

enum { VDSO_MARKS = 6, VDSO_CALL_KEYS = 3 };

struct vdso_call {
  u64 buf, len, opaque, opaque_len;
  u32 flags;
  u32 thread;
  // ---- At its entry ----
  u64 gpr[32];
  u64 cr, sp;
  u32 bumps;
  u64 first_word;  // what the system call would have given next
  bool ready_at_entry;
  bool was_ready;      // then or later
  bool state_busy;     // another call was using the state, or had died in it
  bool has_key;        // the state had a key of this generation
  bool watched_state;  // the state may not be touched at all: `before` is what was there
  u8 before[VDSO_STATE_LEN];
  // ---- What happened ----
  u32 num_syscalls, num_failed;
  bool fell_back;  // the last system call had the caller's arguments
  s64 fell_back_result;
  u64 fell_back_word;
  u32 num_keys, keys[VDSO_CALL_KEYS];
  u32 num_events;  // in it, whatever they were
  s32 start_key;   // where its bytes begin, if a nested call's judge has found out; else -1
  u32 start_at;
  u32 num_marks;
  struct {
    u32 bumps;        // after it
    bool is_fork;     // in the child
    u64 output_hash;  // of the buffer, at the event
    u32 serial;       // of the snapshot at_mark
  } mark[VDSO_MARKS];
  // ---- The event to come ----
  enum vdso_event event;
  u64 event_at;
  u32 events_left;
};

struct vdso_process {
  u32 id;
  u32 calls_made, num_calls;
  u32 level;  // open calls
  struct vdso_call call[VDSO_LEVELS];
  u32 slot[VDSO_THREADS];      // offset of the state in its pages
  s32 hint_key[VDSO_THREADS];  // where the last call on that state ended
  u32 hint_at[VDSO_THREADS];
  bool hint_lost[VDSO_THREADS];   // a call of few bytes was not found
  u8 fill[VDSO_THREADS];          // what the state pages hold beside the state
  bool dead_state[VDSO_THREADS];  // a call died in it: it may stay in use
  // A call that nothing disturbed left a key in the state, which came at that count of bumps.
  bool has_key[VDSO_THREADS];
  u32 key_bumps[VDSO_THREADS];
  // Of the state, since the run began: it became zeros within a call that was using it; bytes
  // were put in it that no call leaves there. See vdso_say_of_state.
  bool lost_state[VDSO_THREADS], corrupt_state[VDSO_THREADS];
  bool jumped;  // out of a call: what that had saved is lost
};

// What an oracle said; the first of a run counts.
struct vdso_verdict {
  const struct sim_oracle *oracle;  // NULL: nothing
  char stable[96];
  char text[320];
};

struct vdso_run {
  struct vdso_machine *m;
  struct sim_world *world;  // NULL: every draw is calm
  bool corrupt;             // states may be corrupt, foreign, or misplaced
  bool twice;               // some runs look at what varies with the key
  u32 events_max;           // of a main call
  enum vdso_script script;
  // Where set: the lengths of the main calls, in place of the script's. Not VDSO_SCRIPT_DRAWN.
  const u32 *lens;
  u32 num_lens;
  struct vdso_verdict verdict;
  bool planned;             // no event is drawn
  bool vectors;             // f and v registers are compared in this run
  struct sim_world *aside;  // `world` while the run is made without it
  // ---- Of a run ----
  struct ledger ledger;
  struct vdso_process now;
  struct vdso_process child[VDSO_CHILDREN_MAX];
  u32 num_children, num_processes, next_child;
  u32 serial;
  u64 insns, num_calls;
  u64 digest;
  // For marks and reports.
  u32 reached;  // bits of enum vdso_reached
  u32 outcome;  // of the last call judged
};

// Situations that exploration must reach.
enum vdso_reached {
  VDSO_REACHED_RETRY = 1,        // a call took two keys
  VDSO_REACHED_NESTED_BUSY = 2,  // a handler's call found the state in use
  VDSO_REACHED_CHILD_CALL = 4,   // a child returned from a call that was forked in
  VDSO_REACHED_WIPE_SIGNAL = 8,  // a state was wiped, then used by a handler
  VDSO_REACHED_FAULT = 16,       // a buffer faulted
  VDSO_REACHED_BLOCKS = 32,      // whole blocks went straight to the buffer
  VDSO_REACHED_EXCUSED = 64,     // a bump came after the last load
};

// How a call ended, for counts.
enum vdso_outcome {
  VDSO_SERVED,       // by keystream, from one attempt
  VDSO_SERVED_ANEW,  // after an attempt that was thrown away
  VDSO_SYSCALL,      // by the system call
  VDSO_REFUSED,      // an error
  VDSO_FAULTED,
  VDSO_OUTCOMES,
};
const char *vdso_outcome_name(enum vdso_outcome outcome);

// Makes the run. Returns false if an oracle spoke: see run->verdict.
bool vdso_run_all(struct vdso_run *run);
// The run of the world whose set-up was made last, if that was vdso-getrandom's.
struct vdso_run *vdso_getrandom_run(void);

// ---- For a sweep: the same in pieces ----
// Without the world, calmly, events by plan; and back to how it was.
void vdso_run_alone(struct vdso_run *run);
void vdso_run_in_world(struct vdso_run *run);
// Everything up to the entry of the script's last main call, which is begun and has no event.
void vdso_run_to_last(struct vdso_run *run);
// Goes on to boundary `at` of that call; false if it ends before.
bool vdso_run_to(struct vdso_run *run, u64 at);
// The event happens here and now.
void vdso_run_event(struct vdso_run *run, enum vdso_event event);
// All that is left, children included.
void vdso_run_finish(struct vdso_run *run);

// ---- Between the files ----
SIM_COLD void vdso_say(struct vdso_run *run, const struct sim_oracle *oracle, const char *stable,
                       const char *fmt, ...) SIM_PRINTF(4, 5);
// Of what the open call did with its state. Whether that had been lost or corrupt belongs to the
// stable context, so that what the merged algorithm makes of it never has the key of the same
// failure where it was left alone.
SIM_COLD void vdso_say_of_state(struct vdso_run *run, const struct sim_oracle *oracle,
                                const char *stable, const char *fmt, ...) SIM_PRINTF(4, 5);
// Whether the call was handed the state that its thread uses, as it should be.
bool vdso_is_own_state(const struct vdso_run *run, const struct vdso_call *call);
void vdso_judge_return(struct vdso_run *run);
void vdso_judge_fault(struct vdso_run *run, const struct guest_stop *stop);
u64 vdso_output_hash(const struct vdso_run *run, const struct vdso_call *call);
// Instructions that the open call will have made if nothing disturbs it any more.
u64 vdso_quiet_insns(struct vdso_run *run);
void vdso_mark(struct vdso_run *run, bool is_fork);
u32 vdso_draw(const struct vdso_run *run, struct sim_site *site, u32 n);
void vdso_draw_main(struct vdso_run *run, struct vdso_call *call);
void vdso_draw_nested(struct vdso_run *run, struct vdso_call *call, u32 level);

#endif  // SEEDBED_MODELS_VDSO_VDSO_RUN_H_
