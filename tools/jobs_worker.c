// SPDX-License-Identifier: GPL-2.0-or-later
//
// The worker's side of jobs.h.

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/checker.h"
#include "tools/jobs_internal.h"

struct jobs_worker {
  const struct jobs_plan *plan;
  struct jobs_shared *shared;
  struct jobs_slot *slot;
  const struct jobs_kill *kill;
  u32 num_kills;
  u64 item, sub;
  // The chunk at work.
  struct text digests, failures;
  u64 runs, num_failures;
  struct {
    u64 key_hash;
    size_t at;  // of its record in `failures`
  } * in_chunk;
  u32 cap_in_chunk;
  u64 *suspect_hits;
  u32 num_suspects;
  // Keys whose decisions were sent: a second set is not needed, since this worker's
  // items only grow.
  u64 *sent;
  u32 num_sent, cap_sent;
};

static void write_all(int fd, const void *bytes, size_t len) {
  const char *at = bytes;

  while (len) {
    ssize_t done = write(fd, at, len);

    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) _exit(0);  // the parent has gone
    at += done;
    len -= (size_t)done;
  }
}

static bool sent_before(struct jobs_worker *w, u64 hash) {
  u32 i;

  for (i = 0; i < w->num_sent; i++) {
    if (w->sent[i] == hash) return true;
  }
  if (w->num_sent == w->cap_sent) {
    w->cap_sent = w->cap_sent ? w->cap_sent * 2 : 16;
    w->sent = xrealloc(w->sent, w->cap_sent * sizeof(*w->sent));
  }
  w->sent[w->num_sent++] = hash;
  return false;
}

static char *describe(struct jobs_worker *w, const struct sim_world *world, const u64 *seed,
                      const struct sim_result *result, const char *key, size_t *out_len) {
  struct sim_decision_file file;
  char *text;

  run_decision_file(w->plan->spec, seed, key, result->digest, &file);
  sim_decisions_from_world(&file.list, world);
  if (result->draws_overflow) file.list.count = sim_decisions_repeated(&file.list);
  text = run_decision_text(&file, out_len);
  sim_decision_file_free(&file);
  return text;
}

static void add_failure(struct jobs_worker *w, const struct sim_world *world,
                        const struct jobs_run *run, const struct sim_result *result,
                        const struct sim_failure *failure) {
  struct jobs_failure record = {
      .run = *run,
      .step = failure->step,
      .count = 1,
      .status = failure->status,
      .draws_overflow = result->draws_overflow,
      .second = failure != run_failure(result),
  };
  u64 key_hash = sim_hash_str(failure->key), i;
  char *decisions = NULL;
  size_t len = 0;

  for (i = 0; i < w->num_failures; i++) {
    if (w->in_chunk[i].key_hash == key_hash) {
      char *count = w->failures.s + w->in_chunk[i].at + offsetof(struct jobs_failure, count);

      memcpy(&record.count, count, sizeof(record.count));
      record.count++;
      memcpy(count, &record.count, sizeof(record.count));
      return;
    }
  }
  memcpy(record.oracle, failure->oracle, sizeof(record.oracle));
  memcpy(record.key, failure->key, sizeof(record.key));
  memcpy(record.text, failure->text, sizeof(record.text));
  if (!sent_before(w, key_hash)) {
    decisions = describe(w, world, run->has_seed ? &run->seed : NULL, result, failure->key, &len);
    record.has_decisions = true;
    record.decisions_len = len;
  }
  if (w->num_failures == w->cap_in_chunk) {
    w->cap_in_chunk = w->cap_in_chunk ? w->cap_in_chunk * 2 : 16;
    w->in_chunk = xrealloc(w->in_chunk, w->cap_in_chunk * sizeof(*w->in_chunk));
  }
  w->in_chunk[w->num_failures].key_hash = key_hash;
  w->in_chunk[w->num_failures++].at = w->failures.len;
  text_add_bytes(&w->failures, &record, sizeof(record));
  text_add_bytes(&w->failures, decisions, len);
  free(decisions);
}

// Counts the run once for each suspect that explains a failure of it.
static void count_suspects(struct jobs_worker *w, const struct sim_result *result) {
  u32 i, j, known = result->num_suspects;

  if (known > SIM_FAILURES_MAX) known = SIM_FAILURES_MAX;
  for (i = 0; i < w->num_suspects; i++) {
    for (j = 0; j < known; j++) {
      if (!strcmp(w->plan->spec->scenario->suspects[i].name, result->suspects[j])) {
        w->suspect_hits[i]++;
        break;
      }
    }
  }
}

static void lower_limit(struct jobs_shared *shared, u64 item) {
  u64 limit = atomic_load(&shared->limit);

  while (item < limit && !atomic_compare_exchange_weak(&shared->limit, &limit, item))
    ;
}

enum jobs_next jobs_run_begin(struct jobs_worker *w) {
  u64 sub = w->sub++;
  u32 i;

  if (atomic_load_explicit(&w->shared->stop, memory_order_relaxed) ||
      w->item > atomic_load_explicit(&w->shared->limit, memory_order_relaxed))
    return JOBS_STOP;
  for (i = 0; i < w->num_kills; i++)
    if (w->kill[i].item == w->item && w->kill[i].sub == sub)
      return w->kill[i].stops ? JOBS_STOP : JOBS_SKIPPED;
  atomic_store_explicit(&w->slot->item, w->item, memory_order_relaxed);
  atomic_store_explicit(&w->slot->sub, sub, memory_order_relaxed);
  atomic_store_explicit(&w->slot->state, JOBS_STATE_RUNNING, memory_order_release);
  return JOBS_RAN;
}

enum jobs_next jobs_run_end(struct jobs_worker *w, const struct sim_world *world, const u64 *seed,
                            const struct sim_result *result) {
  struct jobs_run run = {
      .item = w->item,
      .sub = w->sub - 1,
      .has_seed = seed,
      .seed = seed ? *seed : 0,
      .draws = result->draws,
      .steps = result->steps,
      .vtime_ns = result->vtime_ns,
      .digest = result->digest,
      .strategy = result->strategy,
  };
  bool stops = false;
  u32 i;

  atomic_store_explicit(&w->slot->state, JOBS_STATE_BETWEEN, memory_order_release);
  atomic_store_explicit(&w->slot->runs,
                        atomic_load_explicit(&w->slot->runs, memory_order_relaxed) + 1,
                        memory_order_relaxed);
  text_add_bytes(&w->digests, &run.digest, sizeof(run.digest));
  w->runs++;
  if (result->num_suspects) count_suspects(w, result);
  for (i = 0; i < result->num_failures; i++) {
    const struct sim_failure *failure = &result->failures[i];

    add_failure(w, world, &run, result, failure);
    stops |=
        !w->plan->keep_going && !(w->plan->known && w->plan->known(failure->key, w->plan->arg));
  }
  if (!stops) return JOBS_RAN;
  lower_limit(w->shared, run.item);
  return JOBS_STOP;
}

enum jobs_next jobs_run_one(struct jobs_worker *w, struct sim_world *world,
                            const struct sim_input *input, const u64 *seed,
                            struct sim_result *result) {
  enum jobs_next next = jobs_run_begin(w);

  if (next != JOBS_RAN) return next;
  sim_world_run(world, input, result);
  return jobs_run_end(w, world, seed, result);
}

static void add_marks(struct text *message, u32 num_marks) {
  u32 i;

  for (i = 0; i < num_marks; i++) {
    struct sim_mark *mark = sim_mark_at(i);

    text_add_bytes(message, &mark->hits, sizeof(mark->hits));
    mark->hits = 0;
  }
}

static void send_chunk(struct jobs_worker *w, u64 chunk, bool complete, int fd) {
  struct jobs_chunk head = {
      .chunk = chunk,
      .runs = w->runs,
      .num_marks = sim_marks_count(),
      .num_suspects = w->num_suspects,
      .num_failures = w->num_failures,
      .complete = complete,
  };
  struct jobs_header header = {.kind = JOBS_MESSAGE_CHUNK};
  struct text message = {0};

  text_add_bytes(&message, &header, sizeof(header));
  text_add_bytes(&message, &head, sizeof(head));
  text_add_bytes(&message, w->digests.s, w->digests.len);
  add_marks(&message, (u32)head.num_marks);
  text_add_bytes(&message, w->suspect_hits, w->num_suspects * sizeof(*w->suspect_hits));
  text_add_bytes(&message, w->failures.s, w->failures.len);
  header.len = message.len - sizeof(header);
  memcpy(message.s, &header, sizeof(header));
  write_all(fd, message.s, message.len);
  text_free(&message);

  w->digests.len = 0;
  w->failures.len = 0;
  w->runs = 0;
  w->num_failures = 0;
  memset(w->suspect_hits, 0, w->num_suspects * sizeof(*w->suspect_hits));
}

// Does the chunk's items; false where it was stopped before its end.
static bool do_chunk(struct jobs_worker *w, struct sim_world *world,
                     const struct jobs_layout *layout, u64 chunk) {
  u64 first = chunk * layout->chunk_items;
  u64 last = chunk == layout->chunk_last ? w->plan->items_last : first + layout->chunk_items - 1;

  atomic_store(&w->slot->chunk, chunk);
  for (w->item = first;; w->item++) {
    w->sub = 0;
    if (atomic_load_explicit(&w->shared->stop, memory_order_relaxed) ||
        w->item > atomic_load_explicit(&w->shared->limit, memory_order_relaxed))
      return false;
    w->plan->item(w, world, w->item, w->plan->arg);
    if (w->item == last) return !atomic_load_explicit(&w->shared->stop, memory_order_relaxed);
  }
}

void jobs_worker_main(const struct jobs_plan *plan, struct jobs_shared *shared,
                      struct jobs_slot *slot, const struct jobs_layout *layout, u64 first_chunk,
                      const struct jobs_kill *kill, u32 num_kills, int fd) {
  const struct sim_suspect *suspect = plan->spec->scenario->suspects;
  struct jobs_worker w = {
      .plan = plan,
      .shared = shared,
      .slot = slot,
      .kill = kill,
      .num_kills = num_kills,
  };
  struct sim_world *world;
  struct sim_result result = {0};

  atomic_store(&slot->state, JOBS_STATE_SETUP);
  for (; suspect && suspect->name; suspect++) w.num_suspects++;
  w.suspect_hits = xcalloc(w.num_suspects, sizeof(*w.suspect_hits));
  world = sim_world_new();
  if (!world) {
    fprintf(stderr, "seedbed: no memory for a world\n");
    _exit(SIM_OURS);
  }
  if (sim_world_setup(world, plan->spec->scenario, plan->spec->params, &result) != SIM_OK) {
    struct jobs_header header = {
        .kind = JOBS_MESSAGE_SETUP_FAILED,
        .len = sizeof(result),
    };

    atomic_store(&slot->state, JOBS_STATE_BETWEEN);
    write_all(fd, &header, sizeof(header));
    write_all(fd, &result, sizeof(result));
    _exit(0);
  }
  atomic_store(&slot->state, JOBS_STATE_BETWEEN);

  for (;;) {
    u64 chunk = first_chunk;

    first_chunk = JOBS_NO_CHUNK;
    if (chunk == JOBS_NO_CHUNK) {
      // Noted before it is taken: whoever is killed here leaves no chunk undone.
      chunk = atomic_load(&shared->next_chunk);
      do {
        if (chunk > layout->chunk_last) break;
        atomic_store(&slot->chunk, chunk);
      } while (!atomic_compare_exchange_weak(&shared->next_chunk, &chunk, chunk + 1));
    }
    if (chunk > layout->chunk_last || atomic_load(&shared->stop) ||
        chunk > atomic_load(&shared->limit) / layout->chunk_items)
      break;
    send_chunk(&w, chunk, do_chunk(&w, world, layout, chunk), fd);
  }
  // The world goes with the process.
  _exit(0);
}
