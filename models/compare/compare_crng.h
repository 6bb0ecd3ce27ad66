// SPDX-License-Identifier: GPL-2.0-or-later
//
// Events of the CRNG, and what is seen of it: lists that compare_crng_events.c makes and
// compare_crng.c carries out. See compare_play.h.
#ifndef SEEDBED_MODELS_COMPARE_COMPARE_CRNG_H_
#define SEEDBED_MODELS_COMPARE_COMPARE_CRNG_H_

#include "models/compare/compare_play.h"

// X(id, name, three arguments). A signal goes to the task of the event that it names.
#define COMPARE_CRNG_KINDS(X)                                           \
  X(WORKQUEUES, "workqueue_init_early", NULL, NULL, NULL)               \
  X(INIT_EARLY, "random_init_early", NULL, NULL, NULL)                  \
  X(INIT, "random_init", NULL, NULL, NULL)                              \
  X(BOOTLOADER, "add_bootloader_randomness", "len", NULL, NULL)         \
  X(DEVICE, "add_device_randomness", "len", NULL, NULL)                 \
  X(INTERRUPT, "add_interrupt_randomness", "irq", "times", NULL)        \
  X(DISK, "add_disk_randomness", "disk", "number", NULL)                \
  X(INPUT, "add_input_randomness", "type", "code", "value")             \
  X(HWGENERATOR, "add_hwgenerator_randomness", "len", "bits", "sleep")  \
  X(USER, "RNDADDENTROPY", "len", "bits", NULL)                         \
  X(GETRANDOM, "getrandom", "len", "flags", NULL)                       \
  X(BYTES, "get_random_bytes", "len", NULL, NULL)                       \
  X(BATCHED, "get_random_uN", "bytes", "times", NULL)                   \
  X(WAIT, "wait_for_random_bytes", NULL, NULL, NULL)                    \
  X(EXECUTE, "execute_with_initialized_rng", "notifier", NULL, NULL)    \
  X(ON_FORK, "register_random_vmfork_notifier", "notifier", NULL, NULL) \
  X(FORK, "add_vmfork_randomness", "len", NULL, NULL)                   \
  X(PM, "random_pm_notification", "action", NULL, NULL)                 \
  X(DOWN, "cpu_down", NULL, NULL, NULL)                                 \
  X(UP, "cpu_up", NULL, NULL, NULL)                                     \
  X(SIGNAL, "signal", "event", NULL, NULL)                              \
  X(RESEED, "crng_reseed", NULL, NULL, NULL)

enum compare_crng_kind {
#define X(id, name, a, b, c) COMPARE_CRNG_##id,
  COMPARE_CRNG_KINDS(X)
#undef X
      COMPARE_CRNG_NUM_KINDS
};

// X(id, name, form, what its index counts). What explains most comes first.
#define COMPARE_CRNG_FIELDS(X)                                             \
  X(CREDITED, "credit given", NUMBER, NULL)                                \
  X(CREDIT, "credit", NUMBER, NULL)                                        \
  X(STAGE, "stage", NUMBER, NULL)                                          \
  X(STATIC_KEY, "static key", NUMBER, NULL)                                \
  X(POOL_LEN, "bytes mixed since an extraction", NUMBER, NULL)             \
  X(POOL, "what was mixed since an extraction", HASH, NULL)                \
  X(EXTRACTIONS, "extractions", NUMBER, NULL)                              \
  X(QUEUED, "works queued", NUMBER, NULL)                                  \
  X(NOWHERE, "works queued before there are queues", NUMBER, NULL)         \
  X(NEXT_RESEED, "jiffy of the next reseed", NUMBER, NULL)                 \
  X(GENERATION, "generation", NUMBER, NULL)                                \
  X(BASE_KEY, "base key", HASH, NULL)                                      \
  X(PAGE_GENERATION, "generation of the vDSO page", NUMBER, NULL)          \
  X(PAGE_READY, "is_ready of the vDSO page", NUMBER, NULL)                 \
  X(INIT_DONE, "messages of readiness", NUMBER, NULL)                      \
  X(TOLD, "time when told of readiness", NS, "notifier")                   \
  X(TOLD_STAGE, "stage when told of readiness", NUMBER, "notifier")        \
  X(FORK_TOLD, "time when told of a fork", NS, "notifier")                 \
  X(FORK_GENERATION, "generation when told of a fork", NUMBER, "notifier") \
  X(RETURNED, "return value", SIGNED, "event")                             \
  X(GOT, "bytes", HASH, "event")                                           \
  X(ENDED, "time of return", NS, "event")                                  \
  X(BLOCKS, "blocks of key stream", NUMBER, NULL)                          \
  X(CPU_GENERATION, "generation of the CPU", NUMBER, "CPU")                \
  X(CPU_KEY, "key of the CPU", HASH, "CPU")                                \
  X(FAST_POOL, "fast pool", HASH, "CPU")                                   \
  X(FAST_COUNT, "count of the fast pool", NUMBER, "CPU")                   \
  X(FAST_TIMER, "timer of the fast pool pending", NUMBER, "CPU")           \
  X(BATCH_GENERATION, "batch generation", NUMBER, "4 * CPU + size")        \
  X(BATCH_POSITION, "batch position", NUMBER, "4 * CPU + size")            \
  X(BATCH, "batch", HASH, "4 * CPU + size")

enum compare_crng_field {
#define X(id, name, form, of) COMPARE_CRNG_F_##id,
  COMPARE_CRNG_FIELDS(X)
#undef X
      COMPARE_CRNG_NUM_FIELDS
};

enum { COMPARE_CRNG_NOTIFIERS = 3, COMPARE_CRNG_CPUS_MAX = 3, COMPARE_CRNG_DISKS = 2 };

// See struct compare_family.
void compare_crng_generate(struct compare_list *list, u32 linux_version);
// Within this all that an event brings at once is over: it waits for a tick or two.
u64 compare_crng_settle_ns(u32 hz);

#endif  // SEEDBED_MODELS_COMPARE_COMPARE_CRNG_H_
