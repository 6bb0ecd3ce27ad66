// SPDX-License-Identifier: GPL-2.0-or-later
//
// The oracles of the CRNG: what each asks and on whose word. crng_watch.h judges them.
//
// What a reseed allows. A read that began before the new key was published may still be
// served from the old one, and so may what it put into a batch, until the next look at the
// generation: each read and each batched integer looks once, when it begins. A per-CPU key
// keeps its generation until its CPU reads next. Before READY there is one key, under its
// lock, and no such time. Source: crng_make_state and get_random_u64 of Linux 7.2. With weak
// memory that look may give an older generation; then only readers who were told of the new
// one by the vDSO's page are judged.
//
// The bound of a wake-up holds in chaos too: nothing that a CRNG's scenario draws delays a
// task that is runnable by more than some milliseconds.
#ifndef SEEDBED_MODELS_CRNG_CRNG_ORACLES_H_
#define SEEDBED_MODELS_CRNG_CRNG_ORACLES_H_

#include "sim/scenario.h"

// X(name, id, status, sentence, source)
#define CRNG_ORACLES(X)                                                                           \
  X(stage, "crng-stage", SIM_SAFETY, "the stage only rises, and each crossing is seen once",      \
    "drivers/char/random.c, 7.2: crng_init is \"protected by base_crng->lock, and only "          \
    "increases\"; the cmpxchg in _credit_init_bits picks one caller")                             \
  X(ready_bits, "crng-ready-bits", SIM_SAFETY, "READY comes after 256 credited bits",             \
    "drivers/char/random.c, 7.2: POOL_READY_BITS")                                                \
  X(credit, "crng-credit", SIM_SAFETY,                                                            \
    "credit never exceeds 8 bits a byte mixed, nor what its source may claim",                    \
    "commit e78a802a7b4f: interrupts had been credited up to 1023 bits for 128 mixed")            \
  X(provenance, "crng-provenance", SIM_SAFETY,                                                    \
    "the key of a stage stems from every input whose credit paid for the stage, and what comes "  \
    "after a fork of the machine from its new identity",                                          \
    "commit c30c575: interrupts' data had been dropped at the hand-over; "                        \
    "drivers/virt/vmgenid.c: a fork's identity goes into the pool and the CRNG is reseeded")      \
  X(once, "crng-bytes-once", SIM_SAFETY,                                                          \
    "no byte of a key stream is given twice, or both given and kept as a key",                    \
    "drivers/char/random.c, 7.2: fast key erasure (https://blog.cr.yp.to/20170723-random.html)")  \
  X(stream, "crng-bytes-from-stream", SIM_SAFETY, "what a reader gets is of a key stream",        \
    "drivers/char/random.c, 7.2: all output is ChaCha20's under a key from the pool")             \
  X(fresh, "crng-fresh", SIM_SAFETY,                                                              \
    "a read that begins after a key was published gets no byte of an older or unpublished one",   \
    "commit cbe89e5a375a: batches were filled before READY; what is allowed is written in "       \
    "models/crng/crng_oracles.h")                                                                 \
  X(cpu_fresh, "crng-cpu-fresh", SIM_SAFETY,                                                      \
    "what a CPU hands out after it has come stems from no key or batch of before it went",        \
    "random_prepare_cpu, 7.2: invalidates both")                                                  \
  X(resume, "crng-resume-reseeds", SIM_SAFETY,                                                    \
    "when a ready CRNG has been told of a resume, the base key was replaced meanwhile",           \
    "random_pm_notification, 7.2: calls crng_reseed if ready")                                    \
  X(age, "crng-reseed-due", SIM_SAFETY,                                                           \
    "a ready CRNG does not serve a read from a base key that is older than the reseed interval",  \
    "crng_reseed_interval, 7.2: by work that is queued with each reseed; crng_make_state, 6.1: "  \
    "by the reader that finds it")                                                                \
  X(erased, "crng-erased", SIM_SAFETY,                                                            \
    "neither the base key nor a CPU's is one that was used, no batch of u64 keeps an integer "    \
    "that "                                                                                       \
    "was given, and the pool goes on under no key that was extracted or that one was derived "    \
    "from; copies on a stack are not looked at",                                                  \
    "drivers/char/random.c, 7.2: forward secrecy by fast key erasure; batch slots are zeroed; "   \
    "extract_entropy: \"next_key\"")                                                              \
  X(vdso, "crng-vdso-generation", SIM_SAFETY,                                                     \
    "who reads the vDSO's generation and then the key gets that generation's or a later one; "    \
    "who has bytes of a generation finds the page at it; is_ready never shows generation 0",      \
    "drivers/char/random.c and lib/vdso/getrandom.c, 7.2: the smp_store_release of the "          \
    "generation pairs with an smp_rmb before the system call")                                    \
  X(wake, "crng-wake-bound", SIM_LIVENESS,                                                        \
    "a reader that waits returns within a bound once READY, or once a signal was sent",           \
    "wait_for_random_bytes, 7.2: woken by READY; the timeout of a second only renews jitter")     \
  X(notify, "crng-ready-notified", SIM_LIVENESS,                                                  \
    "who asks execute_with_initialized_rng is called once READY, and once",                       \
    "execute_with_initialized_rng, 7.2")                                                          \
  X(message, "crng-ready-message", SIM_SAFETY,                                                    \
    "the log says that the CRNG is ready when it is, and once",                                   \
    "_credit_init_bits, 7.2: the one who crosses 256 bits prints")                                \
  X(boot, "crng-boot-seeded", SIM_SAFETY,                                                         \
    "after each early step of a boot the stage is what the trusted seeds are worth: 32 bytes "    \
    "make the CRNG ready before the first task, 16 only early, others nothing",                   \
    "add_bootloader_randomness and random_init_early, 7.2: 8 bits a byte, if trusted")            \
  X(result, "crng-getrandom-result", SIM_SAFETY,                                                  \
    "getrandom returns what its manual says: EINVAL for wrong flags, EAGAIN only before READY "   \
    "with GRND_NONBLOCK, never bytes before READY without GRND_INSECURE",                         \
    "getrandom(2)")                                                                               \
  X(hardirq, "crng-no-hash-in-hardirq", SIM_SAFETY,                                               \
    "collecting an interrupt, a timing or an input event in hardirq hashes nothing",              \
    "commit e3e33fc2ea7f: hashing there took long, and used SIMD in hardirq")                     \
  X(mixed, "crng-interrupts-mixed", SIM_LIVENESS,                                                 \
    "while interrupts come, a CPU mixes them within a second of its time",                        \
    "add_interrupt_randomness, 7.2: at 1024 interrupts or after HZ; commit 3191dd5a1179")         \
  X(storm, "crng-storm-bounded", SIM_SAFETY,                                                      \
    "a CPU mixes at most once per 1024 interrupts or per second",                                 \
    "commit 534d2eaf1970: work for every 64 interrupts was a regression in storms")               \
  X(workqueue, "crng-no-workqueue", SIM_SAFETY, "no work is queued before there are work queues", \
    "commit f7e67b8e8031: two early calls of add_bootloader_randomness crashed")

#define X(name, id, status, sentence, source) extern const struct sim_oracle crng_oracle_##name;
CRNG_ORACLES(X)
#undef X

// All of them, NULL-terminated.
extern const struct sim_oracle *const crng_oracles[];

#endif  // SEEDBED_MODELS_CRNG_CRNG_ORACLES_H_
