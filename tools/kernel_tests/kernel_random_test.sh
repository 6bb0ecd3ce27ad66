#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The CRNG's scenarios on drivers/char/random.c of Linux 6.12: what is found is known, each known
# finding replays, and what a fix mended is found again where it is taken back. Bugs are named as
# the planted ones are. `tools/test --kernel` fetches the tree and runs this; $2 is the command.

# shellcheck source=tools/script_tests/script_tests.sh
. tools/script_tests/script_tests.sh

kernel=$top/.build/kernel-trees/6.12
if [ -z "${SEEDBED_KERNEL-}" ] || [ ! -s "$kernel/Makefile" ]; then
	echo "SKIPPED: needs a kernel tree; tools/test --kernel fetches it and runs this test"
	exit 0
fi
seedbed=$(readlink -f "$2")
export SEEDBED_BUILT=$TEST_TMPDIR/built SEEDBED_ROOT=$top
cd "$tree" || exit 1
mkdir -p .build/kernel-trees
ln -s "$kernel" .build/kernel-trees/6.12
random=drivers/char/random.c
seeds=20000
[ -z "${SEEDBED_NIGHTLY-}" ] || seeds=1000000

run() {
	"$seedbed" "$@" >out 2>err
}

# A copy whose random.c may be changed, with links to what is not.
copy() {
	rm -rf "$1"
	mkdir -p "$1/drivers/char"
	cp "$kernel/Makefile" "$1/"
	cp "$kernel/$random" "$1/$random"
	ln -s "$kernel/drivers/char/hw_random" "$1/drivers/char/hw_random"
	ln -s "$kernel/lib" "$1/lib"
	ln -s "$kernel/include" "$1/include"
}

for scenario in seed boot readers reseed vmfork hotplug hwrng; do
	run explore crng-$scenario --seeds=1..$seeds --subject=kernel:.build/kernel-trees/6.12
	status=$?
	[ $status = 0 ] || cat out
	expect "crng-$scenario: what is found is known" 0 $status
done

for file in "$top"/corpora/known/6.12*-crng-*; do
	key=$(sed -n 's/^key //p' "$file")
	run replay "$file"
	expect "$key replays" yes "$(grep -q "key=$key " out && echo yes)"
done

# The same tree elsewhere, and another process: the same digest, with each HZ.
digest() {
	run replay crng-readers --seed=7 --set=hooks=1 --set=hz="$2" --subject="$1"
	grep -o 'digest=[^ ]*' out
}
copy same
for hz in 100 250 1000; do
	one=$(digest kernel:.build/kernel-trees/6.12 $hz)
	expect "hz=$hz: there is a digest" yes "${one:+yes}"
	expect "hz=$hz: another process has it" "$one" \
		"$(digest kernel:.build/kernel-trees/6.12 $hz)"
	expect "hz=$hz: a copy elsewhere has it" "$one" "$(digest kernel:same $hz)"
done

# The real loop of the jitter source makes the CRNG ready where nothing else does.
run replay crng-boot --seed=0 --set=jitter=1 --set=generator=0 --set=interrupts=0 \
	--set=late_seed=0 --set=dt_seed=0 --set=efi_seed=0 --trace=text \
	--subject=kernel:.build/kernel-trees/6.12
expect "jitter makes it ready" yes "$(grep -q 'crng init done' out && echo yes)"

run explore crng-seed --bug=16 --subject=kernel:same --seeds=1..10
expect "a bug of the model is refused" 64 $?
run explore crng-seed --set=version=6.1 --subject=kernel:same --seeds=1..10
expect "and a version of the model" 64 $?

# Data races: of what is not marked in the kernel's own source, on crng_init (4 bytes) and on the
# last input value (1 byte), and no other. They are known, whatever the compiler makes of it.
stand_in "$bin/other-cc" <<'SCRIPT'
#!/bin/sh
exec gcc "$@" -O1 -fno-inline-small-functions
SCRIPT
for cc in gcc "$bin/other-cc"; do
	for scenario in seed reseed; do
		CC=$cc run explore crng-$scenario --seeds=1..1000 --set=hooks=2 \
			--subject=kernel:same
		expect "crng-$scenario, ${cc##*/}: what is found is known" 0 $?
		expect "crng-$scenario, ${cc##*/}: races are found" yes \
			"$(grep -q 'data-race: crng_init: .*of 4 bytes' out && echo yes)"
	done
done

# expect_found BUG SCENARIO ORACLE [OPTION...]: the edits of sed's script on standard input bring
# that oracle, within $bound seeds.
bound=200000
expect_found() {
	local bug=$1 scenario=$2 oracle=$3
	shift 3
	copy "bug-$bug"
	sed -i -f /dev/stdin "bug-$bug/$random"
	expect "bug $bug: the edit is made" no \
		"$(cmp -s "$kernel/$random" "bug-$bug/$random" && echo yes || echo no)"
	run explore "$scenario" --seeds=1..$bound --subject="kernel:bug-$bug" "$@"
	expect "bug $bug: is found by $scenario's $oracle" "$oracle" \
		"$(grep -o "key=$scenario/[^/]*" out | head -n 1 | cut -d/ -f2)"
	head -n 1 out
}

# expect_race BUG SCENARIO: the edits bring a data race of 8 bytes, which the tree itself has not.
expect_race() {
	copy "bug-$1"
	sed -i -f /dev/stdin "bug-$1/$random"
	run explore "$2" --seeds=1..1000 --set=hooks=2 --subject="kernel:bug-$1"
	expect "bug $1: is found by $2's data race" 10 $?
	expect "bug $1: of 8 bytes" yes "$(grep -q 'data-race:.*of 8 bytes' out && echo yes)"
}

# 009ba8568be4: what tells a key's age is read without a mark.
expect_race 5 crng-reseed <<'SED'
s/READ_ONCE(base_crng.generation)/base_crng.generation/
SED
# e00d996a4317: a device's timings have no marks.
expect_race 6 crng-seed <<'SED'
/^static void add_timer_randomness/,/^}/ {
	s/READ_ONCE(\(state->[a-z0-9_]*\))/\1/
	s/WRITE_ONCE(\(state->[a-z0-9_]*\), \([a-z0-9]*\))/\1 = \2/
}
SED
# f7e67b8e8031: work is queued before there are work queues.
expect_found 7 crng-seed crng-no-workqueue <<'SED'
s/if (likely(system_unbound_wq))/if (1)/
SED
# c30c575: what interrupts bring before EARLY does not get into the pool.
expect_found 10 crng-seed crng-credit <<'SED'
/^static void mix_interrupt_randomness/,/^}/s/mix_pool_bytes(pool/if (crng_init != CRNG_EMPTY) &/
SED
# 3191dd5a1179: nothing is reset when a CPU comes.
expect_found 12 crng-hotplug crng-cpu-fresh <<'SED'
/^int __cold random_prepare_cpu/,/^}/s/^\tper_cpu_ptr.*//
/^int __cold random_online_cpu/,/^}/s/^\tper_cpu_ptr.*//
SED
# cbe89e5a375a: batches are used before READY.
expect_found 13 crng-readers crng-fresh <<'SED'
/^#define DEFINE_BATCHED_ENTROPY/,/^EXPORT_SYMBOL/s/if  (!crng_ready())/if  (0)/
SED
# e3e33fc2ea7f: interrupts are hashed in hardirq.
expect_found 14 crng-seed crng-no-hash-in-hardirq <<'SED'
/^void add_interrupt_randomness/,/^}/{
	s/new_count = ++fast_pool->count;/& mix_pool_bytes(fast_pool->pool, 16);/
}
SED
# 534d2eaf1970: a fast pool is mixed after 64 interrupts.
expect_found 15 crng-seed crng-storm-bounded <<'SED'
s/new_count < 1024/new_count < 64/
SED
# e78a802a7b4f: interrupts are credited beyond the bits that were mixed.
expect_found 16 crng-seed crng-credit <<'SED'
s|(count & U16_MAX) / 64, 1, sizeof(pool) \* 8|(count \& U16_MAX) / 64, 1, 1023|
SED
# e871abcda3b6: the static key is switched by whoever credits.
expect_found 21 crng-seed sleep-in-atomic <<'SED'
s/queue_work(system_unbound_wq, &set_ready)/crng_set_ready(\&set_ready)/
SED
# The others that are planted in the model without a number.
expect_found pool-key-kept crng-seed crng-erased <<'SED'
/blake2s_init_key(&input_pool.hash/s/next_key, /seed, /
SED
expect_found early-unchecked crng-seed crng-stage <<'SED'
/^static void __cold _credit_init_bits/,/^}/s/if (crng_init == CRNG_EMPTY)/if (1)/
SED
expect_found batch-end crng-readers crng-bytes-from-stream <<'SED'
s/batch->position >= ARRAY_SIZE(batch->entropy)/batch->position > ARRAY_SIZE(batch->entropy)/
SED
expect_found generation-unordered crng-reseed crng-vdso-generation <<'SED'
s/smp_store_release(\(.*generation\), next_gen + 1)/WRITE_ONCE(*\1, next_gen + 1)/
SED
expect_found reseed-not-queued crng-reseed crng-reseed-due <<'SED'
s/queue_delayed_work(system_unbound_wq, &next_reseed, crng_reseed_interval())/(void)\&next_reseed/
SED
expect_found resume-no-reseed crng-reseed crng-resume-reseeds <<'SED'
/^static int random_pm_notification/,/^}/s/crng_reseed(NULL);//
SED
expect_found prepare-keeps-key crng-hotplug crng-cpu-fresh <<'SED'
/^int __cold random_prepare_cpu/,/^}/s/^\tper_cpu_ptr(&crngs.*//
SED
expect_found prepare-keeps-batches crng-hotplug crng-cpu-fresh <<'SED'
/^int __cold random_prepare_cpu/,/^}/s/^\tper_cpu_ptr(&batched.*//
SED
# Its key is that of reseed_overtaken, which is rare: so few seeds do not find that.
bound=2000
run explore crng-vmfork --seeds=1..$bound --known=/dev/null --subject=kernel:same
expect "few seeds do not find what is known" 0 $?
expect_found fork-told-early crng-vmfork crng-provenance --known=/dev/null <<'SED'
/^void __cold add_vmfork_randomness/,/^}/ {
	s/^\tif (crng_ready()) {/\t{ blocking_notifier_call_chain(\&vmfork_chain, 0, NULL); }\n&/
	/^\tblocking_notifier_call_chain/d
}
SED
