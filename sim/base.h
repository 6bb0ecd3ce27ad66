// SPDX-License-Identifier: GPL-2.0-or-later
//
// Words that every file of the simulator uses: fixed-width types, statuses,
// assertions, attributes.
#ifndef SEEDBED_SIM_BASE_H_
#define SEEDBED_SIM_BASE_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int32_t s32;
typedef int64_t s64;

#define SIM_NORETURN __attribute__((noreturn))
#define SIM_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#define SIM_MUST_CHECK __attribute__((warn_unused_result))
#define SIM_NOINLINE __attribute__((noinline))
#define SIM_ALWAYS_INLINE inline __attribute__((always_inline))
#define SIM_COLD __attribute__((cold, noinline))
#define sim_likely(x) __builtin_expect(!!(x), 1)
#define sim_unlikely(x) __builtin_expect(!!(x), 0)
#define SIM_ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define sim_container_of(ptr, type, member) ((type *)(void *)((char *)(ptr)-offsetof(type, member)))

#define SIM_NSEC_PER_USEC 1000ull
#define SIM_NSEC_PER_MSEC 1000000ull
#define SIM_NSEC_PER_SEC 1000000000ull

// Limits of one world. A task slot is free again after its task has ended.
enum { SIM_CPUS_MAX = 8, SIM_TASKS_MAX = 96 };

// Error numbers that kernel-shaped interfaces return, negated. Values are
// Linux's (include/uapi/asm-generic/errno*.h; ERESTARTSYS is kernel-internal).
enum {
  SIM_EPERM = 1,
  SIM_ENOENT = 2,
  SIM_EINTR = 4,
  SIM_EIO = 5,
  SIM_ENXIO = 6,
  SIM_EAGAIN = 11,
  SIM_ENOMEM = 12,
  SIM_EFAULT = 14,
  SIM_EBUSY = 16,
  SIM_EEXIST = 17,
  SIM_ENODEV = 19,
  SIM_EINVAL = 22,
  SIM_ETIME = 62,
  SIM_ETIMEDOUT = 110,
  SIM_ERESTARTSYS = 512,
};

// SIM_ASSERT checks what only a defect of seedbed itself can break. It is on in
// every build; on failure it prints file, line and condition and ends the
// process with status 70.
#define SIM_ASSERT(cond) (sim_likely(cond) ? (void)0 : sim_assert_failed(#cond, __FILE__, __LINE__))
SIM_NORETURN SIM_COLD void sim_assert_failed(const char *cond, const char *file, int line);

// sim_mix64 is the finaliser of splitmix64 (Steele, Lea, Flood 2014, constants
// of Stafford's variant 13): a bijection on 64 bits.
static inline u64 sim_mix64(u64 z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return z ^ (z >> 31);
}

// sim_hash_str is FNV-1a of a NUL-terminated string, finished by sim_mix64: the
// same on every machine and in every build, so it may enter digests and seeds.
static inline u64 sim_hash_str(const char *s) {
  u64 h = 0xcbf29ce484222325ull;
  for (; *s; s++) h = (h ^ (u8)*s) * 0x100000001b3ull;
  return sim_mix64(h);
}

#endif  // SEEDBED_SIM_BASE_H_
