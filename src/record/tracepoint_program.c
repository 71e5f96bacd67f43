/* SPDX-License-Identifier: Apache-2.0 */
/* Running compiled print fmts, and printing single fields. Every access to the payload is checked. */
#include "record/tracepoint_program.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <netinet/in.h>
#include <string.h>

#include "base/buf_fast.h"

struct run {
	const struct tracepoint_program *program;
	struct span payload;
	const struct tracepoint_resolver *resolver;
	struct buf *buf;
	bool swap;
};

static uint64_t number_at(const uint8_t *data, uint32_t size, bool swap)
{
	uint16_t v16;
	uint32_t v32;
	uint64_t v64;

	switch (size) {
	case 1:
		return *data;
	case 2:
		memcpy(&v16, data, 2);
		return swap ? __builtin_bswap16(v16) : v16;
	case 4:
		memcpy(&v32, data, 4);
		return swap ? __builtin_bswap32(v32) : v32;
	case 8:
		memcpy(&v64, data, 8);
		return swap ? __builtin_bswap64(v64) : v64;
	default:
		return 0;
	}
}

static inline uint64_t read_number(struct span payload, uint64_t offset, uint32_t size, bool swap)
{
	if (offset > payload.size || size > payload.size - offset)
		return 0;
	return number_at(payload.data + offset, size, swap);
}

static uint64_t extend(uint64_t value, uint32_t size, bool is_signed)
{
	unsigned shift = size < 8 ? 64 - size * 8 : 0;

	return is_signed ? (uint64_t)((int64_t)(value << shift) >> shift) : value << shift >> shift;
}

/* The bytes of a __data_loc field: its word holds the offset in the low half and the size in the high one. */
static struct span dynamic_bytes(struct span payload, uint32_t offset, uint32_t word_size, bool is_relative,
				 bool swap)
{
	uint64_t word, start, size;

	if (offset > payload.size || word_size > payload.size - offset || (word_size != 2 && word_size != 4))
		return (struct span){ payload.data, 0 };
	word = read_number(payload, offset, word_size, swap);
	start = word & 0xffff;
	if (is_relative)
		start += offset + word_size;
	if (start > payload.size)
		return (struct span){ payload.data, 0 };
	size = word_size == 2 ? payload.size - start : word >> 16;
	if (size > payload.size - start)
		size = 0;
	return (struct span){ payload.data + start, size };
}

static uint64_t eval(const struct run *run, const struct tracepoint_node *node)
{
	uint64_t left, right;

	switch (node->type) {
	case NODE_CONST:
		return node->value;
	case NODE_FIELD:
		return read_number(run->payload, node->offset, node->size, run->swap);
	case NODE_CAST:
		return extend(eval(run, node->left), node->size, node->is_signed);
	case NODE_FIELD_AT:
		right = eval(run, node->right);
		if (right > run->payload.size)
			return 0;
		return read_number(run->payload, node->offset + right * node->value, (uint32_t)node->value,
				   run->swap);
	case NODE_DYNAMIC_AT: {
		struct span bytes = dynamic_bytes(run->payload, node->offset, node->size, node->is_relative,
						  run->swap);

		right = eval(run, node->right);
		if (right > run->payload.size)
			return 0;
		return read_number(run->payload, (uint64_t)(bytes.data - run->payload.data) + right,
				   (uint32_t)node->value, run->swap);
	}
	case NODE_DYNAMIC_SIZE:
		return dynamic_bytes(run->payload, node->offset, node->size, node->is_relative, run->swap)
			.size;
	case NODE_DYNAMIC_START:
		return (uint64_t)(dynamic_bytes(run->payload, node->offset, node->size, node->is_relative,
						run->swap)
					  .data -
				  run->payload.data);
	case NODE_CHOOSE:
		return eval(run, eval(run, node->left) ? node->right : node->other);
	default:
		break;
	}
	left = eval(run, node->left);
	right = eval(run, node->right);
	switch (node->type) {
	case NODE_NOT:
		return !right;
	case NODE_INVERT:
		return ~right;
	case NODE_ADD:
		return left + right;
	case NODE_SUBTRACT:
		return left - right;
	case NODE_MULTIPLY:
		return left * right;
	case NODE_DIVIDE:
		return right ? left / right : 0;
	case NODE_REMAINDER:
		return right ? left % right : 0;
	case NODE_AND:
		return left & right;
	case NODE_OR:
		return left | right;
	case NODE_XOR:
		return left ^ right;
	case NODE_BOTH:
		return left && right;
	case NODE_EITHER:
		return left || right;
	case NODE_SHIFT_LEFT:
		return left << (right & 63);
	case NODE_SHIFT_RIGHT:
		return left >> (right & 63);
	case NODE_EQUAL:
		return left == right;
	case NODE_UNEQUAL:
		return left != right;
	case NODE_LESS:
		return left < right;
	case NODE_LESS_EQUAL:
		return left <= right;
	case NODE_GREATER:
		return left > right;
	case NODE_GREATER_EQUAL:
		return left >= right;
	default:
		return 0;
	}
}

/* ---- conversions ------------------------------------------------------------------------------ */

struct layout {
	uint32_t width;
	int32_t precision; /* -1: none */
	bool left;
};

#define WIDTH_MAX 4096

static struct layout layout_of(const struct run *run, const struct tracepoint_step *step)
{
	struct layout layout = { step->width, step->precision, step->left };
	int32_t star;

	if (!step->star)
		return layout;
	star = (int32_t)eval(run, step->star);
	if (step->star_is_precision) {
		layout.precision = star < 0 ? -1 : star;
	} else {
		uint32_t width = star < 0 ? 0 - (uint32_t)star
					  : (uint32_t)star; /* INT32_MIN has no opposite */

		layout.left |= star < 0;
		layout.width = width > WIDTH_MAX ? WIDTH_MAX : width;
	}
	return layout;
}

static void put_text(struct buf *buf, const char *text, size_t size, const struct layout *layout)
{
	size_t pad;

	if (layout->precision >= 0 && size > (size_t)layout->precision)
		size = (size_t)layout->precision;
	if (layout->width <= size) {
		buf_fast_put(buf, text, size);
		return;
	}
	pad = layout->width > size ? layout->width - size : 0;
	if (!layout->left)
		buf_fill(buf, ' ', pad);
	buf_put(buf, text, size);
	if (layout->left)
		buf_fill(buf, ' ', pad);
}

static size_t write_digits(char *end, uint64_t value, unsigned base, const char *digits)
{
	char *pos = end;

	if (base == 10)
		for (; value; value /= 10)
			*--pos = (char)('0' + value % 10);
	else
		for (; value; value /= base)
			*--pos = digits[value % base];
	return (size_t)(end - pos);
}

/* As printf does it, for d u x X o. */
static void put_number(struct buf *buf, const struct tracepoint_step *step, const struct layout *layout,
		       uint64_t value)
{
	const char *digit_names = step->conversion == 'X' ? "0123456789ABCDEF" : "0123456789abcdef";
	unsigned base = step->conversion == 'o' ? 8 : (step->conversion | 32) == 'x' ? 16 : 10;
	char digits[32], *end = digits + sizeof(digits), prefix[3];
	size_t nr, nr_prefix = 0, zeros = 0, size;
	bool is_zero = !value;

	if (step->conversion == 'd') {
		if ((int64_t)value < 0) {
			prefix[nr_prefix++] = '-';
			value = 0 - value;
		} else if (step->plus || step->blank) {
			prefix[nr_prefix++] = step->plus ? '+' : ' ';
		}
	}
	nr = write_digits(end, value, base, digit_names);
	if (!nr && layout->precision != 0)
		end[-1] = '0', nr = 1;
	if (layout->precision > 0 && (size_t)layout->precision > nr)
		zeros = (size_t)layout->precision - nr;
	if (step->alternate && base == 16 && !is_zero) {
		prefix[nr_prefix++] = '0';
		prefix[nr_prefix++] = step->conversion;
	} else if (step->alternate && base == 8 && !zeros && !is_zero) {
		zeros = 1;
	}
	size = nr + zeros + nr_prefix;
	if (size < layout->width && step->zero && !layout->left && layout->precision < 0) {
		zeros += layout->width - size;
		size = layout->width;
	}
	if (size < layout->width && !layout->left)
		buf_fill(buf, ' ', layout->width - size);
	buf_put(buf, prefix, nr_prefix);
	buf_fill(buf, '0', zeros);
	buf_put(buf, end - nr, nr);
	if (size < layout->width && layout->left)
		buf_fill(buf, ' ', layout->width - size);
}

/* What is seen of a number through the conversion's length. */
static uint64_t visible(const struct tracepoint_step *step, uint64_t value)
{
	static const uint8_t sizes[] = { 1, 2, 4, 8, 8 };
	uint32_t size = sizes[step->length + 2];

	return size == 8 ? value : extend(value, size, step->conversion == 'd');
}

static void print_number(const struct run *run, const struct tracepoint_step *step)
{
	const struct tracepoint_node *node = step->number;
	struct layout layout;
	uint64_t value;

	/* By far most arguments are fields. */
	if (node->type == NODE_FIELD)
		value = read_number(run->payload, node->offset, node->size, run->swap);
	else
		value = eval(run, node);
	value = visible(step, value);
	if (step->is_plain) {
		switch (step->conversion) {
		case 'd':
			buf_fast_i64(run->buf, (int64_t)value);
			return;
		case 'u':
			buf_fast_u64(run->buf, value);
			return;
		case 'x':
			buf_fast_hex(run->buf, value);
			return;
		case 'c':
			if (value & 0xff)
				buf_putc(run->buf, (char)value);
			return;
		default:
			break;
		}
	}
	if (step->is_zero_hex) {
		unsigned nr = (67 - (unsigned)__builtin_clzll(value | 1)) / 4;

		if (nr < step->width)
			buf_fill(run->buf, '0', step->width - nr);
		buf_fast_hex(run->buf, value);
		return;
	}
	layout = layout_of(run, step);
	if (step->conversion == 'c')
		put_text(run->buf, &(char){ (char)value }, (value & 0xff) != 0, &layout);
	else
		put_number(run->buf, step, &layout, value);
}

/* ---- texts ------------------------------------------------------------------------------------ */

static const char *find_printk(const struct tracepoint_program *program, uint64_t addr)
{
	size_t low = 0, high = program->nr_printks;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (program->printks[mid].addr == addr)
			return program->printks[mid].text;
		if (program->printks[mid].addr < addr)
			low = mid + 1;
		else
			high = mid;
	}
	return NULL;
}

static void print_flags(const struct run *run, const struct tracepoint_text *text,
			const struct layout *layout)
{
	int64_t value = (int64_t)eval(run, text->number);
	bool some = false;

	for (uint32_t i = 0; i < text->nr_names; i++) {
		const struct tracepoint_name *name = &text->names[i];

		if (!value && name->value < 0) {
			put_text(run->buf, name->text, name->size, layout);
			break;
		}
		if (name->value > 0 && (value & name->value) == name->value) {
			if (some)
				buf_put(run->buf, text->literal, text->literal_size);
			put_text(run->buf, name->text, name->size, layout);
			some = true;
			value &= ~name->value;
		}
	}
	if (value) {
		if (some)
			buf_put(run->buf, text->literal, text->literal_size);
		buf_put(run->buf, "0x", 2);
		buf_hex(run->buf, (uint64_t)value);
	}
}

static void print_symbol(const struct run *run, const struct tracepoint_text *text,
			 const struct layout *layout)
{
	int64_t value = (int64_t)eval(run, text->number);
	const struct tracepoint_name *name = NULL;

	if (value >= 0 && value < text->nr_dense) {
		name = text->dense[value];
	} else {
		for (uint32_t i = 0; i < text->nr_names && !name; i++)
			if (text->names[i].value == value)
				name = &text->names[i];
	}
	if (name) {
		put_text(run->buf, name->text, name->size, layout);
	} else {
		buf_put(run->buf, "0x", 2);
		buf_hex(run->buf, (uint64_t)value);
	}
}

static void put_byte(struct buf *buf, uint8_t byte, bool upper)
{
	const char *digits = upper ? "0123456789ABCDEF" : "0123456789abcdef";

	buf_putc(buf, digits[byte >> 4]);
	buf_putc(buf, digits[byte & 15]);
}

/* The bytes of a field; those behind its end too, up to the payload's: print fmts know how many there are. */
static struct span text_bytes(const struct run *run, const struct tracepoint_text *text)
{
	uint64_t start = text->offset;

	if (text->is_dynamic)
		start = (uint64_t)(dynamic_bytes(run->payload, text->offset, text->size, text->is_relative,
						 run->swap)
					   .data -
				   run->payload.data);
	if (start > run->payload.size)
		return (struct span){ run->payload.data, 0 };
	return (struct span){ run->payload.data + start, run->payload.size - start };
}

static void print_hex(const struct run *run, const struct tracepoint_text *text)
{
	struct span bytes = text_bytes(run, text);
	int32_t count = (int32_t)eval(run, text->count);

	for (int32_t i = 0; i < count && (size_t)i < bytes.size; i++) {
		if (i && text->type == TEXT_HEX)
			buf_putc(run->buf, ' ');
		put_byte(run->buf, bytes.data[i], false);
	}
}

static void print_ints(const struct run *run, const struct tracepoint_text *text)
{
	struct span bytes = text_bytes(run, text);
	int32_t count = (int32_t)eval(run, text->count);
	int32_t size = (int32_t)eval(run, text->element_size);
	bool is_bad = size != 1 && size != 2 && size != 4 && size != 8;
	size_t pos = 0;

	buf_putc(run->buf, '{');
	for (int32_t i = 0; i < count && pos + (is_bad ? 1 : (size_t)size) <= bytes.size; i++) {
		if (i)
			buf_putc(run->buf, ',');
		if (is_bad) {
			buf_printf(run->buf, "BAD SIZE:%d ", size);
			size = 1;
			is_bad = false;
		}
		buf_put(run->buf, "0x", 2);
		buf_hex(run->buf, number_at(bytes.data + pos, (uint32_t)size, run->swap));
		pos += (size_t)size;
	}
	buf_putc(run->buf, '}');
}

static bool mask_bit(struct span bytes, bool big, size_t bit)
{
	size_t byte = big ? bytes.size - 1 - bit / 8 : bit / 8;

	return bytes.data[byte] >> (bit % 8) & 1;
}

static bool payload_is_big(const struct run *run)
{
	return (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__) != run->swap;
}

static void print_mask(const struct run *run, const struct tracepoint_text *text, const struct layout *layout)
{
	struct span bytes = dynamic_bytes(run->payload, text->offset, text->size, text->is_relative,
					  run->swap);
	bool big = payload_is_big(run);
	struct buf out = BUF_INIT;

	if (text->type == TEXT_BITMASK) {
		for (size_t i = bytes.size; i-- > 0;) {
			put_byte(&out, bytes.data[big ? bytes.size - 1 - i : i], false);
			if (i && !(i & 3))
				buf_putc(&out, ',');
		}
	} else {
		for (size_t bit = 0, first; bit < bytes.size * 8; bit++) {
			if (!mask_bit(bytes, big, bit))
				continue;
			for (first = bit; bit + 1 < bytes.size * 8 && mask_bit(bytes, big, bit + 1); bit++)
				;
			if (out.size)
				buf_putc(&out, ',');
			buf_u64(&out, first);
			if (bit > first) {
				buf_putc(&out, '-');
				buf_u64(&out, bit);
			}
		}
	}
	if (out.size || layout->width)
		put_text(run->buf, out.size ? out.data : "", out.size, layout);
	buf_release(&out);
}

static void print_text(const struct run *run, const struct tracepoint_text *text, const struct layout *layout)
{
	struct span bytes;
	const char *printk;
	uint64_t addr;
	size_t size;

	switch (text->type) {
	case TEXT_NONE:
		return;
	case TEXT_LITERAL:
		put_text(run->buf, text->literal, text->literal_size, layout);
		return;
	case TEXT_ARRAY:
		if (text->offset > run->payload.size)
			return;
		size = run->payload.size - text->offset;
		if (text->size && text->size < size)
			size = text->size;
		put_text(run->buf, (const char *)run->payload.data + text->offset,
			 strnlen((const char *)run->payload.data + text->offset, size), layout);
		return;
	case TEXT_POINTER:
		addr = read_number(run->payload, text->offset, text->size, run->swap);
		printk = find_printk(run->program, addr);
		if (printk)
			buf_str(run->buf, printk);
		else
			buf_hex(run->buf, addr);
		return;
	case TEXT_DYNAMIC:
		bytes = dynamic_bytes(run->payload, text->offset, text->size, text->is_relative, run->swap);
		if (!bytes.size)
			return;
		size = run->payload.size - (size_t)(bytes.data - run->payload.data);
		put_text(run->buf, (const char *)bytes.data, strnlen((const char *)bytes.data, size), layout);
		return;
	case TEXT_FLAGS:
		print_flags(run, text, layout);
		return;
	case TEXT_SYMBOL:
		print_symbol(run, text, layout);
		return;
	case TEXT_HEX:
	case TEXT_HEX_DENSE:
		print_hex(run, text);
		return;
	case TEXT_INTS:
		print_ints(run, text);
		return;
	case TEXT_BITMASK:
	case TEXT_CPUMASK:
		print_mask(run, text, layout);
		return;
	case TEXT_CHOOSE:
		print_text(run, eval(run, text->number) ? text->yes : text->no, layout);
		return;
	}
}

/* ---- addresses -------------------------------------------------------------------------------- */

static void print_function(const struct run *run, const struct tracepoint_step *step)
{
	uint64_t addr = eval(run, step->number), start = 0;
	const char *name = NULL;

	if (!run->resolver || !run->resolver->find(run->resolver->context, addr, &name, &start)) {
		buf_put(run->buf, "0x", 2);
		buf_hex(run->buf, addr);
		return;
	}
	buf_str(run->buf, name);
	if (step->type == STEP_FUNCTION_OFFSET) {
		buf_put(run->buf, "+0x", 3);
		buf_hex(run->buf, addr - start);
	}
}

static void print_pointer(const struct run *run, const struct tracepoint_step *step)
{
	uint64_t value = eval(run, step->number);

	if (value) {
		buf_put(run->buf, "0x", 2);
		buf_hex(run->buf, value);
	} else {
		buf_str(run->buf, "(nil)");
	}
}

static void put_ip4(struct buf *buf, const uint8_t *bytes, bool padded, bool reverse)
{
	for (unsigned i = 0; i < 4; i++) {
		uint8_t byte = bytes[reverse ? 3 - i : i];

		if (i)
			buf_putc(buf, '.');
		if (padded)
			buf_u64_zero(buf, byte, 3);
		else
			buf_u64(buf, byte);
	}
}

static void put_ip6(struct buf *buf, const uint8_t *bytes, bool colons)
{
	for (unsigned i = 0; i < 16; i++) {
		if (i && !(i & 1) && colons)
			buf_putc(buf, ':');
		put_byte(buf, bytes[i], false);
	}
}

/* The short form of RFC 5952, with the tail of mapped and ISATAP addresses as IPv4: what the kernel prints for %pI6c. */
static void put_ip6_short(struct buf *buf, const uint8_t *bytes)
{
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };
	uint16_t groups[8];
	bool ends_in_ip4;
	unsigned nr, best = 0, best_size = 1;
	bool need_colon = false;

	for (unsigned i = 0; i < 8; i++)
		groups[i] = (uint16_t)(bytes[2 * i] << 8 | bytes[2 * i + 1]);
	ends_in_ip4 = !memcmp(bytes, mapped, sizeof(mapped)) ||
		      ((groups[4] | 0x0200) == 0x0200 && groups[5] == 0x5efe);
	nr = ends_in_ip4 ? 6 : 8;
	for (unsigned i = 0; i < nr; i++) {
		unsigned size = 0;

		while (i + size < nr && !groups[i + size])
			size++;
		if (size > best_size) {
			best = i;
			best_size = size;
		}
	}
	for (unsigned i = 0; i < nr; i++) {
		if (best_size > 1 && i == best) {
			buf_put(buf, "::", need_colon || !i ? 2 : 1);
			need_colon = false;
			i += best_size - 1;
			continue;
		}
		if (need_colon)
			buf_putc(buf, ':');
		buf_hex(buf, groups[i]);
		need_colon = true;
	}
	if (ends_in_ip4) {
		if (need_colon)
			buf_putc(buf, ':');
		put_ip4(buf, bytes + 12, false, false);
	}
}

static void print_sockaddr(const struct run *run, const struct tracepoint_step *step, struct span bytes)
{
	uint16_t family, port;

	if (bytes.size < 4)
		return;
	family = (uint16_t)number_at(bytes.data, 2, run->swap);
	port = (uint16_t)(bytes.data[2] << 8 | bytes.data[3]);
	if (family == AF_INET) {
		if (bytes.size < sizeof(struct sockaddr_in)) {
			buf_str(run->buf, "INVALIDIPv4");
			return;
		}
		put_ip4(run->buf, bytes.data + 4, step->conversion == 'i', step->reverse);
		if (step->with_port) {
			buf_putc(run->buf, ':');
			buf_u64(run->buf, port);
		}
	} else if (family == AF_INET6) {
		if (bytes.size < sizeof(struct sockaddr_in6)) {
			buf_str(run->buf, "INVALIDIPv6");
			return;
		}
		if (step->with_port)
			buf_putc(run->buf, '[');
		if (step->compressed)
			put_ip6_short(run->buf, bytes.data + 8);
		else
			put_ip6(run->buf, bytes.data + 8, step->conversion == 'I');
		if (step->with_port) {
			buf_put(run->buf, "]:", 2);
			buf_u64(run->buf, port);
		}
	}
}

static void print_uuid(const struct run *run, const struct tracepoint_step *step, const uint8_t *bytes)
{
	static const uint8_t order[16] = { 3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15 };

	for (unsigned i = 0; i < 16; i++) {
		put_byte(run->buf, bytes[step->swapped_groups ? order[i] : i], step->upper);
		if (i == 3 || i == 5 || i == 7 || i == 9)
			buf_putc(run->buf, '-');
	}
}

static void print_address(const struct run *run, const struct tracepoint_step *step)
{
	struct span bytes = { run->payload.data, 0 };
	int64_t count;

	if (step->complaint) {
		buf_str(run->buf, step->complaint);
		return;
	}
	if (step->is_dynamic)
		bytes = dynamic_bytes(run->payload, step->offset, step->size, step->is_relative, run->swap);
	else if (step->offset <= run->payload.size && step->size <= run->payload.size - step->offset)
		bytes = (struct span){ run->payload.data + step->offset, step->size };
	if (!bytes.size)
		return;
	switch (step->type) {
	case STEP_MAC:
		for (unsigned i = 0; i < 6; i++) {
			if (i && step->delimiter)
				buf_putc(run->buf, step->delimiter);
			put_byte(run->buf, bytes.data[step->reverse ? 5 - i : i], false);
		}
		return;
	case STEP_IP4:
		put_ip4(run->buf, bytes.data, step->conversion == 'i', step->reverse);
		return;
	case STEP_IP6:
		if (step->compressed)
			put_ip6_short(run->buf, bytes.data);
		else
			put_ip6(run->buf, bytes.data, step->conversion == 'I');
		return;
	case STEP_SOCKADDR:
		print_sockaddr(run, step, bytes);
		return;
	case STEP_UUID:
		print_uuid(run, step, bytes.data);
		return;
	case STEP_BYTES:
		count = step->star ? (int32_t)eval(run, step->star) : 1;
		for (int64_t i = 0; i < count && (size_t)i < bytes.size; i++) {
			if (i && step->delimiter)
				buf_putc(run->buf, step->delimiter);
			put_byte(run->buf, bytes.data[i], false);
		}
		return;
	default:
		return;
	}
}

void tracepoint_program_run(const struct tracepoint_program *program, struct span payload,
			    const struct tracepoint_resolver *resolver, struct buf *buf)
{
	struct run run = { program, payload, resolver, buf, program->swap };
	const struct tracepoint_step *step = program->steps;

	for (;; step++) {
		struct layout layout;

		buf_fast_put(buf, step->before, step->before_size);
		switch (step->type) {
		case STEP_END:
			return;
		case STEP_NUMBER:
			print_number(&run, step);
			break;
		case STEP_TEXT:
			layout = step->is_plain ? (struct layout){ 0, -1, false } : layout_of(&run, step);
			print_text(&run, step->text, &layout);
			break;
		case STEP_POINTER:
			print_pointer(&run, step);
			break;
		case STEP_FUNCTION:
		case STEP_FUNCTION_OFFSET:
			print_function(&run, step);
			break;
		default:
			print_address(&run, step);
			break;
		}
	}
}

/* ---- single fields ---------------------------------------------------------------------------- */

uint64_t tracepoint_field_u64(const struct tracepoint_format *format, const struct tracepoint_field *field,
			      struct span payload)
{
	uint64_t value = read_number(payload, field->offset, field->size, format->swap);

	return field->is_signed ? extend(value, field->size, true) : value;
}

struct span tracepoint_field_bytes(const struct tracepoint_format *format,
				   const struct tracepoint_field *field, struct span payload)
{
	struct span bytes = { payload.data, 0 };

	if (field->is_dynamic)
		bytes = dynamic_bytes(payload, field->offset, field->size, field->is_relative, format->swap);
	else if (field->offset <= payload.size && field->size <= payload.size - field->offset)
		bytes = (struct span){ payload.data + field->offset, field->size };
	if (field->is_string)
		bytes.size = strnlen((const char *)bytes.data, bytes.size);
	return bytes;
}

static bool is_printable(struct span bytes)
{
	for (size_t i = 0; i < bytes.size; i++)
		if (!isprint(bytes.data[i]) && !isspace(bytes.data[i]))
			return false;
	return true;
}

static void print_array(const struct tracepoint_format *format, const struct tracepoint_field *field,
			struct span payload, struct buf *buf)
{
	struct tracepoint_field whole = *field;
	struct span bytes = tracepoint_field_bytes(format, field, payload);

	if (field->is_string && is_printable(bytes)) {
		buf_put(buf, bytes.data, bytes.size);
		return;
	}
	whole.is_string = false;
	bytes = tracepoint_field_bytes(format, &whole, payload);
	buf_str(buf, "ARRAY[");
	for (size_t i = 0; i < bytes.size; i++) {
		if (i)
			buf_put(buf, ", ", 2);
		put_byte(buf, bytes.data[i], false);
	}
	buf_putc(buf, ']');
}

void tracepoint_field_print(const struct tracepoint_format *format, const struct tracepoint_field *field,
			    struct span payload, struct buf *buf)
{
	uint64_t value;

	if (field->is_array) {
		print_array(format, field, payload, buf);
		return;
	}
	value = tracepoint_field_u64(format, field, payload);
	if (field->is_pointer || (field->is_long && (!field->is_signed || field->size == 4))) {
		buf_put(buf, "0x", 2);
		buf_hex(buf, field->size == 4 ? (uint32_t)value : value);
	} else if (field->is_signed) {
		if (field->size == 2 && (int64_t)value >= 0 && value < 10)
			buf_putc(buf, ' ');
		buf_i64(buf, (int64_t)value);
	} else {
		buf_u64(buf, value);
	}
}

void tracepoint_format_print(const struct tracepoint_format *format, struct span payload,
			     const struct tracepoint_resolver *resolver, struct buf *buf)
{
	if (format->program) {
		tracepoint_program_run(format->program, payload, resolver, buf);
		return;
	}
	buf_str(buf, "[FAILED TO PARSE]");
	for (unsigned i = 0; i < format->nr_fields; i++) {
		if (format->fields[i].is_common)
			continue;
		buf_putc(buf, ' ');
		buf_str(buf, format->fields[i].name);
		buf_putc(buf, '=');
		tracepoint_field_print(format, &format->fields[i], payload, buf);
	}
}
