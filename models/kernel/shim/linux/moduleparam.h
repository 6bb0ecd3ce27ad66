// SPDX-License-Identifier: GPL-2.0-or-later
//
// Module parameters keep the value that the source gives them.
#ifndef SEEDBED_SHIM_LINUX_MODULEPARAM_H_
#define SEEDBED_SHIM_LINUX_MODULEPARAM_H_

#define SEEDBED_NOTHING struct seedbed_nothing
#define module_param(name, type, perm) SEEDBED_NOTHING
#define module_param_named(name, value, type, perm) SEEDBED_NOTHING
#define MODULE_PARM_DESC(name, text) SEEDBED_NOTHING

#endif  // SEEDBED_SHIM_LINUX_MODULEPARAM_H_
