// SPDX-License-Identifier: GPL-2.0-or-later
//
// See vdso_profile.h.
#include "models/vdso/vdso_profile.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { LOG_MAX = 16384, STEPS_MAX = 6000, BATCH_LEN = 96 };

// What a call left, of a pair of runs.
struct shot {
  struct guest_regs regs;
  u8 stack[VDSO_STACK_LEN];
  u8 out[512];
  u64 path;
};

// A quiet call of the logging engine: system calls give what is asked for. False if it did
// not return; `out_stop` is its last one.
static bool quiet_call_to(struct vdso_machine *m, u64 buf, u64 len, struct guest_stop *out_stop) {
  struct guest *g = m->logged.g;
  const u64 args[5] = {buf, len, 0, vdso_state_addr(0), VDSO_STATE_LEN};

  vdso_call_begin(g, m, 0, args);
  while (guest_run(g, GUEST_NO_LIMIT, out_stop) == GUEST_SYSCALL) {
    u64 to = vdso_arg(g, 0), n = vdso_arg(g, 1);

    if (n > VDSO_MAIN_LEN || !vdso_writable(m, to, n)) return false;
    vdso_give(m, guest_host(g, to, n), (u32)n);
    vdso_syscall_return(g, (s64)n);
  }
  return out_stop->kind == GUEST_RETURNED;
}

static bool quiet_call(struct vdso_machine *m, u64 buf, u64 len) {
  struct guest_stop stop;

  return quiet_call_to(m, buf, len, &stop);
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
  u64 state = vdso_state_addr(0),
      first = m->data.len ? m->data_addr : m->rng_addr & ~(m->page_len - 1);

  for (u32 i = 0; i < num; i++) {
    const struct guest_access *access = &log[i];

    if (access->write) continue;
    // Nothing else of a data page is of a call's concern than the clock mode.
    if (access->size == 4 && access->addr >= first && access->addr < first + m->page_len &&
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

// Whether a state whose first half ends at `border` is refused without the system call. The page
// says that it is not ready, so nothing else is done with it; nothing is mapped there.
static bool refuses_over(struct vdso_machine *m, u64 border) {
  struct guest *g = m->logged.g;
  const u64 args[5] = {vdso_main_addr(), 32, 0, border - VDSO_STATE_LEN / 2, VDSO_STATE_LEN};
  struct guest_stop stop;

  begin(m, 0);
  m->is_ready = false;
  vdso_publish(m, &m->logged);
  vdso_call_begin(g, m, 0, args);
  return guest_run(g, 100000, &stop) == GUEST_RETURNED && vdso_result(g) == -SIM_EFAULT;
}

static void find_page_len(struct vdso_machine *m) {
  // Not where pages of twice that length end too.
  static const u64 lens[] = {4096, 16384, 65536};
  const u64 base = 0x60000000;

  for (u32 i = 0; i < SIM_ARRAY_SIZE(lens); i++) {
    if (!refuses_over(m, base + lens[i])) continue;
    m->data.page_len = m->page_len = lens[i];
    return;
  }
}

// How the pages lie whose RNG data were found.
static void find_layout(struct vdso_machine *m) {
  u64 first = 0;

  if (m->clock_mode_addr)
    first = m->clock_mode_addr & ~(m->page_len - 1);
  else if (!(m->rng_addr & (m->page_len - 1)))
    first = m->rng_addr - 2 * m->page_len;
  if (first < m->data_addr) return;
  m->data.source = VDSO_DATA_WATCHED;
  m->data.len = m->image_addr - first;
  m->data.rng_offset = (s64)(m->rng_addr - first);
}

// A call that makes a batch: where it goes with these arguments is the block function.
static void find_chacha(struct vdso_machine *m) {
  struct guest *g = m->logged.g;
  const u64 args[5] = {vdso_main_addr(), 32, 0, vdso_state_addr(0), VDSO_STATE_LEN};
  struct guest_stop stop;
  enum guest_stop_kind kind = GUEST_BOUNDARY;

  begin(m, 0);
  vdso_publish(m, &m->logged);
  vdso_call_begin(g, m, 0, args);
  for (u32 i = 0; i < STEPS_MAX && (kind == GUEST_BOUNDARY || kind == GUEST_SYSCALL); i++) {
    const u8 *at = guest_host(g, guest_get(g, GUEST_PC), 4);
    bool calls = at && (guest_load(g, at, 4) & m->abi->call_mask) == m->abi->call_bits;
    u64 pc;

    if (kind == GUEST_SYSCALL) {
      u64 to = vdso_arg(g, 0), n = vdso_arg(g, 1);

      if (n > VDSO_MAIN_LEN || !vdso_writable(m, to, n)) return;
      vdso_give(m, guest_host(g, to, n), (u32)n);
      vdso_syscall_return(g, (s64)n);
    }
    kind = guest_run(g, guest_insns(g) + 1, &stop);
    pc = guest_get(g, GUEST_PC);
    if (kind != GUEST_BOUNDARY || !calls || vdso_arg(g, 3) != 2 ||
        vdso_arg(g, 1) != vdso_arg(g, 0) + BATCH_LEN)
      continue;
    if (pc >= m->image_addr && pc < m->image_addr + m->image_len) m->chacha = pc;
    return;
  }
}

// Says in `err` what ended a call on empty data pages, and where.
static void say_no_return(struct vdso_machine *m, const struct guest_stop *stop, char where[64],
                          char *err, size_t len) {
  char text[128];

  if (stop->kind != GUEST_FAULT) {
    snprintf(err, len, "a call on empty data pages does not return");
    return;
  }
  guest_where(m->logged.g, stop->pc, where, 64);
  snprintf(err, len, "a first call: %s", guest_describe(m->logged.g, stop, text, sizeof(text)));
}

bool vdso_profile(struct vdso_machine *m, char where[64], char *err, size_t len) {
  struct guest *g = m->logged.g;
  struct guest_access *log = guest_pages(g, LOG_MAX * sizeof(*log));
  static const u32 lens[] = {32, 16, 96, 200, 200};

  begin(m, 0);
  guest_set_log(g, log, LOG_MAX);
  if (!m->rng_addr) {
    struct guest_stop stop;

    if (!quiet_call_to(m, vdso_main_addr(), 32, &stop)) {
      say_no_return(m, &stop, where, err, len);
      return false;
    }
    if (find_rng(m, log, guest_log_count(g) < LOG_MAX ? guest_log_count(g) : LOG_MAX)) {
      if (!m->data.page_len) find_page_len(m);
    } else if (m->setting.no_fpsimd) {
      m->rng_addr = m->data_addr;  // which nothing reads
    } else {
      snprintf(err, len, "no data page is read before the system call");
      return false;
    }
  }
  begin(m, 0);
  vdso_publish(m, &m->logged);
  for (u32 i = 0; i < SIM_ARRAY_SIZE(lens); i++) {
    guest_set_log(g, log, LOG_MAX);
    if (!quiet_call(m, vdso_main_addr(), lens[i])) {
      // Not a subject that works; the runs will say so.
      break;
    }
    note_loads(m, log, guest_log_count(g) < LOG_MAX ? guest_log_count(g) : LOG_MAX);
  }
  if (!m->data.len && !m->setting.no_fpsimd) find_layout(m);
  if (!m->chacha) find_chacha(m);
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

struct outputs {
  const struct vdso_machine *m;
  const struct shot *a, *b;
};

static bool is_of_output(void *arg, u64 in_a, u64 in_b) {
  const struct outputs *o = arg;

  return is_output(o->m, o->a, in_a, o->b, in_b);
}

SIM_PRINTF(2, 3) static void add_where(struct vdso_twice *out, const char *fmt, ...) {
  char where[sizeof(out->where[0])];
  va_list args;

  va_start(args, fmt);
  vsnprintf(where, sizeof(where), fmt, args);
  va_end(args);
  for (u32 i = 0; i < out->num_where; i++)
    if (!strcmp(out->where[i], where)) return;
  if (out->num_where == VDSO_TWICE_WHERE) return;
  memcpy(out->where[out->num_where++], where, sizeof(where));
}

void vdso_name_differences(const struct vdso_machine *m, const struct guest_regs *a,
                           const struct guest_regs *b, bool (*is_known)(void *arg, u64 a, u64 b),
                           void *arg, struct vdso_twice *out) {
  static const char *const other[] = {"lr", "cr", "ctr", "xer", "fpscr", "fpcr", "vrsave", "tpidr"};
  const u64 va[] = {a->lr, a->cr, a->ctr, a->xer, a->fpscr, a->fpcr, a->vrsave, a->tpidr};
  const u64 vb[] = {b->lr, b->cr, b->ctr, b->xer, b->fpscr, b->fpcr, b->vrsave, b->tpidr};
  char name[8];

  for (u32 n = 0; n < 32; n++) {
    if (a->gpr[n] == b->gpr[n] || (is_known && is_known(arg, a->gpr[n], b->gpr[n]))) continue;
    out->registers = false;
    add_where(out, "%s", vdso_gpr_name(m->abi, n, name));
  }
  for (u32 n = 0; n < SIM_ARRAY_SIZE(other); n++) {
    if (va[n] == vb[n]) continue;
    out->registers = false;
    add_where(out, "%s", other[n]);
  }
  for (u32 n = 0; n < 64; n++) {
    if (!memcmp(a->vec[n], b->vec[n], sizeof(a->vec[n]))) continue;
    out->registers = false;
    add_where(out, m->abi->vr_len == 64 ? "vs%u" : "v%u", n);
  }
}

static void compare(const struct vdso_machine *m, const struct shot *a, const struct shot *b,
                    struct vdso_twice *out) {
  struct outputs outputs = {m, a, b};

  if (a->path != b->path) out->path = false;
  vdso_name_differences(m, &a->regs, &b->regs, is_of_output, &outputs, out);
  if (memcmp(a->stack, b->stack, sizeof(a->stack))) {
    u32 at = VDSO_STACK_LEN;

    out->stack = false;
    while (a->stack[at - 1] == b->stack[at - 1]) at--;
    add_where(out, "stack-%u", VDSO_STACK_LEN - at);
  }
}

void vdso_run_twice(struct vdso_machine *m, const u32 *len, u32 num, struct vdso_twice *out) {
  struct vdso_machine saved = *m;
  struct guest *g = m->logged.g;
  struct shot *shots = m->shots;
  bool returned = true;

  *out = (struct vdso_twice){.path = true, .registers = true, .stack = true};
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
