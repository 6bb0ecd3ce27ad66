#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The models against the code of Linux 6.12, and of 6.1 and 7.2 where they have been fetched:
# `seedbed compare` finds no difference, and one where an edit in a copy of the tree makes one.
# `tools/test --kernel` fetches the tree and runs this; $2 is the command. Nightly: 20,000 lists.

# shellcheck source=tools/script_tests/script_tests.sh
. tools/script_tests/script_tests.sh

trees=$top/.build/kernel-trees
kernel=$trees/6.12
if [ -z "${SEEDBED_KERNEL-}" ] || [ ! -s "$kernel/Makefile" ]; then
	echo "SKIPPED: needs a kernel tree; tools/test --kernel fetches it and runs this test"
	exit 0
fi
seedbed=$(readlink -f "$2")
export SEEDBED_BUILT=$TEST_TMPDIR/built SEEDBED_ROOT=$top
cd "$tree" || exit 1
random=drivers/char/random.c
core=drivers/char/hw_random/core.c
bcm2835=drivers/char/hw_random/bcm2835-rng.c
lists=200
[ -z "${SEEDBED_NIGHTLY-}" ] || lists=20000

run() {
	"$seedbed" compare "$@" >out 2>err
}

for version in 6.12 6.1 7.2; do
	[ -s "$trees/$version/Makefile" ] || continue
	for family in crng hwrng; do
		run $family --subject="kernel:$trees/$version" --seeds=1..$lists
		status=$?
		[ $status = 0 ] || cat out
		expect "$version: the model of $family does what the kernel does" 0 $status
	done
done

# Another process, the same report.
run crng --subject="kernel:$kernel" --seeds=1..50 --json
cp out first
run crng --subject="kernel:$kernel" --seeds=1..50 --json
expect "the report is a function of the seeds" yes "$(cmp -s first out && echo yes)"

# A copy whose file $2 may be changed, with links to what is not.
copy() {
	rm -rf "$1"
	mkdir -p "$1/drivers/char/hw_random"
	cp "$kernel/Makefile" "$1/"
	cp "$kernel"/drivers/char/hw_random/*.c "$1/drivers/char/hw_random/"
	cp "$kernel/$random" "$1/$random"
	ln -s "$kernel/lib" "$1/lib"
	ln -s "$kernel/include" "$1/include"
}

# expect_difference WHAT FAMILY KEY FILE: the edits of sed's script on standard input bring a
# difference whose key begins so, and the command that is told then shows it again.
expect_difference() {
	local what=$1 family=$2 key=$3 file=$4 repeat
	copy edited
	sed -i -f /dev/stdin "edited/$file"
	expect "$what: the edit is made" no \
		"$(cmp -s "$kernel/$file" "edited/$file" && echo yes || echo no)"
	run "$family" --subject=kernel:edited --seeds=1..300
	expect "$what: differs" 10 $?
	expect "$what: as compare-$family/$key" yes \
		"$(grep -q "^differs: compare-$family/$key" out && echo yes)"
	repeat=$(sed -n 's/^  repeat: .* compare //p' out | head -n 1)
	# The words have no blanks.
	# shellcheck disable=SC2086
	run $repeat
	expect "$what: repeated" 10 $?
}

expect_difference "a bit too much is credited" crng 'RNDADDENTROPY/credit-given' $random <<'SED'
s/add = min_t(size_t, bits, POOL_BITS)/add = min_t(size_t, bits + 1, POOL_BITS)/
SED
expect_difference "EARLY comes a bit too late" crng '[A-Za-z_]*/stage' $random <<'SED'
s/POOL_EARLY_BITS = POOL_READY_BITS \/ 2/& + 1/
SED
expect_difference "nobody is woken" crng '[A-Za-z_]*/return-value' $random <<'SED'
s/wake_up_interruptible(&crng_init_wait);//
SED
expect_difference "a minute of reseeding is 59 s" crng '[A-Za-z_]*/jiffy-of-the-next-reseed' \
	$random <<'SED'
s/CRNG_RESEED_INTERVAL = 60 \* HZ/CRNG_RESEED_INTERVAL = 59 * HZ/
SED
expect_difference "a key that repeats counts" crng 'add_input_randomness/' $random <<'SED'
s/if (value == last_value)/if (0)/
SED
expect_difference "a timing is worth 12 bits" crng 'add_[a-z]*_randomness/' $random <<'SED'
s/bits = min(fls(delta >> 1), 11)/bits = min(fls(delta >> 1), 12)/
SED
expect_difference "a resume does not reseed" crng 'random_pm_notification/' $random <<'SED'
/^static int random_pm_notification/,/^}/s/crng_reseed(NULL);//
SED
expect_difference "flags that exclude each other do not" crng 'getrandom/return-value' \
	$random <<'SED'
s/if ((flags & (GRND_INSECURE | GRND_RANDOM)) == (GRND_INSECURE | GRND_RANDOM))/if (0)/
SED
expect_difference "an equal device takes over" hwrng 'hwrng_register/' $core <<'SED'
s/rng->quality > cur_rng->quality/rng->quality >= cur_rng->quality/
SED
expect_difference "twice the bits are credited" hwrng '[A-Za-z_]*/bits-credited' $core <<'SED'
s/entropy >> 10, true/entropy >> 9, true/
SED
expect_difference "a failed read costs 1 s" hwrng '' $core <<'SED'
s/hwrng_msleep(rng, 10000)/hwrng_msleep(rng, 1000)/
SED
expect_difference "a clock stays on" hwrng '[a-z_]*/clock-count' $bcm2835 <<'SED'
s/clk_disable_unprepare(priv->clk);//
SED
expect_difference "a reader who does not wait gets 0" hwrng 'rng_dev_read/return-value' \
	$core <<'SED'
s/err = -EAGAIN;/err = 0;/
SED
