// SPDX-License-Identifier: GPL-2.0-or-later
//
// The FPU's owner: where it may be used in each design, what a section does to counts and
// registers, when registers are saved and loaded, signal frames, BLAKE2s.
#include "models/fpu/testing/fpu_alone.h"

#include "models/fpu/fpu_scenarios.h"
#include "models/fpu/fpu_scene.h"

// ---- Where it is usable ----

static bool answer;
static void ask(struct fpu_alone *alone) { answer = irq_fpu_usable(&alone->model); }

static void ask_in_softirqs_hardirq(struct fpu_alone *alone) { fpu_alone_in_hardirq(alone, ask); }

enum place {
  IN_TASK,
  IN_SECTION,
  IN_KEPT,  // within fpregs_lock
  IN_SOFTIRQ,
  HARDIRQ_IN_TASK,
  HARDIRQ_IN_SECTION,
  HARDIRQ_IN_KEPT,
  HARDIRQ_IN_BH_OFF,
  HARDIRQ_IN_SOFTIRQ,
  IN_NMI,
  PLACES,
};

static bool usable_at(struct fpu_alone *alone, enum place place) {
  struct fpu_model *model = &alone->model;

  switch (place) {
    case IN_TASK:
      return irq_fpu_usable(model);
    case IN_SECTION:
      kernel_fpu_begin(model);
      ask(alone);
      kernel_fpu_end(model);
      break;
    case IN_KEPT:
      fpregs_lock(model);
      ask(alone);
      fpregs_unlock(model);
      break;
    case IN_SOFTIRQ:
      fpu_alone_in_softirq(alone, ask);
      break;
    case HARDIRQ_IN_TASK:
      fpu_alone_in_hardirq(alone, ask);
      break;
    case HARDIRQ_IN_SECTION:
      kernel_fpu_begin(model);
      fpu_alone_in_hardirq(alone, ask);
      kernel_fpu_end(model);
      break;
    case HARDIRQ_IN_KEPT:
      fpregs_lock(model);
      fpu_alone_in_hardirq(alone, ask);
      fpregs_unlock(model);
      break;
    case HARDIRQ_IN_BH_OFF:
      sim_local_bh_disable();
      fpu_alone_in_hardirq(alone, ask);
      sim_local_bh_enable();
      break;
    case HARDIRQ_IN_SOFTIRQ:
      fpu_alone_in_softirq(alone, ask_in_softirqs_hardirq);
      break;
    case IN_NMI:
      fpu_alone_in_nmi(alone, ask);
      break;
    default:
      SIM_EXPECT(false);
  }
  return answer;
}

static void places(struct fpu_alone *alone) {
  // By design: 6.1, 7.2, softirq-only.
  static const bool expected[PLACES][FPU_DESIGNS] = {
      [IN_TASK] = {true, true, true},
      [IN_SECTION] = {false, false, false},
      [IN_KEPT] = {true, true, false},
      [IN_SOFTIRQ] = {true, true, true},
      [HARDIRQ_IN_TASK] = {true, true, false},
      [HARDIRQ_IN_SECTION] = {false, false, false},
      [HARDIRQ_IN_KEPT] = {false, false, false},
      [HARDIRQ_IN_BH_OFF] = {false, false, false},
      [HARDIRQ_IN_SOFTIRQ] = {false, false, false},
      [IN_NMI] = {false, false, false},
  };

  for (u32 place = 0; place < PLACES; place++) {
    bool usable = usable_at(alone, (enum place)place);

    if (usable != expected[place][alone->model.design])
      sim_fail(&sim_test_oracle, "usable", "place %u: usable %d", place, usable);
    // Asking in a task, which may then open a section, leaves no trace.
    FPU_HOOK(&alone->model, done);
  }
}

static void a_cpu_that_comes(struct fpu_alone *alone) {
  struct fpu_model *model = &alone->model;

  fpu_disable_cpu(model, 0);
  SIM_EXPECT_EQ(irq_fpu_usable(model), model->design != FPU_7_2);
  fpu_init_cpu(model, 0);
  SIM_EXPECT(irq_fpu_usable(model));
}

static void usable_where_the_design_says(void **state) {
  for (u32 design = 0; design < FPU_DESIGNS; design++) {
    char settings[32];

    snprintf(settings, sizeof(settings), "design=%u", design);
    fpu_alone_passes(places, settings);
    fpu_alone_passes(a_cpu_that_comes, settings);
  }
}

// ---- Sections ----

static void softirq_comes(struct fpu_alone *alone) {}

// A softirq that is raised in a section: at once (6.1), or at its end.
static void softirq_in_section(struct fpu_alone *alone) {
  bool during;

  alone->in_context = softirq_comes;
  kernel_fpu_begin(&alone->model);
  SIM_EXPECT_EQ(sim_softirq_count() != 0, alone->model.design != FPU_6_1);
  SIM_EXPECT(sim_preempt_count() != 0);
  sim_raise_softirq(SIM_NET_RX_SOFTIRQ);
  during = alone->ran;
  kernel_fpu_end(&alone->model);
  SIM_EXPECT_EQ(during, alone->model.design == FPU_6_1);
  SIM_EXPECT(alone->ran);
  SIM_EXPECT_EQ(sim_preempt_count(), 0);
}

// With interrupts off nothing but interrupts keeps others out, but in 6.1.
static void irqs_off_section(struct fpu_alone *alone) {
  unsigned long flags;

  sim_local_irq_save(flags);
  kernel_fpu_begin(&alone->model);
  SIM_EXPECT_EQ(sim_preempt_count(), alone->model.design == FPU_6_1);
  fpu_simd(&alone->model, 100);
  kernel_fpu_end(&alone->model);
  SIM_EXPECT(sim_irqs_disabled());
  sim_local_irq_restore(flags);
}

static void section_keeps_others_out(void **state) {
  for (u32 design = 0; design < FPU_DESIGNS; design++) {
    char settings[32];

    snprintf(settings, sizeof(settings), "design=%u", design);
    fpu_alone_passes(softirq_in_section, settings);
    fpu_alone_passes(irqs_off_section, settings);
  }
}

// As posted, the patch of 2022 lets softirqs in where interrupts are off.
static void as_posted(struct fpu_alone *alone) {
  alone->model.quirks.bug_as_posted = true;
  sim_local_irq_disable();
  kernel_fpu_begin(&alone->model);
  kernel_fpu_end(&alone->model);
}
static void softirq_only_as_posted(void **state) {
  fpu_alone_trips(as_posted, "design=softirq-only", "context-misuse");
}

// ---- Who saves and who loads ----

static void load(struct fpu_alone *alone) {
  sim_local_irq_disable();
  switch_fpu_return(&alone->model);
  sim_local_irq_enable();
}

static u64 section_ns(struct fpu_alone *alone) {
  u64 start_ns = sim_clock_ns();
  unsigned long flags;

  sim_local_irq_save(flags);
  start_ns = sim_clock_ns();
  kernel_fpu_begin(&alone->model);
  kernel_fpu_end(&alone->model);
  start_ns = sim_clock_ns() - start_ns;
  sim_local_irq_restore(flags);
  return start_ns;
}

static u64 load_ns(struct fpu_alone *alone) {
  u64 start_ns = sim_clock_ns();

  load(alone);
  return sim_clock_ns() - start_ns;
}

// The first section after user mode saves, the next one has nothing to save; only what was
// used in between is loaded again.
static void saves_once(struct fpu_alone *alone) {
  SIM_EXPECT_EQ(load_ns(alone), FPU_ALONE_RESTORE_NS);
  SIM_EXPECT_EQ(load_ns(alone), 0);
  SIM_EXPECT_EQ(section_ns(alone), FPU_ALONE_SAVE_NS + FPU_ALONE_BEGIN_NS);
  SIM_EXPECT_EQ(section_ns(alone), FPU_ALONE_BEGIN_NS);
  SIM_EXPECT_EQ(load_ns(alone), FPU_ALONE_RESTORE_NS);
  // Nobody uses them while this one sleeps: they are still there.
  sim_schedule_timeout_uninterruptible(1);
  SIM_EXPECT(alone->fpu.need_fpu_load);
  SIM_EXPECT_EQ(load_ns(alone), 0);
  // The CPU went and came: its registers are blank.
  fpu_prepare_cpu(&alone->model, 0);
  alone->fpu.need_fpu_load = true;
  SIM_EXPECT_EQ(load_ns(alone), FPU_ALONE_RESTORE_NS);
}

// On another CPU they are loaded, and what is left on the old one is no longer theirs.
static void loads_elsewhere(struct fpu_alone *alone) {
  load(alone);
  SIM_EXPECT_EQ(sim_migrate_task_to(sim_current(), 1), 0);
  SIM_EXPECT_EQ(load_ns(alone), FPU_ALONE_RESTORE_NS);
  SIM_EXPECT_EQ(sim_migrate_task_to(sim_current(), 0), 0);
  SIM_EXPECT_EQ(load_ns(alone), FPU_ALONE_RESTORE_NS);
}

static void has_nothing_to_save(struct fpu_alone *alone) {
  SIM_EXPECT_EQ(section_ns(alone), FPU_ALONE_BEGIN_NS);
}

static void registers_move_when_they_must(void **state) {
  fpu_alone_passes(saves_once, NULL);
  fpu_alone_passes(saves_once, "design=6.1");
  fpu_alone_passes(loads_elsewhere, NULL);
  fpu_alone_passes(has_nothing_to_save, "user=0");
}

// ---- Signals ----

static void signal_round_trip(struct fpu_alone *alone) {
  struct fpu_model *model = &alone->model;
  struct fpu_regs frame, init, before;

  load(alone);
  fpu_hardware(model)->vector[1] = 77;
  fpu_hardware(model)->mxcsr = 0x5f80;
  before = *fpu_hardware(model);
  kernel_fpu_begin(model);
  fpu_simd(model, 10);
  kernel_fpu_end(model);
  copy_fpstate_to_sigframe(model, &frame);
  SIM_EXPECT(memcmp(frame.vector, before.vector, sizeof(frame.vector)) == 0);
  SIM_EXPECT_EQ(frame.mxcsr, before.mxcsr);
  fpu_clear_user_states(model);
  fpu_regs_init(&init);
  SIM_EXPECT(memcmp(fpu_hardware(model)->vector, init.vector, sizeof(init.vector)) == 0);
  SIM_EXPECT_EQ(fpu_hardware(model)->mxcsr, 0x1f80);
  restore_fpregs_from_user(model, &frame);
  SIM_EXPECT(!alone->fpu.need_fpu_load);
  SIM_EXPECT(memcmp(fpu_hardware(model)->vector, before.vector, sizeof(before.vector)) == 0);
  SIM_EXPECT_EQ(fpu_hardware(model)->mxcsr, before.mxcsr);
}

// Page faults or not, in all combinations of the first draws.
static void signal_frame_has_the_registers(void **state) {
  fpu_alone_passes(signal_round_trip, NULL);
  fpu_alone_act = signal_round_trip;
  assert_true(sim_test_exhaust(&fpu_alone, NULL, 3, 100000) > 8);
}

// ---- BLAKE2s ----

static u32 sections;
static void count_section(void *arg) { sections++; }
static void nothing(void *arg) {}
static void asked_nothing(void *arg, bool usable) {}

static u64 compress_ns(struct fpu_alone *alone, u32 blocks) {
  u64 start_ns = sim_clock_ns();

  sections = 0;
  blake2s_compress(&alone->model, blocks);
  return sim_clock_ns() - start_ns;
}

static void compress(struct fpu_alone *alone) {
  alone->model.hooks = (struct fpu_hooks){.arg = alone,
                                          .asked = asked_nothing,
                                          .entering = count_section,
                                          .opened = nothing,
                                          .used = nothing,
                                          .closing = nothing,
                                          .left = nothing,
                                          .done = nothing};
  SIM_EXPECT_EQ(compress_ns(alone, 1), FPU_ALONE_BEGIN_NS + FPU_ALONE_SIMD_NS);
  SIM_EXPECT_EQ(sections, 1);
  SIM_EXPECT_EQ(compress_ns(alone, 64), FPU_ALONE_BEGIN_NS + 64 * FPU_ALONE_SIMD_NS);
  SIM_EXPECT_EQ(sections, 1);
  SIM_EXPECT_EQ(compress_ns(alone, 129), 3 * FPU_ALONE_BEGIN_NS + 129 * FPU_ALONE_SIMD_NS);
  SIM_EXPECT_EQ(sections, 3);
  SIM_EXPECT_EQ(alone->model.stats.simd[FPU_TASK], 3);
  kernel_fpu_begin(&alone->model);
  SIM_EXPECT_EQ(compress_ns(alone, 5), 5 * FPU_ALONE_GENERIC_NS);
  SIM_EXPECT_EQ(sections, 0);
  kernel_fpu_end(&alone->model);
  SIM_EXPECT_EQ(alone->model.stats.simd[FPU_TASK], 3);
  SIM_EXPECT_EQ(alone->model.stats.calls[FPU_TASK], 4);
}

static void blake2s_takes_what_it_may(void **state) { fpu_alone_passes(compress, "user=0"); }

// Under PREEMPT_RT, by each design: what drivers do in hardirq has threads, and a section keeps
// preemption out.
static void scenarios_are_clean_under_rt(void **state) {
  static const struct sim_scenario *const scenarios[] = {&scenario_fpu_blake2s, &scenario_fpu_crng};

  for (u32 i = 0; i < SIM_ARRAY_SIZE(scenarios); i++)
    for (u32 design = 0; fpu_scene_designs[design]; design++) {
      const char *const set[] = {"rt", "1", "design", fpu_scene_designs[design], NULL};

      sim_test_clean(scenarios[i], set, 2000);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(usable_where_the_design_says),
      cmocka_unit_test(section_keeps_others_out),
      cmocka_unit_test(softirq_only_as_posted),
      cmocka_unit_test(registers_move_when_they_must),
      cmocka_unit_test(signal_frame_has_the_registers),
      cmocka_unit_test(blake2s_takes_what_it_may),
      cmocka_unit_test(scenarios_are_clean_under_rt),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
