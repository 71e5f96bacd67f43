/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ELF_INFLATE_H
#define ELF_INFLATE_H

#include <stddef.h>

#include "base/err.h"
#include "base/span.h"

/*
 * Memory that came out of a compressed section: anonymous pages, so that a section that claims gigabytes
 * costs address space only until bytes are really written, and failing to get it is an error, not the
 * end of the program. A zeroed struct is empty; inflated_release takes it too.
 */
struct inflated {
	uint8_t *data;
	size_t size;
	size_t mapped;
};

/* What a compressed block may grow to at most. No honest section comes near. */
#define INFLATE_RATIO_MAX 1100u
#define INFLATE_SIZE_MAX ((size_t)8 << 30)

/* Exactly size bytes out of a zlib (RFC 1950) or zstd (RFC 8878) stream; fewer or more is -EBADMSG.
 * -EOPNOTSUPP when built without the library. */
int inflate_zlib(struct span in, size_t size, struct inflated *ret_out, struct err *err);
int inflate_zstd(struct span in, size_t size, struct inflated *ret_out, struct err *err);
/* An xz file of unknown size, as .gnu_debugdata holds it. */
int inflate_xz(struct span in, struct inflated *ret_out, struct err *err);
/* A whole file that is compressed with xz, zstd or gzip, told by its first bytes; kernel modules are. -ENOEXEC when it is
 * none of them. */
int inflate_file(struct span in, struct inflated *ret_out, struct err *err);
void inflated_release(struct inflated *out);

#endif
