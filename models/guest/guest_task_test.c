// SPDX-License-Identifier: GPL-2.0-only
//
// Guest calls as tasks of the world: two engines that share a page interleave at any
// instruction, by draws alone; events come at drawn boundaries.
#include "models/guest/guest_task.h"

#include "models/guest/testing/bed.h"
#include "sim/task.h"
#include "sim/testing/runs.h"
#include "sim/trace.h"

enum { TASKS = 2, ROUNDS = 5, INSN_PS = 2500 };

// Of the world; the engines and their pages are the process's.
struct race {
  struct bed bed[TASKS];
  struct guest_snapshot *start[TASKS];
  u32 started, ended, events, nested;
  bool with_events;
};
struct racer {
  struct race *race;
  u32 number;
};

static struct guest_pace pace(void) {
  return (struct guest_pace){
      .event_site = SIM_SITE_DRAW("guest-test-event", SIM_SITE_FAULT, 1, 2),
      .distance_site = SIM_SITE_DRAW("guest-test-distance", SIM_SITE_WORK, 0, 0),
      .elapse_site = SIM_SITE("guest"),
      .distance_max = 12,
      .insn_ps = INSN_PS,
  };
}

static void on_event(void *arg, u32 event) {
  struct racer *racer = arg;
  struct bed *bed = &racer->race->bed[racer->number];
  racer->race->events++;
  if (event == 0) return;
  // A handler, in which others may run.
  struct guest_call handler = bed_args(FN_HANDLER, 0, 0, 0);
  struct guest_pace calm = pace();
  racer->race->nested++;
  SIM_EXPECT(guest_nested_begin(bed->g, &handler));
  SIM_EXPECT_EQ(guest_task_run(bed->g, &calm, &bed->stop), GUEST_RETURNED);
  guest_nested_end(bed->g);
}

static void racer_main(void *arg) {
  struct racer *racer = arg;
  struct race *race = racer->race;
  struct bed *bed = &race->bed[racer->number];
  struct guest_pace p = pace();
  if (race->with_events) {
    p.num_events = 2;
    p.event = on_event;
    p.arg = racer;
  }
  // The first of a run restores what all share.
  if (race->started++ == 0)
    for (u32 i = 0; i < TASKS; i++) guest_restore(race->bed[i].g, race->start[i]);
  u64 from_ns = sim_clock_ns();
  bed_call(bed, FN_INCREMENT, BED_DATA, ROUNDS, 0);
  SIM_EXPECT_EQ(guest_task_run(bed->g, &p, &bed->stop), GUEST_RETURNED);
  u64 insns = guest_arch(bed->g) == GUEST_ARM64 ? 5 * ROUNDS + 1 : 4 * ROUNDS + 2;
  SIM_EXPECT_EQ(bed->stop.insns, insns);
  SIM_EXPECT(sim_clock_ns() - from_ns >= insns * INSN_PS / 1000);
  if (++race->ended == TASKS) sim_trace_model("sum", guest_load(bed->g, race->bed[0].data, 4), 0);
}

static void race_setup(void) {
  struct race *race = sim_alloc_static(sizeof(*race), "race");
  enum guest_arch arch = (enum guest_arch)sim_param("arch");
  race->with_events = sim_param("events");
  for (u32 i = 0; i < TASKS; i++) {
    struct bed *bed = &race->bed[i];
    struct racer *racer = sim_alloc_static(sizeof(*racer), "racer");
    *racer = (struct racer){.race = race, .number = i};
    bed_open(bed, guest_shared(arch, 0, i));
    if (i) {
      // One page of data for all.
      guest_unmap(bed->g, BED_DATA);
      SIM_ASSERT(
          guest_map(bed->g, BED_DATA, race->bed[0].data, BED_DATA_LEN, GUEST_READ | GUEST_WRITE));
    }
    race->start[i] = guest_snapshot_new(bed->g);
    guest_take(bed->g, race->start[i]);
    sim_task_new("racer", racer_main, racer, i % sim_world_config(sim_w)->num_cpus);
  }
  sim_set_private(race);
}

static const struct sim_oracle lost = {"lost-update", SIM_SAFETY, "no increment is lost",
                                       "this test"};
static const struct sim_oracle *const race_oracles[] = {&lost, NULL};

static void race_check(void) {
  struct race *race = sim_private();
  u64 sum = guest_load(race->bed[0].g, race->bed[0].data, 4);
  if (sum != TASKS * ROUNDS) sim_report(&lost, "", "%llu", (unsigned long long)sum);
}

static const char *const arch_names[] = {"ppc32", "ppc64", "ppc64le", "arm64", NULL};
static const struct sim_param race_params[] = {
    {"arch", 0, 0, 3, "", "architecture", arch_names},
    {"events", 0, 0, 1, "", "handlers too"},
    {"num_cpus", 2, 1, 2},
    {0},
};
static const struct sim_scenario race_scenario = {
    .name = "guest-race",
    .claim = "two guests increment one word",
    .params = race_params,
    .oracles = race_oracles,
    .testonly = true,
    .setup = race_setup,
    .check = race_check,
};

// A few runs on each architecture: some lose updates, each is replayed by its draws, and what
// another world did in between does not matter.
static void interleave(void **state) {
  for (u32 arch = 0; arch < GUEST_ARCHES; arch++) {
    for (u32 events = 0; events < 2; events++) {
      const char *set[] = {"arch", arch_names[arch], "events", events ? "1" : "0", NULL};
      struct sim_test t;
      u32 found = 0, clean = 0;
      sim_test_open(&t, &race_scenario, set);
      for (u64 seed = 0; seed < 150; seed++) {
        sim_test_seed(&t, seed);
        if (t.result.status == SIM_OK)
          clean++;
        else if (strcmp(t.result.failures[0].oracle, "lost-update") == 0)
          found++;
        else
          sim_test_show(&t, "seed", seed);
        if (seed % 5 == 0) sim_test_again(&t, seed);
      }
      if (found < 5 || clean < 5 || found + clean != 150)
        fail_msg("%s: %u lost, %u clean", arch_names[arch], found, clean);
      sim_test_close(&t);
    }
  }
}

// On one processor, without a draw, each call runs whole.
static void calm_is_whole(void **state) {
  for (u32 arch = 0; arch < GUEST_ARCHES; arch++) {
    const char *set[] = {"arch", arch_names[arch], "num_cpus", "1", NULL};
    struct sim_test t;
    sim_test_open(&t, &race_scenario, set);
    sim_test_calm(&t);
    sim_test_show(&t, "calm", 0);
    assert_int_equal(t.result.status, SIM_OK);
    sim_test_close(&t);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(interleave),
      cmocka_unit_test(calm_is_whole),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
