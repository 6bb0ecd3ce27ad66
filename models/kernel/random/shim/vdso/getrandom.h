// SPDX-License-Identifier: GPL-2.0-or-later
//
// See vdso/datapage.h.
#ifndef SEEDBED_SHIM_RANDOM_VDSO_GETRANDOM_H_
#define SEEDBED_SHIM_RANDOM_VDSO_GETRANDOM_H_

#include <vdso/datapage.h>

#endif  // SEEDBED_SHIM_RANDOM_VDSO_GETRANDOM_H_
