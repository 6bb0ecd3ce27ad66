// SPDX-License-Identifier: GPL-2.0-or-later
//
// Arguments of calls, and states as a caller should not leave them. See vdso_run.h.
#include <string.h>

#include "models/vdso/vdso_run.h"
#include "sim/choice.h"

#define WORK(label, num, den) SIM_SITE_DRAW(label, SIM_SITE_WORK, num, den)
#define FAULT(label, num, den) SIM_SITE_DRAW(label, SIM_SITE_FAULT, num, den)

u32 vdso_draw(const struct vdso_run *run, struct sim_site *site, u32 n) {
  return run->world ? sim_choose(run->world, site, n) : 0;
}

// Around every border of a batch (96 bytes), a block (64) and what is left of them.
static const u16 border_lens[] = {1,   3,   4,   8,   31,  33,  63,  64,  65,  95,  96,  97,
                                  127, 128, 129, 159, 160, 161, 191, 192, 193, 223, 224, 225,
                                  255, 256, 257, 287, 288, 289, 319, 320, 321, 352, 383, 384};
static const u16 long_lens[] = {1023, 1024, 1500, 2048, 4095, 4096, 4097, 8191, 8192, 8193, 12288};

static u32 draw_len(const struct vdso_run *run) {
  switch (vdso_draw(run, WORK("vdso-len", 7, 8), 5)) {
    case 1:
      return border_lens[vdso_draw(run, WORK("vdso-len-border", 0, 0),
                                   SIM_ARRAY_SIZE(border_lens))];
    case 2:
      return vdso_draw(run, WORK("vdso-len-any", 0, 0), 400);
    case 3:
      return 1 + vdso_draw(run, WORK("vdso-len-small", 0, 0), 16);
    case 4:
      if (vdso_draw(run, WORK("vdso-len-long", 1, 16), 2))
        return long_lens[vdso_draw(run, WORK("vdso-len-pages", 0, 0), SIM_ARRAY_SIZE(long_lens))];
      return vdso_draw(run, WORK("vdso-len-zero", 1, 8), 2) ? 0 : 48;
    default:
      return 32;
  }
}

static void draw_buffer(const struct vdso_run *run, struct vdso_call *call) {
  u64 end = vdso_readonly_addr();

  call->buf = vdso_main_addr();
  switch (vdso_draw(run, WORK("vdso-buffer", 1, 3), 6)) {
    case 1:  // not aligned
      call->buf += 1 + vdso_draw(run, WORK("vdso-buffer-at", 0, 0), 63);
      break;
    case 2:  // up to a page that may only be read
      call->buf = end - (call->len < VDSO_MAIN_LEN ? call->len : VDSO_MAIN_LEN);
      break;
    case 3:  // over a page's end
      call->buf += GUEST_PAGE - vdso_draw(run, WORK("vdso-buffer-over", 0, 0), 40);
      break;
    case 4:  // into a page that may only be read, or nowhere
      if (vdso_draw(run, FAULT("vdso-buffer-bad", 1, 4), 2)) {
        call->buf = vdso_draw(run, WORK("vdso-buffer-where", 0, 0), 2)
                        ? vdso_unmapped_addr()
                        : end - vdso_draw(run, WORK("vdso-buffer-part", 0, 0), 80);
        return;
      }
      break;
    default:
      break;
  }
  if (call->buf + call->len > end) call->buf = end - call->len;
}

static u32 draw_flags(const struct vdso_run *run) {
  static const u32 flags[] = {0, 1, 2, 4, 3, 5, 6, 7, 8, 0x10, 0x80, 0x81, 0x80000000, 0xffffffff};

  if (!vdso_draw(run, WORK("vdso-flags", 1, 8), 2)) return 0;
  return flags[vdso_draw(run, WORK("vdso-flags-which", 0, 0), SIM_ARRAY_SIZE(flags))];
}

// The length, and for a caller that knows of three arguments only, anything.
static u64 draw_opaque_len(const struct vdso_run *run) {
  static const u64 lens[] = {0, 1, 143, 145, ~0ull, 0xffffffff, 4096, 0x900000090};
  u32 which;
  u64 len;

  if (!vdso_draw(run, WORK("vdso-opaque-len", 1, 16), 2)) return VDSO_STATE_LEN;
  which = vdso_draw(run, WORK("vdso-opaque-len-which", 0, 0), SIM_ARRAY_SIZE(lens) + 2);
  if (which < SIM_ARRAY_SIZE(lens))
    len = lens[which];
  else  // what a register happens to hold
    len = sim_mix64(0x1e4 + vdso_draw(run, WORK("vdso-opaque-len-any", 0, 0), 65536));
  if (guest_word_size(run->m->setting.arch) == 8) return len;
  return (u32)len == VDSO_STATE_LEN ? 0x900 : (u32)len;
}

static u64 draw_opaque(const struct vdso_run *run, u64 state, u64 opaque_len) {
  u32 which = opaque_len == VDSO_STATE_LEN ? vdso_draw(run, FAULT("vdso-opaque", 1, 24), 6)
                                           : vdso_draw(run, WORK("vdso-opaque-junk", 3, 4), 6);

  switch (which) {
    case 1:
      return 0;
    case 2:
      return vdso_unmapped_addr();
    case 3:  // over a page's end
      return vdso_state_addr(0) + GUEST_PAGE - VDSO_STATE_LEN + 1 +
             vdso_draw(run, WORK("vdso-opaque-over", 0, 0), VDSO_STATE_LEN - 1);
    case 4:  // as near to a page's end as a state may be
      return opaque_len == VDSO_STATE_LEN ? state
                                          : vdso_state_addr(0) + GUEST_PAGE - VDSO_STATE_LEN;
    case 5:
      return vdso_readonly_addr();
    default:
      return state;
  }
}

// A state whose bytes no call has left there. Only fields of the layout that the subject has
// are called by name; all else is bytes.
static void corrupt(struct vdso_run *run, u32 thread) {
  struct vdso_machine *m = run->m;
  u8 *state = m->fast.state[thread] + run->now.slot[thread];
  u32 generation_size = guest_word_size(m->setting.arch);
  u32 how = vdso_draw(run, FAULT("vdso-corrupt", 1, 12), 6);
  u64 noise = 0;

  if (how) {
    run->now.corrupt_state[thread] = true;
    run->now.has_key[thread] = false;
  }
  switch (how) {
    case 1:  // beyond the batch
      state[136] = (u8)(97 + vdso_draw(run, WORK("vdso-corrupt-pos", 0, 0), 159));
      break;
    case 2:  // in use by nobody
      memset(state + m->in_use_at, 0, m->in_use_len);
      guest_store(m->fast.g, state + m->in_use_at, m->in_use_len, 1);
      run->now.dead_state[thread] = true;
      break;
    case 3:  // a byte that changed
      state[vdso_draw(run, WORK("vdso-corrupt-byte", 0, 0), VDSO_STATE_LEN)] ^=
          (u8)(1 + vdso_draw(run, WORK("vdso-corrupt-bits", 0, 0), 255));
      run->now.dead_state[thread] = true;
      break;
    case 4:  // another program's bytes, of this generation
      for (u32 i = 0; i < VDSO_STATE_LEN; i++) {
        noise = sim_mix64(noise + 0xf03e16);
        state[i] = (u8)noise;
      }
      state[136] &= 63;
      state[137] = 0;
      memset(state + 128, 0, 8);
      guest_store(m->fast.g, state + 128, generation_size, m->generation);
      break;
    case 5:  // zeros but for the generation
      memset(state, 0, VDSO_STATE_LEN);
      guest_store(m->fast.g, state + 128, generation_size, m->generation);
      break;
    default:
      break;
  }
}

// A query, or what is none by one argument: then nothing is written to where it points.
static void draw_query(const struct vdso_run *run, struct vdso_call *call) {
  call->buf = call->len = call->flags = 0;
  call->opaque = vdso_misc_addr() + 16;
  switch (vdso_draw(run, WORK("vdso-query-near", 1, 3), 5)) {
    case 1:
      call->buf = vdso_main_addr();
      break;
    case 2:
      call->len = 24;
      break;
    case 3:
      call->flags = VDSO_GRND_NONBLOCK;
      break;
    case 4:
      call->opaque_len = 0;
      break;
    default:
      break;
  }
}

void vdso_draw_main(struct vdso_run *run, struct vdso_call *call) {
  static const u32 scripted[VDSO_SCRIPTS][2] = {
      [VDSO_SCRIPT_FIRST] = {32, 0},
      [VDSO_SCRIPT_BATCH] = {32, 16},
      [VDSO_SCRIPT_REFILL] = {64, 64},
      [VDSO_SCRIPT_BLOCKS] = {32, 200},
  };
  struct vdso_process *now = &run->now;

  memset(call, 0, offsetof(struct vdso_call, gpr));
  call->opaque = vdso_state_addr(0) + now->slot[0];
  call->opaque_len = VDSO_STATE_LEN;
  call->buf = vdso_main_addr();
  if (run->lens) {
    call->len = run->lens[now->calls_made];
    return;
  }
  if (run->script != VDSO_SCRIPT_DRAWN) {
    call->len = scripted[run->script][now->calls_made < 2 ? now->calls_made : 1];
    return;
  }
  call->len = draw_len(run);
  draw_buffer(run, call);
  call->flags = draw_flags(run);
  if (run->corrupt) {
    call->opaque_len = draw_opaque_len(run);
    call->opaque = draw_opaque(run, call->opaque, call->opaque_len);
    if ((u32)call->opaque_len == ~0u &&
        call->opaque_len + 1 == (guest_word_size(run->m->setting.arch) == 8 ? 0 : 1ull << 32) &&
        vdso_draw(run, WORK("vdso-query", 1, 2), 2))
      draw_query(run, call);
    corrupt(run, 0);
  }
}

void vdso_draw_nested(struct vdso_run *run, struct vdso_call *call, u32 level) {
  u32 thread = call->thread;

  memset(call, 0, offsetof(struct vdso_call, gpr));
  call->thread = thread;
  call->opaque = vdso_state_addr(thread) + run->now.slot[thread];
  call->opaque_len = VDSO_STATE_LEN;
  call->buf = vdso_nested_addr(level) + 64;
  call->len = 24;
  switch (vdso_draw(run, WORK("vdso-nested-len", 1, 2), 4)) {
    case 1:
      call->len =
          border_lens[vdso_draw(run, WORK("vdso-len-border", 0, 0), SIM_ARRAY_SIZE(border_lens))];
      break;
    case 2:
      call->len = vdso_draw(run, WORK("vdso-len-any", 0, 0), 400);
      break;
    case 3:
      call->len = 96;
      break;
    default:
      break;
  }
}
