// SPDX-License-Identifier: GPL-2.0-or-later
//
// Exports: all objects of a subject are linked together.
#ifndef SEEDBED_SHIM_LINUX_EXPORT_H_
#define SEEDBED_SHIM_LINUX_EXPORT_H_

#define EXPORT_SYMBOL(name) struct seedbed_nothing
#define EXPORT_SYMBOL_GPL(name) struct seedbed_nothing

#endif  // SEEDBED_SHIM_LINUX_EXPORT_H_
