// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the command prints of campaigns and runs: text for people, JSON for machines.
#ifndef SEEDBED_TOOLS_OUTPUT_H_
#define SEEDBED_TOOLS_OUTPUT_H_

#include <cjson/cJSON.h>

#include "tools/campaign.h"

// JSON numbers are doubles to most readers, which hold 53 bits: counts are written as
// numbers, whole; seeds and digests as strings, "0x12".
void json_u64(cJSON *object, const char *name, u64 value);
void json_hex(cJSON *object, const char *name, u64 value);
void json_text(cJSON *object, const char *name, const char *value);  // NULL: null
// Prints the object and a newline to stdout, and frees it.
void json_print(cJSON *object);

// {runs, distinct, distinct_exact, seconds, findings: [], sometimes_missing: [],
// suspects: {}}; campaigns are added to it one by one.
cJSON *output_json_new(void);
void output_json_add(cJSON *object, const struct run_spec *spec,
                     const struct campaign_result *result);

// The line of a finding's run ("FAIL key=..."), without a newline.
void output_finding_line(const struct run_spec *spec, const struct jobs_finding *finding,
                         struct text *text);
// A finding told to people, each line after `indent`: what was seen, how often, where it
// is kept.
void output_finding(const struct jobs_finding *finding, const char *indent, struct text *text);
// Whether the line of the finding `index` is not to be printed: it is known, or another
// finding of its run has the line.
bool output_has_no_line(const struct jobs_result *jobs, u32 index);
// Its line and its replay command, each with a newline.
void output_finding_end(const struct run_spec *spec, const struct jobs_finding *finding,
                        const char *indent, struct text *text);

// "12,345 runs, 12,300 distinct, 4.5 s"
void output_counts(u64 runs, u64 distinct, bool exact, u64 ms, struct text *text);

// Prints one campaign whole: its counts, each finding, missing marks, and the ending
// lines. `what` is what was run ("seeds=1..100"), a field of the OK line.
void output_campaign(const struct campaign *campaign, const struct campaign_result *result,
                     const char *what);

#endif  // SEEDBED_TOOLS_OUTPUT_H_
