#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The shards of seeds_test.sh explore each seed of the range once and in order, and a failure's
# status and line reach the test's log. The list of tools/bazel/scenarios.bzl is that of the
# command, but for what is for tests only.
#
#   seeds_script_test.sh SEEDS_TEST TESTING_COMMAND COMMAND SCENARIO...

set -u
script=$1 command=$2
unset TEST_UNDECLARED_OUTPUTS_DIR TEST_SHARD_STATUS_FILE SEEDBED_OPTIONS
cd "$TEST_TMPDIR" || exit 1
script=$OLDPWD/$script command=$OLDPWD/$command
lists=$OLDPWD/$3
shift 3
failed=0
fail() {
	echo "FAIL: $*"
	failed=1
}

cat >fake <<'END'
#!/bin/bash
for argument; do
	case $argument in --seeds=*) range=${argument#*=} ;; esac
done
seq "${range%..*}" "${range#*..}"
END
chmod +x fake
for case in 1..10/3 5..5/4 1..40000/8 7..20/14 100000000001..100000000009/2; do
	range=${case%/*} shards=${case#*/}
	for ((i = 0; i < shards; i++)); do
		SEEDBED_SEEDS=$range TEST_TOTAL_SHARDS=$shards TEST_SHARD_INDEX=$i \
			"$script" "$PWD/fake" any
	done | grep -v '^seeds_test' >got
	seq "${range%%..*}" "${range##*..}" >want
	cmp got want || fail "$case"
done
for bad in '' 1 5..4 1..x -1..2 '1..2;true'; do
	SEEDBED_SEEDS=$bad "$script" "$PWD/fake" any >/dev/null 2>&1
	[ $? = 64 ] || fail "SEEDBED_SEEDS=$bad is taken"
done

TEST_SHARD_STATUS_FILE=$PWD/status SEEDBED_SEEDS=1..50 "$script" "$command" mailbox >out ||
	fail "a clean range"
[ -e status ] || fail "Bazel is not told that shards are known"
TEST_UNDECLARED_OUTPUTS_DIR=$PWD/kept SEEDBED_SEEDS=1..5000 SEEDBED_OPTIONS=--bug=unlocked \
	"$script" "$command" mailbox >out 2>&1
status=$?
[ $status -ge 10 ] || fail "a planted bug ends with $status"
tail -n 1 out | grep -q '^replay: tools/seedbed replay mailbox ' || fail "no line that replays"
[ -n "$(find kept -name decisions)" ] || fail "nothing is kept"

"$lists" list | grep -E '^[a-z0-9-]+$' | grep -vxE 'strategies|subjects' | sort >got
printf '%s\n' "$@" | sort >want
diff want got || fail "tools/bazel/scenarios.bzl is another list"
exit $failed
