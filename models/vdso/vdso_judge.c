// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the oracles say when a call returns or faults. See vdso_run.h.
//
// Sections: marks, result, keystream, freshness, what is left behind, what was written,
// registers. Nothing here knows the subject's code; of a state it knows where it lies.
#include <stdio.h>
#include <string.h>

#include "models/vdso/vdso_oracles.h"
#include "models/vdso/vdso_run.h"

static struct vdso_call *top(struct vdso_run *run) { return &run->now.call[run->now.level - 1]; }

// ---- Marks ----

// The part of a buffer that exists.
static const u8 *output(const struct vdso_run *run, const struct vdso_call *call, u64 *out_len) {
  u64 len = call->len < VDSO_MAIN_LEN ? call->len : VDSO_MAIN_LEN;

  *out_len = len;
  return guest_host(run->m->fast.g, call->buf, len);
}

u64 vdso_output_hash(const struct vdso_run *run, const struct vdso_call *call) {
  u64 len, hash = 0, word;
  const u8 *bytes = output(run, call, &len);

  if (!bytes) return 0;
  for (u64 i = 0; i < len; i += 8) {
    word = 0;
    memcpy(&word, bytes + i, len - i < 8 ? len - i : 8);
    hash = (hash ^ word) * 0x9e3779b97f4a7c15ull;
    hash ^= hash >> 29;
  }
  return hash;
}

void vdso_mark(struct vdso_run *run, bool is_fork) {
  run->serial++;
  guest_take(run->m->fast.g, run->m->at_mark);
  for (u32 i = 0; i < run->now.level; i++) {
    struct vdso_call *call = &run->now.call[i];

    if (call->num_marks == VDSO_MARKS) continue;
    call->mark[call->num_marks].bumps = run->m->bumps;
    call->mark[call->num_marks].is_fork = is_fork;
    call->mark[call->num_marks].output_hash = vdso_output_hash(run, call);
    call->mark[call->num_marks].serial = run->serial;
    call->num_marks++;
  }
}

// ---- Result ----

static bool is_query(const struct vdso_run *run, const struct vdso_call *call) {
  u64 all = guest_word_size(run->m->setting.arch) == 4 ? 0xffffffff : ~0ull;

  return call->opaque_len == all && !call->buf && !call->len && !call->flags;
}

static bool straddles(const struct vdso_run *run, const struct vdso_call *call) {
  u64 page = run->m->page_len;

  return (call->opaque & (page - 1)) + VDSO_STATE_LEN > page;
}

bool vdso_is_own_state(const struct vdso_run *run, const struct vdso_call *call) {
  return call->opaque_len == VDSO_STATE_LEN &&
         call->opaque == vdso_state_addr(call->thread) + run->now.slot[call->thread];
}

static void judge_query(struct vdso_run *run, struct vdso_call *call) {
  struct guest *g = run->m->fast.g;
  u8 *answer = guest_host(g, call->opaque, 64);

  if (!answer) return;
  for (u32 i = 0; i < 16; i++) {
    u64 want = i == 0 ? VDSO_STATE_LEN : i == 1 ? 3 : i == 2 ? 0x28 : 0;

    if (guest_load(g, answer + 4 * i, 4) != want) {
      vdso_say(run, &vdso_oracle_query, "", "word %u of the answer is %llu", i,
               (unsigned long long)guest_load(g, answer + 4 * i, 4));
      return;
    }
  }
  memset(answer, VDSO_FILL_MISC, 64);
}

// What the system call would have said to arguments that it does not take, or on a machine
// that is not ready; 0: it gives bytes.
static s64 expected_error(const struct vdso_call *call) {
  s64 error = vdso_flags_error(call->flags);

  if (!error && !call->was_ready && !(call->flags & VDSO_GRND_INSECURE)) return -SIM_EAGAIN;
  return error;
}

// A processor without FPSIMD has no vectors to make ChaCha20 with: the vDSO serves nothing, and a
// query says so (arch/arm64/kernel/vdso/vgetrandom.c).
static s64 judge_unserved(struct vdso_run *run, struct vdso_call *call, s64 result) {
  s64 want = is_query(run, call) ? -38 /* ENOSYS */ : call->fell_back_result;

  run->outcome = result < 0 ? VDSO_REFUSED : VDSO_SYSCALL;
  if (is_query(run, call) == call->fell_back || call->num_syscalls > 1 || result != want)
    vdso_say(run, &vdso_oracle_result, "without FPSIMD",
             "the call ends with %lld after %u system calls, and was to end with %lld",
             (long long)result, call->num_syscalls, (long long)want);
  return -1;
}

// Returns the bytes that were served from keystream, or -1: something else ended the call.
static s64 judge_result(struct vdso_run *run, struct vdso_call *call) {
  struct guest *g = run->m->fast.g;
  bool failed = vdso_result_failed(g), so = run->m->abi->so && failed;
  s64 result = vdso_result(g), error = expected_error(call);

  run->digest = sim_mix64(run->digest ^ (u64)result ^ ((u64)so << 40));
  if (run->m->setting.no_fpsimd) return judge_unserved(run, call, result);
  if (is_query(run, call) && !call->fell_back) {
    if (result || failed)
      vdso_say(run, &vdso_oracle_result, "query", "a query ends with %lld", (long long)result);
    judge_query(run, call);
    run->outcome = VDSO_SERVED;
    return -1;
  }
  if (is_query(run, call))
    vdso_say(run, &vdso_oracle_query, "not answered", "a query is answered by the system call");
  if (call->fell_back) {
    run->outcome = result < 0 ? VDSO_REFUSED : VDSO_SYSCALL;
    if (result != call->fell_back_result || failed != (call->fell_back_result < 0))
      vdso_say(run, &vdso_oracle_result, "not passed on",
               "the system call ended with %lld, and the call with %lld%s",
               (long long)call->fell_back_result, (long long)result, so ? ", CR0.SO set" : "");
    return -1;
  }
  if (failed) {
    run->outcome = VDSO_REFUSED;
    if (result != -SIM_EFAULT || !straddles(run, call))
      vdso_say(run, &vdso_oracle_result, "error of its own",
               "error %lld, and no system call said so", (long long)-result);
    return -1;
  }
  if (error) {
    char stable[32];

    snprintf(stable, sizeof(stable), "%s%x", error == -SIM_EAGAIN ? "ready" : "flags ",
             error == -SIM_EAGAIN ? 0 : call->flags);
    vdso_say(run, &vdso_oracle_result, stable,
             "%lld for flags 0x%x, where the system call says error %lld", (long long)result,
             call->flags, (long long)-error);
    return -1;
  }
  if ((u64)result != call->len) {
    vdso_say(run, &vdso_oracle_result, "length", "%lld bytes of %llu without the system call",
             (long long)result, (unsigned long long)call->len);
    return -1;
  }
  if (result && call->opaque_len != VDSO_STATE_LEN) {
    vdso_say(run, &vdso_oracle_result, "no state",
             "%lld bytes without the system call from a state of length 0x%llx", (long long)result,
             (unsigned long long)call->opaque_len);
    return -1;
  }
  if (result && straddles(run, call)) {
    vdso_say(run, &vdso_oracle_result, "straddles",
             "%lld bytes without the system call from a state that lies over a page's end",
             (long long)result);
    return -1;
  }
  run->outcome = call->num_keys > 1 ? VDSO_SERVED_ANEW : VDSO_SERVED;
  return result;
}

static void judge_fell_back(struct vdso_run *run, struct vdso_call *call) {
  s64 n = call->fell_back_result;
  const u8 *bytes;
  u8 given[64];

  if (!call->fell_back || n <= 0 || run->verdict.oracle) return;
  bytes = guest_host(run->m->fast.g, call->buf, (u64)n);
  for (u32 i = 0; i < (u32)n; i += sizeof(given)) {
    u32 part = (u32)n - i < sizeof(given) ? (u32)n - i : (u32)sizeof(given);

    vdso_given(run->m, call->fell_back_word + i / 8, given, part);
    if (memcmp(bytes + i, given, part)) {
      vdso_say(run, &vdso_oracle_result, "bytes",
               "the buffer does not hold what the system call gave");
      return;
    }
  }
}

static void judge_needless(struct vdso_run *run, struct vdso_call *call) {
  if (run->m->setting.no_fpsimd) return;
  if (!call->fell_back || call->num_events || call->num_failed || call->state_busy) return;
  // To distrust a state that nobody made is no fault.
  if (run->now.corrupt_state[call->thread]) return;
  if (!call->ready_at_entry || vdso_flags_error(call->flags) || !call->len) return;
  if (!vdso_is_own_state(run, call) || straddles(run, call)) return;
  vdso_say_of_state(run, &vdso_oracle_needless, "",
                    "a quiet call of %llu bytes went to the system call",
                    (unsigned long long)call->len);
}

// Of a state that has a key of this generation the batch is taken, and then what that key makes.
static void judge_needless_key(struct vdso_run *run, struct vdso_call *call) {
  if (!call->has_key || call->num_events || (!call->num_keys && !call->num_failed)) return;
  vdso_say(run, &vdso_oracle_needless_key, "",
           "a quiet call of %llu bytes asked for a key, and the state had one",
           (unsigned long long)call->len);
}

// Call `call` returned, and keystream was all of its `served` bytes (-1: none). That which fell
// back with no key asked for has left the state alone.
static void note_key(struct vdso_run *run, const struct vdso_call *call, s64 served) {
  struct vdso_process *now = &run->now;
  u32 t = call->thread;
  bool quiet = !call->num_events && call->bumps == run->m->bumps && !now->lost_state[t] &&
               !now->corrupt_state[t];

  if (served > 0 && quiet && vdso_is_own_state(run, call)) {
    now->has_key[t] = true;
    now->key_bumps[t] = call->bumps;
  } else if (served > 0 || call->num_events || call->num_keys || call->num_failed) {
    now->has_key[t] = false;
  }
}

// ---- Freshness ----

static bool listed(const u64 *table, u32 num, u64 pc) {
  for (u32 i = 0; i < num; i++)
    if (table[i] == pc) return true;
  return false;
}

// A system call of a replay: it gives bytes, which nobody will see.
static void answer_replay(struct vdso_machine *m) {
  struct guest *g = m->fast.g;
  u64 buf = vdso_arg(g, 0), len = vdso_arg(g, 1);
  s64 result = len <= VDSO_MAIN_LEN && vdso_writable(m, buf, len) ? (s64)len : -SIM_EFAULT;

  if (result > 0) vdso_give(m, guest_host(g, buf, len), (u32)len);
  vdso_syscall_return(g, result);
}

u64 vdso_quiet_insns(struct vdso_run *run) {
  struct vdso_machine *m = run->m;
  struct guest *g = m->fast.g;
  u64 delivered = m->delivered, insns;
  struct guest_stop stop;
  enum guest_stop_kind kind;

  guest_take(g, m->resume);
  while ((kind = guest_run(g, guest_insns(g) + 100000, &stop)) == GUEST_SYSCALL) answer_replay(m);
  insns = stop.insns;
  m->delivered = delivered;
  guest_restore(g, m->resume);
  return insns;
}

// Whether the call of that level, undisturbed from its last mark on, loads the generation once
// more. Calls that had interrupted it then are made to the end first.
static bool loads_after(struct vdso_run *run, u32 level, bool is_fork) {
  struct vdso_machine *m = run->m;
  struct guest *g = m->fast.g;
  const u64 *table = is_fork ? m->state_load : m->page_load, delivered = m->delivered;
  u32 num = is_fork ? m->num_state_loads : m->num_page_loads, steps = 0;
  struct guest_stop stop;
  bool loads = false, going = true;

  guest_take(g, m->resume);
  guest_restore(g, m->at_mark);
  while (guest_level(g) > level && going) {
    enum guest_stop_kind kind = guest_run(g, GUEST_NO_LIMIT, &stop);

    if (kind == GUEST_SYSCALL)
      answer_replay(m);
    else if (kind == GUEST_RETURNED)
      guest_nested_end(g);
    else
      going = false;
  }
  while (going && !loads && ++steps < 6000) {
    enum guest_stop_kind kind;

    loads = listed(table, num, guest_get(g, GUEST_PC));
    kind = guest_run(g, guest_insns(g) + 1, &stop);
    if (kind == GUEST_SYSCALL)
      answer_replay(m);
    else if (kind != GUEST_BOUNDARY)
      going = false;
  }
  m->delivered = delivered;
  guest_restore(g, m->resume);
  return loads;
}

// Whether mark `i` of the call may be missed: the output was complete, and nothing looked again.
static bool excused(struct vdso_run *run, struct vdso_call *call, u32 i, u64 final_hash) {
  bool last = i + 1 == call->num_marks;

  if (call->mark[i].output_hash != final_hash) return false;
  // Another event came since; then the last load is not known.
  if (!last || call->mark[i].serial != run->serial) return true;
  if (loads_after(run, (u32)(call - run->now.call), call->mark[i].is_fork)) return false;
  run->reached |= VDSO_REACHED_EXCUSED;
  return true;
}

// Whether the call was forked in after its output was complete, so that both processes return
// the same bytes.
static bool same_as_parent(struct vdso_run *run, struct vdso_call *call, u64 final_hash) {
  for (u32 i = 0; i < call->num_marks; i++)
    if (call->mark[i].is_fork && excused(run, call, i, final_hash)) return true;
  return false;
}

static void judge_fresh(struct vdso_run *run, struct vdso_call *call,
                        const struct ledger_answer *answer, u64 final_hash) {
  bool old_process = false;

  for (u32 i = 0; i < answer->num_places; i++)
    if (run->ledger.key[answer->place[i].key].process != run->now.id) old_process = true;
  if (old_process && !same_as_parent(run, call, final_hash)) {
    vdso_say_of_state(run, &vdso_oracle_fresh, "fork",
                      "process %u returns keystream of a key that another got", run->now.id);
    return;
  }
  if (answer->oldest_epoch >= run->m->bumps) return;
  if (answer->oldest_epoch < call->bumps) {
    vdso_say_of_state(run, &vdso_oracle_fresh, "before",
                      "the key is older than %u generation bumps from before the call",
                      call->bumps - answer->oldest_epoch);
    return;
  }
  for (u32 i = 0; i < call->num_marks; i++) {
    if (call->mark[i].is_fork || call->mark[i].bumps <= answer->oldest_epoch) continue;
    if (excused(run, call, i, final_hash)) continue;
    vdso_say_of_state(run, &vdso_oracle_fresh, "during",
                      "a generation bump within the call was not honoured");
    return;
  }
}

// ---- Keystream ----

static void say_lost(struct vdso_run *run, const u8 *out, u32 len, u32 at) {
  bool zeros = true;

  for (u32 i = at; i < len && i < at + 8; i++) zeros &= !out[i];
  vdso_say_of_state(run, &vdso_oracle_keystream, zeros ? "zeros" : "other",
                    "byte %u of %u is keystream of no key that was delivered: %02x%02x%02x%02x%s",
                    at, len, out[at], at + 1 < len ? out[at + 1] : 0,
                    at + 2 < len ? out[at + 2] : 0, at + 3 < len ? out[at + 3] : 0,
                    zeros ? ", zeros" : "");
}

static bool stream_begins(struct vdso_run *run, s32 key, u32 at, const u8 *out, u32 len) {
  u8 stream[8];

  if (key < 0) return false;
  ledger_stream(&run->ledger, (u32)key, at, stream, len);
  return !memcmp(stream, out, len);
}

// Few bytes are found by chance as well: where they were not made in one go, they are judged
// only if they are where they were expected. After a second key that is nowhere: the merged
// algorithm goes on with the first one's block counter.
static bool few_are_expected(struct vdso_run *run, const struct vdso_call *call, s32 key, u32 at,
                             const u8 *out, u32 len) {
  const struct vdso_process *now = &run->now;
  u32 t = call->thread;

  if (call->num_keys > 1) return false;
  if (!call->num_events && !now->hint_lost[t] && !now->lost_state[t] && !now->corrupt_state[t])
    return true;
  return stream_begins(run, key, at, out, len);
}

// Calls that this one interrupted may have made all their bytes, and are not judged yet: what
// is this call's lies behind theirs.
static void pass_outer(struct vdso_run *run, struct vdso_call *call, s32 *hint_key, u32 *hint_at) {
  for (u32 i = 0; i + 1 < run->now.level; i++) {
    struct vdso_call *outer = &run->now.call[i];
    struct ledger_answer answer;
    u64 len;
    const u8 *out = output(run, outer, &len);
    s32 key = outer->start_key >= 0 ? outer->start_key : *hint_key;
    u32 at = outer->start_key >= 0 ? outer->start_at : *hint_at;

    if (outer->thread != call->thread || !out || !len) continue;
    if (outer->num_keys && outer->start_key < 0) {
      key = (s32)outer->keys[outer->num_keys - 1];
      at = 0;
    }
    if (len < 8 && !few_are_expected(run, outer, key, at, out, (u32)len)) {
      run->now.hint_lost[call->thread] = true;
      continue;
    }
    ledger_look_up(&run->ledger, out, (u32)len, false, &key, &at, &answer);
    if (!answer.found) continue;
    // Where they were known to begin elsewhere, that was an attempt that was thrown away since.
    if (outer->start_key != (s32)answer.place[0].key || outer->start_at != answer.place[0].from) {
      outer->start_key = (s32)answer.place[0].key;
      outer->start_at = answer.place[0].from;
      *hint_key = key;
      *hint_at = at;
    }
  }
}

// Whether its bytes are what a nested call's judge took them for.
static bool begins_at(struct vdso_run *run, const struct vdso_call *call, const u8 *out, u32 len) {
  struct ledger_answer answer;
  s32 key = call->start_key;
  u32 at = call->start_at;

  ledger_look_up(&run->ledger, out, len, false, &key, &at, &answer);
  return answer.found && (s32)answer.place[0].key == call->start_key;
}

static void judge_keystream(struct vdso_run *run, struct vdso_call *call, u32 len,
                            struct ledger_answer *answer) {
  const u8 *out = guest_host(run->m->fast.g, call->buf, len);
  struct vdso_process *now = &run->now;
  s32 hint_key = now->hint_key[call->thread];
  u32 hint_at = now->hint_at[call->thread];
  u64 hash = call->num_marks ? vdso_output_hash(run, call) : 0;
  bool same = same_as_parent(run, call, hash), passed = false;

  SIM_ASSERT(out);
  pass_outer(run, call, &hint_key, &hint_at);
  if (call->start_key >= 0 && begins_at(run, call, out, len)) {
    hint_key = call->start_key;
    hint_at = call->start_at;
    passed = true;
    if (len < 8) now->hint_lost[call->thread] = true;
  } else if (call->num_keys) {
    hint_key = (s32)call->keys[call->num_keys - 1];
    hint_at = 0;
  }
  if (len < 8 && !passed && !few_are_expected(run, call, hint_key, hint_at, out, len)) {
    now->hint_lost[call->thread] = true;
    answer->found = false;
    call->num_keys = 0;  // what of them was handed out is not known: no residue is judged
    return;
  }
  ledger_look_up(&run->ledger, out, len, !same, &hint_key, &hint_at, answer);
  if (run->ledger.full) return;
  if (!answer->found) {
    say_lost(run, out, len, answer->lost_at);
    return;
  }
  if (!passed) {
    now->hint_key[call->thread] = hint_key;
    now->hint_lost[call->thread] = false;
    now->hint_at[call->thread] = hint_at;
  }
  if (answer->repeated)
    vdso_say_of_state(run, &vdso_oracle_once, "", "byte %u of %u was handed out before",
                      answer->repeated_at, len);
  judge_fresh(run, call, answer, hash);
}

// ---- What is left behind ----

enum { BATCH_MAX = 96 };  // bytes that a call leaves for the next ones

// The batch is found by what has not been handed out of it: that tells where the bytes before it
// lie, be they one. Those that are still there, and not 0 by chance, were not erased.
static void judge_batch(struct vdso_run *run, const u8 *state, const struct ledger_answer *answer) {
  const struct ledger_place *last = &answer->place[answer->num_places - 1];
  u32 next = last->from + last->len, from = next > BATCH_MAX ? next - BATCH_MAX : 0;
  u8 stream[BATCH_MAX + 8];
  const u8 *rest;

  if (answer->num_places == 0 || answer->num_places == LEDGER_PLACES) return;
  if (next + 8 > LEDGER_CACHE || ledger_handed_out(&run->ledger, last->key, next)) return;
  if (from < last->from) from = last->from;
  ledger_stream(&run->ledger, last->key, from, stream, next + 8 - from);
  rest = memmem(state, VDSO_STATE_LEN, stream + (next - from), 8);
  if (!rest) return;
  for (u32 i = 1; i <= next - from && i <= (size_t)(rest - state); i++) {
    if (!rest[-(s32)i] || rest[-(s32)i] != stream[next - from - i]) continue;
    vdso_say_of_state(run, &vdso_oracle_erased, "", "byte %u of the state was handed out",
                      (u32)(rest - state) - i);
    return;
  }
}

static void judge_erased(struct vdso_run *run, struct vdso_call *call, u32 len,
                         const struct ledger_answer *answer) {
  const u8 *out = guest_host(run->m->fast.g, call->buf, len);
  const u8 *state = guest_host(run->m->fast.g, call->opaque, VDSO_STATE_LEN);

  if (!state) return;
  if (answer->found) judge_batch(run, state, answer);
  for (u32 at = 0; len >= 8 && at + 8 <= VDSO_STATE_LEN; at += 8) {
    u64 word;

    memcpy(&word, state + at, 8);
    if (!word) continue;
    if (memmem(out, len < 256 ? len : 256, state + at, 8) ||
        (len > 256 && memmem(out + len - 256, 256, state + at, 8))) {
      vdso_say_of_state(run, &vdso_oracle_erased, "", "byte %u of the state was handed out", at);
      return;
    }
  }
}

enum { SECRETS_MAX = 320 };

struct secrets {
  u64 bloom[16];  // by the low 10 bits
  u32 num;
  u32 word[SECRETS_MAX];
  bool follows[SECRETS_MAX];  // word[i + 1] lies right behind word[i]
  // Of the stream of a key that the call gave up, and no longer in the state: what an attempt that
  // was thrown away had put into the buffer, where others lie now. Nobody will ever get it.
  bool thrown[SECRETS_MAX];
};

static void add_secret(struct secrets *secrets, u32 word, bool follows, bool thrown) {
  if (secrets->num == SECRETS_MAX) return;
  secrets->word[secrets->num] = word;
  secrets->thrown[secrets->num] = thrown;
  secrets->follows[secrets->num++] = follows;
  secrets->bloom[(word >> 6) & 15] |= 1ull << (word & 63);
}

static bool has_secret(const struct secrets *secrets, u32 word) {
  if (sim_likely(!(secrets->bloom[(word >> 6) & 15] >> (word & 63) & 1))) return false;
  for (u32 i = 0; i < secrets->num; i++)
    if (secrets->word[i] == word) return true;
  return false;
}

// Whether a secret is all of that kind.
static bool is_thrown(const struct secrets *secrets, u32 word) {
  for (u32 i = 0; i < secrets->num; i++)
    if (secrets->word[i] == word && !secrets->thrown[i]) return false;
  return true;
}

static bool has_pair(const struct secrets *secrets, u32 first, u32 second) {
  for (u32 i = 0; i + 1 < secrets->num; i++)
    if (secrets->follows[i] && secrets->word[i] == first && secrets->word[i + 1] == second)
      return true;
  return false;
}

// The words of a key, and of its stream what was not handed out. `state`: of a call that has given
// the key up; else NULL.
static void add_key(struct vdso_run *run, struct secrets *secrets, u32 index, const u8 *state) {
  struct ledger_key *key = &run->ledger.key[index];
  struct guest *g = run->m->fast.g;
  u32 from = key->next / 64 * 64, to = from + 192 < LEDGER_CACHE ? from + 192 : LEDGER_CACHE;
  u8 stream[192];

  for (u32 i = 0; i < 8; i++)
    add_secret(secrets, (u32)guest_load(g, key->raw + 4 * i, 4), i < 7, false);
  if (from >= to) return;
  ledger_stream(&run->ledger, index, from, stream, to - from);
  for (u32 at = from; at < to; at += 4) {
    if (ledger_handed_out(&run->ledger, index, at) ||
        ledger_handed_out(&run->ledger, index, at + 3))
      continue;
    add_secret(secrets, (u32)guest_load(g, stream + (at - from), 4),
               at + 8 <= to && !ledger_handed_out(&run->ledger, index, at + 7),
               state && !memmem(state, VDSO_STATE_LEN, stream + (at - from), 4));
  }
}

// Two words of a key or of its stream side by side in a vector register, in either order: how a
// register was loaded is no concern here.
static void judge_vector_residue(struct vdso_run *run, const struct secrets *secrets,
                                 const struct guest_regs *regs) {
  const struct vdso_abi *abi = run->m->abi;
  u32 level = run->now.level - 1;
  const struct guest_regs *entry = level ? &run->m->nested_regs[level] : NULL;
  char stable[16];

  // Nobody noted what a child's handlers found.
  if ((level && run->now.id) || run->now.jumped) return;
  for (u32 n = 0; n < abi->vr_len; n++) {
    const u64 *v = regs->vec[n];
    const u32 words[4] = {(u32)v[1], (u32)(v[1] >> 32), (u32)v[0], (u32)(v[0] >> 32)};

    // What a handler's call found there is the interrupted one's.
    if (entry && !memcmp(v, entry->vec[n], sizeof(entry->vec[n]))) continue;
    for (u32 i = 0; i < 3; i++) {
      if (sim_likely(!has_secret(secrets, words[i]))) continue;
      if (!has_pair(secrets, words[i], words[i + 1]) && !has_pair(secrets, words[i + 1], words[i]))
        continue;
      snprintf(stable, sizeof(stable), abi->vr_len == 64 ? "vs%u" : "v%u", n);
      vdso_say_of_state(
          run, &vdso_oracle_residue, stable, "%s%u holds 0x%016llx%016llx, of a key or its stream",
          abi->vr_len == 64 ? "vs" : "v", n, (unsigned long long)v[0], (unsigned long long)v[1]);
      return;
    }
  }
}

// Whether a handler's call found both words in registers. They are the interrupted one's, whose
// block function may have been at work, and a call saves those that it uses.
static bool was_found(const struct vdso_run *run, const struct vdso_call *call, u32 first,
                      u32 second) {
  bool has_first = false, has_second = false;

  if (run->now.level < 2) return false;
  for (u32 n = 0; n < 32; n++) {
    has_first |= (u32)call->gpr[n] == first || (u32)(call->gpr[n] >> 32) == first;
    has_second |= (u32)call->gpr[n] == second || (u32)(call->gpr[n] >> 32) == second;
  }
  return has_first && has_second;
}

static void judge_residue(struct vdso_run *run, struct vdso_call *call, const u64 gpr[32],
                          const struct guest_regs *regs, const struct ledger_answer *answer) {
  struct guest *g = run->m->fast.g;
  u64 low = vdso_stack_addr(call->thread), from = call->sp - 1024 > low ? call->sp - 1024 : low;
  const u8 *stack = guest_host(g, from, call->sp - from),
           *state = guest_host(g, call->opaque, VDSO_STATE_LEN);
  struct secrets secrets;
  bool big = guest_big_endian(run->m->setting.arch);
  u32 before = 0;
  char stable[32], name[8];

  if (run->ledger.full || (!answer->num_places && !call->num_keys)) return;
  memset(secrets.bloom, 0, sizeof(secrets.bloom));
  secrets.num = 0;
  for (u32 i = 0; i < call->num_keys; i++)
    add_key(run, &secrets, call->keys[i], call->fell_back || i + 1 < call->num_keys ? state : NULL);
  for (u32 i = 0; i < answer->num_places && i < 3; i++)
    if (!call->num_keys || answer->place[i].key != call->keys[call->num_keys - 1])
      add_key(run, &secrets, answer->place[i].key, NULL);

  for (u32 n = 0; n < 32; n++) {
    u64 value = gpr[n];
    bool first, second, thrown;

    if (!(run->m->abi->secret >> n & 1)) continue;  // judged by other oracles
    if (!value || value == call->gpr[n]) continue;
    first = has_secret(&secrets, (u32)value);
    second = has_secret(&secrets, (u32)(value >> 32));
    if (!first && !second) continue;
    vdso_gpr_name(run->m->abi, n, name);
    thrown = is_thrown(&secrets, (u32)value) && is_thrown(&secrets, (u32)(value >> 32));
    // What a list knows is one register with that many bytes of one kind: it hides no other.
    snprintf(stable, sizeof(stable), "%s, %u%s", name, first && second ? 8u : 4u,
             thrown ? ", thrown away" : "");
    vdso_say_of_state(run, &vdso_oracle_residue, stable,
                      "%s holds 0x%llx, of a key or its stream%s", name, (unsigned long long)value,
                      thrown ? ": what an attempt that was thrown away had written" : "");
    return;
  }
  if (regs) judge_vector_residue(run, &secrets, regs);
  for (u64 at = 0; at + 4 <= call->sp - from; at += 4) {
    u32 word;

    memcpy(&word, stack + at, 4);
    if (big) word = __builtin_bswap32(word);
    if (at && sim_unlikely(has_secret(&secrets, word)) && has_pair(&secrets, before, word) &&
        !was_found(run, call, before, word)) {
      snprintf(stable, sizeof(stable), "stack-%u", (u32)(call->sp - from - at + 4));
      vdso_say_of_state(run, &vdso_oracle_residue, stable,
                        "%u bytes below %s: 0x%08x 0x%08x, of a key or its stream",
                        (u32)(call->sp - from - at + 4), run->m->abi->sp, before, word);
      return;
    }
    before = word;
  }
}

// ---- What was written ----

static bool all(const u8 *from, const u8 *to, u8 byte) {
  size_t len = (size_t)(to - from);

  return from >= to || (from[0] == byte && !memcmp(from, from + 1, len - 1));
}

static void judge_outside(struct vdso_run *run, struct vdso_call *call) {
  struct vdso_memory *memory = &run->m->fast;
  u64 written = call->fell_back && call->fell_back_result < 0 ? 0 : call->len, begin = call->buf;
  u8 *main = memory->buffers + GUEST_PAGE, *end = main + VDSO_MAIN_LEN, *buf, *buf_end;
  const char *what = NULL;

  // An attempt that was thrown away may have been written, so all of the buffer is the call's.
  (void)written;
  buf = buf_end = main;
  if (begin >= vdso_main_addr() && begin < vdso_main_addr() + VDSO_MAIN_LEN) {
    buf = main + (begin - vdso_main_addr());
    buf_end = call->len < (u64)(end - buf) ? buf + call->len : end;
  }
  if (!all(main, buf, VDSO_FILL_BUFFER)) what = "before the buffer";
  if (!all(buf_end, end, VDSO_FILL_BUFFER)) what = "behind the buffer";
  if (!all(memory->buffers, main, VDSO_FILL_BUFFER)) what = "another call's buffer";
  if (!all(memory->misc, memory->misc + GUEST_PAGE, VDSO_FILL_MISC)) what = "another page";
  for (u32 t = 0; t < VDSO_THREADS; t++) {
    u8 *state = memory->state[t], *slot = state + run->now.slot[t];
    u8 *stack = memory->stack[t], fill = run->now.fill[t];
    u8 *top_of_stack = stack + VDSO_STACK_LEN - 256;

    if (!all(state, slot, fill)) what = "before the state";
    if (!all(slot + VDSO_STATE_LEN, state + VDSO_STATE_PAGES * GUEST_PAGE, fill))
      what = "behind the state";
    if (!all(top_of_stack, stack + VDSO_STACK_LEN, VDSO_FILL_STACK)) what = "above the stack";
    if (!all(stack, stack + 512, VDSO_FILL_STACK)) what = "far below the stack";
  }
  // The frame that is the caller's: its back chain was 0, all else holds the pattern.
  {
    const u8 *frame = guest_host(memory->g, call->sp, guest_caller_frame(run->m->setting.arch));
    u32 word = guest_word_size(run->m->setting.arch),
        len = guest_caller_frame(run->m->setting.arch);

    if (len && (!all(frame, frame + word, 0) || !all(frame + word, frame + len, VDSO_FILL_STACK)))
      what = "the caller's frame";
  }
  if (call->watched_state &&
      memcmp(call->before, memory->state[0] + run->now.slot[0], VDSO_STATE_LEN) &&
      call->opaque != vdso_state_addr(0) + run->now.slot[0])
    what = "a state that is not the call's";
  if (call->watched_state && call->opaque_len != VDSO_STATE_LEN && !is_query(run, call) &&
      memcmp(call->before, memory->state[0] + run->now.slot[0], VDSO_STATE_LEN))
    what = "a state of another length";
  if (call->watched_state && run->m->setting.no_fpsimd &&
      memcmp(call->before, memory->state[0] + run->now.slot[0], VDSO_STATE_LEN))
    what = "a state, without FPSIMD,";
  if (what) vdso_say_of_state(run, &vdso_oracle_outside, what, "%s was written", what);
  memset(buf, VDSO_FILL_BUFFER, (size_t)(buf_end - buf));
}

// ---- Registers ----

static void judge_registers(struct vdso_run *run, struct vdso_call *call, const u64 gpr[32]) {
  const struct vdso_abi *abi = run->m->abi;
  struct guest *g = run->m->fast.g;
  u64 cr = guest_get(g, GUEST_CR);
  char stable[8];

  for (u32 n = 0; n < 32; n++) {
    if (!(abi->kept >> n & 1) || gpr[n] == call->gpr[n]) continue;
    vdso_gpr_name(abi, n, stable);
    vdso_say(run, &vdso_oracle_registers, stable, "%s is 0x%llx, and was 0x%llx", stable,
             (unsigned long long)gpr[n], (unsigned long long)call->gpr[n]);
    return;
  }
  if ((cr ^ call->cr) & abi->cr_kept)
    vdso_say(run, &vdso_oracle_registers, "cr", "CR2 to CR4 are 0x%llx, and were 0x%llx",
             (unsigned long long)cr, (unsigned long long)call->cr);
  if (run->m->setting.arch == GUEST_ARM64 && guest_get(g, GUEST_FPCR) != run->m->start_regs.fpcr)
    vdso_say(run, &vdso_oracle_registers, "fpcr", "FPCR is 0x%llx, and was 0x%llx",
             (unsigned long long)guest_get(g, GUEST_FPCR),
             (unsigned long long)run->m->start_regs.fpcr);
  if (run->m->setting.arch == GUEST_ARM64 && guest_get(g, GUEST_TPIDR) != run->m->start_regs.tpidr)
    vdso_say(run, &vdso_oracle_registers, "tpidr", "TPIDR_EL0 is 0x%llx, and was 0x%llx",
             (unsigned long long)guest_get(g, GUEST_TPIDR),
             (unsigned long long)run->m->start_regs.tpidr);
}

// Floating-point and vector registers; on PowerPC VRSAVE. `regs`: as they are now.
static void judge_vectors(struct vdso_run *run, const struct guest_regs *regs) {
  const struct vdso_machine *m = run->m;
  const struct vdso_abi *abi = m->abi;
  u32 level = run->now.level - 1;
  const struct guest_regs *start = level ? &m->nested_regs[level] : &m->start_regs;
  char stable[8];

  // Nobody noted what a child's handlers found.
  if ((level && run->now.id) || run->now.jumped) return;
  if (regs->vrsave != start->vrsave)
    vdso_say(run, &vdso_oracle_registers, "vrsave", "VRSAVE is 0x%llx, and was 0x%llx",
             (unsigned long long)regs->vrsave, (unsigned long long)start->vrsave);
  for (u32 n = 0; n < 32; n++) {
    u64 now = regs->vec[n][abi->fpr_half], was = start->vec[n][abi->fpr_half];

    // The other half of the register is volatile.
    if (!(abi->fpr_kept >> n & 1) || now == was) continue;
    snprintf(stable, sizeof(stable), "%c%u", abi->fpr, n);
    vdso_say(run, &vdso_oracle_registers, stable, "%s is 0x%016llx, and was 0x%016llx", stable,
             (unsigned long long)now, (unsigned long long)was);
    return;
  }
  for (u32 n = 0; n < 32; n++) {
    const u64 *now = regs->vec[abi->vr_at + n], *was = start->vec[abi->vr_at + n];

    if (!(abi->vr_kept >> n & 1) || !memcmp(now, was, sizeof(regs->vec[0]))) continue;
    snprintf(stable, sizeof(stable), "v%u", n);
    vdso_say(run, &vdso_oracle_registers, stable,
             "%s is 0x%016llx%016llx, and was 0x%016llx%016llx", stable, (unsigned long long)now[0],
             (unsigned long long)now[1], (unsigned long long)was[0], (unsigned long long)was[1]);
    return;
  }
}

// ---- Returns and faults ----

void vdso_judge_return(struct vdso_run *run) {
  struct vdso_call *call = top(run);
  struct ledger_answer answer = {.num_places = 0};
  u64 insns = guest_insns(run->m->fast.g), gpr[32];
  struct guest_regs regs;
  s64 served;

  guest_get_generals(run->m->fast.g, gpr);
  judge_registers(run, call, gpr);
  if (run->vectors) {
    guest_regs_get(run->m->fast.g, &regs);
    judge_vectors(run, &regs);
  }
  if (run->verdict.oracle) return;
  served = judge_result(run, call);
  if (run->verdict.oracle) return;
  if (call->num_syscalls > 3 || insns > 30000 + 80 * call->len) {
    vdso_say(run, &vdso_oracle_retries, "", "%u system calls and %llu instructions for %llu bytes",
             call->num_syscalls, (unsigned long long)insns, (unsigned long long)call->len);
    return;
  }
  judge_fell_back(run, call);
  judge_needless(run, call);
  judge_needless_key(run, call);
  note_key(run, call, served);
  if (served > 0) {
    judge_keystream(run, call, (u32)served, &answer);
    if (!run->verdict.oracle) judge_erased(run, call, (u32)served, &answer);
    if (served > 160) run->reached |= VDSO_REACHED_BLOCKS;
  }
  if (!run->verdict.oracle) judge_residue(run, call, gpr, run->vectors ? &regs : NULL, &answer);
  if (!run->verdict.oracle && run->now.level == 1) judge_outside(run, call);
  if (run->now.level > 1) {
    u64 len;
    u8 *bytes = (u8 *)(uintptr_t)output(run, call, &len);

    memset(bytes, VDSO_FILL_BUFFER, len);
  }
  if (call->num_keys > 1) run->reached |= VDSO_REACHED_RETRY;
  if (call->state_busy && call->fell_back) run->reached |= VDSO_REACHED_NESTED_BUSY;
  if (run->now.id && call->num_marks) run->reached |= VDSO_REACHED_CHILD_CALL;
}

void vdso_judge_fault(struct vdso_run *run, const struct guest_stop *stop) {
  struct vdso_machine *m = run->m;
  struct vdso_call *call = top(run);
  bool data = stop->fault == GUEST_FAULT_READ || stop->fault == GUEST_FAULT_WRITE;
  u64 at = stop->addr;
  bool in_buffer =
      at >= call->buf && at < call->buf + call->len && stop->fault == GUEST_FAULT_WRITE;
  bool in_state = at >= call->opaque && at < call->opaque + VDSO_STATE_LEN &&
                  (call->opaque_len == VDSO_STATE_LEN || is_query(run, call)) &&
                  !vdso_writable(m, at & ~7ull, 8);
  char text[160], where[64];

  run->outcome = VDSO_FAULTED;
  run->digest = sim_mix64(run->digest ^ stop->pc ^ at);
  if (data && (in_buffer || in_state)) {
    run->reached |= VDSO_REACHED_FAULT;
    return;
  }
  guest_describe(m->fast.g, stop, text, sizeof(text));
  // The instruction is another one in each build; where a corrupt state leads, or one whose `pos`
  // two calls counted up since it was lost, is not.
  if (data && (run->now.corrupt_state[call->thread] || run->now.lost_state[call->thread]) &&
      at >= call->opaque + VDSO_STATE_LEN &&
      at < vdso_state_addr(call->thread) + (VDSO_STATE_PAGES + 1) * GUEST_PAGE)
    snprintf(where, sizeof(where), "behind the state");
  else
    guest_where(m->fast.g, stop->pc, where, sizeof(where));
  vdso_say_of_state(run, &vdso_oracle_crash, where, "%s", text);
}
