/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From base64 to bytes. Browsers of this decade inflate by themselves (DecompressionStream); for
 * the others the 80 lines of RFC 1951 are here, so that a page kept for years opens anywhere.
 */

const LENGTH_BASE = [3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115,
	131, 163, 195, 227, 258];
const LENGTH_BITS = [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0];
const DISTANCE_BASE = [1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537,
	2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577];
const CODE_ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

/* A table from the next `bits` bits to symbol << 4 | code length (codes are sent with their first bit lowest). */
function huffmanTable(lengths) {
	const bits = Math.max(1, ...lengths);
	const table = new Uint16Array(1 << bits);
	let code = 0;
	for (let length = 1; length <= bits; length++) {
		for (let symbol = 0; symbol < lengths.length; symbol++) {
			if (lengths[symbol] !== length)
				continue;
			let reversed = 0;
			for (let i = 0; i < length; i++)
				reversed |= (code >> i & 1) << (length - 1 - i);
			for (let i = reversed; i < table.length; i += 1 << length)
				table[i] = symbol << 4 | length;
			code++;
		}
		code <<= 1;
	}
	return { table, bits };
}

/* Raw deflate data from `pos` of input; size is what comes out. */
function inflateRaw(input, pos, size) {
	const output = new Uint8Array(size);
	let out = 0, hold = 0, held = 0;

	function take(count) {
		while (held < count) {
			hold |= input[pos++] << held;
			held += 8;
		}
		const value = hold & ((1 << count) - 1);
		hold >>>= count;
		held -= count;
		return value;
	}
	function symbol(code) {
		while (held < code.bits && pos < input.length) {
			hold |= input[pos++] << held;
			held += 8;
		}
		const entry = code.table[hold & ((1 << code.bits) - 1)];
		if (!entry || (entry & 15) > held)
			throw new Error("the page's data is damaged");
		hold >>>= entry & 15;
		held -= entry & 15;
		return entry >> 4;
	}
	function codes() {
		const literals = take(5) + 257, distances = take(5) + 1, count = take(4) + 4;
		const order = new Array(19).fill(0), lengths = [];
		for (let i = 0; i < count; i++)
			order[CODE_ORDER[i]] = take(3);
		const code = huffmanTable(order);
		while (lengths.length < literals + distances) {
			const value = symbol(code);
			if (value < 16) {
				lengths.push(value);
				continue;
			}
			const last = value === 16 ? lengths[lengths.length - 1] : 0;
			let repeat = value === 16 ? 3 + take(2) : value === 17 ? 3 + take(3) : 11 + take(7);
			while (repeat--)
				lengths.push(last);
		}
		return [huffmanTable(lengths.slice(0, literals)), huffmanTable(lengths.slice(literals))];
	}
	function block(literal, distance) {
		for (;;) {
			let value = symbol(literal);
			if (value === 256)
				return;
			if (value < 256) {
				output[out++] = value;
				continue;
			}
			value -= 257;
			let length = LENGTH_BASE[value] + take(LENGTH_BITS[value]);
			const far = symbol(distance);
			const back = DISTANCE_BASE[far] + take(far < 4 ? 0 : (far >> 1) - 1);
			for (; length > 0; length--, out++)
				output[out] = output[out - back];
		}
	}

	for (let last = 0; !last;) {
		last = take(1);
		const type = take(2);
		if (type === 0) {
			pos -= held >> 3;
			hold = held = 0;
			const length = input[pos] | input[pos + 1] << 8;
			output.set(input.subarray(pos + 4, pos + 4 + length), out);
			pos += 4 + length;
			out += length;
		} else if (type === 1) {
			const lengths = new Array(288).fill(8).fill(9, 144, 256).fill(7, 256, 280);
			block(huffmanTable(lengths), huffmanTable(new Array(30).fill(5)));
		} else {
			block(...codes());
		}
	}
	return output;
}

/* The gzip files that flamegraph_html.c writes: ten bytes, deflate data, checksum, size. */
async function gunzip(bytes) {
	if (typeof DecompressionStream === "function") {
		const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
		return new Uint8Array(await new Response(stream).arrayBuffer());
	}
	return inflateRaw(bytes, 10, new DataView(bytes.buffer).getUint32(bytes.length - 4, true));
}

function base64Bytes(text) {
	if (Uint8Array.fromBase64)
		return Uint8Array.fromBase64(text);
	const binary = atob(text);
	const bytes = new Uint8Array(binary.length);
	for (let i = 0; i < binary.length; i++)
		bytes[i] = binary.charCodeAt(i);
	return bytes;
}
