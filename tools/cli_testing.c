// SPDX-License-Identifier: GPL-2.0-or-later
//
// For tests of the command; see cli_testing.h.

#include "tools/cli_testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tools/findings.h"

static struct text binary;
static struct cli_result last;
static struct text last_command;

void cli_begin(int argc, char **argv) {
  const char *temp = getenv("TEST_TMPDIR");
  char *folder = xasprintf("%s/cli-XXXXXX", temp ? temp : "/tmp"), *path;

  if (argc != 2 || !(path = realpath(argv[1], NULL))) {
    fprintf(stderr, "usage: %s BINARY\n", argv[0]);
    exit(2);
  }
  text_add_quoted(&binary, path);
  free(path);
  // What a developer has set must not change what is tested.
  unsetenv("SEEDBED_ROOT");
  setenv("SEEDBED_COMMIT", "0123abcd", 1);
  if (!mkdtemp(folder) || chdir(folder)) {
    perror(folder);
    exit(2);
  }
  free(folder);
}

const char *cli_binary(void) { return text_str(&binary); }

const struct cli_result *cli_shell(const char *command) {
  struct text line = {0};
  int status;

  text_free(&last.out);
  text_free(&last.err);
  text_free(&last_command);
  text_add(&last_command, command);
  text_addf(&line, "(%s\n) </dev/null >.out 2>.err", command);
  status = system(text_str(&line));
  last.status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  text_free(&line);
  if (!read_file(".out", 1 << 28, &last.out) || !read_file(".err", 1 << 28, &last.err))
    fail_msg("%s: nothing was written", command);
  return &last;
}

const struct cli_result *cli_run(const char *fmt, ...) {
  struct text line = {0};
  va_list args;

  text_addf(&line, "%s ", text_str(&binary));
  va_start(args, fmt);
  text_vaddf(&line, fmt, args);
  va_end(args);
  cli_shell(text_str(&line));
  text_free(&line);
  return &last;
}

static void fail_with_output(const char *what) {
  fail_msg("%s\ncommand: %s\nstatus %d\nstdout:\n%s\nstderr:\n%s", what, text_str(&last_command),
           last.status, text_str(&last.out), text_str(&last.err));
}

void cli_expect_status(int status) {
  char what[64];

  if (last.status == status) return;
  snprintf(what, sizeof(what), "expected status %d", status);
  fail_with_output(what);
}

static void expect(const struct text *where, const char *text) {
  char *what;

  if (strstr(text_str(where), text)) return;
  what = xasprintf("expected in %s: %s", where == &last.out ? "stdout" : "stderr", text);
  fail_with_output(what);
}

void cli_expect_out(const char *text) { expect(&last.out, text); }

void cli_expect_err(const char *text) { expect(&last.err, text); }

const char *cli_line(const char *prefix) {
  static char *line;
  const char *at = text_str(&last.out), *found = NULL;

  for (; *at; at += strcspn(at, "\n"), at += *at == '\n')
    if (!strncmp(at, prefix, strlen(prefix))) found = at;
  if (!found) fail_with_output(prefix);
  free(line);
  line = xasprintf("%.*s", (int)strcspn(found, "\n"), found);
  return line;
}

cJSON *cli_json(void) {
  const char *end = NULL;
  cJSON *object = cJSON_ParseWithOpts(text_str(&last.out), &end, 0);

  if (!object || strspn(end, "\n") != strlen(end) || !cJSON_IsObject(object))
    fail_with_output("stdout is not one JSON object");
  return object;
}

void cli_clean(void) {
  if (system("find . -mindepth 1 -delete")) fail_msg("the test's folder cannot be emptied");
}
