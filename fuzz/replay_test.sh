#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A target without an engine, here the canary's: what it says of what it ran, and of what it did
# not; the record of what it ran (fuzz/history.h).

set -u
target=$(readlink -f "$1")
cd "$TEST_TMPDIR" || exit 1
outputs=$TEST_TMPDIR/outputs
mkdir -p "$outputs"
unset TEST_SRCDIR TEST_UNDECLARED_OUTPUTS_DIR BUILD_WORKING_DIRECTORY
unset "${!SEEDBED_FUZZ_@}"

expect() { # CLAIM EXPECTED FOUND
	[ "$2" = "$3" ] || { printf 'FAILED: %s\nexpected: %s\nfound: %s\n' "$@" && exit 1; }
}
has() { # CLAIM TEXT FILE
	grep -qF -- "$2" "$3" && return
	printf 'FAILED: %s\nexpected: %s\nfound:\n' "$1" "$2"
	cat "$3"
	exit 1
}
digests() {
	grep -o 'digest=0x[0-9a-f]*' "$1" | sort -u
}

mkdir -p in/empty in/folder
printf '\0' >in/calm
: >in/zero
printf '\0\xea\0\0\0' >in/folder/silent
cp in/calm in/folder/calm

"$target" in/calm in/zero >out 2>err
expect "inputs that pass" 0 $?
expect "a line for each, with its digest" "2 in/calm in/zero" \
	"$(grep -c '^OK scenario=canary .* digest=0x' out) $(sed 's/.*file=//' out |
		paste -s -d ' ')"
expect "an empty file is the calm run" 1 "$(digests out | wc -l)"
once=$(digests out)
(cd / && "$target" "$TEST_TMPDIR/in/calm") >out 2>err
expect "from another folder: the same digest" "$once" "$(digests out)"
(cd / && BUILD_WORKING_DIRECTORY=$TEST_TMPDIR "$target" in/calm) >out 2>err
expect "as bazel run starts it, a path is of the user's folder" "$once" "$(digests out)"
(cd / && BUILD_WORKING_DIRECTORY=/nowhere "$target" in/calm) >out 2>err
expect "which must be there" 66 $?
(BUILD_WORKING_DIRECTORY=/ TEST_SRCDIR=/ "$target" in/calm) >out 2>err
expect "a test's path is of the folder where it starts" "$once" "$(digests out)"

"$target" >out 2>err
expect "no argument: usage" 64 $?
"$target" in/calm in/empty >out 2>err
expect "a folder without inputs" 66 $?
has "says so" "in/empty: a folder without inputs: nothing was run" err
TEST_SRCDIR=/ "$target" in/empty >out 2>err
expect "an empty corpus passes as a test" 0 $?
has "and says that it was empty" "canary: 0 inputs" err
TEST_SRCDIR=/ "$target" >out 2>err
expect "so does none" 0 $?
"$target" in/nowhere >out 2>err
expect "a file that is missing" 66 $?
head -c 1048576 /dev/zero >long
"$target" long >out 2>err
expect "1 MiB is an input" 0 $?
printf '\0' >>long
"$target" long >out 2>err
expect "more is none" 65 $?
has "and is not cut" "longer than 1 MiB" err

TEST_UNDECLARED_OUTPUTS_DIR=$outputs "$target" in/folder >out 2>err
expect "an input that fails" 134 $?
has "says how to replay it" "replay: tools/seedbed replay canary in/folder/silent" err
expect "and stays where Bazel keeps it, alone" silent "$(ls "$outputs")"
cmp "$outputs/silent" in/folder/silent || exit 1
rm "$outputs/silent"
TEST_UNDECLARED_OUTPUTS_DIR=$outputs "$target" in/calm >out 2>err
expect "one that passes does not" "" "$(ls "$outputs")"
SEEDBED_FUZZ_BUG=leak "$target" in/calm >out 2>err
expect "a planted bug" 0 $?

# ---- The record ----

SEEDBED_FUZZ_HISTORY=record "$target" in/calm in/folder >out 2>err
expect "a record of what ran before a failure" "134 yes" "$? $([ -s record ] && echo yes)"
SEEDBED_FUZZ_REPLAY_HISTORY=record "$target" >out 2>err
expect "runs again, to the same status" 10 $?
has "in order" "history: input 5 of 5, 5 bytes" err
has "to the same failure" "FAIL key=canary/canary/" err
SEEDBED_FUZZ_REPLAY_HISTORY=nowhere "$target" in/calm >out 2>err
expect "a record that is missing" 66 $?
SEEDBED_FUZZ_REPLAY_HISTORY=in/calm "$target" in/calm >out 2>err
expect "a file that is no record" 65 $?
sed 's/canary/canarx/' record >other
SEEDBED_FUZZ_REPLAY_HISTORY=other "$target" >out 2>err
expect "a record of another scenario" 65 $?
has "says of which" "a record of canarx, not of canary" err
(cd / && BUILD_WORKING_DIRECTORY=$TEST_TMPDIR SEEDBED_FUZZ_REPLAY_HISTORY=record "$target") \
	>out 2>err
expect "its path is of the user's folder" 10 $?
SEEDBED_FUZZ_HISTORY=no/folder "$target" in/calm >out 2>err
expect "where there can be no record inputs run without" 0 $?
has "which is said" "no record is kept" err

# ---- Failures that do not end the process ----

mkdir failed
printf '\0\xea\0\0\0\1' >in/folder/silent-too
SEEDBED_FUZZ_FAILED=failed SEEDBED_FUZZ_HISTORY=record "$target" in/folder >out 2>err
expect "with a folder for failures the process goes on" 0 $?
expect "the first input that fails with a key is in it, with the record" \
	"canary+canary+b9c99073 canary+canary+b9c99073.history" "$(cd failed && echo *)"
cmp failed/canary+canary+b9c99073 in/folder/silent || exit 1
SEEDBED_FUZZ_REPLAY_HISTORY=failed/canary+canary+b9c99073.history "$target" >out 2>err
expect "the record ends with it" "10 3" "$? $(sed -n 's/^history: input \([0-9]*\) of .*/\1/p' err |
	tail -n 1)"
SEEDBED_FUZZ_FAILED=failed "$target" in/folder/silent-too >out 2>err
expect "another process knows what is there" 0 $?
cmp failed/canary+canary+b9c99073 in/folder/silent || exit 1
SEEDBED_FUZZ_FAILED=nowhere "$target" in/folder/silent >out 2>err
expect "where it cannot be kept the process ends" 134 $?
rm in/folder/silent-too

# The first run shows what is left behind in the third.
printf '\0\xf0\0\0\0' >in/leak
export SEEDBED_FUZZ_BUG=leak SEEDBED_FUZZ_TWICE=0
"$target" in/calm in/leak >out 2>err
expect "a leak between inputs is not seen by each input twice" 0 $?
SEEDBED_FUZZ_HISTORY=record SEEDBED_FUZZ_AGAIN=1 "$target" in/calm in/leak >out 2>err
expect "but where an earlier one runs again" 134 $?
has "is told" "FAIL key=depends-on-history" err
SEEDBED_FUZZ_REPLAY_HISTORY=record "$target" >out 2>err
expect "and its record repeats it" 13 $?
SEEDBED_FUZZ_HISTORY=record SEEDBED_FUZZ_AGAIN=0 "$target" in/calm in/leak >out 2>err
expect "unless that is switched off" 0 $?
SEEDBED_FUZZ_FAILED=failed SEEDBED_FUZZ_HISTORY=record SEEDBED_FUZZ_AGAIN=1 \
	"$target" in/calm in/leak >out 2>err
expect "such a failure ends the process, whatever keeps others" 134 $?
