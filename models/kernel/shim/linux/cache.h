// SPDX-License-Identifier: GPL-2.0-or-later
//
// Cache lines of 64 bytes.
#ifndef SEEDBED_SHIM_LINUX_CACHE_H_
#define SEEDBED_SHIM_LINUX_CACHE_H_

#define L1_CACHE_BYTES 64
#define SMP_CACHE_BYTES 64
#define ____cacheline_aligned __attribute__((aligned(SMP_CACHE_BYTES)))
#define __read_mostly
#define __ro_after_init

#endif  // SEEDBED_SHIM_LINUX_CACHE_H_
