# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh disable=SC2154 # the script sets kept
#
# What tools/kernel, tools/kernel-vdso and tools/kernel-archrandom made of kernel trees is kept in
# folders of the folder `kept`, named by a hash of all that decides what is in them. Sourced. Kept
# are the SEEDBED_KEPT (64) that were used last, and all that were used within the last hour: so
# what somebody else has just been told of is there when it is loaded.

# kept_use FILE: whether it is there; then it has been used now.
kept_use() (
	mkdir -p "$kept" && exec 7>"$kept/kept.lock" && flock -s 7 || exit 1
	[ -s "$1" ] && touch "${1%/*}"
)

# kept_put FOLDER FILE...: moves files into it, which is made; then the oldest folders go. The file
# by which others see that all is there comes last.
kept_put() (
	to=$1
	shift
	exec 7>"$kept/kept.lock" && flock 7 || exit 1
	mkdir -p "$to" && mv -f "$@" "$to/" && touch "$to" || exit 1
	# Those of a hash, the last ones first; and what a call left that was killed.
	find "$kept" -mindepth 1 -maxdepth 1 -type d -name '[0-9a-f]*' -mmin +60 \
		-printf '%T@ %p\n' | sort -rn | cut -d' ' -f2- >"$kept/old.new"
	all=$(find "$kept" -mindepth 1 -maxdepth 1 -type d -name '[0-9a-f]*' | wc -l)
	extra=$((all - ${SEEDBED_KEPT:-64}))
	[ $extra -le 0 ] || tail -n $extra "$kept/old.new" | while read -r folder; do
		rm -rf "$folder"
	done
	rm -f "$kept/old.new"
	find "$kept" -mindepth 1 -maxdepth 1 -type d -name 'work[-.]*' -mmin +1440 \
		-exec rm -rf {} + 2>/dev/null || true
)
