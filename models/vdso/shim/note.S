/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The note by which a vDSO says of which kernel it is: SEEDBED_VERSION, as LINUX_VERSION_CODE
 * has it, and SEEDBED_RELEASE, a string. Name, type 0 and type 0x100 as a kernel's own.
 */
	.section .note.Linux, "a", %note
	.balign 4
	.long 6, 4, 0
	.asciz "Linux"
	.balign 4
	.long SEEDBED_VERSION
	.long 6, 2f - 1f, 0x100
	.asciz "Linux"
	.balign 4
1:	.asciz SEEDBED_RELEASE
2:	.balign 4
