#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Builds every fuzz target for OSS-Fuzz and ClusterFuzzLite: into $OUT, with $CC, $CFLAGS and
# $LIB_FUZZING_ENGINE. Sanitizers are address, undefined, or none. The tree is the one that this
# file lies in or, since OSS-Fuzz copies it to $SRC, $SRC/seedbed.
#
# What counts edges is left to the BUILD files: models are counted, the simulator is not. So the
# options for that are taken out of $CFLAGS. An afl-clang-fast counts everything all the same.
#
# JOBS=N: of Bazel.

set -eu
here=$(dirname "$(readlink -f "$0")")
if [ -e "$here/../../WORKSPACE" ]; then
	cd "$here/../.."
else
	cd "$SRC/seedbed"
fi
OUT=$(readlink -f "$OUT")

options=(--config=oss-fuzz --noshow_progress --jobs="${JOBS:-auto}")
options+=(--repo_env=CC="$(command -v "${CC:-clang}")")
hooks=clang
for flag in ${CFLAGS-}; do
	case $flag in
	-fsanitize-coverage=*) continue ;;
	-fsanitize=*)
		sanitizers=$(tr ',' '\n' <<<"${flag#*=}" | grep -v '^fuzzer' | paste -sd ,)
		[ -n "$sanitizers" ] || continue
		[[ ,$sanitizers, != *,address,* ]] || hooks=asan
		flag=-fsanitize=$sanitizers
		# As .bazelrc does: no fortified functions below a sanitizer.
		options+=(--linkopt="$flag" --copt=-U_FORTIFY_SOURCE --linkopt=-fuse-ld=lld)
		;;
	esac
	options+=(--copt="$flag")
done
options+=(--define=hooks="$hooks" --strip=never)
for flag in ${LIB_FUZZING_ENGINE--fsanitize=fuzzer}; do
	options+=(--linkopt="$flag")
done
# Engines are C++, whose library $CXX would link.
case " ${CXXFLAGS-} " in
*" -stdlib=libc++ "*) options+=(--linkopt=-lc++) ;;
*) options+=(--linkopt=-lstdc++) ;;
esac
# Fuzzing machines have libc and nothing else: libraries go along. An RPATH, which a RUNPATH is not,
# holds for the libraries of libraries too.
# shellcheck disable=SC2016 # for the dynamic linker
options+=(--linkopt='-Wl,--disable-new-dtags,-rpath,$ORIGIN/lib')

targets=$(bazel query --noshow_progress --ui_event_filters=-info \
	'attr(tags, "\boss-fuzz\b", //fuzz:all) except attr(tags, "\bno-oss-fuzz\b", //fuzz:all)')
# shellcheck disable=SC2086 # a label a word
bazel build "${options[@]}" $targets
bin=$(bazel info "${options[@]}" bazel-bin)
mkdir -p "$OUT/lib"
for target in $targets; do
	name=${target##*:}
	tar -C "$OUT" -xf "$bin/fuzz/$name.tar"
	ldd "$OUT/${name%_oss_fuzz}" | awk '$2 == "=>" && $3 ~ /^\// { print $3 }'
done | sort -u | grep -vE '/(libc|libm|libdl|librt|libpthread)\.so\.[0-9]+$' |
	while read -r library; do
		cmp -s "$library" "$OUT/lib/${library##*/}" || cp -L "$library" "$OUT/lib/"
	done
