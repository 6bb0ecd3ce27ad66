#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# tools/kernel-archrandom on a tree of our own, which has what that reads and no more: what it
# makes, what it keeps, what it refuses; and `--subject=kernel:DIR` of the arm64 scenarios, by the
# command, $2.

# shellcheck source=tools/script_tests/script_tests.sh
. tools/script_tests/script_tests.sh
seedbed=$(readlink -f "$2")
export SEEDBED_BUILT=$TEST_TMPDIR/built SEEDBED_ROOT=$top
header=own/arch/arm64/include/asm/archrandom.h
cd "$TEST_TMPDIR" || exit 1

put() {
	mkdir -p "$(dirname "$1")"
	cat >"$1"
}

# A kernel as 7.2 is, but for the names of its own.
fresh() {
	rm -rf own
	printf '%s\n' 'VERSION = 7' 'PATCHLEVEL = 2' 'SUBLEVEL = 1' | put own/Makefile
	echo '#include <generated/autoconf.h>' | put own/include/linux/kconfig.h
	put own/include/linux/compiler_types.h <<'TEXT'
#define __always_inline inline __attribute__((always_inline))
#define unlikely(x) __builtin_expect(!!(x), 0)
TEXT
	for name in compiler build_bug; do
		echo '#include <linux/compiler_types.h>' | put own/include/linux/$name.h
	done
	echo '#define __stringify_(...) #__VA_ARGS__
#define __stringify(...) __stringify_(__VA_ARGS__)' | put own/include/linux/stringify.h
	echo '#define GENMASK(high, low) (~0ul >> (63 - (high)) & ~0ul << (low))' |
		put own/include/linux/bits.h
	echo '#define MOST(a, b) ((a) < (b) ? (a) : (b))' | put own/include/linux/minmax.h
	put own/include/linux/types.h <<'TEXT'
#ifndef TYPES
#define TYPES
typedef _Bool bool;
typedef unsigned int u32;
typedef int s32;
typedef unsigned long u64, size_t;
#define true 1
#define false 0
#endif
TEXT
	put own/include/linux/arm-smccc.h <<'TEXT'
#include <linux/types.h>
enum arm_smccc_conduit { SMCCC_CONDUIT_NONE, SMCCC_CONDUIT_SMC, SMCCC_CONDUIT_HVC };
enum arm_smccc_conduit arm_smccc_1_1_get_conduit(void);
struct arm_smccc_res { unsigned long a0, a1, a2, a3; };
#define CALL(insn, fn, arg, res)                                                        \
  do {                                                                                  \
    register unsigned long r0 asm("x0") = (u32)(fn), r1 asm("x1") = (arg), r2 asm("x2"), \
                           r3 asm("x3");                                                \
    asm volatile(insn " #0" : "+r"(r0), "+r"(r1), "=r"(r2), "=r"(r3) : : "memory");     \
    *(res) = (struct arm_smccc_res){r0, r1, r2, r3};                                    \
  } while (0)
#define arm_smccc_1_1_hvc(fn, arg, res) CALL("hvc", fn, arg, res)
#define arm_smccc_1_1_smc(fn, arg, res) CALL("smc", fn, arg, res)
TEXT
	put $header <<'TEXT'
#include <linux/arm-smccc.h>
#include <linux/irqflags.h>
#include <linux/kernel.h>
#include <asm/cpufeature.h>

extern bool smccc_trng_available;

static inline struct arm_smccc_res firmware(u32 fn, unsigned long arg) {
  struct arm_smccc_res res = {-1ul, 0, 0, 0};
  if (arm_smccc_1_1_get_conduit() == SMCCC_CONDUIT_HVC)
    arm_smccc_1_1_hvc(fn, arg, &res);
  else if (arm_smccc_1_1_get_conduit() == SMCCC_CONDUIT_SMC)
    arm_smccc_1_1_smc(fn, arg, &res);
  return res;
}

static inline bool smccc_probe_trng(void) { return (s32)firmware(0x84000050, 0).a0 >= 0x10000; }

#define READ(reg, v)                                                                 \
  ({                                                                                 \
    bool ok;                                                                         \
    asm volatile(__mrs_s("%0", reg) "cset %w1, ne" : "=r"(*(v)), "=r"(ok) : : "cc"); \
    ok;                                                                              \
  })

static __always_inline bool may(void) {
  if (!system_capabilities_finalized() && !preemptible()) return this_cpu_has_cap(ARM64_HAS_RNG);
  return alternative_has_cap_unlikely(ARM64_HAS_RNG);
}

static inline size_t arch_get_random_longs(unsigned long *v, size_t max) {
  return max && may() && READ(SYS_RNDR_EL0, v);
}

static inline size_t arch_get_random_seed_longs(unsigned long *v, size_t max) {
  if (!max) return 0;
  if (smccc_trng_available) {
    size_t n = MOST(max, 3);
    struct arm_smccc_res res = firmware(0xc4000053, 64 * n);
    if ((int)res.a0 >= 0) {
      if (n == 3) *v++ = res.a1;
      if (n >= 2) *v++ = res.a2;
      *v = res.a3;
      return n;
    }
  }
  return may() && READ(SYS_RNDRRS_EL0, v);
}

static inline bool __early_cpu_has_rndr(void) {
  return read_sysreg_s(SYS_ID_AA64ISAR0_EL1) >> ID_AA64ISAR0_EL1_RNDR_SHIFT & 0xf;
}
TEXT
}

# make [DIR]: the path that it prints, in $made; its status in $status.
make() {
	made=$("$top/tools/kernel-archrandom" "${1-own}" 2>err)
	status=$?
}
# said TEXT: whether it said so.
said() {
	grep -qF -- "$1" err && echo said && return
	cat err
}
# run ARGUMENT...: what the command prints in out and err, and its status.
run() {
	"$seedbed" "$@" >out 2>err
	status=$?
}

# ---- What it makes and keeps

fresh
before=$(find own -type f -exec sha256sum {} + | sort)
make
first=$made
expect "it is made" "0 yes" "$status $([ -s "$made" ] && echo yes)"
expect "nothing in the tree is touched" "$before" "$(find own -type f -exec sha256sum {} + | sort)"
expect "nor is anything left" "" "$(ls -d built/kernel/work* 2>/dev/null)"
inode=$(stat -c %i "$made")
make
expect "again: the same" "$first $inode" "$made $(stat -c %i "$made")"
cp -r own other
make other
expect "elsewhere: the same" "$first" "$made"
sed -i 's/MOST(max, 3)/MOST(max, 2)/' $header
make
expect "an edit: another" no "$([ "$made" = "$first" ] && echo yes || echo no)"
fresh
echo '#define MOST(a, b) (b)' | put own/arch/arm64/include/linux/minmax.h
make
expect "a header that comes before another" no "$([ "$made" = "$first" ] && echo yes || echo no)"

# ---- What it refuses

fresh
echo 'int broken(void) { return }' >>$header
make
expect "what does not compile: 65, as the compiler says it" "65 said said" \
	"$status $(said "archrandom.h:") $(said "expected expression")"
fresh
sed -i 's/return max && may()/return max \&\& somebody_else() \&\& may()/' $header
make
expect "what nobody declares" "65 said" "$status $(said "somebody_else")"
fresh
sed -i '1i bool somebody_else(void);' $header
sed -i 's/return max && may()/return max \&\& somebody_else() \&\& may()/' $header
sed -i '1i #include <linux/types.h>' $header
make
expect "what nobody defines" "65 said" "$status $(said "undefined symbol: somebody_else")"
fresh
sed -i 's/this_cpu_has_cap(ARM64_HAS_RNG)/this_cpu_has_cap(1)/' $header
make
expect "a capability that the shim lacks" "65 said" \
	"$status $(said "seedbed_knows_no_other_capability")"
fresh
sed -i 's/^static inline bool smccc_probe/static u64 asked;\n&/
	s/return (s32)/return asked++ < 9 \&\& (s32)/' $header
make
expect "data that a call could change" "65 said" \
	"$status $(said "data that a call could change: .bss, 0x8 bytes")"
for file in Makefile include/linux/arm-smccc.h arch/arm64/include/asm/archrandom.h; do
	fresh
	rm own/$file
	make
	expect "without $file: 66" "66 said" "$status $(said "own/$file is missing")"
done
make nowhere
expect "no folder: 66" "66 said" "$status $(said "nowhere is no folder")"
"$top/tools/kernel-archrandom" 2>err
expect "no argument: 64" "64 said" "$? $(said "usage: tools/kernel-archrandom DIR")"
"$top/tools/kernel-archrandom" --help >err
expect "help" "0 said" "$? $(said "tools/kernel-archrandom DIR")"
mkdir lacking
for program in sh readlink sed awk cat; do ln -s "$(command -v $program)" lacking/; done
fresh
PATH=$PWD/lacking "$top/tools/kernel-archrandom" own 2>err
expect "no compiler: 69" "69 said" "$? $(said "clang is missing: tools/setup")"

# ---- The command

for scenario in arm64-archrandom arm64-boot boot-hwrng; do
	run explore $scenario --subject=kernel:own --seeds=1..500
	expect "$scenario: clean, or known" 0 $status
	run list $scenario
	expect "$scenario: its subjects" 1 "$(grep -c 'subjects: model, kernel:DIR$' out)"
done
run explore arm64-archrandom --subject=kernel:own --seeds=1..1 --set=design=sanitised
expect "by the design of the patch it is not" "10 1" \
	"$status $(grep -c 'key=arm64-archrandom/arm64-reads-per-call' out)"
run replay arm64-archrandom --seed=3 --subject=kernel:own --twice
expect "deterministic" "0 yes" "$status $(grep -q '^OK' out && echo yes)"
run replay arm64-archrandom --seed=3 --subject=kernel:own --trace=text
expect "its line has the subject" "$(sha256sum <"$first" | cut -c1-64)" \
	"$(sed -n 's/^OK.* subject=//p' out)"
sed -i 's/if ((int)res.a0 >= 0)/if ((long)res.a0 >= 0)/' $header
run explore arm64-archrandom --subject=kernel:own --seeds=1..20000
expect "an edit's bug is found" 10 $status
for file in findings/*/decisions; do
	run replay "$file"
	expect "${file%/*} replays" 10 $status
done
fresh
sed -i 's/return max && may()/return max \&\& (may() || WARN_ON(max == 3))/' $header
run explore arm64-archrandom --subject=kernel:own --seeds=1..20000
expect "a WARN is a finding" "12 1" "$status $(grep -c ': a WARN, in arch_get_random_longs' out)"
fresh
for bug in 25 27 while-not-ok trng-old; do
	run explore arm64-boot --subject=kernel:own --bug=$bug
	expect "bug $bug is the model's: 64" "64 said" \
		"$status $(said "bug $bug is planted in the model")"
done
run explore arm64-boot --subject=kernel:own --set=suspect.local_cap=1
expect "and so is its suspect: 64" "64 said" "$status $(said "is a behaviour of the model")"
run explore arm64-boot --subject=kernel:own --bug=late-let-in --seeds=1..20000
expect "a bug of what is modelled is found" 10 $status
run explore arm64-archrandom --subject=image:own
expect "an image: 64" "64 said" "$status $(said "it takes: model, kernel:DIR")"
run explore arm64-archrandom --subject=kernel:nowhere
expect "no tree: 66" "66 said" "$status $(said "nothing that a guest can run was made of")"
echo 'int broken(void) { return }' >>$header
run explore arm64-archrandom --subject=kernel:own --bisect
expect "what does not compile ends a step of a bisection" 125 $status
