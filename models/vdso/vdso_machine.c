// SPDX-License-Identifier: GPL-2.0-or-later
//
// See vdso_machine.h. Sections: addresses, the kernel's side, set-up.
#include "models/vdso/vdso_machine.h"

#include <stdio.h>
#include <string.h>

#include "models/vdso/builtin.h"
#include "models/vdso/image_subject.h"
#include "models/vdso/vdso_alternatives.h"
#include "models/vdso/vdso_profile.h"

// ---- Addresses ----

// All below 4 GiB, far apart, and nothing mapped beside them. No two pages that a call uses have
// the same number modulo 256: they would push each other out of the engine's table of pages. A
// state's two pages lie on both sides of a border of 64 KiB, where a kernel with such pages has
// its only kind of page end.
#define IMAGE_ADDR 0x10400000ull
#define STATE_ADDR 0x2002f000ull
#define MISC_ADDR 0x28050000ull
#define BUFFER_ADDR 0x30060000ull
#define STACK_ADDR 0x40080000ull
#define THREAD_STRIDE 0x110000ull
// Data pages of an image that does not say how many it has.
#define DATA_LEN_UNKNOWN (8ull * 65536)

u64 vdso_state_addr(u32 thread) { return STATE_ADDR + thread * THREAD_STRIDE; }
u64 vdso_main_addr(void) { return BUFFER_ADDR + GUEST_PAGE; }
u64 vdso_readonly_addr(void) { return vdso_main_addr() + VDSO_MAIN_LEN; }
u64 vdso_unmapped_addr(void) { return vdso_readonly_addr() + GUEST_PAGE; }
u64 vdso_nested_addr(u32 level) { return BUFFER_ADDR + (level - 1) * VDSO_NESTED_LEN; }
u64 vdso_misc_addr(void) { return MISC_ADDR; }
u64 vdso_stack_addr(u32 thread) { return STACK_ADDR + thread * THREAD_STRIDE; }

// ---- The kernel's side ----

// Linux 6.12 has two data pages, and in a time namespace the namespace's comes first: its clock
// mode says so, and the RNG's data, of which it has none, is one page on. Later kernels have a
// page of its own for the RNG, whatever the first two are (time and namespace, exchanged there).
static u64 rng_step(const struct vdso_machine *m) {
  return m->clock_mode_addr && m->data.len == 2 * m->page_len ? m->page_len : 0;
}

void vdso_set_timens(struct vdso_machine *m, bool timens) {
  enum { CLOCKMODE_ARCHTIMER = 1, CLOCKMODE_TIMENS = 0x7fffffff };
  u64 first = m->image_addr - m->data.len, step = rng_step(m);
  // In struct vdso_data, and in the first clock of struct vdso_time_data.
  u8 *mode = m->fast.data + (m->clock_mode_addr ? m->clock_mode_addr : first + 4) - m->data_addr;

  if (m->timens == timens || m->data.len < 2 * m->page_len) return;
  memset(m->fast.data + (m->rng_addr - m->data_addr) + (m->timens ? step : 0), 0, 16);
  guest_store(m->fast.g, mode, 4, timens ? CLOCKMODE_TIMENS : CLOCKMODE_ARCHTIMER);
  guest_store(m->fast.g, mode + m->page_len, 4, timens ? CLOCKMODE_ARCHTIMER : 0);
  m->timens = timens;
}

// A 32-bit kernel stores the generation by its unsigned long, which on a big-endian machine
// is the upper half of the 64 bits.
void vdso_publish(struct vdso_machine *m, struct vdso_memory *memory) {
  u64 step = m->timens && memory == &m->fast ? rng_step(m) : 0;
  u8 *page = memory->data + (m->rng_addr - m->data_addr) + step;

  if (guest_word_size(m->setting.arch) == 4)
    guest_store(memory->g, page, 4, (u32)m->generation);
  else
    guest_store(memory->g, page, 8, m->generation);
  page[8] = m->is_ready;
}

void vdso_bump(struct vdso_machine *m) {
  m->generation++;
  m->bumps++;
  vdso_publish(m, &m->fast);
}

void vdso_given(const struct vdso_machine *m, u64 from, u8 *out, u32 len) {
  for (u32 i = 0; i < len; i += 8, from++) {
    u64 word = sim_mix64((from + 1) * 0x9e3779b97f4a7c15ull + m->salt);

    memcpy(out + i, &word, len - i < 8 ? len - i : 8);
  }
}

void vdso_give(struct vdso_machine *m, u8 *out, u32 len) {
  vdso_given(m, m->delivered, out, len);
  m->delivered += (len + 7) / 8;
}

bool vdso_writable(const struct vdso_machine *m, u64 addr, u64 len) {
  u64 end = addr + len;

  if (!len) return true;
  if (end < addr) return false;
  if (addr >= BUFFER_ADDR && end <= vdso_readonly_addr()) return true;
  if (addr >= MISC_ADDR && end <= MISC_ADDR + GUEST_PAGE) return true;
  for (u32 t = 0; t < VDSO_THREADS; t++) {
    u64 state = vdso_state_addr(t), stack = vdso_stack_addr(t);

    if (addr >= state && end <= state + VDSO_STATE_PAGES * GUEST_PAGE) return true;
    if (addr >= stack && end <= stack + VDSO_STACK_LEN) return true;
  }
  return false;
}

s64 vdso_flags_error(u32 flags) {
  if (flags & ~(u32)(VDSO_GRND_NONBLOCK | VDSO_GRND_RANDOM | VDSO_GRND_INSECURE))
    return -SIM_EINVAL;
  if ((flags & VDSO_GRND_RANDOM) && (flags & VDSO_GRND_INSECURE)) return -SIM_EINVAL;
  return 0;
}

void vdso_peek(const struct vdso_memory *memory, u64 addr, void *out, u64 len) {
  const void *host = guest_host(memory->g, addr, len);

  SIM_ASSERT(host);
  memcpy(out, host, len);
}

void vdso_call_begin(struct guest *g, const struct vdso_machine *m, u32 thread, const u64 args[5]) {
  struct guest_call call = {
      .entry = m->entry,
      .sp = vdso_stack_addr(thread) + VDSO_STACK_LEN - 256,
      .num_args = 5,
  };

  memcpy(call.args, args, 5 * sizeof(*args));
  guest_call(g, &call);
}

// ---- Set-up ----

static bool map(struct vdso_machine *m, struct vdso_memory *memory, char *err, size_t err_len) {
  struct guest *g = memory->g;
  const u64 text_len = (m->image_len + GUEST_PAGE - 1) & ~(u64)(GUEST_PAGE - 1);
  bool ok = true;

  if (m->setting.arch == GUEST_ARM64) guest_set_process(g);

  snprintf(err, err_len, "the image does not fit where it is mapped");
  memory->data = guest_pages(g, m->data_len);
  memory->image = guest_pages(g, text_len);
  memory->buffers = guest_pages(g, GUEST_PAGE + VDSO_MAIN_LEN + GUEST_PAGE);
  memory->misc = guest_pages(g, GUEST_PAGE);
  for (u32 i = 0; i < m->image->num_segments; i++) {
    const struct vdso_segment *segment = &m->image->segments[i];

    memcpy(memory->image + (segment->vaddr - m->image->vaddr), m->image->bytes + segment->offset,
           segment->file_len);
  }
  if (!vdso_alternatives_apply(m->image, memory->image, !m->setting.no_fpsimd, err, err_len))
    return false;
  memset(memory->buffers, VDSO_FILL_BUFFER, GUEST_PAGE + VDSO_MAIN_LEN);
  memset(memory->misc, VDSO_FILL_MISC, GUEST_PAGE);
  ok &= guest_map(g, m->data_addr, memory->data, m->data_len, GUEST_READ);
  ok &= guest_map(g, m->image_addr, memory->image, text_len, GUEST_READ | GUEST_EXEC);
  ok &= guest_map(g, BUFFER_ADDR, memory->buffers, GUEST_PAGE + VDSO_MAIN_LEN,
                  GUEST_READ | GUEST_WRITE);
  ok &= guest_map(g, vdso_readonly_addr(), memory->buffers + GUEST_PAGE + VDSO_MAIN_LEN, GUEST_PAGE,
                  GUEST_READ);
  ok &= guest_map(g, MISC_ADDR, memory->misc, GUEST_PAGE, GUEST_READ | GUEST_WRITE);
  for (u32 t = 0; t < VDSO_THREADS; t++) {
    memory->state[t] = guest_pages(g, VDSO_STATE_PAGES * GUEST_PAGE);
    memory->stack[t] = guest_pages(g, VDSO_STACK_LEN);
    memset(memory->state[t], VDSO_FILL_STATE, VDSO_STATE_PAGES * GUEST_PAGE);
    memset(memory->stack[t], VDSO_FILL_STACK, VDSO_STACK_LEN);
    ok &= guest_map(g, vdso_state_addr(t), memory->state[t], VDSO_STATE_PAGES * GUEST_PAGE,
                    GUEST_READ | GUEST_WRITE);
    ok &= guest_map(g, vdso_stack_addr(t), memory->stack[t], VDSO_STACK_LEN,
                    GUEST_READ | GUEST_WRITE);
    guest_keep(g, memory->state[t], VDSO_STATE_PAGES * GUEST_PAGE);
    guest_keep(g, memory->stack[t], VDSO_STACK_LEN);
  }
  guest_keep(g, memory->buffers, GUEST_PAGE + VDSO_MAIN_LEN);
  guest_keep(g, memory->misc, GUEST_PAGE);
  return ok;
}

// Values that a function could not make by chance.
static void start_registers(const struct vdso_machine *m, struct guest *g) {
  const u64 high = guest_word_size(m->setting.arch) == 8 ? 0x5eedbed500000000ull : 0;
  struct guest_regs regs;

  guest_reset(g);
  guest_regs_get(g, &regs);
  for (u32 n = 0; n < 32; n++) regs.gpr[n] = high | 0x7e570000 | (n << 4) | 1;
  for (u32 n = 0; n < 64; n++) {
    regs.vec[n][0] = 0x4045000000000000ull | n;  // as a double no NaN
    regs.vec[n][1] =
        guest_word_size(m->setting.arch) == 8 || n >= 32 ? 0x3031323334350000ull | n : 0;
  }
  regs.cr = 0x24935ac6;
  regs.vrsave = 0x000f5eed;
  regs.ctr = high | 0x7e57c0de;
  // Not how a processor is reset: flush to zero, default NaN.
  if (m->setting.arch == GUEST_ARM64) regs.fpcr = 0x03000000;
  if (m->setting.arch == GUEST_ARM64) regs.tpidr = high | 0x7e577140;
  guest_regs_set(g, &regs);
}

static enum guest_arch guest_arch_of(enum vdso_arch arch) {
  switch (arch) {
    case VDSO_PPC32:
      return GUEST_PPC32;
    case VDSO_PPC64:
      return GUEST_PPC64;
    case VDSO_PPC64LE:
      return GUEST_PPC64LE;
    default:
      return GUEST_ARM64;
  }
}

static bool find_subject(struct vdso_machine *m, char *err, size_t len) {
  const struct vdso_symbol *entry, *chacha;

  m->image = vdso_subject();
  m->builtin = !m->image;
  if (m->builtin)
    m->image = vdso_builtin_image(guest_arch_name(m->setting.arch), m->setting.variant);
  if (!m->image) {
    snprintf(err, len, "no built-in image %s for %s", m->setting.variant,
             guest_arch_name(m->setting.arch));
    return false;
  }
  entry = vdso_symbol_find(m->image, "__kernel_getrandom");
  chacha = vdso_symbol_find(m->image, "__arch_chacha20_blocks_nostack");
  if (!entry || !vdso_arch_runs(m->image->arch)) {
    snprintf(err, len, "the image is no vDSO of PowerPC or arm64 with __kernel_getrandom");
    return false;
  }
  m->setting.arch = guest_arch_of(m->image->arch);
  m->abi = vdso_abi(m->setting.arch);
  if (m->setting.no_fpsimd && m->setting.arch != GUEST_ARM64) {
    snprintf(err, len, "fpsimd=0 is arm64's: %s has no such state",
             guest_arch_name(m->setting.arch));
    return false;
  }
  m->data = m->image->data;
  m->image_addr = IMAGE_ADDR;
  m->image_len = m->image->mem_len;
  m->page_len = m->image->data.page_len ? m->image->data.page_len : GUEST_PAGE;
  m->data_len = m->image->data.len ? m->image->data.len : DATA_LEN_UNKNOWN;
  m->data_addr = m->image_addr - m->data_len;
  m->rng_addr = m->image->data.rng_offset < 0 ? 0 : m->data_addr + (u64)m->image->data.rng_offset;
  m->entry = m->image_addr + (entry->value - m->image->vaddr);
  if (chacha) m->chacha = m->image_addr + (chacha->value - m->image->vaddr);
  m->in_use_at = m->builtin && strcmp(m->setting.variant, "state_trusted") != 0 &&
                         strcmp(m->setting.variant, "flags_pair+state_trusted") != 0
                     ? 140
                     : 137;
  m->in_use_len = m->in_use_at == 140 ? 4 : 1;
  return true;
}

// With the flags that a program may leave set, and with those of start_registers.
static void take_starts(struct vdso_machine *m) {
  struct guest *g = m->fast.g;
  enum guest_reg reg = m->abi->so ? GUEST_XER : GUEST_CR;
  u64 before = m->abi->so ? 0 : guest_get(g, reg);

  guest_set(g, reg, m->abi->so ? 1ull << 31 : 0xf0000000);
  guest_take(g, m->start_so);
  guest_set(g, reg, before);
  guest_take(g, m->start);
}

struct vdso_machine *vdso_machine_new(const struct vdso_setting *setting, char *err, size_t len) {
  char where[64];

  return vdso_machine_try(setting, where, err, len);
}

struct vdso_machine *vdso_machine_try(const struct vdso_setting *setting, char where[64], char *err,
                                      size_t len) {
  struct vdso_machine found = {.setting = *setting}, *m;

  snprintf(where, 64, "set-up");
  if (!find_subject(&found, err, len)) return NULL;
  struct guest *fast = guest_shared(found.setting.arch, 0, setting->engine);
  m = guest_pages(fast, (sizeof(*m) + GUEST_PAGE - 1) / GUEST_PAGE * GUEST_PAGE);
  *m = found;
  m->fast.g = fast;
  m->logged.g = guest_shared(m->setting.arch, GUEST_LOG, setting->engine);
  if (!map(m, &m->fast, err, len) || !map(m, &m->logged, err, len)) return NULL;
  start_registers(m, m->fast.g);
  start_registers(m, m->logged.g);
  m->caller_sp = vdso_stack_addr(0) + VDSO_STACK_LEN - 256 - guest_caller_frame(m->setting.arch);
  guest_regs_get(m->fast.g, &m->start_regs);
  m->start = guest_snapshot_new(m->fast.g);
  m->start_so = guest_snapshot_new(m->fast.g);
  m->at_mark = guest_snapshot_new(m->fast.g);
  m->resume = guest_snapshot_new(m->fast.g);
  m->boundary = guest_snapshot_new(m->fast.g);
  for (u32 i = 0; i < VDSO_CHILDREN_MAX; i++) m->child[i] = guest_snapshot_new(m->fast.g);
  m->log_start = guest_snapshot_new(m->logged.g);
  take_starts(m);
  guest_take(m->logged.g, m->log_start);
  if (!vdso_profile(m, where, err, len)) return NULL;
  return m;
}

void vdso_machine_begin(struct vdso_machine *m) {
  guest_restore(m->fast.g, m->start);
  guest_set_budget(m->fast.g, 20000000);
  m->generation = 5;
  m->is_ready = true;
  m->bumps = 0;
  m->delivered = 0;
  m->salt = 0;
  vdso_set_timens(m, false);
  vdso_publish(m, &m->fast);
}

void vdso_machine_set_so(struct vdso_machine *m) {
  guest_restore(m->fast.g, m->start_so);
  guest_set_budget(m->fast.g, 20000000);
}
