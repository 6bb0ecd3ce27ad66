// SPDX-License-Identifier: GPL-2.0-or-later
//
// Complaining and ending; see command.h.

#include "tools/command.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/text.h"

const char *command_invocation = "seedbed";
const char *command_name = "seedbed";

static SIM_PRINTF(1, 0) void complain_args(const char *fmt, va_list args) {
  fflush(stdout);
  fprintf(stderr, "%s: ", command_name);
  vfprintf(stderr, fmt, args);
  fputc('\n', stderr);
}

void complain(const char *fmt, ...) {
  va_list args;

  va_start(args, fmt);
  complain_args(fmt, args);
  va_end(args);
}

void usage_error(const char *command, const char *fmt, ...) {
  va_list args;

  va_start(args, fmt);
  complain_args(fmt, args);
  va_end(args);
  fprintf(stderr, "Try `%s %s%s--help'.\n", command_name, command, *command ? " " : "");
  command_exit(SIM_USAGE);
}

bool command_bisect;

int command_status(int status) {
  if (!command_bisect || status == SIM_OK || status == COMMAND_NOT_BUILT) return status;
  if (status >= SIM_SAFETY && status <= SIM_SOMETIMES) return COMMAND_BAD;
  return COMMAND_ENDS_BISECTION;
}

void command_exit(int status) {
  // What was allocated so far is nobody's business any more.
  fflush(NULL);
  _Exit(command_status(status));
}

// The launcher says where the tree is; from its top the command is tools/seedbed.
void command_find_invocation(const char *otherwise) {
  static struct text invocation;
  const char *root = getenv("SEEDBED_ROOT");
  char *here = getcwd(NULL, 0);

  text_free(&invocation);
  if (root && *root && here && !strcmp(root, here)) {
    text_add(&invocation, "tools/seedbed");
  } else if (root && *root) {
    char *path = xasprintf("%s/tools/seedbed", root);

    text_add_quoted(&invocation, path);
    free(path);
  } else {
    text_add_quoted(&invocation, otherwise);
  }
  free(here);
  command_invocation = text_str(&invocation);
}

bool command_reader_gone(void) {
  struct pollfd poll_fd = {.fd = 1};

  return poll(&poll_fd, 1, 0) == 1 && (poll_fd.revents & POLLERR);
}

static bool finished;

int command_finish(int status) {
  int error = 0;

  finished = true;
  if (ferror(stdout)) error = EIO;  // the reason went by with the write that failed
  errno = 0;
  if (fflush(stdout) && errno) error = errno;
  if (!error) return status;
  if (!command_reader_gone()) complain("output was lost: %s", strerror(error));
  return status_join(status, SIM_OURS);
}

static void check_exit(void) {
  if (!finished && command_finish(SIM_OK)) _exit(SIM_OURS);
}

void command_check_exit(void) {
  if (atexit(check_exit)) exit(SIM_OURS);
}
