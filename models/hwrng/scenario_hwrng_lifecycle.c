// SPDX-License-Identifier: GPL-2.0-or-later
//
// hwrng-lifecycle: several devices come, are chosen, read, suspended and go, all at once.
//
// Two driver tasks each bring one device after the other, of a drawn kind and quality,
// and take it away again; in between an iproc-rng200 may see a system sleep, a qcom-rng
// the crypto layer. Readers open, read and close; one task writes rng_current and
// rng_quality; one sends signals.
#include "models/hwrng/hwrng_scenarios.h"

#include "models/hwrng/bcm2835_rng.h"
#include "models/hwrng/freezer.h"
#include "models/hwrng/iproc_rng200.h"
#include "models/hwrng/omap_rng.h"
#include "models/hwrng/oracles.h"
#include "models/hwrng/qcom_rng.h"
#include "models/hwrng/scene.h"
#include "models/hwrng/smccc_trng.h"
#include "models/hwrng/virtio_rng.h"
#include "sim/checker.h"
#include "sim/choice.h"
#include "sim/wait.h"
#include "sim/world.h"

enum { DRIVERS_MAX = 2, READERS_MAX = 4 };

// Kinds of device, the calm one first.
enum kind { KIND_BCM2835, KIND_IPROC, KIND_VIRTIO, KIND_SMCCC, KIND_OMAP, KIND_QCOM, KIND_COUNT };

static const char *const names[DRIVERS_MAX][KIND_COUNT] = {
    {"bcm2835.0", "iproc.0", "virtio.0", "smccc.0", "omap.0", "qcom.0"},
    {"bcm2835.1", "iproc.1", "virtio.1", "smccc.1", "omap.1", "qcom.1"},
};

// A place on the board for a device of each kind; its task uses one at a time.
struct slot {
  struct state *state;
  u32 index;
  enum kind kind;  // of the device that is there or was last
  bool present;
  struct bcm2835_dev bcm2835;
  struct iproc_rng200_dev iproc;
  struct virtio_rng_dev virtio;
  struct smccc_trng_dev smccc;
  struct omap_rng_hw omap;
  struct qcom_rng_hw qcom;
  // The driver of the device.
  struct bcm2835_driver bcm2835_driver;
  struct iproc_driver iproc_driver;
  struct virtio_driver virtio_driver;
  struct smccc_driver smccc_driver;
  struct omap_rng_dev *omap_priv;
  struct qcom_rng *qcom_rng;
};

struct state {
  struct hwrng_scene scene;
  struct freezer freezer;
  struct slot slots[DRIVERS_MAX];
  struct sim_task *readers[READERS_MAX];
  struct bcm2835_rng_config bcm2835_config;
  u32 num_drivers, num_readers, rounds, reads, chooses, num_signals;
  bool suspect_iproc_pm, suspect_virtio_stale_wake, suspect_virtio_clamp, suspect_qcom_waits;
  bool bug_67, bug_68, bug_71, bug_72, bug_75;
};

static struct state *the_state(void) { return sim_private(); }

// Between two system calls of a user task. The signal to freeze is not lost to a task that has just
// been thawed: it freezes again (recalc_sigpending keeps TIF_SIGPENDING while freezing()).
static void gate(struct state *state) {
  do {
    if (sim_signal_pending()) sim_clear_signals();
    try_to_freeze(&state->freezer);
    if (sim_signal_pending()) sim_clear_signals();
  } while (state->freezer.freezing);
}

// ---- Devices come and go ----

static u16 draw_quality(void) {
  static const u16 qualities[] = {0, 1, 100, 700};

  return qualities[sim_choose(sim_w, SIM_SITE_DRAW("quality", SIM_SITE_WORK, 0, 0),
                              SIM_ARRAY_SIZE(qualities))];
}

static int probe(struct slot *slot) {
  const struct state *state = slot->state;
  u16 quality = draw_quality();

  switch (slot->kind) {
    case KIND_BCM2835: {
      struct bcm2835_rng_config config = state->bcm2835_config;

      config.quality = quality;
      config.mask_interrupts = slot->index == 1;
      slot->bcm2835.config.warm = !scene_draw(SIM_SITE_DRAW("cold", SIM_SITE_WORK, 0, 0), 16);
      return bcm2835_driver_probe(&slot->bcm2835, &config, &slot->bcm2835_driver);
    }
    case KIND_IPROC: {
      struct iproc_rng200_config config = {quality, state->suspect_iproc_pm};

      return iproc_driver_probe(&slot->iproc, &config, &slot->iproc_driver);
    }
    case KIND_VIRTIO: {
      struct virtrng_config config = {quality, state->suspect_virtio_stale_wake,
                                      state->suspect_virtio_clamp, state->bug_67, state->bug_68};

      return virtio_driver_probe(&slot->virtio, &config, &slot->virtio_driver);
    }
    case KIND_SMCCC:
      return smccc_driver_probe(&slot->smccc, quality, state->bug_71, &slot->smccc_driver);
    case KIND_OMAP:
      return omap_rng_probe(&slot->omap, quality, state->bug_72, &slot->omap_priv);
    default: {
      struct qcom_rng_config config = {quality, state->suspect_qcom_waits, state->bug_75};

      return qcom_rng_probe(&slot->qcom, &config, &slot->qcom_rng);
    }
  }
}

static void remove_driver(struct slot *slot) {
  const struct sim_task *fill = hwrng_subject_fill();

  watch_reads();
  SIM_SOMETIMES("hwrng-lifecycle", "a reader sleeps in a driver at unregister", 20000,
                watch_reader_in_read(true));
  SIM_SOMETIMES("hwrng-lifecycle", "the fill thread sleeps at unregister", 20000,
                fill && sim_task_state(fill) != SIM_TASK_RUNNING);
  switch (slot->kind) {
    case KIND_BCM2835:
      bcm2835_driver_remove(&slot->bcm2835_driver);
      break;
    case KIND_IPROC:
      iproc_driver_remove(&slot->iproc_driver);
      break;
    case KIND_VIRTIO:
      virtio_driver_remove(&slot->virtio_driver);
      break;
    case KIND_SMCCC:
      smccc_driver_remove(&slot->smccc_driver);
      break;
    case KIND_OMAP:
      omap_rng_remove(slot->omap_priv);
      break;
    default:
      qcom_rng_remove(slot->qcom_rng);
      break;
  }
}

static void system_sleep(struct slot *slot) {
  struct state *state = slot->state;
  u32 op = watch_suspend_begin();

  if (!freeze_processes(&state->freezer, watch_send_signal)) {
    watch_suspend_end(op);
    return;
  }
  iproc_driver_suspend(&slot->iproc_driver);
  watch_suspended(op, &slot->iproc.hw);
  SIM_SOMETIMES("hwrng-lifecycle", "the fill thread reads while its device is suspended", 50000,
                state->scene.watch.num_calls > 0);
  scene_pause(9);
  watch_resuming(&slot->iproc.hw);
  iproc_driver_resume(&slot->iproc_driver);
  thaw_processes(&state->freezer);
}

static void crypto_reads(struct slot *slot) {
  u8 buf[SCENE_SIZE_MAX + WATCH_GUARD];
  u32 size = scene_draw_size();
  int err;

  watch_generate_begin(&slot->qcom.hw, buf, size);
  err = qcom_rng_generate(slot->qcom_rng, buf, size);
  watch_generate_end(&slot->qcom.hw, buf, size, err);
}

static void driver(void *arg) {
  struct slot *slot = arg;
  struct state *state = slot->state;

  for (u32 i = 0; i < state->rounds; i++) {
    gate(state);
    slot->kind =
        (enum kind)sim_choose(sim_w, SIM_SITE_DRAW("kind", SIM_SITE_WORK, 0, 0), KIND_COUNT);
    if (probe(slot)) continue;
    slot->present = true;
    scene_pause(1100);
    gate(state);
    if (slot->kind == KIND_IPROC && scene_draw(SIM_SITE_DRAW("sleep", SIM_SITE_WORK, 0, 0), 2))
      system_sleep(slot);
    if (slot->kind == KIND_QCOM && scene_draw(SIM_SITE_DRAW("crypto", SIM_SITE_WORK, 0, 0), 2))
      crypto_reads(slot);
    scene_pause(1100);
    gate(state);
    slot->present = false;
    remove_driver(slot);
  }
  freezer_leave(&state->freezer);
}

// ---- Users ----

static void reader(void *arg) {
  struct state *state = arg;

  for (u32 i = 0; i < state->reads; i++) {
    bool nonblock = scene_draw(SIM_SITE_DRAW("nonblock", SIM_SITE_WORK, 0, 0), 4);
    u8 buf[SCENE_SIZE_MAX + WATCH_GUARD];
    struct hwrng_file file;
    s64 rc;

    scene_pause(9);
    gate(state);
    if (hwrng_subject_open(&file, nonblock, false)) break;
    rc = watch_rng_dev_read(&file, buf, scene_draw_size());
    SIM_SOMETIMES("hwrng-lifecycle", "a read meets no device", 20000, rc == -SIM_ENODEV);
    SIM_SOMETIMES("hwrng-lifecycle", "a signal ends a read", 20000, rc == -SIM_ERESTARTSYS);
    watch_rng_dev_close(&file);
  }
  freezer_leave(&state->freezer);
}

static void chooser(void *arg) {
  struct state *state = arg;
  char name[HWRNG_NAME_MAX];

  for (u32 i = 0; i < state->chooses; i++) {
    scene_pause(9);
    gate(state);
    switch (sim_choose(sim_w, SIM_SITE_DRAW("choose", SIM_SITE_WORK, 0, 0), 7)) {
      case 1:
      case 2:
        watch_rng_current_store(names[0][state->slots[0].kind]);
        break;
      case 3:
        watch_rng_current_store(names[1][state->slots[1].kind]);
        break;
      case 4:
        SIM_SOMETIMES("hwrng-lifecycle", "\"none\" while a reader sleeps in a driver", 20000,
                      watch_reader_in_read(true));
        watch_rng_current_store("none");
        break;
      case 5:
        watch_rng_current_store("");
        break;
      case 6:
        watch_rng_quality_store(draw_quality());
        break;
      default:
        hwrng_subject_current_show(name);
        break;
    }
  }
  freezer_leave(&state->freezer);
}

static void signaller(void *arg) {
  struct state *state = arg;

  for (u32 i = 0; i < state->num_signals; i++) {
    u32 who =
        sim_choose(sim_w, SIM_SITE_DRAW("signal", SIM_SITE_WORK, 0, 0), 1 + state->num_readers);

    if (who == 0) continue;
    scene_pause(9);
    gate(state);
    if (sim_task_state(state->readers[who - 1]) == SIM_TASK_DEAD) continue;
    SIM_SOMETIMES("hwrng-lifecycle", "signal while a reader sleeps in a driver", 20000,
                  watch_reader_in_read(true));
    watch_send_signal(state->readers[who - 1]);
  }
  freezer_leave(&state->freezer);
}

// ---- The scenario ----

static void setup_slot(struct state *state, u32 index) {
  struct slot *slot = &state->slots[index];
  struct iproc_rng200_dev_config iproc_config;
  struct bcm2835_dev_config bcm2835_config;
  u8 id = (u8)(index * KIND_COUNT);

  bcm2835_dev_config_default(&bcm2835_config);
  iproc_rng200_dev_config_default(&iproc_config);
  bcm2835_config.odd = iproc_config.odd = sim_param("odd");
  slot->state = state;
  slot->index = index;
  bcm2835_dev_init(&slot->bcm2835, names[index][KIND_BCM2835], id + KIND_BCM2835, &bcm2835_config);
  iproc_rng200_dev_init(&slot->iproc, names[index][KIND_IPROC], id + KIND_IPROC, &iproc_config);
  virtio_rng_dev_init(&slot->virtio, names[index][KIND_VIRTIO], id + KIND_VIRTIO);
  slot->virtio.hostile = sim_param("hostile");
  smccc_trng_dev_init(&slot->smccc, names[index][KIND_SMCCC], id + KIND_SMCCC);
  omap_rng_hw_init(&slot->omap, names[index][KIND_OMAP], id + KIND_OMAP);
  qcom_rng_hw_init(&slot->qcom, names[index][KIND_QCOM], id + KIND_QCOM);
}

static void setup(void) {
  struct state *state = scene_setup(sizeof(*state));
  u32 num_cpus = sim_world_config(sim_w)->num_cpus;
  u32 cpu = 0;

  state->num_drivers = (u32)sim_param("drivers");
  state->num_readers = (u32)sim_param("readers");
  state->rounds = (u32)sim_param("rounds");
  state->reads = (u32)sim_param("reads");
  state->chooses = (u32)sim_param("chooses");
  state->num_signals = (u32)sim_param("signals");
  state->suspect_iproc_pm = sim_suspect("iproc_pm");
  state->suspect_virtio_stale_wake = sim_suspect("virtio_stale_wake");
  state->suspect_virtio_clamp = sim_suspect("virtio_clamp");
  state->suspect_qcom_waits = sim_suspect("qcom_waits");
  state->bug_67 = sim_bug("67");
  state->bug_68 = sim_bug("68");
  state->bug_71 = sim_bug("71");
  state->bug_72 = sim_bug("72");
  state->bug_75 = sim_bug("75");
  bcm2835_rng_config_from_params(&state->bcm2835_config);
  freezer_init(&state->freezer);
  for (u32 i = 0; i < DRIVERS_MAX; i++) setup_slot(state, i);

  for (u32 i = 0; i < state->num_drivers; i++)
    freezer_add(&state->freezer,
                sim_task_new("driver", driver, &state->slots[i], cpu++ % num_cpus));
  for (u32 i = 0; i < state->num_readers; i++) {
    state->readers[i] = sim_task_new("reader", reader, state, cpu++ % num_cpus);
    freezer_add(&state->freezer, state->readers[i]);
  }
  freezer_add(&state->freezer, sim_task_new("chooser", chooser, state, cpu++ % num_cpus));
  freezer_add(&state->freezer, sim_task_new("signaller", signaller, state, cpu++ % num_cpus));
}

static void heal(void) {
  struct state *state = the_state();

  for (u32 i = 0; i < DRIVERS_MAX; i++) {
    bcm2835_dev_heal(&state->slots[i].bcm2835);
    iproc_rng200_dev_heal(&state->slots[i].iproc);
  }
}

static void check(void) { watch_check(&the_state()->scene.watch); }

static const struct sim_param params[] = {
    SCENE_PARAM_POLICY,
    {"drivers", 2, 1, DRIVERS_MAX, "", "tasks that bring and take devices"},
    {"rounds", 2, 0, 7, "", "devices of each"},
    {"readers", 2, 0, READERS_MAX, "", "readers"},
    {"reads", 3, 0, 1000, "", "reads of each"},
    {"chooses", 4, 0, 1000, "", "writes to rng_current and rng_quality"},
    {"signals", 1, 0, 1000, "", "signals, at most"},
    {"odd", 1, 0, 1, "", "bcm2835 and iproc-rng200 may misbehave"},
    {"hostile", 0, 0, 1, "", "the host of a virtio device may lie"},
    SCENE_PARAMS,
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
    {.name = "iproc_pm",
     .line = "suspend and resume of iproc-rng200 do not know of reads, restarts and disuse",
     .oracles = (const char *const[]){"hwrng-balance", "hwrng-driver-bytes", NULL}},
    {.name = "virtio_stale_wake",
     .line = "cleanup's wake-up is left for the next user, whose read with wait returns 0",
     .oracles = (const char *const[]){"hwrng-read-gives-up", NULL}},
    {.name = "virtio_clamp",
     .line =
         "what is left of an answer is taken for its length: bytes are dropped, or never asked for",
     .oracles = (const char *const[]){"hwrng-driver-loses", "hwrng-read-unasked", NULL}},
    {.name = "qcom_waits",
     .line = "the read of qcom-rng waits for words although it is told not to",
     .oracles = (const char *const[]){"hwrng-read-blocks", NULL}},
    {.name = NULL},
};

static const struct sim_bug bugs[] = {
    SCENE_BUG_UNMARKED,
    SCENE_BUG_55,
    SCENE_BUG_57,
    {.id = "67", .line = "virtio-rng is read before DRIVER_OK; e052dbf55461"},
    {"68", "virtio-rng believes the length that the host tells; CVE-2026-64456", "hostile", "1"},
    {.id = "71", .line = "arm_smccc_trng returns an error instead of trying again; 042b4b169c6f"},
    {.id = "72", .line = "omap-rng waits 200 us for what takes 700; be867f987a4e"},
    {.id = "75", .line = "qcom-rng never ends, or leaves bytes, on sizes not a multiple of 4"},
    {.id = NULL},
};

const struct sim_scenario scenario_hwrng_lifecycle = {
    .name = "hwrng-lifecycle",
    .claim = "devices come, are chosen, read, suspended and go, and every byte and count is right",
    .params = params,
    .oracles = hwrng_oracles,
    .suspects = suspects,
    .bugs = bugs,
    .input_len_max = 2048,
    .yardstick_runs = 200000,
    .hooked = SIM_HOOKED_TWIN(scenario_hwrng_lifecycle),
    .takes_kernel = true,
    .refuses = hwrng_subject_refuses,
    .setup = setup,
    .heal = heal,
    .stuck = watch_stuck,
    .check = check,
};
