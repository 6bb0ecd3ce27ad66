// SPDX-License-Identifier: GPL-2.0-only
//
// The facts about Unicorn that the guests rest on, each tried with the library that is
// linked. A library for which one fails gives runs that mean nothing.
#ifndef SEEDBED_MODELS_GUEST_GUEST_SELFTEST_H_
#define SEEDBED_MODELS_GUEST_GUEST_SELFTEST_H_

#include "sim/base.h"

// "Unicorn 2.1.1, Capstone 4.0"
const char *guest_library(void);

u32 guest_facts_count(void);
const char *guest_fact_name(u32 index);  // "ppc-sc"
const char *guest_fact_line(u32 index);  // the fact, a sentence
// guest_fact_holds tries fact `index`; `seen` receives what was seen, always terminated.
SIM_MUST_CHECK bool guest_fact_holds(u32 index, char *seen, size_t len);

#endif  // SEEDBED_MODELS_GUEST_GUEST_SELFTEST_H_
