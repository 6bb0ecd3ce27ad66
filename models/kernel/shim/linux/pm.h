// SPDX-License-Identifier: GPL-2.0-or-later
//
// Sleep of the system: a device's suspend and resume.
#ifndef SEEDBED_SHIM_LINUX_PM_H_
#define SEEDBED_SHIM_LINUX_PM_H_

struct device;
struct dev_pm_ops {
  int (*suspend)(struct device *dev);
  int (*resume)(struct device *dev);
};
#define SET_SYSTEM_SLEEP_PM_OPS(suspend_, resume_) .suspend = (suspend_), .resume = (resume_),
#define SYSTEM_SLEEP_PM_OPS(suspend_, resume_) .suspend = (suspend_), .resume = (resume_),
#define SIMPLE_DEV_PM_OPS(name_, suspend_, resume_) \
  const struct dev_pm_ops name_ = {SET_SYSTEM_SLEEP_PM_OPS(suspend_, resume_)}
#define DEFINE_SIMPLE_DEV_PM_OPS(name_, suspend_, resume_) \
  const struct dev_pm_ops name_ = {SYSTEM_SLEEP_PM_OPS(suspend_, resume_)}
#define pm_ptr(p) (p)
#define pm_sleep_ptr(p) (p)

#endif  // SEEDBED_SHIM_LINUX_PM_H_
