// SPDX-License-Identifier: GPL-2.0-or-later
//
// A decision file as it was before it went through a mail. The parser of sim/decision.h takes
// the exact form only; this undoes what mail programs and people do to it:
//   - text before the version line, and after the last of the draws that the header states;
//   - "> " quotes and indentation, where the version line has them;
//   - CRLF, and blanks at the end of lines;
//   - the empty line before the draws lost;
//   - the subject's line wrapped in two.
// A file in the exact form stays as it is. What is damaged otherwise is left to the parser to
// refuse; a line that was cut is not mended.
#ifndef SEEDBED_TOOLS_MAILED_H_
#define SEEDBED_TOOLS_MAILED_H_

#include "tools/text.h"

struct mailed {
  struct text text;  // the decision file
  u32 *line;         // of each of its lines the number that it has in the file as it came
  u32 num_lines;
};

// Finds the decision file in these bytes: a line that begins, after quotes and indentation,
// with "seedbed-decisions ". Returns false, with nothing to free, if there is none.
SIM_MUST_CHECK bool mailed_find(const struct text *bytes, struct mailed *out);
void mailed_free(struct mailed *mailed);

// The number in the file as it came of the line with this number; for lines behind the last
// that of the last and one.
u32 mailed_line(const struct mailed *mailed, u32 line);

#endif  // SEEDBED_TOOLS_MAILED_H_
