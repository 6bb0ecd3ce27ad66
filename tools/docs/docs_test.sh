#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What the documents say is so:
#   - files, folders and targets that they name exist, and so do the places that links point at;
#   - subcommands, options, settings and checks that they name exist;
#   - each command of a ```console block, run here, prints what stands below it;
#   - each ```c block of docs/ARCHITECTURE.md stands in models/testing/mailbox.c;
#   - docs/ARCHITECTURE.md names every checker of the world.
# In a ```console block how long it took, the commit and the SHA-256 of the subject count as
# equal, "..." stands for anything, and a line that is only "..." for any lines. All else is
# the same on any machine.
#
# $1 is the built command, $2 a file at the top of the tree. With --fix as $3 samples are
# replaced by what was printed; those with "..." only where that is something else:
# bazel run //tools/docs:docs_test -- --fix

set -u
seedbed=$PWD/$1
top=$(dirname "$(readlink -f "$2")")
fix=${3-}
temp=${TEST_TMPDIR:-$(mktemp -d)}
[ -n "${TEST_TMPDIR-}" ] || trap 'rm -rf "$temp"' EXIT
scratch=$temp/scratch
failed=0
unset SEEDBED_COMMIT
[ -z "$fix" ] || SEEDBED_COMMIT=$(git -C "$top" rev-parse HEAD) && export SEEDBED_COMMIT

wrong() { # wrong WHERE WHAT
	echo "$1: $2"
	failed=1
}

docs=("$top"/README.md "$top"/docs/*.md)

# ---- Names

# Code spans of a document, and the lines of its blocks, one a line.
code_of() {
	awk '/^```/ { block = !block; next }
		block { print; next }
		{
			while (match($0, /`[^`]+`/)) {
				print substr($0, RSTART + 1, RLENGTH - 2)
				$0 = substr($0, RSTART + RLENGTH)
			}
		}' "$1"
}

folders='(sim|models|fuzz|corpora|tools|docs|\.ci)'
check_paths() {
	local word package name
	while read -r word; do
		case $word in *[A-Z][A-Z]*/* | *NAME* | *'*'*) continue ;; esac
		[ -e "$top/$word" ] || wrong "$2" "there is no $word"
	done < <(code_of "$1" | grep -oE "(^|[ (=])$folders/[A-Za-z0-9_./-]*" |
		sed -E 's/^[ (=]//; s/[.:]+$//' | sort -u)
	while read -r word; do
		package=${word%:*} name=${word##*:}
		package=$top/${package#//}
		# These are named by the scenario.
		case $name in
		seeds_*) name=${name#seeds_} name=${name//_/-} ;;
		*_fuzz | *_fuzz_*) name=${name%_fuzz*} name=${name//_/-} ;;
		all) continue ;;
		esac
		! grep -qs "\"$name\"" "$top/tools/bazel/scenarios.bzl" || continue
		grep -qs "\"$name\"" "$package/BUILD.bazel" || [ -e "$package/$name.c" ] ||
			wrong "$2" "there is no target $word"
	done < <(code_of "$1" | grep -oE '//[a-z0-9_/]+:[a-z0-9_]+' | sort -u)
}

anchors_of() {
	sed -nE 's/^#+ //p' "$1" | tr 'A-Z ' 'a-z-' | tr -cd 'a-z0-9_\n-'
}

check_links() {
	local link file
	while read -r link; do
		case $link in http*) continue ;; esac
		file=${link%%#*}
		file=$(dirname "$1")/${file:-$(basename "$1")}
		[ -e "$file" ] || wrong "$2" "the link $link leads nowhere"
		case $link in *#*) ;; *) continue ;; esac
		anchors_of "$file" | grep -qxF "${link#*#}" || wrong "$2" "no heading for $link"
	done < <(grep -oE '\]\([^)]+\)' "$1" | sed -E 's/^\]\(//; s/\)$//')
}

# Help of a subcommand, asked once.
declare -A help
help_of() {
	[ -n "${help[$1]-}" ] || help[$1]=$("$seedbed" "$1" --help 2>&1)
	echo "${help[$1]}"
}

check_commands() {
	local line sub word listed checks
	listed=$("$seedbed" list)
	checks=$("$top/tools/check" --list)
	while read -r line; do
		sub=$(sed -nE 's/^tools\/seedbed ([a-z]+).*/\1/p' <<<"$line")
		[ -n "$sub" ] || continue
		help_of "$sub" | grep -q "^Usage: seedbed $sub" ||
			wrong "$2" "there is no subcommand $sub: $line"
		while read -r word; do
			help_of "$sub" | grep -qE -- "(^|[ ,])$word([ =]|\$)" ||
				wrong "$2" "there is no option $word: $line"
		done < <(grep -oE -- '--[a-z-]+' <<<"$line")
		while read -r word; do
			case $word in *NAME* | *KEY*) continue ;; esac
			word=${word#--set?} && word=${word%=}
			grep -qE "(^ +|--set=)${word//./\\.}[ =]" <<<"$listed" ||
				wrong "$2" "there is no parameter $word: $line"
		done < <(grep -oE -- '--set[= ][A-Za-z0-9_.]+=' <<<"$line")
	done < <(code_of "$1" | grep -oE 'tools/seedbed [^|>#]*' | sort -u)
	while read -r line; do
		for word in ${line#tools/check}; do
			case $word in -* | NAME*) continue ;; esac
			grep -q "^$word " <<<"$checks" || wrong "$2" "there is no check $word"
		done
	done < <(code_of "$1" | grep -oE 'tools/check( [a-zA-Z0-9-]+)*' | sort -u)
}

# ---- Samples

normal() {
	sed -E 's/commit[= ][^ ]+/commit=C/g
		s/\b[0-9a-f]{64}\b/S/g
		s/( distinct, )([0-9]+ h )?([0-9]+ min )?[0-9.]+ s$/\1T/
		s/[ 	]+/ /g; s/^ //; s/ $//; s/-+\|/-|/g'
}

# Does the text $1, line by line, match the pattern text $2?
matches() {
	local -a found want
	mapfile -t found < <(normal <<<"$1")
	mapfile -t want < <(normal <<<"$2" | sed -E 's/[][*?\\]/\\&/g; s/\.\.\./*/g')
	local i=0 pattern skip=
	for pattern in "${want[@]}"; do
		[ "$pattern" != '*' ] || { skip=1 && continue; }
		# shellcheck disable=SC2053 # a pattern is meant
		while [ $i -lt ${#found[@]} ] && ! [[ ${found[i]} == $pattern ]]; do
			[ -n "$skip" ] || return 1
			i=$((i + 1))
		done
		[ $i -lt ${#found[@]} ] || return 1
		i=$((i + 1)) skip=
	done
	[ -n "$skip" ] || [ $i -eq ${#found[@]} ]
}

last=0
restore_status() { return $last; }

# run_sample WHERE COMMAND EXPECTED: runs the command where those before it have run, and
# adds to $renewed what the document should show.
run_sample() {
	local found
	restore_status
	eval "$2" >"$temp/output" 2>&1 </dev/null
	last=$?
	found=$(cat "$temp/output")
	if matches "$found" "$3"; then
		[[ $3 != *...* ]] || found=$3
	elif [ -z "$fix" ]; then
		wrong "$1" "\$ $2"
		printf 'expected:\n%s\nfound:\n%s\n' "$3" "$found"
	fi
	[ -z "$found" ] || renewed+=$found$'\n'
}

check_samples() {
	local line number=0 inside='' command='' expected='' where='' renewed=''
	rm -rf "$scratch" && mkdir -p "$scratch/tools" && cd "$scratch" || exit 1
	printf '#!/bin/sh\nSEEDBED_ROOT=%s exec %s "$@"\n' "$scratch" "$seedbed" >tools/seedbed
	chmod +x tools/seedbed
	ln -s "$top/tools/check" tools/
	last=0
	while IFS= read -r line; do
		number=$((number + 1))
		if [ "$line" = '```console' ]; then
			inside=1
		elif [ -n "$inside" ] && [[ $line == '$ '* || $line == '```' ]]; then
			[ -z "$command" ] || run_sample "$where" "$command" "${expected%$'\n'}"
			command=${line#\$ } expected='' where=$2:$number
			[ "$line" != '```' ] || { command='' && inside=''; }
		elif [ -n "$inside" ]; then
			expected+=$line$'\n'
			continue
		fi
		renewed+=$line$'\n'
	done <"$1"
	[ -z "$fix" ] || printf %s "$renewed" >"$1"
}

# ---- The example and the checkers

check_excerpts() {
	local line inside='' text='' whole
	whole=$(cat "$top/models/testing/mailbox.c")
	while IFS= read -r line; do
		case $line in
		'```c') inside=1 text='' ;;
		'```')
			[ -z "$inside" ] || [[ $whole == *"${text%$'\n'}"* ]] ||
				wrong "$2" "models/testing/mailbox.c does not hold: $text"
			inside=''
			;;
		*) [ -z "$inside" ] || text+=$line$'\n' ;;
		esac
	done <"$1"
}

check_checkers() {
	local id
	while read -r id; do
		grep -qF "\`$id\`" "$1" || wrong "$2" "does not name the checker $id"
	done < <(sed -nE 's/^  X\([a-z_]+, "([a-z-]+)".*/\1/p' "$top/sim/checker.h")
}

for doc in "${docs[@]}"; do
	name=${doc#"$top"/}
	check_paths "$doc" "$name"
	check_links "$doc" "$name"
	check_commands "$doc" "$name"
	check_samples "$doc" "$name"
done
check_excerpts "$top/docs/ARCHITECTURE.md" docs/ARCHITECTURE.md
check_checkers "$top/docs/ARCHITECTURE.md" docs/ARCHITECTURE.md

# That samples can fail.
took="2 runs, 1 distinct, "
for pair in "a b|a c" "a 1 b|a 22 b" "1 distinct|2 distinct" $'a\nb|a' $'a|a\nb' \
	$'x\ny|...\nz' "a b c|a ... d"; do
	! matches "${pair%|*}" "${pair#*|}" || wrong docs_test.sh "takes ${pair%|*} for ${pair#*|}"
done
for pair in "${took}1.2 s|${took}1 min 02 s" "a commit=1 b|a commit=2 b" $'x\ny\nz|...\nz' \
	"a b c|a ... c"; do
	matches "${pair%|*}" "${pair#*|}" || wrong docs_test.sh "${pair%|*} is not ${pair#*|}"
done
[ $failed -eq 0 ] || echo "If this is meant: bazel run //tools/docs:docs_test -- --fix"
exit $failed
