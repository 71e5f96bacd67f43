/* SPDX-License-Identifier: Apache-2.0 */
#include "event/event_attr.h"

#include <string.h>

uint32_t event_attr_smallest_size(const struct event_attr *attr)
{
	static const uint32_t sizes[] = { 64, 72, 80, 96, 104, 112, 120, 128, 136, 144 };
	const uint8_t *bytes = (const uint8_t *)attr;
	uint32_t used = EVENT_ATTR_SIZE_MAX;
	unsigned i = 0;

	while (used > EVENT_ATTR_SIZE_MIN && !bytes[used - 1])
		used--;
	while (sizes[i] < used)
		i++;
	return sizes[i];
}

static uint64_t reverse_bits(uint64_t value)
{
	value = (value >> 1 & 0x5555555555555555) | (value & 0x5555555555555555) << 1;
	value = (value >> 2 & 0x3333333333333333) | (value & 0x3333333333333333) << 2;
	value = (value >> 4 & 0x0f0f0f0f0f0f0f0f) | (value & 0x0f0f0f0f0f0f0f0f) << 4;
	return __builtin_bswap64(value);
}

/* precise_ip, the one field of two bits, keeps the order of its bits. */
#define BIG_ENDIAN_PRECISE_SHIFT (64 - 2 - ATTR_PRECISE_SHIFT)

static uint64_t flags_from_big_endian(uint64_t flags)
{
	uint64_t precise = flags >> BIG_ENDIAN_PRECISE_SHIFT & 3;

	return reverse_bits(flags & ~(3ull << BIG_ENDIAN_PRECISE_SHIFT)) | precise << ATTR_PRECISE_SHIFT;
}

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
static uint64_t flags_to_big_endian(uint64_t flags)
{
	uint64_t precise = (flags & ATTR_PRECISE_MASK) >> ATTR_PRECISE_SHIFT;

	return reverse_bits(flags & ~ATTR_PRECISE_MASK) | precise << BIG_ENDIAN_PRECISE_SHIFT;
}
#endif

#define SWAP16(field) ((field) = __builtin_bswap16(field))
#define SWAP32(field) ((field) = __builtin_bswap32(field))
#define SWAP64(field) ((field) = __builtin_bswap64(field))

void event_attr_swap(void *bytes, size_t size)
{
	struct event_attr attr = { 0 };

	if (size > sizeof(attr))
		size = sizeof(attr);
	memcpy(&attr, bytes, size);
	SWAP32(attr.type);
	SWAP32(attr.size);
	SWAP64(attr.config);
	SWAP64(attr.sample_period);
	SWAP64(attr.sample_type);
	SWAP64(attr.read_format);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	attr.flags = flags_to_big_endian(__builtin_bswap64(attr.flags));
#else
	attr.flags = flags_from_big_endian(__builtin_bswap64(attr.flags));
#endif
	SWAP32(attr.wakeup_events);
	SWAP32(attr.bp_type);
	SWAP64(attr.config1);
	SWAP64(attr.config2);
	SWAP64(attr.branch_sample_type);
	SWAP64(attr.sample_regs_user);
	SWAP32(attr.sample_stack_user);
	attr.clockid = (int32_t)__builtin_bswap32((uint32_t)attr.clockid);
	SWAP64(attr.sample_regs_intr);
	SWAP32(attr.aux_watermark);
	SWAP16(attr.sample_max_stack);
	SWAP16(attr.reserved_2);
	SWAP32(attr.aux_sample_size);
	SWAP32(attr.aux_action);
	SWAP64(attr.sig_data);
	SWAP64(attr.config3);
	SWAP64(attr.config4);
	memcpy(bytes, &attr, size);
}

void event_attr_decode(const void *bytes, size_t size, bool swap, struct event_attr *ret_attr)
{
	memset(ret_attr, 0, sizeof(*ret_attr));
	if (size > sizeof(*ret_attr))
		size = sizeof(*ret_attr);
	memcpy(ret_attr, bytes, size);
	if (swap)
		event_attr_swap(ret_attr, size);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	ret_attr->flags = flags_from_big_endian(ret_attr->flags);
#endif
	ret_attr->size = (uint32_t)size;
}
