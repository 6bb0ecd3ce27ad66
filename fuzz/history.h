// SPDX-License-Identifier: GPL-2.0-or-later
//
// The record of a process's last inputs: what had run before the one that failed. It is a file that
// the process has mapped, so it is whole after abort, SIGKILL or out of memory; an input is in it
// before its run begins. It holds the last 64 inputs at least, or 1 MiB of them.
//
// Environment of a target, all optional:
//   SEEDBED_FUZZ_HISTORY=FILE          keeps the record in FILE; "%p" in it is the process's id.
//                                      Where "%p" is the whole name, its folder keeps the newest
//                                      HISTORY_FILES_MAX records of processes that have ended
//   SEEDBED_FUZZ_AGAIN=N               with a record: after each Nth input an earlier one of it
//                                      runs again, and must give the digest that it gave then;
//                                      default 1024, 0: none
//   SEEDBED_FUZZ_REPLAY_HISTORY=FILE   runs the inputs of the record FILE in their order and ends,
//                                      in the build of any engine; see target.h
//
// A process that is forked has a record of its own from its first run on.
//
// The file: a header, slots, and a ring of bytes; numbers as the machine has them. Input number n,
// from 1, is in slot n modulo their number; its bytes begin at a position that only grows, taken
// modulo the ring's length. A slot's number is 0 while it is written, and the header says up to
// which position bytes may have been overwritten before they are: so what a reader takes for whole
// is whole, wherever the writer was stopped.
#ifndef SEEDBED_FUZZ_HISTORY_H_
#define SEEDBED_FUZZ_HISTORY_H_

#include "sim/base.h"

enum {
  HISTORY_SLOTS = 256,
  HISTORY_RING = 1 << 21,
  HISTORY_INPUT_MAX = HISTORY_RING / 2,  // a longer input is in the record without its bytes
  HISTORY_FILES_MAX = 16,
  HISTORY_SCENARIO_LEN = 64,
};

struct history_input {
  const u8 *bytes;
  size_t len;
  u64 digest;
  bool done;   // its run ended, with this digest
  bool twice;  // it was run twice in a row, with other bytes in unused memory
  bool cut;    // too long: there are no bytes
};

// ---- Writing, in the target ----

// Begins this process's record, which replaces what is there. Returns false, with a reason on
// stderr and nothing recorded from then on, if there can be none.
bool history_open(const char *path, const char *scenario);
// Whether there is a record. False in a process that was forked since.
bool history_is_open(void);
// Before a run, before it is run a second time, and after it. No-ops without a record.
void history_begin(const u8 *bytes, size_t len);
void history_twice(void);
void history_end(u64 digest);
// Writes what the record holds now to another file. False, with errno set, if that cannot be.
bool history_write(const char *path);
// An earlier input that ended and whose bytes are still there; which one, `number` decides. False
// if there is none. `bytes` are a copy, good until the next call.
bool history_earlier(u64 number, struct history_input *out);

// ---- Reading ----

struct history {
  char scenario[HISTORY_SCENARIO_LEN];
  struct history_input *input;  // oldest first; the last may not be done
  u32 count;
  u8 *file;
};

// How many inputs the process has begun whose record this is; it may be running. 0: no record.
u64 history_count(const char *path);
// Reads a record, of a process that has ended. What is not whole is left out, and all before it.
// Returns SIM_OK, or with a reason in `err` SIM_MISSING_FILE or, for a file that is no record,
// SIM_MALFORMED.
SIM_MUST_CHECK int history_read(const char *path, struct history *out, char *err, size_t err_len);
void history_free(struct history *history);
// The bytes of a record of these inputs, as long as it needs be; to be freed. NULL where there is
// no memory.
u8 *history_make(const char *scenario, const struct history_input *input, u32 count,
                 size_t *out_len);

#endif  // SEEDBED_FUZZ_HISTORY_H_
