#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# --subject=kernel:DIR on the trees that `tools/kernel fetch` unpacked, 6.12 and 7.2: clean for
# each architecture but for known findings; and with a historical fix taken back in a copy, the
# bug is found. Skips a tree that was not fetched. 20,000 seeds; nightly 100,000.

# shellcheck source=tools/script_tests/script_tests.sh
. tools/script_tests/script_tests.sh
seedbed=$(readlink -f "$2")
seeds=20000
[ -z "${SEEDBED_NIGHTLY-}" ] || seeds=100000

mkdir -p "$tree/models/vdso" "$tree/corpora"
cp "$top"/tools/kernel-{vdso,guest.sh,kept.sh} "$tree/tools/"
cp -r "$top/models/vdso/shim" "$tree/models/vdso/"
cp "$top/corpora/known-findings" "$tree/corpora/"
export SEEDBED_ROOT=$tree
cd "$TEST_TMPDIR" || exit 1

# run ARCH ARGUMENT...: sets `status`; shows what was found where it is not the one wanted.
run() {
	wanted=$1
	arch=$2
	shift 2
	case $arch in
	ppc32-compat) set -- "$@" --set arch=ppc32 --set vdso32=compat ;;
	*) set -- "$@" --set "arch=$arch" ;;
	esac
	"$seedbed" "$@" --jobs=2 >out 2>&1
	status=$?
	[ $status -eq "$wanted" ] || tail -n 20 out
}

found_some=
for version in 6.12 7.2; do
	kernel=$top/.build/kernel-trees/$version
	if [ ! -e "$kernel/lib/vdso/getrandom.c" ]; then
		echo "SKIPPED: there is no tree of $version here: tools/kernel fetch $version"
		continue
	fi
	found_some=1
	for arch in ppc32 ppc32-compat ppc64 ppc64le arm64; do
		run 0 "$arch" explore vdso-getrandom --subject="kernel:$kernel" \
			--seeds=1..$seeds
		expect "$version, $arch: clean but for known findings" 0 $status
		run 0 "$arch" explore vdso-chacha --subject="kernel:$kernel" \
			--seeds=1..$((seeds / 4))
		expect "$version, $arch: its block function" 0 $status
	done
	"$seedbed" table vdso --subject="kernel:$kernel" >out 2>&1
	expect "$version: the table, with nothing unstable or not restored" 0 $?
done
[ -n "$found_some" ] || exit 0

# ---- Fixes taken back

# without FIX KERNEL: in the copy of the tree in old/ the fix of that number alone is lacking.
without() {
	local generic=old/lib/vdso/getrandom.c
	local block=old/arch/powerpc/kernel/vdso/vgetrandom-chacha.S
	local file=$generic
	cp "$2/${generic#old/}" $generic
	cp "$2/${block#old/}" $block
	case $1 in
	34) # The constants as a copy of their bytes makes them on a big-endian machine.
		file=$block
		sed -i -E 's/^(#define\s+const[0-3]\s+0x)(..)(..)(..)(..)/\1\5\4\3\2/' $file
		;;
	37) # Flags that are not known are served.
		sed -i '/if (unlikely(flags & ~(GRND_/{ N; d; }' $file
		;;
	38) # The generation as an unsigned long.
		sed -i -E 's/^([[:space:]]+)u64 (current_generation;)/\1unsigned long \2/' $file
		;;
	39) # A loop that gcc made a call of memset, as that call.
		sed -i -E '/for \(size_t i = 0; i < ARRAY_SIZE\(params->reserved\)/{ N
			s/.*/memset(params->reserved, 0, sizeof(params->reserved));/; }' $file
		sed -i '1i void *memset(void *to, int byte, unsigned long len);' $file
		;;
	esac
	! cmp -s "$file" "$2/${file#old/}" || expect "fix $1 is taken back" changed unchanged
}

for version in 6.12 7.2; do
	kernel=$top/.build/kernel-trees/$version
	[ -e "$kernel/lib/vdso/getrandom.c" ] || continue
	rm -rf old
	cp -a "$kernel" old
	for case in '34 ppc32' '34 ppc64' '37 ppc32' '37 ppc64' '37 ppc64le' '37 arm64' \
		'38 ppc32'; do
		fix=${case% *}
		arch=${case#* }
		without "$fix" "$kernel"
		run 10 "$arch" explore vdso-getrandom --subject=kernel:old --seeds=1..5000
		expect "$version, $arch, without fix $fix: found" 10 $status
	done
	# Where an unsigned long has all of it, it makes no difference.
	run 0 ppc64 explore vdso-getrandom --subject=kernel:old --seeds=1..5000
	expect "$version, ppc64, without fix 38: clean" 0 $status
	without 39 "$kernel"
	for arch in ppc32 ppc64le arm64; do
		run 65 "$arch" explore vdso-getrandom --subject=kernel:old
		expect "$version, $arch, without fix 39: no vDSO" "65 1" \
			"$status $(grep -c 'undefined symbol: memset' out)"
	done
done
