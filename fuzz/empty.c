// SPDX-License-Identifier: GPL-2.0-or-later
//
// A target that does nothing: what an engine itself costs. See tools/fuzz-speed.
#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) { return 0; }
