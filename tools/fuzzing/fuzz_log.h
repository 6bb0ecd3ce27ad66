// SPDX-License-Identifier: GPL-2.0-or-later
//
// The log of a campaign: DIR/log.jsonl, a line of JSON for each slice. A line is one write, and
// flushed; a line that is torn or of no use is passed over and counted.
#ifndef SEEDBED_TOOLS_FUZZING_FUZZ_LOG_H_
#define SEEDBED_TOOLS_FUZZING_FUZZ_LOG_H_

#include "tools/fuzz_finding.h"
#include "tools/text.h"

enum { FUZZ_NAME_LEN = 96, FUZZ_ID_LEN = 192, FUZZ_LINE_LEN_MAX = 4096 };

// What became of one slice.
struct fuzz_record {
  char id[FUZZ_ID_LEN];  // TARGET/slice.N: no two lines have the same
  char target[FUZZ_NAME_LEN];
  enum fuzz_engine engine;
  u64 start_ms;  // since 1970
  u64 ms;
  u64 executions, rate;
  u64 features, edges;
  u64 corpus;              // files of the shared corpus behind it
  u64 found;               // inputs that the engine kept as new
  u64 failures;            // inputs that failed
  u64 findings;            // folders that were written for them
  u64 set_aside;           // inputs of the corpus that were put among the killers
  enum sim_status status;  // the smallest of the findings'; SIM_OK: none
  char bug[64];            // planted; "": none
  char ended[32];          // "time", "failure", "killed", "exit 1", "signal 11"
};

// The line, with its newline.
void fuzz_record_line(const struct fuzz_record *record, struct text *text);
// Reads one line (without a newline, `len` bytes, any bytes); false if it is no whole record.
SIM_MUST_CHECK bool fuzz_record_parse(const char *line, size_t len, struct fuzz_record *out);

struct fuzz_log {
  struct fuzz_record *record;
  u32 count;
  u32 passed_over;  // lines that are no record
};

// Reads a log; one that is not there is empty. False, with a reason, where it cannot be read.
SIM_MUST_CHECK bool fuzz_log_read(const char *path, struct fuzz_log *out, char *err, size_t len);
void fuzz_log_free(struct fuzz_log *log);
bool fuzz_log_has(const struct fuzz_log *log, const char *id);

// Adds a line: there as a whole, on the disk, or not at all. One writer at a time: it takes a lock
// on the file. Ends a line that a killed writer left torn. False with a reason.
SIM_MUST_CHECK bool fuzz_log_add(const char *path, const struct fuzz_record *record, char *err,
                                 size_t len);

// "libfuzzer", "aflpp"; and back, FUZZ_ENGINE_NONE for any other.
const char *fuzz_engine_name(enum fuzz_engine engine);
enum fuzz_engine fuzz_engine_by_name(const char *name);

#endif  // SEEDBED_TOOLS_FUZZING_FUZZ_LOG_H_
