# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# What the tests of the scripts share: a script under test runs in a tree of its own,
# $tree, with stand-ins for the programs it calls in $bin, first in PATH. $1 is a file
# at the top of the real tree; the tests are "local", so they find the rest beside it.

set -u
# shellcheck disable=SC2034 # the tests use it
top=$(dirname "$(readlink -f "$1")")
tree=$TEST_TMPDIR/tree
bin=$TEST_TMPDIR/bin
mkdir -p "$tree/tools" "$bin"
export PATH=$bin:$PATH

# stand_in PATH: makes the program PATH of the text on standard input.
stand_in() {
	cat >"$1"
	chmod +x "$1"
}

# expect CLAIM EXPECTED FOUND: ends the test if they differ.
expect() {
	if [ "$2" != "$3" ]; then
		printf 'FAILED: %s\nexpected: %s\nfound:    %s\n' "$1" "$2" "$3"
		exit 1
	fi
	echo "ok: $1"
}
