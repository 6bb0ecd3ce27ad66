#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# tools/kernel build, and the command's kernel: subjects, with copies of the tiny tree
# (models/kernel/testing/tree). $2 is the command.

# shellcheck source=tools/script_tests/script_tests.sh
. tools/script_tests/script_tests.sh

seedbed=$(readlink -f "$2")
export SEEDBED_BUILT=$TEST_TMPDIR/built SEEDBED_ROOT=$top
core=drivers/char/hw_random/core.c
cp -rL "$top/models/kernel/testing/tree" "$tree/tiny"
cd "$tree" || exit 1

build() {
	"$top/tools/kernel" build "$@" 2>err
}
fingerprint() {
	(cd "$1" && find . -type f | sort | xargs sha256sum && find . | sort) | sha256sum
}

before=$(fingerprint tiny)
found=$(build tiny)
expect "a tree is built" 0 $?
object=$(echo "$found" | tail -n 1)
expect "its object is there" yes "$([ -s "$object" ] && echo yes)"
expect "beside it lies its version" "version 4.5.6" "$(head -n 1 "${object%/*}/info")"
expect "and its SHA-256" 64 "$(sed -n 's/^sha256 //p' "${object%/*}/info" | tr -d '\n' | wc -c)"
expect "the tree is as before" "$before" "$(fingerprint tiny)"
made=$(stat -c %Y.%i "$object")
expect "again: the same object" "$object" "$(build tiny | tail -n 1)"
expect "which was not made anew" "$made" "$(stat -c %Y.%i "$object")"

cp -r tiny copy
other=$(build copy | tail -n 1)
expect "the same files elsewhere: the same subject" "$(cat "${object%/*}/info")" \
	"$(cat "${other%/*}/info")"
sed -i 's/reads = 7/reads = 8/' copy/$core
other=$(build copy | tail -n 1)
expect "an edit: another subject" no \
	"$(cmp -s "${object%/*}/info" "${other%/*}/info" && echo yes || echo no)"
sed -i 's/reads = 8/reads = 7/' copy/$core
expect "undone: the first again" "$(cat "${object%/*}/info")" \
	"$(other=$(build copy | tail -n 1) && cat "${other%/*}/info")"
echo '#define TINY_MORE 1' >>copy/include/linux/list.h
other=$(build copy | tail -n 1)
expect "an edit of a header that is read: another subject" no \
	"$(cmp -s "${object%/*}/info" "${other%/*}/info" && echo yes || echo no)"
made=$(stat -c %i "$other")
echo '#define TINY_MORE 1' >copy/include/linux/unread.h
expect "of one that is not: nothing is made" "$made" "$(stat -c %i "$(build copy | tail -n 1)")"

# A driver that comes later is compiled, and one that is not there is named.
driver=drivers/char/hw_random/iproc-rng200.c
cp -r tiny later
before=$(build later | tail -n 1)
expect "a driver that a tree has not is named" 1 "$(grep -c "has no $driver" err)"
printf 'int tiny_driver(void);\nint tiny_driver(void) { return 1; }\n' >later/$driver
expect "a driver that comes later is compiled" no \
	"$([ "$before" = "$(build later | tail -n 1)" ] && echo yes || echo no)"

# A file that is edited behind the compiler's back: what is made is what the file says afterwards.
cp -r tiny race
stand_in "$bin/editing-cc" <<'SCRIPT'
#!/bin/bash
gcc "$@" || exit
case "$*" in *race/drivers/char/hw_random/core.c*) ;; *) exit 0 ;; esac
grep -q tiny_edited race/drivers/char/hw_random/core.c ||
	printf 'int tiny_edited(void);\nint tiny_edited(void) { return 1; }\n' \
		>>race/drivers/char/hw_random/core.c
SCRIPT
object_of_race=$(CC=$bin/editing-cc build race | tail -n 1)
expect "an edit while it is compiled is compiled, too" 1 \
	"$(nm "$object_of_race" | grep -c 'tiny_edited')"

# One that is changed each time, with the date that it had.
cp -r tiny restless
stand_in "$bin/restless-cc" <<'SCRIPT'
#!/bin/bash
gcc "$@" || exit
case "$*" in *restless/drivers/char/hw_random/core.c*) ;; *) exit 0 ;; esac
echo "/* $RANDOM */" >>restless/drivers/char/hw_random/core.c
touch -d 2020-01-01 restless/drivers/char/hw_random/core.c
SCRIPT
CC=$bin/restless-cc build restless >/dev/null
expect "one that does not stay as it is: 65, told" "65 yes" \
	"$? $(grep -q 'are being changed' err && echo yes)"
expect "and nothing is left of it" "" "$(ls -d "$SEEDBED_BUILT"/kernel/work* 2>/dev/null)"

# A header that would be read in place of another.
cp -r tiny shadowed
mkdir shadowed/include/uapi/linux
echo '#include <linux/tiny_shadowed.h>' >>shadowed/$core
echo '#define TINY_SHADOWED 1' >shadowed/include/uapi/linux/tiny_shadowed.h
before=$(build shadowed | tail -n 1)
echo '#define TINY_SHADOWED 2' >shadowed/include/linux/tiny_shadowed.h
after=$(build shadowed | tail -n 1)
expect "a header that comes before one that is read: another subject" no \
	"$(cmp -s "${before%/*}/info" "${after%/*}/info" && echo yes || echo no)"
rm shadowed/include/linux/tiny_shadowed.h
expect "gone: the first again" "$(cat "${before%/*}/info")" \
	"$(other=$(build shadowed | tail -n 1) && cat "${other%/*}/info")"
echo '#include "quoted.h"' >>shadowed/$core
echo '#define TINY_QUOTED 1' >shadowed/include/quoted.h
before=$(build shadowed | tail -n 1)
echo '#define TINY_QUOTED 2' >shadowed/${core%/*}/quoted.h
after=$(build shadowed | tail -n 1)
expect "one that comes beside the file that includes it, too" no \
	"$(cmp -s "${before%/*}/info" "${after%/*}/info" && echo yes || echo no)"

# What a world has no room for.
cp -r tiny huge
echo 'static char huge[100 << 20]; char *tiny_huge(void); char *tiny_huge(void) { return huge; }' \
	>>huge/$core
build huge >/dev/null
expect "100 MiB of variables: 65, told" "65 yes" \
	"$? $(grep -q 'take 1048[0-9]* bytes: seedbed has room for 16777216' err && echo yes)"
sed -i 's/huge\[100 << 20\]/huge[8 << 20]/' huge/$core
build huge >/dev/null
expect "8 MiB: built" 0 $?

# What is kept: the last ones, and those that others may just have been told of.
kept() { find "$SEEDBED_BUILT/kernel" -maxdepth 1 -name '[0-9a-f]*' -type d | wc -l; }
ours=$(build tiny | tail -n 1)
for i in {1..9}; do
	mkdir "$SEEDBED_BUILT/kernel/00000000000000000000000$i"
	touch -d "2020-01-0$i" "$SEEDBED_BUILT/kernel/00000000000000000000000$i"
done
others=$(kept)
echo '#define TINY_MORE 2' >>copy/include/linux/list.h
SEEDBED_KEPT=$((others - 3)) build copy >/dev/null
expect "of those that were used long ago the oldest go" \
	"$((others - 3)) gone gone gone gone there" "$(kept) $(for i in 1 2 3 4 5; do
		[ -d "$SEEDBED_BUILT/kernel/00000000000000000000000$i" ] && echo there || echo gone
	done | paste -sd ' ')"
echo '#define TINY_MORE 3' >>copy/include/linux/list.h
SEEDBED_KEPT=1 build copy >/dev/null
expect "those of the last hour stay" "$ours yes" \
	"$(build tiny | tail -n 1) $([ "$(kept)" -gt 1 ] && echo yes)"
touch -d "2020-01-01" "${ours%/*}"
build tiny >/dev/null
expect "what is used is used now" "" "$(find "${ours%/*}" -maxdepth 0 -mmin +60)"

mkdir 'odd[name]'
build 'odd[name]' >/dev/null
expect "a path that a pattern could take for another: 64" 64 $?

# What does not compile.
cp -r tiny broken
echo '#include <linux/lacking.h>' >>broken/$core
build broken >/dev/null
expect "a header that the shim lacks: 65" 65 $?
named=$(grep -o 'linux/lacking.h: No' err | cut -d: -f1 | head -n 1)
expect "it is named, and how to add it" "linux/lacking.h docs/KERNEL.md" \
	"$named $(grep -o docs/KERNEL.md err)"
cp tiny/$core broken/$core
echo 'int tiny_more(void) { return tiny_macro(1); }' >>broken/$core
build broken >/dev/null
expect "a macro that it lacks: 65" "65 yes" \
	"$? $(grep -q "declaration of function.*tiny_macro" err && echo yes)"
cp tiny/$core broken/$core
printf 'extern int tiny_variable;\nint tiny_more(void) { return tiny_variable; }\n' >>broken/$core
build broken >/dev/null
expect "a variable that nobody defines: 65, named" "65 yes" \
	"$? $(grep -q "objects of the kernel.*tiny_variable" err && echo yes)"
cp tiny/$core broken/$core
build broken >/dev/null
expect "mended: built" 0 $?

rm -r broken/drivers
build broken >/dev/null
expect "no core: 66, named" "66 yes" "$? $(grep -q "$core" err && echo yes)"
build nowhere >/dev/null
expect "no folder: 66" 66 $?
build >/dev/null
expect "no argument: 64" 64 $?
"$top/tools/kernel" frobnicate x 2>/dev/null
expect "an unknown word: 64" 64 $?
"$top/tools/kernel" fetch latest 2>/dev/null
expect "no version: 64" 64 $?
CC=no-such-cc build tiny >/dev/null
expect "no compiler: 69" 69 $?

# fetch, with stand-ins for apt and dpkg-deb: a package that this machine's lists have.
mkdir -p linux-source-4.5/{include,drivers/char/hw_random,fs} "$bin"
cp tiny/Makefile linux-source-4.5/
cp tiny/$core linux-source-4.5/drivers/char/hw_random/
touch linux-source-4.5/include/a.h linux-source-4.5/fs/b.c
tar -cJf linux-source-4.5.tar.xz linux-source-4.5
export ARCHIVE=$PWD
stand_in "$bin/apt-get" <<'SCRIPT'
#!/bin/sh
echo "$*" >>"$ARCHIVE/calls"
case "$*" in
*download\ linux-source-4.5) touch linux-source-4.5_4.5.6-1_all.deb ;;
*) exit 100 ;;
esac
SCRIPT
stand_in "$bin/dpkg-deb" <<'SCRIPT'
#!/bin/sh
[ "$1" = --fsys-tarfile ] && [ -e "$2" ] || exit 2
mkdir -p "$ARCHIVE/usr/src"
cp "$ARCHIVE/linux-source-4.5.tar.xz" "$ARCHIVE/usr/src/"
exec tar -c -C "$ARCHIVE" ./usr/src/linux-source-4.5.tar.xz
SCRIPT
found=$("$top/tools/kernel" fetch 4.5 2>err | tail -n 1)
expect "a tree is fetched" "$SEEDBED_BUILT/kernel-trees/4.5" "$found"
expect "with what seedbed reads, and no more" "Makefile drivers include" "$(cd "$found" && echo *)"
: >calls
expect "again: the same" "$found" "$("$top/tools/kernel" fetch 4.5 2>err)"
expect "with nothing asked" "" "$(cat calls)"
"$top/tools/kernel" fetch 4.4 >/dev/null 2>err
expect "a version that no suite has: 69" 69 $?
expect "nothing is left half" "4.5" \
	"$(cd "$SEEDBED_BUILT/kernel-trees" && ls -d work 4.* 2>/dev/null)"

# The command.
run() {
	"$seedbed" "$@" >out 2>err
}
# Crashes: one key for each function, in the code and in what it calls; none hides another.
crash() {
	rm -rf crash
	cp -r tiny crash
	sed -i "$1" crash/$core
	run explore bcm2835-read --seeds=1..20 --subject=kernel:crash --out=crashes "${@:2}"
	echo "$? $(sed -n 's/^ *kernel-crash: //p' out | head -n 1)"
}
crash_key() { grep -o 'key=bcm2835-read/kernel-crash/[0-9a-f]*' out | head -n 1 | cut -d= -f2; }
expect "a NULL pointer in registration" "12 SIGSEGV in hwrng_register, by a NULL pointer" \
	"$(crash '/^int hwrng_register/,/^}/s/mutex_lock.*/& *(volatile int *)8 = 1;/')"
run explore bcm2835-read --seeds=1..20 --subject=kernel:crash --out=crashes --set=hooks=1
one=$(crash_key)
run explore bcm2835-read --seeds=1..20 --subject=kernel:crash --out=crashes
expect "the same key with hooks" "$one" "$(crash_key)"
run replay bcm2835-read --seed=1 --subject=kernel:crash
expect "it replays" "$one" "$(crash_key)"
expect "a bad pointer that memset gets" \
	"12 SIGSEGV in what is called by tiny_open, by a NULL pointer" \
	"$(crash '/^static int tiny_open/s/$/ memset((void *)8, 0, reads * 8);/')"
run replay bcm2835-read --seed=1 --subject=kernel:crash
two=$(crash_key)
expect "another key" yes "$([ -n "$two" ] && [ "$one" != "$two" ] && echo yes)"
cat >known <<TEXT
key $one
versions 4..
reason it is known
replay none
TEXT
expect "what is known of one does not hide the other" "12 $two" "$(
	crash '/^static int tiny_open/s/$/ memset((void *)8, 0, reads * 8);/' --known=known \
		>/dev/null
	run explore bcm2835-read --seeds=1..20 --subject=kernel:crash --known=known --out=crashes
	echo "$? $(crash_key)")"

cp -r tiny nameless
rm nameless/Makefile
run explore bcm2835-read --seeds=1..3 --subject=kernel:nameless --known=known --out=crashes
expect "a tree without a version: told that nothing is known of it" 1 \
	"$(grep -c 'kernel:nameless: its Makefile tells no version' err)"
run explore bcm2835-read --seeds=1..3 --subject=kernel:tiny --known=known --out=crashes
expect "with one: not" 0 "$(grep -c 'tells no version' err)"
mv crash moved
cp "$(find crashes -path "*${two##*/}*/decisions" | head -n 1)" decisions
run replay decisions
expect "a tree that is elsewhere: 66, and what to do" "66 1" \
	"$? $(grep -c -e '--subject=kernel:DIR runs it on another' err)"
run replay decisions --subject=kernel:moved
expect "it runs on what is named" "$two" "$(crash_key)"

# Races of a variable have one key, whatever function they are in and however it was compiled.
race() {
	rm -rf crash
	cp -r tiny crash
	sed -i "$1" crash/$core
	CC=$2 run explore bcm2835-read --seeds=1..2000 --subject=kernel:crash --set=hooks=2 \
		--set=readers=2 --keep-going --out=crashes
	sed -n 's/^ *data-race: \(pair[^:]*\): .*/\1/p' out
	grep -o 'key=bcm2835-read/data-race/[0-9a-f]*' out
}
stand_in "$bin/plain-cc" <<'SCRIPT'
#!/bin/sh
exec gcc "$@" -O0
SCRIPT
race_one=$(race '/^static int tiny_open/s/$/ pair[1]++;/' gcc | grep -A 9 '^pair')
race_two=$(race '/^static ssize_t tiny_read/s/$/ pair[1]++;/' "$bin/plain-cc" | grep -A 9 '^pair')
expect "the race of a variable has its name" "pair" "$(echo "$race_one" | head -n 1)"
expect "and its key" "$race_one" "$race_two"

run replay bcm2835-read --seed=1 --subject=kernel:tiny
sed -i 's/digest=[^ ]*//' out
expect "its line names the subject" "$(sed -n 's/^sha256 //p' "${object%/*}/info")" \
	"$(grep -o 'subject=[0-9a-f]*' out | head -n 1 | cut -d= -f2)"
expect "what nobody has is told" yes "$(grep -q 'refer to tiny_missing' err && echo yes)"
cp -r tiny bad
echo 'int' >>bad/$core
run explore bcm2835-read --seeds=1..3 --subject=kernel:bad
expect "a tree that does not compile ends the command: 65" 65 $?
run explore bcm2835-read --seeds=1..3 --subject=kernel:bad --bisect
expect "in a bisection: 125" 125 $?
run explore bcm2835-read --seeds=1..3 --subject=kernel:nowhere
expect "no tree: 66" 66 $?
run explore bcm2835-read --seeds=1..3 --subject=kernel:nowhere --bisect
expect "in a bisection: 125" 125 $?
run explore crng-seed --seeds=1..3 --subject=kernel:tiny
expect "a scenario that takes no tree: 64" 64 $?
run explore bcm2835-read --seeds=1..3 --subject=kernel:
expect "no folder: 64" 64 $?
run explore bcm2835-read --seeds=1..3 --subject=kernel:tiny --bug=62
expect "a bug of the model: 64" 64 $?
run explore bcm2835-read --seeds=1..3 --subject=kernel:tiny --set=policy=cpu_relax
expect "a policy of the model: 64" 64 $?
run explore bcm2835-read --seeds=1..3 --subject=kernel:tiny --set=suspect.bcm2835_status_twice=1
expect "a suspect of the model: 64" 64 $?
run explore bcm2835-read --seeds=1..3 --frobnicate --bisect
expect "a wrong option ends a bisection" 128 $?
run explore bcm2835-read --seeds=1..3 --bug=99 --bisect
expect "so does a wrong bug" 128 $?
run explore mailbox --seeds=1..10 --bisect
expect "clean is good" 0 $?
run explore mailbox --seeds=1..10000 --bug=unlocked --bisect --out=findings
expect "a finding is bad" 1 $?
