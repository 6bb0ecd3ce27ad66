# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# Fetching packages of other suites and architectures of Debian, for scripts: from the archive that
# this machine's apt uses, through a configuration of our own in the folder $apt, so that the
# machine's packages and lists stay as they are. apt verifies the signatures. The script sets $apt
# (absolute), $arch and $suites, and has the functions say and die.
# shellcheck disable=SC2154 # the script sets them

keyring=/usr/share/keyrings/debian-archive-keyring.gpg

# Our apt: apt_own PROGRAM ARGUMENT...
apt_own() {
	program=$1
	shift
	"$program" -q -o APT::Sandbox::User= -o "APT::Architecture=$arch" \
		-o "APT::Architectures::=$arch" -o "Dir::Etc::sourcelist=$apt/sources.list" \
		-o Dir::Etc::sourceparts=- -o "Dir::State::lists=$apt/lists" \
		-o "Dir::State::status=$apt/status" -o "Dir::Cache=$apt/cache" "$@" </dev/null
}

# Makes our apt's configuration and lists; a suite that the archive has not is passed over.
update() {
	# shellcheck disable=SC2016 # apt's variables, not the shell's
	uri=$(apt-get indextargets --format '$(REPO_URI)|$(ORIGIN)|$(LABEL)|$(COMPONENT)' \
		'Created-By: Packages' |
		awk -F'|' '$2 == "Debian" && $3 == "Debian" && $4 == "main" { print $1; exit }')
	[ -n "$uri" ] || die "no Debian archive in the apt sources (is there one, and was" \
		"\"apt-get update\" run?)"
	[ -r "$keyring" ] || die "package debian-archive-keyring is missing:" \
		"apt-get install debian-archive-keyring"
	mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial"
	: >"$apt/status"
	for one in $suites; do
		echo "deb [signed-by=$keyring] $uri $one main"
	done >"$apt/sources.list"
	apt_own apt-get -o APT::Update::Error-Mode=any update >&2 && return
	# One by one, to know which.
	: >"$apt/all"
	for one in $suites; do
		echo "deb [signed-by=$keyring] $uri $one main" >"$apt/sources.list"
		if apt_own apt-get -o APT::Get::List-Cleanup=0 \
			-o APT::Update::Error-Mode=any update >&2; then
			cat "$apt/sources.list" >>"$apt/all"
		else
			say "the archive has no suite $one for $arch, or does not answer"
		fi
	done
	mv "$apt/all" "$apt/sources.list"
	[ -s "$apt/sources.list" ] || die "no list of packages for $arch can be had"
}
