// SPDX-License-Identifier: GPL-2.0-or-later
//
// The ledger of keystream: every key that the system call delivered in a run, what its
// keystream is (by libsodium), which bytes of it were handed out, and which keys were made of
// it. It knows no state's layout and no subject's variables: a call's output is looked up.
//
// A call may take a key's keystream in any order of growing offsets, with gaps, and may take 32
// bytes of it as a new key. Where the output stops to be the keystream of one key, what follows
// is looked for in this order: as the stream of a key made of the bytes that come next, of a
// delivered key at its next byte, of any known key at any offset.
#ifndef SEEDBED_MODELS_VDSO_VDSO_LEDGER_H_
#define SEEDBED_MODELS_VDSO_VDSO_LEDGER_H_

#include "sim/base.h"

enum {
  LEDGER_KEYS_MAX = 40,
  LEDGER_CACHE = 320,  // bytes of keystream kept of a key
  LEDGER_SPANS = 6,    // runs of bytes of a key that were handed out
  LEDGER_PLACES = 8,   // pieces of one call's output that are remembered
};

struct ledger_key {
  u8 key[32];  // as ChaCha20 takes it
  u8 raw[32];  // as it lay in memory
  u32 process;
  u32 epoch;   // generation bumps before it was delivered
  s32 parent;  // the key of whose stream it is made; -1: delivered
  u32 next;    // offset behind the last byte that was handed out
  u32 cached;  // bytes of `stream` that are filled
  u32 num_spans;
  struct {
    u32 from, to;
  } span[LEDGER_SPANS];
  u8 stream[LEDGER_CACHE];
};

struct ledger {
  bool swap_words;  // the machine is big-endian and takes keys as words
  u32 num_keys;
  bool full;  // a key did not fit: nothing is judged from here on
  struct ledger_key key[LEDGER_KEYS_MAX];
};

// A piece of output.
struct ledger_place {
  u32 key, from, len;
};

struct ledger_answer {
  bool found;     // all bytes were found
  u32 lost_at;    // else: the first that was not
  bool repeated;  // some byte had been handed out before
  u32 repeated_at;
  u32 oldest_epoch;  // smallest epoch of the keys
  u32 first_process, last_process;
  u32 num_places;  // at most LEDGER_PLACES are told
  struct ledger_place place[LEDGER_PLACES];
};

void ledger_begin(struct ledger *ledger, bool swap_words);
// The system call delivered 32 bytes. Returns the key's index.
u32 ledger_deliver(struct ledger *ledger, const u8 raw[32], u32 process, u32 epoch);
// Finds `out` and, if `take`, notes it as handed out. `hint_key` and `hint_at` say where the
// state's last call ended (-1: unknown) and are moved on.
void ledger_look_up(struct ledger *ledger, const u8 *out, u32 len, bool take, s32 *hint_key,
                    u32 *hint_at, struct ledger_answer *answer);
// Keystream of a key: [at, at + len), len at most LEDGER_CACHE.
void ledger_stream(struct ledger *ledger, u32 key, u32 at, u8 *out, u32 len);
// Whether byte `at` of the key's stream has been handed out.
bool ledger_handed_out(const struct ledger *ledger, u32 key, u32 at);

#endif  // SEEDBED_MODELS_VDSO_VDSO_LEDGER_H_
