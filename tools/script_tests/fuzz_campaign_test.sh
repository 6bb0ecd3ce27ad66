#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# tools/fuzz run, prune, status and change, with stand-ins for the engines: what a campaign finds,
# whatever kills it.

# shellcheck source=tools/script_tests/script_tests.sh
. tools/script_tests/script_tests.sh
fuzz=$(readlink -f "$2")
# shellcheck source=tools/script_tests/fuzz_engines.sh
. tools/script_tests/fuzz_engines.sh
cd "$TEST_TMPDIR" || exit 1

# ---- A campaign that nobody disturbs ----

found=$("$fuzz" run --out=calm --slices=6 --jobs=2 2>calm.err)
expect "inputs failed: the status of the finding" 10 $?
expect "each slice has a line" 6 "$(grep -c '^  canary_fuzz ' <<<"$found")"
expect "the last line says it all" "FAIL slices=6 findings=1" \
	"$(sed -n 's/executions=[0-9,]* failures=[0-9]* //; s/^FAIL .*/&/p' <<<"$found")"
expect "and how its finding is repeated" "replay: $(cat calm/findings/*/replay)" \
	"$(grep '^replay: ' <<<"$found")"
expect "the log has a line a slice" 6 "$(wc -l <calm/log.jsonl)"
expect "called again it goes on, and finds all" 0 "$(complete calm && echo 0)"
expect "both engines' inputs are in one corpus, with the calm run" 41 \
	"$(find calm/canary_fuzz/corpus -type f | wc -l)"
expect "an input of the corpus that fails is set aside" \
	"$(sha1sum <"$tree/corpora/canary_fuzz/seed/killer" | cut -c 1-40)" \
	"$(ls calm/canary_fuzz/killers)"
expect "one finding, which three inputs have made" "1 3" \
	"$(find calm/findings -name key | wc -l) $(cat calm/findings/*/seen | wc -l)"
expect "no slice is left" "" "$(find calm -name 'slice.*')"
expect "no process is left" 0 "$(strays)"
"$fuzz" run --out=calm --slices=2 --jobs=1 >again.log 2>&1
expect "where no input fails: 0" 0 $?
logged=$(wc -l <calm/log.jsonl)

# ---- The same, killed again and again ----

RANDOM=7
kills=0
for _ in $(seq 12); do
	"$fuzz" run --out=killed --slices=40 --jobs=2 >>killed.log 2>&1 &
	sleep "0.$((RANDOM % 9))$((RANDOM % 10))"
	! kill -9 $! || kills=$((kills + 1))
	wait $! 2>/dev/null
done
expect "it was killed" 12 $kills
# A torn line, as a kill within a write leaves it.
printf '{"slice":"canary_fuzz/sli' >>killed/log.jsonl
"$fuzz" run --out=killed --slices=4 --jobs=2 >>killed.log 2>&1
expect "a call ends well" yes "$(case $? in 0 | 10) echo yes ;; esac)"
expect "it finds the rest" 0 "$(complete killed && echo 0)"
expect "what was found is the same" "$(found_in calm)" "$(found_in killed)"
expect "no slice was logged twice" "" \
	"$(grep -o '"slice":"[^"]*"' killed/log.jsonl | sort | uniq -d)"
expect "the torn line is passed over" '"lines_passed_over":1' \
	"$("$fuzz" status --out=killed --json | tr -d '\n\t ' |
		grep -o '"lines_passed_over":[0-9]*')"
expect "engines and what they left died with it" yes "$(until_so no_strays && echo yes)"

# ---- One campaign at a time; Ctrl-C ----

touch long
"$fuzz" run --out=calm --jobs=2 >long.log 2>&1 &
campaign=$!
slices() { [ "$(find calm/canary_fuzz -name 'slice.*' | wc -l)" -eq 2 ]; }
until_so slices || exit 1
progress() { grep -q '^fuzz: fuzzing: 300 runs, [0-9.]*/s, ' long.log; }
until_so progress || exit 1
found=$(grep -m 1 '^fuzz: fuzzing: 300 runs' long.log)
expect "what is running is counted" "0 new, 0 failed" \
	"$(grep -o '[0-9]* new, [0-9]* failed' <<<"$found")"
expect "and told" "canary_fuzz aflpp canary_fuzz libfuzzer" \
	"$(grep -oE 'canary_fuzz [a-z]* [0-9.]+ s' <<<"$found" | cut -d ' ' -f 1,2 | sort | xargs)"
found=$("$fuzz" run --out=calm --slices=1 2>&1)
expect "a second one on its folder is refused: 70" 70 $?
expect "it says why" \
	"fuzz: another campaign is at work in $TEST_TMPDIR/calm; --out=DIR names another folder" \
	"$(tail -n 1 <<<"$found")"
expect "status may be asked meanwhile" 0 "$("$fuzz" status --out=calm >/dev/null && echo 0)"
kill -INT $campaign
wait $campaign
expect "Ctrl-C with nothing found: 128 and its number" 130 $?
expect "what ran is taken in" "" "$(find calm -name 'slice.*')"
expect "and logged" $((logged + 2)) "$(wc -l <calm/log.jsonl)"
expect "no process is left then" 0 "$(strays)"
rm long

# ---- What is found at the end of the time ----

# Nobody can write a finding meanwhile.
mkdir -p late/findings
exec 8>late/findings/.lock
flock 8
"$fuzz" run --out=late --engine=libfuzzer --time=2 --jobs=1 --late=1 >late.log 2>&1
expect "what cannot be taken in for long after the time waits: 70" 70 $?
expect "it says so" 1 "$(grep -c 'late/.* waits to be taken in by the next call$' late.log)"
expect "and is not OK" "FAIL slices=0" "$(grep -o '^[A-Z]* slices=[0-9]*' late.log)"
exec 8>&-
"$fuzz" run --out=late --engine=libfuzzer --time=2 --jobs=1 >late.log 2>&1
expect "the next call takes it in" 10 $?
expect "as a finding" 1 "$(find late/findings -name key | wc -l)"

# ---- A target that comes back, and what cannot be taken in ----

touch "$engines/libfuzzer/canary_fuzz"
touch -d '1 hour ago' calm/canary_fuzz/killers/*
"$fuzz" run --out=calm --slices=1 --engine=libfuzzer --jobs=1 >again.log 2>/dev/null
expect "programs that were built anew have what was set aside tried again" 10 $?
expect "how a finding that was known is repeated is told, too" \
	"replay: $(cat calm/findings/*/replay)" "$(grep '^replay: ' again.log)"
expect "it is the same finding, and the same input" "1 3" \
	"$(find calm/findings -name key | wc -l) $(cat calm/findings/*/seen | wc -l)"

# Copied from another machine that has not set it aside; older than the programs.
cp "$tree/corpora/canary_fuzz/seed/killer" "calm/canary_fuzz/corpus/$killer"
touch -d '1 day ago' "calm/canary_fuzz/corpus/$killer"
"$fuzz" run --out=calm --slices=2 --jobs=1 >again.log 2>&1
expect "what is set aside does not come back by a copy" 0 $?
expect "and is gone from the corpus" no "$([ -e "calm/canary_fuzz/corpus/$killer" ] || echo no)"
rm "calm/canary_fuzz/killers/$killer"
cp "$tree/corpora/canary_fuzz/seed/killer" "calm/canary_fuzz/corpus/$killer"
touch -d '1 day ago' "calm/canary_fuzz/corpus/$killer"
"$fuzz" run --out=calm --slices=1 --engine=libfuzzer --jobs=1 >again.log 2>&1
expect "an old input that fails is set aside" "10 $killer" "$? $(ls calm/canary_fuzz/killers)"
"$fuzz" run --out=calm --slices=2 --jobs=1 >again.log 2>&1
expect "and stays there, however old it is" "0 $killer" "$? $(ls calm/canary_fuzz/killers)"

ln -s nowhere calm/canary_fuzz/corpus/dangling
mkfifo calm/canary_fuzz/corpus/fifo
"$fuzz" run --out=calm --slices=4 --jobs=2 >again.log 2>again.err
expect "what is no input ends no engine" "0 4" "$? $(grep -c '  -$' again.log)"
expect "it is told, once" "\
fuzz: $PWD/calm/canary_fuzz/corpus/dangling is no input, and left out: No such file or directory
fuzz: $PWD/calm/canary_fuzz/corpus/fifo is no input, and left out: no regular file" \
	"$(grep 'no input' again.err | sort)"
rm calm/canary_fuzz/corpus/dangling calm/canary_fuzz/corpus/fifo

cp -r calm full
rm -rf full/canary_fuzz/corpus/* full/log.jsonl
(
	trap '' XFSZ
	ulimit -f 0
	"$fuzz" run --out=full --slices=3 --jobs=1 --engine=libfuzzer >/dev/null 2>&1
)
expect "a disk that takes nothing: 70" 70 $?
expect "afterwards it goes on" 0 "$(complete full && echo 0)"

"$fuzz" run --bug=none --out=calm --slices=1 2>err >/dev/null
expect "a bug that the target has not: 64" 64 $?
expect "with its name" 1 "$(grep -c -e '--bug=none: canary has no such planted bug' err)"

# ---- prune ----

set_of() { (cd "$1/canary_fuzz/corpus" && cat ./* | tr -d '\0' | fold -w 100 && ls); }
"$fuzz" prune canary_fuzz --out=nothing >prune.log 2>&1
expect "a corpus without inputs is small already: 0" 0 $?
rm -rf small && cp -r calm small
"$fuzz" prune --out=small >prune.log 2>&1
expect "prune ends well: 0" 0 $?
old=$(set_of calm) new=$(set_of small)
expect "what reaches the same is left, and the calm run" 21 \
	"$(find small/canary_fuzz/corpus -type f | wc -l)"
rm -rf small && cp -r calm small
for _ in $(seq 10); do
	"$fuzz" prune --out=small >/dev/null 2>&1 &
	sleep "0.$((RANDOM % 4))$((RANDOM % 10))"
	kill -9 $! 2>/dev/null
	wait $! 2>/dev/null
	found=$(set_of small)
	[ "$found" != "$new" ] || found=$old
	expect "killed, the set is the old one or the new one" "$old" "$found"
done
"$fuzz" prune --out=small >/dev/null 2>&1
expect "and then it is the new one" "$new" "$(set_of small)"

rm -rf small && cp -r calm small
echo 1 >torn
"$fuzz" prune --out=small >/dev/null 2>&1
expect "a merge whose files are cut, as on a full disk: 70" 70 $?
expect "the old set stays" "$old" "$(set_of small)"
rm torn
echo 3 >merge_status
"$fuzz" prune --out=small >/dev/null 2>&1
expect "a merge that fails: 70" 70 $?
expect "the old set stays then, too" "$old" "$(set_of small)"
rm merge_status
cp "$tree/corpora/canary_fuzz/seed/killer" small/canary_fuzz/corpus/"$(ls calm/canary_fuzz/killers)"
rm small/canary_fuzz/killers/*
found=$("$fuzz" prune --out=small 2>/dev/null)
expect "an input that fails is a finding" 10 $?
expect "how it is repeated is told" "replay: $(cat small/findings/*/replay)" \
	"$(grep '^replay: ' <<<"$found")"
expect "it is told" ", 1 set aside in $TEST_TMPDIR/small/canary_fuzz/killers" \
	"$(grep -o ', 1 set aside.*' <<<"$found")"
expect "and set aside" "$(ls calm/canary_fuzz/killers)" "$(ls small/canary_fuzz/killers)"
expect "the set is the new one" "$new" "$(set_of small)"

cp -r "$tree/corpora" into
"$fuzz" prune --out=small --into=into >/dev/null 2>&1
expect "--into: seeds for the tree, the calm run among them" 21 \
	"$(find into/canary_fuzz/seed -type f | wc -l)"
expect "in place of those before, named as the tree's are" 21 \
	"$(find into/canary_fuzz/seed -type f | grep -cE '/[0-9a-f]{16}$')"

# ---- status ----

found=$("$fuzz" status --out=calm)
expect "a row for each engine" 2 "$(grep -c '^  canary_fuzz ' <<<"$found")"
expect "the finding with its count" "  canary/canary/b9c99073, 3 inputs" \
	"$(grep '^  canary/' <<<"$found")"
expect "for machines, too" '"key":"canary/canary/b9c99073"' \
	"$("$fuzz" status --out=calm --json | tr -d '\n\t ' | grep -o '"key":"[^"]*"')"
"$fuzz" status --out=calm --html=page.html
expect "a page" 0 $?
expect "it needs nothing beside it" "" \
	"$(grep -oE '(src|href)=|@import|url\(' page.html | grep -v xlink)"
expect "it has a plot" 1 "$(grep -c '</svg>' page.html)"
expect "its table scrolls, and not the page" '<div class="wide"><table>' \
	"$(grep -o '<div class="wide"><table>' page.html
		grep -q '[.]wide{overflow-x:auto}' page.html || echo no)"
expect "it says when something new was last found, and no age" "2 0" \
	"$(grep -cE '<td>20[0-9-]* [0-9:]* UTC</tr>' page.html) $(grep -c ' ago' page.html)"
expect "no bug was planted" 0 "$(grep -c 'class="planted"' page.html)"
"$fuzz" run --out=planted --bug=leak --slices=1 --engine=libfuzzer --jobs=1 >planted.log 2>/dev/null
expect "a planted bug's campaign says so when it begins" "PLANTED BUG: leak." \
	"$(grep -o '^PLANTED BUG: leak[.]' planted.log)"
found=$("$fuzz" status --out=planted --html=planted.html && "$fuzz" status --out=planted)
expect "and later" "PLANTED BUG: leak" "$(head -n 1 <<<"$found")"
expect "of its finding, too" 1 "$(grep -c '^  canary/.*, of the planted bug leak$' <<<"$found")"
expect "and on its page" 1 "$(grep -c 'class="planted"><b>Planted bug: leak' planted.html)"
expect "of its finding, too" 1 "$(grep -c 'Of the planted bug leak' planted.html)"
"$fuzz" change --bug=leak 2>/dev/null
expect "a change plants none: 64" 64 $?
mkdir no_gnuplot && ln -s "$(command -v env)" no_gnuplot
found=$(PATH=$PWD/no_gnuplot "$fuzz" status --out=calm --html=none.html 2>&1)
expect "without gnuplot: 69" 69 $?
expect "it says what to do" "fuzz: --html needs gnuplot: apt-get install gnuplot-nox" "$found"
expect "and writes nothing" no "$([ -e none.html ] || echo no)"
"$fuzz" status --out=nowhere 2>/dev/null
expect "no campaign: 66" 66 $?

# ---- batch ----

mkdir batch && cp -r calm/canary_fuzz batch && rm batch/canary_fuzz/killers/*
"$fuzz" batch --out=batch --time=60 --slices=1 >batch.log 2>&1
expect "batch has the status of its run" 10 $?
expect "it has pruned" 21 "$(find batch/canary_fuzz/corpus -type f | wc -l)"
expect "and has made the page" yes "$([ -s batch/status.html ] && echo yes)"
"$fuzz" batch --out=batch 2>/dev/null
expect "batch wants --time: 64" 64 $?

# ---- change ----

stand_in "$bin/git" <<'SCRIPT'
#!/bin/bash
case "$*" in
merge-base*) echo 0123456789abcdef ;;
diff*) [ "$4" = 0123456789abcdef ] || exit 128; cat "$TEST_TMPDIR/changed" ;;
*scenario_canary.c) echo models/x/scenario_canary.c ;;
ls-files*) cat "$TEST_TMPDIR/unknown" ;;
esac
SCRIPT
stand_in "$bin/bazel" <<'SCRIPT'
#!/bin/bash
case "$*" in
*--output=graph*) echo '  "//models/x:x" -> "//models/x:scenario_canary.c"' ;;
*models/x/hit.c*) echo //models/x:x ;;
*models/x/all.c*) echo //fuzz:canary_fuzz_bin ;;
esac
exit "$(cat "$TEST_TMPDIR/query_status" 2>/dev/null || echo 3)"
SCRIPT
mkdir -p "$tree"/{models/x,sim,docs}
touch "$tree"/models/x/{hit,miss,all}.c "$tree/sim/a.c" "$tree/docs/a.md" unknown
reached() { # FILE...: the targets that a change of them reaches
	printf '%s\n' "$@" >changed
	"$fuzz" change --out=change --slices=1 --jobs=1 2>/dev/null |
		sed -n 's/^  \([a-z_]*\)$/\1/p'
}
rm "$tree/corpora/canary_fuzz/seed/killer"
expect "a document reaches nothing" "" "$(reached docs/a.md)"
expect "and then the status is 0" 0 "$("$fuzz" change --out=change >change.log && echo 0)"
expect "but nothing is OK, since nothing is run" "Nothing is run." "$(tail -n 1 change.log)"
expect "the simulator reaches all" canary_fuzz "$(reached docs/a.md sim/a.c)"
expect "a model reaches the scenario that depends on it" canary_fuzz "$(reached models/x/hit.c)"
expect "and no other" "" "$(reached models/x/miss.c)"
expect "what all have in common reaches all" canary_fuzz "$(reached models/x/all.c)"
expect "an input is its target's" canary_fuzz "$(reached corpora/canary_fuzz/seed/x)"
expect "not another's" "" "$(reached corpora/other_fuzz/seed/x)"
echo sim/a.c >unknown
expect "a file that git does not know counts" canary_fuzz "$(reached docs/a.md)"
: >unknown
echo 7 >query_status
expect "where Bazel does not answer, all are taken" canary_fuzz "$(reached models/x/miss.c)"
rm query_status
printf '\0\352\0\377\0' >"$tree/corpora/canary_fuzz/seed/killer"
echo sim/a.c >changed
found=$("$fuzz" change --out=change --slices=1 --jobs=1 2>/dev/null)
expect "an input of the tree that fails: its status" 10 $?
expect "it is told" "The tree's inputs: 1 failed, 0 new findings" "$(grep "^The tree" <<<"$found")"
found=$("$fuzz" change --out=change --slices=1 --jobs=1 2>/dev/null)
expect "each time" 10 $?
"$fuzz" change --out=change --base=other >/dev/null 2>&1
expect "a revision that is none: 64" 64 $?

# ---- usage ----

"$fuzz" run nothing_fuzz --out=calm 2>/dev/null
expect "no such target: 64" 64 $?
for name in canery_fuzz canery; do
	for subcommand in run prune 'batch --time=60' status keep; do
		# shellcheck disable=SC2086 # words
		"$fuzz" $subcommand $name 2>names.err
		expect "$subcommand $name: 64" 64 $?
		expect "the nearest target is told" \
			"fuzz: '$name' is no target; did you mean 'canary_fuzz'?" \
			"$(head -n 1 names.err)"
	done
done
"$fuzz" run crng_seed --out=calm 2>names.err
expect "a scenario without a program here: 64" 64 $?
expect "and none that is not here is told" 0 "$(grep -c 'did you mean' names.err)"
expect "a scenario's name is its target's" "canary_fuzz canary_fuzz" \
	"$("$fuzz" status canary --out=calm | sed -n 's/^  \(canary_fuzz\) .*/\1/p' | xargs)"
"$fuzz" prune canary --out=small >/dev/null 2>&1
expect "for all of them" 0 $?
"$fuzz" run ../calm --out=calm 2>/dev/null
expect "a target is no path: 64" 64 $?
"$fuzz" run --engine=x 2>/dev/null
expect "no such engine: 64" 64 $?
for subcommand in run batch change; do
	"$fuzz" $subcommand --time=0.001 --out=calm >short.log 2>&1
	expect "$subcommand: a time in which nothing could run: 64" 64 $?
	expect "and it does not say OK" 0 "$(grep -c '^OK' short.log)"
done
cp -r "$engines" idle
stand_in idle/libfuzzer/canary_fuzz <<'SCRIPT'
#!/bin/bash
[ -z "${SEEDBED_FUZZ_DESCRIBE-}" ] || echo max_len 48 >"$SEEDBED_FUZZ_DESCRIBE"
SCRIPT
found=$(SEEDBED_FUZZ_ENGINES=$PWD/idle "$fuzz" run --out=idle.out --slices=1 --jobs=1 \
	--engine=libfuzzer 2>/dev/null)
expect "an engine that runs nothing: 70" 70 $?
expect "it says so" "NOTHING RAN slices=1 executions=0 failures=0 findings=0" \
	"$(tail -n 1 <<<"$found")"
"$fuzz" run --jobs=0 2>/dev/null
expect "no jobs: 64" 64 $?
rm "$bin/afl-fuzz"
found=$(PATH=$bin "$fuzz" run --out=calm 2>&1)
expect "no afl-fuzz: 69" 69 $?
expect "it says what to do" \
	"fuzz: no afl-fuzz: apt-get install afl++, or --engine=libfuzzer" "$found"
rm "$engines/libfuzzer/canary_fuzz"
"$fuzz" run --engine=libfuzzer --out=calm 2>/dev/null
expect "a program that is missing: 66" 66 $?
for subcommand in run change batch prune status keep; do
	expect "$subcommand --help" "Usage: fuzz $subcommand" \
		"$("$fuzz" $subcommand --help | grep -o "^Usage: fuzz $subcommand")"
done
"$fuzz" rum 2>help.err
expect "a word that is no subcommand: 64" 64 $?
expect "the nearest one is told" "fuzz: 'rum' is not a subcommand; did you mean 'run'?" \
	"$(head -n 1 help.err)"
