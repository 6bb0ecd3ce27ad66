// SPDX-License-Identifier: GPL-2.0-or-later
//
// The Broadcom iProc RNG200 as its driver meets it.
//
//   CTRL       0x00  bits 12:0: 1 lets the generator run
//   SOFT_RESET 0x04  bit 0: the FIFO and the status are held in reset
//   RBG_RESET  0x08  bit 0: the generator is held in reset
//   INT_STATUS 0x18  bit 31 lockout after failures, bit 5 a health test failed; writing
//                    ones clears. While either is up no word is made.
//   DATA       0x20  read: takes a word out of the FIFO
//   COUNT      0x24  bits 7:0 words ready
//
// Source: the driver (drivers/char/hw_random/iproc-rng200.c, 7.2). Word time and FIFO
// size are not published; 32 us and 16 words are assumed, which is 1 Mbit/s.
//
// Odd behaviour is drawn when COUNT is read: iproc-late, iproc-stuck, iproc-dead and
// iproc-count as bcm2835_dev.h has them; and when INT_STATUS is read:
//   iproc-fail     a health test fails, or the device locks itself out; the driver's
//                  restart clears both, but a lockout may come back until it is healed
#ifndef SEEDBED_MODELS_HWRNG_IPROC_RNG200_DEV_H_
#define SEEDBED_MODELS_HWRNG_IPROC_RNG200_DEV_H_

#include "models/hwrng/hw_device.h"
#include "models/hwrng/hw_fifo.h"
#include "sim/base.h"

enum {
  IPROC_RNG_CTRL = 0x00,
  IPROC_RNG_SOFT_RESET = 0x04,
  IPROC_RBG_SOFT_RESET = 0x08,
  IPROC_RNG_INT_STATUS = 0x18,
  IPROC_RNG_DATA = 0x20,
  IPROC_RNG_COUNT = 0x24,
};
#define IPROC_INT_LOCKOUT 0x80000000u
#define IPROC_INT_NIST_FAIL 0x00000020u

// Times in nanoseconds.
struct iproc_rng200_dev_config {
  u32 word_ns;      // between two words; 32000
  u32 fifo_words;   // 1..255; 16
  u32 access_ns;    // a register access; 200
  u32 late_ns_max;  // how late a late word is; 20000000
  bool odd;         // odd behaviour may be drawn
};
void iproc_rng200_dev_config_default(struct iproc_rng200_dev_config *out_config);

struct iproc_rng200_dev {
  struct hw_device hw;
  struct iproc_rng200_dev_config config;
  struct hw_fifo fifo;
  u32 ctrl, soft_reset, rbg_reset, int_status;
  bool lockout_stays;
};

// iproc_rng200_dev_init makes a device that is off and well. Draws nothing.
void iproc_rng200_dev_init(struct iproc_rng200_dev *dev, const char *name, u8 id,
                           const struct iproc_rng200_dev_config *config);

// Register accesses by a driver: each costs access_ns, is a scheduling point and a trace event
// (offset, value, the register's name). An offset that does not exist reads 0 and ignores writes.
u32 iproc_rng200_dev_ioread32(struct iproc_rng200_dev *dev, u32 offset);
void iproc_rng200_dev_iowrite32(struct iproc_rng200_dev *dev, u32 value, u32 offset);

// Ends what odd behaviour lasts. Draws nothing.
void iproc_rng200_dev_heal(struct iproc_rng200_dev *dev);

#endif  // SEEDBED_MODELS_HWRNG_IPROC_RNG200_DEV_H_
