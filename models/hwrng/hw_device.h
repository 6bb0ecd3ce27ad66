// SPDX-License-Identifier: GPL-2.0-or-later
//
// The machine around a modelled driver: the platform device with what its data sheet
// states, its clock and its reset line. Everything an onlooker (an oracle) may know of
// the hardware goes through here; no driver and no core reads it.
#ifndef SEEDBED_MODELS_HWRNG_HW_DEVICE_H_
#define SEEDBED_MODELS_HWRNG_HW_DEVICE_H_

#include "models/hwrng/hwrng.h"
#include "sim/base.h"

struct hw_device {
  const char *name;
  const char *kind;  // which device it is, whatever its name
  u8 id;             // names the source of its words
  // Longest time from a read's beginning to its first word while nothing is wrong
  // with the device, as its data sheet states it. Nanoseconds.
  u64 word_ns_max;
  // When the next word can be had, on the device's own time line; UINT64_MAX while
  // nobody can tell (stuck, dead, off). Draws nothing.
  u64 (*word_due_ns)(const struct hw_device *dev);
  // Since when it runs, is well and does nothing, for nobody has asked it for data; UINT64_MAX: it
  // does, or cannot. Draws nothing. NULL: it makes data without being asked.
  u64 (*idle_since_ns)(const struct hw_device *dev);
  u32 first_word;  // if so: words before this one were asked for by an earlier driver
  // How many bytes it gives at a time, which a driver must take and may need only the first of: a
  // word, or the registers of one answer. 0: 4.
  u8 grain;
  bool going;  // its driver's remove has begun
  // Whether nothing of it runs: its generator is off. Draws nothing.
  bool (*is_off)(const struct hw_device *dev);
};

// What tells onlookers. A member may be NULL. Called in the context of whoever did it.
struct hw_hooks {
  void (*registering)(struct hw_device *dev, struct hwrng *rng);
  void (*registered)(struct hw_device *dev, struct hwrng *rng, int err);
  void (*unregistering)(struct hw_device *dev, struct hwrng *rng);
  void (*unregistered)(struct hw_device *dev, struct hwrng *rng);
  void (*accessed)(struct hw_device *dev);                    // before a register access
  void (*taken)(const u8 *data, size_t len);                  // the core takes bytes for a reader,
  void (*copied)(const u8 *data, size_t len);                 // and they went to it
  void (*credited)(const u8 *data, size_t len, size_t bits);  // and to the pool
  void (*mixed)(const u8 *data, size_t len);  // and to the pool, where they count for nothing
};

// devm_hwrng_register and devm_hwrng_unregister call hwrng_register and
// hwrng_unregister for the driver of `dev` and tell the onlookers.
SIM_MUST_CHECK int devm_hwrng_register(struct hw_device *dev, struct hwrng *rng);
void devm_hwrng_unregister(struct hw_device *dev, struct hwrng *rng);

// hw_access is one register access: it costs `cost_ns` of the CPU and is a scheduling
// point, before which the onlookers are told. Any context that may touch the device.
void hw_access(struct hw_device *dev, u32 cost_ns);

// hwrng_taken tells the onlookers that the core, holding reading_mutex, takes `len` bytes
// at `data` out of the buffer that a driver's read filled last, for the current reader.
void hwrng_taken(const u8 *data, size_t len);
// copy_to_user copies `len` bytes out; returns the bytes that were not copied: 0.
SIM_MUST_CHECK size_t copy_to_user(void *to, const void *from, size_t len);

// A clock with a use count. clk_prepare_enable returns 0, or -SIM_EIO without having
// counted (a fault draw, class "clk-fail"); clk may be NULL: an optional clock that is
// not there. Below zero is a finding (hwrng-balance).
struct hw_clk {
  const char *name;
  s32 enabled;
  u32 times;  // that it was enabled
};
SIM_MUST_CHECK int clk_prepare_enable(struct hw_clk *clk);
void clk_disable_unprepare(struct hw_clk *clk);

// A reset line; the device's function runs when it is pulsed. NULL: not there. Returns
// 0, or -SIM_EIO without a reset (a fault draw, class "reset-fail").
struct hw_reset {
  void (*pulse)(void *arg);
  void *arg;
  u32 times;  // that it was pulsed
};
SIM_MUST_CHECK int reset_control_reset(struct hw_reset *reset);

#endif  // SEEDBED_MODELS_HWRNG_HW_DEVICE_H_
