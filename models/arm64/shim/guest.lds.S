/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * How tools/kernel-archrandom links the functions of a kernel tree: one segment, at a distance from
 * the machine's page that the machine keeps. Data that a call could change they have none of.
 */
#include "models/arm64/guest_asm/arm64_data.h"

SECTIONS
{
	HIDDEN(seedbed_data = . - (ARM64_TREE_ADDR - ARM64_DATA_ADDR));
	HIDDEN(smccc_trng_available = seedbed_data + ARM64_DATA_TRNG);
	HIDDEN(system_state = seedbed_data + ARM64_DATA_STATE);

	. = SIZEOF_HEADERS;
	.hash : { *(.hash) } :text
	.dynsym : { *(.dynsym) }
	.dynstr : { *(.dynstr) }
	.note : { *(.note.Linux) } :text :note

	. = ALIGN(16);
	.text : { *(.text .text.*) } :text
	.rodata : { *(.rodata .rodata.*) } :text
	.dynamic : { *(.dynamic) } :text :dynamic
	.rela.dyn : { *(.rela .rela.*) } :text
	.got : { *(.got .got.plt) } :text
	.plt : { *(.plt .plt.* .iplt) } :text

	/DISCARD/ : {
		*(.data .data.* .bss .bss.*)
		*(.comment .note .note.* .eh_frame .eh_frame_hdr .gnu.attributes)
		*(.discard .discard.* .llvm_addrsig .modinfo)
	}
}

PHDRS
{
	text PT_LOAD FLAGS(5) FILEHDR PHDRS;
	dynamic PT_DYNAMIC FLAGS(4);
	note PT_NOTE FLAGS(4);
}
