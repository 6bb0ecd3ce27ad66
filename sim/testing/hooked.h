// SPDX-License-Identifier: GPL-2.0-or-later
//
// Programs whose accesses are hooked, for tests of the hooks and of the detector of data races.
#ifndef SEEDBED_SIM_TESTING_HOOKED_H_
#define SEEDBED_SIM_TESTING_HOOKED_H_

#include "sim/scenario.h"

// Two sides that touch one plain variable, x. With `order` 1 something orders them, which
// gives the program its name; with 0 it is left out, or, of marked accesses, one is plain.
#define TESTING_RACES(X)                                                         \
  X(SPINLOCK, "spinlock")                                                        \
  X(MUTEX, "mutex")                                                              \
  X(LOCAL_LOCK, "local_lock")                                                    \
  X(COMPLETION, "completion")                                                    \
  X(COMPLETION_DONE, "completion_done")                                          \
  X(WAKE_UP, "wake_up_process")                                                  \
  X(WAIT_QUEUE, "wait queue")                                                    \
  X(WORK, "work")                                                                \
  X(DELAYED_WORK, "delayed work")                                                \
  X(TIMER, "timer")                                                              \
  X(HW_EVENT, "hardware event")                                                  \
  X(IRQ_LINE, "interrupt line")                                                  \
  X(IPI, "smp_call_function")                                                    \
  X(CALL_RCU, "call_rcu")                                                        \
  X(RCU_READER, "a reader before the end of a grace period")                     \
  X(RCU_BEGIN, "a reader behind the begin of a grace period")                    \
  X(RCU_ATOMIC, "a stretch without preemption before the end of a grace period") \
  X(KTHREAD, "kthread")                                                          \
  X(JOIN, "the end of a task")                                                   \
  X(KREF, "kref")                                                                \
  X(NOTIFIER, "notifier")                                                        \
  X(RELEASE, "release and acquire")                                              \
  X(FENCES, "smp_wmb and smp_rmb")                                               \
  X(CMPXCHG, "cmpxchg")                                                          \
  X(ATOMIC, "C atomics")                                                         \
  X(PREEMPT_OFF, "preemption off on one CPU")                                    \
  X(IRQ_OFF, "interrupts off on one CPU")                                        \
  X(BH_OFF, "softirqs off on one CPU")                                           \
  X(BYTES, "other bytes of the same word")                                       \
  X(MARKED, "marks on both sides")                                               \
  X(STATIC_KEY, "a static key")                                                  \
  X(VOLATILE, "volatile on both sides")                                          \
  X(COPY, "memcpy, memmove and memset under a lock")                             \
  X(TOUCH, "what a library does, under a lock")

enum testing_race {
#define X(id, name) TESTING_RACE_##id,
  TESTING_RACES(X)
#undef X
      TESTING_RACE_COUNT
};

SIM_HAS_TWIN(testing_races);

// Two tasks and a drawn interrupt, if `irq` is 1, add 1 to a plain counter `adds` times
// each, and copy 32 bytes that are all the same. Oracles testing-lost-update, as in
// sim/testing/scenarios.h, and testing-torn-copy.
SIM_HAS_TWIN(testing_plain);

// A task waits for a plain variable that another sets: sim/hook.h promises that time passes.
SIM_HAS_TWIN(testing_spin);

// A task reads what another has freed, by a plain load.
SIM_HAS_TWIN(testing_freed);

#endif  // SEEDBED_SIM_TESTING_HOOKED_H_
