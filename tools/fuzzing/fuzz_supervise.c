// SPDX-License-Identifier: GPL-2.0-or-later
//
// The campaign; see fuzz_supervise.h. Sections: pairs; a core; what is printed; the loop.

#include "tools/fuzzing/fuzz_supervise.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/child.h"
#include "tools/command.h"
#include "tools/fuzzing/fuzz_minder.h"
#include "tools/fuzzing/fuzz_running.h"
#include "tools/fuzzing/fuzz_share.h"
#include "tools/fuzzing/fuzz_take.h"
#include "tools/interrupt.h"
#include "tools/progress.h"

enum { LOOK_MS = 250, REDRAW_MS = 2000, FAILED_STARTS_MAX = 3 };

struct pair {
  const struct fuzz_target *target;
  enum fuzz_engine engine;
  bool prepared;
};

enum core_state { CORE_IDLE, CORE_RUNS, CORE_TAKES };

struct core {
  enum core_state state;
  u32 pair;
  pid_t pid;  // of the minder, or of the child that takes the slice in
  int fd;     // ends when that does
  struct fuzz_slice slice;
  u64 charged_ms, begun_ms, ms;
  struct fuzz_running running;  // what it has done, at the last look
  struct text line;             // what the taking child wrote
};

struct campaign {
  const struct fuzz_plan *plan;
  struct pair *pair;
  struct fuzz_shares shares;
  struct core *core;
  u64 start_ms;
  u64 interrupted_ms;  // when; 0: not
  u32 failed_starts;   // one after the other
  u64 begun;           // slices
  bool ending;         // no slice is begun any more
  bool late;           // nor taken in
  struct progress progress;
  // At the last line: executions so far, and when.
  u64 told_executions, told_ms;
  struct fuzz_outcome *out;
};

// ---- Pairs ----

static void add_pairs(struct campaign *campaign) {
  const struct fuzz_plan *plan = campaign->plan;

  for (enum fuzz_engine engine = FUZZ_ENGINE_LIBFUZZER; engine <= FUZZ_ENGINE_AFL; engine++) {
    if (engine == FUZZ_ENGINE_LIBFUZZER ? !plan->libfuzzer : !plan->afl) continue;
    for (u32 i = 0; i < plan->targets->count; i++) {
      u32 count = campaign->shares.count;

      campaign->pair = xrealloc(campaign->pair, (count + 1) * sizeof(*campaign->pair));
      campaign->pair[count] = (struct pair){&plan->targets->target[i], engine, false};
      fuzz_shares_add(&campaign->shares);
    }
  }
}

// What earlier slices found decides shares; a first slice is one of this call.
static void count_earlier(struct campaign *campaign, const struct fuzz_record *record) {
  for (u32 i = 0; i < campaign->shares.count; i++) {
    const struct pair *pair = &campaign->pair[i];

    if (pair->engine == record->engine && !strcmp(pair->target->name, record->target))
      fuzz_shares_end(&campaign->shares, i, 0, record->ms, record->found);
  }
}

static int read_log(struct campaign *campaign) {
  char *path = fuzz_place_path(campaign->plan->place, "log.jsonl"), err[512];
  struct fuzz_log log;
  int status = SIM_OK;

  if (fuzz_log_read(path, &log, err, sizeof(err))) {
    for (u32 i = 0; i < log.count; i++) count_earlier(campaign, &log.record[i]);
    if (log.passed_over) complain("%s: %u lines are no records", path, log.passed_over);
  } else {
    complain("%s", err);
    status = SIM_OURS;
  }
  fuzz_log_free(&log);
  free(path);
  return status;
}

static u32 num_fresh(const struct campaign *campaign) {
  u32 fresh = 0;

  for (u32 i = 0; i < campaign->shares.count; i++)
    fresh += !campaign->shares.share[i].slices && !campaign->shares.share[i].running;
  return fresh;
}

u64 fuzz_slice_length(const struct fuzz_plan *plan, u32 slices, u64 left_ms, u32 fresh) {
  u64 ms = plan->slice_ms << (slices < FUZZ_SLICE_DOUBLINGS ? slices : FUZZ_SLICE_DOUBLINGS);

  if (!left_ms) return ms;
  // Where time is short the first slices are short, so that each pair has one.
  if (fresh && ms > left_ms * plan->jobs / fresh) ms = left_ms * plan->jobs / fresh;
  if (ms > left_ms) ms = left_ms;
  return ms < FUZZ_SLICE_MS_MIN ? FUZZ_SLICE_MS_MIN : ms;
}

// ---- A core ----

static void note(struct campaign *campaign, int status) {
  campaign->out->status = status_join(campaign->out->status, status);
}

static void give_up(struct campaign *campaign, const char *why) {
  progress_clear(&campaign->progress);
  complain("%s", why);
  note(campaign, SIM_OURS);
  campaign->ending = true;
}

static u64 time_left(const struct campaign *campaign) {
  u64 gone_ms = monotonic_ms() - campaign->start_ms;

  return campaign->plan->time_ms > gone_ms ? campaign->plan->time_ms - gone_ms : 0;
}

static void begin(struct campaign *campaign, struct core *core) {
  const struct fuzz_plan *plan = campaign->plan;
  struct fuzz_shares *shares = &campaign->shares;
  u32 index = fuzz_shares_next(shares);
  struct pair *pair = &campaign->pair[index];
  u64 left_ms = plan->time_ms ? time_left(campaign) : 0;
  char err[1024];

  core->charged_ms =
      fuzz_slice_length(plan, shares->share[index].slices, left_ms, num_fresh(campaign));
  core->pid = -1;
  if (pair->prepared ||
      fuzz_target_prepare(plan->place, pair->target, pair->engine, err, sizeof(err))) {
    pair->prepared = true;
    core->pid = fuzz_slice_start(plan->place, pair->target, pair->engine, core->charged_ms,
                                 &core->slice, &core->fd, err, sizeof(err));
  }
  if (core->pid < 0) {
    if (!interrupt_signal()) give_up(campaign, err);
    return;
  }
  campaign->begun++;
  core->state = CORE_RUNS;
  core->running = (struct fuzz_running){0};
  core->pair = index;
  core->begun_ms = monotonic_ms();
  fuzz_shares_begin(shares, index, core->charged_ms);
}

static void rest(struct core *core) {
  fuzz_slice_free(&core->slice);
  text_free(&core->line);
  core->state = CORE_IDLE;
}

static void take(struct campaign *campaign, struct core *core) {
  struct fuzz_ending ending = {.ours = true, .ms = monotonic_ms() - core->begun_ms};

  close(core->fd);
  ending.status = fuzz_minder_wait(core->pid);
  core->ms = ending.ms;
  core->pid = fuzz_take_start(campaign->plan->place, campaign->pair[core->pair].target,
                              &core->slice, &ending, &core->fd);
  core->state = CORE_TAKES;
  if (core->pid >= 0) return;
  give_up(campaign, "no process to take a slice in");
  rest(core);
}

static void print_slice(struct campaign *campaign, const struct fuzz_record *record);

static void taken(struct campaign *campaign, struct core *core) {
  const char *line = fuzz_failed_read(campaign->plan->place->failed, text_str(&core->line));
  struct fuzz_record record;
  size_t len = strlen(line);
  int status;

  close(core->fd);
  status = fuzz_minder_wait(core->pid);
  fuzz_shares_end(&campaign->shares, core->pair, core->charged_ms, core->ms, 0);
  if (!status && len && fuzz_record_parse(line, len - 1, &record)) {
    struct fuzz_share *share = &campaign->shares.share[core->pair];

    share->last[(share->slices - 1) % FUZZ_SHARE_LAST].found = record.found;
    campaign->out->slices++;
    campaign->out->executions += record.executions;
    campaign->out->found += record.found;
    campaign->out->failures += record.failures;
    campaign->out->findings += record.findings;
    note(campaign, (int)record.status);
    print_slice(campaign, &record);
    // An engine that does nothing at all would be begun again for ever.
    if (record.executions || record.failures)
      campaign->failed_starts = 0;
    else if (++campaign->failed_starts == FAILED_STARTS_MAX && !interrupt_signal())
      give_up(campaign,
              "three slices ran nothing, one after the other; their engines' status is "
              "in the log");
  } else if (interrupt_signal() || campaign->late) {
    if (!interrupt_signal()) note(campaign, SIM_OURS);
    complain("%s waits to be taken in by the next call", core->slice.folder);
  } else {
    char *why = xasprintf("%s was not taken in; the next call tries again", core->slice.folder);

    give_up(campaign, why);
    free(why);
  }
  rest(core);
}

static void read_line(struct campaign *campaign, struct core *core) {
  char buffer[4096];
  ssize_t len = read(core->fd, buffer, sizeof(buffer));

  if (len < 0 && errno == EINTR) return;
  if (len > 0)
    text_add_bytes(&core->line, buffer, (size_t)len);
  else
    taken(campaign, core);
}

// ---- What is printed ----

static void print_head(const struct campaign *campaign) {
  printf("  %-24s %-9s %6s %10s %8s %8s %8s %6s  %s\n", "target", "engine", "s", "executions",
         "exec/s", "features", "corpus", "new", "failures");
  fflush(stdout);
}

static void print_slice(struct campaign *campaign, const struct fuzz_record *record) {
  char executions[TEXT_COUNT_LEN], rate[TEXT_COUNT_LEN];

  progress_clear(&campaign->progress);
  printf("  %-24s %-9s %6.1f %10s %8s %8llu %8llu %6llu  ", record->target,
         fuzz_engine_name(record->engine), (double)record->ms / 1000,
         text_count(record->executions, executions), text_count(record->rate, rate),
         (unsigned long long)record->features, (unsigned long long)record->corpus,
         (unsigned long long)record->found);
  if (record->failures)
    printf("%llu, %llu new finding%s", (unsigned long long)record->failures,
           (unsigned long long)record->findings, record->findings == 1 ? "" : "s");
  else
    printf("-");
  if (strcmp(record->ended, "time") != 0) printf(" (%s)", record->ended);
  printf("\n");
  fflush(stdout);
}

// What each core is at.
static void add_cores(const struct campaign *campaign, struct text *line) {
  const char *between = "; ";

  for (u32 i = 0; i < campaign->plan->jobs; i++) {
    const struct core *core = &campaign->core[i];
    const struct pair *pair = &campaign->pair[core->pair];
    char time[TEXT_COUNT_LEN];

    if (core->state == CORE_IDLE) continue;
    text_addf(line, "%s%s %s ", between, pair->target->name, fuzz_engine_name(pair->engine));
    if (core->state == CORE_RUNS)
      text_add(line, text_duration(monotonic_ms() - core->begun_ms, time));
    else
      text_add(line, "taken in");
    between = ", ";
  }
}

// Slices that have ended and those that are running, together.
static void show_progress(struct campaign *campaign) {
  struct fuzz_outcome *out = campaign->out;
  struct progress_figures figures = {.runs = out->executions, .findings = (u32)out->findings};
  u64 elapsed_ms = monotonic_ms() - campaign->start_ms, found = out->found, failed = out->failures;
  struct text more = {0};

  if (!progress_due(&campaign->progress, elapsed_ms)) return;
  for (u32 i = 0; i < campaign->plan->jobs; i++) {
    struct core *core = &campaign->core[i];

    if (core->state == CORE_IDLE) continue;
    if (core->state == CORE_RUNS) fuzz_running_look(&core->slice, &core->running);
    figures.runs += core->running.executions;
    found += core->running.found;
    failed += core->running.failed;
  }
  // What an engine says in the end may be less than what was counted.
  if (figures.runs > campaign->told_executions && elapsed_ms > campaign->told_ms)
    figures.rate =
        (figures.runs - campaign->told_executions) * 1000 / (elapsed_ms - campaign->told_ms);
  campaign->told_executions = figures.runs;
  campaign->told_ms = elapsed_ms;
  text_addf(&more, ", %llu new, %llu failed", (unsigned long long)found,
            (unsigned long long)failed);
  add_cores(campaign, &more);
  figures.more = text_str(&more);
  progress_tell(&campaign->progress, elapsed_ms, &figures);
  text_free(&more);
}

// ---- The loop ----

static void interrupt(struct campaign *campaign) {
  u64 now = monotonic_ms();
  bool late;

  if (!campaign->interrupted_ms) campaign->interrupted_ms = now;
  late = now - campaign->interrupted_ms > FUZZ_TAKE_GRACE_MS;
  campaign->ending = true;
  for (u32 i = 0; i < campaign->plan->jobs; i++) {
    struct core *core = &campaign->core[i];

    if (core->state == CORE_RUNS || (core->state == CORE_TAKES && late)) fuzz_minder_end(core->pid);
  }
}

// What is found at the end of the time is taken in, but not for ever.
static void end_late(struct campaign *campaign) {
  if (!campaign->plan->time_ms ||
      monotonic_ms() - campaign->start_ms < campaign->plan->time_ms + campaign->plan->late_ms)
    return;
  campaign->late = campaign->ending = true;
  for (u32 i = 0; i < campaign->plan->jobs; i++)
    if (campaign->core[i].state != CORE_IDLE) fuzz_minder_end(campaign->core[i].pid);
}

static bool idle(const struct campaign *campaign) {
  for (u32 i = 0; i < campaign->plan->jobs; i++)
    if (campaign->core[i].state != CORE_IDLE) return false;
  return true;
}

static bool is_over(const struct campaign *campaign) {
  // A run that ran nothing is of no use, however short its time is.
  if (!campaign->begun) return false;
  if (campaign->plan->slices_max && campaign->begun >= campaign->plan->slices_max) return true;
  return campaign->plan->time_ms && time_left(campaign) < FUZZ_SLICE_MS_MIN / 2;
}

static void look(struct campaign *campaign, struct pollfd *poll_fds) {
  u32 jobs = campaign->plan->jobs;

  for (u32 i = 0; i < jobs; i++) {
    const struct core *core = &campaign->core[i];

    poll_fds[i] = (struct pollfd){.fd = core->state == CORE_IDLE ? -1 : core->fd, .events = POLLIN};
  }
  if (poll(poll_fds, jobs, LOOK_MS) <= 0) return;
  for (u32 i = 0; i < jobs; i++) {
    struct core *core = &campaign->core[i];

    if (!poll_fds[i].revents) continue;
    if (core->state == CORE_RUNS)
      take(campaign, core);
    else if (core->state == CORE_TAKES)
      read_line(campaign, core);
  }
}

// What a campaign that was killed left.
static void take_left(struct campaign *campaign) {
  struct fuzz_log left = {0};

  for (u32 i = 0; i < campaign->plan->targets->count && !campaign->ending; i++) {
    if (fuzz_take_left(campaign->plan->place, &campaign->plan->targets->target[i], &left))
      give_up(campaign,
              "what an earlier campaign left was not taken in; the next call tries again");
  }
  for (u32 i = 0; i < left.count; i++) {
    campaign->out->failures += left.record[i].failures;
    campaign->out->findings += left.record[i].findings;
    note(campaign, (int)left.record[i].status);
    print_slice(campaign, &left.record[i]);
  }
  fuzz_log_free(&left);
}

void fuzz_supervise(const struct fuzz_plan *plan, struct fuzz_outcome *out) {
  struct pollfd *poll_fds = xcalloc(plan->jobs, sizeof(*poll_fds));
  struct campaign campaign = {
      .plan = plan,
      .core = xcalloc(plan->jobs, sizeof(*campaign.core)),
      .start_ms = monotonic_ms(),
      .out = out,
  };

  *out = (struct fuzz_outcome){0};
  progress_begin(&campaign.progress, "fuzzing", 0, plan->time_ms);
  campaign.progress.redraw_ms = REDRAW_MS;
  print_head(&campaign);
  add_pairs(&campaign);
  take_left(&campaign);
  if (read_log(&campaign)) campaign.ending = true, note(&campaign, SIM_OURS);
  for (;;) {
    if (interrupt_signal()) interrupt(&campaign);
    end_late(&campaign);
    for (u32 i = 0; i < plan->jobs && !campaign.ending && !is_over(&campaign); i++)
      if (campaign.core[i].state == CORE_IDLE && !interrupt_signal())
        begin(&campaign, &campaign.core[i]);
    if (idle(&campaign)) break;
    look(&campaign, poll_fds);
    show_progress(&campaign);
  }
  progress_clear(&campaign.progress);
  fuzz_shares_free(&campaign.shares);
  free(campaign.pair);
  free(campaign.core);
  free(poll_fds);
}
