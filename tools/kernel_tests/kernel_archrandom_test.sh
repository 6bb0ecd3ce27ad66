#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The arm64 scenarios on archrandom.h of Linux 6.12, and of 6.1 and 7.2 where they were fetched:
# what is found is known; with a fix taken back, or a defect made, by an edit of a copy, it is
# found. `tools/test --kernel` fetches 6.12 and runs this; $2 is the command. 5,000 seeds of each
# unedited tree; nightly 100,000.

# shellcheck source=tools/script_tests/script_tests.sh
. tools/script_tests/script_tests.sh

trees=$top/.build/kernel-trees
if [ -z "${SEEDBED_KERNEL-}" ] || [ ! -s "$trees/6.12/Makefile" ]; then
	echo "SKIPPED: needs a kernel tree; tools/test --kernel fetches it and runs this test"
	exit 0
fi
seedbed=$(readlink -f "$2")
export SEEDBED_BUILT=$TEST_TMPDIR/built SEEDBED_ROOT=$top
header=arch/arm64/include/asm/archrandom.h
cd "$tree" || exit 1
mkdir -p .build
ln -s "$trees" .build/kernel-trees
seeds=5000
[ -z "${SEEDBED_NIGHTLY-}" ] || seeds=100000

run() {
	"$seedbed" "$@" >out 2>err
}

for version in 6.1 6.12 7.2; do
	[ -s "$trees/$version/$header" ] || continue
	for scenario in arm64-archrandom arm64-boot boot-hwrng; do
		run explore $scenario --seeds=1..$seeds \
			--subject=kernel:.build/kernel-trees/$version
		status=$?
		[ $status = 0 ] || cat out err
		expect "$version, $scenario: what is found is known" 0 $status
	done
	run explore arm64-archrandom --seeds=1..2000 --set=preempt=0 --set=num_cpus=4 \
		--subject=kernel:.build/kernel-trees/$version
	expect "$version, preemption not counted: what is found is known" 0 $?
done
for file in "$top"/corpora/known/*arm64-trapped-reads*; do
	key=$(sed -n 's/^key //p' "$file")
	run replay "$file"
	expect "$key replays" yes "$(grep -q "key=$key " out && echo yes)"
done

# copy VERSION: the folder `edited` becomes a copy whose header may be changed.
copy() {
	rm -rf edited
	mkdir -p edited/arch/arm64/include edited/arch/arm64/include/uapi
	cp "$trees/$1/Makefile" edited/
	cp -r "$trees/$1/arch/arm64/include/." edited/arch/arm64/include/
	ln -s "$trees/$1/include" edited/include
}

# edit VERSION WHAT: sed's script on standard input, in a copy.
edit() {
	copy "$1"
	sed -i -E -f /dev/stdin edited/$header
	expect "$1, $2: the edit is made" no \
		"$(cmp -s "$trees/$1/$header" edited/$header && echo yes || echo no)"
}

# found VERSION WHAT SCENARIO ORACLES [OPTION...]: the edits of standard input bring one of the
# oracles "A|B".
found() {
	local version=$1 what=$2 scenario=$3 oracles=$4
	shift 4
	[ -s "$trees/$version/$header" ] || return 0
	edit "$version" "$what"
	run explore "$scenario" --seeds=1..20000 --subject=kernel:edited --bisect "$@"
	[ $? = 1 ] || cat out err
	expect "$version, $what: found by $scenario, $oracles" 1 \
		"$(grep -cE "^FAIL key=$scenario/($oracles)/" out)"
	head -n 1 out
}

for version in 6.12 7.2; do
	# Until all CPUs have come nobody but random_init_early finds RNDR; here not even it.
	found $version "bug 25" arm64-archrandom "arm64-rng-use|arm64-reads-per-call" <<'SED'
/__cpu_has_rng\(void\)$/,/^}/s/return this_cpu_has_cap.*/return false;/
SED
	# "avoid trapping ID register read", which neither has.
	found $version "bug 27" arm64-boot arm64-reads-per-call --set=design=sanitised <<'SED'
1i /* As it is. */
SED
	[ -s "$trees/$version/$header" ] || continue
	edit $version "that patch" <<'SED'
s/this_cpu_has_cap\(ARM64_HAS_RNG\)/cpuid_feature_extract_unsigned_field(\
	read_sanitised_ftr_reg(SYS_ID_AA64ISAR0_EL1), ID_AA64ISAR0_EL1_RNDR_SHIFT)/
SED
	run explore arm64-boot --seeds=1..2000 --subject=kernel:edited --set=design=sanitised \
		--known=/dev/null
	expect "$version with that patch, by its design: nothing" 0 $?
	run explore arm64-boot --seeds=1..2000 --subject=kernel:edited --bisect
	expect "$version with that patch, by the design of before: told" "1 yes" \
		"$? $(grep -q 'by design local-cap' out && echo yes)"
	found $version "query-preemptible" arm64-archrandom arm64-preemptible-query <<'SED'
s/ && !preemptible\(\)//
SED
done

found 6.12 "while-not-ok: retried for ever" arm64-archrandom arm64-call-bounded <<'SED'
/__arm64_rndr\(/,/^}/s/return ok;/return ok ? ok : __arm64_rndr(v);/
SED
found 6.12 "failed-value: the flag is ignored" arm64-archrandom arm64-words <<'SED'
/__arm64_rndr\(/,/^}/s/cset %w1, ne/mov %w1, #1/
SED
found 6.12 "the wrong flag" arm64-archrandom arm64-words <<'SED'
/__arm64_rndrrs\(/,/^}/s/cset %w1, ne/cset %w1, cc/
SED
found 6.12 "RNDR before the question" arm64-archrandom "arm64-rndr-undefined|arm64-rng-use" <<'SED'
s/(if \(max_longs && )(.*) && __arm64_rndr\(v\)\)/\1__arm64_rndr(v) \&\& \2)/
SED
found 6.12 "RNDR in place of RNDRRS" arm64-archrandom arm64-rng-use <<'SED'
s/ && __arm64_rndrrs\(v\)/ \&\& __arm64_rndr(v)/
SED
found 6.12 "trng-failed-value: a failed call's words" arm64-archrandom \
	"arm64-words|arm64-reads-per-call" <<'SED'
s/if \(\(int\)res\.a0 >= 0\)/if (1)/
SED
found 6.12 "32 bits of the answer not looked at alone" arm64-archrandom \
	"arm64-words|arm64-reads-per-call" <<'SED'
s/\(int\)res\.a0 >= 0/(long)res.a0 >= 0/
SED
found 6.12 "trng-number: three words always" arm64-archrandom arm64-trng-call <<'SED'
s/max_longs \* 64/192/
SED
found 6.12 "half the bits" arm64-archrandom arm64-trng-call <<'SED'
s/max_longs \* 64/max_longs * 32/
SED
found 6.12 "trng-order" arm64-archrandom arm64-words <<'SED'
s/= res\.a1;/= res.a9;/; s/= res\.a3;/= res.a1;/; s/res\.a9/res.a3/
SED
found 6.12 "trng-retry" arm64-archrandom \
	"arm64-trng-call|arm64-call-bounded" <<'SED'
s/^(\t*)arm_smccc_1_1_invoke\(ARM_SMCCC_TRNG_RND64.*/\1do &\n\1while ((int)res.a0 == -3);/
SED
found 6.12 "more words than there is room for" arm64-archrandom arm64-words <<'SED'
s/\*v\+\+ = res\.a3;/*v++ = res.a3; *v = 1;/
SED
found 6.12 "four words promised" arm64-archrandom arm64-trng-call <<'SED'
s/min_t\(size_t, 3, max_longs\)/min_t(size_t, 4, max_longs)/
SED
found 6.12 "trng-old: any version" arm64-boot arm64-trng-call <<'SED'
s/return res\.a0 >= ARM_SMCCC_TRNG_MIN_VERSION;/return true;/
SED
found 6.12 "kaslr: another field" arm64-archrandom arm64-rng-use <<'SED'
/__early_cpu_has_rndr\(/,/^}/s/ID_AA64ISAR0_EL1_RNDR_SHIFT/56/
SED
for version in 6.1 7.2; do
	found $version "failed-value: the flag is ignored" arm64-archrandom arm64-words <<'SED'
/__arm64_rndr\(/,/^}/s/cset %w1, ne/mov %w1, #1/
SED
	found $version "trng-number: three words always" arm64-archrandom arm64-trng-call <<'SED'
s/max_longs \* 64/192/
SED
	found $version "trng-old: any version" arm64-boot arm64-trng-call <<'SED'
s/return res\.a0 >= ARM_SMCCC_TRNG_MIN_VERSION;/return true;/
SED
done
found 6.1 "the early function asks nobody" arm64-archrandom \
	"arm64-rndr-undefined|arm64-reads-per-call" <<'SED'
s/__early_cpu_has_rndr\(\) && //
SED
found 6.1 "a WARN" arm64-archrandom arm64-guest-fault <<'SED'
s/system_state != SYSTEM_BOOTING/system_state == SYSTEM_BOOTING/
SED

# By the same means: another process, another folder, the same digest.
digest() {
	run replay arm64-boot --seed=7 --subject="$1"
	grep -o 'digest=.*' out | sed 's/commit=[^ ]*//'
}
copy 6.12
expect "a copy elsewhere has the same digest" "$(digest kernel:.build/kernel-trees/6.12)" \
	"$(digest kernel:edited)"
