/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the boot guest shares with its machine: numbers of functions, and where the kernel's data
 * lie in the page that all CPUs see. Included by C and by assembly.
 */
#ifndef SEEDBED_MODELS_ARM64_GUEST_ASM_ARM64_DATA_H_
#define SEEDBED_MODELS_ARM64_GUEST_ASM_ARM64_DATA_H_

/* Designs: see arm64_text.h. */
#define ARM64_EARLY_VARIANTS 0
#define ARM64_LOCAL_CAP 1
#define ARM64_SANITISED 2
#define ARM64_ALTERNATIVE 3
#define ARM64_DESIGNS 4
/* The parameter's last value: a kernel tree's by its version, else ARM64_SANITISED. */
#define ARM64_OWN_DESIGN 4

/* What alternatives have been applied: none; all, of which ARM64_HAS_RNG is not one, or is. */
#define ARM64_UNPATCHED 0
#define ARM64_FINAL 1
#define ARM64_FINAL_RNG 2
#define ARM64_PATCHES 3

/* Planted bugs of the guest's code. */
#define ARM64_BUG_NONE 0
#define ARM64_BUG_QUERY_PREEMPTIBLE 1
#define ARM64_BUG_WHILE_NOT_OK 2
#define ARM64_BUG_FAILED_VALUE 3
#define ARM64_BUG_TRNG_FAILED_VALUE 4
#define ARM64_BUG_TRNG_NUMBER 5
#define ARM64_BUG_TRNG_RETRY 6
#define ARM64_BUG_TRNG_ORDER 7
#define ARM64_BUG_TRNG_OLD 8
#define ARM64_BUG_CAP_LATCHED 9
#define ARM64_BUGS 10

/* Functions, in the order of the table that the texts begin with. */
#define ARM64_FN_RANDOM_LONGS 0      /* arch_get_random_longs(v, max) */
#define ARM64_FN_RANDOM_SEED_LONGS 1 /* arch_get_random_seed_longs(v, max) */
#define ARM64_FN_RANDOM_LONGS_EARLY 2
#define ARM64_FN_RANDOM_SEED_LONGS_EARLY 3
#define ARM64_FN_SMCCC_INIT 4 /* psci_init_smccc, arm_smccc_version_init */
#define ARM64_FN_STORE_CPU 5  /* cpuinfo_store_cpu(first): reads the ID registers */
#define ARM64_FN_READ_ALL 6   /* ID_AA64ISAR0_EL1 into xzr and x0 to x30 */
#define ARM64_FN_EARLY_HAS 7  /* __early_cpu_has_rndr() */
#define ARM64_FNS 8

/* The kernel's data. */
#define ARM64_DATA_SANITISED 0x00 /* u64: ID_AA64ISAR0_EL1 as all CPUs so far have it */
#define ARM64_DATA_TRNG 0x08      /* u32: smccc_trng_available */
#define ARM64_DATA_VERSION 0x0c   /* u32: smccc_version; 0: older than 1.1, or none */
#define ARM64_DATA_PSCI 0x14      /* u32: conduit that the device tree names for PSCI */
#define ARM64_DATA_STATE 0x18     /* u32: system_state of a tree's functions: 0 until kernel_init */
/* What sp_el0 leads to, one for each CPU. */
#define ARM64_DATA_TASKS 0x40
#define ARM64_TASK_STRIDE 0x10
#define ARM64_TASK_PREEMPT_COUNT 0x00 /* u32 */

/* Where the page and the functions of a kernel tree lie: models/arm64/shim. */
#define ARM64_DATA_ADDR 0x20020000
#define ARM64_TREE_ADDR 0x40040000
/* What these stop at. */
#define ARM64_BRK_BUG 0x800
#define ARM64_BRK_WARN 0x801
#define ARM64_BRK(imm) (0xd4200000u | (imm) << 5)

#define ARM64_CONDUIT_NONE 0
#define ARM64_CONDUIT_SMC 1
#define ARM64_CONDUIT_HVC 2

/* SMCCC (DEN0028) and its TRNG (DEN0098). */
#define ARM64_PSCI_FEATURES 0x8400000a
#define ARM64_SMCCC_VERSION 0x80000000
#define ARM64_SMCCC_VERSION_1_1 0x10001
#define ARM64_TRNG_VERSION 0x84000050
#define ARM64_TRNG_RND64 0xc4000053
#define ARM64_TRNG_VERSION_MIN 0x10000

#endif /* SEEDBED_MODELS_ARM64_GUEST_ASM_ARM64_DATA_H_ */
