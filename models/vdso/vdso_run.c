// SPDX-License-Identifier: GPL-2.0-or-later
//
// See vdso_run.h. Sections: names, the system call, events, calls, runs.
#include "models/vdso/vdso_run.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "models/vdso/vdso_oracles.h"
#include "sim/choice.h"
#include "sim/cover.h"
#include "sim/trace.h"

#define WORK(label, num, den) SIM_SITE_DRAW(label, SIM_SITE_WORK, num, den)
#define FAULT(label, num, den) SIM_SITE_DRAW(label, SIM_SITE_FAULT, num, den)

// ---- Names ----

const char *vdso_event_name(enum vdso_event event) {
  static const char *const names[] = {"none", "bump", "wipe", "signal", "fork", "ready", "thread"};

  return event < VDSO_EVENT_END ? names[event] : "?";
}

const char *vdso_script_name(enum vdso_script script) {
  static const char *const names[] = {"first", "batch", "refill", "blocks", "drawn"};

  return script < VDSO_SCRIPTS ? names[script] : "?";
}

const char *vdso_outcome_name(enum vdso_outcome outcome) {
  static const char *const names[] = {"served", "served-anew", "syscall", "refused", "faulted"};

  return outcome < VDSO_OUTCOMES ? names[outcome] : "?";
}

void vdso_say(struct vdso_run *run, const struct sim_oracle *oracle, const char *stable,
              const char *fmt, ...) {
  va_list args;

  if (run->verdict.oracle) return;
  run->verdict.oracle = oracle;
  snprintf(run->verdict.stable, sizeof(run->verdict.stable), "%s", stable);
  va_start(args, fmt);
  vsnprintf(run->verdict.text, sizeof(run->verdict.text), fmt, args);
  va_end(args);
}

static struct vdso_call *top(struct vdso_run *run) { return &run->now.call[run->now.level - 1]; }

void vdso_say_of_state(struct vdso_run *run, const struct sim_oracle *oracle, const char *stable,
                       const char *fmt, ...) {
  u32 thread = top(run)->thread;
  bool lost = run->now.lost_state[thread], corrupt = run->now.corrupt_state[thread];
  char text[256], context[96];
  va_list args;

  va_start(args, fmt);
  vsnprintf(text, sizeof(text), fmt, args);
  va_end(args);
  snprintf(context, sizeof(context), "%s%s", stable, lost || corrupt ? ", state disturbed" : "");
  vdso_say(run, oracle, context, "%s%s", text,
           corrupt ? "; the state had been corrupt"
           : lost  ? "; the state had been wiped within a call"
                   : "");
}

// ---- The system call ----

// What getrandom(2) does for these arguments. Blocking until the pool is ready is drawn to end
// by readiness or by a signal.
static s64 system_call_result(struct vdso_run *run, u64 buf, u64 len, u32 flags) {
  struct vdso_machine *m = run->m;
  s64 error = vdso_flags_error(flags);
  u32 fault;

  if (error) return error;
  if (len > 0x7ffff000) len = 0x7ffff000;
  if (!m->is_ready && !(flags & VDSO_GRND_INSECURE)) {
    if (flags & VDSO_GRND_NONBLOCK) return -SIM_EAGAIN;
    if (vdso_draw(run, FAULT("vdso-syscall-wait", 1, 4), 2)) return -SIM_EINTR;
    m->is_ready = true;
    vdso_bump(m);
    for (u32 i = 0; i < run->now.level; i++) run->now.call[i].was_ready = true;
  }
  if (!len) return 0;
  fault = vdso_draw(run, FAULT("vdso-syscall", 1, 16), 5);
  if (fault == 2) return -SIM_EINTR;
  if (fault == 3) return -SIM_EAGAIN;
  if (fault == 4) return -38;  // ENOSYS
  if (!vdso_writable(m, buf, len)) return -SIM_EFAULT;
  if (fault == 1) len = vdso_draw(run, WORK("vdso-syscall-short", 0, 0), len < 64 ? (u32)len : 64);
  if (len) vdso_give(m, guest_host(m->fast.g, buf, len), (u32)len);
  return (s64)len;
}

// Whether a key belongs at `buf`: the state's, lib/vdso/getrandom.c: getrandom_syscall(state->key,
// sizeof(state->key), 0); or in the call's own frames, where the built-in subject has its copy of
// the state. Of a key that was put there and not used the keystream would tell.
static bool is_place_of_key(struct vdso_run *run, const struct vdso_call *call, u64 buf) {
  enum { KEY_AT = 96 };

  if (buf == call->opaque + KEY_AT) return true;
  return buf >= guest_get(run->m->fast.g, GUEST_SP) && buf <= call->sp - 32;
}

static void system_call(struct vdso_run *run) {
  struct vdso_machine *m = run->m;
  struct guest *g = m->fast.g;
  struct vdso_call *call = top(run);
  u64 number = vdso_syscall_number(g), buf = vdso_arg(g, 0), len = vdso_arg(g, 1);
  u32 flags = (u32)vdso_arg(g, 2);
  u64 word = m->delivered;
  bool callers = buf == call->buf && len == call->len && flags == call->flags;
  s64 result;

  call->num_syscalls++;
  if (number != m->abi->getrandom || (!callers && (len != 32 || flags))) {
    vdso_say(run, &vdso_oracle_syscall, callers ? "number" : "arguments",
             "system call %llu(0x%llx, %llu, 0x%x) in a call of %llu bytes, flags 0x%x",
             (unsigned long long)number, (unsigned long long)buf, (unsigned long long)len, flags,
             (unsigned long long)call->len, call->flags);
  } else if (!callers && !is_place_of_key(run, call, buf)) {
    vdso_say(run, &vdso_oracle_syscall, "place",
             "a key is asked for at 0x%llx, which is not its place", (unsigned long long)buf);
  }
  result = system_call_result(run, buf, len, flags);
  if (!callers && result != 32) call->num_failed++;
  if (!callers && result == 32) {
    u32 key = ledger_deliver(&run->ledger, guest_host(g, buf, 32), run->now.id, m->bumps);

    if (call->num_keys < VDSO_CALL_KEYS) call->keys[call->num_keys++] = key;
    call->start_key = -1;  // what it made before is thrown away
  }
  call->fell_back = callers;
  call->fell_back_result = result;
  call->fell_back_word = word;
  vdso_syscall_return(g, result);
}

// ---- Events ----

// Draws the event of the open call that comes next, and its distance from here.
static void next_event(struct vdso_run *run, struct vdso_call *call) {
  static const u32 scale[] = {4096, 64, 512, SIM_CHOICE_MAX, 512, 64};
  u64 now = guest_insns(run->m->fast.g), distance;
  u32 which;

  call->event = VDSO_NONE;
  if (!call->events_left || run->planned) return;
  call->event = vdso_draw(run, FAULT("vdso-event", 1, 2), VDSO_EVENT_END);
  if (call->event == VDSO_NONE) {
    call->events_left = 0;
    return;
  }
  call->events_left--;
  which = vdso_draw(run, WORK("vdso-scale", 7, 8), SIM_ARRAY_SIZE(scale));
  distance = vdso_draw(run, WORK("vdso-distance", 0, 0), scale[which]);
  call->event_at = now + distance;
  if (which >= 4) {
    // From the end, where the last looks at the generation are.
    u64 end = vdso_quiet_insns(run);

    call->event_at = end > now + distance ? end - 1 - distance : now;
  }
}

static void open_call(struct vdso_run *run, struct vdso_call *call, u32 events) {
  struct vdso_machine *m = run->m;
  struct guest *g = m->fast.g;

  guest_get_generals(g, call->gpr);
  call->cr = guest_get(g, GUEST_CR);
  call->sp = call->gpr[m->abi->sp_at];
  call->bumps = m->bumps;
  call->first_word = m->delivered;
  call->ready_at_entry = call->was_ready = m->is_ready;
  call->state_busy = run->now.dead_state[call->thread];
  for (u32 i = 0; i + 1 < run->now.level; i++)
    if (run->now.call[i].thread == call->thread) call->state_busy = true;
  call->has_key = run->now.has_key[call->thread] && !call->state_busy &&
                  run->now.key_bumps[call->thread] == m->bumps && vdso_is_own_state(run, call);
  call->watched_state = false;
  call->num_syscalls = call->num_failed = call->num_keys = call->num_events = 0;
  call->num_marks = 0;
  call->start_key = -1;
  call->fell_back = false;
  call->events_left = events;
  run->num_calls++;
  next_event(run, call);
}

static void begin_nested(struct vdso_run *run, u32 thread) {
  struct vdso_machine *m = run->m;
  struct guest *g = m->fast.g;
  struct vdso_process *now = &run->now;
  struct vdso_call *call = &now->call[now->level];
  struct guest_call guest = {.entry = m->entry, .num_args = 5};
  u64 sp = guest_get(g, GUEST_SP), zone = guest_red_zone(m->setting.arch), below;

  call->thread = thread;
  vdso_draw_nested(run, call, now->level);
  guest.args[0] = call->buf;
  guest.args[1] = call->len;
  guest.args[2] = call->flags;
  guest.args[3] = call->opaque;
  guest.args[4] = call->opaque_len;
  // What a signal's frame overwrites.
  below = sp - zone - vdso_stack_addr(now->level ? now->call[now->level - 1].thread : 0);
  if (below > 512) below = 512;
  memset(guest_host(g, sp - zone - below, below), 0xd5, below);
  guest_nested_begin(g, &guest);
  if (now->level && now->call[now->level - 1].thread != thread) {
    u64 other =
        vdso_stack_addr(thread) + VDSO_STACK_LEN - 256 - guest_caller_frame(m->setting.arch);

    if (guest_caller_frame(m->setting.arch))
      guest_store(g, guest_host(g, other, 8), guest_word_size(m->setting.arch), 0);
    guest_set(g, GUEST_SP, other);
  }
  for (u32 i = 0; i < now->level; i++)
    if (now->call[i].thread == thread) now->call[i].watched_state = false;
  if (run->vectors && !now->id) guest_regs_get(g, &m->nested_regs[now->level]);
  now->level++;
  open_call(run, call, 1);
}

static void wipe(struct vdso_run *run, u32 thread) {
  struct vdso_machine *m = run->m;

  memset(m->fast.state[thread], 0, VDSO_STATE_PAGES * GUEST_PAGE);
  run->now.fill[thread] = 0;
  run->now.dead_state[thread] = run->now.has_key[thread] = false;
  for (u32 i = 0; i < run->now.level; i++) {
    if (run->now.call[i].thread != thread) continue;
    run->now.call[i].watched_state = false;
    run->now.lost_state[thread] = true;
  }
}

static void fork_here(struct vdso_run *run) {
  struct vdso_process *child;

  if (run->num_children == VDSO_CHILDREN_MAX) return;
  child = &run->child[run->num_children];
  guest_take(run->m->fast.g, run->m->child[run->num_children]);
  *child = run->now;
  child->id = ++run->num_processes;
  // It makes the calls that are open, and one more.
  if (child->num_calls > child->calls_made + 1) child->num_calls = child->calls_made + 1;
  if (child->num_calls == child->calls_made) child->num_calls++;
  for (u32 i = 0; i < child->level; i++) {
    child->call[i].events_left = 0;
    child->call[i].event = VDSO_NONE;
    child->call[i].num_events++;
  }
  run->num_children++;
}

void vdso_run_event(struct vdso_run *run, enum vdso_event event) {
  struct vdso_process *now = &run->now;
  struct vdso_call *call = top(run);

  for (u32 i = 0; i < now->level; i++) now->call[i].num_events++;
  // Where it lands is what a run is about.
  if (run->world)
    sim_cover_state(5, (u64)event << 32 |
                           (guest_get(run->m->fast.g, GUEST_PC) - run->m->image_addr) << 1 |
                           (now->level > 1));
  run->digest = sim_mix64(run->digest + event * 0x10001 + guest_insns(run->m->fast.g));
  if (run->world) {
    char where[64];

    guest_where(run->m->fast.g, guest_get(run->m->fast.g, GUEST_PC), where, sizeof(where));
    sim_note("process %u, level %u, boundary %llu, before %s: %s", now->id, now->level,
             (unsigned long long)guest_insns(run->m->fast.g), where, vdso_event_name(event));
  }
  switch (event) {
    case VDSO_BUMP:
      vdso_bump(run->m);
      vdso_mark(run, false);
      break;
    case VDSO_WIPE:
      if (!run->m->setting.is_private) wipe(run, call->thread);
      break;
    case VDSO_SIGNAL:
      if (now->level < VDSO_LEVELS) begin_nested(run, call->thread);
      break;
    case VDSO_FORK:
      fork_here(run);
      break;
    case VDSO_READY:
      run->m->is_ready = !run->m->is_ready;
      vdso_publish(run->m, &run->m->fast);
      for (u32 i = 0; i < now->level && run->m->is_ready; i++) now->call[i].was_ready = true;
      break;
    case VDSO_THREAD:
      if (now->level == 1) begin_nested(run, 1);
      break;
    default:
      break;
  }
}

// ---- Calls ----

static void begin_main(struct vdso_run *run) {
  struct vdso_machine *m = run->m;
  struct vdso_process *now = &run->now;
  struct vdso_call *call = &now->call[0];
  bool last = now->calls_made + 1 == now->num_calls;
  u64 args[5];

  vdso_draw_main(run, call);
  args[0] = call->buf;
  args[1] = call->len;
  args[2] = call->flags;
  args[3] = call->opaque;
  args[4] = call->opaque_len;
  vdso_call_begin(m->fast.g, m, 0, args);
  now->level = 1;
  now->calls_made++;
  open_call(run, call, run->script == VDSO_SCRIPT_DRAWN || last ? run->events_max : 0);
  if (call->opaque_len != VDSO_STATE_LEN || call->opaque != vdso_state_addr(0) + now->slot[0] ||
      m->setting.no_fpsimd) {
    call->watched_state = true;
    memcpy(call->before, m->fast.state[0] + now->slot[0], VDSO_STATE_LEN);
  }
}

// A call ended: back to the one that it interrupted.
static void close_call(struct vdso_run *run) {
  struct guest *g = run->m->fast.g;
  struct vdso_call *call = top(run);
  u64 low = vdso_stack_addr(call->thread), end = call->sp,
      from = end - low < 1536 ? low : end - 1536;

  run->now.level--;
  if (!run->now.level) return;
  guest_nested_end(g);
  // It saved registers that were the other call's, as any handler does: no leak of a vDSO.
  memset(guest_host(g, from, end - from), from < low + 512 ? VDSO_FILL_STACK : 0xd5, end - from);
}

// A fault that the caller asked for: the handler leaves all open calls by a long jump.
static void die(struct vdso_run *run) {
  struct vdso_process *now = &run->now;
  struct vdso_machine *m = run->m;

  for (u32 i = 0; i < now->level; i++) {
    now->dead_state[now->call[i].thread] = true;
    now->has_key[now->call[i].thread] = false;
  }
  // What the half-made call left in the buffers and on the stack is no concern of the next.
  memset(m->fast.buffers, VDSO_FILL_BUFFER, GUEST_PAGE + VDSO_MAIN_LEN);
  memset(m->fast.misc, VDSO_FILL_MISC, GUEST_PAGE);
  now->level = 0;
  now->jumped = true;
}

// Runs to the next stop that is no system call, at the latest at boundary `at`.
static enum guest_stop_kind go(struct vdso_run *run, u64 at, struct guest_stop *stop) {
  struct guest *g = run->m->fast.g;

  while (guest_run(g, at, stop) == GUEST_SYSCALL) {
    system_call(run);
    if (top(run)->num_syscalls > 6) {
      vdso_say(run, &vdso_oracle_retries, "system calls", "a call made %u system calls",
               top(run)->num_syscalls);
      stop->kind = GUEST_BUDGET;
      return stop->kind;
    }
  }
  return stop->kind;
}

static void proceed(struct vdso_run *run) {
  struct vdso_process *now = &run->now;

  while (now->level && !run->verdict.oracle) {
    struct vdso_call *call = top(run);
    u64 before = guest_insns(run->m->fast.g);
    struct guest_stop stop;
    enum guest_stop_kind kind =
        go(run, call->event != VDSO_NONE ? call->event_at : GUEST_NO_LIMIT, &stop);

    run->insns += stop.insns - before;
    if (kind == GUEST_BOUNDARY) {
      enum vdso_event event = call->event;

      // The next one is drawn before a nested call is begun: distances are this call's.
      next_event(run, call);
      vdso_run_event(run, event);
    } else if (kind == GUEST_RETURNED) {
      vdso_judge_return(run);
      if (run->world)
        sim_note("process %u, level %u: %llu bytes, flags 0x%x: %s, %u keys", now->id, now->level,
                 (unsigned long long)call->len, call->flags, vdso_outcome_name(run->outcome),
                 call->num_keys);
      close_call(run);
    } else if (kind == GUEST_FAULT) {
      vdso_judge_fault(run, &stop);
      die(run);
    } else {
      vdso_say(run, &vdso_oracle_retries, "instructions", "a call does not return");
      return;
    }
  }
}

// ---- Runs ----

static void begin(struct vdso_run *run) {
  struct vdso_machine *m = run->m;
  struct vdso_process *now = &run->now;

  vdso_machine_begin(m);
  run->verdict.oracle = NULL;
  ledger_begin(&run->ledger, guest_big_endian(m->setting.arch) && !m->setting.key_bytes);
  run->num_children = run->num_processes = run->next_child = 0;
  run->serial = 0;
  run->insns = run->num_calls = 0;
  run->digest = run->script;
  run->reached = 0;
  now->id = 0;
  now->calls_made = now->level = 0;
  now->jumped = false;
  now->num_calls = run->lens ? run->num_lens : run->script == VDSO_SCRIPT_FIRST ? 1 : 2;
  for (u32 t = 0; t < VDSO_THREADS; t++) {
    now->slot[t] = 0;
    now->hint_key[t] = -1;
    now->hint_at[t] = 0;
    now->hint_lost[t] = false;
    now->fill[t] = VDSO_FILL_STATE;
    now->dead_state[t] = now->lost_state[t] = now->corrupt_state[t] = now->has_key[t] = false;
  }
  // Reading all vectors takes as long as a short call.
  run->vectors = vdso_draw(run, WORK("vdso-vectors", 1, 8), 2);
  if (run->script == VDSO_SCRIPT_DRAWN) {
    static const u16 slots[] = {0, VDSO_STATE_LEN, 28 * 136, GUEST_PAGE - VDSO_STATE_LEN,
                                2 * GUEST_PAGE - VDSO_STATE_LEN};

    now->num_calls = 1 + vdso_draw(run, WORK("vdso-calls", 7, 8), 6);
    now->slot[0] = slots[vdso_draw(run, WORK("vdso-slot", 1, 4), SIM_ARRAY_SIZE(slots))];
    if (vdso_draw(run, FAULT("vdso-not-ready", 1, 24), 2)) m->is_ready = false;
    if (vdso_draw(run, WORK("vdso-timens", 1, 4), 2)) vdso_set_timens(m, true);
    if (vdso_draw(run, WORK("vdso-xer-so", 1, 8), 2)) vdso_machine_set_so(m);
    vdso_publish(m, &m->fast);
  }
  for (u32 t = 0; t < VDSO_THREADS; t++) memset(m->fast.state[t] + now->slot[t], 0, VDSO_STATE_LEN);
}

static void main_calls(struct vdso_run *run) {
  proceed(run);
  while (run->now.calls_made < run->now.num_calls && !run->verdict.oracle) {
    begin_main(run);
    proceed(run);
  }
}

static void resume_child(struct vdso_run *run) {
  struct vdso_machine *m = run->m;
  struct vdso_process *now = &run->now;

  guest_restore(m->fast.g, m->child[run->next_child]);
  *now = run->child[run->next_child++];
  if (!m->setting.is_private)
    for (u32 t = 0; t < VDSO_THREADS; t++) wipe(run, t);
  for (u32 i = 0; i < now->level && m->is_ready; i++) now->call[i].was_ready = true;
  vdso_mark(run, true);
}

void vdso_run_finish(struct vdso_run *run) {
  main_calls(run);
  while (run->next_child < run->num_children && !run->verdict.oracle) {
    resume_child(run);
    main_calls(run);
  }
}

bool vdso_run_all(struct vdso_run *run) {
  begin(run);
  vdso_run_finish(run);
  return !run->verdict.oracle;
}

void vdso_run_alone(struct vdso_run *run) {
  if (run->planned) return;
  run->aside = run->world;
  run->world = NULL;
  run->planned = true;
}

void vdso_run_in_world(struct vdso_run *run) {
  if (!run->planned) return;
  run->world = run->aside;
  run->planned = false;
}

void vdso_run_to_last(struct vdso_run *run) {
  begin(run);
  while (run->now.calls_made + 1 < run->now.num_calls && !run->verdict.oracle) {
    begin_main(run);
    proceed(run);
  }
  begin_main(run);
}

bool vdso_run_to(struct vdso_run *run, u64 at) {
  struct guest_stop stop;

  return go(run, at, &stop) == GUEST_BOUNDARY;
}
