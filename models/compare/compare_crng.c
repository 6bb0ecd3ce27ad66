// SPDX-License-Identifier: GPL-2.0-or-later
//
// The CRNG under a list of events: see compare_crng.h. It is set up without the scenarios'
// onlooker; what is noted of it comes from its hooks, from what calls return, and from looking at
// its state.
// Sections: what its hooks tell; events; looking; the scenario.
#include "models/compare/compare_crng.h"

#include <stddef.h>
#include <stdio.h>

#include "models/crng/crng.h"
#include "models/crng/crng_scene.h"
#include "models/crng/crng_subject.h"
#include "models/crng/kernel_crng.h"
#include "models/kernel/kernel_object.h"
#include "sim/cpu.h"
#include "sim/world.h"

struct notifier {
  struct sim_notifier nb;
  u32 index, field;
};

struct state {
  struct compare_stage stage;
  struct crng rng;
  struct crng_timer_state disk[COMPARE_CRNG_DISKS];
  struct notifier on_ready[COMPARE_CRNG_NOTIFIERS], on_fork[COMPARE_CRNG_NOTIFIERS];
  u64 credited, init_done, queued, nowhere, extractions, blocks;
  u64 pool_len, pool;  // since the last extraction
};

// ---- What its hooks tell ----

static bool is_pool(const struct state *state, const struct crng_hash *hash) {
  return (const void *)hash == crng_subject_pool(&state->rng);
}

static void hash_begin(void *arg, const struct crng_hash *hash, const u8 *key) {
  (void)arg, (void)hash, (void)key;
}

// The pool's content is what was mixed, however it was cut into pieces.
static void hash_update(void *arg, const struct crng_hash *hash, const void *data, size_t len) {
  struct state *state = arg;
  const u8 *at = data;

  if (!is_pool(state, hash)) return;
  state->pool_len += len;
  for (size_t i = 0; i < len; i++) state->pool = (state->pool ^ at[i]) * 0x100000001b3ull;
}

static void hash_final(void *arg, const struct crng_hash *hash, const u8 *out) {
  struct state *state = arg;

  (void)out;
  if (!is_pool(state, hash)) return;
  state->extractions++;
  state->pool_len = state->pool = 0;
}

static void block(void *arg, const u8 *key, u64 counter, const u8 *out) {
  struct state *state = arg;

  (void)key, (void)counter, (void)out;
  state->blocks++;
}

static void offered(void *arg, enum crng_source source, const void *data, size_t len, u32 bits) {
  (void)arg, (void)source, (void)data, (void)len, (void)bits;
}

// Beyond 256 bits a tree does not tell what it was asked for.
static void credited(void *arg, size_t bits, u32 before, u32 after) {
  struct state *state = arg;

  (void)bits;
  state->credited += after - before;
}

static void base_key(void *arg, const u8 *key, u64 generation) {
  (void)arg, (void)key, (void)generation;
}

static void stage_is(void *arg, u32 stage) { (void)arg, (void)stage; }

static void queueing(void *arg, bool exists) {
  struct state *state = arg;

  if (exists)
    state->queued++;
  else
    state->nowhere++;
}

static void page(void *arg, u64 generation) { (void)arg, (void)generation; }

static void init_done(void *arg, u32 stage) {
  struct state *state = arg;

  (void)stage;
  state->init_done++;
}

static void came(void *arg, u32 cpu) { (void)arg, (void)cpu; }

static const struct crng_hooks hooks = {
    .hash_begin = hash_begin,
    .hash_update = hash_update,
    .hash_final = hash_final,
    .block = block,
    .offered = offered,
    .credited = credited,
    .base_key = base_key,
    .stage = stage_is,
    .queueing = queueing,
    .page = page,
    .init_done = init_done,
    .came = came,
};

// ---- Events ----

static int told(struct sim_notifier *nb, unsigned long action, void *data) {
  const struct notifier *notifier = sim_container_of(nb, struct notifier, nb);
  const struct state *state = sim_private();

  (void)action, (void)data;
  compare_note(notifier->field, notifier->index, compare_now_ns());
  if (notifier->field == COMPARE_CRNG_F_TOLD)
    compare_note(COMPARE_CRNG_F_TOLD_STAGE, notifier->index, crng_subject_stage(&state->rng));
  else
    compare_note(COMPARE_CRNG_F_FORK_GENERATION, notifier->index,
                 crng_subject_base_generation(&state->rng));
  return 0;
}

static void returned(u32 number, s64 value) {
  compare_note(COMPARE_CRNG_F_RETURNED, number, (u64)value);
}

static void read_bytes(struct state *state, u32 number, const struct compare_event *event) {
  size_t len = event->arg[0];
  u8 *buf = sim_zalloc(len + 1, "bytes");
  s64 got = (s64)len;

  if (event->kind == COMPARE_CRNG_GETRANDOM) {
    got = crng_subject_getrandom(&state->rng, buf, len, (u32)event->arg[1]);
    returned(number, got);
  } else {
    crng_subject_get_random_bytes(&state->rng, buf, len);
  }
  if (got > 0) compare_note(COMPARE_CRNG_F_GOT, number, compare_hash(buf, (size_t)got));
  sim_free(buf);
}

static void read_batched(struct state *state, u32 number, const struct compare_event *event) {
  u64 hash = 0, times = event->arg[1];
  u32 kind = (u32)__builtin_ctzll(event->arg[0]);

  while (times--)
    hash = sim_mix64(hash ^ crng_subject_get_random_batched(&state->rng, kind)) + times;
  compare_note(COMPARE_CRNG_F_GOT, number, hash);
}

// Those that give the CRNG `len` bytes.
static void give(struct state *state, u32 number, const struct compare_event *event) {
  size_t len = event->arg[0];
  struct crng *rng = &state->rng;
  u8 buf[256];

  SIM_ASSERT(len <= sizeof(buf));
  compare_data(compare_list()->seed ^ (u64)number << 32, buf, len);
  if (event->kind == COMPARE_CRNG_BOOTLOADER)
    crng_subject_add_bootloader_randomness(rng, buf, len);
  else if (event->kind == COMPARE_CRNG_DEVICE)
    crng_subject_add_device_randomness(rng, buf, len);
  else if (event->kind == COMPARE_CRNG_HWGENERATOR)
    crng_subject_add_hwgenerator_randomness(rng, buf, len, event->arg[1], event->arg[2]);
  else
    crng_subject_add_user_randomness(rng, buf, len, event->arg[1]);
}

static void fork_machine(struct state *state, u32 number, size_t len) {
  u8 id[128];

  SIM_ASSERT(len <= sizeof(id));
  compare_data(compare_list()->seed ^ (u64)number << 32, id, len);
  crng_subject_add_vmfork_randomness(&state->rng, id, len);
}

static void init_early(struct state *state) {
  unsigned long flags;

  sim_local_irq_save(flags);
  crng_subject_random_init_early(&state->rng, "console=ttyS0 quiet");
  sim_local_irq_restore(flags);
}

static void run(u32 number, const struct compare_event *event) {
  struct state *state = sim_private();
  struct crng *rng = &state->rng;
  const u64 *arg = event->arg;

  switch ((enum compare_crng_kind)event->kind) {
    case COMPARE_CRNG_WORKQUEUES:
      crng_subject_workqueue_init(rng);
      break;
    case COMPARE_CRNG_INIT_EARLY:
      init_early(state);
      break;
    case COMPARE_CRNG_INIT:
      crng_subject_random_init(rng);
      break;
    case COMPARE_CRNG_BOOTLOADER:
    case COMPARE_CRNG_DEVICE:
    case COMPARE_CRNG_HWGENERATOR:
    case COMPARE_CRNG_USER:
      give(state, number, event);
      break;
    case COMPARE_CRNG_INTERRUPT:
      for (u64 i = 0; i < arg[1]; i++) crng_subject_add_interrupt_randomness(rng, (u32)arg[0]);
      break;
    case COMPARE_CRNG_DISK:
      crng_subject_add_disk_randomness(rng, &state->disk[arg[0]], (u32)arg[1]);
      break;
    case COMPARE_CRNG_INPUT:
      crng_subject_add_input_randomness(rng, (u32)arg[0], (u32)arg[1], (u32)arg[2]);
      break;
    case COMPARE_CRNG_GETRANDOM:
    case COMPARE_CRNG_BYTES:
      read_bytes(state, number, event);
      break;
    case COMPARE_CRNG_BATCHED:
      read_batched(state, number, event);
      break;
    case COMPARE_CRNG_WAIT:
      returned(number, crng_subject_wait_for_random_bytes(rng));
      break;
    case COMPARE_CRNG_EXECUTE:
      returned(number, crng_subject_execute_with_initialized_rng(rng, &state->on_ready[arg[0]].nb));
      break;
    case COMPARE_CRNG_ON_FORK:
      returned(number, crng_subject_register_vmfork_notifier(rng, &state->on_fork[arg[0]].nb));
      break;
    case COMPARE_CRNG_FORK:
      fork_machine(state, number, arg[0]);
      break;
    case COMPARE_CRNG_PM:
      crng_subject_random_pm_notification(rng, (enum crng_pm_action)arg[0]);
      break;
    case COMPARE_CRNG_DOWN:
      if (event->cpu) returned(number, sim_cpu_down(event->cpu));
      break;
    case COMPARE_CRNG_UP:
      returned(number, sim_cpu_up(event->cpu));
      break;
    case COMPARE_CRNG_SIGNAL:
      (void)compare_signal((u32)arg[0]);
      break;
    case COMPARE_CRNG_RESEED:
      crng_subject_reseed(rng);
      break;
    case COMPARE_CRNG_NUM_KINDS:
      break;
  }
  compare_note(COMPARE_CRNG_F_ENDED, number, compare_now_ns());
}

// ---- Looking ----

static void look_at_cpu(const struct crng *rng, u32 cpu) {
  compare_note(COMPARE_CRNG_F_CPU_GENERATION, cpu, crng_subject_cpu_generation(rng, cpu));
  compare_note(COMPARE_CRNG_F_CPU_KEY, cpu,
               compare_hash(crng_subject_cpu_key(rng, cpu), CRNG_KEY_LEN));
  compare_note(COMPARE_CRNG_F_FAST_POOL, cpu,
               compare_hash(crng_subject_fast_pool(rng, cpu), 4 * sizeof(u64)));
  compare_note(COMPARE_CRNG_F_FAST_COUNT, cpu, crng_subject_fast_count(rng, cpu));
  compare_note(COMPARE_CRNG_F_FAST_TIMER, cpu, crng_subject_fast_timer_pending(rng, cpu));
  for (u32 kind = 0; kind < CRNG_BATCH_KINDS; kind++) {
    struct crng_batch_view batch = crng_subject_batch(rng, kind, cpu);
    u32 index = cpu * CRNG_BATCH_KINDS + kind;

    compare_note(COMPARE_CRNG_F_BATCH, index, compare_hash(batch.entropy, CRNG_BATCH_LEN));
    compare_note(COMPARE_CRNG_F_BATCH_POSITION, index, batch.position);
    compare_note(COMPARE_CRNG_F_BATCH_GENERATION, index, batch.generation);
  }
}

static void look(void) {
  struct state *state = sim_private();
  struct crng *rng = &state->rng;
  const struct crng_vdso_page *vdso = crng_subject_page(rng);
  const struct {
    u32 field;
    u64 value;
  } seen[] = {
      {COMPARE_CRNG_F_CREDITED, state->credited},
      {COMPARE_CRNG_F_CREDIT, crng_subject_init_bits(rng)},
      {COMPARE_CRNG_F_STAGE, crng_subject_stage(rng)},
      {COMPARE_CRNG_F_STATIC_KEY, crng_subject_static_key(rng)},
      {COMPARE_CRNG_F_INIT_DONE, state->init_done},
      {COMPARE_CRNG_F_QUEUED, state->queued},
      {COMPARE_CRNG_F_NOWHERE, state->nowhere},
      {COMPARE_CRNG_F_POOL_LEN, state->pool_len},
      {COMPARE_CRNG_F_POOL, state->pool},
      {COMPARE_CRNG_F_EXTRACTIONS, state->extractions},
      {COMPARE_CRNG_F_BLOCKS, state->blocks},
      {COMPARE_CRNG_F_BASE_KEY, compare_hash(crng_subject_base_key(rng), CRNG_KEY_LEN)},
      {COMPARE_CRNG_F_GENERATION, crng_subject_base_generation(rng)},
      {COMPARE_CRNG_F_PAGE_GENERATION, vdso->generation},
      {COMPARE_CRNG_F_PAGE_READY, vdso->is_ready},
      {COMPARE_CRNG_F_NEXT_RESEED, crng_subject_next_reseed(rng)},
  };

  for (u32 i = 0; i < SIM_ARRAY_SIZE(seen); i++) compare_note(seen[i].field, 0, seen[i].value);
  for (u32 cpu = 0; cpu < sim_nr_cpus(); cpu++) look_at_cpu(rng, cpu);
}

// ---- The scenario ----

static void conductor(void *arg) {
  const struct compare_play play = {
      .run = run, .look = look, .settle_ns = compare_crng_settle_ns(sim_hz())};

  (void)arg;
  compare_conduct(&play);
}

static int prepare(u32 cpu) {
  struct state *state = sim_private();

  return crng_subject_random_prepare_cpu(&state->rng, cpu);
}

static int online(u32 cpu) {
  struct state *state = sim_private();

  return crng_subject_random_online_cpu(&state->rng, cpu);
}

static void setup(void) {
  struct state *state = sim_alloc_static(sizeof(*state), "state");
  const struct crng_platform platform = {
      .version = (enum crng_version)sim_param("version"),
      .arch_longs = (u32)sim_param("arch_longs"),
      .trust_cpu = sim_param("trust_cpu"),
      .trust_boot = sim_param("trust_boot"),
      .uptime_s = (u64)sim_param("uptime_s"),
      .clock_step_ns = COMPARE_STEP_NS,
  };

  sim_set_private(state);
  for (u32 i = 0; i < COMPARE_CRNG_NOTIFIERS; i++) {
    state->on_ready[i] = (struct notifier){{.fn = told}, i, COMPARE_CRNG_F_TOLD};
    state->on_fork[i] = (struct notifier){{.fn = told}, i, COMPARE_CRNG_F_FORK_TOLD};
  }
  state->rng.hooks = hooks;
  state->rng.hooks.arg = state;
  crng_scene_quirks(&state->rng.quirks);
  crng_subject_setup(&state->rng, &platform);
  if (sim_cpuhp_setup_state("random:prepare", prepare, NULL, false) < 0) SIM_ASSERT(!"a state");
  if (sim_cpuhp_setup_state("random:online", online, NULL, true) < 0) SIM_ASSERT(!"a state");
  sim_task_new("conductor", conductor, NULL, 0);
}

static void set_version(struct sim_params *params, u32 linux_version) {
  char err[128], value[8];

  snprintf(value, sizeof(value), "%d", kernel_crng_version(linux_version));
  if (!sim_params_set(params, "version", value, err, sizeof(err))) SIM_ASSERT(!"a version");
}

static const struct sim_param params[] = {
    {"num_cpus", 1, 1, COMPARE_CRNG_CPUS_MAX, "CPUs", "processors of the machine"},
    {"arch_longs", 0, 0, 8, "", "words of 8 that the processor gives early; 0: it has none"},
    {"trust_cpu", 1, 0, 1, "", "credit the processor's words at boot"},
    {"trust_boot", 1, 0, 1, "", "credit the boot loader's seed"},
    {"uptime_s", 0, 0, 100000, "s", "uptime of the machine when the world begins"},
    {"version", 0, 0, 0, "", "of the kernel: see models/crng/crng.h", crng_scene_versions},
    COMPARE_MACHINE_PARAMS,
    {.name = NULL},
};

static const struct sim_suspect suspects[] = {
    CRNG_SCENE_SUSPECT_READY_NOTIFIER, CRNG_SCENE_SUSPECT_RESEED_OVERTAKEN,
    CRNG_SCENE_SUSPECT_VMFORK_UNREADY, CRNG_SCENE_SUSPECT_HOTPLUG_TIMER,
    CRNG_SCENE_SUSPECT_IS_READY,       {.name = NULL},
};

static const struct sim_bug bugs[] = {
    CRNG_SCENE_BUG_2,
    CRNG_SCENE_BUG_7,
    CRNG_SCENE_BUG_10,
    CRNG_SCENE_BUG_12,
    CRNG_SCENE_BUG_13,
    CRNG_SCENE_BUG_14,
    CRNG_SCENE_BUG_15,
    CRNG_SCENE_BUG_16,
    CRNG_SCENE_BUG_SEED_EARLY,
    CRNG_SCENE_BUG_SEED_STRING,
    CRNG_SCENE_BUG_BATCH_END,
    CRNG_SCENE_BUG_PREPARE_KEY,
    CRNG_SCENE_BUG_PREPARE_BATCHES,
    CRNG_SCENE_BUG_POOL_KEY,
    CRNG_SCENE_BUG_FORK_TOLD,
    CRNG_SCENE_BUG_NOT_QUEUED,
    CRNG_SCENE_BUG_RESUME,
    {.id = NULL},
};

static const struct sim_oracle *const oracles[] = {NULL};

static const struct sim_scenario scenario_compare_crng = {
    .name = "compare-crng",
    .claim = "the model of random.c does what a kernel's random.c does",
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
    COMPARE_CRNG_KINDS(X)
#undef X
};

static const struct compare_field fields[] = {
#define X(id, name, form, of) {name, COMPARE_##form, of, 0},
    COMPARE_CRNG_FIELDS(X)
#undef X
};

const struct compare_family compare_crng = {
    .name = "crng",
    .scenario = &scenario_compare_crng,
    .kinds = kinds,
    .num_kinds = SIM_ARRAY_SIZE(kinds),
    .fields = fields,
    .num_fields = SIM_ARRAY_SIZE(fields),
    .stage = offsetof(struct state, stage),
    .generate = compare_crng_generate,
    .set_version = set_version,
};
