// SPDX-License-Identifier: GPL-2.0-or-later
//
// One run of fuzzer bytes in a fresh process; see fuzz_probe.h.

#include "tools/fuzz_probe.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "fuzz/fuzz_input.h"
#include "tools/command.h"
#include "tools/findings.h"
#include "tools/fuzz_finding.h"
#include "tools/input.h"
#include "tools/registry.h"

static const char word[] = "fuzz-probe";

void fuzz_probe(const struct sim_scenario *scenario, const char *bug, const char *path, u64 ms,
                struct probe *out) {
  const char *const args[] = {"seedbed", word, scenario->name, bug ? bug : "", path, NULL};

  probe_command(args, ms, out);
}

// Where memory runs out it is this process that goes, not who started it.
static void die_first(void) {
  int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);

  if (fd < 0) return;
  (void)!write(fd, "1000", 4);
  close(fd);
}

static int probe_main(const char *name, const char *bug, const char *path) {
  const struct sim_scenario *scenario = registry_find(name);
  struct sim_world *world = sim_world_new();
  struct text text = {0};
  struct sim_params *params;
  struct sim_result result;
  struct sim_input run;
  const u8 *bytes;

  die_first();
  if (!scenario || !world || !read_file(path, INPUT_FILE_MAX, &text)) return SIM_OURS;
  params = sim_params_new(scenario);
  if (*bug && !sim_params_set_bug(params, bug)) return SIM_OURS;
  bytes = (const u8 *)text_str(&text);
  fuzz_settings_apply(bytes, text.len, params);
  run = fuzz_sim_input(bytes, text.len);
  if (sim_world_setup(world, scenario, params, &result) == SIM_OK)
    sim_world_run(world, &run, &result);
  probe_write(&result, stdout);
  return 0;
}

bool fuzz_finding_child(int argc, char **argv, int *out_status) {
  bool is_replay = false;
  int i;

  if (argc == 5 && !strcmp(argv[1], word)) {
    *out_status = command_finish(probe_main(argv[2], argv[3], argv[4]));
    return true;
  }
  if (argc < 3 || strcmp(argv[1], "replay") != 0) return false;
  for (i = 2; i < argc; i++)
    if (!strcmp(argv[i], "--probe") || !strcmp(argv[i], "--log")) is_replay = true;
  if (!is_replay) return false;
  signal(SIGPIPE, SIG_IGN);
  argv[1] = argv[0];
  *out_status = command_finish(cmd_replay(argc - 1, argv + 1));
  return true;
}
