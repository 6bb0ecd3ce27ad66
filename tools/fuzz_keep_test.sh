#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# fuzz keep: what becomes of an input that failed in an engine. Shell scripts stand for engines'
# builds; the canary's own target for what depends on earlier runs.
#
# Arguments: tools/fuzz's program with the scenarios that misbehave; canary_fuzz_bin.

set -u
fuzz=$(readlink -f "$1")
canary=$(readlink -f "$2")
unset SEEDBED_ROOT SEEDBED_FUZZ_ENGINES TEST_SRCDIR
cd "$TEST_TMPDIR" || exit 1

expect() { # CLAIM EXPECTED FOUND
	[ "$2" = "$3" ] || {
		printf 'FAILED: %s\nexpected: %s\nfound:    %s\n' "$@"
		cat err 2>/dev/null
		exit 1
	}
	echo "ok: $1"
}
has() { # CLAIM TEXT FILE
	grep -qF -- "$2" "$3" && echo "ok: $1" && return
	printf 'FAILED: %s\nexpected: %s\nfound:\n' "$1" "$2"
	cat "$3"
	exit 1
}
# keep ARGUMENTS: sets status; what it says is in `out` and `err`.
keep() {
	"$fuzz" keep "$@" --json >out 2>err </dev/null
	status=$?
}
field() { # NAME: of the one object in `out`
	sed -n "s/^[[:space:]]*\"$1\":[[:space:]]*\"\{0,1\}\([^\",}]*\).*/\1/p" out
}
told() { # "STATUS KIND KEPT COUNT"
	echo "$status $(field kind), $(field kept), $(field count)"
}
names() {
	(cd "$1" && find . -mindepth 1 -maxdepth 1 -printf '%P\n' | LC_ALL=C sort | tr '\n' ' ')
}
# engine NAME: a binary NAME of the script on standard input; `$input` is the file it is given.
engine() {
	{
		echo '#!/bin/bash'
		# shellcheck disable=SC2016 # the script's
		echo 'input=${!#}'
		cat
	} >"$1"
	chmod +x "$1"
}
fresh() {
	rm -rf findings
}

# The canary is silent by a draw of class 0xea; with the bug `leak`, one of class 0xf0 leaves
# something behind.
printf '\0\xea\0\0\0' >silent
printf '\0\xea\0\0\0\1' >silent-too
printf '\1\0\1\0\xea\0\0\0' >silent-one-cpu
printf '\0\xf0\0\0\0' >leak
printf '\1\4\1\0' >dies # test-deaths, every=1
printf '\0' >calm
: >empty
for i in 1 2 3 4 5 6 7 8 9; do printf '\0\1\1%d\1' $i >"n$i"; done

# ---- What the plain build repeats ----

keep canary_fuzz silent
expect "an oracle's finding" "10 run, new, 1" "$(told)"
folder=$(field folder)
expect "its folder is named by its key" "findings/canary.canary.b9c99073" "$folder"
expect "and holds what a finding does, and the input" \
	"cause decisions decisions.full input.bytes key replay seen trace.txt " "$(names "$folder")"
cmp silent "$folder/input.bytes" || exit 1
has "the replay command is of the decisions" \
	"tools/seedbed replay findings/canary.canary.b9c99073/decisions" "$folder/replay"
has "the trace is there" canary "$folder/trace.txt"
expect "the input stays where it was" yes "$([ -s silent ] && echo yes)"
keep canary_fuzz silent
expect "the same input again is counted once" "10 run, before, 1" "$(told)"
keep canary_fuzz silent-too
expect "another input with its key is counted" "10 run, before, 2" "$(told)"
keep canary_fuzz silent-one-cpu
expect "whatever its settings are" "10 run, before, 3" "$(told)"
printf 0123456789abcdef >>"$folder/seen"
keep canary_fuzz silent
expect "a torn line of seen is none" "10 run, before, 3" "$(told)"
cp silent silent-four && printf '\2' >>silent-four
keep canary_fuzz silent-four
expect "and the next goes over it" "10 run, before, 4 5" "$(told) $(wc -l <"$folder/seen" |
	awk '{ print $1 + 1 }')"
keep canary silent
expect "the scenario's name is a target's too" "10 run, before, 4" "$(told)"
keep canary_fuzz silent silent-too --out=elsewhere
expect "several files, another folder" "10 1" \
	"$status $(find elsewhere -mindepth 1 -type d | wc -l)"

for death in segv:12 exit:12 assert:70 loop:14; do
	watchdog=--watchdog=$([ $death = loop:14 ] && echo 1 || echo 60)
	keep test-deaths dies --bug="${death%:*}" "$watchdog"
	expect "a run that ends by ${death%:*}" "${death#*:} run, new, 1" "$(told)"
	cmp dies "$(field folder)/input.bytes" || exit 1
	has "its replay names the bug or the decisions" "tools/seedbed replay" \
		"$(field folder)/replay"
done
fresh
keep test-deaths dies --bug=kill
expect "a run that is killed from outside is refused" "70 not reproduced, not written, 0" "$(told)"
expect "and leaves nothing" ".lock " "$(names findings)"

# ---- What the engine's build repeats ----

engine asan <<'SCRIPT'
echo "==$$==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x60$$ at pc 0x$RANDOM" >&2
echo "    #0 0x$RANDOM in hwrng_read models/hwrng/core.c:12:3" >&2
echo "SUMMARY: AddressSanitizer: heap-buffer-overflow models/hwrng/core.c:12:3 in hwrng_read" >&2
exit 1
SCRIPT
engine ubsan <<'SCRIPT'
echo "models/crng/crng.c:7:5: runtime error: shift exponent $RANDOM is too large" >&2
echo "SUMMARY: UndefinedBehaviorSanitizer: undefined-behavior models/crng/crng.c:7:5 in" >&2
exit 1
SCRIPT
engine leaks <<'SCRIPT'
[[ $ASAN_OPTIONS == *detect_leaks=1* ]] || exit 0
echo "==$$==ERROR: LeakSanitizer: detected memory leaks" >&2
echo "    #0 0x$RANDOM in malloc (/x+0x1)" >&2
echo "SUMMARY: AddressSanitizer: 8 byte(s) leaked in 1 allocation(s)." >&2
exit 23
SCRIPT
engine oom <<'SCRIPT'
echo "==$$== ERROR: libFuzzer: out-of-memory (used: 2$RANDOM Mb; limit: 2048Mb)" >&2
exit 71
SCRIPT
engine slow <<'SCRIPT'
echo "==$$== ERROR: libFuzzer: timeout after 2$RANDOM seconds" >&2
exit 70
SCRIPT
engine signalled <<'SCRIPT'
kill -SEGV $$
SCRIPT
engine exits <<'SCRIPT'
exit 5
SCRIPT
engine other <<'SCRIPT'
echo "it is so" >&2
echo "FAIL key=canary/canary/b9c99073 scenario=canary digest=0x1" >&2
kill -ABRT $$
SCRIPT
engine twice <<'SCRIPT'
echo "two runs of one input differ: a defect of ours" >&2
echo "FAIL key=not-deterministic scenario=canary digest=0x1" >&2
kill -ABRT $$
SCRIPT

found() { # BINARY WHAT STATUS ENGINE
	keep canary_fuzz calm --binary="$1" --engine="$4" --timeout=9 --rss-limit=99
	expect "the engine's build: $2" "$3 engine, new, 1" "$(told)"
	folder=$(field folder)
	[[ $folder == findings/canary.engine-"$2".???????? ]]
	expect "its key names it" 0 $?
	expect "and its folder holds" "cause engine.log input.bytes key replay seen subject " \
		"$(names "$folder" | sed "s/engine.log //;s/cause /cause engine.log /")"
	has "the command is the binary's, not the plain one's" "$PWD/$1" "$folder/replay"
	keep canary_fuzz calm --binary="$1" --engine="$4" --timeout=9 --rss-limit=99
	expect "again it is the same folder: $2" "$3 engine, before, 1 $folder" \
		"$(told) $(field folder)"
}
found asan asan 12 libfuzzer
has "libFuzzer's limits are in the command" "-timeout=9 -rss_limit_mb=99" "$folder/replay"
has "what it said is kept" "#0 0x" "$folder/engine.log"
found ubsan ubsan 12 libfuzzer
found leaks leak 12 libfuzzer
has "a leak's command looks for leaks" "ASAN_OPTIONS=detect_leaks=1" "$folder/replay"
bash -c "$(cat "$folder/replay")" 2>/dev/null
expect "and repeats it" 23 $?
found oom out-of-memory 14 libfuzzer
found slow timeout 14 libfuzzer
found signalled signal 12 aflpp
found exits exit 12 aflpp
found other other-build 13 none
found twice not-deterministic 13 none
expect "those are nine findings" 9 "$(find findings -mindepth 1 -type d | wc -l)"

fresh
engine sleeps <<'SCRIPT'
while :; do :; done
SCRIPT
keep canary_fuzz calm --binary=sleeps --engine=aflpp --timeout=1
expect "a time limit is kept where the engine does not" "14 engine, new, 1" "$(told)"
has "and is in the command" "timeout 1 $PWD/sleeps" "$(field folder)/replay"
engine eats <<'SCRIPT'
x=$(head -c 3000000 /dev/zero | tr '\0' x)
while [ ${#x} -lt 900000000 ]; do x=$x$x; done
sleep 60
SCRIPT
keep canary_fuzz calm --binary=eats --engine=aflpp --rss-limit=64
expect "and so is a limit of memory" "14 engine, new, 1" "$(told)"
[[ $(field folder) == *engine-out-of-memory* ]]
expect "which is another kind" 0 $?
engine floods <<'SCRIPT'
for i in {1..3000}; do printf '%0100d\n' "$i"; done
head -c 100000 /dev/zero
echo "==$$==ERROR: AddressSanitizer: SEGV on unknown address" >&2
exit 1
SCRIPT
keep canary_fuzz calm --binary=floods --engine=libfuzzer
expect "a report after much output is read" "12 engine, new, 1" "$(told)"
expect "and the log is bounded" yes "$([ "$(stat -c %s "$(field folder)/engine.log")" -le 65536 ] &&
	echo yes)"
engine nothing </dev/null
rm nothing
keep canary_fuzz calm --binary=nothing --engine=none --out=without
expect "a binary that is not there is refused" "70 not reproduced, not written, 0" "$(told)"

# ---- What only its history repeats ----

fresh
mkdir history
export SEEDBED_FUZZ_BUG=leak
SEEDBED_FUZZ_HISTORY=$PWD/history/%p "$canary" n1 n2 n3 >/dev/null 2>&1
# Two runs of each file, each twice: two leaks are four.
SEEDBED_FUZZ_HISTORY=$PWD/history/%p SEEDBED_FUZZ_AGAIN=0 SEEDBED_FUZZ_TWICE=0 \
	"$canary" n1 n2 leak n3 n4 leak n5 n6 n7 >/dev/null 2>&1
keep canary_fuzz n5 --bug=leak --binary="$canary" --engine=none --history=history
expect "what earlier runs left makes it fail" "13 history, new, 1" "$(told)"
folder=$(field folder)
has "a defect of ours" "depends on earlier ones of its process, a defect of ours; 5 inputs" \
	"$folder/cause"
expect "its folder holds" \
	"cause engine.log history history.full input.bytes key replay seen subject " \
	"$(names "$folder")"
has "the command replays the record" "SEEDBED_FUZZ_REPLAY_HISTORY=$folder/history" \
	"$folder/replay"
bash -c "$(cat "$folder/replay")" >replayed 2>&1
expect "and it does: the oracle's status" 10 $?
has "with the same key" "FAIL key=canary/canary/" replayed
keep canary_fuzz n5 --bug=leak --binary="$canary" --engine=none --history=history
expect "again it is counted once" "13 history, before, 1" "$(told)"
fresh
rm history/*
SEEDBED_FUZZ_HISTORY=$PWD/history/%p SEEDBED_FUZZ_AGAIN=1 SEEDBED_FUZZ_TWICE=0 \
	"$canary" n1 leak >differs 2>&1
has "an earlier input that runs again and differs is found" "FAIL key=depends-on-history" differs
keep canary_fuzz leak --bug=leak --binary="$canary" --engine=none --history="$(echo history/*)"
expect "and is a history too" "13 history, new, 1" "$(told)"
has "of one input, the leak, and the first again" "; 3 inputs in a row" "$(field folder)/cause"
unset SEEDBED_FUZZ_BUG
SEEDBED_FUZZ_HISTORY=$PWD/clean SEEDBED_FUZZ_AGAIN=1 "$canary" n1 n2 n3 leak n4 >/dev/null 2>&1
expect "nothing differs where nothing leaks" 0 $?

# ---- What nothing repeats ----

fresh
engine once <<'SCRIPT'
[ -e been ] && exit 0
touch been
exit 5
SCRIPT
echo "what the engine said" >engine-said
keep canary_fuzz calm --binary=once --engine=libfuzzer --history=clean
expect "what fails once is not reproduced" "13 not reproduced, new, 1" "$(told)"
folder=$(field folder)
[[ $folder == findings/not-deterministic/canary.not-reproduced.???????? ]]
expect "and lies apart" 0 $?
has "with what was tried: the plain build" "the plain build, the input alone: OK" "$folder/tried"
has "the engine's" "the engine's build, the input alone: the engine's build exited with status 5" \
	"$folder/tried"
has "which passed the second time" "the engine's build, the input alone: passed" "$folder/tried"
has "its history" "the engine's build, the process's history: passed" "$folder/tried"
has "the record is kept" "seedbed-history" "$folder/history"
expect "no line of it says that it was reproduced" "" "$(grep -rl FAIL "$folder")"
"$fuzz" keep canary_fuzz calm --binary=once --engine=libfuzzer >out 2>err
has "the command says so" "NOT REPRODUCED canary/not-reproduced/" out
keep canary_fuzz calm
expect "again it is counted once" "13 not reproduced, before, 1" "$(told)"
keep canary_fuzz empty
expect "an empty file is an input" "13 not reproduced, new, 1" "$(told)"
has "no binary, no record: said" "the engine's build: not tried" "$(field folder)/tried"
keep canary_fuzz n1 --binary=exits --engine=none --history=silent
expect "a record that is none is passed over" "12 engine" "$status $(field kind)"
rm been
keep canary_fuzz n2 --binary=once --engine=none --history=silent
has "and said" "not tried: silent: no record of inputs" "$(field folder)/tried"

# ---- Hostile files ----

fresh
head -c 1048576 /dev/zero >large
keep canary_fuzz large
expect "1 MiB is an input" "13 not reproduced, new, 1" "$(told)"
head -c 1048577 /dev/zero >larger
keep canary_fuzz larger
expect "more is none" "66 not reproduced, no input, 0" "$(told)"
mkdir folder
keep canary_fuzz folder
expect "a folder is none" 66 "$status"
keep canary_fuzz nowhere
expect "nor is what is not there" 66 "$status"
mkfifo pipe
keep canary_fuzz pipe
expect "nor a pipe, which nobody waits for" 66 "$status"
if [ "$(id -u)" -ne 0 ]; then
	cp calm unreadable && chmod 000 unreadable
	keep canary_fuzz unreadable
	expect "nor what may not be read" 66 "$status"
else
	echo "skipped: root reads every file"
fi
printf 'seedbed-decisions 1\nscenario canary\n' >looks-like
keep canary_fuzz looks-like
expect "bytes that look like a decision file are bytes" "13 not reproduced, new, 1" "$(told)"
keep canary_fuzz
expect "no file: usage" 64 "$status"
has "and says what is missing" "a file that failed is missing" err
keep nothing_fuzz calm
expect "no such target: usage" 64 "$status"
keep canary_fuzz calm --binary=exits
expect "a binary of which build: usage" 64 "$status"
keep canary_fuzz calm --bug=nothing
expect "no such bug: usage" 64 "$status"

# ---- A machine that refuses ----

fresh
keep canary_fuzz silent --out=calm
expect "a findings folder that is a file" "70 not written" "$status $(field kept)"
keep canary_fuzz silent --out=/proc/findings
expect "or cannot be made" "70 not written" "$status $(field kept)"
printf '%2000s' '' >long
cat silent long >silent-long
for blocks in 0 1; do
	# What it says goes through a pipe: files may not grow.
	fresh
	(
		ulimit -f $blocks
		"$fuzz" keep canary_fuzz silent-long 2>&1 </dev/null
		echo "status $?"
	) | cat >said
	has "files of $blocks KiB at most: not written" "status 70" said
	expect "nothing is half-written" ".lock " "$(names findings)"
	keep canary_fuzz silent-long
	expect "and the next call writes it" "10 run, new, 1" "$(told)"
done
mkdir full
if unshare -m true 2>/dev/null; then
	cat >in-full <<'SCRIPT'
mount -t tmpfs -o size=16k tmpfs full || exit 99
for size in 16k 1m; do
	mount -o remount,size=$size full
	"$1" keep canary_fuzz silent-long --out=full/findings >out 2>err
	echo "$? $(find full -name 'can*' | wc -l) $(find full -name '.tmp*' | wc -l)"
done
SCRIPT
	unshare -m bash in-full "$fuzz" >said 2>&1
	if [ $? -eq 99 ]; then
		echo "skipped: nothing can be mounted here"
	else
		expect "a full disk: nothing, then the whole" "70 0 0 10 1 0" "$(tr '\n' ' ' <said |
			sed 's/ $//')"
	fi
else
	echo "skipped: nothing can be mounted here"
fi

# ---- A killed keeper ----

RANDOM=1
for i in {1..30}; do
	fresh
	"$fuzz" keep canary_fuzz silent >/dev/null 2>&1 </dev/null &
	pid=$!
	sleep "0.$(printf %03d $((RANDOM % 250)))"
	kill -KILL $pid 2>/dev/null
	wait $pid 2>/dev/null
	keep canary_fuzz silent
	count=$(field count)
	[ "$status $count" = "10 1" ] || expect "after kill $i" "10 1" "$status $count"
	expect "killed, then again: one folder, one input" ".lock canary.canary.b9c99073 1" \
		"$(names findings)$(wc -l <findings/canary.canary.b9c99073/seen)"
	expect "which is whole" \
		"cause decisions decisions.full input.bytes key replay seen trace.txt " \
		"$(names findings/canary.canary.b9c99073)"
done

# ---- Two at once ----

fresh
for input in silent silent-too silent-one-cpu silent-four; do
	"$fuzz" keep canary_fuzz $input >/dev/null 2>&1 </dev/null &
done
wait
keep canary_fuzz silent
expect "keepers wait for one another" "10 run, before, 4" "$(told)"
