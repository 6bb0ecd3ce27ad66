/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * In place of include/linux/init.h: nothing is freed after a boot.
 */
#ifndef SEEDBED_MODELS_ARM64_SHIM_LINUX_INIT_H_
#define SEEDBED_MODELS_ARM64_SHIM_LINUX_INIT_H_

#define __init
#define __initdata
#define __initconst

#endif /* SEEDBED_MODELS_ARM64_SHIM_LINUX_INIT_H_ */
