#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# tools/seedbed, with stand-ins for Bazel and set-up.

# shellcheck source=tools/script_tests/script_tests.sh
. tools/script_tests/script_tests.sh

mkdir -p "$tree"/{sim,models,fuzz,corpora} "$TEST_TMPDIR/elsewhere"
cp "$top/tools/seedbed" "$tree/tools/"
echo 'int a;' >"$tree/sim/a.c"
cd "$tree" || exit 1

stand_in tools/setup <<'SCRIPT'
#!/bin/sh
[ "$1" = --check ] && { [ ! -e missing ]; exit; }
echo set-up >>calls
[ ! -e cannot ] || exit 69
rm missing
SCRIPT
# shellcheck disable=SC2016 # for the stand-in's shell
sed -i 's|^\[|cd "$(dirname "$0")/.."\n&|' tools/setup

stand_in "$bin/bazel" <<'SCRIPT'
#!/bin/sh
echo build >>calls
[ ! -e broken ] || exit 1
sleep 0.2
mkdir -p .build/bazel-bin/tools
printf '#!/bin/sh\nprintf "[%%s]" "$@"; exit 13\n' >.build/bazel-bin/tools/seedbed_bin
chmod 555 .build/bazel-bin/tools/seedbed_bin
SCRIPT

# Longer than the clock that stamps files ticks.
tick() { sleep 0.05; }
calls() {
	tr '\n' ' ' <calls
	: >calls
}

: >calls
touch missing
found=$(tools/seedbed a 'b  c' '')
expect "status and arguments pass through" "13 [a][b  c][]" "$? $found"
expect "what is missing is set up, then the command is built" "set-up build " "$(calls)"
tools/seedbed a >/dev/null
expect "nothing stale: nothing built" "" "$(calls)"
ln -s "$tree/tools/seedbed" "$TEST_TMPDIR/link"
found=$(cd "$TEST_TMPDIR/elsewhere" && ../link x)
expect "a symlink from another folder works" "13 [x]" "$? $found"
expect "and builds nothing" "" "$(calls)"

for shell in sh bash; do
	expect "by name alone it works in $shell" "[x]" "$(cd tools && $shell seedbed x)"
done

tick && touch sim/a.c
tools/seedbed a >/dev/null
expect "a newer source: built" "build " "$(calls)"
tick && touch sim/b.h && tick
tools/seedbed a >/dev/null
expect "a new source: built" "build " "$(calls)"
tick && rm sim/b.h
tools/seedbed a >/dev/null
expect "a source is gone: built" "build " "$(calls)"

tick && touch sim/a.c
tools/seedbed 1 >"$TEST_TMPDIR/1" &
tools/seedbed 2 >"$TEST_TMPDIR/2"
wait $!
expect "two at once both run" "[1][2]" "$(cat "$TEST_TMPDIR/1" "$TEST_TMPDIR/2")"
expect "and one of them builds" "build " "$(calls)"

tick && touch sim/a.c broken
found=$(tools/seedbed a 2>&1)
expect "what does not build does not run: 70" 70 $?
expect "and it is the tree that does not" "tools/seedbed: your tree does not compile: see above" \
	"$found"
tools/seedbed explore --bisect >/dev/null 2>&1
expect "for git bisect: 125" 125 $?
rm broken
calls >/dev/null
tools/seedbed a >/dev/null
expect "after a failed build the next call builds" "build " "$(calls)"

touch missing cannot
tools/seedbed a >/dev/null
expect "set-up that fails: 69" 69 $?
rm missing cannot

rm .build/bin/seedbed
expect "the first time it says that it takes long" \
	"tools/seedbed: building: some minutes the first time" "$(tools/seedbed 2>&1 >/dev/null)"

cp -r "$tree" "$TEST_TMPDIR/a tree"
for script in seedbed test setup check; do
	cp "$top/tools/$script" "$TEST_TMPDIR/a tree/tools/"
	found=$("$TEST_TMPDIR/a tree/tools/$script" 2>&1)
	expect "$script: a path with blanks is refused: 64" 64 $?
	expect "$script says what to do" \
		"tools/$script: $TEST_TMPDIR/a tree: move the tree to a path without blanks" \
		"$found"
done

stand_in .build/bin/seedbed <<'SCRIPT'
#!/bin/sh
echo "$SEEDBED_COMMIT $SEEDBED_ROOT"
SCRIPT
export GIT_CEILING_DIRECTORIES=$TEST_TMPDIR GIT_CONFIG_GLOBAL=/dev/null
expect "outside git the commit is unknown" "unknown $tree" "$(tools/seedbed)"
git init -q . && git add sim && git -c user.name=a -c user.email=a commit -qm a
commit=$(git rev-parse HEAD)
expect "a clean tree has its commit" "$commit $tree" "$(tools/seedbed)"
git tag v1
echo 'int b;' >sim/a.c
touch .build/bin/seedbed.stamp
expect "a changed one says so, tags or not" "$commit-dirty $tree" "$(tools/seedbed)"
