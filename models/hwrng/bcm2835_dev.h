// SPDX-License-Identifier: GPL-2.0-or-later
//
// The bcm2835 random number generator as its driver meets it: registers, a FIFO that
// stops when it is full, the warm-up, the interrupt mask, clock and reset.
//
//   CTRL     0x0   bit 0 RBGEN: the generator runs
//   STATUS   0x4   read: bits 31:24 words ready, 19:0 warm-up bits left to discard;
//                  write: sets the warm-up count
//   DATA     0x8   read: takes a word out of the FIFO
//   INT_MASK 0x10  bit 0 INT_OFF: no interrupt
//
// Sources: offsets and bits from the driver (drivers/char/hw_random/bcm2835-rng.c); a
// FIFO of 5 words and 29 us a word are inferred from throughput figures measured on a
// Raspberry Pi 3B+ (see table_bcm2835.h). That the warm-up counts bits is an assumption:
// 0x40000 of them take 0.24 s.
//
// Odd behaviour is drawn when STATUS is read, each class with a swarm switch of its own:
//   bcm2835-late   the next word comes up to 20 ms late
//   bcm2835-stuck  no word for 1 ms to 1 s, or none until it is healed
//   bcm2835-count  this read of STATUS tells fewer or more words than there are
//   bcm2835-dead   no word and STATUS 0 until it is healed or reset
#ifndef SEEDBED_MODELS_HWRNG_BCM2835_DEV_H_
#define SEEDBED_MODELS_HWRNG_BCM2835_DEV_H_

#include "models/hwrng/hw_device.h"
#include "models/hwrng/hw_fifo.h"
#include "sim/base.h"

enum {
  BCM2835_RNG_CTRL = 0x0,
  BCM2835_RNG_STATUS = 0x4,
  BCM2835_RNG_DATA = 0x8,
  BCM2835_RNG_INT_MASK = 0x10,
};

// The physical parameters. Times in nanoseconds.
struct bcm2835_dev_config {
  u32 word_ns;      // between two words; 29000
  u32 fifo_words;   // 1..255; 5
  u32 access_ns;    // a register access; 200
  u32 late_ns_max;  // how late a late word is; 20000000
  bool warm;        // the warm-up takes no time, as on a device that ran before
  bool odd;         // odd behaviour may be drawn
};
void bcm2835_dev_config_default(struct bcm2835_dev_config *out_config);

// Memory of the world; opaque to drivers.
struct bcm2835_dev {
  struct hw_device hw;
  struct bcm2835_dev_config config;
  struct hw_fifo fifo;
  struct hw_clk clk;
  struct hw_reset reset;
  u32 int_mask;
  bool warmed;  // the usual warm-up, or more, was asked for since it was off
};

// bcm2835_dev_init makes a device that is off, unclocked and well. `id` is the source of
// its words. In set-up or a run; draws nothing.
void bcm2835_dev_init(struct bcm2835_dev *dev, const char *name, u8 id,
                      const struct bcm2835_dev_config *config);

// Register accesses by a driver: each costs access_ns, is a scheduling point and a trace event
// (offset, value, the register's name). Touching the device while its clock is off is a finding
// (hwrng-unclocked-access); so is taking a word when no warm-up of 0x40000 at least was asked for
// since the generator was off (hwrng-cold-words). An offset that does not exist reads 0 and
// ignores writes. Determinism: fault draws at STATUS only.
u32 bcm2835_dev_readl(struct bcm2835_dev *dev, u32 offset);
void bcm2835_dev_writel(struct bcm2835_dev *dev, u32 value, u32 offset);

// Whether the interrupt line is up: words ready and not masked.
bool bcm2835_dev_irq(struct bcm2835_dev *dev);

// Ends what odd behaviour lasts; production goes on from now. Draws nothing.
void bcm2835_dev_heal(struct bcm2835_dev *dev);

#endif  // SEEDBED_MODELS_HWRNG_BCM2835_DEV_H_
