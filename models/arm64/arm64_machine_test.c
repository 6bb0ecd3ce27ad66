// SPDX-License-Identifier: GPL-2.0-or-later
//
// The machine: what registers and firmware give reaches callers, and what they do not give does
// not; traps are counted and emulated; the kernel's steps leave what later ones need.
#include "models/arm64/testing/arm64_alone.h"

static u32 seed(struct arm64_scene *scene, u64 *v, u32 max) {
  return arm64_get_random_seed_longs(&scene->machine, v, max, false);
}
static u32 plain(struct arm64_scene *scene, u64 *v, u32 max) {
  return arm64_get_random_longs(&scene->machine, v, max, false);
}
static void booted(struct arm64_scene *scene) { arm64_put(&scene->machine, ARM64_PHASE_FINAL); }

// ---- Registers ----

static void words_of_registers(struct arm64_scene *scene) {
  u64 v[4] = {0};

  booted(scene);
  SIM_EXPECT_EQ(seed(scene, v, 4), 1);
  SIM_EXPECT(v[0] != 0 && v[1] == 0);
  SIM_EXPECT_EQ(scene->machine.counts.seed_words, 1);
  SIM_EXPECT_EQ(plain(scene, v, 4), 1);
  SIM_EXPECT_EQ(scene->machine.counts.rndr_words, 1);
  SIM_EXPECT_EQ(plain(scene, v, 0), 0);
  SIM_EXPECT_EQ(seed(scene, v, 0), 0);
  SIM_EXPECT_EQ(scene->machine.counts.rndr_words + scene->machine.counts.seed_words, 2);
}

static void no_words(struct arm64_scene *scene) {
  u64 v[4] = {5, 6, 7, 8};

  booted(scene);
  SIM_EXPECT_EQ(seed(scene, v, 4), 0);
  SIM_EXPECT_EQ(plain(scene, v, 4), 0);
  SIM_EXPECT(v[0] == 5 && v[1] == 6 && v[2] == 7 && v[3] == 8);
}

// RNDRRS never succeeds: one try, RNDR's word instead, and as many instructions each time.
static void without_rndrrs(struct arm64_scene *scene) {
  u64 v[4], insns[3];

  booted(scene);
  for (u32 i = 0; i < 3; i++) {
    u64 before = scene->machine.counts.insns;

    SIM_EXPECT_EQ(seed(scene, v, 4), 0);
    SIM_EXPECT_EQ(plain(scene, v, 4), 1);
    insns[i] = scene->machine.counts.insns - before;
  }
  SIM_EXPECT(insns[0] == insns[1] && insns[1] == insns[2]);
  SIM_EXPECT_EQ(scene->machine.counts.seed_words, 0);
  SIM_EXPECT_EQ(scene->machine.counts.rndr_words, 3);
}

static void first_reads_fail(struct arm64_scene *scene) {
  u64 v[4];

  booted(scene);
  for (u32 i = 0; i < ARM64_RNDR_FIRST; i++) SIM_EXPECT_EQ(plain(scene, v, 1), 0);
  SIM_EXPECT_EQ(plain(scene, v, 1), 1);
}

static void reads_trap_to_el3(struct arm64_scene *scene) {
  u64 v[4], before = sim_clock_ns();

  booted(scene);
  SIM_EXPECT_EQ(plain(scene, v, 1), 1);
  SIM_EXPECT_EQ(scene->machine.counts.el3, 1);
  SIM_EXPECT(sim_clock_ns() - before >= 2000);
}

static void registers(void **state) {
  arm64_alone_passes(words_of_registers, "trng=absent rndr=works");
  arm64_alone_passes(no_words, "trng=absent rndr=absent");
  arm64_alone_passes(no_words, "trng=absent rndr=fails");
  arm64_alone_passes(without_rndrrs, "trng=absent rndr=rndrrs-never");
  arm64_alone_passes(first_reads_fail, "trng=absent rndr=fails-first");
  arm64_alone_passes(reads_trap_to_el3, "trng=absent rndr=traps");
  arm64_alone_trips(without_rndrrs, "trng=absent rndr=rndrrs-never bug=while-not-ok",
                    "arm64-call-bounded");
  arm64_alone_trips(no_words, "trng=absent rndr=fails bug=failed-value", "arm64-words");
}

// ---- Firmware ----

static void words_of_firmware(struct arm64_scene *scene) {
  booted(scene);
  for (u32 max = 1; max <= 8; max++) {
    u64 v[8] = {0}, before = scene->machine.counts.trng_words;
    u32 want = max < 3 ? max : 3;

    SIM_EXPECT_EQ(seed(scene, v, max), want);
    SIM_EXPECT_EQ(scene->machine.counts.trng_words - before, want);
    SIM_EXPECT(v[want - 1] != 0 && (want == 8 || v[want] == 0));
  }
  SIM_EXPECT_EQ(scene->machine.counts.seed_words, 0);
}

// What smccc_probe_trng finds, by version and conduit.
static bool asked;
static void probed(struct arm64_scene *scene) {
  struct arm64_machine *m = &scene->machine;
  u64 v[4];

  arm64_smccc_init(m);
  arm64_cpu_first(m);
  m->phase = ARM64_PHASE_BOOT;
  (void)seed(scene, v, 3);
  SIM_EXPECT_EQ(m->counts.trng_words, asked ? 3 : 0);
}

static void firmware(void **state) {
  arm64_alone_passes(words_of_firmware, "trng=1.0 smccc=1.1 conduit=hvc");
  arm64_alone_passes(words_of_firmware, "trng=1.0 smccc=1.5 conduit=smc");
  asked = true;
  arm64_alone_passes(probed, "trng=1.0 smccc=1.1 conduit=hvc");
  arm64_alone_passes(probed, "trng=1.0 smccc=1.5 conduit=smc");
  asked = false;
  arm64_alone_passes(probed, "trng=1.0 smccc=1.1 conduit=none");
  arm64_alone_passes(probed, "trng=1.0 smccc=1.0 conduit=hvc");
  arm64_alone_passes(probed, "trng=1.0 smccc=absent conduit=hvc");
  arm64_alone_passes(probed, "trng=0.9 smccc=1.1 conduit=hvc");
  arm64_alone_passes(probed, "trng=absent smccc=1.1 conduit=smc");
  arm64_alone_trips(probed, "trng=0.9 smccc=1.1 conduit=hvc bug=trng-old", "arm64-trng-call");
  arm64_alone_trips(words_of_firmware, "trng=1.0 smccc=1.1 conduit=hvc bug=trng-order",
                    "arm64-words");
  arm64_alone_trips(words_of_firmware, "trng=1.0 smccc=1.1 conduit=hvc bug=trng-number",
                    "arm64-trng-call");
}

// ---- Traps ----

static u64 reads_of_a_call;
static void early_calls(struct arm64_scene *scene) {
  struct arm64_machine *m = &scene->machine;
  u64 v[4], before;

  arm64_put(m, ARM64_PHASE_BOOT);
  sim_preempt_disable();
  before = m->counts.trapped[ARM64_ID_AA64ISAR0];
  for (u32 i = 0; i < 10; i++) {
    (void)seed(scene, v, 4);
    (void)plain(scene, v, 4);
  }
  SIM_EXPECT_EQ(m->counts.trapped[ARM64_ID_AA64ISAR0] - before, 20 * reads_of_a_call);
  SIM_EXPECT_EQ(m->counts.isar0[ARM64_PHASE_BOOT][0], 20 * reads_of_a_call);
  SIM_EXPECT_EQ(m->counts.calls[ARM64_PHASE_BOOT][0], 20);
  sim_preempt_enable();
  arm64_put(m, ARM64_PHASE_FINAL);
  before = arm64_trapped(m);
  (void)plain(scene, v, 4);
  SIM_EXPECT_EQ(arm64_trapped(m), before);
}

// The 17 ID registers of a CPU, once.
static void a_cpu_that_comes(struct arm64_scene *scene) {
  arm64_cpu_first(&scene->machine);
  SIM_EXPECT_EQ(arm64_trapped(&scene->machine), 17);
  SIM_EXPECT_EQ(scene->machine.counts.trapped[ARM64_ID_AA64ISAR0], 1);
}

static void every_register(struct arm64_scene *scene) {
  struct arm64_machine *m = &scene->machine;

  booted(scene);
  arm64_read_all(m);
  arm64_read_all(m);
  SIM_EXPECT_EQ(m->counts.trapped[ARM64_ID_AA64ISAR0], 64);
}

static void traps(void **state) {
  reads_of_a_call = 1;
  arm64_alone_passes(early_calls, "design=local-cap rndr=absent trng=absent");
  reads_of_a_call = 0;
  arm64_alone_passes(early_calls, "design=sanitised rndr=absent trng=absent");
  arm64_alone_passes(early_calls, "design=early-variants rndr=absent trng=absent");
  arm64_alone_passes(early_calls, "design=alternative rndr=absent trng=absent");
  arm64_alone_passes(early_calls, "design=local-cap rndr=absent trng=absent tid3=0");
  arm64_alone_passes(a_cpu_that_comes, NULL);
  arm64_alone_passes(every_register, NULL);
  arm64_alone_trips(every_register, "bug=reg31-sp", "arm64-trap-emulation");
}

// A trap costs its time.
static u64 took_ns;
static void time_of_calls(struct arm64_scene *scene) {
  u64 v[4];

  arm64_put(&scene->machine, ARM64_PHASE_BOOT);
  sim_preempt_disable();
  took_ns = sim_clock_ns();
  for (u32 i = 0; i < 10; i++) (void)plain(scene, v, 1);
  took_ns = sim_clock_ns() - took_ns;
  sim_preempt_enable();
}
static void time_passes(void **state) {
  u64 cheap_ns;

  arm64_alone_passes(time_of_calls, "design=local-cap rndr=absent trng=absent trap_ns=0");
  cheap_ns = took_ns;
  arm64_alone_passes(time_of_calls, "design=local-cap rndr=absent trng=absent trap_ns=700");
  assert_int_equal(took_ns - cheap_ns, 7000);
}

// ---- The kernel's steps ----

static void preemptible_call(struct arm64_scene *scene) {
  u64 v[4];

  arm64_put(&scene->machine, ARM64_PHASE_SMP);
  SIM_EXPECT_EQ(plain(scene, v, 1), 0);
  sim_preempt_disable();
  SIM_EXPECT_EQ(plain(scene, v, 1), 1);
  sim_preempt_enable();
  sim_local_irq_disable();
  SIM_EXPECT_EQ(plain(scene, v, 1), 1);
  sim_local_irq_enable();
}

// Without CONFIG_PREEMPT_COUNT nothing is preemptible.
static void uncounted_call(struct arm64_scene *scene) {
  u64 v[4];

  arm64_put(&scene->machine, ARM64_PHASE_SMP);
  SIM_EXPECT_EQ(plain(scene, v, 1), 1);
}

static void late_cpu(struct arm64_scene *scene) {
  struct arm64_machine *m = &scene->machine;

  arm64_cpu_first(m);
  m->phase = ARM64_PHASE_SMP;
  arm64_finalize(m);
  SIM_EXPECT(m->has_rng);
  m->hw.rndr[0] = ARM64_RNDR_ABSENT;
  SIM_EXPECT(!arm64_cpu_come(m, true));
  SIM_EXPECT(arm64_cpu_come(m, false));
}

static void steps(void **state) {
  arm64_alone_passes(preemptible_call, "design=local-cap trng=absent");
  arm64_alone_passes(preemptible_call, "design=sanitised trng=absent");
  arm64_alone_passes(uncounted_call, "design=local-cap trng=absent preempt=0");
  arm64_alone_passes(late_cpu, "trng=absent");
  arm64_alone_trips(preemptible_call, "trng=absent bug=query-preemptible",
                    "arm64-preemptible-query");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(registers), cmocka_unit_test(firmware),    cmocka_unit_test(traps),
      cmocka_unit_test(steps),     cmocka_unit_test(time_passes),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
