#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# seeds_test.sh COMMAND SCENARIO    the part of one Bazel shard of a range of seeds
#
# SEEDBED_SEEDS=A..B is the range (1..40000 unless told), SEEDBED_OPTIONS what else `seedbed
# explore` takes. Shard i of n explores the i-th of n parts, in order, each as long as the others or
# one seed longer. What is found lies in the test's undeclared outputs, and the log ends with the
# line that replays it. Exit status: 0; 64, no range of decimal numbers; else that of `seedbed
# explore`.

set -u
range=${SEEDBED_SEEDS-1..40000} num=${TEST_TOTAL_SHARDS-1} index=${TEST_SHARD_INDEX-0}
[ -z "${TEST_SHARD_STATUS_FILE-}" ] || : >"$TEST_SHARD_STATUS_FILE"
if ! [[ $range =~ ^([0-9]{1,18})\.\.([0-9]{1,18})$ ]]; then
	echo "seeds_test.sh: SEEDBED_SEEDS=$range is not A..B" >&2
	exit 64
fi
first=$((10#${BASH_REMATCH[1]})) last=$((10#${BASH_REMATCH[2]}))
count=$((last - first + 1))
if [ "$count" -lt 1 ]; then
	echo "seeds_test.sh: SEEDBED_SEEDS=$range has no seed" >&2
	exit 64
fi
each=$((count / num)) longer=$((count % num))
begin=$((first + each * index + (index < longer ? index : longer)))
end=$((begin + each - (index < longer ? 0 : 1)))
if [ "$begin" -gt "$end" ]; then
	echo "seeds_test.sh: fewer seeds than shards: none for shard $index"
	exit 0
fi
# shellcheck disable=SC2086 # several options
exec -a tools/seedbed "$1" explore "$2" --seeds="$begin..$end" --jobs=1 \
	--out="${TEST_UNDECLARED_OUTPUTS_DIR-findings}" ${SEEDBED_OPTIONS-}
