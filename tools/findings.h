// SPDX-License-Identifier: GPL-2.0-or-later
//
// Folders of findings. A finding is a folder below the findings folder; it is written
// under a temporary name, flushed to the disk and renamed, so a kill at any moment leaves
// a whole folder or none. A temporary folder is locked (flock) by the process that fills
// it; those that nobody locks are what a killed process left, and are removed.
//
// What a folder holds:
//   key             the failure's key, a line
//   decisions       a decision file that fails with this key: shrunk, what `replay` is for
//   decisions.full  the same before shrinking
//   input.seed      the seed, a line; or input.bytes, what the fuzzer gave
//   trace.txt       the last lines of the run's trace
//   cause           one line: what was seen
//   replay          the command, a line
//   subject         the subject's SHA-256, where there are no decisions
//   first-difference   below not-deterministic/ only: where two runs part
// What an input of a fuzzing engine adds is in fuzz_finding.h.
#ifndef SEEDBED_TOOLS_FINDINGS_H_
#define SEEDBED_TOOLS_FINDINGS_H_

#include "tools/text.h"

// A folder that is being filled.
struct findings_temp {
  int dir_fd;   // of the findings folder
  int temp_fd;  // of the temporary one, locked
  char *dir;
  char name[64];  // of the temporary one, within dir
};

// Whether findings could be written to `dir` (which need not exist): returns false with a
// reason in `err`. Makes a folder where the first would be made, and removes it.
SIM_MUST_CHECK bool findings_check(const char *dir, char *err, size_t len);

// Removes temporary folders below `dir` that no living process fills. A folder that is
// not there is no error.
void findings_clean(const char *dir);

// The first line of a file of a finding's folder; "" without one. The caller frees it.
char *findings_line(const char *folder, const char *name);

// Makes `dir` if it is not there, and a temporary folder in it. Returns false with a reason
// in `err`, and nothing to abort.
SIM_MUST_CHECK bool findings_begin(const char *dir, struct findings_temp *out, char *err,
                                   size_t len);
// Adds a file and flushes it to the disk. On an error (returned with a reason) the caller
// still has to abort.
SIM_MUST_CHECK bool findings_add(struct findings_temp *temp, const char *name, const void *bytes,
                                 size_t bytes_len, char *err, size_t len);
// The path of a file in it, for the time until commit or abort. The caller frees it.
char *findings_temp_path(const struct findings_temp *temp, const char *name);

enum findings_commit {
  FINDINGS_COMMITTED,
  FINDINGS_EXISTS,  // the name is taken; the temporary folder is still there
  FINDINGS_ERROR,   // reason in `err`; still there as well
};
// Gives the folder its name (one path component). After FINDINGS_COMMITTED `temp` is over.
enum findings_commit findings_commit(struct findings_temp *temp, const char *name, char *err,
                                     size_t len);
// Puts the folder in place of the one that has the name, in one step where the file system
// can exchange names, else file by file. Returns false, with a reason, if neither works;
// the old folder is then whole and `temp` is still there.
SIM_MUST_CHECK bool findings_replace(struct findings_temp *temp, const char *name, char *err,
                                     size_t len);
// Removes the temporary folder.
void findings_abort(struct findings_temp *temp);

// Reads a whole file. Returns false with errno set; at most `max` bytes (EFBIG above).
SIM_MUST_CHECK bool read_file(const char *path, size_t max, struct text *out);
// Whether write_file could make this file; returns false with a reason in `err`. Changes
// nothing.
SIM_MUST_CHECK bool write_file_check(const char *path, char *err, size_t len);
// Writes a file by way of a temporary name beside it: it is there whole or not at all. A file
// that was there keeps its mode, and is reached through its links; what is no regular file
// (a device, a pipe) is written to. Returns false with a reason in `err`.
SIM_MUST_CHECK bool write_file(const char *path, const void *bytes, size_t bytes_len, char *err,
                               size_t len);

#endif  // SEEDBED_TOOLS_FINDINGS_H_
