// SPDX-License-Identifier: GPL-2.0-or-later
//
// One run of fuzzer bytes in a fresh process of this program, as probe.h has it for seeds and
// decision files. The bytes are taken as they are, also where they look like a decision file.
#ifndef SEEDBED_TOOLS_FUZZ_PROBE_H_
#define SEEDBED_TOOLS_FUZZ_PROBE_H_

#include "tools/probe.h"

// Runs the file `path` with the planted bug (NULL: none); JOBS_HANG after `ms` of CPU time.
void fuzz_probe(const struct sim_scenario *scenario, const char *bug, const char *path, u64 ms,
                struct probe *out);

// fuzz_finding_child, of fuzz_finding.h, is the other side.

#endif  // SEEDBED_TOOLS_FUZZ_PROBE_H_
