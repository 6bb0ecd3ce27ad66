// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the CRNG's scenarios share: model and onlooker, parameters, planted bugs and
// suspects, data by counter, and draws of the workload.
#ifndef SEEDBED_MODELS_CRNG_CRNG_SCENE_H_
#define SEEDBED_MODELS_CRNG_CRNG_SCENE_H_

#include "models/crng/crng.h"
#include "models/crng/crng_watch.h"
#include "sim/choice.h"
#include "sim/cpu.h"
#include "sim/scenario.h"

// The beginning of such a scenario's private state.
struct crng_scene {
  struct crng rng;
  struct crng_watch watch;
  u64 words;  // data words that sources have given
};

// crng_scene_setup allocates a zeroed scene of `size` bytes that begins with struct
// crng_scene, makes it the world's private state and prepares model and onlooker by the
// parameters. In set-up.
void *crng_scene_setup(size_t size);
// In set-up: the planted bugs and suspects that are on.
void crng_scene_quirks(struct crng_quirks *out_quirks);
// The same as crng_scene_setup in memory that exists.
void crng_scene_init(struct crng_scene *scene);

// Fills `buf` with data of a source: each word is another.
void crng_scene_data(struct crng_scene *scene, void *buf, size_t len);
// Makes the CRNG ready at once: a trusted seed. In set-up, after crng_workqueue_init.
void crng_scene_make_ready(struct crng_scene *scene);

// Names of enum crng_version; and of those whose kernels have a page for the vDSO.
extern const char *const crng_scene_versions[];
extern const char *const crng_scene_versions_vdso[];

// The bounds of stretches with interrupts or preemption off, 10 and 20 ms, are those of a machine
// whose clocks are near each other and whose accesses are no slower than this: with interrupts off
// the CRNG waits for a lock that each other CPU may hold.
enum { CRNG_SCENE_SKEW_NS_MAX = 1000000, CRNG_SCENE_COST_NS_MAX = 20000 };
// In set-up: the longest of the scenario's tasks makes so many pauses (crng_scene_pause), and gives
// to the CRNG so many times, after each of which it may sleep for the reseed interval. Phase two's
// budget grows by that.
void crng_scene_work(u32 pauses, u32 gifts);

// Parameters that crng_scene_setup reads, and the end of a table.
#define CRNG_SCENE_PARAMS CRNG_SCENE_PARAMS_OF(crng_scene_versions)
#define CRNG_SCENE_PARAMS_OF(versions)                                                      \
  {"arch_longs", 0, 0, 8, "", "words of 8 that the processor gives early; 0: it has none"}, \
      CRNG_SCENE_PARAMS_ARCH(versions)
// The same for scenarios whose processor is modelled; they have a parameter arch_longs that is 0.
#define CRNG_SCENE_PARAMS_ARCH(versions)                                                   \
  {"trust_cpu", 1, 0, 1, "", "credit the processor's words at boot"},                      \
      {"trust_boot", 1, 0, 1, "", "credit the boot loader's seed"},                        \
      {"jitter", 0, 0, 1000, "", "samples that make a bit of jitter; 0: no such source"},  \
      {"uptime_s", 0, 0, 100000, "s", "uptime of the machine when the world begins"},      \
      {"version", 0, 0, 0, "", "of the kernel: see models/crng/crng.h", versions},         \
      {"wake_ms", 500, 1, 100000, "ms", "bound of a wake-up by READY or a signal"},        \
      {"chaos_ns", 3000000000, 0, 1000000000000, "ns", "virtual length of phase one"},     \
      {"skew_ns", 2000,                                                                    \
       1,         CRNG_SCENE_SKEW_NS_MAX,                                                  \
       "ns",      "how far a runnable CPU's clock may lag the fastest"},                   \
      {"access_cost_ns",       10,   1,                                                    \
       CRNG_SCENE_COST_NS_MAX, "ns", "a marked access or a light primitive"},              \
      {"lock_cost_ns", 25, 1, CRNG_SCENE_COST_NS_MAX, "ns", "taking or releasing a lock"}, \
      {"rcu_gp_ns", 8000000, 0, 200000000, "ns", "shortest RCU grace period"}, {           \
    .name = NULL                                                                           \
  }

// Suspects.
extern const char *const crng_scene_trips_credit[];
extern const char *const crng_scene_trips_notify[];
extern const char *const crng_scene_trips_vdso[];
extern const char *const crng_scene_trips_provenance[];
extern const char *const crng_scene_trips_sleep[];
extern const char *const crng_scene_trips_mixed[];
#define CRNG_SCENE_SUSPECT_JITTER_UNMIXED                                                \
  {                                                                                      \
    "jitter_unmixed", "6.1: jitter is credited by a timer before its task has mixed it", \
        crng_scene_trips_credit                                                          \
  }
#define CRNG_SCENE_SUSPECT_READY_NOTIFIER                                                       \
  {                                                                                             \
    "ready_notifier", "who asks to be called while the CRNG becomes ready may never be called", \
        crng_scene_trips_notify                                                                 \
  }
#define CRNG_SCENE_SUSPECT_RESEED_OVERTAKEN                                                     \
  {                                                                                             \
    "reseed_overtaken", "a reseed that another overtook puts its older key over the newer one", \
        crng_scene_trips_provenance                                                             \
  }
#define CRNG_SCENE_SUSPECT_VMFORK_UNREADY                                                    \
  {                                                                                          \
    "vmfork_unready", "a fork while the CRNG becomes ready leaves a key of before the fork", \
        crng_scene_trips_provenance                                                          \
  }
#define CRNG_SCENE_SUSPECT_VMGENID_HARDIRQ                                                  \
  {                                                                                         \
    "vmgenid_hardirq", "the device tree's vmgenid calls the blocking chain in its hardirq", \
        crng_scene_trips_sleep                                                              \
  }
#define CRNG_SCENE_SUSPECT_HOTPLUG_TIMER                                                       \
  {                                                                                            \
    "hotplug_timer", "a CPU that goes and comes within a tick may never mix interrupts again", \
        crng_scene_trips_mixed                                                                 \
  }
#define CRNG_SCENE_SUSPECT_IS_READY                                                             \
  {                                                                                             \
    "vdso_is_ready", "the vDSO may find is_ready set and the generation still 0 (with weak=1)", \
        crng_scene_trips_vdso                                                                   \
  }

// Planted bugs. Those with a number are the kernel's, with the commit that mended it.
#define CRNG_SCENE_BUG_2 \
  { "2", "a reseed takes the batches' lock inside the base key's; 4a072c71f49b" }
#define CRNG_SCENE_BUG_4                                                                   \
  {                                                                                        \
    "4", "a pointer to keys is published beside readers that load it plain; 5d73d1e320c3", \
        "hooks", "2"                                                                       \
  }
#define CRNG_SCENE_BUG_5                                                                         \
  {                                                                                              \
    "5", "the age of a key is read and written without a mark or a lock; 009ba8568be4", "hooks", \
        "2"                                                                                      \
  }
#define CRNG_SCENE_BUG_6 \
  { "6", "the timings of a device are read and written without a mark; e00d996a4317", "hooks", "2" }
#define CRNG_SCENE_BUG_UNMARKED                                                               \
  {                                                                                           \
    "unmarked", "crng_init and the last input value are read and written plain, as 7.2 does", \
        "hooks", "2"                                                                          \
  }
#define CRNG_SCENE_BUG_7 \
  { "7", "work is queued before there are work queues; f7e67b8e8031" }
#define CRNG_SCENE_BUG_10 \
  { "10", "interrupts before EARLY feed a key that is thrown away; c30c575" }
#define CRNG_SCENE_BUG_12 \
  { "12", "nothing is reset when a CPU comes; 3191dd5a1179" }
#define CRNG_SCENE_BUG_13 \
  { "13", "batches are used before READY; cbe89e5a375a" }
#define CRNG_SCENE_BUG_14 \
  { "14", "an interrupt is hashed into the pool in hardirq; e3e33fc2ea7f" }
#define CRNG_SCENE_BUG_15 \
  { "15", "a fast pool is mixed after 64 interrupts; 534d2eaf1970" }
#define CRNG_SCENE_BUG_16 \
  { "16", "interrupts are credited beyond the bits that were mixed; e78a802a7b4f" }
#define CRNG_SCENE_BUG_21 \
  { "21", "the static key is switched by whoever credits, in atomic context too; e871abcda3b6" }
#define CRNG_SCENE_BUG_SEED_EARLY \
  { "seed-early-only", "a boot loader's seed makes the CRNG EARLY at most, as until 5.17" }
#define CRNG_SCENE_BUG_SEED_STRING \
  { "seed-as-string", "a boot loader's seed is mixed up to its first zero byte" }
#define CRNG_SCENE_BUG_GENERATION \
  { "generation-unordered", "the vDSO's generation is stored without release (weak=1)" }
#define CRNG_SCENE_BUG_GENERATION_EARLY \
  { "generation-early", "the vDSO's generation is stored before the base key's" }
#define CRNG_SCENE_BUG_READY \
  { "ready-unordered", "is_ready is stored beside the generation, without release (weak=1)" }
#define CRNG_SCENE_BUG_BATCH \
  { "batch-position", "a batch's position is read before its lock is taken" }
#define CRNG_SCENE_BUG_BATCH_END \
  { "batch-end", "a batch is filled again only after one element beyond its end was given" }
#define CRNG_SCENE_BUG_EARLY \
  { "early-unchecked", "the step to EARLY does not look whether the CRNG is READY already" }
#define CRNG_SCENE_BUG_PREPARE_KEY \
  { "prepare-keeps-key", "a CPU that comes goes on with the key of before it went" }
#define CRNG_SCENE_BUG_PREPARE_BATCHES \
  { "prepare-keeps-batches", "a CPU that comes goes on with the batches of before it went" }
#define CRNG_SCENE_BUG_POOL_KEY \
  { "pool-key-kept", "the pool goes on under the key from which what was extracted is derived" }
#define CRNG_SCENE_BUG_FORK_TOLD \
  { "fork-told-early", "others are told of a fork of the machine before the reseed" }
#define CRNG_SCENE_BUG_NOT_QUEUED \
  { "reseed-not-queued", "a reseed does not queue the next one" }
#define CRNG_SCENE_BUG_RESUME \
  { "resume-no-reseed", "a resume is mixed into the pool, and nothing is reseeded" }

// Does nothing (calm), executes for 3 us, or sleeps for 1, 4, 20 or 300 ms.
void crng_scene_pause(void);
// One read of a drawn kind, in any context but NMI: bytes or a batched integer.
void crng_scene_read(struct crng_scene *scene);
// One call of getrandom with drawn length and flags. Task.
void crng_scene_getrandom(struct crng_scene *scene);

// A device whose interrupts come on one CPU, alone or in bursts, at drawn times, so
// many times.
struct crng_scene_device {
  struct crng_scene *scene;
  struct sim_hw_event event;
  struct crng_timer_state disk;
  u32 cpu, left;
  u32 key;
  u32 gap_ms;  // 0: gaps and bursts are drawn; else single interrupts so far apart
};
// Starts it. In set-up or a task.
void crng_scene_device_start(struct crng_scene_device *device, struct crng_scene *scene, u32 cpu,
                             u32 times);

#endif  // SEEDBED_MODELS_CRNG_CRNG_SCENE_H_
