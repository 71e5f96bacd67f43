/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/data_src.h"

#include <stdbool.h>
#include <stddef.h>

#include "base/array.h"

/* Fields of the 64 bits: first bit, number of bits. */
#define FIELD(data_src, first, nr) ((unsigned)((data_src) >> (first)) & ((1u << (nr)) - 1))
#define OP(data_src) FIELD(data_src, 0, 5)
#define LEVEL(data_src) FIELD(data_src, 5, 14)
#define SNOOP(data_src) FIELD(data_src, 19, 5)
#define LOCK(data_src) FIELD(data_src, 24, 2)
#define TLB(data_src) FIELD(data_src, 26, 7)
#define LEVEL_NUMBER(data_src) FIELD(data_src, 33, 4)
#define REMOTE(data_src) FIELD(data_src, 37, 1)
#define SNOOP_MORE(data_src) FIELD(data_src, 38, 2)
#define BLOCKED(data_src) FIELD(data_src, 40, 3)
#define HOPS(data_src) FIELD(data_src, 43, 3)

#define NOT_AVAILABLE 1u
#define LEVEL_HIT 2u
#define LEVEL_MISS 4u
#define LEVEL_NUMBER_NONE 15

/* Names of the set bits from `first` on, with " or " between; true when there were some. */
static bool print_bits(unsigned bits, const char *const *names, unsigned nr, struct buf *buf)
{
	bool some = false;

	for (unsigned i = 0; i < nr; i++) {
		if (!(bits >> i & 1) || !names[i])
			continue;
		if (some)
			buf_str(buf, " or ");
		buf_str(buf, names[i]);
		some = true;
	}
	return some;
}

void data_src_print_op(uint64_t data_src, struct buf *buf)
{
	static const char *const names[] = { "N/A", "LOAD", "STORE", "PFETCH", "EXEC" };

	for (unsigned i = 0; i < NR_ITEMS(names); i++) {
		if (OP(data_src) >> i & 1) {
			buf_str(buf, names[i]);
			return;
		}
	}
	buf_str(buf, "No");
}

static void print_level_number(uint64_t data_src, struct buf *buf)
{
	static const char *const names[] = {
		[1] = "L1",	    [2] = "L2",	      [3] = "L3",
		[4] = "L4",	    [5] = "L2 MHB",   [6] = "Memory-side Cache",
		[8] = "Uncached",   [9] = "CXL",      [10] = "I/O",
		[11] = "Any cache", [12] = "LFB/MAB", [13] = "RAM",
		[14] = "PMEM",
	};
	static const char *const hops[] = {
		[1] = "core, same node",
		[2] = "node, same socket",
		[3] = "socket, same board",
		[4] = "board",
	};
	unsigned number = LEVEL_NUMBER(data_src), distance = HOPS(data_src);

	if (REMOTE(data_src))
		buf_str(buf, "Remote ");
	if (distance) {
		if (distance < NR_ITEMS(hops))
			buf_str(buf, hops[distance]);
		else
			buf_printf(buf, "hops %u", distance);
		buf_putc(buf, ' ');
	}
	if (number < NR_ITEMS(names) && names[number])
		buf_str(buf, names[number]);
	else
		buf_printf(buf, "Unknown level %u", number);
}

void data_src_print_level(uint64_t data_src, struct buf *buf)
{
	static const char *const names[] = {
		[3] = "L1",
		[4] = "LFB/MAB",
		[5] = "L2",
		[6] = "L3",
		[7] = "Local RAM",
		[8] = "Remote RAM (1 hop)",
		[9] = "Remote RAM (2 hops)",
		[10] = "Remote Cache (1 hop)",
		[11] = "Remote Cache (2 hops)",
		[12] = "I/O",
		[13] = "Uncached",
	};
	unsigned level = LEVEL(data_src), number = LEVEL_NUMBER(data_src);

	if (number && number != LEVEL_NUMBER_NONE) {
		print_level_number(data_src, buf);
	} else if (!print_bits(level, names, NR_ITEMS(names), buf)) {
		buf_str(buf, "N/A");
		return;
	}
	buf_putc(buf, ' ');
	if (level & LEVEL_HIT)
		buf_str(buf, "hit");
	else if (level & LEVEL_MISS)
		buf_str(buf, "miss");
}

void data_src_print_snoop(uint64_t data_src, struct buf *buf)
{
	static const char *const names[] = { "N/A", "None", "Hit", "Miss", "HitM", "Fwd", "Peer" };

	if (!print_bits(SNOOP(data_src) | SNOOP_MORE(data_src) << 5, names, NR_ITEMS(names), buf))
		buf_str(buf, "N/A");
}

void data_src_print_tlb(uint64_t data_src, struct buf *buf)
{
	static const char *const names[] = { "N/A", [3] = "L1", [4] = "L2", [5] = "Walker", [6] = "Fault" };
	unsigned tlb = TLB(data_src);

	if (!print_bits(tlb, names, NR_ITEMS(names), buf))
		buf_str(buf, "N/A");
	if (tlb & LEVEL_HIT)
		buf_str(buf, " hit");
	if (tlb & LEVEL_MISS)
		buf_str(buf, " miss");
}

void data_src_print_lock(uint64_t data_src, struct buf *buf)
{
	unsigned lock = LOCK(data_src);

	buf_str(buf, lock & NOT_AVAILABLE ? "N/A" : lock ? "Yes" : "No");
}

void data_src_print_blocked(uint64_t data_src, struct buf *buf)
{
	unsigned blocked = BLOCKED(data_src);

	if (!blocked || blocked & NOT_AVAILABLE) {
		buf_str(buf, " N/A");
		return;
	}
	if (blocked & 2)
		buf_str(buf, " Data");
	if (blocked & 4)
		buf_str(buf, " Addr");
}

void data_src_print(uint64_t data_src, struct buf *buf)
{
	buf_str(buf, "|OP ");
	data_src_print_op(data_src, buf);
	buf_str(buf, "|LVL ");
	data_src_print_level(data_src, buf);
	buf_str(buf, "|SNP ");
	data_src_print_snoop(data_src, buf);
	buf_str(buf, "|TLB ");
	data_src_print_tlb(data_src, buf);
	buf_str(buf, "|LCK ");
	data_src_print_lock(data_src, buf);
	buf_str(buf, "|BLK ");
	data_src_print_blocked(data_src, buf);
}
