// SPDX-License-Identifier: GPL-2.0-or-later
//
// The FPU's onlooker: each oracle fires on what it is there for, and not on what is right.
#include "models/fpu/testing/fpu_alone.h"

static void to_user_mode(struct fpu_alone *alone) {
  sim_local_irq_disable();
  switch_fpu_return(&alone->model);
  fpu_watch_user_mode(&alone->watch, 0);
  sim_local_irq_enable();
}

static void section(struct fpu_alone *alone) {
  kernel_fpu_begin(&alone->model);
  fpu_simd(&alone->model, 100);
  kernel_fpu_end(&alone->model);
}

static void hash(struct fpu_alone *alone) { blake2s_compress(&alone->model, 65); }

static void all_is_right(struct fpu_alone *alone) {
  unsigned long flags;

  to_user_mode(alone);
  section(alone);
  to_user_mode(alone);
  fpu_alone_in_softirq(alone, hash);
  fpu_alone_in_hardirq(alone, hash);
  sim_local_irq_save(flags);
  hash(alone);
  sim_local_irq_restore(flags);
  to_user_mode(alone);
}

static void watch_is_silent(void **state) {
  fpu_alone_passes(all_is_right, NULL);
  fpu_alone_passes(all_is_right, "design=6.1");
  fpu_alone_passes(all_is_right, "design=softirq-only");
}

static void other_vector(struct fpu_alone *alone) {
  to_user_mode(alone);
  fpu_hardware(&alone->model)->vector[3] ^= 1;
  to_user_mode(alone);
}
static void other_mxcsr(struct fpu_alone *alone) {
  to_user_mode(alone);
  fpu_hardware(&alone->model)->mxcsr ^= 1;
  to_user_mode(alone);
}
static void not_loaded(struct fpu_alone *alone) {
  to_user_mode(alone);
  section(alone);
  fpu_watch_user_mode(&alone->watch, 0);
}
static void user_registers_are_compared(void **state) {
  fpu_alone_trips(other_vector, NULL, "fpu-user-registers");
  fpu_alone_trips(other_mxcsr, NULL, "fpu-user-registers");
  fpu_alone_trips(not_loaded, NULL, "fpu-user-registers");
}

static void two_sections(struct fpu_alone *alone) {
  kernel_fpu_begin(&alone->model);
  section(alone);
}
static void a_second_section_is_seen(void **state) {
  fpu_alone_trips(two_sections, NULL, "fpu-one-section");
}

static void hardirq_does_not_ask(struct fpu_alone *alone) { fpu_alone_in_hardirq(alone, section); }
static void softirq_does_not_ask(struct fpu_alone *alone) { fpu_alone_in_softirq(alone, section); }
static void task_does_not_listen(struct fpu_alone *alone) {
  fpu_disable_cpu(&alone->model, 0);
  SIM_EXPECT(!irq_fpu_usable(&alone->model));
  section(alone);
}
static void old_answers_are_void(struct fpu_alone *alone) {
  fpu_alone_in_softirq(alone, hash);
  fpu_alone_in_softirq(alone, section);
}
static void who_may_not_is_seen(void **state) {
  fpu_alone_trips(hardirq_does_not_ask, NULL, "fpu-usable");
  fpu_alone_trips(softirq_does_not_ask, NULL, "fpu-usable");
  fpu_alone_trips(task_does_not_listen, NULL, "fpu-usable");
  fpu_alone_trips(old_answers_are_void, NULL, "fpu-usable");
}

static void mxcsr_in_section(struct fpu_alone *alone) {
  kernel_fpu_begin(&alone->model);
  fpu_hardware(&alone->model)->mxcsr = 0x9fc0;
  fpu_simd(&alone->model, 100);
}
static void mxcsr_is_looked_at(void **state) {
  fpu_alone_trips(mxcsr_in_section, NULL, "fpu-mxcsr");
}

static void lost(struct fpu_alone *alone) {
  kernel_fpu_begin(&alone->model);
  fpu_simd(&alone->model, 100);
  fpu_hardware(&alone->model)->vector[0]++;
  kernel_fpu_end(&alone->model);
}
static void no_section(struct fpu_alone *alone) { fpu_simd(&alone->model, 100); }
static void no_begin(struct fpu_alone *alone) {
  sim_local_bh_disable();
  kernel_fpu_end(&alone->model);
}
static void section_registers_are_compared(void **state) {
  fpu_alone_trips(lost, NULL, "fpu-section-registers");
  fpu_alone_trips(no_section, NULL, "fpu-section-registers");
  fpu_alone_trips(no_begin, NULL, "fpu-section-registers");
}

static void counts_change(struct fpu_alone *alone) {
  kernel_fpu_begin(&alone->model);
  sim_preempt_disable();
  kernel_fpu_end(&alone->model);
}
static void irqs_change(struct fpu_alone *alone) {
  kernel_fpu_begin(&alone->model);
  sim_local_irq_disable();
  kernel_fpu_end(&alone->model);
}
static void user_mode_without_preemption(struct fpu_alone *alone) {
  sim_preempt_disable();
  to_user_mode(alone);
}
static void counts_are_compared(void **state) {
  fpu_alone_trips(counts_change, NULL, "fpu-counts");
  fpu_alone_trips(irqs_change, "design=6.1", "fpu-counts");
  fpu_alone_trips(user_mode_without_preemption, NULL, "fpu-counts");
}

static void hash_irqs_off(struct fpu_alone *alone) {
  sim_local_irq_disable();
  hash(alone);
  sim_local_irq_enable();
}
static void latency_is_bounded(void **state) {
  fpu_alone_passes(hash_irqs_off, "section_ns=32000");
  fpu_alone_trips(hash_irqs_off, "section_ns=31999", "fpu-irq-off-bound");
  // With interrupts on it bothers nobody's interrupts.
  fpu_alone_passes(hash, "section_ns=1");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(watch_is_silent),          cmocka_unit_test(user_registers_are_compared),
      cmocka_unit_test(a_second_section_is_seen), cmocka_unit_test(who_may_not_is_seen),
      cmocka_unit_test(mxcsr_is_looked_at),       cmocka_unit_test(section_registers_are_compared),
      cmocka_unit_test(counts_are_compared),      cmocka_unit_test(latency_is_bounded),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
