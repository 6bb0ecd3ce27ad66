// SPDX-License-Identifier: GPL-2.0-or-later
//
// See vdso_profile.h.
#include "models/vdso/vdso_profile.h"

#include <stdio.h>
#include <string.h>

enum { LOG_MAX = 16384 };

// What a call left, of a pair of runs.
struct shot {
  struct guest_regs regs;
  u8 stack[VDSO_STACK_LEN];
  u8 out[512];
  u64 path;
};

// A quiet call of the logging engine: system calls give what is asked for. False if it did
// not return.
static bool quiet_call(struct vdso_machine *m, u64 buf, u64 len) {
  struct guest *g = m->logged.g;
  const u64 args[5] = {buf, len, 0, vdso_state_addr(0), VDSO_STATE_LEN};
  struct guest_stop stop;

  vdso_call_begin(g, m, 0, args);
  while (guest_run(g, GUEST_NO_LIMIT, &stop) == GUEST_SYSCALL) {
    u64 to = guest_get(g, GUEST_R(3)), n = guest_get(g, GUEST_R(4));

    if (n > VDSO_MAIN_LEN || !vdso_writable(m, to, n)) return false;
    vdso_give(m, guest_host(g, to, n), (u32)n);
    vdso_syscall_return(g, (s64)n);
  }
  return stop.kind == GUEST_RETURNED;
}

static void begin(struct vdso_machine *m, u64 salt) {
  guest_restore(m->logged.g, m->log_start);
  memset(m->logged.state[0], 0, VDSO_STATE_PAGES * GUEST_PAGE);
  guest_set_budget(m->logged.g, 20000000);
  guest_set_log(m->logged.g, NULL, 0);
  m->generation = 5;
  m->is_ready = true;
  m->delivered = 0;
  m->salt = salt;
}

static void add_load(u64 *table, u32 *num, u64 pc) {
  for (u32 i = 0; i < *num; i++)
    if (table[i] == pc) return;
  if (*num < VDSO_LOADS_MAX) table[(*num)++] = pc;
}

static void note_loads(struct vdso_machine *m, const struct guest_access *log, u32 num) {
  u64 state = vdso_state_addr(0);

  for (u32 i = 0; i < num; i++) {
    const struct guest_access *access = &log[i];

    if (access->write) continue;
    // Nothing else of a data page is of a call's concern than the clock mode.
    if (access->size == 4 && access->addr >= m->data_addr &&
        access->addr < m->data_addr + m->page_len &&
        (access->addr < m->rng_addr || access->addr >= m->rng_addr + 16))
      m->clock_mode_addr = access->addr;
    if (access->addr < m->rng_addr + 8 && access->addr + access->size > m->rng_addr)
      add_load(m->page_load, &m->num_page_loads, access->pc);
    if (access->addr < state + VDSO_STATE_LEN && access->addr + access->size > state + 128)
      add_load(m->state_load, &m->num_state_loads, access->pc);
  }
}

// The last single byte of a data page that a call on empty pages looks at before it gives up
// is is_ready, behind the generation.
static bool find_rng(struct vdso_machine *m, const struct guest_access *log, u32 num) {
  for (u32 i = num; i-- > 0;) {
    if (log[i].write || log[i].size != 1) continue;
    if (log[i].addr < m->data_addr + 8 || log[i].addr >= m->data_addr + m->data_len) continue;
    m->rng_addr = log[i].addr - 8;
    return true;
  }
  return false;
}

bool vdso_profile(struct vdso_machine *m, char *err, size_t len) {
  struct guest *g = m->logged.g;
  struct guest_access *log = guest_pages(g, LOG_MAX * sizeof(*log));
  static const u32 lens[] = {32, 16, 96, 200, 200};

  begin(m, 0);
  guest_set_log(g, log, LOG_MAX);
  if (!m->rng_addr) {
    if (!quiet_call(m, vdso_main_addr(), 32) ||
        !find_rng(m, log, guest_log_count(g) < LOG_MAX ? guest_log_count(g) : LOG_MAX)) {
      snprintf(err, len, "no data page is read before the system call");
      return false;
    }
  }
  vdso_publish(m, &m->logged);
  for (u32 i = 0; i < SIM_ARRAY_SIZE(lens); i++) {
    guest_set_log(g, log, LOG_MAX);
    if (!quiet_call(m, vdso_main_addr(), lens[i])) {
      // Not a subject that works; the runs will say so.
      break;
    }
    note_loads(m, log, guest_log_count(g) < LOG_MAX ? guest_log_count(g) : LOG_MAX);
  }
  guest_set_log(g, NULL, 0);
  m->shots = guest_pages(g, (8 * sizeof(struct shot) + GUEST_PAGE - 1) / GUEST_PAGE * GUEST_PAGE);
  return true;
}

// ---- Two runs ----

// Whether two values are the same bytes of two outputs: then nothing is left that the caller
// has not got.
static bool is_output(const struct vdso_machine *m, const struct shot *a, u64 in_a,
                      const struct shot *b, u64 in_b) {
  u8 bytes_a[8], bytes_b[8];
  u32 size = 1;

  while (size < 8 && ((in_a | in_b) >> (8 * size))) size *= 2;
  guest_store(m->logged.g, bytes_a, size, in_a);
  guest_store(m->logged.g, bytes_b, size, in_b);
  for (u32 at = 0; at + size <= sizeof(a->out); at++)
    if (!memcmp(a->out + at, bytes_a, size) && !memcmp(b->out + at, bytes_b, size)) return true;
  return false;
}

static void compare(const struct vdso_machine *m, const struct shot *a, const struct shot *b,
                    struct vdso_twice *out) {
  static const char *const other[] = {"lr", "cr", "ctr", "xer", "fpscr"};
  const u64 va[] = {a->regs.lr, a->regs.cr, a->regs.ctr, a->regs.xer, a->regs.fpscr};
  const u64 vb[] = {b->regs.lr, b->regs.cr, b->regs.ctr, b->regs.xer, b->regs.fpscr};
  char where[64] = "";

  if (a->path != b->path) out->path = false;
  for (u32 n = 0; n < 32 && !where[0]; n++)
    if (a->regs.gpr[n] != b->regs.gpr[n] && !is_output(m, a, a->regs.gpr[n], b, b->regs.gpr[n]))
      snprintf(where, sizeof(where), "r%u", n);
  for (u32 n = 0; n < SIM_ARRAY_SIZE(other) && !where[0]; n++)
    if (va[n] != vb[n]) snprintf(where, sizeof(where), "%s", other[n]);
  for (u32 n = 0; n < 64 && !where[0]; n++)
    if (memcmp(a->regs.vec[n], b->regs.vec[n], sizeof(a->regs.vec[n])))
      snprintf(where, sizeof(where), "vs%u", n);
  if (where[0]) out->registers = false;
  if (memcmp(a->stack, b->stack, sizeof(a->stack))) {
    u32 at = VDSO_STACK_LEN;

    out->stack = false;
    while (a->stack[at - 1] == b->stack[at - 1]) at--;
    if (!where[0]) snprintf(where, sizeof(where), "stack-%u", VDSO_STACK_LEN - at);
  }
  if (!out->where[0]) memcpy(out->where, where, sizeof(where));
}

void vdso_run_twice(struct vdso_machine *m, const u32 *len, u32 num, struct vdso_twice *out) {
  struct vdso_machine saved = *m;
  struct guest *g = m->logged.g;
  struct shot *shots = m->shots;
  bool returned = true;

  *out = (struct vdso_twice){true, true, true, ""};
  SIM_ASSERT(num <= 4);
  for (u32 run = 0; run < 2; run++) {
    begin(m, run);
    vdso_publish(m, &m->logged);
    for (u32 i = 0; i < num && returned; i++) {
      struct shot *shot = &shots[run * 4 + i];

      returned = quiet_call(m, vdso_main_addr(), len[i]);
      guest_regs_get(g, &shot->regs);
      memcpy(shot->stack, m->logged.stack[0], VDSO_STACK_LEN);
      vdso_peek(&m->logged, vdso_main_addr(), shot->out, sizeof(shot->out));
      shot->path = guest_path_hash(g);
    }
  }
  for (u32 i = 0; i < num && returned; i++) compare(m, &shots[i], &shots[4 + i], out);
  m->generation = saved.generation;
  m->is_ready = saved.is_ready;
  m->delivered = saved.delivered;
  m->salt = saved.salt;
}
