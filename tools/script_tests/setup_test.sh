#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# tools/setup, with stand-ins for apt and dpkg.

# shellcheck source=tools/script_tests/script_tests.sh
. tools/script_tests/script_tests.sh

cp "$top/tools/setup" "$tree/tools/"
cd "$tree" || exit 1
printf '# a comment\nalpha\nbeta  # why\n\ngamma\n' >tools/packages.txt
mkdir -p .build/unicorn/lib
touch .build/unicorn/lib/libunicorn.a
export WORLD=$TEST_TMPDIR # the stand-ins keep here what is installed

stand_in "$bin/id" <<'SCRIPT'
#!/bin/sh
cat "$WORLD/id"
SCRIPT
stand_in "$bin/sudo" <<'SCRIPT'
#!/bin/sh
echo sudo >>"$WORLD/calls"
"$@"
SCRIPT
stand_in "$bin/dpkg-query" <<'SCRIPT'
#!/bin/sh
sed 's/^/installed /' "$WORLD/installed"
SCRIPT
stand_in "$bin/apt-cache" <<'SCRIPT'
#!/bin/sh
grep -qx "$2" "$WORLD/offered" && echo "  Candidate: 1.0" || echo "  Candidate: (none)"
SCRIPT
stand_in "$bin/apt-get" <<'SCRIPT'
#!/bin/sh
[ "$1" = install ] || exit 0
for word; do
	case $word in
	install | -* | DPkg*) ;;
	"$(cat "$WORLD/broken" 2>/dev/null)") exit 1 ;;
	*) packages="$packages $word" ;;
	esac
done
echo "$packages" >>"$WORLD/calls"
printf '%s\n' $packages >>"$WORLD/installed"
SCRIPT

calls() {
	cat "$WORLD/calls"
	: >"$WORLD/calls"
}
echo 0 >"$WORLD/id"
: >"$WORLD/calls"
echo alpha >"$WORLD/installed"
printf '%s\n' alpha beta gamma >"$WORLD/offered"

tools/setup --check
expect "--check: 1 while something is missing" 1 $?
tools/setup >/dev/null
expect "set-up succeeds" 0 $?
expect "what is missing is installed, nothing else" " beta gamma" "$(calls)"
expect "--check is quiet, with status 0" "0" "$(tools/setup --check 2>&1)$?"
expect "a second run has nothing to do" "tools/setup: nothing is missing" "$(tools/setup)"
expect "and does nothing" "" "$(calls)"

expect "by name alone it works" "tools/setup: nothing is missing" "$(cd tools && sh setup)"

sleep 0.05
printf 'delta\nepsilon\n' >>tools/packages.txt
echo epsilon >>"$WORLD/offered"
tools/setup --check
expect "a longer list is noticed" 1 $?
found=$(tools/setup 2>&1 >/dev/null)
expect "a package that cannot be had: 69" 69 $?
expect "it is named" "tools/setup: this machine's apt archive has no package delta" "$found"

echo delta >>"$WORLD/offered"
echo epsilon >"$WORLD/broken"
found=$(tools/setup 2>&1 >/dev/null)
expect "a package that does not install: 69" 69 $?
expect "it is named" \
	"tools/setup: package epsilon cannot be installed: apt-get install epsilon" "$found"
rm "$WORLD/broken"
echo 1000 >"$WORLD/id"
calls >/dev/null
tools/setup >/dev/null
expect "set-up goes on where it stopped" 0 $?
expect "as another user it takes sudo, to update and to install" "sudo sudo  epsilon " \
	"$(calls | tr '\n' ' ')"

rm -r .build/unicorn
tools/setup --check
expect "a missing Unicorn is noticed" 1 $?
expect "--help is its usage" "tools/setup  " "$(tools/setup --help | head -c 13)"
tools/setup --nonsense 2>/dev/null
expect "usage: 64" 64 $?
