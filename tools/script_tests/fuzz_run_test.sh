#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# fuzz/run.sh, with stand-ins for the target and for afl-fuzz.

# shellcheck source=tools/script_tests/script_tests.sh
. tools/script_tests/script_tests.sh

cp "$top/fuzz/run.sh" "$tree/run.sh"
cd "$tree" || exit 1
here=$TEST_TMPDIR/here # where the user is
mkdir -p "$here" inputs
export BUILD_WORKING_DIRECTORY=$here
echo one >inputs/one
touch inputs/empty

stand_in target_bin <<'SCRIPT'
#!/bin/bash
if [ -n "${SEEDBED_FUZZ_DESCRIBE-}" ]; then
	echo max_len 48 >"$SEEDBED_FUZZ_DESCRIBE"
	exit
fi
echo "target $*"
echo "record ${SEEDBED_FUZZ_HISTORY-}" >"$TEST_TMPDIR/record"
for argument; do
	case $argument in
	-artifact_prefix=*) [ ! -e "$TEST_TMPDIR/fails" ] || echo >"${argument#*=}crash-1" ;;
	esac
done
exit "$(cat "$TEST_TMPDIR/status" 2>/dev/null || echo 0)"
SCRIPT
stand_in "$bin/afl-fuzz" <<'SCRIPT'
#!/bin/bash
echo "afl-fuzz $*"
echo "record ${SEEDBED_FUZZ_HISTORY-}" >"$TEST_TMPDIR/record"
for name in AFL_SKIP_CPUFREQ AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES AFL_NO_UI \
	AFL_CUSTOM_MUTATOR_LIBRARY AFL_CUSTOM_MUTATOR_ONLY SEEDBED_FUZZ_DESCRIPTION; do
	echo "$name=${!name-}"
done
while [ $# -gt 0 ] && [ "$1" != -o ]; do shift; done
mkdir -p "$2/default/crashes"
[ ! -e "$TEST_TMPDIR/crash" ] || touch "$2/default/crashes/id:0"
SCRIPT

run() { # ENGINE USER'S ARGUMENTS
	local engine=$1
	shift
	./run.sh --target=t_fuzz ${engine:+--engine=$engine} --binary=target_bin \
		--mutator=mutator.so inputs/one inputs/empty --user "$@"
}

out=$here/fuzz-out/t_fuzz
found=$(run libfuzzer)
expect "libFuzzer: findings below the user's folder, the longest input from the target" \
	"0 target -max_len=48 -artifact_prefix=$out/artifacts/ -timeout=25 $out/corpus $out/seeds" \
	"$? $found"
expect "it begins with the target's inputs and the calm run" "calm empty one" \
	"$(cd "$out/seeds" && echo *)"
expect "which has a length" 1 "$(stat -c %s "$out/seeds/calm")"

expect "each process has a record of its last inputs" "record $out/history/%p yes" \
	"$(cat "$TEST_TMPDIR/record") $([ -d "$out/history" ] && echo yes)"
SEEDBED_FUZZ_HISTORY=/else/where run libfuzzer >/dev/null
expect "where the environment says, if it does" "record /else/where" "$(cat "$TEST_TMPDIR/record")"
SEEDBED_FUZZ_HISTORY='' run libfuzzer >/dev/null
expect "or none" "record " "$(cat "$TEST_TMPDIR/record")"

echo 1 >"$TEST_TMPDIR/status"
run libfuzzer -- -jobs=2 >/dev/null
expect "libFuzzer's own status" 1 $?
touch "$TEST_TMPDIR/fails"
run libfuzzer -- -jobs=2 >/dev/null
expect "is 77 where an input failed" 77 $?
rm "$TEST_TMPDIR/status" "$TEST_TMPDIR/fails" "$out/artifacts/crash-1"

found=$(run libfuzzer --timeout_secs=7 -- -jobs=2 -use_value_profile=1)
expect "--timeout_secs, then the engine's own arguments" \
	"-timeout=25 -max_total_time=7 -jobs=2 -use_value_profile=1 $out/corpus" \
	"$(grep -o -- '-timeout=25 .*/corpus' <<<"$found")"
touch "$out/corpus/kept"
found=$(run libfuzzer --regression)
expect "--regression: the inputs once, not what was found" "-runs=0 $out/seeds" \
	"$(grep -o -- '-runs.*' <<<"$found")"
expect "the same by its variable" "-runs=0 $out/seeds" \
	"$(FUZZER_IS_REGRESSION=1 run libfuzzer | grep -o -- '-runs.*')"
expect "what was found stays" yes "$([ -e "$out/corpus/kept" ] && echo yes)"
run libfuzzer --clean >/dev/null
expect "--clean forgets it" no "$([ -e "$out/corpus/kept" ] || echo no)"
expect "FUZZER_TIMEOUT_SECS" "-max_total_time=9" \
	"$(FUZZER_TIMEOUT_SECS=9 run libfuzzer | grep -o -- '-max_total_time=[0-9]*')"
expect "an option goes over its variable" "-max_total_time=3" \
	"$(FUZZER_TIMEOUT_SECS=9 run libfuzzer --timeout_secs=3 |
		grep -o -- '-max_total_time=[0-9]*')"

run libfuzzer --fuzzing_output_root=elsewhere >/dev/null
expect "a root is of the user's folder" yes "$([ -d "$here/elsewhere/t_fuzz/seeds" ] && echo yes)"
FUZZER_OUTPUT_ROOT=$TEST_TMPDIR/abs run libfuzzer >/dev/null
expect "and each target has its own below it" yes "$([ -d "$TEST_TMPDIR/abs/t_fuzz" ] && echo yes)"
mkdir "$here/mine"
echo mine >"$here/mine/mine"
FUZZER_CORPUS=mine run libfuzzer >/dev/null
expect "FUZZER_CORPUS is in place of the target's" "calm mine" \
	"$(cd "$out/seeds" && echo *)"
echo '"a"' >"$here/words"
expect "FUZZER_DICTIONARY_PATH" "-dict=words" \
	"$(FUZZER_DICTIONARY_PATH=words run libfuzzer | grep -o -- '-dict=words')"
echo 77 >"$TEST_TMPDIR/status"
run libfuzzer >/dev/null
expect "the engine's status is kept" 77 $?
rm "$TEST_TMPDIR/status"

found=$(run afl --timeout_secs=5 -- -s 1)
expect "AFL++ ends with 0" 0 $?
expect "AFL++'s own arguments and environment" \
	"afl-fuzz -i $out/seeds -o $out/afl -G 48 -V 5 -s 1 -- $tree/target_bin
AFL_SKIP_CPUFREQ=1
AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES=1
AFL_NO_UI=1
AFL_CUSTOM_MUTATOR_LIBRARY=$tree/mutator.so
AFL_CUSTOM_MUTATOR_ONLY=1
SEEDBED_FUZZ_DESCRIPTION=$out/description" "$found"
expect "and a record" "record $out/history/%p" "$(cat "$TEST_TMPDIR/record")"
expect "what the environment says of them holds" "AFL_SKIP_CPUFREQ=0" \
	"$(AFL_SKIP_CPUFREQ=0 run afl | grep SKIP)"
expect "a dictionary" "-x words" \
	"$(FUZZER_DICTIONARY_PATH=words run afl | grep -o -- '-x words')"
touch "$TEST_TMPDIR/crash"
run afl >/dev/null
expect "a crash of AFL++'s is status 77 as libFuzzer's is" 77 $?
expect "--regression runs the target on its inputs" \
	"target $out/seeds/calm $out/seeds/empty $out/seeds/one" "$(run afl --regression)"
echo 134 >"$TEST_TMPDIR/status"
run afl --regression >/dev/null
expect "one that fails: 77" 77 $?
rm "$TEST_TMPDIR/status"

expect "another binary, built elsewhere" "target -max_len=48" \
	"$(FUZZER_ENGINE=libfuzzer FUZZER_BINARY=$tree/target_bin run '' | grep -o '^target [^ ]*')"
found=$(run '' 2>&1)
expect "a target without an engine: 64" 64 $?
expect "says what to do" "fuzz/run.sh: this target has no engine: bazel run --config=libfuzzer or \
--config=aflpp; see fuzz/run.sh --help" "$found"
run libfuzzer --nonsense 2>/dev/null
expect "usage: 64" 64 $?
run libfuzzer --timeout_secs=1h 2>/dev/null
expect "seconds are a number: 64" 64 $?
FUZZER_CORPUS=nowhere run libfuzzer 2>/dev/null
expect "a folder that is missing: 66" 66 $?
FUZZER_BINARY=nowhere run libfuzzer 2>/dev/null
expect "a binary that is missing: 66" 66 $?
expect "--help is its usage" "bazel run --config=libfuzzer" "$(run '' --help | head -c 28)"
