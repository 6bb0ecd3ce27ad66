# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# A kernel tree for tests: seedbed's own vDSO (models/vdso/guest_asm) under the names that a
# kernel's sources have, and of headers and tables no more than these need.

# put PATH: makes the file of the text on standard input.
put() {
	mkdir -p "$(dirname "$1")"
	cat >"$1"
}

# own_kernel_tree DIR TOP: DIR becomes the tree; TOP is that of seedbed's.
own_kernel_tree() {
	local arch bits header own=$2/models/vdso/guest_asm
	mkdir -p "$1"
	(
		cd "$1" || exit 1
		printf '%s\n' 'VERSION = 7' 'PATCHLEVEL = 2' 'SUBLEVEL = 13' 'EXTRAVERSION = -own' |
			put Makefile
		for header in kconfig compiler_types linkage; do
			echo '/* Ours. */' | put include/linux/$header.h
		done
		echo '#define offsetof(type, member) __builtin_offsetof(type, member)' |
			put include/linux/stddef.h
		# shellcheck disable=SC2016 # nothing is the shell's
		put include/linux/kbuild.h <<'TEXT'
#define OFFSET(name, str, member) \
	asm volatile("\n.ascii \"->" #name " %0 x\"" : : "i" (offsetof(struct str, member)))
TEXT
		echo '#include <generated/autoconf.h>' | put include/linux/kconfig.h
		echo '#define VALUE 1' | put include/vdso/getrandom.h
		echo '#define UNUSED 1' | put include/vdso/unused.h
		echo '#define GENERIC 5' | put include/asm-generic/of_generic.h
		put lib/vdso/getrandom.c <<'TEXT'
#include <asm/of_generic.h>
#include <asm/unistd_64.h>
#include <vdso/getrandom.h>
static int generic(void) { return VALUE + GENERIC + __NR_getrandom; }
TEXT
		for arch in powerpc arm64; do
			mkdir -p arch/$arch/kernel/vdso arch/$arch/include/asm
			echo 'int value(void); int value(void) { return generic(); }' |
				put arch/$arch/kernel/vdso/vgetrandom.c
			cp "$own"/*.h "$own"/*.inc "$own"/*.S arch/$arch/kernel/vdso/
		done
		cd arch/powerpc/kernel || exit 1
		mv vdso/getrandom_ppc.S vdso/getrandom.S
		mv vdso/chacha_ppc.S vdso/vgetrandom-chacha.S
		for bits in 32 64; do
			put vdso/vdso$bits.lds.S <<'TEXT'
#include <vdso/getrandom.h>
SECTIONS
{
	PROVIDE(vdso_u_data = . - 4 * 4096); PROVIDE(vdso_u_rng_data = . - 2 * 4096);
	PROVIDE(vdso_u_arch_data = . - 4096);
	. = SIZEOF_HEADERS;
}
TEXT
		done
		put asm-offsets.c <<'TEXT'
	OFFSET(VDSO_WORD, vdso_arch_data, word);
	OFFSET(OTHER, other, word);
TEXT
		echo 'struct vdso_arch_data { long zero, word; };' |
			put ../include/asm/vdso_datapage.h
		printf '78\tcommon\tgettimeofday\tsys\n359\tcommon\tgetrandom\tsys\n' |
			put syscalls/syscall.tbl
		cd ../../arm64 || exit 1
		printf '#include "%s"\n' getrandom_arm64.S chacha_arm64.S |
			put kernel/vdso/vgetrandom-chacha.S
		cp ../powerpc/kernel/vdso/vdso64.lds.S kernel/vdso/vdso.lds.S
		printf '# names\nHAS_ONE\nHAS_TWO\n' | put tools/cpucaps
		printf '278\tcommon\tgetrandom\tsys\n' | put tools/syscall_64.tbl
	)
}
