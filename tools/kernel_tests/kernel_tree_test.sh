#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The hwrng scenarios on drivers/char/hw_random of Linux 6.12: what is found is known, each known
# finding replays, and what a fix mended is found again where it is taken back. Bugs' numbers are
# the planted ones'. `tools/test --kernel` fetches the tree and runs this; $2 is the command.

# shellcheck source=tools/script_tests/script_tests.sh
. tools/script_tests/script_tests.sh

kernel=$top/.build/kernel-trees/6.12
if [ -z "${SEEDBED_KERNEL-}" ] || [ ! -s "$kernel/Makefile" ]; then
	echo "SKIPPED: needs a kernel tree; tools/test --kernel fetches it and runs this test"
	exit 0
fi
seedbed=$(readlink -f "$2")
export SEEDBED_BUILT=$TEST_TMPDIR/built SEEDBED_ROOT=$top
core=drivers/char/hw_random/core.c
bcm2835=drivers/char/hw_random/bcm2835-rng.c
virtio=drivers/char/hw_random/virtio-rng.c
smccc=drivers/char/hw_random/arm_smccc_trng.c
cd "$tree" || exit 1
mkdir -p .build/kernel-trees
ln -s "$kernel" .build/kernel-trees/6.12
seeds=20000
[ -z "${SEEDBED_NIGHTLY-}" ] || seeds=1000000

run() {
	"$seedbed" "$@" >out 2>err
}

# A copy that may be changed, with links to what is not.
copy() {
	rm -rf "$1"
	mkdir -p "$1/drivers/char"
	cp "$kernel/Makefile" "$1/"
	cp -r "$kernel/drivers/char/hw_random" "$1/drivers/char/"
	ln -s "$kernel/include" "$1/include"
}

for scenario in bcm2835-read bcm2835-unregister hwrng-lifecycle; do
	run explore $scenario --seeds=1..$seeds --subject=kernel:.build/kernel-trees/6.12
	status=$?
	[ $status = 0 ] || cat out
	expect "$scenario: what is found is known" 0 $status
done

for set in fill=0 weak=1 rt=1 num_cpus=4; do
	for scenario in bcm2835-read hwrng-lifecycle; do
		run explore $scenario --seeds=1..2000 --set=$set \
			--subject=kernel:.build/kernel-trees/6.12
		expect "$scenario with $set: what is found is known" 0 $?
	done
done

run explore hwrng-lifecycle --seeds=1..200 --set=hooks=2 --keep-going \
	--subject=kernel:.build/kernel-trees/6.12
expect "the race of a variable is known" 1 \
	"$(grep -A 2 'data-race: current_quality: ' out | grep -c 'known: ')"

for file in "$top"/corpora/known/6.12*; do
	key=$(sed -n 's/^key //p' "$file")
	run replay "$file"
	expect "$key replays" yes "$(grep -q "key=$key " out && echo yes)"
done

# The same tree elsewhere, and another process: the same digest.
digest() {
	run replay hwrng-lifecycle --seed=7 --set=hooks=2 --subject="$1"
	grep -o 'digest=.*' out | sed 's/commit=[^ ]*//'
}
copy same
one=$(digest kernel:.build/kernel-trees/6.12)
expect "another process has the same digest" "$one" "$(digest kernel:.build/kernel-trees/6.12)"
# Links and a copy are the same files to the compiler, but not the same names.
expect "a copy elsewhere has it too" "${one%% *}" "$(digest kernel:same | sed 's/ .*//')"

# Each atomic operation and marked access in the sources is a site of the object, and so an event:
# tools/kernel_tests/kernel_object_test.c asks that each kind is.
object=$("$top/tools/kernel" build "$kernel" | tail -n 1)
strings -a "$object" >words
for operation in kref_get kref_put kref_read kref_get_unless_zero kref_init mutex_is_locked \
	rcu_dereference rcu_assign_pointer RCU_INIT_POINTER rcu_access_pointer read_once \
	write_once set_current_state need_resched signal_pending kthread_should_stop jiffies \
	smp_load_acquire smp_store_release ida_alloc ida_free reinit_completion complete \
	wait_for_completion_killable cond_resched; do
	expect "$operation is a site" "$operation" "$(grep -xF "$operation" words | head -n 1)"
done
others='atomic(64|_long)?_[a-z_]+|refcount_[a-z_]+|(try_)?cmpxchg[a-z_]*|xchg[a-z_]*'
others="$others|this_cpu_[a-z_]+|(test|set|clear)_bit|__sync_[a-z_]+|__atomic_[a-z_]+"
expect "no other atomic is in the sources" "" "$(cd "$kernel/drivers/char/hw_random" &&
	grep -nE "\\b($others)\\(" core.c bcm2835-rng.c iproc-rng200.c virtio-rng.c \
		arm_smccc_trng.c)"

# A trace names the registers that a tree's driver touches.
run replay bcm2835-read --seed=1 --subject=kernel:same --trace=text
expect "a register read is in the trace" yes "$(grep -qE \
	'model .*:readl +4 [0-9]+ bcm2835-rng STATUS$' out && echo yes)"
expect "a register write is in the trace" yes "$(grep -qE \
	'model .*:writel +0 0 bcm2835-rng CTRL$' out && echo yes)"
# expect_found BUG SCENARIO ORACLE FILE [OPTION...]: the edits of sed's script on standard input
# bring that oracle, and status 1 of --bisect.
expect_found() {
	local bug=$1 scenario=$2 oracle=$3 file=$4 status
	shift 4
	copy "bug$bug"
	sed -i -f /dev/stdin "bug$bug/$file"
	expect "bug $bug: the edit is made" no \
		"$(cmp -s "$kernel/$file" "bug$bug/$file" && echo yes || echo no)"
	run explore "$scenario" --seeds=1..200000 --subject="kernel:bug$bug" --bisect "$@"
	status=$?
	[ $status = 1 ] || cat out err
	expect "bug $bug is found by $scenario" 1 $status
	expect "bug $bug: by $oracle" "$oracle" \
		"$(grep -o "key=$scenario/[^/]*" out | head -n 1 | cut -d/ -f2)"
	head -n 1 out
}

# cc2f39d6ac48: the thread ends by itself, and unregister stops what it finds.
expect_found 55 hwrng-lifecycle kthread-misuse $core <<'SED'
/^static int hwrng_fillfn(void \*unused)$/,/^}/ {
	/TASK_INTERRUPTIBLE/,+2d
	s/^\t\t\twhile (!kthread_should_stop()) {/\t\t\tif (0) {/
	s/return 0;/WRITE_ONCE(hwrng_fill, NULL); return 0;/
}
/^static void drop_current_rng(void)$/,/^}/s/if (hwrng_fill) {/if (0) {/
/^void hwrng_unregister/,/^}/ {
	s/^\tint err;/\tint err, empty; struct task_struct *t;/
	s/mutex_unlock(&rng_mutex);/t = READ_ONCE(hwrng_fill); & if (empty \&\& t) kthread_stop(t);/
	s/list_del(&rng->list);/& empty = list_empty(\&rng_list);/
}
SED
# 36cb6494429b: nothing ends the sleep after a failed read.
expect_found 56 bcm2835-unregister hwrng-unregister-bound $core <<'SED'
/^long hwrng_msleep/,/^}/s/wait_for.*timeout(/schedule_timeout_uninterruptible(timeout); (void)(/
SED
# a027f30d72f2: unregister does not wait.
expect_found 57 bcm2835-unregister hwrng-balance $core <<'SED'
/^void hwrng_unregister/,/^}/s/wait_for_completion(.*);//
SED
# 96cb9d055445: the driver polls.
expect_found 62 bcm2835-read hwrng-busy-loop $bcm2835 <<'SED'
s/hwrng_yield(rng)/cpu_relax()/
SED
# b58a36008bfa: the driver sleeps for a second.
expect_found 63 bcm2835-read hwrng-throughput $bcm2835 <<'SED'
s/hwrng_yield(rng)/hwrng_msleep(rng, 1000)/
SED
# e052dbf55461: data is asked for before DRIVER_OK.
expect_found 67 hwrng-lifecycle virtio-rng-before-ready $virtio <<'SED'
/^static int probe_common/,/^}/s/virtio_device_ready(vdev);//
SED
# CVE-2026-64456: the length that the host tells is believed.
expect_found 68 hwrng-lifecycle hwrng-driver-bytes $virtio --set=hostile=1 <<'SED'
/^static unsigned int copy_data/,/^}/ {
	s/avail = min_t(.*/avail = vi->data_avail + vi->data_idx;/
	s/array_index_nospec(vi->data_idx, .*)/vi->data_idx/
}
SED
# 042b4b169c6f: NO_ENTROPY is an error.
expect_found 71 hwrng-lifecycle hwrng-read-gives-up $smccc <<'SED'
s/switch ((int)res.a0) {/if ((int)res.a0 < 0) return (int)res.a0; &/
SED
# Hot unplug as it was before there was a hwrng_removed: a reader waits for a host that was reset.
expect_found unplug hwrng-lifecycle deadlock $virtio <<'SED'
/^static void remove_common/,/^}/ {
	s/vi->hwrng_removed = true;//
	s/complete(&vi->have_data);/virtio_reset_device(vdev);/
}
SED
# The last of several words that were read is not counted.
expect_found words-lost bcm2835-read hwrng-driver-loses $bcm2835 <<'SED'
/^static int bcm2835_rng_read/,/^}/ {
	s/return num_words \* sizeof(u32);/return (num_words - (num_words > 1)) * sizeof(u32);/
}
SED
# The driver waits, whatever it is told.
expect_found wait-ignored bcm2835-read hwrng-read-blocks $bcm2835 <<'SED'
/^static int bcm2835_rng_read/,/^}/s/if (!wait)/if (0)/
SED
# The generator is started without its warm-up.
expect_found cold-start bcm2835-read hwrng-cold-words $bcm2835 <<'SED'
/^static int bcm2835_rng_init/,/^}/s/rng_writel(priv, RNG_WARMUP_COUNT, RNG_STATUS);//
SED

# A clock that stays on, though that of another driver does, as is known.
expect_found clock hwrng-lifecycle hwrng-balance $bcm2835 <<'SED'
/^static void bcm2835_rng_cleanup/,/^}/s/clk_disable_unprepare(.*);/;/
SED
expect "a clock that stays on: it is told whose" 1 "$(grep -c 'bcm2835\..*not off' out)"

copy broken
echo 'int' >>broken/$core
run explore bcm2835-read --seeds=1..10 --subject=kernel:broken --bisect
expect "what does not compile is passed over by a bisection" 125 $?
run explore bcm2835-read --seeds=1..2000 --subject=kernel:same --bisect
expect "what is known is good" 0 $?
