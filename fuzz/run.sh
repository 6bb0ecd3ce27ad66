#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# bazel run --config=libfuzzer|aflpp //fuzz:TARGET_run -- [OPTION...] [-- ENGINE ARGUMENTS]
#
#   --clean                    forget what earlier runs found
#   --fuzzing_output_root=DIR  what is found goes to DIR/TARGET (default: fuzz-out, below the
#                              current folder)
#   --timeout_secs=N           end after N seconds (default: go on)
#   --regression               run the target's inputs once, and not what earlier runs found
#
# Each has a variable, over which it goes: FUZZER_OUTPUT_ROOT, FUZZER_TIMEOUT_SECS,
# FUZZER_IS_REGRESSION (0 or 1). Without an option for it: FUZZER_CORPUS, a folder of inputs to
# begin with in place of the target's; FUZZER_DICTIONARY_PATH; FUZZER_BINARY and FUZZER_ENGINE
# (libfuzzer or afl), a target that was built elsewhere. AFL_... and SEEDBED_FUZZ_... are the
# engine's and the target's own.
#
# In DIR/TARGET: corpus/ and artifacts/ are libFuzzer's, afl/ is AFL++'s, seeds/ the inputs begun
# with, description what the engine is told (fuzz/describe.h), history/ a record of each process's
# last inputs (fuzz/history.h; SEEDBED_FUZZ_HISTORY names another place). Each is made anew but what
# an engine found, and the newest records.
#
# Exit status: 0, nothing failed; 77, an input did (with AFL++, since --clean); 64, usage, or a
# target without an engine; 66, a file is missing; 69, no afl-fuzz; else the engine's.
#
# The BUILD file's part of the arguments comes first and ends at --user: --target=NAME,
# --engine=NAME, --binary=FILE, --mutator=FILE, --dictionary=FILE, and inputs.

set -u
usage() {
	echo "fuzz/run.sh: $*; see fuzz/run.sh --help" >&2
	exit 64
}
missing() {
	echo "fuzz/run.sh: $*" >&2
	exit 66
}

target='' engine='' binary='' mutator='' dictionary='' inputs=()
while [ $# -gt 0 ] && [ "$1" != --user ]; do
	case $1 in
	--target=*) target=${1#*=} ;;
	--engine=*) engine=${1#*=} ;;
	--binary=*) binary=$PWD/${1#*=} ;;
	--mutator=*) mutator=$PWD/${1#*=} ;;
	--dictionary=*) dictionary=$PWD/${1#*=} ;;
	-h | --help) break ;;
	*) inputs+=("$PWD/$1") ;;
	esac
	shift
done
[ "${1-}" != --user ] || shift

start=${BUILD_WORKING_DIRECTORY-$PWD} # where "bazel run" was called
clean=
root=${FUZZER_OUTPUT_ROOT-fuzz-out}
seconds=${FUZZER_TIMEOUT_SECS-0}
regression=${FUZZER_IS_REGRESSION-0}
while [ $# -gt 0 ]; do
	case $1 in
	--clean) clean=1 ;;
	--fuzzing_output_root=?*) root=${1#*=} ;;
	--timeout_secs=*) seconds=${1#*=} ;;
	--regression) regression=1 ;;
	-h | --help)
		sed -n '4,/^$/s/^# \{0,1\}//p' "$0"
		exit 0
		;;
	--)
		shift
		break
		;;
	*) usage "what is $1" ;;
	esac
	shift
done
case $seconds in '' | *[!0-9]*) usage "$seconds are no seconds" ;; esac
case $regression in [01]) ;; *) usage "FUZZER_IS_REGRESSION is 0 or 1" ;; esac

cd "$start" || exit 66
binary=${FUZZER_BINARY-$binary}
engine=${FUZZER_ENGINE-$engine}
dictionary=${FUZZER_DICTIONARY_PATH-$dictionary}
[ -n "$target" ] || target=$(basename "$binary" _bin)
case $engine in
libfuzzer) ;;
afl)
	command -v afl-fuzz >/dev/null || {
		echo "fuzz/run.sh: no afl-fuzz: apt-get install afl++" >&2
		exit 69
	}
	;;
*) usage "this target has no engine: bazel run --config=libfuzzer or --config=aflpp" ;;
esac
[ -x "$binary" ] || missing "$binary: no such program"
[ -z "$dictionary" ] || [ -r "$dictionary" ] || missing "$dictionary: no such dictionary"
if [ -n "${FUZZER_CORPUS-}" ]; then
	[ -d "$FUZZER_CORPUS" ] || missing "$FUZZER_CORPUS: no such folder"
	inputs=("$FUZZER_CORPUS"/*)
fi
binary=$(readlink -f "$binary")

case $root in /*) ;; *) root=$start/$root ;; esac
out=$root/$target
[ -z "$clean" ] || rm -rf "${out:?}"
rm -rf "$out/seeds"
mkdir -p "$out/corpus" "$out/artifacts" "$out/seeds" "$out/history" || exit 66
# The calm run, with a length, since AFL++ passes over an empty file.
printf '\0' >"$out/seeds/calm"
for input in "${inputs[@]+"${inputs[@]}"}"; do
	[ ! -f "$input" ] || cp -L "$input" "$out/seeds/" || exit 66
done
chmod -R u+w "$out/seeds"
SEEDBED_FUZZ_DESCRIBE=$out/description "$binary" "$out"/seeds/* >/dev/null || exit
max_len=$(sed -n 's/^max_len //p' "$out/description")
# Engines start several processes, which must not share one.
export SEEDBED_FUZZ_HISTORY=${SEEDBED_FUZZ_HISTORY-$out/history/%p}

run_libfuzzer() {
	local arguments=(-max_len="$max_len" -artifact_prefix="$out/artifacts/" -timeout=25)

	[ -z "$dictionary" ] || arguments+=(-dict="$dictionary")
	if [ "$regression" = 1 ]; then
		"$binary" "${arguments[@]}" -runs=0 "$@" "$out/seeds"
		return
	fi
	[ "$seconds" -eq 0 ] || arguments+=(-max_total_time="$seconds")
	# With -jobs the status says no more than that something was wrong.
	touch "$out/started"
	"$binary" "${arguments[@]}" "$@" "$out/corpus" "$out/seeds" || {
		local status=$?
		[ -z "$(find "$out/artifacts" -type f -newer "$out/started")" ] || status=77
		return $status
	}
}

run_afl() {
	local arguments=(-i "$out/seeds" -o "$out/afl" -G "$max_len")

	if [ "$regression" = 1 ]; then
		"$binary" "$out"/seeds/* || return 77
		return 0
	fi
	[ -z "$dictionary" ] || arguments+=(-x "$dictionary")
	[ "$seconds" -eq 0 ] || arguments+=(-V "$seconds")
	# Cores and the crash reporter are the machine's owner's; runs that found something go on.
	export AFL_SKIP_CPUFREQ=${AFL_SKIP_CPUFREQ-1} AFL_TRY_AFFINITY=${AFL_TRY_AFFINITY-1}
	export AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES=${AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES-1}
	export AFL_AUTORESUME=${AFL_AUTORESUME-1}
	# Bytes taken out of an input leave no entry as it was; mutations take out entries.
	export AFL_DISABLE_TRIM=${AFL_DISABLE_TRIM-1} AFL_FAST_CAL=${AFL_FAST_CAL-1}
	[ -t 1 ] || export AFL_NO_UI=${AFL_NO_UI-1}
	if [ -n "$mutator" ] && [ -z "${AFL_CUSTOM_MUTATOR_LIBRARY-}" ]; then
		export AFL_CUSTOM_MUTATOR_LIBRARY=$mutator SEEDBED_FUZZ_DESCRIPTION=$out/description
		export AFL_CUSTOM_MUTATOR_ONLY=${AFL_CUSTOM_MUTATOR_ONLY-1}
	fi
	afl-fuzz "${arguments[@]}" "$@" -- "$binary" || return
	[ -z "$(find "$out/afl" -path '*/crashes/id*')" ] || return 77
}

run_"$engine" "$@"
