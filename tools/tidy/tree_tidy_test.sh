#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The tree breaks no rule of tidy. Runs over the files themselves, outside Bazel's
# sandbox: $1 is the program, $2 a file at the top of the tree.

set -eu

tidy=$PWD/$1
cd "$(dirname "$(readlink -f "$2")")"
if [ -e .git ] && command -v git >/dev/null; then
	git ls-files --cached --others --exclude-standard
else
	find . \( -name .build -o -name 'bazel-*' -o -name .git -o -name findings \) -prune -o \
		-type f -print | sed 's|^\./||'
fi | sort -u | "$tidy"
