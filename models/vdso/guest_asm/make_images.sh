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

# target ARCH: how clang and ld.lld are to be told.
target() {
  arch=$1
  case $arch in
    ppc32) options='--target=powerpc-linux-gnu'; emulation=elf32ppc ;;
    ppc64) options='--target=powerpc64-linux-gnu -mabi=elfv2'; emulation=elf64ppc ;;
    ppc64le) options='--target=powerpc64le-linux-gnu'; emulation=elf64lppc ;;
  esac
}

# assemble SOURCE NAME [-D...]
assemble() {
  source=$1
  name=$2
  shift 2
  # shellcheck disable=SC2086 # options are several
  clang $options "$@" -c "$folder/$source.S" -o "$work/$source-$name.o"
}

# image VARIANT GETRANDOM CHACHA: from the objects of these names.
image() {
  variant=$1
  lax=--no-undefined
  # What the loader of a program would have to mend stays in this one image.
  if [ "$variant" = 39 ]; then lax=--unresolved-symbols=ignore-all; fi
  ld.lld -m "$emulation" -shared -z max-page-size=4096 -z norelro --hash-style=sysv \
    -soname linux-vdso.so.1 "$lax" -T "$folder/image.lds" -o "$work/image.so" \
    "$work/getrandom_ppc-$2.o" "$work/chacha_ppc-$3.o"
  number=$((number + 1))
  echo "static const u8 image_${number}[] = {"
  od -An -v -t u1 "$work/image.so" | sed 's/[0-9]\{1,\}/&,/g'
  echo '};'
  echo "  {\"$arch\", \"$variant\", image_$number, sizeof(image_$number)}," >>"$work/table"
}

echo '// Generated'
echo '#include "models/vdso/builtin.h"'
number=0
for arch in ppc32 ppc64 ppc64le; do
  target $arch
  assemble getrandom_ppc clean
  assemble chacha_ppc clean
  image clean clean clean

  assemble chacha_ppc bytes -DKEY_BYTES
  image clean+bytes clean bytes

  assemble getrandom_ppc flags_pair -DSUSPECT_FLAGS_PAIR
  assemble getrandom_ppc state_trusted -DSUSPECT_STATE_TRUSTED
  assemble getrandom_ppc both -DSUSPECT_FLAGS_PAIR -DSUSPECT_STATE_TRUSTED
  image flags_pair flags_pair clean
  image state_trusted state_trusted clean
  image flags_pair+state_trusted both clean

  for bug in 37 38 39 43 in-use-left-set batch-not-zeroed key-not-replaced \
    generation-compared-early query-reserved-set key-derived-left key-insecure branch-on-key \
    state-overrun retry-unbounded vector-not-restored vrsave-changed so-left \
    timens-page tail-not-zeroed; do
    assemble getrandom_ppc bug -DBUG_"$(echo $bug | tr a-z- A-Z_)"
    image $bug bug clean
  done
  for bug in 34 counter-carry-lost nonvolatile-not-restored key-spilled; do
    assemble chacha_ppc bug -DBUG_"$(echo $bug | tr a-z- A-Z_)"
    image $bug clean bug
  done
done
echo 'const struct vdso_builtin vdso_builtins[] = {'
cat "$work/table"
echo '  {NULL, NULL, NULL, 0},'
echo '};'
