# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh disable=SC2034,SC2154 # the script and this set each other's variables
#
# What tools/kernel-vdso and tools/kernel-archrandom share: code of a kernel tree is compiled for
# a guest, linked, looked at, and kept. Sourced; the script has set
#
#   name            its own, as it says it
#   root            of seedbed's tree
#   tree            of the kernel's
#   family          the folder below arch/
#   target, emulation, options, c_options, macros, common, link
#                   of the compiler, the compiler of C alone, all, and the linker
#   shims           options that lead to the headers before the tree's
#   work            a folder for what is made on the way
#
# A source is read once: what the preprocessor made of it is hashed and compiled.

say() {
	echo "tools/$name: $*" >&2
}

fail() {
	status=$1
	shift
	say "$*"
	exit "$status"
}

usage() {
	say "$*"
	sed -n '4s/^# /usage: /p' "$self" >&2
	exit 64
}

# VERSION, PATCHLEVEL, SUBLEVEL and EXTRAVERSION of the tree's Makefile; sets version, code.
version() {
	[ -r "$tree/Makefile" ] || fail 66 "$tree/Makefile is missing: is this a kernel tree?"
	version=$(awk '$2 == "=" && $1 ~ /^(VERSION|PATCHLEVEL|SUBLEVEL|EXTRAVERSION)$/ {
			if (!($1 in value)) value[$1] = $3
		}
		END {
			print value["VERSION"] + 0, value["PATCHLEVEL"] + 0, value["SUBLEVEL"] + 0,
				value["EXTRAVERSION"]
		}' "$tree/Makefile")
	# shellcheck disable=SC2086 # one word a number
	set -- $version
	code=$(($1 * 65536 + $2 * 256 + ($3 > 255 ? 255 : $3)))
	version=$1.$2.$3${4-}
}

# need PROGRAM...
need() {
	for program; do
		command -v "$program" >/dev/null ||
			fail 69 "$program is missing: tools/setup installs it"
	done
}

# Sets work, which is gone when the script ends.
work_folder() {
	mkdir -p "$kept"
	work=$(mktemp -d "$kept/work-XXXXXX")
	trap 'rm -rf "$work"' EXIT
	trap 'exit 70' HUP INT TERM
}

# Headers that an architecture has not are the generic ones: into the folder `made`.
wrappers() {
	mkdir -p "$made/asm" "$made/uapi/asm" "$made/generated"
	for header in "$tree"/include/asm-generic/*.h "$tree"/include/uapi/asm-generic/*.h; do
		[ -e "$header" ] || continue
		file=${header##*/}
		folder=$made/asm
		arch_folder=$tree/arch/$family/include/asm
		case $header in
		*/uapi/asm-generic/*)
			folder=$made/uapi/asm
			arch_folder=$tree/arch/$family/include/uapi/asm
			;;
		esac
		[ -e "$arch_folder/$file" ] || echo "#include <asm-generic/$file>" >"$folder/$file"
	done
}

# ---- Compiler ----

# clang, told where headers are. What it says goes to stderr as it is.
clang_tree() {
	# shellcheck disable=SC2086 # one word an option
	clang --target=$target $options $macros $common -nostdinc $shims \
		-I"$made" -I"$made/uapi" \
		-idirafter "$tree/arch/$family/include" \
		-idirafter "$tree/arch/$family/include/uapi" \
		-idirafter "$tree/include" -idirafter "$tree/include/uapi" "$@"
}

does_not() {
	fail 65 "$tree does not $1${arch:+ for $arch}; docs/KERNEL.md tells of headers"
}

# With the headers that a kernel's build puts before each file.
compile() {
	# shellcheck disable=SC2086 # one word an option
	clang_tree $c_options -include linux/kconfig.h -include linux/compiler_types.h "$@" ||
		does_not compile
}

assemble() {
	clang_tree -D__ASSEMBLY__ -include linux/kconfig.h "$@" || does_not assemble
}

# read_c NAME ARGUMENT...: a source as the compiler sees it becomes $work/NAME.i, and read_asm's
# $work/NAME.s. compile_read makes of all of them objects, whose names are in `objects`.
c_read=
asm_read=
read_c() {
	c_read="$c_read $1"
	as=$1
	shift
	compile -E -o "$work/$as.i" "$@"
}
read_asm() {
	asm_read="$asm_read $1"
	as=$1
	shift
	assemble -E -o "$work/$as.s" "$@"
}

# The text of what was read, without the paths of the files that it came from.
what_was_read() {
	for as in $c_read; do
		echo "$as"
		sed '/^# [0-9]/d' "$work/$as.i"
	done
	for as in $asm_read; do
		echo "$as"
		sed '/^# [0-9]/d' "$work/$as.s"
	done
}

compile_read() {
	objects=
	# shellcheck disable=SC2086 # one word an option
	for as in $asm_read; do
		clang --target=$target $options $macros $common -c \
			-o "$work/$as.o" "$work/$as.s" || does_not assemble
		objects="$objects $work/$as.o"
	done
	# shellcheck disable=SC2086 # one word an option
	for as in $c_read; do
		clang --target=$target $options $macros $common $c_options -c \
			-o "$work/$as.o" "$work/$as.i" || does_not compile
		objects="$objects $work/$as.o"
	done
	no_variables
}

# The linker's script drops variables, and the linker says nothing of those of one file alone.
no_variables() {
	for object in $objects; do
		left=$(readelf -SW "$object" | sed 's/^ *\[[ 0-9]*\] *//' |
			awk '$1 ~ /^\.s?(data|bss)/ && $5 !~ /^0*$/ {
				sub(/^0*/, "", $5)
				print $1 ", 0x" $5 " bytes"
			}')
		[ -z "$left" ] || fail 65 "$tree has data that a call could change: $left"
	done
}

# tools_are: all else that decides what comes out.
tools_are() {
	clang --version | head -n 1
	ld.lld --version
	echo "$options $c_options $macros $common $link"
}

# ---- What came of it ----

# Of `size` bytes at file offset `offset`, which are at the same address, each branch and call
# that ends outside of them: those that say how far they go, and to an address.
strays() {
	od -An -v -tx1 -w4 -j "$offset" -N "$size" "$1" |
		awk -v family="$family" -v big="$([ "$(od -An -tx1 -j5 -N1 "$1")" = " 02" ] &&
			echo 1)" -v at="$offset" -v from="$offset" -v end="$((offset + size))" '
		function byte(text) {
			high = index("0123456789abcdef", substr(text, 1, 1)) - 1
			return high * 16 + index("0123456789abcdef", substr(text, 2, 1)) - 1
		}
		{
			word = 0
			for (i = 1; i <= 4; i++)
				word = word * 256 + byte($(big ? i : 5 - i))
			to = at
			kind = int(word / 67108864)
			if (family == "arm64")
				bits = kind % 32 == 5 ? 26 : 0
			else
				bits = kind == 18 ? 26 : kind == 16 ? 16 : 0
			if (bits) {
				far = word % 2 ^ bits
				far -= far >= 2 ^ (bits - 1) ? 2 ^ bits : 0
				# PowerPC: the two lowest bits say "to an address" and "a call".
				to = at + (family == "arm64" ? 4 * far : far - word % 4)
				if (family != "arm64" && word % 4 > 1)
					to = -1
			}
			if (to < from || to >= end)
				printf "the branch at 0x%x leaves the image\n", at
			at += 4
		}'
}

# check IMAGE: what a kernel's build would not have linked ends the script.
check() {
	left=$(readelf -rW "$1" | awk '/^[0-9a-f]+ / && !/_NONE/')
	[ -z "$left" ] || fail 65 "relocations are left, which a kernel does not apply:
$left"
	left=$(readelf -W --dyn-syms "$1" | awk '$7 == "UND" && $8 != "" { print $8 }')
	[ -z "$left" ] || fail 65 "undefined symbols: $left"
	made_image=$1
	# shellcheck disable=SC2046 # two numbers
	set -- $(readelf -SW "$1" | sed -n 's/.* \.text *PROGBITS *//p')
	offset=$((0x$2))
	size=$((0x$3))
	left=$(strays "$made_image")
	[ -z "$left" ] || fail 65 "$left"
}
