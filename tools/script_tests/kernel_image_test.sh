#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# tools/kernel-image, with stand-ins for apt and dpkg-deb; the archive is the file
# $WORLD/archive: "PACKAGE VERSION SUITE STATE" a line, where STATE says what a
# download gives: kernel, meta (a package without one), or gone (404).

# shellcheck source=tools/script_tests/script_tests.sh
. tools/script_tests/script_tests.sh

cp "$top/tools/kernel-image" "$top/tools/debian-archive.sh" "$tree/tools/"
cd "$tree" || exit 1
export WORLD=$TEST_TMPDIR

stand_in "$bin/apt-get" <<'SCRIPT'
#!/bin/sh
echo "$*" >>"$WORLD/calls"
for word; do
	case $word in
	Dir::Etc::sourcelist=*) sources=${word#*=} ;;
	indextargets)
		cat "$WORLD/targets"
		exit
		;;
	update)
		[ ! -e "$WORLD/offline" ] || exit 100
		cut -d' ' -f4 "$sources" | grep -qxf "$WORLD/lacking" && exit 100
		exit 0
		;;
	linux-*:*=*)
		package=${word%%:*} version=${word#*=}
		state=$(awk -v p="$package" -v v="$version" '$1 == p && $2 == v { print $4 }' \
			"$WORLD/archive")
		[ "$state" != gone ] || exit 100
		echo "$state $package" >"${package}_${version}_all.deb"
		;;
	esac
done
SCRIPT
stand_in "$bin/apt-cache" <<'SCRIPT'
#!/bin/sh
for word; do
	case $word in
	search) awk '{ print $1, "- a kernel" }' "$WORLD/archive" | sort -u ;;
	linux-*) awk -v p="$word" '$1 == p {
			printf " %s | %s | http://x/debian %s/main all Packages\n", $1, $2, $3
		}' "$WORLD/archive" ;;
	esac
done
SCRIPT
stand_in "$bin/dpkg-deb" <<'SCRIPT'
#!/bin/sh
read -r state package <"$2"
files=$(mktemp -d)
mkdir "$files/boot"
[ "$state" != kernel ] || echo "$package" >"$files/boot/vmlinuz-${package#linux-*-}"
tar -c -C "$files" ./boot
rm -r "$files"
SCRIPT

echo 'http://x/debian/|Debian|Debian|main' >"$WORLD/targets"
: >"$WORLD/lacking"
cat >"$WORLD/archive" <<'END'
linux-image-6.12.9+deb13-arm64 6.12.9-1 trixie kernel
linux-image-6.12.107+deb13-arm64 6.12.107-1 trixie kernel
linux-image-6.12.117+deb13-arm64 6.12.117-1 trixie gone
linux-image-6.12.120+deb13-rt-arm64 6.12.120-1 trixie kernel
linux-image-6.12.120+deb13-arm64-dbg 6.12.120-1 trixie kernel
linux-image-6.1.0-37-arm64 6.1.140-1 bookworm-backports kernel
linux-image-6.12.95+deb12-arm64-unsigned 6.12.95-1~bpo12+1 bookworm-backports kernel
linux-image-7.2.13+deb14-arm64 7.2.13-1 sid meta
linux-binary-7.2.13+deb14-arm64 7.2.13-1 sid kernel
linux-image-7.20.1+deb14-arm64 7.20.1-1 sid kernel
END

# path ARGUMENT...: the last line that it prints, without the folder, and its status.
path() {
	tools/kernel-image "$@" 2>"$WORLD/err" >"$WORLD/out"
	status=$?
	echo "$(tail -n 1 "$WORLD/out" | sed 's|^.build/kernel-images/||')" $status
}

expect "the newest of all" "arm64/vmlinuz-7.20.1+deb14-arm64 0" "$(path arm64)"
expect "the newest of a series, not of one that begins alike" \
	"arm64/vmlinuz-7.2.13+deb14-arm64 0" "$(path arm64 7.2)"
expect "the kernel's package comes before the one that depends on it" "" \
	"$(grep 'no kernel' "$WORLD/err")"
expect "what is gone is passed over, numbers are numbers" \
	"arm64/vmlinuz-6.12.107+deb13-arm64 0" "$(path arm64 6.12)"
expect "and told" "1" "$(grep -c '6.12.117-1 is listed, but cannot be fetched' "$WORLD/err")"
expect "the newest of a suite, unsigned where there is no other" \
	"arm64/vmlinuz-6.12.95+deb12-arm64-unsigned 0" "$(path arm64 bookworm-backports)"
expect "an exact version" "arm64/vmlinuz-6.12.9+deb13-arm64 0" "$(path arm64 6.12.9)"
expect "an old name" "arm64/vmlinuz-6.1.0-37-arm64 0" "$(path arm64 6.1)"
expect "another flavour" "arm64/vmlinuz-6.12.120+deb13-rt-arm64 0" "$(path arm64 6.12 rt-arm64)"
expect "the kernel is the package's" "linux-binary-7.2.13+deb14-arm64" \
	"$(cat .build/kernel-images/arm64/vmlinuz-7.2.13+deb14-arm64)"
expect "only its own folder is used" "" \
	"$(find .build -mindepth 1 -maxdepth 1 ! -name kernel-images)"

: >"$WORLD/calls"
touch "$WORLD/offline"
expect "a second call is answered" "arm64/vmlinuz-6.12.107+deb13-arm64 0" "$(path arm64 6.12)"
expect "without the network" "" "$(cat "$WORLD/calls")"
expect "another one cannot be" " 69" "$(path arm64 7.20)"
expect "and says so" "tools/kernel-image: no list of packages for arm64 can be had" \
	"$(tail -n 1 "$WORLD/err")"
expect "nor can a refresh" " 69" "$(path --refresh arm64 6.12)"
rm "$WORLD/offline"

echo sid >"$WORLD/lacking"
expect "a suite that is not there is passed over" "arm64/vmlinuz-6.12.107+deb13-arm64 0" \
	"$(path --refresh arm64 6.12)"
: >"$WORLD/lacking"
expect "what no suite has: 69" " 69" "$(path arm64 5.10)"
expect "it is named" \
	"no package linux-image-5.10-arm64 for arm64 in bookworm-backports trixie sid" \
	"$(sed 's/^[^ ]* //' "$WORLD/err")"
sed -i 's/kernel$/gone/' "$WORLD/archive"
expect "nothing can be fetched: 69" " 69" "$(path --refresh arm64 6.12)"
expect "all are named" "1" "$(grep -c 'none of these packages can be fetched: .*6.12.107-1' \
	"$WORLD/err")"
: >"$WORLD/targets"
expect "no archive: 69" " 69" "$(path --refresh arm64)"

for arguments in '' 'arm64 x' 'arm64 6 a b' '../x' 'arm64 6.1/2' '--frob'; do
	# shellcheck disable=SC2086 # several arguments
	expect "usage: 64 ($arguments)" " 64" "$(path $arguments)"
done
