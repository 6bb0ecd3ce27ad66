// SPDX-License-Identifier: GPL-2.0-or-later
//
// A vDSO as small as one can be, for tests of what reads images: the names, versions, notes
// and data pages of a real one around functions that are nothing but bytes. Only directives,
// so that it assembles for every architecture.

	.section .note.kernel, "a", %note
	.balign 4
	.long 6, 4, 0			// lengths of name and value, type: the kernel's version
	.asciz "Linux"
	.balign 4
	.long 0x07020d			// 7.2.13
	.long 6, 12, 0x100		// the kernel's release
	.asciz "Linux"
	.balign 4
	.asciz "7.2.13-tiny"
	.balign 4

	.section .altinstructions, "a", %progbits
	.long 1, 2, 3

	.text
	.balign 16
	.globl __kernel_getrandom
	.type __kernel_getrandom, %function
__kernel_getrandom:
	.long 1, 2, 3, 4
	.size __kernel_getrandom, . - __kernel_getrandom

	.globl __kernel_gettimeofday
	.type __kernel_gettimeofday, %function
__kernel_gettimeofday:
	.long 5, 6
	.size __kernel_gettimeofday, . - __kernel_gettimeofday

	.type __arch_chacha20_blocks_nostack, %function
__arch_chacha20_blocks_nostack:
	.long 7, 8, 9
	.size __arch_chacha20_blocks_nostack, . - __arch_chacha20_blocks_nostack
