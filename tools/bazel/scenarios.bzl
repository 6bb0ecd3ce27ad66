# SPDX-License-Identifier: GPL-2.0-or-later
"""The scenarios that have a fuzz target and sharded seeds: all of models/seedbed_scenarios.c."""

SCENARIOS = [
    "arm64-archrandom",
    "arm64-boot",
    "bcm2835-read",
    "bcm2835-unregister",
    "boot-hwrng",
    "crng-boot",
    "crng-hotplug",
    "crng-hwrng",
    "crng-readers",
    "crng-reseed",
    "crng-seed",
    "crng-vmfork",
    "fpu-blake2s",
    "fpu-crng",
    "hwrng-lifecycle",
    "vdso-chacha",
    "vdso-crng",
    "vdso-getrandom",
]
