#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# tools/kernel-vdso on a tree of our own (own_kernel_tree.sh): what it makes, what it keeps and
# what it refuses; and `--subject=kernel:DIR` of the command, $2, on that tree. The compiler is
# the real one; a stand-in in front of it notes when it is asked for an object.

# shellcheck source=tools/script_tests/script_tests.sh
. tools/script_tests/script_tests.sh
# shellcheck source=tools/script_tests/own_kernel_tree.sh
. tools/script_tests/own_kernel_tree.sh
seedbed=$(readlink -f "$2")

mkdir -p "$tree/models/vdso"
cp "$top"/tools/kernel-{vdso,guest.sh,kept.sh} "$tree/tools/"
cp -r "$top/models/vdso/shim" "$tree/models/vdso/"
WORLD=$TEST_TMPDIR
REAL_CLANG=$(command -v clang)
export WORLD REAL_CLANG
stand_in "$bin/clang" <<'SCRIPT'
#!/bin/sh
if [ "$1" = --version ]; then
	[ ! -e "$WORLD/version" ] || exec cat "$WORLD/version"
fi
for word; do
	[ "$word" != -c ] || echo object >>"$WORLD/objects"
	[ "$word" != -c ] || [ ! -e "$WORLD/edit" ] ||
		echo 'int later(void) { return 1; }' >"$WORLD/own/lib/vdso/getrandom.c"
done
exec "$REAL_CLANG" "$@"
SCRIPT
cd "$TEST_TMPDIR" || exit 1

own=$TEST_TMPDIR/own
fresh() {
	rm -rf "$own"
	own_kernel_tree "$own" "$top"
}
# make ARCH [DIR]: the path that it prints, without the tree's, in $made; its status in $status.
make() {
	: >objects
	made=$("$tree/tools/kernel-vdso" "${2-own}" "$1" 2>err)
	status=$?
	made=${made#"$tree"/.build/kernel/}
}
built() { wc -l <objects; }
# said TEXT: whether it said so.
said() {
	grep -qF -- "$1" err && echo said && return
	cat err
}

# ---- What it makes

fresh
before=$(cd own && find . -type f -exec sha256sum {} + | sort)
for arch in ppc32 ppc32-compat ppc64 ppc64le arm64; do
	make $arch
	expect "$arch is made" "0 vdso-$arch.so" "$status ${made##*/}"
	file=$tree/.build/kernel/$made
	expect "$arch: its only export" "__kernel_getrandom" "$(readelf -W --dyn-syms "$file" |
		awk '$5 == "GLOBAL" { sub(/@.*/, "", $8); print $8 }')"
	"$seedbed" image "$file" >told || exit 1
	grep -q "to resolve  0 relocations, 0 undefined" told || exit 1
	expect "$arch: its version" "kernel 7.2.13 (7.2.13-own)" \
		"$(sed -n 's/^ *\(kernel\) */\1 /p' told)"
	expect "$arch: its data pages" "4 pages of 4096; the RNG's data at offset 0x2000" \
		"$(sed -n 's/.*image, \(4 pages\)/\1/p' told)"
done
expect "nothing in the tree is touched" "$before" \
	"$(cd own && find . -type f -exec sha256sum {} + | sort)"
expect "nor is anything left" "" "$(cd "$tree/.build/kernel" && ls -d work-* 2>/dev/null)"

# A page is as long as the distance of neighbours; between others lie two.
sed -i '/vdso_u_arch_data/d' own/arch/arm64/kernel/vdso/vdso.lds.S
make arm64
"$seedbed" image "$tree/.build/kernel/$made" >told || exit 1
expect "8 KiB are no page" "16384 bytes right below the image; the RNG's data at offset 0x2000" \
	"$(sed -n 's/^ *data pages *//p' told)"
fresh

# ---- What it keeps

make ppc32
first=$made
expect "nothing changed: nothing compiled" "0 0" "$status $(built)"
make ppc32 "$own/lib/.."
expect "by another path the same" "$first 0" "$made $(built)"
cp -r own other
make ppc32 other
expect "in another folder the same" "$first 0" "$made $(built)"

# changed CLAIM: another image than the first one, compiled; and back to it with a fresh tree.
changed() {
	make ppc32
	[ "$status $(built)" != "0 4" ] || [ "$made" = "$first" ] || status=another
	expect "$1: compiled anew" "another" "$status"
	fresh
	make ppc32
	expect "and back" "$first 0" "$made $(built)"
}
echo 'int more(void); int more(void) { return 2; }' >>own/lib/vdso/getrandom.c
changed "a source"
sed -i 's/#define VALUE 1/#define VALUE 2/' own/include/vdso/getrandom.h
changed "a header that it includes"
sed -i 's/li	r3, 0/li r3, 0; nop/' own/arch/powerpc/kernel/vdso/getrandom.S
changed "an assembler source"
sed -i 's/SUBLEVEL = 13/SUBLEVEL = 14/' own/Makefile
changed "the kernel's version"
sed -i 's/359/360/' own/arch/powerpc/kernel/syscalls/syscall.tbl
sed -i 's/unistd_64/unistd_32/' own/lib/vdso/getrandom.c
changed "the number of a system call"
sed -i 's/ - 2 \* 4096/ - 3 * 4096/' own/arch/powerpc/kernel/vdso/vdso32.lds.S
changed "where the data pages lie"
mkdir -p own/arch/powerpc/include/asm
echo '#define GENERIC 6' >own/arch/powerpc/include/asm/of_generic.h
changed "a header in place of the generic one"
sed -i 's/#define UNUSED 1/#define UNUSED 2/' own/include/vdso/unused.h
make ppc32
expect "a header that nothing includes: nothing compiled" "$first 0" "$made $(built)"
echo 'clang version 99' >version
changed_by_version() {
	make ppc32
	[ "$made" = "$first" ] || status=another
	expect "another compiler: compiled anew" "another" "$status"
	rm version
}
changed_by_version
sed -i 's/CONFIG_PAGE_SHIFT 12/CONFIG_PAGE_SHIFT 14/' \
	"$tree/models/vdso/shim/generated/autoconf.h"
echo 'int page(void); int page(void) { return CONFIG_PAGE_SHIFT; }' >>own/lib/vdso/getrandom.c
make ppc32
second=$made
sed -i 's/CONFIG_PAGE_SHIFT 14/CONFIG_PAGE_SHIFT 12/' \
	"$tree/models/vdso/shim/generated/autoconf.h"
make ppc32
[ "$made" = "$second" ] || status=another
expect "a header of ours: compiled anew" "another" "$status"

# What is compiled is what was hashed, though a source is changed in between.
fresh
make ppc32
before=$made
rm -r "$tree/.build/kernel/${before%/*}"
touch edit
make ppc32
rm edit
expect "a source that is changed before it is compiled" "0 $before 1" \
	"$status $made $(grep -c later own/lib/vdso/getrandom.c)"
cp "$tree/.build/kernel/$made" meanwhile
rm -r "$tree/.build/kernel/${made%/*}"
fresh
make ppc32
expect "is compiled as it was hashed" same \
	"$(cmp "$tree/.build/kernel/$made" meanwhile && echo same)"

# A header that comes before another is seen, and what is kept is bounded.
mkdir -p own/arch/powerpc/include/vdso
echo '#define VALUE 9' >own/arch/powerpc/include/vdso/getrandom.h
changed "a header that comes before another one"
mkdir "$tree/.build/kernel/0old"
touch -d 2020-01-01 "$tree/.build/kernel/0old"
echo 'int more(void); int more(void) { return 3; }' >>own/lib/vdso/getrandom.c
SEEDBED_KEPT=1 make ppc32
expect "what was used long ago goes" "gone" "$([ -d "$tree/.build/kernel/0old" ] || echo gone)"
fresh
make ppc32
expect "what was used just now stays" "$first 0" "$made $(built)"

# The compiler sees the structure of each architecture.
fresh
sed -i '1i #include <generated/asm-offsets.h>\n.if VDSO_WORD != 4\n.error "offset"\n.endif' \
	own/arch/powerpc/kernel/vdso/getrandom.S
make ppc32
expect "offsets are those of 32 bits" 0 $status
make ppc64
expect "and of 64" "65 said" "$status $(said offset)"

# ---- What it refuses

fresh
echo 'int broken(void) { return }' >>own/lib/vdso/getrandom.c
make ppc32
expect "what does not compile is said as the compiler says it" "65 said said" \
	"$status $(said "lib/vdso/getrandom.c:5:") $(said "expected expression")"
expect "and keeps nothing" "" "$made"
fresh
echo '	nonsense' >>own/arch/powerpc/kernel/vdso/getrandom.S
make ppc32
expect "what does not assemble" "65 said" "$status $(said "nonsense")"
fresh
echo '#include <asm/of_none.h>' >>own/lib/vdso/getrandom.c
make ppc32
expect "a header that is nowhere is named" "65 said" \
	"$status $(said "'asm/of_none.h' file not found")"

fresh
cat >>own/lib/vdso/getrandom.c <<'TEXT'
void *memset(void *to, int byte, unsigned long len);
void wipe(void *to); void wipe(void *to) { memset(to, 0, 52); }
TEXT
for arch in ppc32 ppc64le arm64; do
	make $arch
	expect "$arch: a symbol that no vDSO has" "65 said" \
		"$status $(said "undefined symbol: memset")"
done
fresh
echo 'extern char there[] __attribute__((weak)); char *where = there;' \
	>>own/lib/vdso/getrandom.c
make ppc32
expect "data that a call could change" "65 said" "$status $(said "data that a call could change")"
fresh
echo 'int counted(void); int counted(void) { static int count; return count++; }' \
	>>own/lib/vdso/getrandom.c
for arch in ppc32 ppc64le arm64; do
	make $arch
	expect "$arch: a variable of a function" "65 said" \
		"$status $(said "data that a call could change: .")"
done
# relocated ARCH TEXT FAMILY: as an addition to the assembler's source.
relocated() {
	fresh
	printf '%s\n' "$2" >>"own/arch/$3/kernel/vdso/vgetrandom-chacha.S"
	make "$1"
	expect "$1: what a loader would have to fill in" "65 said" \
		"$status $(said "relocations are left")"
}
relocated ppc32 '.section .got2, "aw"; .long __kernel_getrandom' powerpc
relocated ppc64 '.section .toc, "aw"; .quad __kernel_getrandom' powerpc
relocated arm64 '.text; adrp x0, :got:__kernel_getrandom' arm64
fresh
printf '\t%s\n' .text '.weak nobody' 'bl nobody' \
	>>own/arch/powerpc/kernel/vdso/vgetrandom-chacha.S
make ppc32
expect "a symbol that may be missing" 65 $status
stray() {
	fresh
	printf '\t%s\n' '.text' "$2" >>"own/arch/$3/kernel/vdso/vgetrandom-chacha.S"
	make "$1"
	expect "$1: $2 leaves the image" "65 said" "$status $(said "leaves the image")"
}
stray ppc32 'bl . + 0x100000' powerpc
stray ppc32 'b . - 0x100000' powerpc
stray ppc64 'beq . + 0x4000' powerpc
stray ppc64le 'bne . - 0x4000' powerpc
stray ppc64le 'ba 0x400' powerpc
stray arm64 'bl . + 0x100000' arm64
stray arm64 'b . - 0x100000' arm64

for file in lib/vdso/getrandom.c include/vdso/getrandom.h Makefile \
	arch/powerpc/kernel/vdso/{getrandom.S,vgetrandom.c,vgetrandom-chacha.S,vdso32.lds.S} \
	arch/powerpc/kernel/{asm-offsets.c,syscalls/syscall.tbl}; do
	fresh
	rm "own/$file"
	make ppc32
	expect "without $file" "66 said" "$status $(said "own/$file is missing")"
done
for file in arch/arm64/kernel/vdso/{vgetrandom.c,vgetrandom-chacha.S,vdso.lds.S} \
	arch/arm64/tools/{cpucaps,syscall_64.tbl}; do
	fresh
	rm "own/$file"
	make arm64
	expect "without $file" "66 said" "$status $(said "own/$file is missing")"
done
fresh
rm own/lib/vdso/getrandom.c
printf 'VERSION = 6\nPATCHLEVEL = 1\nSUBLEVEL = 192\n' >own/Makefile
make ppc32
expect "a kernel that is too old is told so" "66 said" \
	"$status $(said "this is Linux 6.1.192: vDSOs have a getrandom since 6.11")"
make ppc32 nowhere
expect "a folder that is not there" "66 said" "$status $(said "nowhere is no folder")"
fresh
make sparc
expect "an architecture that it has not" "64 said" "$status $(said "'sparc' is no architecture")"
"$tree/tools/kernel-vdso" own 2>err
expect "an argument too few" "64 said" "$? $(said "usage: tools/kernel-vdso DIR")"
"$tree/tools/kernel-vdso" --help >err
expect "help" "0 said" "$? $(said "kernel-vdso DIR ARCH")"
mkdir lacking
for program in sh readlink mkdir cat awk sed clang; do
	ln -s "$(command -v $program)" lacking/
done
PATH=$PWD/lacking "$tree/tools/kernel-vdso" own ppc32 2>err
expect "a program that is missing is named" "69 said" "$? $(said "ld.lld is missing: tools/setup")"

# ---- --subject=kernel:DIR

export SEEDBED_ROOT=$tree
# run ARGUMENT...: what the command prints on one line, and its status.
run() {
	"$seedbed" "$@" >out 2>err
	status=$?
}
fresh
for arch in ppc32 ppc64 ppc64le arm64; do
	run explore vdso-getrandom --subject=kernel:own --set arch=$arch --seeds=1..300
	expect "$arch: the clean tree is clean" 0 $status
done
run explore vdso-getrandom --subject=kernel:own --set arch=ppc32 --set vdso32=compat --seeds=1..300
expect "ppc32 of a 64-bit kernel: clean" 0 $status
run explore vdso-chacha --subject=kernel:own --seeds=1..100
expect "the block function: clean" 0 $status
run explore vdso-crng --subject=kernel:own --seeds=1..100
expect "with the CRNG: clean" 0 $status

run table vdso --subject=kernel:own
expect "the table has the tree's columns" 0 $status
amortised=$(awk '$1 == "amortised"' out)
# shellcheck disable=SC2086 # one word a column: four built-in ones, and five of the same code
set -- $amortised
expect "of the same code the same figures" "$3 $3 $4 $5" "$6 $7 $8 $9"
grep -q "^cycles, by the instructions of ppc32.k and" out
expect "its 32 bits stand beside what was published" 0 $?
run table vdso --subject=kernel:nowhere
expect "no tree, no table" "66 said" "$status $(said "nowhere is no folder")"

mkdir known
sed -i '/^VERSION\|^PATCHLEVEL/d' own/Makefile
SEEDBED_ROOT=$tree run explore vdso-getrandom --subject=kernel:own --seeds=1..20
expect "without a list nothing is said of a version" 0 "$(grep -c 'tells no version' err)"
printf 'key a/b/c\nversions 6..\nreason a\nreplay b\n' >known/list
run explore vdso-getrandom --subject=kernel:own --seeds=1..20 --known=known/list
expect "a tree without a version is told so" 1 "$(grep -c 'tells no version' err)"
fresh

sed -i '1i #define BUG_37' own/arch/powerpc/kernel/vdso/getrandom.S
run explore vdso-getrandom --subject=kernel:own --set arch=ppc32 --seeds=1..2000
expect "an edit's bug is found" 10 $status
replay=$(sed -n 's/^replay: [^ ]*seedbed[^ ]* replay //p' out)
case $replay in
*--subject=kernel:own*) ;;
*) expect "the replay line names the tree" "--subject=kernel:own" "$replay" ;;
esac
# shellcheck disable=SC2086 # one word an argument
run replay $replay
expect "and found again by the replay line" 10 $status
run replay findings/*/decisions
expect "and by its decisions" 10 $status
mkdir twice
(cd twice && "$seedbed" replay ../findings/*/decisions --subject=kernel:../own >../out2)
expect "two processes, from two folders: one digest" \
	"$(grep -o 'digest=[^ ]*' out)" "$(grep -o 'digest=[^ ]*' out2)"

mv own elsewhere
run replay findings/*/decisions
expect "a tree that is elsewhere: 66, and what to do" "66 said" \
	"$status $(said "--subject=kernel:DIR runs it on another")"
fresh
echo 'int broken(void) { return }' >>own/lib/vdso/getrandom.c
run explore vdso-getrandom --subject=kernel:own --set arch=ppc32
expect "what does not compile" "65 said said" \
	"$status $(said "expected expression") $(said "no vDSO was made of own for ppc32")"
rm own/lib/vdso/getrandom.c
run explore vdso-getrandom --subject=kernel:own
expect "what is missing" "66 said" "$status $(said "own/lib/vdso/getrandom.c is missing")"
fresh
run explore vdso-getrandom --subject=kernel:own --set arch=arm64 --set vdso32=compat
expect "compat is ppc32's" "64 said" "$status $(said "vdso32=compat is of a kernel tree's ppc32")"
run explore vdso-getrandom --set arch=ppc32 --set vdso32=compat
expect "and no built-in subject's" "64 said" "$status $(said "not of the built-in subject")"
run explore vdso-getrandom --subject=kernel:own --bug=37
expect "planted bugs are none of a tree's" "64 said" "$status $(said "bug 37 is in no image")"
run explore vdso-getrandom --subject=kernel:
expect "a folder is wanted" "64 said" "$status $(said "a folder is missing after kernel:")"
SEEDBED_ROOT=$TEST_TMPDIR/nowhere run explore vdso-getrandom --subject=kernel:own
expect "the script is that of SEEDBED_ROOT" "66 said" \
	"$status $(said "kernel-vdso: no such script")"
stand_in "$tree/tools/kernel-vdso" <<'SCRIPT'
#!/bin/sh
echo one
echo two
SCRIPT
run explore vdso-getrandom --subject=kernel:own
expect "what prints no path is a defect of ours" 70 $status
