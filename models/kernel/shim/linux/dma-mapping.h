// SPDX-License-Identifier: GPL-2.0-or-later
//
// Devices write to memory at once, and caches are coherent: nothing is mapped.
#ifndef SEEDBED_SHIM_LINUX_DMA_MAPPING_H_
#define SEEDBED_SHIM_LINUX_DMA_MAPPING_H_

#define __dma_from_device_group_begin(group)
#define __dma_from_device_group_end(group)

#endif  // SEEDBED_SHIM_LINUX_DMA_MAPPING_H_
