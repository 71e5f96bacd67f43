/* SPDX-License-Identifier: Apache-2.0 */
/* FILE as read-only bytes between NAME_start and NAME_end, with a NUL behind; made by the Makefile for every asset. */
#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
	.section .rodata.assets, "a"
	.balign 16
	.globl JOIN(NAME, _start)
	.globl JOIN(NAME, _end)
JOIN(NAME, _start):
	.incbin FILE
JOIN(NAME, _end):
	.byte 0
	.section .note.GNU-stack, "", %progbits
