// SPDX-License-Identifier: GPL-2.0-or-later
//
// One run in a fresh process; see probe.h.

#include "tools/probe.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tools/child.h"

void probe_write(const struct sim_result *result, FILE *out) {
  u32 i;

  fprintf(out, "probe %d %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", (int)result->status,
          result->draws, result->steps, result->vtime_ns, result->digest);
  for (i = 0; i < result->num_failures; i++) fprintf(out, "key %s\n", result->failures[i].key);
}

bool probe_parse(const char *text, struct probe *out) {
  struct probe probe = {.started = true};
  int status, used = 0;

  if (sscanf(text, "probe %d %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 "%n", &status,
             &probe.draws, &probe.steps, &probe.vtime_ns, &probe.digest, &used) != 5 ||
      text[used] != '\n')
    return false;
  probe.status = (enum sim_status)status;
  for (text += used + 1; *text; text += strcspn(text, "\n") + 1) {
    size_t len = strcspn(text, "\n");

    if (strncmp(text, "key ", 4) || text[len] != '\n' || len - 4 >= SIM_KEY_LEN ||
        probe.num_keys == SIM_FAILURES_MAX)
      return false;
    memcpy(probe.key[probe.num_keys], text + 4, len - 4);
    probe.key[probe.num_keys++][len - 4] = '\0';
  }
  *out = probe;
  return true;
}

void probe_command(const char *const *args, u64 ms, struct probe *out) {
  struct child_result child;

  *out = (struct probe){0};
  child_exec_self(args, true, ms, &child);
  switch (child.end) {
    case CHILD_FAILED:
      break;
    case CHILD_HUNG:
      out->started = true;
      out->death = JOBS_HANG;
      break;
    case CHILD_SIGNALED:
      if (signal_from_outside(child.code)) break;
      out->started = true;
      out->death = JOBS_SIGNAL;
      out->code = child.code;
      break;
    case CHILD_EXITED:
      // Without its lines it was the run that ended the process.
      if (child.code || !probe_parse(text_str(&child.out), out)) {
        *out = (struct probe){
            .started = true,
            .death = JOBS_EXIT,
            .code = child.code,
        };
      }
      break;
  }
  child_result_free(&child);
}

void probe_seed(const struct run_spec *spec, u64 seed, u64 ms, struct probe *out) {
  char *args[RUN_ARGS_MAX + 6];
  u32 first = 0, count, i;

  args[first++] = xstrdup("seedbed");
  args[first++] = xstrdup("replay");
  args[first++] = xstrdup(spec->scenario->name);
  args[first++] = xasprintf("--seed=0x%" PRIx64, seed);
  count = first + run_spec_args(spec, args + first, RUN_ARGS_MAX);
  args[count++] = xstrdup("--probe");
  args[count] = NULL;
  probe_command((const char *const *)args, ms, out);
  for (i = 0; i < count; i++) free(args[i]);
}

void probe_file(const char *path, u64 ms, struct probe *out) {
  // "--" because a path may begin with '-'.
  const char *const args[] = {"seedbed", "replay", "--probe", "--", path, NULL};

  probe_command(args, ms, out);
}
