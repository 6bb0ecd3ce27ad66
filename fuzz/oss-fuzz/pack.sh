#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# pack.sh OUT.tar TARGET BINARY DICTIONARY|- [INPUT...]
#
# A target as OSS-Fuzz and ClusterFuzzLite want it below $OUT: TARGET, TARGET_seed_corpus.zip,
# TARGET.options and, if there is one, TARGET.dict. Inputs in the zip are named by their SHA-1; the
# calm run is always one of them.

set -eu
tar=$1 target=$2 binary=$3 dictionary=$4
shift 4

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/seeds" "$work/out"
printf '\0' >"$work/calm"
for input in "$work/calm" "$@"; do
	cp -L "$input" "$work/seeds/$(sha1sum <"$input" | cut -d ' ' -f 1)"
done
# Names and contents alone: the same archive each time.
chmod 644 "$work"/seeds/*
touch -d @315532800 "$work"/seeds/*
(cd "$work/seeds" && TZ=UTC zip -q -X -0 "../out/${target}_seed_corpus.zip" ./*)

ASAN_OPTIONS=detect_leaks=0 SEEDBED_FUZZ_DESCRIBE=$work/description "$binary" >/dev/null
cp -L "$binary" "$work/out/$target"
[ "$dictionary" = - ] || cp -L "$dictionary" "$work/out/$target.dict"
{
	echo '[libfuzzer]'
	sed -n 's/^max_len /max_len = /p' "$work/description"
	echo 'timeout = 25'
	[ "$dictionary" = - ] || echo "dict = $target.dict"
} >"$work/out/$target.options"

chmod 755 "$work/out/$target"
tar --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner -C "$work/out" -cf "$tar" .
