// SPDX-License-Identifier: GPL-2.0-or-later
//
// The parent's side of jobs.h. Sections: deaths; workers; committing; the loop.

#include "tools/jobs.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim/checker.h"
#include "tools/child.h"
#include "tools/interrupt.h"
#include "tools/jobs_internal.h"

enum {
  CHUNK_ITEMS = 256,
  POLL_MS = 100,
  // How long workers may take to end after a signal before they are killed.
  INTERRUPT_GRACE_MS = 3000,
  // Deaths outside of a run, which nothing explains, before the job is given up.
  STRAY_DEATHS_MAX = 5,
};

// ---- Deaths ----

bool jobs_death_outside(enum jobs_death death, int code) {
  return death == JOBS_SIGNAL && signal_from_outside(code);
}

const char *jobs_death_oracle(enum jobs_death death, int code) {
  if (death == JOBS_HANG) return "no-progress";
  if (death == JOBS_EXIT && code == SIM_OURS) return "seedbed-assertion";
  return "crash";
}

enum sim_status jobs_death_status(enum jobs_death death, int code) {
  if (death == JOBS_HANG) return SIM_BUDGET;
  if (death == JOBS_EXIT && code == SIM_OURS) return SIM_OURS;
  if (jobs_death_outside(death, code)) return SIM_OURS;
  return SIM_CRASH;
}

void jobs_death_text(enum jobs_death death, int code, u64 watchdog_ms, char *out, size_t len) {
  const char *name = death == JOBS_SIGNAL ? sigabbrev_np(code) : NULL;
  char time[TEXT_COUNT_LEN];

  if (death == JOBS_HANG)
    snprintf(out, len,
             "the run made no progress for %s of CPU time: an endless loop without a step",
             text_duration(watchdog_ms, time));
  else if (jobs_death_outside(death, code))
    snprintf(out, len, "the run's process was killed from outside by SIG%s%s", name ? name : "?",
             code == SIGKILL ? " (out of memory?)" : "");
  else if (death == JOBS_SIGNAL)
    snprintf(out, len, "the run's process died by SIG%s", name ? name : "?");
  else if (code == SIM_OURS)
    snprintf(out, len, "an assertion of seedbed failed: a defect of ours");
  else
    snprintf(out, len, "the run's process exited with status %d", code);
}

void jobs_death_stable(enum jobs_death death, int code, char *out, size_t len) {
  const char *name = death == JOBS_SIGNAL ? sigabbrev_np(code) : NULL;

  if (death == JOBS_HANG)
    snprintf(out, len, "hang");
  else if (death == JOBS_SIGNAL)
    snprintf(out, len, "SIG%s", name ? name : "?");
  else
    snprintf(out, len, "exit %d", code);
}

enum jobs_death jobs_death_of_child(const struct child_result *child, int *out_code) {
  *out_code = child->end == CHILD_HUNG ? 0 : child->code;
  switch (child->end) {
    case CHILD_HUNG:
      return JOBS_HANG;
    case CHILD_SIGNALED:
      return JOBS_SIGNAL;
    case CHILD_EXITED:
    case CHILD_FAILED:
      break;
  }
  return JOBS_EXIT;
}

// ---- Workers ----

struct pending {
  struct pending *next;
  u64 chunk;
  char *message;  // struct jobs_chunk and what follows
  size_t len;
};

struct worker {
  pid_t pid;  // 0: none
  int fd;
  struct text in;
  u64 seen_runs, seen_cpu_ms;  // for the watchdog
  bool hung;
  // Where the last one in this place was killed from outside, and how many were in that
  // chunk.
  struct {
    u32 state;
    u64 chunk, item, sub;
  } lost;
  u32 num_lost;
};

struct pool {
  const struct jobs_plan *plan;
  struct jobs_result *result;
  struct jobs_layout layout;
  struct jobs_shared *shared;
  size_t shared_size;
  struct worker *worker;
  u32 num_workers;
  struct jobs_kill *kill;
  u32 num_kills;
  struct pending *pending;  // by chunk
  u64 next_commit;
  bool stopped;  // a failure ended the job; what is later is not counted
  u32 stray_deaths;
  u64 start_ms;
};

static void spawn(struct pool *pool, u32 index, u64 first_chunk) {
  struct worker *worker = &pool->worker[index];
  int pipe_fd[2];
  pid_t parent = getpid(), pid;

  atomic_store(&pool->shared->slot[index].state, JOBS_STATE_SETUP);
  atomic_store(&pool->shared->slot[index].chunk, first_chunk);
  fflush(NULL);
  if (pipe2(pipe_fd, O_CLOEXEC)) {
    pool->result->trouble = "no pipe for a worker";
    return;
  }
  pid = fork();
  if (pid < 0) {
    close(pipe_fd[0]);
    close(pipe_fd[1]);
    pool->result->trouble = "no process for a worker";
    return;
  }
  if (!pid) {
    interrupt_leave_to_parent(parent);
    close(pipe_fd[0]);
    jobs_worker_main(pool->plan, pool->shared, &pool->shared->slot[index], &pool->layout,
                     first_chunk, pool->kill, pool->num_kills, pipe_fd[1]);
  }
  close(pipe_fd[1]);
  worker->pid = pid;
  worker->fd = pipe_fd[0];
  worker->in.len = 0;
  worker->hung = false;
  worker->seen_cpu_ms = 0;
  worker->seen_runs = UINT64_MAX;
}

static u32 living(const struct pool *pool) {
  u32 i, count = 0;

  for (i = 0; i < pool->num_workers; i++) count += pool->worker[i].pid != 0;
  return count;
}

// ---- Committing ----

static struct jobs_finding *find_key(struct jobs_result *result, const char *key) {
  u32 i;

  for (i = 0; i < result->num_findings; i++) {
    if (!strcmp(result->finding[i].key, key)) return &result->finding[i];
  }
  return NULL;
}

// Counts the failure; returns whether it ends the job.
static bool commit_finding(struct pool *pool, const struct jobs_finding *finding) {
  struct jobs_result *result = pool->result;
  struct jobs_finding *same = find_key(result, finding->key);
  bool stops;

  if (same) {
    same->count += finding->count;
    return !pool->plan->keep_going && !same->known;
  }
  result->finding =
      xrealloc(result->finding, (result->num_findings + 1) * sizeof(*result->finding));
  same = &result->finding[result->num_findings++];
  *same = *finding;
  same->known = pool->plan->known && pool->plan->known(finding->key, pool->plan->arg);
  stops = !pool->plan->keep_going && !same->known;
  if (finding->decisions) {
    same->decisions = xcalloc(1, finding->decisions_len + 1);
    memcpy(same->decisions, finding->decisions, finding->decisions_len);
  }
  if (pool->plan->finding) pool->plan->finding(same, pool->plan->arg);
  return stops;
}

static bool before(const struct jobs_run *a, u64 item, u64 sub) {
  return a->item < item || (a->item == item && a->sub < sub);
}

static struct jobs_finding finding_of_kill(const struct pool *pool, const struct jobs_kill *kill) {
  struct jobs_finding finding = {
      .run = {.item = kill->item, .sub = kill->sub},
      .status = jobs_death_status(kill->death, kill->code),
      .count = 1,
      .death = kill->death,
      .code = kill->code,
  };
  char stable[64];

  snprintf(finding.oracle, sizeof(finding.oracle), "%s",
           jobs_death_oracle(kill->death, kill->code));
  jobs_death_stable(kill->death, kill->code, stable, sizeof(stable));
  run_make_key(pool->plan->spec->scenario, finding.oracle, stable, finding.key);
  jobs_death_text(kill->death, kill->code, pool->plan->watchdog_ms, finding.text,
                  sizeof(finding.text));
  return finding;
}

// The next death of `chunk` at or after (item, sub), or NULL.
static const struct jobs_kill *next_kill(const struct pool *pool, u64 chunk, u64 item, u64 sub) {
  const struct jobs_kill *best = NULL;
  u32 i;

  for (i = 0; i < pool->num_kills; i++) {
    const struct jobs_kill *kill = &pool->kill[i];
    struct jobs_run at = {.item = kill->item, .sub = kill->sub};

    if (kill->chunk != chunk || before(&at, item, sub)) continue;
    if (!best || before(&at, best->item, best->sub)) best = kill;
  }
  return best;
}

static const char *take(const char *at, void *out, size_t len) {
  if (len) memcpy(out, at, len);
  return at + len;
}

static void commit_chunk(struct pool *pool, const struct pending *pending) {
  struct jobs_result *result = pool->result;
  struct jobs_chunk head;
  const char *at = take(pending->message, &head, sizeof(head));
  const struct jobs_kill *kill;
  u64 i, value;
  // A failure may come with others of its run: the job ends after that run.
  bool stops = false;
  u64 stop_item = 0, stop_sub = 0;

  for (i = 0; i < head.runs; i++) {
    at = take(at, &value, sizeof(value));
    distinct_add(&result->distinct, value);
  }
  result->runs += head.runs;
  SIM_ASSERT(head.num_marks == result->num_marks);
  for (i = 0; i < head.num_marks; i++) {
    at = take(at, &value, sizeof(value));
    result->mark_hits[i] += value;
  }
  SIM_ASSERT(head.num_suspects == result->num_suspects);
  for (i = 0; i < head.num_suspects; i++) {
    at = take(at, &value, sizeof(value));
    result->suspect_hits[i] += value;
  }

  kill = next_kill(pool, pending->chunk, 0, 0);
  for (i = 0;; i++) {
    struct jobs_failure record;
    bool have = i < head.num_failures;

    if (have) at = take(at, &record, sizeof(record));
    while (kill && (!have || !before(&record.run, kill->item, kill->sub))) {
      struct jobs_finding finding = finding_of_kill(pool, kill);

      if (stops) break;
      pool->kill[kill - pool->kill].committed = true;
      result->runs++;
      if (commit_finding(pool, &finding)) {
        stops = true;
        stop_item = kill->item;
        stop_sub = kill->sub;
      }
      kill = next_kill(pool, pending->chunk, kill->item, kill->sub + 1);
    }
    if (!have) break;
    if (!stops || (record.run.item == stop_item && record.run.sub == stop_sub)) {
      struct jobs_finding finding = {
          .run = record.run,
          .status = record.status,
          .step = record.step,
          .count = record.count,
          .draws_overflow = record.draws_overflow,
          .second = record.second,
          .decisions = record.has_decisions ? (char *)(uintptr_t)at : NULL,
          .decisions_len = record.decisions_len,
      };

      memcpy(finding.oracle, record.oracle, sizeof(finding.oracle));
      memcpy(finding.key, record.key, sizeof(finding.key));
      memcpy(finding.text, record.text, sizeof(finding.text));
      if (commit_finding(pool, &finding)) {
        stops = true;
        stop_item = record.run.item;
        stop_sub = record.run.sub;
      }
    }
    at += record.decisions_len;
  }
  if (stops) pool->stopped = true;
}

static void commit_ready(struct pool *pool, bool all) {
  while (pool->pending && (all || pool->pending->chunk == pool->next_commit)) {
    struct pending *first = pool->pending;

    pool->pending = first->next;
    pool->next_commit = first->chunk + 1;
    if (!pool->stopped) commit_chunk(pool, first);
    free(first->message);
    free(first);
  }
}

// Deaths whose chunk nobody did again, because the job was ending.
static void commit_rest(struct pool *pool) {
  u64 limit = atomic_load(&pool->shared->limit);
  u32 i;

  for (i = 0; i < pool->num_kills && !pool->stopped; i++) {
    struct jobs_finding finding = finding_of_kill(pool, &pool->kill[i]);

    if (pool->kill[i].committed || pool->kill[i].item > limit) continue;
    pool->result->runs++;
    commit_finding(pool, &finding);
  }
}

// ---- The loop ----

static bool received(const struct pool *pool, u64 chunk) {
  const struct pending *pending = pool->pending;

  while (pending && pending->chunk != chunk) pending = pending->next;
  return pending || chunk < pool->next_commit;
}

static void take_message(struct pool *pool, const struct jobs_header *header, const char *body) {
  struct pending *pending, **place;
  u64 chunk;

  if (header->kind == JOBS_MESSAGE_SETUP_FAILED) {
    SIM_ASSERT(header->len == sizeof(pool->result->setup));
    memcpy(&pool->result->setup, body, sizeof(pool->result->setup));
    pool->result->setup_failed = true;
    return;
  }
  SIM_ASSERT(header->kind == JOBS_MESSAGE_CHUNK);
  memcpy(&chunk, body, sizeof(chunk));
  if (received(pool, chunk)) return;  // two did it, after the death of one
  pending = xcalloc(1, sizeof(*pending));
  pending->len = header->len;
  pending->message = xcalloc(1, header->len);
  memcpy(pending->message, body, header->len);
  pending->chunk = chunk;
  for (place = &pool->pending; *place && (*place)->chunk < pending->chunk;) place = &(*place)->next;
  pending->next = *place;
  *place = pending;
}

static void take_messages(struct pool *pool, struct worker *worker) {
  size_t at = 0;

  for (;;) {
    struct jobs_header header;

    if (worker->in.len - at < sizeof(header)) break;
    memcpy(&header, worker->in.s + at, sizeof(header));
    if (worker->in.len - at - sizeof(header) < header.len) break;
    take_message(pool, &header, worker->in.s + at + sizeof(header));
    at += sizeof(header) + header.len;
  }
  if (at) {
    memmove(worker->in.s, worker->in.s + at, worker->in.len - at);
    worker->in.len -= at;
  }
}

// If the job goes on, another worker for a dead one, which does its chunk again unless that
// was received.
static void replace(struct pool *pool, u32 index, u64 chunk) {
  if (pool->result->setup_failed || pool->result->trouble || atomic_load(&pool->shared->stop))
    return;
  if (chunk != JOBS_NO_CHUNK && received(pool, chunk)) chunk = JOBS_NO_CHUNK;
  if (chunk == JOBS_NO_CHUNK ||
      chunk <= atomic_load(&pool->shared->limit) / pool->layout.chunk_items)
    spawn(pool, index, chunk);
}

static void note_kill(struct pool *pool, const struct jobs_slot *slot, enum jobs_death death,
                      int code) {
  struct jobs_kill kill = {
      .chunk = atomic_load(&slot->chunk),
      .item = atomic_load(&slot->item),
      .sub = atomic_load(&slot->sub),
      .death = death,
      .code = code,
  };
  struct jobs_finding finding = finding_of_kill(pool, &kill);
  u64 limit = atomic_load(&pool->shared->limit);

  kill.stops = !pool->plan->keep_going &&
               !(pool->plan->known && pool->plan->known(finding.key, pool->plan->arg));
  while (kill.stops && kill.item < limit &&
         !atomic_compare_exchange_weak(&pool->shared->limit, &limit, kill.item))
    ;
  pool->kill = xrealloc(pool->kill, (pool->num_kills + 1) * sizeof(*pool->kill));
  pool->kill[pool->num_kills++] = kill;
}

// A worker was killed from outside. Its successor begins where it did; if it gets no
// further, or if several are killed in one chunk, the machine is to blame.
static void replace_killed(struct pool *pool, u32 index, u32 state) {
  struct worker *worker = &pool->worker[index];
  const struct jobs_slot *slot = &pool->shared->slot[index];
  u64 chunk = atomic_load(&slot->chunk), item = atomic_load(&slot->item);
  u64 sub = atomic_load(&slot->sub);
  bool again;

  if (chunk != worker->lost.chunk) worker->num_lost = 0;
  again = worker->num_lost && state == worker->lost.state &&
          (state == JOBS_STATE_SETUP ||
           (state == JOBS_STATE_RUNNING && item == worker->lost.item && sub == worker->lost.sub));
  worker->lost.state = state;
  worker->lost.chunk = chunk;
  worker->lost.item = item;
  worker->lost.sub = sub;
  if (again && state == JOBS_STATE_SETUP) {
    pool->result->trouble = "the set-up was killed from outside twice (out of memory?)";
  } else if (again) {
    pool->result->trouble = "a run was killed from outside twice (out of memory?)";
    pool->result->trouble_in_run = true;
    pool->result->trouble_item = item;
  } else if (++worker->num_lost > STRAY_DEATHS_MAX) {
    pool->result->trouble = "workers are killed from outside (out of memory?)";
  }
  replace(pool, index, chunk);
}

static void bury(struct pool *pool, u32 index) {
  struct worker *worker = &pool->worker[index];
  struct jobs_slot *slot = &pool->shared->slot[index];
  u32 state = atomic_load(&slot->state);
  enum jobs_death death;
  int status = 0, code;

  close(worker->fd);
  while (waitpid(worker->pid, &status, 0) < 0 && errno == EINTR)
    ;
  worker->pid = 0;
  death = WIFSIGNALED(status) ? JOBS_SIGNAL : WEXITSTATUS(status) ? JOBS_EXIT : JOBS_ALIVE;
  code = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
  if (worker->hung) {
    death = JOBS_HANG;
    code = 0;
  } else if (death == JOBS_ALIVE && state != JOBS_STATE_BETWEEN) {
    death = JOBS_EXIT;  // the subject called exit(0)
  }
  if (death == JOBS_ALIVE) return;
  // After a signal, or because others failed below it, a worker is killed: no news.
  if (pool->result->interrupted || interrupt_signal()) return;
  if (jobs_death_outside(death, code)) {
    replace_killed(pool, index, state);
    return;
  }
  if (state == JOBS_STATE_SETUP) {
    pool->result->setup_failed = true;
    pool->result->setup_death = death;
    pool->result->setup_code = code;
    return;
  }
  if (state == JOBS_STATE_RUNNING)
    note_kill(pool, slot, death, code);
  else if (++pool->stray_deaths > STRAY_DEATHS_MAX)
    pool->result->trouble = "workers die between runs";
  replace(pool, index, atomic_load(&slot->chunk));
}

static void read_workers(struct pool *pool, struct pollfd *poll_fd, u32 *poll_worker) {
  static char buffer[65536];  // not on the stack: its limit may be small
  u32 i, count = 0;

  for (i = 0; i < pool->num_workers; i++) {
    if (!pool->worker[i].pid) continue;
    poll_fd[count] = (struct pollfd){.fd = pool->worker[i].fd, .events = POLLIN};
    poll_worker[count++] = i;
  }
  if (poll(poll_fd, count, POLL_MS) <= 0) return;
  for (i = 0; i < count; i++) {
    struct worker *worker = &pool->worker[poll_worker[i]];
    ssize_t len;

    if (!poll_fd[i].revents) continue;
    len = read(worker->fd, buffer, sizeof(buffer));
    if (len < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (len > 0) {
      text_add_bytes(&worker->in, buffer, (size_t)len);
      take_messages(pool, worker);
    } else {
      bury(pool, poll_worker[i]);
    }
  }
}

static void watch(struct pool *pool) {
  u32 i;

  for (i = 0; i < pool->num_workers; i++) {
    struct worker *worker = &pool->worker[i];
    struct jobs_slot *slot = &pool->shared->slot[i];
    u64 runs = atomic_load(&slot->runs), cpu_ms;

    if (!worker->pid) continue;
    cpu_ms = process_cpu_ms(worker->pid);
    if (runs != worker->seen_runs || atomic_load(&slot->state) == JOBS_STATE_BETWEEN) {
      worker->seen_runs = runs;
      worker->seen_cpu_ms = cpu_ms;
    } else if (cpu_ms >= worker->seen_cpu_ms + pool->plan->watchdog_ms && !worker->hung) {
      worker->hung = true;
      kill(worker->pid, SIGKILL);
    }
  }
}

static void kill_all(struct pool *pool) {
  u32 i;

  for (i = 0; i < pool->num_workers; i++) {
    if (pool->worker[i].pid) kill(pool->worker[i].pid, SIGKILL);
  }
}

static void report_progress(struct pool *pool, u64 now_ms) {
  struct jobs_progress progress = {.elapsed_ms = now_ms - pool->start_ms};
  u32 i;

  if (!pool->plan->progress) return;
  for (i = 0; i < pool->num_workers; i++) progress.runs += atomic_load(&pool->shared->slot[i].runs);
  for (i = 0; i < pool->result->num_findings; i++)
    progress.findings += !pool->result->finding[i].known;
  pool->plan->progress(&progress, pool->plan->arg);
}

// Whether a worker has done a run: the time that a job was given begins then, so that a
// short one on a busy machine does something.
static bool any_ready(const struct pool *pool) {
  u32 i;

  for (i = 0; i < pool->num_workers; i++)
    if (atomic_load(&pool->shared->slot[i].runs)) return true;
  return false;
}

static void loop(struct pool *pool) {
  struct pollfd *poll_fd = xcalloc(pool->num_workers, sizeof(*poll_fd));
  u32 *poll_worker = xcalloc(pool->num_workers, sizeof(*poll_worker));
  u64 progress_ms = pool->start_ms, interrupted_ms = 0, ready_ms = 0;
  bool killed = false;

  while (living(pool)) {
    u64 now_ms;

    read_workers(pool, poll_fd, poll_worker);
    commit_ready(pool, false);
    now_ms = monotonic_ms();
    if (!ready_ms && any_ready(pool)) ready_ms = now_ms;
    if (pool->plan->time_ms && ready_ms && now_ms - ready_ms >= pool->plan->time_ms)
      atomic_store(&pool->shared->stop, 1);
    if (interrupt_signal() && !pool->result->interrupted) {
      pool->result->interrupted = true;
      atomic_store(&pool->shared->stop, 1);
      interrupted_ms = now_ms;
    }
    if (pool->result->setup_failed || pool->result->trouble) atomic_store(&pool->shared->stop, 1);
    if (pool->result->interrupted && !killed && now_ms - interrupted_ms >= INTERRUPT_GRACE_MS) {
      killed = true;
      kill_all(pool);
    }
    watch(pool);
    if (now_ms - progress_ms >= POLL_MS) {
      progress_ms = now_ms;
      report_progress(pool, now_ms);
    }
  }
  free(poll_fd);
  free(poll_worker);
}

// A pipe for each worker, in a process that may have 1024 files.
static void raise_file_limit(void) {
  struct rlimit limit;

  if (!getrlimit(RLIMIT_NOFILE, &limit) && limit.rlim_cur < limit.rlim_max) {
    limit.rlim_cur = limit.rlim_max < 8192 ? limit.rlim_max : 8192;
    setrlimit(RLIMIT_NOFILE, &limit);
  }
}

static void lay_out(const struct jobs_plan *plan, struct jobs_layout *layout, u32 *out_workers) {
  u64 chunk_items = plan->chunk_items_max ? plan->chunk_items_max : CHUNK_ITEMS;

  // A few items are spread over all workers. What is found does not depend on it.
  if (plan->items_last / chunk_items < 4ull * plan->jobs) {
    chunk_items = plan->items_last / (4ull * plan->jobs);
    if (!chunk_items) chunk_items = 1;
  }
  layout->chunk_items = chunk_items;
  layout->chunk_last = plan->items_last / chunk_items;
  *out_workers = layout->chunk_last < plan->jobs ? (u32)layout->chunk_last + 1 : plan->jobs;
}

void jobs_run(const struct jobs_plan *plan, struct jobs_result *result) {
  struct pool pool = {.plan = plan, .result = result, .start_ms = monotonic_ms()};
  const struct sim_suspect *suspect = plan->spec->scenario->suspects;
  u32 i;

  *result = (struct jobs_result){.num_marks = sim_marks_count()};
  for (; suspect && suspect->name; suspect++) result->num_suspects++;
  result->mark_hits = xcalloc(result->num_marks, sizeof(*result->mark_hits));
  result->suspect_hits = xcalloc(result->num_suspects, sizeof(*result->suspect_hits));

  raise_file_limit();
  lay_out(plan, &pool.layout, &pool.num_workers);
  pool.worker = xcalloc(pool.num_workers, sizeof(*pool.worker));
  pool.shared_size = sizeof(*pool.shared) + pool.num_workers * sizeof(struct jobs_slot);
  pool.shared =
      mmap(NULL, pool.shared_size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (pool.shared == MAP_FAILED) {
    result->trouble = "no shared memory";
    free(pool.worker);
    return;
  }
  atomic_store(&pool.shared->limit, UINT64_MAX);
  for (i = 0; i < pool.num_workers && !result->trouble; i++) spawn(&pool, i, JOBS_NO_CHUNK);
  // Fewer workers than asked for are enough.
  if (living(&pool)) result->trouble = NULL;
  loop(&pool);
  result->completed = !atomic_load(&pool.shared->stop) && !pool.stopped &&
                      pool.next_commit == pool.layout.chunk_last + 1;
  commit_ready(&pool, true);
  commit_rest(&pool);
  result->elapsed_ms = monotonic_ms() - pool.start_ms;

  for (i = 0; i < pool.num_workers; i++) text_free(&pool.worker[i].in);
  free(pool.worker);
  free(pool.kill);
  munmap(pool.shared, pool.shared_size);
}

void jobs_result_free(struct jobs_result *result) {
  u32 i;

  for (i = 0; i < result->num_findings; i++) {
    free(result->finding[i].decisions);
    free(result->finding[i].folder);
  }
  free(result->finding);
  free(result->mark_hits);
  free(result->suspect_hits);
  distinct_free(&result->distinct);
  *result = (struct jobs_result){0};
}
