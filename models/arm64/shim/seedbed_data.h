/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The page that the guest shares with its machine (guest_asm/arm64_data.h), as C sees it; the
 * linker's script says where it lies.
 */
#ifndef SEEDBED_MODELS_ARM64_SHIM_SEEDBED_DATA_H_
#define SEEDBED_MODELS_ARM64_SHIM_SEEDBED_DATA_H_

extern unsigned char seedbed_data[] __attribute__((visibility("hidden")));

#endif /* SEEDBED_MODELS_ARM64_SHIM_SEEDBED_DATA_H_ */
