// SPDX-License-Identifier: GPL-2.0-or-later
//
// See vdso_ledger.h.
#include "models/vdso/vdso_ledger.h"

#include <sodium.h>
#include <string.h>

static const u8 nonce[crypto_stream_chacha20_NONCEBYTES];
static const u8 zeros[LEDGER_CACHE];

void ledger_begin(struct ledger *ledger, bool swap_words) {
  ledger->swap_words = swap_words;
  ledger->num_keys = 0;
  ledger->full = false;
}

static s32 add(struct ledger *ledger, const u8 raw[32], u32 process, u32 epoch, s32 parent) {
  struct ledger_key *key = &ledger->key[ledger->num_keys];

  if (ledger->num_keys == LEDGER_KEYS_MAX) {
    ledger->full = true;
    return -1;
  }
  for (u32 i = 0; i < 32; i++) key->key[i] = raw[ledger->swap_words ? (i ^ 3) : i];
  memcpy(key->raw, raw, 32);
  key->process = process;
  key->epoch = epoch;
  key->parent = parent;
  key->next = 0;
  key->cached = 0;
  key->num_spans = 0;
  return (s32)ledger->num_keys++;
}

u32 ledger_deliver(struct ledger *ledger, const u8 raw[32], u32 process, u32 epoch) {
  s32 index = add(ledger, raw, process, epoch, -1);

  return index < 0 ? LEDGER_KEYS_MAX - 1 : (u32)index;
}

// Bytes [at, at + len) within blocks, straight from libsodium.
static void blocks(const struct ledger_key *key, u32 at, u8 *out, u32 len) {
  u8 block[64];

  while (len) {
    u32 in_block = at % 64, n = 64 - in_block < len ? 64 - in_block : len;

    crypto_stream_chacha20_xor_ic(block, zeros, 64, nonce, at / 64, key->key);
    memcpy(out, block + in_block, n);
    out += n;
    at += n;
    len -= n;
  }
}

static void fill(struct ledger_key *key, u32 to) {
  to = (to + 63) & ~63u;
  if (to > LEDGER_CACHE) to = LEDGER_CACHE;
  if (to <= key->cached) return;
  crypto_stream_chacha20_xor_ic(key->stream + key->cached, zeros, to - key->cached, nonce,
                                key->cached / 64, key->key);
  key->cached = to;
}

void ledger_stream(struct ledger *ledger, u32 index, u32 at, u8 *out, u32 len) {
  struct ledger_key *key = &ledger->key[index];

  SIM_ASSERT(index < ledger->num_keys);
  if (at + len <= LEDGER_CACHE) {
    fill(key, at + len);
    memcpy(out, key->stream + at, len);
  } else {
    blocks(key, at, out, len);
  }
}

bool ledger_handed_out(const struct ledger *ledger, u32 index, u32 at) {
  const struct ledger_key *key = &ledger->key[index];

  for (u32 i = 0; i < key->num_spans; i++)
    if (at >= key->span[i].from && at < key->span[i].to) return true;
  return false;
}

// How many bytes of `out` are the stream of `index` from `at` on.
static u32 match(struct ledger *ledger, u32 index, u32 at, const u8 *out, u32 len) {
  u32 done = 0;
  u8 chunk[64];

  while (done < len) {
    u32 n = len - done < 64 ? len - done : 64, i;

    ledger_stream(ledger, index, at + done, chunk, n);
    if (!memcmp(chunk, out + done, n)) {
      done += n;
      continue;
    }
    for (i = 0; chunk[i] == out[done + i]; i++) {
    }
    return done + i;
  }
  return done;
}

// Whether the 32 bytes of a stream from `at` on, as a key, make what `out` begins with, from
// byte `from` of its stream on. Adds the key if so.
static s32 child(struct ledger *ledger, u32 parent, u32 at, u32 from, const u8 *out, u32 want) {
  u8 raw[32];
  s32 index;

  ledger_stream(ledger, parent, at, raw, 32);
  for (u32 i = 0; i < ledger->num_keys; i++)
    if (ledger->key[i].parent == (s32)parent && !memcmp(ledger->key[i].raw, raw, 32))
      return match(ledger, i, from, out, want) == want ? (s32)i : -1;
  index = add(ledger, raw, ledger->key[parent].process, ledger->key[parent].epoch, (s32)parent);
  if (index < 0) return -1;
  if (match(ledger, (u32)index, from, out, want) == want) return index;
  ledger->num_keys--;
  return -1;
}

// Whether 8 bytes lie in the first two blocks and a half of the stream of such a key.
static bool within_child(struct ledger *ledger, u32 parent, u32 at, const u8 *out, u32 *out_key,
                         u32 *out_at) {
  u32 known = ledger->num_keys;
  s32 index = child(ledger, parent, at, 0, out, 0);
  u8 stream[160];
  const u8 *place;

  if (index < 0) return false;
  ledger_stream(ledger, (u32)index, 0, stream, sizeof(stream));
  place = memmem(stream, sizeof(stream), out, 8);
  if (place) {
    *out_key = (u32)index;
    *out_at = (u32)(place - stream);
    return true;
  }
  ledger->num_keys = known;
  return false;
}

// Where `out` begins, if not where the last piece ended.
static bool find(struct ledger *ledger, s32 last_key, u32 last_at, const u8 *out, u32 len,
                 u32 *out_key, u32 *out_at) {
  u32 want = len < 8 ? len : 8;
  s32 made;

  if (last_key >= 0) {
    // The last bytes before these may have been taken for the old key's by chance.
    for (u32 late = 0; late <= 3 && late <= last_at && (!late || want == 8); late++) {
      made = child(ledger, (u32)last_key, last_at - late, late, out, want);
      if (made < 0) continue;
      *out_key = (u32)made;
      *out_at = late;
      return true;
    }
  }
  // Newest first: a key that was just delivered is the likely one.
  for (u32 i = ledger->num_keys; i-- > 0;) {
    if (match(ledger, i, ledger->key[i].next, out, want) == want) {
      *out_key = i;
      *out_at = ledger->key[i].next;
      return true;
    }
  }
  if (want < 8) return false;
  // At a later block: an attempt that was thrown away may have counted on.
  for (u32 i = ledger->num_keys; i-- > 0;)
    for (u32 block = 1; block < 2 * (len / 64) + 16 && ledger->key[i].parent < 0; block++) {
      if (match(ledger, i, block * 64, out, want) != want) continue;
      *out_key = i;
      *out_at = block * 64;
      return true;
    }
  // Anywhere in the stream of a key made at the end of a pair of blocks.
  for (u32 i = ledger->num_keys; i-- > 0;)
    for (u32 block = 0; block < 4; block++)
      if (within_child(ledger, i, (ledger->key[i].next / 64 + block) * 64 + 32, out, out_key,
                       out_at))
        return true;
  // Less than 8 bytes that such a key's batch still had, behind a gap, and then the new key's.
  for (u32 i = ledger->num_keys; i-- > 0;) {
    for (u32 block = 0; block < 4; block++) {
      u32 end = (ledger->key[i].next / 64 + block) * 64 + 32;
      u8 last[8];

      ledger_stream(ledger, i, end - 8, last, 8);
      for (u32 n = 1; n < 8; n++) {
        if (memcmp(last + 8 - n, out, n)) continue;
        made = child(ledger, i, end, 0, out + n, len - n < 8 ? len - n : 8);
        if (made < 0) continue;
        *out_key = i;
        *out_at = end - n;
        return true;
      }
    }
  }
  // Behind a gap: an outer call has them and is not judged yet, or they were thrown away.
  for (u32 i = ledger->num_keys; i-- > 0;) {
    u32 from;
    u8 stream[LEDGER_CACHE];
    const u8 *place;

    from = ledger->key[i].next < 192 ? 0 : ledger->key[i].next / 64 * 64 - 192;
    ledger_stream(ledger, i, from, stream, LEDGER_CACHE);
    place = memmem(stream, LEDGER_CACHE, out, want);
    if (!place) continue;
    *out_key = i;
    *out_at = from + (u32)(place - stream);
    return true;
  }
  return false;
}

// Notes a piece as handed out. Returns the first offset that was handed out before, or -1.
static s64 take_span(struct ledger_key *key, u32 from, u32 to) {
  s64 repeated = -1;

  for (u32 i = 0; i < key->num_spans; i++)
    if (from < key->span[i].to && to > key->span[i].from) {
      repeated = from > key->span[i].from ? from : key->span[i].from;
      break;
    }
  if (to > key->next) key->next = to;
  if (repeated >= 0) return repeated;
  for (u32 i = 0; i < key->num_spans; i++)
    if (key->span[i].to == from) {
      key->span[i].to = to;
      return -1;
    }
  if (key->num_spans < LEDGER_SPANS) {
    key->span[key->num_spans].from = from;
    key->span[key->num_spans++].to = to;
  }
  return -1;
}

static void take_piece(struct ledger *ledger, u32 key, u32 from, u32 len, u32 out_at, bool take,
                       struct ledger_answer *answer) {
  if (answer->num_places < LEDGER_PLACES)
    answer->place[answer->num_places++] = (struct ledger_place){key, from, len};
  if (ledger->key[key].epoch < answer->oldest_epoch) answer->oldest_epoch = ledger->key[key].epoch;
  if (!out_at) answer->first_process = ledger->key[key].process;
  answer->last_process = ledger->key[key].process;
  if (take) {
    s64 repeated = take_span(&ledger->key[key], from, from + len);

    if (repeated >= 0 && !answer->repeated) {
      answer->repeated = true;
      answer->repeated_at = out_at + (u32)(repeated - from);
    }
  }
}

void ledger_look_up(struct ledger *ledger, const u8 *out, u32 len, bool take, s32 *hint_key,
                    u32 *hint_at, struct ledger_answer *answer) {
  struct {
    u32 key, from, len, at;
  } piece = {0};
  s32 key = *hint_key;
  u32 key_at = *hint_at, at = 0;
  bool open = false;

  memset(answer, 0, offsetof(struct ledger_answer, place));
  answer->oldest_epoch = UINT32_MAX;
  while (at < len) {
    u32 n = 0, back = 0, found_key = 0, found_at = 0;

    // Where the last call ended.
    if (key >= 0 && !open) n = match(ledger, (u32)key, key_at, out + at, len - at);
    if (n && (n >= 8 || n == len || !find(ledger, key, key_at, out, len, &found_key, &found_at))) {
      // Be it few bytes: what follows may begin behind them.
      found_key = (u32)key;
      found_at = key_at;
    } else {
      // The last piece may be too long by chance: its end is the start of what follows.
      for (n = 0; !n && back <= 3 && (!back || (open && back <= piece.len)); back++) {
        if (!find(ledger, key, key_at - back, out + at - back, len - at + back, &found_key,
                  &found_at))
          continue;
        piece.len -= back;
        at -= back;
        n = match(ledger, found_key, found_at, out + at, len - at);
      }
      if (!n) {
        if (open) take_piece(ledger, piece.key, piece.from, piece.len, piece.at, take, answer);
        answer->lost_at = at;
        return;
      }
    }
    if (open && piece.len)
      take_piece(ledger, piece.key, piece.from, piece.len, piece.at, take, answer);
    open = true;
    piece.key = found_key;
    piece.from = found_at;
    piece.len = n;
    piece.at = at;
    at += n;
    key = (s32)found_key;
    key_at = found_at + n;
  }
  if (open) take_piece(ledger, piece.key, piece.from, piece.len, piece.at, take, answer);
  answer->found = true;
  *hint_key = key;
  *hint_at = key_at;
}
