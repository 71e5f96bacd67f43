/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_SPAN_H
#define BASE_SPAN_H

#include <stddef.h>
#include <stdint.h>

/* Bytes that belong to somebody else. */
struct span {
	const uint8_t *data;
	size_t size;
};

#endif
