#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The last line of tools/test, and what it hands to Bazel; Bazel is a stand-in that
# leaves the events of $WORLD/events and ends with the status of $WORLD/status.

# shellcheck source=tools/script_tests/script_tests.sh
. tools/script_tests/script_tests.sh

cp "$top/tools/test" "$top/tools/check" "$tree/tools/"
cd "$tree" || exit 1
export WORLD=$TEST_TMPDIR

stand_in tools/setup <<'SCRIPT'
#!/bin/sh
SCRIPT
stand_in "$bin/bazel" <<'SCRIPT'
#!/bin/sh
[ "$1" != --noblock_for_lock ] || exit "$(cat "$WORLD/lock")"
if [ "$1" = query ]; then
	echo //sim:large_test
	exit
fi
for word; do
	case $word in
	--build_event_json_file=*) cp "$WORLD/events" "${word#*=}" ;;
	--keep_going | --test_summary=* | --noshow_progress) ;;
	*) echo "$word" >>"$WORLD/arguments" ;;
	esac
done
exit "$(cat "$WORLD/status")"
SCRIPT

# closing STATUS: the last line of tools/test after the events on standard input.
summary() { echo "{\"id\":{\"testSummary\":{}},\"testSummary\":{\"overallStatus\":\"$1\"}}"; }
completed() { echo "{\"id\":{\"targetCompleted\":{}},\"completed\":{$1}}"; }
closing() {
	cat >"$WORLD/events"
	echo "$1" >"$WORLD/status"
	sh tools/test | tail -n 1
}

{ summary PASSED && completed '"success":true'; } >"$WORLD/good"
expect "a test that passes" "1 passed, 0 failed" "$(closing 0 <"$WORLD/good")"
expect "one that fails" "1 passed, 1 failed" "$({
	cat "$WORLD/good"
	summary FAILED
} | closing 3)"
expect "one that takes too long" "0 passed, 1 failed" "$(summary TIMEOUT | closing 3)"
expect "one that does not build" "1 passed, 1 failed" "$({
	cat "$WORLD/good"
	completed ''
} | closing 1)"
expect "a broken BUILD file" "1 passed, 1 failed" "$(closing 1 <"$WORLD/good")"
expect "no test at all" "0 passed, 1 failed" "$(closing 4 </dev/null)"
sh tools/test >/dev/null
expect "Bazel's status is the script's" 4 $?

summary PASSED >"$WORLD/events"
echo 0 | tee "$WORLD/status" >"$WORLD/lock"
expect "tools/check tells" "1 passed, 0 failed" "$(tools/check gcc | tail -n 1)"
expect "and waits for nobody" 0 "$(tools/check gcc | grep -c '^waiting: ')"
echo 9 >"$WORLD/lock"
expect "or says that it waits" 1 "$(tools/check gcc | grep -c '^waiting: another Bazel command')"

for script in test check; do
	found=$(tools/$script --help)
	expect "tools/$script --help: 0" 0 $?
	expect "and it begins with the usage of $script" "tools/$script " \
		"${found:0:$((7 + ${#script}))}"
done

arguments() {
	: >"$WORLD/arguments"
	sh tools/test "$@" >/dev/null
	tr '\n' ' ' <"$WORLD/arguments"
}
expect "all targets" "test //... " "$(arguments)"
expect "options pass through" "test --config=asan //... " "$(arguments --config=asan)"
expect "targets replace //..." "test //sim:a_test " "$(arguments //sim:a_test)"
expect "nightly adds its targets" "test --config=nightly //... //sim:large_test " \
	"$(arguments --nightly)"
expect "no event file is left behind" "" "$(find .build -name 'test-*')"
