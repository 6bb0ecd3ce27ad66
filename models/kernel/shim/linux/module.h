// SPDX-License-Identifier: GPL-2.0-or-later
//
// A module's words: built in here. Parameters keep their defaults.
#ifndef SEEDBED_SHIM_LINUX_MODULE_H_
#define SEEDBED_SHIM_LINUX_MODULE_H_

#include <linux/export.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/moduleparam.h>

#define THIS_MODULE ((struct module *)0)
#define MODULE_LICENSE(text) SEEDBED_NOTHING
#define MODULE_AUTHOR(text) SEEDBED_NOTHING
#define MODULE_DESCRIPTION(text) SEEDBED_NOTHING
#define MODULE_ALIAS(text) SEEDBED_NOTHING
#define MODULE_DEVICE_TABLE(type, name) SEEDBED_NOTHING

#endif  // SEEDBED_SHIM_LINUX_MODULE_H_
