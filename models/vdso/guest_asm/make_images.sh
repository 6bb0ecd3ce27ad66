#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# make_images.sh FOLDER: assembles and links the built-in vDSO images from the sources in
# FOLDER and writes them as a C table to stdout. For Bazel's genrule.
#
# An image is an architecture and a variant. A variant is "clean", a planted bug, or a set of
# suspects; "+bytes" takes keys as bytes.
set -eu

folder=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# target ARCH: how clang and ld.lld are to be told, and whose sources they are.
target() {
  arch=$1
  family=ppc
  case $arch in
    ppc32) options='--target=powerpc-linux-gnu'; emulation=elf32ppc ;;
    ppc64) options='--target=powerpc64-linux-gnu -mabi=elfv2'; emulation=elf64ppc ;;
    ppc64le) options='--target=powerpc64le-linux-gnu'; emulation=elf64lppc ;;
    arm64) options='--target=aarch64-linux-gnu'; emulation=aarch64linux; family=arm64 ;;
  esac
}

# assemble SOURCE NAME [-D...]
assemble() {
  source=$1
  name=$2
  shift 2
  # shellcheck disable=SC2086 # options are several
  clang $options "$@" -c "$folder/${source}_$family.S" -o "$work/$source-$name.o"
}

# image VARIANT GETRANDOM CHACHA: from the objects of these names.
image() {
  variant=$1
  lax=--no-undefined
  # What the loader of a program would have to mend stays in this one image.
  if [ "$variant" = 39 ]; then lax=--unresolved-symbols=ignore-all; fi
  ld.lld -m "$emulation" -shared -z max-page-size=4096 -z norelro --hash-style=sysv \
    -soname linux-vdso.so.1 "$lax" -T "$folder/image.lds" -o "$work/image.so" \
    "$work/getrandom-$2.o" "$work/chacha-$3.o"
  number=$((number + 1))
  echo "static const u8 image_${number}[] = {"
  od -An -v -t u1 "$work/image.so" | sed 's/[0-9]\{1,\}/&,/g'
  echo '};'
  echo "  {\"$arch\", \"$variant\", image_$number, sizeof(image_$number)}," >>"$work/table"
}

echo '// Generated'
echo '#include "models/vdso/builtin.h"'
number=0
for arch in ppc32 ppc64 ppc64le arm64; do
  target $arch
  assemble getrandom clean
  assemble chacha clean
  image clean clean clean

  # On a little-endian machine the same.
  assemble chacha bytes -DKEY_BYTES
  image clean+bytes clean bytes

  assemble getrandom flags_pair -DSUSPECT_FLAGS_PAIR
  assemble getrandom state_trusted -DSUSPECT_STATE_TRUSTED
  assemble getrandom both -DSUSPECT_FLAGS_PAIR -DSUSPECT_STATE_TRUSTED
  image flags_pair flags_pair clean
  image state_trusted state_trusted clean
  image flags_pair+state_trusted both clean

  case $family in
    ppc)
      of_getrandom='43 vrsave-changed so-left'
      of_chacha=
      ;;
    arm64)
      of_getrandom='x18-changed fpcr-changed sp-not-restored errno-positive straddle-unchecked
        key-in-vector key-in-high-half attempt-left tpidr-changed irqs-masked'
      of_chacha='vector-not-zeroed d8-used'
      ;;
  esac
  for bug in 37 38 39 in-use-left-set batch-not-zeroed key-not-replaced \
    generation-compared-early query-reserved-set key-derived-left key-insecure branch-on-key \
    state-overrun retry-unbounded vector-not-restored timens-page tail-not-zeroed \
    query-not-answered query-flags batch-unused key-misplaced \
    $of_getrandom; do
    assemble getrandom bug -DBUG_"$(echo "$bug" | tr a-z- A-Z_)"
    image "$bug" bug clean
  done
  for bug in 34 counter-carry-lost nonvolatile-not-restored key-spilled $of_chacha; do
    assemble getrandom bug -DBUG_"$(echo "$bug" | tr a-z- A-Z_)"
    assemble chacha bug -DBUG_"$(echo "$bug" | tr a-z- A-Z_)"
    image "$bug" bug bug
  done
done
echo 'const struct vdso_builtin vdso_builtins[] = {'
cat "$work/table"
echo '  {NULL, NULL, NULL, 0},'
echo '};'
