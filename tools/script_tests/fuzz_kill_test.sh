#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# tools/fuzz run, killed before each step by which an engine's failing input becomes a finding: each
# call that changes a file, of the stand-in engine and of the campaign (kill_at.c). Whatever the
# step, the next call finds what a campaign finds that nobody disturbs. Every ninth step, for each
# engine in turn; all steps for both where SEEDBED_NIGHTLY is set.
#
# Arguments: a file at the top of the tree; tools/fuzz's program; kill_at.so.

# shellcheck source=tools/script_tests/script_tests.sh
. tools/script_tests/script_tests.sh
fuzz=$(readlink -f "$2")
kill_at=$(readlink -f "$3")
# shellcheck source=tools/script_tests/fuzz_engines.sh
. tools/script_tests/fuzz_engines.sh
cd "$TEST_TMPDIR" || exit 1

# Of each engine the input that fails, and one after it.
rm "$tree/corpora/canary_fuzz/seed/killer"
sed -i -n '7,8p' "$engines/inputs-a" "$engines/inputs-l"
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0

run() { # DIR ENGINE SLICES
	"$fuzz" run --out="$1" --engine="$2" --slices="$3" --jobs=1 >>"$1.log" 2>&1
}
killed() { # DIR ENGINE STEP: status, 137 if there is such a step
	: >count
	KILL_AT=$3 KILL_AT_COUNT=$PWD/count LD_PRELOAD=$kill_at run "$1" "$2" 1
}
# The paths of a campaign are in nothing that is compared.
compared() { # DIR
	mkdir -p "$1/canary_fuzz/killers"
	found_in "$1" | sed "s,^$1,,"
	grep -q '"failures":1,' "$1/log.jsonl" && echo "and the log tells of it"
}

for engine in libfuzzer aflpp; do
	killed calm-$engine $engine 0
	expect "$engine: the first slice ends with the input that fails" 10 $?
	run calm-$engine $engine 3
	expect "the others with none" 0 $?
	compared calm-$engine >calm-$engine.found
	expect "there is one finding, which one input has made" "1 1" \
		"$(find calm-$engine/findings -name key | wc -l) $(
			cat calm-$engine/findings/*/seen | wc -l
		)"
done

every=9
[ -z "${SEEDBED_NIGHTLY-}" ] || every=1
step=1 kills=0 unkilled=0
while [ $unkilled -lt 2 ]; do
	for engine in libfuzzer aflpp; do
		[ $((step / every % 2)) -eq "$([ $engine = aflpp ] && echo 1 || echo 0)" ] ||
			[ $every -eq 1 ] || continue
		rm -rf killed killed.log
		{ killed killed $engine $step; } 2>/dev/null # bash tells of each kill
		case $? in
		137) kills=$((kills + 1)) ;;
		*) unkilled=$((unkilled + 1)) ;;
		esac
		run killed $engine 3
		compared killed >killed.found
		diff calm-$engine.found killed.found ||
			expect "$engine, killed before step $step: all is found" yes no
		expect "$engine, killed before step $step: no slice is logged twice" "" \
			"$(grep -o '"slice":"[^"]*"' killed/log.jsonl | sort | uniq -d)"
	done
	step=$((step + every))
done
expect "steps are there to be killed at" yes "$([ $kills -ge $((150 / every)) ] && echo yes)"
expect "no process is left" yes "$(until_so no_strays && echo yes)"
echo "$kills kills"
