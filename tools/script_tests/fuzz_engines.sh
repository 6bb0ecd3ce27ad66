# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# Stand-ins for engines, for tests of tools/fuzz: libFuzzer's target, which is
# "$engines/libfuzzer/canary_fuzz", and an afl-fuzz in "$bin". Each has 20 inputs to find, a few in
# a slice, and an input that really makes the canary fail on the way; what is in the corpus they
# know. A third failing input lies among the tree's seeds: libFuzzer's stand-in dies of it whenever
# it is in the corpus. Each leaves a process behind, in a session of its own, that only its minder
# can end.

# shellcheck disable=SC2154 # tree, bin: script_tests.sh; fuzz: the test
engines=$TEST_TMPDIR/engines
mkdir -p "$engines/libfuzzer" "$engines/aflpp" "$tree/corpora/canary_fuzz/seed"
echo canary_fuzz >"$engines/targets"
export SEEDBED_FUZZ_ENGINES=$engines SEEDBED_ROOT=$tree stray=9$$
printf '\0\352\0\377\0' >"$tree/corpora/canary_fuzz/seed/killer"

for i in $(seq 20); do
	for letter in a l; do
		hash=$(printf %s "$letter-$i" | sha1sum)
		echo "$i ${hash%% *}" >>"$engines/inputs-$letter"
	done
done
killer=$(sha1sum <"$tree/corpora/canary_fuzz/seed/killer" | cut -c 1-40)
export bin engines killer

cat >"$bin/find_inputs" <<'SCRIPT'
# Files are written as engines do it, in their places and not in one step.
# find_inputs LETTER CORPUS FOLDER FAILING-FOLDER FAILING-NAME FAILING-BYTES
# Writes what the slice finds.
setsid sleep "$stray" &
found=0
while read -r i hash; do
	[ ! -e "$2/$hash" ] || continue
	name=$hash
	[ "$1" = l ] || name=id:0000$i,src:000000
	# Before the input by which it is known: a kill in between has it found again.
	[ "$i" != 7 ] || printf "$6" >"$4/$5"
	printf %s "$1-$i" >"$3/$name"
	[ "$i" != 7 ] || exit 77
	sleep 0.02
	found=$((found + 1))
	[ $found -lt 6 ] || break
done <"$engines/inputs-$1"
exit 0
SCRIPT

stand_in "$engines/libfuzzer/canary_fuzz" <<'SCRIPT'
#!/bin/bash
[ -z "${SEEDBED_FUZZ_DESCRIBE-}" ] || { echo max_len 48 >"$SEEDBED_FUZZ_DESCRIBE" && exit; }
new='' corpus='' artifacts='' merge='' control=''
for argument; do
	case $argument in
	-artifact_prefix=*) artifacts=${argument#*=} ;;
	-merge_control_file=*) control=${argument#*=} ;;
	-merge=1) merge=1 ;;
	-*) ;;
	*) if [ -z "$new" ]; then new=$argument; else corpus=$argument; fi ;;
	esac
done
die_of() {
	cp "$1" "$artifacts/crash-$killer"
	[ -n "$merge" ] || exit 77
}
if [ -f "$new" ]; then # inputs, one by one
	for input; do
		case $input in -*) continue ;; esac
		[ "$(sha1sum <"$input" | cut -c 1-40)" != "$killer" ] || exit 77
	done
	exit 0
fi
[ ! -e "$corpus/$killer" ] || die_of "$corpus/$killer"
if [ -n "$merge" ]; then # the odd ones reach all
	i=0 names=
	for input in "$corpus"/*; do
		IFS= read -r content <"$input" 2>/dev/null
		case $content in *[13579]) ;; *) continue ;; esac
		[ -z "$(cat "$TEST_TMPDIR/torn" 2>/dev/null)" ] || : >"$new/${input##*/}"
		[ -s "$TEST_TMPDIR/torn" ] || cp "$input" "$new"
		sleep 0.01
		names="$names$input
" features="${features-}STARTED $i 3
FT $i $((i + 1)) 9999
"
		i=$((i + 1))
	done
	printf '%s\n0\n%s%s' $i "$names" "$features" >"$control"
	exit "$(cat "$TEST_TMPDIR/merge_status" 2>/dev/null || echo 0)"
fi
printf '#2\tINITED cov: 2 ft: 3 corp: 1/1b exec/s: 0 rss: 1Mb\n'
bash "$bin/find_inputs" l "$corpus" "$new" "$artifacts" \
	crash-93e7a4bb64e04eba30dba2d3b1643e3221b55583 '\0\352\0\12\0'
status=$?
printf '#100\tDONE   cov: 7 ft: %d corp: 3/9b exec/s: 50 rss: 1Mb\n' \
	"$(ls "$corpus" "$new" | wc -l)"
[ ! -e "$TEST_TMPDIR/long" ] || sleep "$stray"
exit $status
SCRIPT
cp "$engines/libfuzzer/canary_fuzz" "$engines/aflpp/canary_fuzz"

stand_in "$bin/afl-fuzz" <<'SCRIPT'
#!/bin/bash
while [ "$1" != -- ]; do
	case $1 in
	-i) in=$2 ;;
	-o) out=$2/default ;;
	esac
	shift
done
mkdir -p "$out/queue" "$out/crashes" "$out/hangs"
echo not an input >"$out/crashes/README.txt"
for input in "$in"/*; do
	[ -f "$input" ] || exit 1 # as the real one does
	cp "$input" "$out/queue/id:000000,orig:${input##*/}"
done
bash "$bin/find_inputs" a "$in" "$out/queue" "$out/crashes" id:000000,sig:06 '\0\352\0\2\0'
printf 'execs_done        : 200\nedges_found       : %d\n' "$(ls "$in" | wc -l)" \
	>"$out/fuzzer_stats"
[ ! -e "$TEST_TMPDIR/long" ] || sleep "$stray"
SCRIPT

# Has a campaign go on until it has found all: which of two engines has how many slices is a matter
# of the machine's load.
complete() { # DIR
	for _ in $(seq 40); do
		[ "$(find "$1/canary_fuzz/corpus" -type f | wc -l)" -lt 41 ] || return 0
		"$fuzz" run --out="$1" --slices=4 --jobs=2 >>"$1.log" 2>&1
	done
	return 1
}

# What was found, in a form that two campaigns can be compared by.
found_in() { # DIR
	(cd "$1/canary_fuzz" && ls corpus killers)
	for finding in "$1"/findings/*/; do
		cat "$finding/key" && sort "$finding/seen"
	done
	find "$1" -name 'slice.*' -o -name '*.adding.*' -o -name 'corpus.*' -o -name '.tmp.*'
}

# How many processes are left that an engine started.
strays() {
	# Not in the words of grep itself.
	cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\0' ' ' |
		grep -c "sleep [${stray:0:1}]${stray:1} "
}

# Waits for something that will be so; gives up after a minute.
until_so() { # COMMAND...
	for _ in $(seq 600); do
		! "$@" || return 0
		sleep 0.1
	done
	echo "never: $*"
	return 1
}
no_strays() { [ "$(strays)" -eq 0 ]; }
