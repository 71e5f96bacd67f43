/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RENDER_MARKUP_H
#define RENDER_MARKUP_H

#include <stddef.h>

#include "base/buf.h"

/*
 * Text that may hold anything as text of HTML or XML, in elements and in quoted attributes: the five
 * special characters are escaped; what is no UTF-8, control characters (XML 1.0 knows no way to write them) and
 * those that turn the direction of writing become U+FFFD.
 */
void markup_text(struct buf *buf, const char *text);
void markup_bytes(struct buf *buf, const char *text, size_t size);

#endif
