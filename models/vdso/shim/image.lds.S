/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * How tools/kernel-vdso links the vDSO of a kernel tree. Where the data pages lie is the tree's
 * own word: DATA_PAGES are the lines of its linker script that come before the image, and the
 * headers that these want come before this text. All else is one segment, as a kernel maps it.
 *
 * What a vDSO has not: data that a call could change, a table that a loader would fill in.
 * Whoever refers to such a section has a finding here, at the latest.
 */
SECTIONS
{
	DATA_PAGES

	. = SIZEOF_HEADERS;
	.hash : { *(.hash) } :text
	.gnu.hash : { *(.gnu.hash) }
	.dynsym : { *(.dynsym) }
	.dynstr : { *(.dynstr) }
	.gnu.version : { *(.gnu.version) }
	.gnu.version_d : { *(.gnu.version_d) }
	.gnu.version_r : { *(.gnu.version_r) }
	.note : { *(.note.Linux) } :text :note

	. = ALIGN(16);
	.text : { *(.text .text.* .stub __ftr_alt_*) } :text
	. = ALIGN(4);
	.altinstructions : { *(.altinstructions) } :text
	. = ALIGN(8);
	__ftr_fixup : { *(__ftr_fixup) } :text
	__mmu_ftr_fixup : { *(__mmu_ftr_fixup) } :text
	__lwsync_fixup : { *(__lwsync_fixup) } :text
	__fw_ftr_fixup : { *(__fw_ftr_fixup) } :text
	.rodata : { *(.rodata .rodata.*) } :text
	.dynamic : { *(.dynamic) } :text :dynamic
	.rela.dyn : { *(.rela .rela.*) } :text
	.got : { *(.got .got.plt .toc) } :text
	.plt : { *(.plt .plt.* .iplt .glink) } :text

	/DISCARD/ : {
		*(.data .data.* .sdata .sdata.* .bss .bss.* .sbss .sbss.* .dynbss)
		*(.comment .note .note.* .eh_frame .eh_frame_hdr .gnu.attributes .ARM.attributes)
		*(.discard .discard.* .llvm_addrsig .modinfo)
	}
}

PHDRS
{
	text PT_LOAD FLAGS(5) FILEHDR PHDRS;
	dynamic PT_DYNAMIC FLAGS(4);
	note PT_NOTE FLAGS(4);
}

VERSION
{
	SEEDBED_VERSION_NAME {
	global:
		__kernel_getrandom;
	local:
		*;
	};
}
