// SPDX-License-Identifier: GPL-2.0-or-later
//
// For tests of the command: runs the built binary in a folder of the test's own and keeps
// what it printed.
#ifndef SEEDBED_TOOLS_CLI_TESTING_H_
#define SEEDBED_TOOLS_CLI_TESTING_H_

#include <cjson/cJSON.h>

#include "tools/text.h"

struct cli_result {
  int status;  // exit status; 128 + signal if it died by one
  struct text out, err;
};

// Takes the binary's path from the test's arguments, and makes and enters an empty folder.
void cli_begin(int argc, char **argv);
// Runs "BINARY LINE" by the shell, so LINE may quote and redirect. The result is valid
// until the next call.
const struct cli_result *cli_run(const char *fmt, ...) SIM_PRINTF(1, 2);
// Runs a whole shell command.
const struct cli_result *cli_shell(const char *command);
// The path of the binary, quoted for the shell.
const char *cli_binary(void);

// Fails the test, with what the command printed, unless its status is that.
void cli_expect_status(int status);
// Fails the test unless stdout (stderr) holds the text.
void cli_expect_out(const char *text);
void cli_expect_err(const char *text);
// The last line of stdout that starts with `prefix`, without its newline; fails the test if
// there is none. Valid until the next call.
const char *cli_line(const char *prefix);
// Parses all of stdout as one JSON object; fails the test if it is not. The caller deletes.
cJSON *cli_json(void);
// Empties the test's folder.
void cli_clean(void);

#endif  // SEEDBED_TOOLS_CLI_TESTING_H_
