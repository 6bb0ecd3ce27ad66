// SPDX-License-Identifier: GPL-2.0-or-later
//
// A campaign as one page of HTML that needs nothing beside it: findings, a table, and for each
// target what was reached, executions a second and findings over the time that was spent on it.
// Plots are gnuplot's, as SVG in the page.
#ifndef SEEDBED_TOOLS_FUZZING_FUZZ_PAGE_H_
#define SEEDBED_TOOLS_FUZZING_FUZZ_PAGE_H_

#include <stdio.h>

#include "tools/fuzzing/fuzz_summary.h"

// Writes it, whole or not at all. Returns SIM_OK or, after a complaint, 69 where there is no
// gnuplot, 70 where the machine refuses.
SIM_MUST_CHECK int fuzz_page_write(const struct fuzz_summary *summary, const char *path);

// Writes what gnuplot is told of a target: its SVG, in the file `svg`. Each engine begins at zero,
// and has the time that its own slices took.
void fuzz_page_plot(FILE *out, const struct fuzz_summary *summary, const char *target,
                    const char *svg);
// Adds text so that a browser shows it as it is.
void fuzz_page_add_text(struct text *page, const char *text);
// Adds gnuplot's SVG without what the page has once or not at all: prologue, definitions, ids,
// empty groups.
void fuzz_page_add_svg(struct text *page, const char *svg);

#endif  // SEEDBED_TOOLS_FUZZING_FUZZ_PAGE_H_
