// SPDX-License-Identifier: GPL-2.0-or-later
//
// A run is a function of its input: in every process, whatever its environment, folder,
// addresses and log, and in every build, as corpora/digests/sim.txt holds. After a change
// that is meant to change what runs do, write that file anew:
//   bazel run //sim:determinism_test -- --write $PWD/corpora/digests/sim.txt
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
// cmocka wants the four above first.
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim/strategy.h"
#include "sim/testing/scenarios.h"
#include "sim/testing/stress.h"
#include "sim/trace.h"
#include "sim/world.h"

// ---- The runs ----

enum { SEEDS = 12, MACHINES = 48, MACHINE_SEEDS = 4 };

static void run_seeds(struct sim_world *w, const char *name, u32 seeds, FILE *out) {
  static struct sim_result r;
  for (u32 seed = 0; seed < seeds; seed++) {
    // Seeds far apart, and every strategy.
    struct sim_input in = {.backend = SIM_BACKEND_SEED,
                           .seed = seed * 0x100000001ull,
                           .strategy = seed % SIM_STRATEGY_COUNT};
    sim_world_run(w, &in, &r);
    fprintf(out, "%s %u 0x%016llx %llu\n", name, seed, (unsigned long long)r.digest,
            (unsigned long long)r.draws);
  }
}

// All runs, a line each: name, seed, digest, draws. `log`: writes a trace there.
static void run_all(FILE *out, FILE *log) {
  struct sim_world *w = sim_world_new();
  struct sim_trace_text text;
  sim_trace_text_init(&text, log, 0);
  if (log) sim_world_set_sink(w, &text.sink);
  for (u32 i = 0; testing_scenarios[i]; i++) {
    if (testing_scenarios[i] == &testing_not_deterministic) continue;
    struct sim_params *p = sim_params_new(testing_scenarios[i]);
    SIM_ASSERT(sim_world_setup(w, testing_scenarios[i], p, NULL) == SIM_OK);
    run_seeds(w, testing_scenarios[i]->name, SEEDS, out);
    sim_params_free(p);
  }
  for (u32 i = 0; i < MACHINES; i++) {
    char name[32];
    struct sim_params *p = sim_params_new(&testing_stress);
    testing_stress_draw(p, i);
    SIM_ASSERT(sim_world_setup(w, &testing_stress, p, NULL) == SIM_OK);
    snprintf(name, sizeof(name), "stress-%u", i);
    run_seeds(w, name, MACHINE_SEEDS, out);
    sim_params_free(p);
  }
  sim_world_free(w);
}

static char *run_here(void) {
  char *text = NULL;
  size_t len;
  FILE *out = open_memstream(&text, &len);
  run_all(out, NULL);
  fclose(out);
  return text;
}

// Says where two texts part, in whole lines.
static void expect_same(const char *got, const char *want, const char *what) {
  const char *a = got, *b = want;
  if (strcmp(a, b) == 0) return;
  while (*a && *b) {
    const char *a_end = a + strcspn(a, "\n"), *b_end = b + strcspn(b, "\n");
    if (a_end - a != b_end - b || memcmp(a, b, (size_t)(a_end - a)) != 0) break;
    a = a_end + (*a_end != 0);
    b = b_end + (*b_end != 0);
  }
  fail_msg("%s: \"%.*s\", not \"%.*s\"", what, (int)strcspn(a, "\n"), a, (int)strcspn(b, "\n"), b);
}

// ---- In other processes ----

static char self[4096];

enum { NOEXEC = 126 };
// This program again, as told; what it prints. NULL if programs cannot be started here (an
// emulator without its registration).
static char *run_there(const char *const *env, const char *folder, bool fixed_addresses, bool log) {
  int fd[2];
  assert_int_equal(pipe(fd), 0);
  pid_t pid = fork();
  assert_true(pid >= 0);
  if (pid == 0) {
    dup2(fd[1], 1);
    close(fd[0]);
    close(fd[1]);
    if (fixed_addresses) (void)personality(ADDR_NO_RANDOMIZE);
    if (folder && chdir(folder) != 0) _exit(1);
    char how[] = "--run-logged";
    if (!log) how[strlen("--run")] = 0;
    char *const argv[] = {self, how, NULL};
    execve(self, argv, (char *const *)env);
    _exit(errno == ENOEXEC ? NOEXEC : 1);
  }
  close(fd[1]);
  char *text = calloc(1, 1 << 20);
  FILE *in = fdopen(fd[0], "r");
  size_t len = fread(text, 1, (1 << 20) - 1, in);
  fclose(in);
  int status;
  assert_int_equal(waitpid(pid, &status, 0), pid);
  assert_true(WIFEXITED(status));
  if (WEXITSTATUS(status) == NOEXEC) {
    free(text);
    return NULL;
  }
  assert_int_equal(WEXITSTATUS(status), 0);
  assert_true(len > 1000);
  return text;
}

// Another environment, folder and layout of memory, and a log, change nothing.
static void in_every_process(void **state) {
  static const char *const plain[] = {NULL};
  static const char *const many[] = {"TZ=Asia/Kathmandu", "LC_ALL=C.UTF-8", "MALLOC_PERTURB_=170",
                                     "HOME=/nowhere",     "PATH=/bin",      NULL};
  char *here = run_here();
  (void)state;
  for (u32 i = 0; i < 4; i++) {
    char *there = run_there(i % 2 ? many : plain, i % 2 ? "/" : NULL, i == 2, i >= 2);
    if (!there) {
      free(here);
      skip();
    }
    expect_same(there, here, "another process");
    free(there);
  }
  free(here);
}

// ---- In every build ----

static const char heading[] =
    "# Runs of sim/testing: name, seed, digest, draws. See sim/determinism_test.c.\n";

static void in_every_build(void **state) {
  static const char path[] = "corpora/digests/sim.txt";
  char *kept = calloc(1, 1 << 20), *here = run_here();
  FILE *in = fopen(path, "r");
  (void)state;
  if (!in) fail_msg("%s is missing", path);
  size_t len = fread(kept, 1, (1 << 20) - 1, in);
  fclose(in);
  assert_true(len > sizeof(heading));
  assert_memory_equal(kept, heading, sizeof(heading) - 1);
  expect_same(here, kept + sizeof(heading) - 1, path);
  free(here);
  free(kept);
}

static int write_file(const char *path) {
  FILE *out = fopen(path, "w");
  if (!out) {
    perror(path);
    return 1;
  }
  fputs(heading, out);
  run_all(out, NULL);
  return fclose(out) == 0 ? 0 : 1;
}

int main(int argc, char **argv) {
  if (argc == 2 && strcmp(argv[1], "--run") == 0) {
    run_all(stdout, NULL);
    return 0;
  }
  if (argc == 2 && strcmp(argv[1], "--run-logged") == 0) {
    FILE *log = fopen("/dev/null", "w");
    run_all(stdout, log);
    fclose(log);
    return 0;
  }
  if (argc == 3 && strcmp(argv[1], "--write") == 0) return write_file(argv[2]);
  ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);
  if (len <= 0) return 1;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(in_every_process),
      cmocka_unit_test(in_every_build),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
