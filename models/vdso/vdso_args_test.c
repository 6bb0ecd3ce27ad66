// SPDX-License-Identifier: GPL-2.0-or-later
//
// A caller that knows of three arguments only, as one that binds the name getrandom to the
// vDSO's symbol, leaves anything in the registers of the last two. Memory at the pointer is
// touched only for the right length or the exact query; all else is the system call's answer,
// apart from -EFAULT where a state there would lie over a page's end.
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "models/vdso/vdso_machine.h"
#include "models/vdso/vdso_scenarios.h"
#include "sim/base.h"

enum { LOG_MAX = 16384, LEN = 32 };

static struct vdso_machine *open_machine(const char *arch, enum guest_arch guest) {
  struct vdso_setting setting = {.arch = guest, .variant = "clean"};
  struct vdso_machine *m;
  char err[160];

  m = vdso_machine_new(&setting, err, sizeof(err));
  if (!m) fail_msg("%s: %s", arch, err);
  return m;
}

static struct guest_access *log_of;

// What a call on the logging engine did: its result, and whether it touched memory at `opaque`.
struct seen {
  enum guest_stop_kind kind;
  s64 result;  // negative: an error
  bool touched;
  u32 num_syscalls;
};

static struct seen call(struct vdso_machine *m, const u64 args[5]) {
  struct guest *g = m->logged.g;
  struct seen seen = {.touched = false};
  struct guest_stop stop;
  u32 count;

  guest_restore(g, m->log_start);
  memset(m->logged.state[0], 0, VDSO_STATE_LEN);
  m->generation = 5;
  m->is_ready = true;
  vdso_publish(m, &m->logged);
  guest_set_log(g, log_of, LOG_MAX);
  vdso_call_begin(g, m, 0, args);
  while (guest_run(g, GUEST_NO_LIMIT, &stop) == GUEST_SYSCALL) {
    u64 len = vdso_arg(g, 1);

    vdso_give(m, guest_host(g, vdso_arg(g, 0), len), (u32)len);
    vdso_syscall_return(g, (s64)len);
    seen.num_syscalls++;
  }
  count = guest_log_count(g);
  assert_true(count <= LOG_MAX);
  guest_set_log(g, NULL, 0);
  for (u32 i = 0; i < count; i++)
    if (log_of[i].addr < args[3] + VDSO_STATE_LEN && log_of[i].addr + log_of[i].size > args[3])
      seen.touched = true;
  seen.kind = stop.kind;
  seen.result = vdso_result(g);
  return seen;
}

static void for_each_arch(void (*fn)(struct vdso_machine *m)) {
  static const enum guest_arch archs[] = {GUEST_PPC32, GUEST_PPC64, GUEST_PPC64LE, GUEST_ARM64};

  for (u32 i = 0; i < SIM_ARRAY_SIZE(archs); i++) {
    struct vdso_machine *m = open_machine(vdso_arch_names[i], archs[i]);

    log_of = guest_pages(m->logged.g, LOG_MAX * sizeof(*log_of));
    fn(m);
  }
}

static u64 all_ones(const struct vdso_machine *m) {
  return guest_word_size(m->setting.arch) == 8 ? ~0ull : 0xffffffff;
}

static void try_junk(struct vdso_machine *m) {
  const u64 all = all_ones(m);
  u64 lens[32] = {0, 1, 143, 145, all, all - 1, 4096, 0x900};
  u64 over = vdso_state_addr(0) + GUEST_PAGE - VDSO_STATE_LEN + 1;
  const u64 pointers[] = {
      0,
      1,
      vdso_unmapped_addr(),
      vdso_readonly_addr(),
      vdso_state_addr(0),
      vdso_state_addr(0) + GUEST_PAGE - VDSO_STATE_LEN,
      over,
      over + VDSO_STATE_LEN / 2,
      all,
      all - VDSO_STATE_LEN + 1,
      0x6eadbee8,
  };

  for (u32 i = 8; i < SIM_ARRAY_SIZE(lens); i++) {
    lens[i] = sim_mix64(i) & all;
    assert_true(lens[i] != VDSO_STATE_LEN);
  }
  if (guest_word_size(m->setting.arch) == 8) lens[8] = 0x900000000ull | VDSO_STATE_LEN;
  for (u32 i = 0; i < SIM_ARRAY_SIZE(lens); i++) {
    for (u32 j = 0; j < SIM_ARRAY_SIZE(pointers); j++) {
      const u64 args[5] = {vdso_main_addr(), LEN, 0, pointers[j], lens[i]};
      bool straddles = (pointers[j] & (GUEST_PAGE - 1)) + VDSO_STATE_LEN > GUEST_PAGE;
      struct seen seen = call(m, args);

      if (seen.kind != GUEST_RETURNED || seen.touched ||
          seen.result != (straddles ? -SIM_EFAULT : LEN) || seen.num_syscalls != !straddles)
        fail_msg("%s, 0x%llx, length 0x%llx: result %lld, %u system calls%s",
                 guest_arch_name(m->setting.arch), (unsigned long long)pointers[j],
                 (unsigned long long)lens[i], (long long)seen.result, seen.num_syscalls,
                 seen.touched ? ", memory there was touched" : "");
    }
  }
}

// The test above would see a call that touches the state.
static void try_right(struct vdso_machine *m) {
  const u64 args[5] = {vdso_main_addr(), LEN, 0, vdso_state_addr(0), VDSO_STATE_LEN};
  const u64 query[5] = {0, 0, 0, vdso_misc_addr(), all_ones(m)};
  struct seen seen = call(m, args);

  assert_int_equal(seen.kind, GUEST_RETURNED);
  assert_int_equal(seen.result, LEN);
  assert_true(seen.touched);
  seen = call(m, query);
  assert_int_equal(seen.result, 0);
  assert_int_equal(seen.num_syscalls, 0);
  assert_true(seen.touched);
}

// A query is one only if all the others are zero.
static void try_near_queries(struct vdso_machine *m) {
  for (u32 i = 0; i < 3; i++) {
    u64 args[5] = {0, 0, 0, vdso_misc_addr(), all_ones(m)};
    struct seen seen;

    args[i] = i == 0 ? vdso_main_addr() : 1;
    // Nothing is written to address 0: a length without a buffer is the kernel's to refuse.
    if (i == 1) args[0] = vdso_main_addr();
    seen = call(m, args);
    assert_int_equal(seen.kind, GUEST_RETURNED);
    assert_false(seen.touched);
    assert_int_equal(seen.num_syscalls, 1);
  }
}

static void junk_touches_nothing(void **state) { for_each_arch(try_junk); }
static void right_ones_touch(void **state) { for_each_arch(try_right); }
static void near_queries_touch_nothing(void **state) { for_each_arch(try_near_queries); }

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(junk_touches_nothing),
      cmocka_unit_test(right_ones_touch),
      cmocka_unit_test(near_queries_touch_nothing),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
