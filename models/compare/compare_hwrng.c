// SPDX-License-Identifier: GPL-2.0-or-later
//
// The hwrng core under a list of events: see compare_hwrng.h. The scenarios' onlooker is not there.
// Sections: plain devices; devices; events; looking; the scenario.
#include "models/compare/compare_hwrng.h"

#include <stddef.h>
#include <string.h>

#include "models/hwrng/hwrng_subject.h"
#include "models/hwrng/hwrng_world.h"
#include "models/hwrng/scene.h"
#include "sim/world.h"

enum { PLAIN_DEVICES = COMPARE_HWRNG_DEVICES - COMPARE_HWRNG_PLAIN, FEW = 3, LEN_MAX = 256 };

// A device whose driver is of these files; what it shall do next.
struct plain {
  struct hw_device hw;
  struct hwrng rng;
  bool init_fails;
  u32 gives, sleep_ms;
  int error;
  u32 given;
};

struct state {
  struct hwrng_world world;
  struct compare_stage stage;
  enum presence { ABSENT, ON_ITS_WAY, PRESENT } presence[COMPARE_HWRNG_DEVICES];
  struct bcm2835_dev bcm2835;
  struct bcm2835_driver bcm2835_driver;
  struct iproc_rng200_dev iproc;
  struct iproc_driver iproc_driver;
  struct plain plain[PLAIN_DEVICES];
  u32 inits[COMPARE_HWRNG_DEVICES], cleanups[COMPARE_HWRNG_DEVICES];
  u64 credited, credits, filled, early;
};

// The driver of the iproc-rng200 has its own name for all that it drives.
static const char *const names[COMPARE_HWRNG_NAMES] = {
    "bcm2835", "iproc-rng200", "plain.0", "plain.1", "", "none", "unknown"};

static struct state *the_state(void) { return sim_private(); }

// ---- Plain devices ----

static struct plain *plain_of(struct hwrng *rng) {
  return sim_container_of(rng, struct plain, rng);
}

static u32 number_of(const struct plain *plain) {
  return COMPARE_HWRNG_PLAIN + (u32)(plain - the_state()->plain);
}

static int plain_init(struct hwrng *rng) {
  const struct plain *plain = plain_of(rng);

  the_state()->inits[number_of(plain)]++;
  return plain->init_fails ? -SIM_EIO : 0;
}

static void plain_cleanup(struct hwrng *rng) { the_state()->cleanups[number_of(plain_of(rng))]++; }

static int plain_read(struct hwrng *rng, void *data, size_t max, bool wait) {
  struct plain *plain = plain_of(rng);
  u32 len = plain->gives < max ? plain->gives : (u32)max;

  if (wait && plain->sleep_ms)
    sim_schedule_timeout_interruptible((s64)sim_msecs_to_jiffies(plain->sleep_ms));
  if (plain->error) return plain->error;
  for (u32 i = 0; i < len; i++)
    ((u8 *)data)[i] = (u8)(sim_mix64(plain->given++) + number_of(plain));
  return (int)len;
}

static void plain_does(struct plain *plain, u64 what, u64 ms) {
  plain->init_fails = what == COMPARE_HWRNG_NO_INIT;
  plain->gives = what == COMPARE_HWRNG_GIVES_FEW       ? FEW
                 : what == COMPARE_HWRNG_GIVES_NOTHING ? 0
                                                       : LEN_MAX;
  plain->error = what == COMPARE_HWRNG_FAILS ? -SIM_EIO : 0;
  plain->sleep_ms = (u32)ms;
}

// ---- Devices ----

static int register_plain(struct plain *plain, u64 quality) {
  plain->rng = (struct hwrng){
      .name = plain->hw.name,
      .init = plain_init,
      .cleanup = plain_cleanup,
      .read = plain_read,
      .quality = (u16)quality,
  };
  return devm_hwrng_register(&plain->hw, &plain->rng);
}

static int come(struct state *state, u64 device, u64 quality) {
  const struct iproc_rng200_config iproc = {.suspect_pm = sim_suspect("iproc_pm")};
  struct bcm2835_rng_config bcm2835;
  int err;

  if (device == COMPARE_HWRNG_BCM2835) {
    bcm2835_rng_config_from_params(&bcm2835);
    bcm2835.mask_interrupts = quality % 2;
    err = bcm2835_driver_probe(&state->bcm2835, &bcm2835, &state->bcm2835_driver);
  } else if (device == COMPARE_HWRNG_IPROC) {
    err = iproc_driver_probe(&state->iproc, &iproc, &state->iproc_driver);
  } else {
    err = register_plain(&state->plain[device - COMPARE_HWRNG_PLAIN], quality);
  }
  return err;
}

static void go(struct state *state, u64 device) {
  struct plain *plain = &state->plain[device - COMPARE_HWRNG_PLAIN];

  if (device == COMPARE_HWRNG_BCM2835)
    bcm2835_driver_remove(&state->bcm2835_driver);
  else if (device == COMPARE_HWRNG_IPROC)
    iproc_driver_remove(&state->iproc_driver);
  else
    devm_hwrng_unregister(&plain->hw, &plain->rng);
}

// ---- Events ----

static void returned(u32 number, s64 value) {
  compare_note(COMPARE_HWRNG_F_RETURNED, number, (u64)value);
}

static void read_device(u32 number, const struct compare_event *event) {
  size_t len = event->arg[0];
  struct hwrng_file file;
  u8 buf[LEN_MAX];
  s64 got;

  if (hwrng_subject_open(&file, event->arg[1], false)) SIM_ASSERT(!"a file opens for reading");
  got = hwrng_subject_read(&file, buf, len);
  returned(number, got);
  if (got > 0) compare_note(COMPARE_HWRNG_F_GOT, number, compare_hash(buf, (size_t)got));
  hwrng_subject_close(&file);
}

// By its number among the names; one that it does not know is told as such.
static void show(u32 number) {
  char name[HWRNG_NAME_MAX];
  u32 i;

  hwrng_subject_current_show(name);
  for (i = 0; i < COMPARE_HWRNG_NAMES; i++)
    if (!strcmp(names[i], name)) break;
  compare_note(COMPARE_HWRNG_F_NAME, number, i);
}

static void get_stuck(struct state *state, u64 device, u64 ms) {
  struct hw_fifo *fifo =
      device == COMPARE_HWRNG_BCM2835 ? &state->bcm2835.fifo : &state->iproc.fifo;

  hw_fifo_advance(fifo);
  fifo->level = 0;
  fifo->stuck_until_ns = sim_clock_ns() + ms * SIM_NSEC_PER_MSEC;
  if (fifo->next_ns != UINT64_MAX && fifo->next_ns < fifo->stuck_until_ns)
    fifo->next_ns = fifo->stuck_until_ns;
}

static void register_device(struct state *state, u32 number, const u64 *arg) {
  int err;

  if (state->presence[arg[0]] != ABSENT) return;
  state->presence[arg[0]] = ON_ITS_WAY;
  err = come(state, arg[0], arg[1]);
  state->presence[arg[0]] = err ? ABSENT : PRESENT;
  returned(number, err);
}

static void unregister_device(struct state *state, u64 device) {
  if (state->presence[device] != PRESENT) return;
  state->presence[device] = ON_ITS_WAY;
  go(state, device);
  state->presence[device] = ABSENT;
}

static void run(u32 number, const struct compare_event *event) {
  struct state *state = the_state();
  const u64 *arg = event->arg;

  switch ((enum compare_hwrng_kind)event->kind) {
    case COMPARE_HWRNG_REGISTER:
      register_device(state, number, arg);
      break;
    case COMPARE_HWRNG_UNREGISTER:
      unregister_device(state, arg[0]);
      break;
    case COMPARE_HWRNG_READ:
      read_device(number, event);
      break;
    case COMPARE_HWRNG_CHOOSE:
      returned(number, hwrng_subject_current_store(names[arg[0]]));
      break;
    case COMPARE_HWRNG_SHOW:
      show(number);
      break;
    case COMPARE_HWRNG_QUALITY:
      returned(number, hwrng_subject_quality_store((u32)arg[0]));
      break;
    case COMPARE_HWRNG_SUSPEND:
      if (state->presence[COMPARE_HWRNG_IPROC] == PRESENT)
        iproc_driver_suspend(&state->iproc_driver);
      break;
    case COMPARE_HWRNG_RESUME:
      if (state->presence[COMPARE_HWRNG_IPROC] == PRESENT)
        iproc_driver_resume(&state->iproc_driver);
      break;
    case COMPARE_HWRNG_SIGNAL:
      (void)compare_signal((u32)arg[0]);
      break;
    case COMPARE_HWRNG_STUCK:
      get_stuck(state, arg[0], arg[1]);
      break;
    case COMPARE_HWRNG_PLAIN_DOES:
      plain_does(&state->plain[arg[0] - COMPARE_HWRNG_PLAIN], arg[1], arg[2]);
      break;
    case COMPARE_HWRNG_NUM_KINDS:
      break;
  }
  compare_note(COMPARE_HWRNG_F_ENDED, number, compare_now_ns());
}

// ---- Looking ----

static void on_credited(const u8 *data, size_t len, size_t bits) {
  struct state *state = the_state();

  state->credits++;
  state->credited += bits;
  state->filled = sim_mix64(state->filled) ^ compare_hash(data, len);
}

static void on_mixed(const u8 *data, size_t len) {
  struct state *state = the_state();

  state->early = sim_mix64(state->early) ^ compare_hash(data, len);
}

static void look(void) {
  const struct state *state = the_state();

  compare_note(COMPARE_HWRNG_F_CREDITED, 0, state->credited);
  compare_note(COMPARE_HWRNG_F_CREDITS, 0, state->credits);
  compare_note(COMPARE_HWRNG_F_FILLED, 0, state->filled);
  compare_note(COMPARE_HWRNG_F_EARLY, 0, state->early);
  compare_note(COMPARE_HWRNG_F_FILL, 0, hwrng_subject_fill() != NULL);
  for (u32 i = 0; i < COMPARE_HWRNG_DEVICES; i++) {
    compare_note(COMPARE_HWRNG_F_INITS, i, state->inits[i]);
    compare_note(COMPARE_HWRNG_F_CLEANUPS, i, state->cleanups[i]);
  }
  compare_note(COMPARE_HWRNG_F_ON, COMPARE_HWRNG_BCM2835, state->bcm2835.fifo.on);
  compare_note(COMPARE_HWRNG_F_ON, COMPARE_HWRNG_IPROC, state->iproc.fifo.on);
  compare_note(COMPARE_HWRNG_F_CLOCK, COMPARE_HWRNG_BCM2835, (u64)state->bcm2835.clk.enabled);
  compare_note(COMPARE_HWRNG_F_CLOCK_ONS, COMPARE_HWRNG_BCM2835, state->bcm2835.clk.times);
  compare_note(COMPARE_HWRNG_F_RESETS, COMPARE_HWRNG_BCM2835, state->bcm2835.reset.times);
}

static bool fill_runs(void) {
  const struct sim_task *fill = hwrng_subject_fill();

  return fill && sim_task_state(fill) == SIM_TASK_RUNNING;
}

// ---- The scenario ----

// The driver of the iproc-rng200 sleeps for 500 us and again, up to many thousand times: then the
// instructions in between add up. No tick at 250 Hz is so short.
enum { SLACK_NS = 2000000 };

static void wind_up(void) {
  for (u32 i = 0; i < COMPARE_HWRNG_DEVICES; i++) unregister_device(the_state(), i);
}

static void conductor(void *arg) {
  const struct compare_play play = {.run = run,
                                    .look = look,
                                    .runs = fill_runs,
                                    .wind_up = wind_up,
                                    .settle_ns = compare_hwrng_settle_ns(sim_hz())};

  (void)arg;
  compare_conduct(&play);
}

static void setup_devices(struct state *state) {
  // Such a word comes 10 us and more from a step of the clock, the first 24 times.
  const u32 slow_ns = 49940000, word_ns = sim_param("slow") ? slow_ns : 1;
  struct bcm2835_dev_config bcm2835;
  struct iproc_rng200_dev_config iproc;

  bcm2835_dev_config_default(&bcm2835);
  iproc_rng200_dev_config_default(&iproc);
  bcm2835.odd = iproc.odd = false;
  bcm2835.warm = true;
  bcm2835.word_ns = iproc.word_ns = word_ns;
  iproc.access_ns = 1;
  bcm2835_dev_init(&state->bcm2835, names[COMPARE_HWRNG_BCM2835], COMPARE_HWRNG_BCM2835, &bcm2835);
  iproc_rng200_dev_init(&state->iproc, names[COMPARE_HWRNG_IPROC], COMPARE_HWRNG_IPROC, &iproc);
  for (u32 i = 0; i < PLAIN_DEVICES; i++) {
    state->plain[i].hw.name = names[COMPARE_HWRNG_PLAIN + i];
    plain_does(&state->plain[i], COMPARE_HWRNG_GIVES, 0);
  }
}

static void setup(void) {
  struct state *state = sim_alloc_static(sizeof(*state), "state");

  sim_set_private(state);
  crng_standin_init(&state->world.crng, sim_param("crng_ready"), (u32)sim_param("uptime_s"));
  state->world.hooks.credited = on_credited;
  state->world.hooks.mixed = on_mixed;
  hwrng_subject_start(sim_nr_cpus() - 1, !sim_param("fill"));
  hwrng_core_set_version(&state->world.core, (enum hwrng_version)sim_param("version"));
  setup_devices(state);
  sim_task_new("conductor", conductor, NULL, 0);
}

static void set_version(struct sim_params *params, u32 linux_version) {
  char err[128];

  const char *version = linux_version < 6002 ? "6.1" : linux_version < 7000 ? "6.12" : "7.2";

  if (!sim_params_set(params, "version", version, err, sizeof(err))) SIM_ASSERT(!"a version");
}

static const char *const versions[] = {"7.2", "6.12", "6.1", NULL};

static const struct sim_param params[] = {
    SCENE_PARAM_POLICY,
    SCENE_PARAM_FILL,
    SCENE_PARAM_CRNG_READY,
    SCENE_PARAM_UPTIME,
    {"slow", 0, 0, 1, "", "bcm2835 and iproc-rng200 take 49.94 ms for a word; 0: no time"},
    {"version", 0, 0, 0, "", "of the kernel: see models/hwrng/hwrng_core.h", versions},
    COMPARE_MACHINE_PARAMS,
    {.name = NULL},
};

static const struct sim_suspect suspects[] = {
    SCENE_SUSPECT_INIT_TWICE,
    SCENE_SUSPECT_STALE_BUFFER,
    SCENE_SUSPECT_FILL_QUALITY,
    SCENE_SUSPECT_CREDIT_KEPT,
    SCENE_SUSPECT_DYING_SPIN,
    SCENE_SUSPECT_YIELD_IGNORED,
    SCENE_SUSPECT_STATUS_TWICE,
    {.name = "iproc_pm", .line = "as of hwrng-lifecycle", .oracles = (const char *const[]){NULL}},
    {.name = NULL},
};

static const struct sim_bug bugs[] = {
    SCENE_BUG_55,
    SCENE_BUG_56,
    SCENE_BUG_57,
    {.id = NULL},
};

static const struct sim_oracle *const oracles[] = {NULL};

static const struct sim_scenario scenario_compare_hwrng = {
    .name = "compare-hwrng",
    .claim = "the models of the hwrng core and two drivers do what a kernel's do",
    .params = params,
    .oracles = oracles,
    .suspects = suspects,
    .bugs = bugs,
    .input_len_max = 1,
    .yardstick_runs = 1,
    .testonly = true,
    .takes_kernel = true,
    .setup = setup,
};

static const struct compare_kind kinds[] = {
#define X(id, name, ...) {name, {__VA_ARGS__}},
    COMPARE_HWRNG_KINDS(X)
#undef X
};

static const struct compare_field fields[] = {
#define X(id, name, form, of) \
  {name, COMPARE_##form, of, COMPARE_##form == COMPARE_NS ? SLACK_NS : 0},
    COMPARE_HWRNG_FIELDS(X)
#undef X
};

const struct compare_family compare_hwrng = {
    .name = "hwrng",
    .scenario = &scenario_compare_hwrng,
    .kinds = kinds,
    .num_kinds = SIM_ARRAY_SIZE(kinds),
    .fields = fields,
    .num_fields = SIM_ARRAY_SIZE(fields),
    .stage = offsetof(struct state, stage),
    .generate = compare_hwrng_generate,
    .set_version = set_version,
};
