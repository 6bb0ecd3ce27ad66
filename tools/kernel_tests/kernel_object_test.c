// SPDX-License-Identifier: GPL-2.0-or-later
//
// A kernel object: what is loaded, started, hooked and reset. On the object of the tiny tree,
// models/kernel/testing/tree, whose attribute `does` does what is written to it. Argument: the
// object's path.
#include "models/kernel/kernel_machine.h"
#include "models/kernel/kernel_object.h"

#include "sim/cpu.h"
#include "sim/testing/runs.h"
#include "sim/trace.h"

enum { TASKS_MAX = 4, WORD = 0x11223344 };

static struct kernel_object *object;

// ---- A scenario: tasks that write to the attribute, and one device ----

struct bed {
  const char *does;
  bool device;
  u32 enabled, resets, control, copied;
  // The host of the virtio device: the buffer that it has.
  struct sim_hw_event answer;
  struct kernel_pdev *asker;
  u8 *buf;
  bool ready;
  int registered, unregistered;
  u64 taken;
};

static const char *const names[] = {"nothing", "all",  "race", "missing", "warn",
                                    "bug",     "null", "12",   NULL};

static u32 bed_readl(void *arg, u32 offset) { return offset == 8 ? WORD : 0; }
static void bed_writel(void *arg, u32 value, u32 offset) {
  if (offset == 0) ((struct bed *)arg)->control = value;
}
static int bed_clk_on(void *arg) {
  ((struct bed *)arg)->enabled++;
  return 0;
}
static void bed_clk_off(void *arg) { ((struct bed *)arg)->enabled--; }
static int bed_reset(void *arg) {
  ((struct bed *)arg)->resets++;
  return 0;
}

static void on_registered(void *rng, struct kernel_pdev *pdev, int err) {
  ((struct bed *)kernel_pdev_arg(pdev))->registered++;
}
static void on_unregistered(void *rng) { ((struct bed *)sim_private())->unregistered++; }
static void on_copies_from(const void *from, size_t len) {
  ((struct bed *)sim_private())->taken += len;
}
static size_t on_copy_to_user(void *to, const void *from, size_t len) {
  ((struct bed *)sim_private())->copied += (u32)len;
  memcpy(to, from, len);
  return 0;
}

static void store(const char *text) {
  char buf[32];
  int len = snprintf(buf, sizeof(buf), "%s\n", text);

  SIM_EXPECT_EQ(object->inside.attr_store("does", buf, (unsigned long)len), len);
}

static void task(void *arg) {
  struct bed *bed = arg;

  if (strcmp(bed->does, "nothing") != 0) store(bed->does);
}

// The device comes, is read, and goes.
static void user(void *arg) {
  struct bed *bed = arg;
  const struct kernel_inside *inside = &object->inside;
  const struct kernel_board board = {.arg = bed,
                                     .readl = bed_readl,
                                     .writel = bed_writel,
                                     .clk_on = bed_clk_on,
                                     .clk_off = bed_clk_off,
                                     .reset = bed_reset};
  void *file = sim_zalloc(inside->file_size, "file");
  struct kernel_pdev *pdev;
  char page[4096];
  u32 word;

  SIM_EXPECT_EQ(kernel_probe("tiny", "vendor,unknown", &board, &pdev), -SIM_ENODEV);
  SIM_EXPECT_EQ(kernel_probe("tiny", "brcm,bcm-nsp-rng", &board, &pdev), 0);
  SIM_EXPECT(bed->enabled == 1 && bed->resets == 1 && bed->control == 3 && bed->registered == 1);
  SIM_EXPECT_EQ(inside->open(file, false, true), -SIM_EINVAL);
  SIM_EXPECT_EQ(inside->open(file, false, false), 0);
  SIM_EXPECT_EQ(inside->read(file, &word, sizeof(word)), 4);
  inside->close(file);
  SIM_EXPECT(word == WORD && bed->copied == 4 && bed->taken >= 4);
  SIM_EXPECT_EQ(inside->attr_show("does", page), 4);
  SIM_EXPECT(strcmp(page, "8 0\n") == 0);  // 7 when the object was made
  SIM_EXPECT_EQ(inside->attr_show("lacks", page), -SIM_ENOENT);
  kernel_remove(pdev);
  SIM_EXPECT(bed->enabled == 0 && bed->control == 0 && bed->unregistered == 1);
  sim_free(file);
}

static void bed_answers(void *arg) {
  struct bed *bed = arg;

  memset(bed->buf, 0x5a, 12);
  kernel_virtio_used(bed->asker, 12);
}
static void bed_ready(void *arg) { ((struct bed *)arg)->ready = true; }
static void bed_kick(void *arg, struct kernel_pdev *pdev, void *buf, u32 len) {
  struct bed *bed = arg;

  SIM_EXPECT(bed->ready && len == 16);
  bed->asker = pdev;
  bed->buf = buf;
  sim_hw_event_arm(&bed->answer, sim_clock_ns() + 5000, bed_answers, bed, 0);
}
static void bed_virtio_reset(void *arg) {
  struct bed *bed = arg;

  bed->ready = false;
  sim_hw_event_disarm(&bed->answer);
}
static void bed_smccc(void *arg, u64 function, u64 bits, u64 res[4]) {
  SIM_EXPECT(function == 0xc4000053 && bits == 64);
  res[0] = 0;
  res[3] = 0x0102030405060708;
}

static s64 read_word(u64 *out_word) {
  const struct kernel_inside *inside = &object->inside;
  void *file = sim_zalloc(inside->file_size, "file");
  s64 rc;

  SIM_EXPECT_EQ(inside->open(file, false, false), 0);
  rc = inside->read(file, out_word, sizeof(*out_word));
  inside->close(file);
  sim_free(file);
  return rc;
}

// A virtio device is found by its number, answers in an interrupt, and has registered without
// saying so; a platform device without a node is found by its driver's name.
static void other_buses(void *arg) {
  struct bed *bed = arg;
  const struct kernel_board host = {.arg = bed,
                                    .virtio_ready = bed_ready,
                                    .virtio_kick = bed_kick,
                                    .virtio_reset = bed_virtio_reset};
  const struct kernel_board firmware = {.arg = bed, .smccc_call = bed_smccc};
  struct kernel_acting acting;
  struct kernel_pdev *pdev;
  u64 word;

  SIM_EXPECT_EQ(kernel_probe("tiny", "virtio:5", &host, &pdev), -SIM_ENODEV);
  SIM_EXPECT_EQ(kernel_probe("tiny", "virtio:4", &host, &pdev), 0);
  SIM_EXPECT(bed->ready && bed->registered == 1);
  SIM_EXPECT_EQ(read_word(&word), 8);
  SIM_EXPECT(word == 0x5a5a5a5a5a5a5a5a);
  kernel_remove(pdev);
  SIM_EXPECT(!bed->ready && bed->unregistered == 1);

  SIM_EXPECT_EQ(kernel_probe("tiny", "tiny_firmware", &firmware, &pdev), 0);
  SIM_EXPECT_EQ(read_word(&word), -SIM_EINVAL);  // whose firmware? there is none
  kernel_acting_begin(&acting, pdev);
  SIM_EXPECT_EQ(read_word(&word), 8);
  kernel_acting_end(&acting);
  SIM_EXPECT(word == 0x0102030405060708);
  kernel_remove(pdev);
  SIM_EXPECT(bed->registered == 2 && bed->unregistered == 2);
}

static void setup(void) {
  struct bed *bed = sim_alloc_static(sizeof(*bed), "bed");
  const struct kernel_config config = {
      .hooks = {.registered = on_registered,
                .unregistered = on_unregistered,
                .copies_from = on_copies_from,
                .copy_to_user = on_copy_to_user},
      .no_kthreads = sim_param("no_kthreads"),
  };

  sim_set_private(bed);
  bed->does = names[sim_param("does")];
  kernel_start(&config);
  for (u32 i = 0; i < (u32)sim_param("tasks"); i++)
    sim_task_new("task", task, bed, i % sim_world_config(sim_w)->num_cpus);
  if (sim_param("device") == 1) sim_task_new("user", user, bed, 0);
  if (sim_param("device") == 2) sim_task_new("other_buses", other_buses, bed, 0);
}

static const struct sim_param params[] = {
    {"does", 0, 0, 7, "", "what tasks write", names},
    {"tasks", 0, 0, TASKS_MAX, "", "tasks"},
    {"device", 0, 0, 2, "", "a device comes; or those of other buses"},
    {"no_kthreads", 0, 0, 1, "", "none is made"},
    {.name = NULL},
};
static const struct sim_oracle *const oracles[] = {NULL};
static const struct sim_scenario tiny_hooked = {
    .name = "tiny", .claim = "it does", .params = params, .oracles = oracles, .setup = setup};
static const struct sim_scenario tiny = {.name = "tiny",
                                         .claim = "it does",
                                         .params = params,
                                         .oracles = oracles,
                                         .hooked = &tiny_hooked,
                                         .setup = setup};

// ---- Loading ----

// What the object calls and nobody has is named, and nothing else.
static void unbound_calls_are_named(void **state) {
  assert_int_equal(object->num_unbound, 1);
  assert_string_equal(object->unbound[0], "tiny_missing");
}

// What is no object is refused with a reason. (main asks that the same file is the same object.)
static void wrong_files_are_refused(void **state) {
  char err[200] = "";
  assert_null(kernel_object_load("/dev/null", err, sizeof(err)));
  assert_true(*err != 0);
}

// ---- Runs ----

// Probe, read, attributes, removal; statics start as the compiler laid them out, run after run.
static void device_comes_and_goes(void **state) {
  static const char *const set[] = {"device", "1", NULL};
  static const char *const hooked[] = {"device", "1", "hooks", "2", NULL};

  sim_test_clean(&tiny, set, 200);
  sim_test_clean(&tiny, hooked, 200);
}

static void devices_of_other_buses_come_and_go(void **state) {
  static const char *const set[] = {"device", "2", NULL};
  static const char *const hooked[] = {"device", "2", "hooks", "2", NULL};

  sim_test_clean(&tiny, set, 200);
  sim_test_clean(&tiny, hooked, 200);
}

// Known before anything was started, and what nobody drives is not.
static void drivers_are_known_before_the_start(void **state) {
  static const char *const known[] = {"brcm,bcm2835-rng", "tiny-rng", "virtio:4", "tiny_firmware"};
  static const char *const unknown[] = {"brcm,bcm2711-rng", "virtio:44", "virtio:", "virtio", ""};

  for (u32 i = 0; i < SIM_ARRAY_SIZE(known); i++) assert_true(kernel_has_driver(known[i]));
  for (u32 i = 0; i < SIM_ARRAY_SIZE(unknown); i++) assert_false(kernel_has_driver(unknown[i]));
}

// Everything that an object may call, by several tasks, with kthreads and without.
static void every_call_is_made(void **state) {
  static const char *const one[] = {"does", "all", "tasks", "1", NULL};
  static const char *const hooked[] = {"does", "all", "tasks", "1", "hooks", "2", NULL};
  static const char *const none[] = {"does", "all", "tasks", "1", "no_kthreads", "1", NULL};

  sim_test_clean(&tiny, one, 100);
  sim_test_clean(&tiny, hooked, 100);
  sim_test_clean(&tiny, none, 100);
}

struct seen {
  struct sim_trace_sink sink;
  char labels[128][SIM_SITE_LABEL_LEN];
  u32 num;
};

static void note_step(struct sim_trace_sink *sink, const struct sim_event *event) {
  struct seen *seen = (struct seen *)sink;
  char label[SIM_SITE_LABEL_LEN];

  if (!event->site || (event->kind != SIM_EVENT_STEP && event->kind != SIM_EVENT_DRAW)) return;
  sim_site_label(event->site, label, sizeof(label));
  for (u32 i = 0; i < seen->num; i++)
    if (strcmp(seen->labels[i], label) == 0) return;
  assert_true(seen->num < SIM_ARRAY_SIZE(seen->labels));
  strcpy(seen->labels[seen->num++], label);
}

// Each atomic operation, marked access and barrier is an event of its own.
static void atomics_are_events(void **state) {
  static const char *const set[] = {"does", "all", "tasks", "1", NULL};
  static const char *const atomics[] = {"read_once",
                                        "write_once",
                                        "smp_load_acquire",
                                        "smp_store_release",
                                        "smp_mb",
                                        "smp_rmb",
                                        "smp_wmb",
                                        "kref_init",
                                        "kref_get",
                                        "kref_read",
                                        "kref_get_unless_zero",
                                        "kref_put",
                                        "ida_alloc",
                                        "ida_free",
                                        "complete",
                                        "wait_for_completion_killable",
                                        "mutex_is_locked",
                                        "mutex_trylock",
                                        "mutex_unlock",
                                        "mutex_lock_interruptible",
                                        "rcu_access_pointer",
                                        "reinit_completion",
                                        "completion_done",
                                        "wait_for_completion",
                                        "queue_work",
                                        "schedule_work",
                                        "flush_work",
                                        "cancel_work_sync",
                                        "need_resched",
                                        "signal_pending",
                                        "cond_resched",
                                        "cpu_relax",
                                        "jiffies",
                                        "kthread_run",
                                        "kthread_stop",
                                        "wake_up_process"};
  static struct seen seen = {.sink = {note_step}};
  struct sim_test t;

  sim_test_open(&t, &tiny, set);
  sim_world_set_sink(t.world, &seen.sink);
  sim_test_calm(&t);
  for (u32 i = 0; i < SIM_ARRAY_SIZE(atomics); i++) {
    char label[SIM_SITE_LABEL_LEN];
    u32 k = 0;

    snprintf(label, sizeof(label), "do_all:%s", atomics[i]);
    while (k < seen.num && strcmp(seen.labels[k], label) != 0) k++;
    if (k == seen.num) fail_msg("%s is silent", label);
  }
  sim_test_close(&t);
}

// A plain count under no lock is a data race, and is lost between its load and its store.
static void plain_accesses_of_statics_race(void **state) {
  static const char *const points[] = {"does", "race", "tasks", "2", "hooks", "1", NULL};
  static const char *const races[] = {"does", "race", "tasks", "2", "hooks", "2", NULL};

  sim_test_clean(&tiny, points, 50);
  sim_test_finds(&tiny, races, 50, "data-race");
}

// The draws of hooked code are made at its accesses, by their labels.
static void accesses_are_points(void **state) {
  static const char *const set[] = {"does", "race", "tasks", "2", "hooks", "1", NULL};
  struct sim_test t;
  u32 taken = 0;

  sim_test_open(&t, &tiny, set);
  for (u64 seed = 0; seed < 2000; seed++) {
    u32 num;

    sim_test_seed(&t, seed);
    const struct sim_draw *draw = sim_world_draws(t.world, &num);
    for (u32 i = 0; i < num; i++) {
      char label[SIM_SITE_LABEL_LEN];

      sim_site_label(sim_site_at(draw[i].site), label, sizeof(label));
      taken += strncmp(label, "does_store:", 11) == 0 && strchr(label, '.') != NULL;
    }
  }
  sim_test_close(&t);
  assert_true(taken > 10);
}

// A call that nobody has ends the run as a defect of ours, with its name.
static void unbound_call_is_reached(void **state) {
  static const char *const set[] = {"does", "missing", "tasks", "1", NULL};
  struct sim_test t;

  sim_test_open(&t, &tiny, set);
  sim_test_calm(&t);
  assert_int_equal(t.result.status, SIM_OURS);
  assert_non_null(strstr(t.result.failures[0].text, "tiny_missing"));
  sim_test_close(&t);
}

// What the kernel's code complains of itself is a finding.
static void warnings_are_findings(void **state) {
  static const char *const warn[] = {"does", "warn", "tasks", "1", NULL};
  static const char *const bug[] = {"does", "bug", "tasks", "1", NULL};

  sim_test_always(&tiny, warn, 10, "kernel-warn");
  sim_test_always(&tiny, bug, 10, "kernel-bug");
}

// Two worlds take turns on one object; the first must be set up anew, and runs as before.
static void worlds_take_turns(void **state) {
  static const char *const set[] = {"does", "all", "tasks", "1", NULL};
  struct sim_test a, b;
  u64 digest;

  sim_test_open(&a, &tiny, set);
  sim_test_seed(&a, 1);
  digest = a.result.digest;
  sim_test_open(&b, &tiny, set);
  sim_test_seed(&b, 1);
  assert_true(b.result.digest == digest);
  assert_int_equal(sim_world_setup(a.world, &tiny, a.params, &a.result), SIM_OK);
  sim_test_seed(&a, 1);
  assert_true(a.result.digest == digest);
  sim_test_close(&a);
  sim_test_close(&b);
}

// Without the object a world has an arena and sites of its own again.
static void subject_is_put_down(void **state) {
  u32 sites = sim_sites_count();

  kernel_subject_set(NULL);
  assert_true(sim_sites_count() < sites);
  kernel_subject_set(object);
  assert_int_equal(sim_sites_count(), sites);
}

// A fresh process has the same digests, wherever the object lies.
static u64 digest_of_seeds(void) {
  static const char *const set[] = {"does", "all", "tasks", "2", "hooks", "2", NULL};
  struct sim_test t;
  u64 digest = 0;

  sim_test_open(&t, &tiny, set);
  for (u64 seed = 0; seed < 50; seed++) {
    sim_test_seed(&t, seed);
    digest = sim_mix64(digest ^ t.result.digest);
  }
  sim_test_close(&t);
  return digest;
}

static char *self, *path;

static void processes_agree(void **state) {
  u64 digest = digest_of_seeds();

  for (u32 i = 0; i < 2; i++) {
    char command[1200];
    unsigned long long theirs = 0;
    FILE *out;

    snprintf(command, sizeof(command), "%s %s digest", self, path);
    out = popen(command, "r");
    assert_non_null(out);
    assert_int_equal(fscanf(out, "%llx", &theirs), 1);
    assert_int_equal(pclose(out), 0);
    assert_true(theirs == digest);
  }
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(unbound_calls_are_named),
      cmocka_unit_test(wrong_files_are_refused),
      cmocka_unit_test(drivers_are_known_before_the_start),
      cmocka_unit_test(devices_of_other_buses_come_and_go),
      cmocka_unit_test(device_comes_and_goes),
      cmocka_unit_test(every_call_is_made),
      cmocka_unit_test(atomics_are_events),
      cmocka_unit_test(plain_accesses_of_statics_race),
      cmocka_unit_test(accesses_are_points),
      cmocka_unit_test(unbound_call_is_reached),
      cmocka_unit_test(warnings_are_findings),
      cmocka_unit_test(worlds_take_turns),
      cmocka_unit_test(subject_is_put_down),
      cmocka_unit_test(processes_agree),
  };
  char err[400] = "an argument is missing";

  self = argv[0];
  path = argv[1];
  if (argc > 1) object = kernel_object_load(path, err, sizeof(err));
  if (!object || kernel_object_load(path, err, sizeof(err)) != object) {
    fprintf(stderr, "%s\n", err);
    return 1;
  }
  kernel_subject_set(object);
  if (argc > 2) return printf("%llx\n", (unsigned long long)digest_of_seeds()) < 0;
  return cmocka_run_group_tests(tests, NULL, NULL);
}
