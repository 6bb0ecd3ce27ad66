// SPDX-License-Identifier: GPL-2.0-only
//
// Running, on every architecture: results, boundaries, system calls, budgets, faults of each
// kind, nested calls, instructions that must not run.
#include "models/guest/guest.h"
#include "models/guest/testing/bed.h"

static void returns(void **state) {
  struct bed bed;
  FOR_EACH_ARCH(bed) {
    for (u32 i = 0; i < 3; i++) {
      bed_call(&bed, FN_ADD, 1000 + i, 20, 3);
      EXPECT_EQ(bed_run(&bed, GUEST_NO_LIMIT), GUEST_RETURNED);
      EXPECT_EQ(bed_result(&bed), 1043 + i);
      EXPECT_EQ(bed.stop.insns, 4);
      EXPECT_EQ(bed.stop.pc, GUEST_LANDING);
      // It stays returned.
      EXPECT_EQ(bed_run(&bed, GUEST_NO_LIMIT), GUEST_RETURNED);
    }
    EXPECT_EQ(guest_insns_total(bed.g), 12);
  }
}

static void mixes(void **state) {
  struct bed bed;
  FOR_EACH_ARCH(bed) {
    mix_begin(&bed);
    EXPECT_EQ(bed_run(&bed, GUEST_NO_LIMIT), GUEST_RETURNED);
    expect_mixed(&bed);
    struct guest_regs regs;
    guest_regs_get(bed.g, &regs);
    u32 v = is_arm64(&bed) ? 4 : 36;
    EXPECT_EQ(regs.vec[v][0], is_arm64(&bed) ? 0x0a0000000a000000 >> 24 : 0x0000000a0000000aull);
    EXPECT_EQ(regs.gpr[1], is_arm64(&bed) ? MIXED : guest_get(bed.g, GUEST_SP));
    u64 generals[32];
    guest_get_generals(bed.g, generals);
    assert_memory_equal(generals, regs.gpr, sizeof(generals));
  }
}

// Stopped at every boundary, all registers read and written back there: the same outcome.
static void every_boundary(void **state) {
  static struct outcome whole, parts;
  struct bed bed;
  FOR_EACH_ARCH(bed) {
    mix_begin(&bed);
    EXPECT_EQ(bed_run(&bed, GUEST_NO_LIMIT), GUEST_RETURNED);
    u64 insns = bed.stop.insns;
    outcome(&bed, &whole);
    for (u64 k = 0; k < insns; k++) {
      struct guest_regs regs, again;
      mix_begin(&bed);
      EXPECT_EQ(bed_run(&bed, k), GUEST_BOUNDARY);
      EXPECT_EQ(bed.stop.insns, k);
      EXPECT_EQ(bed.stop.pc, guest_get(bed.g, GUEST_PC));
      guest_regs_get(bed.g, &regs);
      guest_regs_set(bed.g, &regs);
      guest_regs_get(bed.g, &again);
      if (memcmp(&regs, &again, sizeof(regs)) != 0)
        fail_msg("%s: registers, boundary %llu", arch_now, (unsigned long long)k);
      EXPECT_EQ(bed_run(&bed, GUEST_NO_LIMIT), GUEST_RETURNED);
      outcome(&bed, &parts);
      expect_outcome(&whole, &parts, "boundary", k);
    }
    // One instruction at a time.
    mix_begin(&bed);
    for (u64 k = 0; k < insns; k++) EXPECT_EQ(bed_run(&bed, k), GUEST_BOUNDARY);
    EXPECT_EQ(bed_run(&bed, insns), GUEST_RETURNED);
    outcome(&bed, &parts);
    expect_outcome(&whole, &parts, "steps", insns);
  }
}

// A handler at every boundary, on the same stack, overwrites what it may: no difference.
static void nested_at_every_boundary(void **state) {
  static struct outcome whole, parts;
  static const enum function fns[] = {FN_MIX, FN_LEAF};
  struct bed bed;
  FOR_EACH_ARCH(bed) {
    for (u32 f = 0; f < SIM_ARRAY_SIZE(fns); f++) {
      u64 insns = 1;
      for (u64 k = 0; k <= insns; k++) {
        mix_begin(&bed);
        if (fns[f] == FN_LEAF) bed_call(&bed, FN_LEAF, 1234, 4321, 0);
        bool returned = bed_run(&bed, k ? k - 1 : GUEST_NO_LIMIT) == GUEST_RETURNED;
        EXPECT_EQ(returned, k == 0);
        if (!k) {
          insns = bed.stop.insns;
          outcome(&bed, &whole);
          if (fns[f] == FN_LEAF) EXPECT_EQ(bed_result(&bed), 5555);
          continue;
        }
        struct guest_call handler = bed_args(FN_HANDLER, 0, 0, 0);
        u64 sp = guest_get(bed.g, GUEST_SP);
        assert_true(guest_nested_begin(bed.g, &handler));
        EXPECT_EQ(guest_level(bed.g), 1);
        EXPECT_EQ(guest_insns(bed.g), 0);
        EXPECT_EQ(guest_get(bed.g, GUEST_SP), ((sp - guest_red_zone(guest_arch(bed.g))) & ~15ull) -
                                                  guest_caller_frame(guest_arch(bed.g)));
        // Interrupted in its turn.
        EXPECT_EQ(bed_run(&bed, 7), GUEST_BOUNDARY);
        assert_true(guest_nested_begin(bed.g, &handler));
        EXPECT_EQ(bed_run(&bed, GUEST_NO_LIMIT), GUEST_RETURNED);
        guest_nested_end(bed.g);
        EXPECT_EQ(guest_insns(bed.g), 7);
        EXPECT_EQ(bed_run(&bed, GUEST_NO_LIMIT), GUEST_RETURNED);
        guest_nested_end(bed.g);
        EXPECT_EQ(guest_insns(bed.g), k - 1);
        EXPECT_EQ(bed_run(&bed, GUEST_NO_LIMIT), GUEST_RETURNED);
        outcome(&bed, &parts);
        // What lies below the red zone is the handler's.
        u64 used = sp - BED_STACK - guest_red_zone(guest_arch(bed.g));
        memcpy(parts.stack, whole.stack, used);
        expect_outcome(&whole, &parts, f ? "leaf, boundary" : "mix, boundary", k - 1);
      }
    }
  }
}

// No frame fits below a stack pointer that leads nowhere.
static void nested_without_a_stack(void **state) {
  static const u64 nowhere[] = {0, 8, BED_NOTHING + 64, BED_STACK + 16, ~0ull, 0xfffffffcull};
  struct bed bed;
  FOR_EACH_ARCH(bed) {
    for (u32 i = 0; i < SIM_ARRAY_SIZE(nowhere); i++) {
      struct guest_call handler = bed_args(FN_ADD, 0, 0, 0);
      // An arm64 caller needs no frame.
      if (is_arm64(&bed) && nowhere[i] == BED_STACK + 16) continue;
      bed_call(&bed, FN_ADD, 1, 2, 3);
      guest_set(bed.g, GUEST_SP, nowhere[i]);
      if (guest_nested_begin(bed.g, &handler)) {
        fail_msg("%s: stack pointer %u", arch_now, i);
      }
      EXPECT_EQ(guest_level(bed.g), 0);
      EXPECT_EQ(bed_run(&bed, GUEST_NO_LIMIT), GUEST_RETURNED);
      EXPECT_EQ(bed_result(&bed), 8);
    }
  }
}

static void system_call(void **state) {
  struct bed bed;
  FOR_EACH_ARCH(bed) {
    for (u32 failed = 0; failed < 2; failed++) {
      bed_call(&bed, FN_SYSCALL, 11, 22, 33);
      EXPECT_EQ(bed_run(&bed, GUEST_NO_LIMIT), GUEST_SYSCALL);
      EXPECT_EQ(bed.stop.insns, 2);
      EXPECT_EQ(bed.stop.pc, BED_TEXT + 0x100 * FN_SYSCALL + 8);
      EXPECT_EQ(guest_get(bed.g, GUEST_PC), bed.stop.pc);
      EXPECT_EQ(guest_get(bed.g, is_arm64(&bed) ? GUEST_R(8) : GUEST_R(0)),
                is_arm64(&bed) ? 278 : 359);
      EXPECT_EQ(bed_result(&bed), 11);
      // The flag by which the function's next instruction branches: SO, or V.
      guest_set(bed.g, bed_result_reg(&bed), 100);
      guest_set(bed.g, GUEST_CR, failed ? GUEST_CR0_SO : 0);
      // Not reported again.
      EXPECT_EQ(bed_run(&bed, 2), GUEST_BOUNDARY);
      EXPECT_EQ(bed_run(&bed, GUEST_NO_LIMIT), GUEST_RETURNED);
      EXPECT_EQ(bed_result(&bed), failed ? 357 : 101);
    }
    // Before the boundary behind it.
    bed_call(&bed, FN_SYSCALL, 0, 0, 0);
    EXPECT_EQ(bed_run(&bed, 1), GUEST_BOUNDARY);
    EXPECT_EQ(bed_run(&bed, 2), GUEST_SYSCALL);
  }
}

static void budget(void **state) {
  struct bed bed;
  FOR_EACH_ARCH(bed) {
    guest_set_budget(bed.g, 1000);
    bed_call(&bed, FN_SPIN, 0, 0, 0);
    EXPECT_EQ(bed_run(&bed, 400), GUEST_BOUNDARY);
    EXPECT_EQ(bed_run(&bed, GUEST_NO_LIMIT), GUEST_BUDGET);
    EXPECT_EQ(bed.stop.insns, 1000);
    EXPECT_EQ(bed_run(&bed, GUEST_NO_LIMIT), GUEST_BUDGET);
    // Of all calls together.
    bed_call(&bed, FN_ADD, 1, 2, 3);
    EXPECT_EQ(bed_run(&bed, GUEST_NO_LIMIT), GUEST_BUDGET);
    EXPECT_EQ(bed.stop.insns, 0);
    guest_reset(bed.g);
    bed_call(&bed, FN_ADD, 1, 2, 3);
    EXPECT_EQ(bed_run(&bed, GUEST_NO_LIMIT), GUEST_RETURNED);
    guest_set_budget(bed.g, 0);
    bed_call(&bed, FN_SPIN, 0, 0, 0);
    EXPECT_EQ(bed_run(&bed, 100000), GUEST_BOUNDARY);
  }
}

static void expect_fault(struct bed *bed, enum function fn, u64 a, u64 b, enum guest_fault fault,
                         bool unmapped, u64 addr) {
  u64 insn = fn == FN_JUMP ? addr : BED_TEXT + 0x100 * (u64)fn;
  bed_call(bed, fn, a, b, 0);
  EXPECT_EQ(bed_run(bed, GUEST_NO_LIMIT), GUEST_FAULT);
  EXPECT_EQ(bed->stop.fault, fault);
  EXPECT_EQ(bed->stop.unmapped, unmapped);
  EXPECT_EQ(bed->stop.addr, addr);
  EXPECT_EQ(bed->stop.pc, insn);
  EXPECT_EQ(guest_get(bed->g, GUEST_PC), insn);
  if (fn != FN_JUMP) EXPECT_EQ(bed->stop.insns, 0);
  // Again, and by another call.
  EXPECT_EQ(bed_run(bed, GUEST_NO_LIMIT), GUEST_FAULT);
  EXPECT_EQ(bed->stop.fault, fault);
  bed_call(bed, fn, a, b, 0);
  EXPECT_EQ(bed_run(bed, GUEST_NO_LIMIT), GUEST_FAULT);
  EXPECT_EQ(bed->stop.fault, fault);
}

static void faults(void **state) {
  struct bed bed;
  FOR_EACH_ARCH(bed) {
    u32 word = guest_word_size(guest_arch(bed.g));
    expect_fault(&bed, FN_LOAD, BED_NOTHING, 0, GUEST_FAULT_READ, true, BED_NOTHING);
    EXPECT_EQ(bed.stop.size, word);
    expect_fault(&bed, FN_LOAD, 0, 0, GUEST_FAULT_READ, true, 0);
    expect_fault(&bed, FN_STORE, BED_NOTHING, 1, GUEST_FAULT_WRITE, true, BED_NOTHING);
    expect_fault(&bed, FN_STORE, BED_CONST, 1, GUEST_FAULT_WRITE, false, BED_CONST);
    // Readable still, and not changed by the host's side of things.
    bed_call(&bed, FN_LOAD, BED_CONST, 0, 0);
    EXPECT_EQ(bed_run(&bed, GUEST_NO_LIMIT), GUEST_RETURNED);
    EXPECT_EQ(bed_result(&bed), 0);
    expect_fault(&bed, FN_STORE, BED_CONST, 1, GUEST_FAULT_WRITE, false, BED_CONST);
    EXPECT_EQ(guest_load(bed.g, bed.constant, 8), 0);
    expect_fault(&bed, FN_STORE, BED_TEXT, 1, GUEST_FAULT_WRITE, false, BED_TEXT);
    expect_fault(&bed, FN_JUMP, BED_NOTHING, 0, GUEST_FAULT_FETCH, true, BED_NOTHING);
    for (u32 i = 0; i < 3; i++) {
      expect_fault(&bed, FN_JUMP, BED_DATA, 0, GUEST_FAULT_FETCH, false, BED_DATA);
      bed_call(&bed, FN_INCREMENT, BED_DATA, 1, 0);
      EXPECT_EQ(bed_run(&bed, GUEST_NO_LIMIT), GUEST_RETURNED);
    }
    expect_fault(&bed, FN_UNDEFINED, 0, 0, GUEST_FAULT_INSN, false, 0);
    // Over the end of a page: the part that is not there.
    bed_call(&bed, FN_STORE, BED_CONST - 2, ~0ull, 0);
    EXPECT_EQ(bed_run(&bed, GUEST_NO_LIMIT), GUEST_FAULT);
    EXPECT_EQ(bed.stop.addr, BED_CONST);
    bed_call(&bed, FN_LOAD, BED_NOTHING - 2, 0, 0);
    EXPECT_EQ(bed_run(&bed, GUEST_NO_LIMIT), GUEST_FAULT);
    EXPECT_EQ(bed.stop.fault, GUEST_FAULT_READ);
    // After it all runs go on as if nothing had been; the last fault may be mended.
    EXPECT_EQ(bed_run(&bed, GUEST_NO_LIMIT), GUEST_FAULT);
    SIM_ASSERT(
        guest_map(bed.g, BED_NOTHING, guest_pages(bed.g, GUEST_PAGE), GUEST_PAGE, GUEST_READ));
    EXPECT_EQ(bed_run(&bed, GUEST_NO_LIMIT), GUEST_RETURNED);
    EXPECT_EQ(bed.stop.insns, 2);
    mix_begin(&bed);
    EXPECT_EQ(bed_run(&bed, GUEST_NO_LIMIT), GUEST_RETURNED);
    expect_mixed(&bed);
  }
}

static void permissions_change(void **state) {
  struct bed bed;
  FOR_EACH_ARCH(bed) {
    bed_call(&bed, FN_STORE, BED_DATA + 8, 7, 0);
    EXPECT_EQ(bed_run(&bed, GUEST_NO_LIMIT), GUEST_RETURNED);
    guest_protect(bed.g, BED_DATA, GUEST_READ);
    bed_call(&bed, FN_STORE, BED_DATA + 8, 8, 0);
    EXPECT_EQ(bed_run(&bed, GUEST_NO_LIMIT), GUEST_FAULT);
    EXPECT_EQ(bed.stop.unmapped, false);
    guest_protect(bed.g, BED_DATA, GUEST_READ | GUEST_WRITE);
    EXPECT_EQ(bed_run(&bed, GUEST_NO_LIMIT), GUEST_RETURNED);
    EXPECT_EQ(guest_load(bed.g, bed.data + 8, guest_word_size(guest_arch(bed.g))), 8);
    guest_protect(bed.g, BED_DATA, 0);
    bed_call(&bed, FN_LOAD, BED_DATA + 8, 0, 0);
    EXPECT_EQ(bed_run(&bed, GUEST_NO_LIMIT), GUEST_FAULT);
    EXPECT_EQ(bed.stop.fault, GUEST_FAULT_READ);
    EXPECT_EQ(bed.stop.unmapped, false);
    expect_fault(&bed, FN_LOAD, BED_DATA + 16, 0, GUEST_FAULT_READ, false, BED_DATA + 16);
    expect_fault(&bed, FN_STORE, BED_DATA + 16, 0, GUEST_FAULT_WRITE, false, BED_DATA + 16);
    bed_call(&bed, FN_LOAD, BED_DATA + 8, 0, 0);
    EXPECT_EQ(bed_run(&bed, GUEST_NO_LIMIT), GUEST_FAULT);
    guest_unmap(bed.g, BED_DATA);
    EXPECT_EQ(bed_run(&bed, GUEST_NO_LIMIT), GUEST_FAULT);
    EXPECT_EQ(bed.stop.unmapped, true);
    SIM_ASSERT(guest_map(bed.g, BED_DATA, bed.constant, GUEST_PAGE, GUEST_READ));
    guest_store(bed.g, bed.constant + 8, guest_word_size(guest_arch(bed.g)), 77);
    EXPECT_EQ(bed_run(&bed, GUEST_NO_LIMIT), GUEST_RETURNED);
    EXPECT_EQ(bed_result(&bed), 77);
  }
}

// The host changes bytes at a boundary and the next instruction sees it.
static void host_writes_are_seen(void **state) {
  struct bed bed;
  FOR_EACH_ARCH(bed) {
    for (u32 i = 0; i < 5; i++) {
      bed_call(&bed, FN_WORD, BED_DATA, 5, 0);
      EXPECT_EQ(bed_run(&bed, 1), GUEST_BOUNDARY);
      EXPECT_EQ(guest_load(bed.g, bed.data, 4), 5);
      guest_store(bed.g, bed.data, 4, 100 + i);
      EXPECT_EQ(bed_run(&bed, GUEST_NO_LIMIT), GUEST_RETURNED);
      EXPECT_EQ(bed_result(&bed), 100 + i);
    }
  }
}

static void text_changes(void **state) {
  struct bed bed;
  FOR_EACH_ARCH(bed) {
    bed_call(&bed, FN_ADD, 1, 2, 3);
    EXPECT_EQ(bed_run(&bed, GUEST_NO_LIMIT), GUEST_RETURNED);
    // A return in place of the first instruction.
    memcpy(bed.text, bed.text + 12, 4);
    guest_text_changed(bed.g, BED_TEXT, 4);
    bed_call(&bed, FN_ADD, 1, 2, 3);
    EXPECT_EQ(bed_run(&bed, GUEST_NO_LIMIT), GUEST_RETURNED);
    EXPECT_EQ(bed.stop.insns, 1);
    EXPECT_EQ(bed_result(&bed), 1);
    // Other text at the same address.
    u8 *other = guest_pages(bed.g, FUNCTIONS_LEN);
    memcpy(other, bed.text + 0x100 * FN_MIX, 0x100);
    memcpy(other, bed.text + 0x100 * FN_WORD + 8, 4);
    guest_unmap(bed.g, BED_TEXT);
    SIM_ASSERT(guest_map(bed.g, BED_TEXT, other, FUNCTIONS_LEN, GUEST_READ | GUEST_EXEC));
    bed_call(&bed, FN_ADD, 5, 6, 7);
    EXPECT_EQ(bed_run(&bed, GUEST_NO_LIMIT), GUEST_RETURNED);
    EXPECT_EQ(bed_result(&bed), 5);
    EXPECT_EQ(bed.stop.insns, 1);
  }
}

static void maps_are_checked(void **state) {
  struct bed bed;
  FOR_EACH_ARCH(bed) {
    u8 *page = guest_pages(bed.g, 2 * GUEST_PAGE);
    assert_false(guest_map(bed.g, BED_DATA, page, GUEST_PAGE, GUEST_READ));
    assert_false(
        guest_map(bed.g, BED_DATA + BED_DATA_LEN - GUEST_PAGE, page, 2 * GUEST_PAGE, GUEST_READ));
    assert_false(guest_map(bed.g, 0x1001, page, GUEST_PAGE, GUEST_READ));
    assert_false(guest_map(bed.g, 0x1000, page, 100, GUEST_READ));
    assert_false(guest_map(bed.g, 0x1000, page, 0, GUEST_READ));
    assert_false(guest_map(bed.g, GUEST_LANDING, page, GUEST_PAGE, GUEST_READ));
    assert_false(guest_map(bed.g, ~0ull << 12, page, 2 * GUEST_PAGE, GUEST_READ));
    bool wide = guest_word_size(guest_arch(bed.g)) == 8;
    assert_int_equal(guest_map(bed.g, 0x7fff00000000ull, page, GUEST_PAGE, GUEST_READ), wide);
    if (wide) {
      guest_store(bed.g, page + 16, 8, 42);
      bed_call(&bed, FN_LOAD, 0x7fff00000010ull, 0, 0);
      EXPECT_EQ(bed_run(&bed, GUEST_NO_LIMIT), GUEST_RETURNED);
      EXPECT_EQ(bed_result(&bed), 42);
    }
    assert_ptr_equal(guest_host(bed.g, BED_DATA + 5, 10), bed.data + 5);
    assert_null(guest_host(bed.g, BED_DATA + BED_DATA_LEN - 5, 10));
    assert_null(guest_host(bed.g, 0x50000, 1));
  }
}

// ---- What must not be executed ----

static void entropy_is_kept_out(void **state) {
  struct bed bed;
  FOR_EACH_ARCH(bed) {
    bed_call(&bed, FN_ENTROPY, 5, 0, 0);
    if (!is_arm64(&bed)) {
      EXPECT_EQ(bed_run(&bed, GUEST_NO_LIMIT), GUEST_FAULT);
      EXPECT_EQ(bed.stop.fault, GUEST_FAULT_FORBIDDEN);
      EXPECT_EQ(bed.stop.pc, BED_TEXT + 0x100 * FN_ENTROPY);
      EXPECT_EQ(bed.stop.insns, 0);
      EXPECT_EQ(bed_result(&bed), 5);
      continue;
    }
    EXPECT_EQ(bed_run(&bed, GUEST_NO_LIMIT), GUEST_TRAPPED);
    EXPECT_EQ(bed.stop.sysreg.op0 << 16 | bed.stop.sysreg.op1 << 12 | bed.stop.sysreg.crn << 8 |
                  bed.stop.sysreg.crm << 4 | bed.stop.sysreg.op2,
              0x33240);
    EXPECT_EQ(bed.stop.sysreg.rt, 0);
    EXPECT_EQ(bed.stop.insns, 1);
    EXPECT_EQ(bed.stop.pc, BED_TEXT + 0x100 * FN_ENTROPY + 4);
    guest_set(bed.g, GUEST_R(0), 99);
    guest_set(bed.g, GUEST_CR, 0x40000000);
    EXPECT_EQ(bed_run(&bed, GUEST_NO_LIMIT), GUEST_TRAPPED);
    EXPECT_EQ(bed.stop.sysreg.op2, 1);
    EXPECT_EQ(bed.stop.sysreg.rt, 2);
    EXPECT_EQ(bed_run(&bed, GUEST_NO_LIMIT), GUEST_RETURNED);
    EXPECT_EQ(bed.stop.insns, 4);
    EXPECT_EQ(guest_get(bed.g, GUEST_R(0)), 99);
    EXPECT_EQ(guest_get(bed.g, GUEST_R(1)), 1);
  }
}

struct answers {
  u64 value;
  u32 calls;
};
static enum guest_sysreg_answer answer(void *arg, const struct guest_sysreg *reg, u64 *out_value,
                                       u32 *out_nzcv) {
  struct answers *answers = arg;
  answers->calls++;
  if (reg->op1 == 3 && reg->crn == 2) *out_nzcv = 0x40000000;
  *out_value = answers->value + answers->calls;
  return GUEST_SYSREG_VALUE;
}

static void registers_are_answered(void **state) {
  struct answers answers = {.value = 1000};
  struct bed bed;
  arch_now = "arm64";
  bed_open(&bed, guest_shared(GUEST_ARM64, 0, 0));
  guest_set_sysreg(bed.g, answer, &answers);
  bed_call(&bed, FN_ENTROPY, 0, 0, 0);
  EXPECT_EQ(bed_run(&bed, GUEST_NO_LIMIT), GUEST_RETURNED);
  EXPECT_EQ(bed.stop.insns, 4);
  EXPECT_EQ(guest_get(bed.g, GUEST_R(0)), 1001);
  EXPECT_EQ(guest_get(bed.g, GUEST_R(1)), 1);
  EXPECT_EQ(guest_get(bed.g, GUEST_R(2)), 1002);
  // One that the processor knows, and one of no architecture, are read once each.
  bed_call(&bed, FN_COUNTER, 0, 0, 0);
  EXPECT_EQ(bed_run(&bed, GUEST_NO_LIMIT), GUEST_RETURNED);
  EXPECT_EQ(answers.calls, 5);
  EXPECT_EQ(bed.stop.insns, 4);
  EXPECT_EQ(guest_get(bed.g, GUEST_R(1)), 1004);
  EXPECT_EQ(guest_get(bed.g, GUEST_R(2)), 1005);
  // Nobody answers: the counter stops, the identification is the library's, the unknown one is
  // no instruction.
  guest_set_sysreg(bed.g, NULL, NULL);
  bed_call(&bed, FN_COUNTER, 0, 0, 0);
  EXPECT_EQ(bed_run(&bed, GUEST_NO_LIMIT), GUEST_TRAPPED);
  EXPECT_EQ(bed_run(&bed, GUEST_NO_LIMIT), GUEST_FAULT);
  EXPECT_EQ(bed.stop.fault, GUEST_FAULT_INSN);
  EXPECT_EQ(bed.stop.insns, 2);
}

static void counter_is_kept_out(void **state) {
  struct bed bed;
  FOR_EACH_ARCH(bed) {
    if (is_arm64(&bed)) continue;
    bed_call(&bed, FN_COUNTER, 5, 0, 0);
    EXPECT_EQ(bed_run(&bed, GUEST_NO_LIMIT), GUEST_FAULT);
    EXPECT_EQ(bed.stop.fault, GUEST_FAULT_FORBIDDEN);
    guest_set_timebase(bed.g, 0x500001000, 7);
    EXPECT_EQ(bed_run(&bed, GUEST_NO_LIMIT), GUEST_RETURNED);
    EXPECT_EQ(bed.stop.insns, 3);
    EXPECT_EQ(bed_result(&bed), 0x500001000 & word_mask(&bed));
    EXPECT_EQ(guest_get(bed.g, GUEST_R(4)), 0x500001007 & word_mask(&bed));
  }
}

static void hypervisor_and_firmware_calls(void **state) {
  struct bed bed;
  arch_now = "arm64";
  bed_open(&bed, guest_shared(GUEST_ARM64, 0, 0));
  bed_call(&bed, FN_HVC, 1, 0, 0);
  EXPECT_EQ(bed_run(&bed, GUEST_NO_LIMIT), GUEST_HVC);
  EXPECT_EQ(bed.stop.imm, 7);
  EXPECT_EQ(bed.stop.insns, 1);
  guest_set(bed.g, GUEST_R(0), 50);
  EXPECT_EQ(bed_run(&bed, GUEST_NO_LIMIT), GUEST_RETURNED);
  EXPECT_EQ(bed_result(&bed), 51);
  EXPECT_EQ(bed.stop.insns, 3);
  bed_call(&bed, FN_SMC, 1, 0, 0);
  EXPECT_EQ(bed_run(&bed, GUEST_NO_LIMIT), GUEST_SMC);
  guest_set(bed.g, GUEST_R(0), 60);
  EXPECT_EQ(bed_run(&bed, GUEST_NO_LIMIT), GUEST_RETURNED);
  EXPECT_EQ(bed_result(&bed), 61);
}

// One instruction and RET where FN_ADD was. x1 points to data, as an operation on a cache wants.
static enum guest_stop_kind run_word(struct bed *bed, u32 word, bool is_process) {
  u64 at = BED_TEXT + 0x100 * FN_ADD;
  bed_open(bed, guest_shared(GUEST_ARM64, 0, 0));
  guest_unmap(bed->g, BED_TEXT);
  guest_store(bed->g, bed->text + (at - BED_TEXT), 4, word);
  guest_store(bed->g, bed->text + (at - BED_TEXT) + 4, 4, 0xd65f03c0);
  SIM_ASSERT(guest_map(bed->g, BED_TEXT, bed->text, FUNCTIONS_LEN, GUEST_READ | GUEST_EXEC));
  if (is_process) guest_set_process(bed->g);
  bed_call(bed, FN_ADD, 5, BED_DATA, 0);
  return bed_run(bed, GUEST_NO_LIMIT);
}

// What EL0 may not execute is forbidden to a process, and names itself; a boot guest may.
static void process_may_not(void **state) {
  static const struct {
    u32 word;
    bool el1_may;
  } rows[] = {
      {0xd50342df, true},   // msr daifset, #2
      {0xd50342ff, true},   // msr daifclr, #2
      {0xd50041bf, true},   // msr spsel, #1
      {0xd5384249, true},   // mrs x9, currentel
      {0xd5382009, true},   // mrs x9, ttbr0_el1
      {0xd5384109, true},   // mrs x9, sp_el0
      {0xd538c009, true},   // mrs x9, vbar_el1
      {0xd53b4229, true},   // mrs x9, daif
      {0xd51b4229, true},   // msr daif, x9
      {0xd508871f, true},   // tlbi vmalle1
      {0xd508751f, true},   // ic iallu
      {0xd5087621, true},   // dc ivac, x1
      {0xd5087801, true},   // at s1e1r, x1
      {0xd5181009, false},  // msr sctlr_el1, x9
      {0xd4000002, false},  // hvc #0
      {0xd4000003, false},  // smc #0
      {0xd69f03e0, false},  // eret
  };
  struct bed bed;
  arch_now = "arm64";
  for (u32 i = 0; i < SIM_ARRAY_SIZE(rows); i++) {
    char text[160];
    if (run_word(&bed, rows[i].word, true) != GUEST_FAULT)
      fail_msg("0x%08x is executed", rows[i].word);
    EXPECT_EQ(bed.stop.fault, GUEST_FAULT_FORBIDDEN);
    EXPECT_EQ(bed.stop.pc, BED_TEXT + 0x100 * FN_ADD);
    EXPECT_EQ(bed.stop.insns, 0);
    EXPECT_EQ(bed_result(&bed), 5);
    assert_non_null(strstr(guest_describe(bed.g, &bed.stop, text, sizeof(text)), "at add+0x0: "));
    // Cleared, the engine is no process any more.
    if (rows[i].el1_may && run_word(&bed, rows[i].word, false) != GUEST_RETURNED)
      fail_msg("0x%08x is not executed at EL1", rows[i].word);
  }
}

static void process_may(void **state) {
  static const u32 words[] = {
      0xd503201f,  // nop
      0xd503233f,  // paciasp
      0xd5033bbf,  // dmb ish
      0xd5033fdf,  // isb
      0xd53b0029,  // mrs x9, ctr_el0
      0xd53b00e9,  // mrs x9, dczid_el0
      0xd53b4209,  // mrs x9, nzcv
      0xd51b4209,  // msr nzcv, x9
      0xd53b4409,  // mrs x9, fpcr
      0xd53b4429,  // mrs x9, fpsr
      0xd53bd049,  // mrs x9, tpidr_el0
      0xd51bd049,  // msr tpidr_el0, x9
      0xd5380409,  // mrs x9, id_aa64pfr0_el1
      0xd50b7421,  // dc zva, x1
      0xd50b7521,  // ic ivau, x1
      0xd50b7b21,  // dc cvau, x1
      0xd50b7e21,  // dc civac, x1
  };
  struct bed bed;
  arch_now = "arm64";
  for (u32 i = 0; i < SIM_ARRAY_SIZE(words); i++)
    if (run_word(&bed, words[i], true) != GUEST_RETURNED)
      fail_msg("0x%08x is not executed", words[i]);
  // The counter stops a call, as it does at EL1.
  EXPECT_EQ(run_word(&bed, 0xd53be049, true), GUEST_TRAPPED);
}

static void thread_pointer(void **state) {
  struct guest_regs regs;
  struct bed bed;
  arch_now = "arm64";
  EXPECT_EQ(run_word(&bed, 0xd51bd040, true), GUEST_RETURNED);  // msr tpidr_el0, x0
  EXPECT_EQ(guest_get(bed.g, GUEST_TPIDR), 5);
  guest_regs_get(bed.g, &regs);
  EXPECT_EQ(regs.tpidr, 5);
  regs.tpidr = 6;
  guest_regs_set(bed.g, &regs);
  EXPECT_EQ(guest_get(bed.g, GUEST_TPIDR), 6);
  guest_reset(bed.g);
  EXPECT_EQ(guest_get(bed.g, GUEST_TPIDR), 0);
}

// PowerPC's library lets a user's processor execute these.
static void ppc_may_not(void **state) {
  static const u32 words[] = {
      0x7c6000a6,  // mfmsr r3
      0x7c001a64,  // tlbie r3
      0x7c001bac,  // dcbi 0, r3
      0x7c0001a4,  // mtsr 0, r0
      0x4c0002e4,  // stop
  };
  struct bed bed;
  FOR_EACH_ARCH(bed) {
    if (is_arm64(&bed)) continue;
    for (u32 i = 0; i < SIM_ARRAY_SIZE(words); i++) {
      guest_unmap(bed.g, BED_TEXT);
      guest_store(bed.g, bed.text + 0x100 * FN_ADD, 4, words[i]);
      SIM_ASSERT(guest_map(bed.g, BED_TEXT, bed.text, FUNCTIONS_LEN, GUEST_READ | GUEST_EXEC));
      bed_call(&bed, FN_ADD, 5, 0, 0);
      EXPECT_EQ(bed_run(&bed, GUEST_NO_LIMIT), GUEST_FAULT);
      EXPECT_EQ(bed.stop.fault, GUEST_FAULT_FORBIDDEN);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(returns),
      cmocka_unit_test(mixes),
      cmocka_unit_test(every_boundary),
      cmocka_unit_test(nested_at_every_boundary),
      cmocka_unit_test(nested_without_a_stack),
      cmocka_unit_test(system_call),
      cmocka_unit_test(budget),
      cmocka_unit_test(faults),
      cmocka_unit_test(permissions_change),
      cmocka_unit_test(host_writes_are_seen),
      cmocka_unit_test(text_changes),
      cmocka_unit_test(maps_are_checked),
      cmocka_unit_test(entropy_is_kept_out),
      cmocka_unit_test(registers_are_answered),
      cmocka_unit_test(counter_is_kept_out),
      cmocka_unit_test(hypervisor_and_firmware_calls),
      cmocka_unit_test(process_may_not),
      cmocka_unit_test(process_may),
      cmocka_unit_test(thread_pointer),
      cmocka_unit_test(ppc_may_not),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
