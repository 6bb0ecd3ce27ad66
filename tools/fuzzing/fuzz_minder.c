// SPDX-License-Identifier: GPL-2.0-or-later
//
// A minder; see fuzz_minder.h. It is told of the campaign's death by a signal, and its own death
// kills the engine. Processes that the engine leaves behind become its children, since it is a
// subreaper, in whatever group or session they are.

#include "tools/fuzzing/fuzz_minder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tools/child.h"
#include "tools/interrupt.h"

enum {
  FILE_LEN_MAX = 1 << 28,  // of any file that an engine writes: its output, for one
  LOOK_MS = 200,
};

// ---- The engine's process ----

static void set_environment(const char *const *env) {
  for (; *env; env++) {
    bool force = **env == '!';
    char *name = xstrdup(*env + force), *value = strchr(name, '=');

    *value++ = '\0';
    setenv(name, value, force);
    free(name);
  }
}

static SIM_NORETURN void become(const struct fuzz_program *program, pid_t minder) {
  const struct rlimit no_core = {0, 0}, file = {FILE_LEN_MAX, FILE_LEN_MAX};
  int in = open("/dev/null", O_RDONLY | O_CLOEXEC);
  int out = open(program->output, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  sigset_t none;

  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != minder) _exit(FUZZ_MINDER_FAILED);
  setpgid(0, 0);
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  signal(SIGINT, SIG_DFL);
  signal(SIGHUP, SIG_DFL);
  signal(SIGPIPE, SIG_DFL);
  signal(SIGXFSZ, SIG_DFL);
  setrlimit(RLIMIT_CORE, &no_core);
  setrlimit(RLIMIT_FSIZE, &file);
  set_environment(program->env);
  if (in < 0 || out < 0 || dup2(in, 0) < 0 || dup2(out, 1) < 0 || dup2(out, 2) < 0)
    _exit(FUZZ_MINDER_FAILED);
  // execvp changes nothing, whatever its prototype says.
  execvp(program->argv[0], (char *const *)program->argv);
  dprintf(2, "cannot start %s: %s\n", program->argv[0], strerror(errno));
  _exit(FUZZ_MINDER_FAILED);
}

// ---- The minder ----

// Whether a process is our child.
static bool is_child(const char *pid) {
  char path[64], line[512], *after;
  FILE *file;
  long parent = -1;

  snprintf(path, sizeof(path), "/proc/%.20s/stat", pid);
  file = fopen(path, "re");
  if (!file) return false;
  // The name of the program, which may hold anything, ends at the last parenthesis.
  after = fgets(line, sizeof(line), file) ? strrchr(line, ')') : NULL;
  fclose(file);
  return after && sscanf(after, ") %*c %ld", &parent) == 1 && parent == (long)getpid();
}

static void kill_children(void) {
  DIR *folder = opendir("/proc");
  struct dirent *entry;

  while (folder && (entry = readdir(folder)))
    if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9' && is_child(entry->d_name))
      kill((pid_t)strtol(entry->d_name, NULL, 10), SIGKILL);
  if (folder) closedir(folder);
}

// Kills all children, those that become ours by that as well, and waits for them.
static void kill_the_rest(void) {
  for (;;) {
    pid_t done = waitpid(-1, NULL, WNOHANG);

    if (done < 0 && errno != EINTR) return;  // no child is left
    if (done) continue;
    kill_children();
    usleep(1000);
  }
}

struct minding {
  pid_t engine, parent;
  u64 end_ms, kill_ms;  // when it is asked to end; when it is killed
  bool asked;
};

static void look(struct minding *minding) {
  u64 now = monotonic_ms();

  // Whoever began it is gone: at once.
  if (getppid() != minding->parent) {
    kill(-minding->engine, SIGKILL);
    kill(minding->engine, SIGKILL);
    return;
  }
  if (!minding->asked && now >= minding->end_ms) {
    minding->asked = true;
    minding->kill_ms = now + FUZZ_MINDER_GRACE_MS;
    kill(minding->engine, SIGTERM);
  }
  if (minding->asked && now >= minding->kill_ms) kill(minding->engine, SIGKILL);
}

static SIM_NORETURN void mind(const struct fuzz_program *program, pid_t parent) {
  struct minding minding = {.parent = parent, .end_ms = monotonic_ms() + program->ms};
  const struct timespec tick = {.tv_nsec = LOOK_MS * 1000000};
  pid_t self = getpid();
  sigset_t awaited;
  int status = 0;

  // A terminal's signals go to all; the campaign hears them and tells us.
  signal(SIGINT, SIG_IGN);
  signal(SIGHUP, SIG_IGN);
  sigemptyset(&awaited);
  sigaddset(&awaited, SIGTERM);
  sigaddset(&awaited, SIGCHLD);
  sigprocmask(SIG_BLOCK, &awaited, NULL);
  signal(SIGCHLD, SIG_DFL);
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  minding.engine = fork();
  if (!minding.engine) become(program, self);
  if (minding.engine < 0) _exit(FUZZ_MINDER_FAILED);
  for (;;) {
    pid_t done = waitpid(minding.engine, &status, WNOHANG);

    if (done == minding.engine || (done < 0 && errno != EINTR)) break;
    look(&minding);
    if (sigtimedwait(&awaited, NULL, &tick) == SIGTERM) minding.end_ms = 0;
  }
  kill_the_rest();
  _exit(WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status));
}

pid_t fuzz_minder_start(const struct fuzz_program *program, int *out_fd) {
  pid_t parent = getpid(), pid;
  int pipe_fd[2];

  fflush(NULL);
  if (pipe2(pipe_fd, O_CLOEXEC)) return -1;
  pid = fork();
  if (!pid) {
    close(pipe_fd[0]);
    mind(program, parent);
  }
  close(pipe_fd[1]);
  if (pid < 0)
    close(pipe_fd[0]);
  else
    *out_fd = pipe_fd[0];
  return pid;
}

void fuzz_minder_end(pid_t pid) { kill(pid, SIGTERM); }

int fuzz_minder_wait(pid_t pid) {
  int status = 0;

  while (waitpid(pid, &status, 0) < 0)
    if (errno != EINTR) return FUZZ_MINDER_FAILED;
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

int fuzz_minder_run(const struct fuzz_program *program) {
  int fd = -1;
  pid_t pid = fuzz_minder_start(program, &fd);
  bool asked = false;

  if (pid < 0) return -1;
  for (;;) {
    struct pollfd poll_fd = {.fd = fd, .events = POLLIN};

    if (poll(&poll_fd, 1, LOOK_MS) == 1) break;
    if (interrupt_signal() && !asked) fuzz_minder_end(pid);
    asked |= interrupt_signal() != 0;
  }
  close(fd);
  return fuzz_minder_wait(pid);
}
