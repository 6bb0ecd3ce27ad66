// SPDX-License-Identifier: GPL-2.0-or-later
//
// The binary of an engine's build, run once; see fuzz_engine.h. Sections: what an output says;
// running; the command.

#include "tools/fuzz_engine.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/child.h"
#include "tools/interrupt.h"

// libFuzzer looks once a second.
enum { LOOK_MS = 20, FRAMES = 3, SLACK_MB = 1024 };

// ---- What an output says ----

// The rest of the first line that has `mark`, from the mark's end on; false if there is none.
static bool line_after(const char *output, const char *mark, char *out, size_t len) {
  const char *at = strstr(output, mark);

  if (!at) return false;
  at += strlen(mark);
  snprintf(out, len, "%.*s", (int)strcspn(at, "\r\n"), at);
  return true;
}

// Adds a line without what differs from run to run: numbers, of addresses and of processes.
static void add_stable(const char *line, char *out, size_t len) {
  size_t at = strlen(out);

  while (*line && at + 1 < len) {
    if (isdigit((unsigned char)*line)) {
      out[at++] = 'N';
      while (isxdigit((unsigned char)*line) || *line == 'x') line++;
    } else {
      out[at++] = isprint((unsigned char)*line) ? *line : ' ', line++;
    }
  }
  out[at] = '\0';
}

// Adds the functions of the first frames ("    #0 0x1234 in name FILE:1:2") that are not the
// sanitizer's own.
static void add_frames(const char *output, char *out, size_t len) {
  const char *at = output;
  u32 frames = 0;

  while (frames < FRAMES && (at = strstr(at, " in "))) {
    const char *line = at;
    size_t name = strcspn(at + 4, " \n(");

    while (line > output && line[-1] != '\n') line--;
    line += strspn(line, " ");
    at += 4;
    if (*line != '#' || !isdigit((unsigned char)line[1]) || !strncmp(at, "__", 2)) continue;
    snprintf(out + strlen(out), len - strlen(out), " %.*s", (int)(name < 60 ? name : 60), at);
    frames++;
  }
}

// What is looked for, the first that is there; libFuzzer tells its own kinds of ends, and prints
// the sanitizers' before them.
static const struct {
  const char *mark, *what, *sentence;
  enum sim_status status;
} signs[] = {
    {"ERROR: LeakSanitizer: detected memory leaks", "leak", "memory leaks", SIM_CRASH},
    {"ERROR: AddressSanitizer: ", "asan", "AddressSanitizer: ", SIM_CRASH},
    {"runtime error: ", "ubsan", "UndefinedBehaviorSanitizer: ", SIM_CRASH},
    {"ERROR: libFuzzer: out-of-memory", "out-of-memory", "too much memory", SIM_BUDGET},
    {"ERROR: libFuzzer: timeout", "timeout", "too much time", SIM_BUDGET},
};

static void set_what(struct fuzz_told *out, const char *what, enum sim_status status) {
  out->status = status;
  snprintf(out->what, sizeof(out->what), "%.31s", what);
}

static void tell_sign(const char *output, u32 i, struct fuzz_told *out) {
  char line[300] = "", summary[300] = "";

  set_what(out, signs[i].what, signs[i].status);
  line_after(output, signs[i].mark, line, sizeof(line));
  line_after(output, "SUMMARY: ", summary, sizeof(summary));
  if (signs[i].status == SIM_BUDGET)
    snprintf(out->text, sizeof(out->text), "the engine's build took %s%.200s", signs[i].sentence,
             line);
  else if (!strcmp(out->what, "leak"))
    snprintf(out->text, sizeof(out->text), "the engine's build leaks memory: %.200s", summary);
  else
    snprintf(out->text, sizeof(out->text), "%s%.300s", signs[i].sentence, line);
  // Where time or memory ran out is chance.
  if (signs[i].status == SIM_BUDGET) return;
  add_stable(strcmp(out->what, "ubsan") ? line : summary, out->stable, sizeof(out->stable));
  if (!strcmp(out->what, "ubsan") && !*summary) add_stable(line, out->stable, sizeof(out->stable));
  add_frames(output, out->stable, sizeof(out->stable));
}

void fuzz_engine_read(const char *output, int signal, int code, const char *limit,
                      const struct fuzz_build *build, struct fuzz_told *out) {
  char line[SIM_KEY_LEN];
  const char *fail;
  u32 i;

  *out = (struct fuzz_told){.outcome = FUZZ_FAILED};
  if (!signal && !code && !limit) {
    out->outcome = FUZZ_PASSED;
    snprintf(out->text, sizeof(out->text), "passed");
    return;
  }
  for (i = 0; i < SIM_ARRAY_SIZE(signs); i++) {
    if (strstr(output, signs[i].mark)) {
      tell_sign(output, i, out);
      return;
    }
  }
  fail = strstr(output, "FAIL key=");
  if (fail && (fail == output || fail[-1] == '\n')) {
    const char *text_end = fail > output ? fail - 1 : output, *text = text_end;

    while (text > output && text[-1] != '\n') text--;
    line_after(fail, "FAIL key=", line, sizeof(line));
    line[strcspn(line, " ")] = '\0';
    set_what(out, strcmp(line, "not-deterministic") ? "other-build" : "not-deterministic",
             SIM_NONDETERMINISM);
    snprintf(out->target_key, sizeof(out->target_key), "%s", line);
    snprintf(out->text, sizeof(out->text), "%.*s (%.150s)",
             (int)(text_end - text < 300 ? text_end - text : 300), text, line);
    snprintf(out->stable, sizeof(out->stable), "%s", line);
    return;
  }
  if (limit) {
    set_what(out, limit, SIM_BUDGET);
    if (!strcmp(limit, "timeout"))
      snprintf(out->text, sizeof(out->text), "the engine's build took more than %u s",
               build->timeout_s);
    else
      snprintf(out->text, sizeof(out->text), "the engine's build took more than %u MiB",
               build->rss_mb);
    return;
  }
  if (signal || strstr(output, "ERROR: libFuzzer: deadly signal")) {
    const char *name = signal ? sigabbrev_np(signal) : NULL;

    set_what(out, "signal", SIM_CRASH);
    snprintf(out->text, sizeof(out->text), "the engine's build died by %s%s", name ? "SIG" : "",
             name ? name : "a signal");
    snprintf(out->stable, sizeof(out->stable), "%s", name ? name : "");
    add_frames(output, out->stable, sizeof(out->stable));
    return;
  }
  set_what(out, "exit", SIM_CRASH);
  snprintf(out->text, sizeof(out->text), "the engine's build exited with status %d", code);
  snprintf(out->stable, sizeof(out->stable), "%d", code);
}

bool fuzz_told_same(const struct fuzz_told *a, const struct fuzz_told *b) {
  return a->outcome == b->outcome && !strcmp(a->what, b->what) &&
         !strcmp(a->target_key, b->target_key);
}

void fuzz_told_free(struct fuzz_told *told) { text_free(&told->log); }

// ---- Running ----

static bool libfuzzer_on_input(const struct fuzz_build *build, bool is_history) {
  return build->engine == FUZZ_ENGINE_LIBFUZZER && !is_history;
}

static void set_or_unset(const char *name, const char *value) {
  if (value)
    setenv(name, value, 1);
  else
    unsetenv(name);
}

static void add_to_options(const char *name, const char *options) {
  const char *old = getenv(name);
  char *all = old && *old ? xasprintf("%s:%s", old, options) : xstrdup(options);

  setenv(name, all, 1);
  free(all);
}

// Where memory runs out it is this process that goes, not who started it.
static void die_first(void) {
  int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);

  if (fd < 0) return;
  (void)!write(fd, "1000", 4);
  close(fd);
}

static SIM_NORETURN void start(const struct fuzz_build *build, const char *path, bool is_history,
                               bool leaks, int fd) {
  const struct rlimit none = {0, 0};
  int null_fd = open("/dev/null", O_RDWR);
  char *timeout = xasprintf("-timeout=%u", build->timeout_s);
  char *rss = xasprintf("-rss_limit_mb=%u", build->rss_mb);
  const char *argv[8];
  u32 argc = 0;

  dup2(null_fd, 0);
  dup2(fd, 1);
  dup2(fd, 2);
  die_first();
  setrlimit(RLIMIT_CORE, &none);
  unsetenv("SEEDBED_FUZZ_HISTORY");
  unsetenv("SEEDBED_FUZZ_FAILED");
  unsetenv("SEEDBED_FUZZ_DESCRIBE");
  // Its path is ours.
  unsetenv("BUILD_WORKING_DIRECTORY");
  setenv("SEEDBED_FUZZ_TWICE", "1", 1);
  set_or_unset("SEEDBED_FUZZ_BUG", build->bug);
  set_or_unset("SEEDBED_FUZZ_REPLAY_HISTORY", is_history ? path : NULL);
  add_to_options("ASAN_OPTIONS", leaks ? "detect_leaks=1" : "detect_leaks=0");
  argv[argc++] = build->binary;
  if (libfuzzer_on_input(build, is_history)) {
    argv[argc++] = timeout;
    argv[argc++] = rss;
    if (!leaks) argv[argc++] = "-detect_leaks=0";
  }
  if (!is_history) argv[argc++] = path;
  argv[argc] = NULL;
  // execv changes nothing, whatever its prototype says.
  execv(build->binary, (char *const *)(uintptr_t)argv);
  _exit(127);
}

static u64 rss_mb_of(pid_t pid) {
  char path[64];
  unsigned long long pages = 0;
  FILE *file;

  snprintf(path, sizeof(path), "/proc/%ld/statm", (long)pid);
  file = fopen(path, "re");
  if (!file) return 0;
  if (fscanf(file, "%*u %llu", &pages) != 1) pages = 0;
  fclose(file);
  return pages * (u64)sysconf(_SC_PAGESIZE) >> 20;
}

// The limit that is reached, or NULL.
static const char *over(pid_t pid, const struct fuzz_build *build, bool by_itself, u64 start_ms) {
  u64 ms = build->timeout_s * 1000ull, slack_ms = by_itself ? ms + 10000 : 0;
  u64 rss_max = build->rss_mb + (by_itself ? SLACK_MB : 0);

  if (process_cpu_ms(pid) >= ms + slack_ms || monotonic_ms() - start_ms >= 4 * ms + 30000)
    return "timeout";
  return rss_mb_of(pid) >= rss_max ? "out-of-memory" : NULL;
}

// The beginning of an output, where the report begins, and its end.
struct output {
  struct text head, tail;
};

static void take_output(struct output *output, const char *bytes, size_t len) {
  if (output->head.len < 4 * FUZZ_LOG_MAX) text_add_bytes(&output->head, bytes, len);
  text_add_bytes(&output->tail, bytes, len);
  if (output->tail.len <= 2 * FUZZ_LOG_MAX) return;
  memmove(output->tail.s, output->tail.s + output->tail.len - FUZZ_LOG_MAX, FUZZ_LOG_MAX);
  output->tail.len = FUZZ_LOG_MAX;
  output->tail.s[FUZZ_LOG_MAX] = '\0';
}

// Bytes that are 0 would end it for those who search.
static void mend(struct text *text) {
  for (size_t i = 0; i < text->len; i++)
    if (!text->s[i]) text->s[i] = '?';
}

struct end {
  const char *limit;
  int signal, code;
  bool interrupted;
};

// Reads until the output ends or a limit is reached, and waits.
static void watch(pid_t pid, int fd, const struct fuzz_build *build, bool by_itself,
                  struct output *output, struct end *end) {
  u64 start_ms = monotonic_ms(), looked_ms = start_ms;
  bool open = true, reaped = false;
  char buffer[16384];
  int status = 0;

  while (!reaped) {
    struct pollfd poll_fd = {.fd = open ? fd : -1, .events = POLLIN};
    int ready = poll(&poll_fd, 1, LOOK_MS);

    if (ready > 0) {
      ssize_t len = read(fd, buffer, sizeof(buffer));

      if (len > 0) take_output(output, buffer, (size_t)len);
      if (!len || (len < 0 && errno != EINTR)) open = false;
    }
    if (ready > 0 && open && monotonic_ms() - looked_ms < LOOK_MS) continue;
    looked_ms = monotonic_ms();
    reaped = waitpid(pid, &status, WNOHANG) == pid;
    if (reaped) break;
    end->limit = over(pid, build, by_itself, start_ms);
    end->interrupted = interrupt_signal() != 0;
    if (!end->limit && !end->interrupted) continue;
    kill(-pid, SIGKILL);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
      ;
    reaped = true;
  }
  // What it started and left behind holds the pipe.
  kill(-pid, SIGKILL);
  while (open) {
    struct pollfd poll_fd = {.fd = fd, .events = POLLIN};
    ssize_t len = poll(&poll_fd, 1, 1000) > 0 ? read(fd, buffer, sizeof(buffer)) : 0;

    if (len > 0) take_output(output, buffer, (size_t)len);
    open = len > 0 || (len < 0 && errno == EINTR);
  }
  end->signal = WIFSIGNALED(status) && !end->limit ? WTERMSIG(status) : 0;
  end->code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
}

static void refused(struct fuzz_told *out, const char *why) {
  *out = (struct fuzz_told){.outcome = FUZZ_REFUSED};
  snprintf(out->text, sizeof(out->text), "%s", why);
}

static void run_once(const struct fuzz_build *build, const char *path, bool is_history, bool leaks,
                     struct fuzz_told *out) {
  struct output output = {{0}, {0}};
  struct end end = {0};
  pid_t parent = getpid(), pid;
  int pipe_fd[2];

  if (access(build->binary, X_OK)) {
    refused(out, "the engine's binary cannot be run");
    return;
  }
  fflush(NULL);
  if (pipe2(pipe_fd, O_CLOEXEC)) {
    refused(out, strerror(errno));
    return;
  }
  pid = fork();
  if (!pid) {
    setpgid(0, 0);
    interrupt_leave_to_parent(parent);
    start(build, path, is_history, leaks, pipe_fd[1]);
  }
  close(pipe_fd[1]);
  if (pid < 0) {
    refused(out, strerror(errno));
    close(pipe_fd[0]);
    return;
  }
  setpgid(pid, pid);
  watch(pid, pipe_fd[0], build, libfuzzer_on_input(build, is_history), &output, &end);
  close(pipe_fd[0]);
  mend(&output.head);
  mend(&output.tail);
  if (end.interrupted)
    refused(out, "interrupted");
  else if (end.signal && signal_from_outside(end.signal))
    refused(out, "the engine's binary was killed from outside");
  else if (end.code == 127 && !output.tail.len)
    refused(out, "the engine's binary cannot be run");
  else
    fuzz_engine_read(text_str(&output.head), end.signal, end.code, end.limit, build, out);
  // A report that comes after much output.
  if (out->outcome == FUZZ_FAILED && (!strcmp(out->what, "signal") || !strcmp(out->what, "exit")))
    fuzz_engine_read(text_str(&output.tail), end.signal, end.code, end.limit, build, out);
  text_free(&output.head);
  if (output.tail.len > FUZZ_LOG_MAX) {
    text_add_bytes(&out->log, output.tail.s + output.tail.len - FUZZ_LOG_MAX, FUZZ_LOG_MAX);
    text_free(&output.tail);
  } else {
    out->log = output.tail;
  }
}

void fuzz_engine_run(const struct fuzz_build *build, const char *path, bool is_history,
                     struct fuzz_told *out) {
  run_once(build, path, is_history, true, out);
  if (out->outcome == FUZZ_REFUSED && !interrupt_signal()) {
    fuzz_told_free(out);
    run_once(build, path, is_history, true, out);
  }
  // Where it may not look at its own memory (a debugger, a container) nothing can be said of leaks.
  if (out->outcome == FUZZ_FAILED &&
      strstr(text_str(&out->log), "LeakSanitizer has encountered a fatal error")) {
    fuzz_told_free(out);
    run_once(build, path, is_history, false, out);
  }
}

// ---- The command ----

void fuzz_engine_add_command(const struct fuzz_build *build, const char *path, bool is_history,
                             const char *what, struct text *text) {
  bool by_itself = libfuzzer_on_input(build, is_history);

  if (!by_itself && !strcmp(what, "out-of-memory"))
    text_addf(text, "ulimit -v %llu && ", build->rss_mb * 1024ull);
  if (!is_history) text_add(text, "SEEDBED_FUZZ_TWICE=1 ");
  if (build->bug) {
    text_add(text, "SEEDBED_FUZZ_BUG=");
    text_add_quoted(text, build->bug);
    text_add(text, " ");
  }
  if (is_history) {
    text_add(text, "SEEDBED_FUZZ_REPLAY_HISTORY=");
    text_add_quoted(text, path);
    text_add(text, " ");
  }
  if (!strcmp(what, "leak")) text_add(text, "ASAN_OPTIONS=detect_leaks=1 ");
  if (!by_itself && !strcmp(what, "timeout")) text_addf(text, "timeout %u ", build->timeout_s);
  text_add_quoted(text, build->binary);
  if (by_itself) text_addf(text, " -timeout=%u -rss_limit_mb=%u", build->timeout_s, build->rss_mb);
  if (!is_history) {
    text_add(text, " ");
    text_add_quoted(text, path);
  }
}
