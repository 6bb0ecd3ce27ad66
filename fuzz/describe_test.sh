#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What a target, here the canary's, writes of itself: fuzz/describe.h.

set -u
target=$1
out=$TEST_TMPDIR/description

expect() { # CLAIM EXPECTED FOUND
	[ "$2" = "$3" ] || { printf 'FAILED: %s\nexpected: %s\nfound: %s\n' "$@" && exit 1; }
}

SEEDBED_FUZZ_DESCRIBE=$out "$target" nowhere
expect "it ends without a run of its arguments" 0 $?
expect "max_len is the scenario's; there is one draw in the calm run" "max_len 16
class 234 1" "$(cat "$out")"
# Two processors and preemption: other draws, of which there are more.
printf '\2\0\1\0\2\1\0' >"$TEST_TMPDIR/two"
SEEDBED_FUZZ_DESCRIBE=$out "$target" "$TEST_TMPDIR/two"
expect "the canary's draw is among them" "class 234 1" "$(grep '^class 234 ' "$out")"
expect "classes are in order" "" "$(sed 1d "$out" | sort -c -n -k 2 2>&1)"
SEEDBED_FUZZ_DESCRIBE=$TEST_TMPDIR/no/folder "$target" 2>/dev/null
expect "a file that cannot be written: 70" 70 $?
