// SPDX-License-Identifier: GPL-2.0-or-later
//
// Running something that may crash or never end; see child.h.

#include "tools/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tools/interrupt.h"

enum { LOOK_MS = 100 };  // how often limits are looked at

static u64 clock_ms(clockid_t clock) {
  struct timespec now;

  if (clock_gettime(clock, &now)) return 0;
  return (u64)now.tv_sec * 1000 + (u64)now.tv_nsec / 1000000;
}

u64 monotonic_ms(void) { return clock_ms(CLOCK_MONOTONIC); }

u64 process_cpu_ms(pid_t pid) {
  clockid_t clock;

  return clock_getcpuclockid(pid, &clock) ? 0 : clock_ms(clock);
}

bool signal_from_outside(int signal) {
  switch (signal) {
    case SIGSEGV:
    case SIGABRT:
    case SIGFPE:
    case SIGBUS:
    case SIGILL:
    case SIGTRAP:
    case SIGSYS:
      return false;
    default:
      return true;
  }
}

void child_result_free(struct child_result *result) { text_free(&result->out); }

static bool is_over(pid_t pid, const struct child_limits *limits, u64 start_ms) {
  if (limits->yields && interrupt_signal()) return true;
  if (limits->wall_ms && monotonic_ms() - start_ms >= limits->wall_ms) return true;
  return limits->cpu_ms && process_cpu_ms(pid) >= limits->cpu_ms;
}

// Reads until end of file or until a limit, which kills the child; then waits.
static void collect(pid_t pid, int fd, const struct child_limits *limits,
                    struct child_result *result) {
  u64 start_ms = monotonic_ms(), looked_ms = start_ms;
  char buffer[16384];
  int status = 0;

  for (;;) {
    struct pollfd poll_fd = {.fd = fd, .events = POLLIN};
    int ready = poll(&poll_fd, 1, LOOK_MS);
    ssize_t len;

    if (ready < 0 && errno != EINTR) break;
    if (ready <= 0 || monotonic_ms() - looked_ms >= LOOK_MS) {
      looked_ms = monotonic_ms();
      if (is_over(pid, limits, start_ms)) {
        result->end = CHILD_HUNG;
        kill(pid, SIGKILL);
        break;
      }
    }
    if (ready <= 0) continue;
    len = read(fd, buffer, sizeof(buffer));
    if (len < 0 && errno == EINTR) continue;
    if (len <= 0) break;
    text_add_bytes(&result->out, buffer, (size_t)len);
  }
  close(fd);
  // A child that closed its output and goes on is given the rest of its time.
  while (result->end != CHILD_HUNG) {
    pid_t done = waitpid(pid, &status, WNOHANG);

    if (done == pid || (done < 0 && errno != EINTR)) break;
    if (is_over(pid, limits, start_ms)) {
      result->end = CHILD_HUNG;
      kill(pid, SIGKILL);
      break;
    }
    usleep(200);
  }
  if (result->end == CHILD_HUNG) {
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
      ;
    return;
  }
  result->end = WIFSIGNALED(status) ? CHILD_SIGNALED : CHILD_EXITED;
  result->code = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
}

// Forks with a pipe from the child. In the child returns 0 with the write end.
static pid_t fork_piped(int *out_fd, struct child_result *result) {
  int pipe_fd[2];
  pid_t parent = getpid(), pid;

  *result = (struct child_result){.end = CHILD_FAILED};
  fflush(NULL);
  if (pipe2(pipe_fd, O_CLOEXEC)) {
    result->code = errno;
    return -1;
  }
  pid = fork();
  if (pid < 0) {
    result->code = errno;
    close(pipe_fd[0]);
    close(pipe_fd[1]);
    return -1;
  }
  if (!pid) interrupt_leave_to_parent(parent);
  close(pipe_fd[pid ? 1 : 0]);
  *out_fd = pipe_fd[pid ? 0 : 1];
  return pid;
}

static void fork_once(int (*fn)(void *arg, FILE *out), void *arg, const struct child_limits *limits,
                      struct child_result *result) {
  int fd = -1;
  pid_t pid = fork_piped(&fd, result);

  if (pid < 0) return;
  if (!pid) {
    FILE *out = fdopen(fd, "w");
    int code = out ? fn(arg, out) : 70;

    if (out && fclose(out)) code = 70;
    fflush(NULL);
    // Not exit(): what the parent registered is the parent's.
    _exit(code);
  }
  result->end = CHILD_EXITED;
  collect(pid, fd, limits, result);
}

static bool killed(const struct child_result *result) {
  return result->end == CHILD_SIGNALED && signal_from_outside(result->code);
}

void child_fork(int (*fn)(void *arg, FILE *out), void *arg, const struct child_limits *limits,
                struct child_result *result) {
  fork_once(fn, arg, limits, result);
  if (!limits->again || !killed(result)) return;
  child_result_free(result);
  fork_once(fn, arg, limits, result);
}

static void exec_piped(const char *path, const char *const argv[], bool quiet,
                       const struct child_limits *limits, struct child_result *result) {
  int fd = -1;
  pid_t pid = fork_piped(&fd, result);

  if (pid < 0) return;
  if (!pid) {
    int null_fd = open("/dev/null", O_RDWR | O_CLOEXEC);

    if (null_fd >= 0) {
      dup2(null_fd, 0);
      if (quiet) dup2(null_fd, 2);
    }
    if (fd == 1)
      fcntl(fd, F_SETFD, 0);
    else
      dup2(fd, 1);
    // execv changes nothing, whatever its prototype says.
    execv(path, (char *const *)argv);
    _exit(70);
  }
  result->end = CHILD_EXITED;
  collect(pid, fd, limits, result);
}

void child_exec_self(const char *const argv[], bool quiet, u64 cpu_ms,
                     struct child_result *result) {
  const struct child_limits limits = {.cpu_ms = cpu_ms};
  static const char self[] = "/proc/self/exe";

  exec_piped(self, argv, quiet, &limits, result);
  if (!killed(result)) return;
  child_result_free(result);
  exec_piped(self, argv, quiet, &limits, result);
}

void child_exec(const char *path, const char *const argv[], struct child_result *result) {
  const struct child_limits limits = {0};

  exec_piped(path, argv, false, &limits, result);
}
