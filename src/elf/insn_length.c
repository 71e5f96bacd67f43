/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The length of an x86 instruction: prefixes, an opcode in one of several maps, ModRM with what it calls for, and
 * immediates. For each opcode of the two old maps a letter says what follows; all other maps are regular.
 */
#include "elf/insn_length.h"

#include <stddef.h>
#include <stdint.h>

/*
 * Letters: '.' nothing, 'm' ModRM, 'b' imm8, 'z' imm16 or imm32, 'B' ModRM and imm8, 'Z' ModRM and imm16/32, 'w' imm16,
 * 'e' imm16 and imm8, 'v' imm16, 32 or 64, 'o' an address as immediate, 'r' a relative 32 bits, 'f' a far address,
 * 'g' ModRM, imm8 when its reg is 0 or 1, 'G' the same with imm16/32, '-' no instruction, 'p' prefix, '2' the second map,
 * 'x' REX in 64-bit mode (else nothing).
 */
static const char one_byte[] =
	/* 0 */ "mmmmbz..mmmmbz.2"
		/* 1 */ "mmmmbz..mmmmbz.."
		/* 2 */ "mmmmbzp.mmmmbzp."
		/* 3 */ "mmmmbzp.mmmmbzp."
		/* 4 */ "xxxxxxxxxxxxxxxx"
		/* 5 */ "................"
		/* 6 */ "..mmppppzZbB...."
		/* 7 */ "bbbbbbbbbbbbbbbb"
		/* 8 */ "BZBBmmmmmmmmmmmm"
		/* 9 */ "..........f....."
		/* a */ "oooo....bz......"
		/* b */ "bbbbbbbbvvvvvvvv"
		/* c */ "BBw.mmBZe.w..b.."
		/* d */ "mmmmbb..mmmmmmmm"
		/* e */ "bbbbbbbbrrfb...."
		/* f */ "p.pp..gG......mm";

static const char two_byte[] =
	/* 0 */ "mmmm-.....-.-m.B"
		/* 1 */ "mmmmmmmmmmmmmmmm"
		/* 2 */ "mmmm----mmmmmmmm"
		/* 3 */ "......-.--------"
		/* 4 */ "mmmmmmmmmmmmmmmm"
		/* 5 */ "mmmmmmmmmmmmmmmm"
		/* 6 */ "mmmmmmmmmmmmmmmm"
		/* 7 */ "BBBBmmm.mm--mmmm"
		/* 8 */ "rrrrrrrrrrrrrrrr"
		/* 9 */ "mmmmmmmmmmmmmmmm"
		/* a */ "...mBm--...mBmmm"
		/* b */ "mmmmmmmmmmBmmmmm"
		/* c */ "mmBmBBBm........"
		/* d */ "mmmmmmmmmmmmmmmm"
		/* e */ "mmmmmmmmmmmmmmmm"
		/* f */ "mmmmmmmmmmmmmmmm";

_Static_assert(sizeof(one_byte) == 257 && sizeof(two_byte) == 257, "a letter for each opcode");

#define LENGTH_MAX 15

struct insn {
	const uint8_t *pos, *start, *end;
	bool is_64bit;
	bool has_66, has_67, rex_w;
	bool failed;
};

static uint8_t peek(struct insn *insn)
{
	if (insn->pos < insn->end)
		return *insn->pos;
	insn->failed = true;
	return 0;
}

static uint8_t next(struct insn *insn)
{
	uint8_t byte = peek(insn);

	if (!insn->failed)
		insn->pos++;
	return byte;
}

static void skip(struct insn *insn, size_t nr)
{
	if (nr > (size_t)(insn->end - insn->pos))
		insn->failed = true;
	else
		insn->pos += nr;
}

static unsigned operand_size(const struct insn *insn)
{
	return insn->has_66 && !insn->rex_w ? 2 : 4;
}

/* ModRM, SIB and displacement; returns the reg field. */
static unsigned skip_modrm(struct insn *insn)
{
	uint8_t modrm = next(insn);
	unsigned mod = modrm >> 6, rm = modrm & 7;

	if (mod == 3)
		return modrm >> 3 & 7;
	if (!insn->is_64bit && insn->has_67) {
		skip(insn, mod == 1 ? 1 : mod == 2 || rm == 6 ? 2 : 0);
		return modrm >> 3 & 7;
	}
	if (rm == 4) {
		uint8_t sib = next(insn);

		if (mod == 0 && (sib & 7) == 5)
			skip(insn, 4);
	} else if (mod == 0 && rm == 5) {
		skip(insn, 4);
	}
	skip(insn, mod == 1 ? 1 : mod == 2 ? 4 : 0);
	return modrm >> 3 & 7;
}

static void skip_operands(struct insn *insn, char kind)
{
	switch (kind) {
	case '.':
		return;
	case 'm':
		skip_modrm(insn);
		return;
	case 'b':
		skip(insn, 1);
		return;
	case 'z':
		skip(insn, operand_size(insn));
		return;
	case 'B':
		skip_modrm(insn);
		skip(insn, 1);
		return;
	case 'Z':
		skip_modrm(insn);
		skip(insn, operand_size(insn));
		return;
	case 'w':
		skip(insn, 2);
		return;
	case 'e':
		skip(insn, 3);
		return;
	case 'v':
		skip(insn, insn->rex_w ? 8 : operand_size(insn));
		return;
	case 'o':
		skip(insn, insn->is_64bit ? (insn->has_67 ? 4 : 8) : insn->has_67 ? 2 : 4);
		return;
	case 'r':
		skip(insn, insn->is_64bit ? 4 : operand_size(insn));
		return;
	case 'f':
		if (insn->is_64bit)
			insn->failed = true;
		skip(insn, operand_size(insn) + 2);
		return;
	case 'g':
		if (skip_modrm(insn) < 2)
			skip(insn, 1);
		return;
	case 'G':
		if (skip_modrm(insn) < 2)
			skip(insn, operand_size(insn));
		return;
	default:
		insn->failed = true;
	}
}

/* Opcodes of the second map that take an imm8 in VEX and EVEX encoding. */
static bool has_vector_imm8(uint8_t opcode)
{
	return (opcode >= 0x70 && opcode <= 0x73) || opcode == 0xc2 || (opcode >= 0xc4 && opcode <= 0xc6);
}

/* What follows the payload of VEX, EVEX and XOP. */
static void skip_vector(struct insn *insn, unsigned map, bool is_vex)
{
	uint8_t opcode = next(insn);

	if (is_vex && map == 1 && opcode == 0x77) /* vzeroupper */
		return;
	if (map == 4) { /* EVEX: an old instruction with more registers */
		skip_operands(insn, one_byte[opcode]);
		return;
	}
	skip_modrm(insn);
	if (map == 3 || map == 8 || (map == 1 && has_vector_imm8(opcode)))
		skip(insn, 1);
	else if (map == 10)
		skip(insn, 4);
	else if (map == 0 || map > 10)
		insn->failed = true;
}

static void skip_second_map(struct insn *insn)
{
	uint8_t opcode = next(insn);

	if (opcode == 0x38) {
		next(insn);
		skip_modrm(insn);
	} else if (opcode == 0x3a) {
		next(insn);
		skip_modrm(insn);
		skip(insn, 1);
	} else {
		skip_operands(insn, two_byte[opcode]);
	}
}

/* In 32-bit mode these bytes are instructions of their own unless two registers follow. */
static bool is_vector_prefix(struct insn *insn)
{
	return insn->is_64bit || peek(insn) >> 6 == 3;
}

static void skip_opcode(struct insn *insn, uint8_t opcode)
{
	uint8_t payload;

	if (opcode == 0xc5 && is_vector_prefix(insn)) {
		next(insn);
		skip_vector(insn, 1, true);
	} else if (opcode == 0xc4 && is_vector_prefix(insn)) {
		payload = next(insn);
		insn->rex_w = next(insn) >> 7;
		skip_vector(insn, payload & 31, true);
	} else if (opcode == 0x62 && is_vector_prefix(insn)) {
		payload = next(insn);
		insn->rex_w = next(insn) >> 7;
		next(insn);
		skip_vector(insn, payload & 7, false);
	} else if (opcode == 0x8f && (peek(insn) & 31) >= 8) {
		payload = next(insn);
		next(insn);
		skip_vector(insn, payload & 31, false);
	} else if (opcode == 0xd5 && insn->is_64bit) { /* REX2 */
		payload = next(insn);
		insn->rex_w = payload >> 3 & 1;
		opcode = next(insn);
		if (payload >> 7)
			skip_operands(insn, two_byte[opcode]);
		else
			skip_operands(insn, one_byte[opcode]);
	} else {
		skip_operands(insn, one_byte[opcode]);
	}
}

unsigned insn_length_x86(struct span code, bool is_64bit)
{
	struct insn insn = { .pos = code.data, .start = code.data, .is_64bit = is_64bit };
	uint8_t opcode;

	insn.end = code.data + (code.size < LENGTH_MAX ? code.size : LENGTH_MAX);
	while (one_byte[opcode = next(&insn)] == 'p' && !insn.failed) {
		insn.has_66 |= opcode == 0x66;
		insn.has_67 |= opcode == 0x67;
	}
	if (one_byte[opcode] == 'x' && is_64bit) {
		insn.rex_w = opcode >> 3 & 1;
		opcode = next(&insn);
	}
	if (one_byte[opcode] == '2')
		skip_second_map(&insn);
	else if (one_byte[opcode] == 'x')
		insn.failed |= is_64bit;
	else
		skip_opcode(&insn, opcode);
	return insn.failed ? 0 : (unsigned)(insn.pos - insn.start);
}
