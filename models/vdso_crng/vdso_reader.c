// SPDX-License-Identifier: GPL-2.0-or-later
//
// See vdso_reader.h. Sections: the page, system calls, the judge, calls.
#include "models/vdso_crng/vdso_reader.h"

#include <string.h>

#include "models/guest/guest_task.h"
#include "models/vdso/vdso_oracles.h"
#include "sim/checker.h"
#include "sim/choice.h"
#include "sim/trace.h"
#include "sim/world.h"

enum {
  SYSCALLS_MAX = 6,
  DISTANCE_MAX = 4096,  // instructions from one event to the next
  INSN_PS = 400,        // 2.5 GHz and one a cycle
  AHEAD_MAX = 6000,     // instructions that are looked ahead
};

const struct sim_oracle vdso_crng_oracle_fresh = {
    .id = "vdso-crng-fresh",
    .status = SIM_SAFETY,
    .sentence =
        "a vDSO hands out no byte of a base key that was replaced before the generation that "
        "it saw, or had to see",
    .source =
        "drivers/char/random.c, 7.2: the generation is published with the key; "
        "lib/vdso/getrandom.c: a state of an older generation is not used",
};
const struct sim_oracle vdso_crng_oracle_ready = {
    .id = "vdso-crng-ready",
    .status = SIM_SAFETY,
    .sentence = "a vDSO serves nothing itself before the page has said that the CRNG is ready",
    .source = "lib/vdso/getrandom.c: is_ready is looked at before the state",
};

// ---- The page ----

// Whether the call, undisturbed from where its guest stands, looks at the generation again
// before it asks the kernel for something or returns.
static bool will_look(struct vdso_reader *reader) {
  struct vdso_machine *m = reader->m;
  struct guest *g = m->fast.g;
  struct guest_stop stop;
  u8 state[VDSO_STATE_LEN];
  bool looks = false;

  guest_take(g, reader->ahead);
  // Which is another engine's where it is shared.
  memcpy(state, m->fast.state[0], sizeof(state));
  for (u32 i = 0; i < AHEAD_MAX && !looks; i++) {
    u64 pc = guest_get(g, GUEST_PC);

    for (u32 n = 0; n < m->num_page_loads; n++) looks |= m->page_load[n] == pc;
    if (guest_run(g, guest_insns(g) + 1, &stop) != GUEST_BOUNDARY) break;
  }
  guest_restore(g, reader->ahead);
  memcpy(m->fast.state[0], state, sizeof(state));
  return looks;
}

static void show(struct vdso_reader *reader, const struct crng_vdso_page *page) {
  struct vdso_machine *m = reader->m;

  m->generation = page->generation;
  m->is_ready = page->is_ready;
  vdso_publish(m, &m->fast);
}

// The kernel has written to the page: every guest sees it from its next instruction on.
static void on_page(void *arg) {
  struct vdso_readers *all = arg;
  const struct crng_vdso_page *page = &all->watch->rng->vdso;
  u32 open = 0;

  if (!all->begun) return;
  for (u32 i = 0; i < all->num; i++) {
    struct vdso_reader *reader = &all->reader[i];

    if (reader->open) open++;
    show(reader, page);
    if (!reader->open) continue;
    reader->shown_ready |= page->is_ready;
    // What it asks for in the kernel is judged when it goes on: it looks again then.
    if (reader->need == page->generation || reader->in_kernel || !will_look(reader)) continue;
    reader->need = page->generation;
    all->reached |= VDSO_READERS_WITHIN;
  }
  if (open > 1) all->reached |= VDSO_READERS_BOTH;
}

// Memory of the engines, as the world's run before left it, begins anew.
static void begin_run(struct vdso_readers *all) {
  all->begun = true;
  for (u32 i = 0; i < all->num; i++) {
    vdso_machine_begin(all->reader[i].m);
    show(&all->reader[i], &all->watch->rng->vdso);
    memset(all->reader[i].m->fast.state[0], 0, VDSO_STATE_LEN);
    all->reader[i].hint_key = -1;
  }
  ledger_begin(&all->ledger, guest_big_endian(all->reader[0].m->setting.arch) &&
                                 !all->reader[0].m->setting.key_bytes);
}

// ---- System calls ----

// getrandom(2) by the model. The key's epoch is the publication that it stems from.
static void system_call(struct vdso_reader *reader) {
  struct vdso_readers *all = reader->all;
  struct vdso_machine *m = reader->m;
  struct guest *g = m->fast.g;
  u64 number = vdso_syscall_number(g), buf = vdso_arg(g, 0), len = vdso_arg(g, 1);
  u32 flags = (u32)vdso_arg(g, 2), publication = 0;
  bool callers = buf == vdso_main_addr() && len == reader->len && flags == reader->flags;
  u8 bytes[VDSO_READ_LEN_MAX];
  s64 result;

  // A call of 32 bytes has the caller's arguments only if they go to the caller's buffer.
  if (number != m->abi->getrandom || (!callers && (len != CRNG_KEY_LEN || flags)) ||
      !vdso_writable(m, buf, len))
    sim_fail(&vdso_oracle_syscall, "", "system call %llu(0x%llx, %llu, 0x%x)",
             (unsigned long long)number, (unsigned long long)buf, (unsigned long long)len, flags);
  if (++reader->num_syscalls > SYSCALLS_MAX)
    sim_fail(&vdso_oracle_retries, "system calls", "a call made %u system calls",
             reader->num_syscalls);
  reader->in_kernel = true;
  result = crng_watch_syscall(all->watch, bytes, len, flags, &publication);
  reader->in_kernel = false;
  if (result > 0) memcpy(guest_host(g, buf, (u64)result), bytes, (size_t)result);
  if (!callers && result == CRNG_KEY_LEN) {
    // Its output begins there, unless another one comes.
    reader->hint_key = (s32)ledger_deliver(&all->ledger, bytes, 0, publication);
    reader->hint_at = 0;
    if (++reader->num_keys > 1) all->reached |= VDSO_READERS_ANEW;
  }
  if (callers) {
    reader->fell_back = true;
    reader->fell_back_result = result;
    if (!all->watch->rng->vdso.is_ready) all->reached |= VDSO_READERS_UNREADY;
  }
  vdso_syscall_return(g, result);
}

// ---- The judge ----

static void judge_keystream(struct vdso_reader *reader, const u8 *out) {
  struct vdso_readers *all = reader->all;
  const u32 need = crng_watch_publication(all->watch, reader->need);
  struct ledger_answer answer;

  ledger_look_up(&all->ledger, out, reader->len, true, &reader->hint_key, &reader->hint_at,
                 &answer);
  if (all->ledger.full) return;
  if (!answer.found)
    sim_fail(&vdso_oracle_keystream, "", "byte %u of %u is of no key that was delivered",
             answer.lost_at, reader->len);
  if (answer.repeated)
    sim_fail(&vdso_oracle_once, "", "byte %u of %u has been handed out before", answer.repeated_at,
             reader->len);
  if (answer.oldest_epoch < need)
    sim_fail(&vdso_crng_oracle_fresh, "", "bytes stem from key %u, and generation %llu is key %u",
             answer.oldest_epoch, (unsigned long long)reader->need, need);
}

static void judge(struct vdso_reader *reader) {
  struct vdso_machine *m = reader->m;
  struct guest *g = m->fast.g;
  s64 result = vdso_result(g);

  sim_trace_model("getrandom", (u64)result, guest_insns(g));
  if (reader->fell_back) {
    if (result != reader->fell_back_result)
      sim_fail(&vdso_oracle_result, "not passed on",
               "the system call ended with %lld, and the "
               "call with %lld",
               (long long)reader->fell_back_result, (long long)result);
    return;
  }
  if (result != reader->len)
    sim_fail(&vdso_oracle_result, "length", "%lld of %u bytes without the system call",
             (long long)result, reader->len);
  if (!reader->shown_ready)
    sim_fail(&vdso_crng_oracle_ready, "", "%u bytes are served, and the page says: not ready",
             reader->len);
  judge_keystream(reader, guest_host(g, vdso_main_addr(), reader->len));
}

// ---- Calls ----

static void begin_call(struct vdso_reader *reader, u32 len, u32 flags) {
  const struct crng_vdso_page *page = &reader->all->watch->rng->vdso;
  const u64 args[5] = {vdso_main_addr(), len, flags, vdso_state_addr(0), VDSO_STATE_LEN};

  reader->len = len;
  reader->flags = flags;
  reader->num_syscalls = reader->num_keys = 0;
  reader->fell_back = false;
  reader->shown_ready = page->is_ready;
  reader->need = page->generation;
  reader->open = true;
  memset(guest_host(reader->m->fast.g, vdso_main_addr(), len), VDSO_FILL_BUFFER, len);
  vdso_call_begin(reader->m->fast.g, reader->m, 0, args);
}

void vdso_reader_call(struct vdso_readers *all, u32 index, u32 len, u32 flags) {
  struct sim_site *event = SIM_SITE_DRAW("vdso-crng-event", SIM_SITE_FAULT, 1, 2);
  struct sim_site *distance = SIM_SITE_DRAW("vdso-crng-distance", SIM_SITE_WORK, 0, 0);
  struct sim_site *elapse = SIM_SITE("guest");
  struct guest_pace pace = {
      .event_site = event,
      .distance_site = distance,
      .elapse_site = elapse,
      .distance_max = DISTANCE_MAX,
      .insn_ps = INSN_PS,
  };
  struct vdso_reader *reader = &all->reader[index];
  struct guest *g = reader->m->fast.g;
  struct guest_stop stop;
  enum guest_stop_kind kind;

  if (!all->begun) begin_run(all);
  begin_call(reader, len, flags);
  while ((kind = guest_task_run(g, &pace, &stop)) == GUEST_SYSCALL) system_call(reader);
  reader->open = false;
  if (kind == GUEST_FAULT) {
    char text[160];

    sim_fail(&vdso_oracle_crash, "", "%s", guest_describe(g, &stop, text, sizeof(text)));
  }
  if (kind != GUEST_RETURNED)
    sim_fail(&vdso_oracle_retries, "instructions", "a call does not return");
  judge(reader);
}

static void share_state(const struct vdso_machine *owner, struct vdso_machine *m) {
  const size_t len = VDSO_STATE_PAGES * GUEST_PAGE;

  guest_unmap(m->fast.g, vdso_state_addr(0));
  m->fast.state[0] = owner->fast.state[0];
  if (!guest_map(m->fast.g, vdso_state_addr(0), m->fast.state[0], len, GUEST_READ | GUEST_WRITE))
    SIM_ASSERT(!"a state is mapped");
}

bool vdso_readers_setup(struct vdso_readers *all, u32 num, const struct vdso_setting *setting,
                        bool shared, struct crng_watch *watch, char *err, size_t err_len) {
  all->watch = watch;
  all->num = num;
  for (u32 i = 0; i < num; i++) {
    struct vdso_setting own = *setting;

    own.engine = i;
    all->reader[i].all = all;
    all->reader[i].m = vdso_machine_new(&own, err, err_len);
    if (!all->reader[i].m) return false;
    if (i && shared) share_state(all->reader[0].m, all->reader[i].m);
    all->reader[i].ahead = guest_snapshot_new(all->reader[i].m->fast.g);
  }
  watch->page = on_page;
  watch->page_arg = all;
  return true;
}
