// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the benchmarks say of the machine, and their figures for machines:
// {machine, rows: [{row, unit, value, target}]}.
#ifndef SEEDBED_TOOLS_BENCH_REPORT_H_
#define SEEDBED_TOOLS_BENCH_REPORT_H_

#include <cjson/cJSON.h>

#include "sim/base.h"

// "PROCESSOR, 2 CPUs, gcc 12.2.0, switch by hand"; the caller frees.
char *bench_machine(void);
// Adds a row to `array`; a target of 0 is none: null.
void bench_json_row(cJSON *array, const char *name, const char *unit, double value, double target);

#endif  // SEEDBED_TOOLS_BENCH_REPORT_H_
