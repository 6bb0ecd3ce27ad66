// SPDX-License-Identifier: GPL-2.0-or-later
//
// Initcalls, run in set-up in the kernel's order. Their code is not apart.
#ifndef SEEDBED_SHIM_LINUX_INIT_H_
#define SEEDBED_SHIM_LINUX_INIT_H_

#include <linux/seedbed.h>

#define __init
#define __exit
#define __initdata
#define __initconst
#define __exitdata
#define core_initcall(fn) SEEDBED_INITCALL(fn, 1)
#define postcore_initcall(fn) SEEDBED_INITCALL(fn, 2)
#define arch_initcall(fn) SEEDBED_INITCALL(fn, 3)
#define subsys_initcall(fn) SEEDBED_INITCALL(fn, 4)
#define fs_initcall(fn) SEEDBED_INITCALL(fn, 5)
#define device_initcall(fn) SEEDBED_INITCALL(fn, 6)
#define late_initcall(fn) SEEDBED_INITCALL(fn, 7)
#define module_init(fn) SEEDBED_INITCALL(fn, 6)
#define module_exit(fn) SEEDBED_EXITCALL(fn)

#endif  // SEEDBED_SHIM_LINUX_INIT_H_
