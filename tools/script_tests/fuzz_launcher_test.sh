#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# tools/fuzz, the launcher, with stand-ins for Bazel and set-up.

# shellcheck source=tools/script_tests/script_tests.sh
. tools/script_tests/script_tests.sh

mkdir -p "$tree"/{sim,models,fuzz,corpora} "$TEST_TMPDIR/elsewhere"
cp "$top/tools/fuzz" "$tree/tools/"
echo 'int a;' >"$tree/sim/a.c"
cd "$tree" || exit 1

stand_in tools/setup <<'SCRIPT'
#!/bin/sh
cd "$(dirname "$0")/.."
[ "$1" = --check ] && { [ ! -e missing ]; exit; }
echo set-up >>calls
[ ! -e cannot ] || exit 69
rm missing
SCRIPT
stand_in "$bin/bazel" <<'SCRIPT'
#!/bin/bash
config=plain what=''
for argument; do
	case $argument in
	--config=*) config=${argument#*=} ;;
	*fuzz-test*) what=targets ;;
	*manual*) what=manual ;;
	esac
done
case $what in
targets) printf '//fuzz:%s\n' a_fuzz b_fuzz canary_fuzz && exit ;;
manual) printf '//fuzz:%s\n' a_fuzz_bin canary_fuzz && exit ;;
esac
echo "$config" >>calls
[ ! -e "broken-$config" ] || exit 1
mkdir -p .build/bazel-bin/{tools,fuzz}
printf '#!/bin/sh\nprintf "[%%s]" "$@" ${SEEDBED_FUZZ_ENGINES#"$SEEDBED_ROOT"/}; exit 13\n' \
	>.build/bazel-bin/tools/fuzz_bin
chmod +x .build/bazel-bin/tools/fuzz_bin
for target in {a,b,canary}_fuzz; do
	rm -f ".build/bazel-bin/fuzz/${target}_bin"
	echo "$config $target" >".build/bazel-bin/fuzz/${target}_bin"
done
echo mutator >.build/bazel-bin/fuzz/mutator_afl.so
SCRIPT

# Longer than the clock that stamps files ticks.
tick() { sleep 0.05; }
calls() {
	[ ! -e calls ] || tr '\n' ' ' <calls
	: >calls
}

touch missing
found=$(tools/fuzz run 'a  b' 2>/dev/null)
expect "status and arguments pass through, and where the engines are" \
	"13 [run][a  b][.build/fuzz]" "$? $found"
expect "what is missing is set up, then all is built" "set-up plain libfuzzer aflpp " "$(calls)"
expect "each engine has its targets" "libfuzzer a_fuzz,aflpp canary_fuzz,mutator" \
	"$(cat .build/fuzz/libfuzzer/a_fuzz .build/fuzz/aflpp/canary_fuzz \
		.build/fuzz/aflpp/mutator_afl.so | paste -sd ,)"
expect "all targets are those of bazel test: not the canary" "a_fuzz b_fuzz" \
	"$(paste -sd ' ' .build/fuzz/targets)"
tools/fuzz run >/dev/null
expect "nothing stale: nothing built" "" "$(calls)"
ln -s "$tree/tools/fuzz" "$TEST_TMPDIR/link"
found=$(cd "$TEST_TMPDIR/elsewhere" && ../link run)
expect "a symlink from another folder works" "13 [run][.build/fuzz]" "$? $found"

before=$(stat -c %i-%Y .build/fuzz/libfuzzer/a_fuzz)
tick && touch sim/a.c
tools/fuzz status >/dev/null
expect "a newer source: status needs the program alone" "plain " "$(calls)"
tools/fuzz run --help >/dev/null
expect "help as well, which is built by now" "" "$(calls)"
tools/fuzz run >/dev/null
expect "the engines are built when they are needed" "libfuzzer aflpp " "$(calls)"
expect "a target that is the same stays as old as it was" "$before" \
	"$(stat -c %i-%Y .build/fuzz/libfuzzer/a_fuzz)"
found=$(SEEDBED_FUZZ_ENGINES=/mine tools/fuzz run)
expect "engines that the caller has built elsewhere" "[run][/mine]" "$found"

tick && touch sim/a.c broken-aflpp
found=$(tools/fuzz run 2>&1)
expect "what does not build does not run: 70" 70 $?
expect "it says so" "tools/fuzz: your tree does not compile: see above" "$found"
rm broken-aflpp
calls >/dev/null
tools/fuzz run >/dev/null
expect "the next call builds" "libfuzzer aflpp " "$(calls)"
tick && touch sim/a.c broken-plain
tools/fuzz status >/dev/null 2>&1
expect "the same for the program: 70" 70 $?
rm broken-plain
touch missing cannot
tools/fuzz status >/dev/null
expect "set-up that fails: 69" 69 $?
rm missing cannot

tick && touch sim/a.c
calls >/dev/null
tools/fuzz run 1 >"$TEST_TMPDIR/1" &
tools/fuzz run 2 >"$TEST_TMPDIR/2"
wait $!
expect "two at once both run" "[run][1][.build/fuzz][run][2][.build/fuzz]" \
	"$(cat "$TEST_TMPDIR/1" "$TEST_TMPDIR/2")"
expect "and one of them builds" "plain libfuzzer aflpp " "$(calls)"
cp -r "$tree" "$TEST_TMPDIR/a tree"
found=$("$TEST_TMPDIR/a tree/tools/fuzz" 2>&1)
expect "a path with blanks is refused: 64" 64 $?
