/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The three compressions that ELF files know: SHF_COMPRESSED and .zdebug_* sections (zlib, zstd) and
 * the .gnu_debugdata mini symbol table (xz).
 *
 * The claimed size of a section comes from the file and is not to be trusted. It is refused when the
 * compressed bytes could not possibly grow to it (deflate reaches 1032:1, and what compilers write
 * stays far below), and the memory is mapped, not allocated, so a lie that passes costs nothing.
 *
 * Each library has a switch, HAVE_ZSTD and HAVE_LZMA; zlib is always there.
 */
#include "elf/inflate.h"

#include <errno.h>
#include <sys/mman.h>

#include <zlib.h>
#ifdef HAVE_ZSTD
#include <zstd.h>
#endif
#ifdef HAVE_LZMA
#include <lzma.h>
#endif

static int inflated_map(struct inflated *out, size_t size, struct err *err)
{
	void *data;

	*out = (struct inflated){ 0 };
	if (size == 0)
		return 0;
	data = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (data == MAP_FAILED)
		return err_errno(err, -errno, "no memory for a decompressed section of %zu bytes", size);
	*out = (struct inflated){ data, size, size };
	return 0;
}

void inflated_release(struct inflated *out)
{
	if (out->mapped)
		munmap(out->data, out->mapped);
	*out = (struct inflated){ 0 };
}

static int check_size(struct span in, size_t size, struct err *err)
{
	if (size > INFLATE_SIZE_MAX || size / INFLATE_RATIO_MAX > in.size)
		return err_set(err, -EBADMSG, "compressed section of %zu bytes claims to hold %zu", in.size,
			       size);
	return 0;
}

int inflate_zlib(struct span in, size_t size, struct inflated *ret_out, struct err *err)
{
	z_stream stream = { 0 };
	size_t in_done = 0, out_done = 0;
	int ret, status = Z_OK;

	*ret_out = (struct inflated){ 0 };
	ret = check_size(in, size, err);
	if (!ret)
		ret = inflated_map(ret_out, size, err);
	if (ret)
		return ret;
	if (inflateInit(&stream) != Z_OK) {
		inflated_release(ret_out);
		return err_set(err, -ENOMEM, "zlib does not start");
	}
	/* zlib counts in 32 bits; sections may be larger. */
	while (status == Z_OK && out_done < size) {
		size_t in_part = in.size - in_done, out_part = size - out_done;

		if (in_part > UINT32_MAX)
			in_part = UINT32_MAX;
		if (out_part > UINT32_MAX)
			out_part = UINT32_MAX;
		stream.next_in = (Bytef *)in.data + in_done;
		stream.avail_in = (uInt)in_part;
		stream.next_out = ret_out->data + out_done;
		stream.avail_out = (uInt)out_part;
		status = inflate(&stream, Z_NO_FLUSH);
		in_done += in_part - stream.avail_in;
		out_done += out_part - stream.avail_out;
		if (status == Z_OK && stream.avail_in == in_part && stream.avail_out == out_part)
			status = Z_BUF_ERROR;
	}
	inflateEnd(&stream);
	if (out_done == size)
		return 0;
	inflated_release(ret_out);
	return err_set(err, -EBADMSG, "zlib section is damaged after %zu of %zu bytes", out_done, size);
}

#ifdef HAVE_ZSTD
int inflate_zstd(struct span in, size_t size, struct inflated *ret_out, struct err *err)
{
	size_t got;
	int ret;

	*ret_out = (struct inflated){ 0 };
	ret = check_size(in, size, err);
	if (!ret)
		ret = inflated_map(ret_out, size, err);
	if (ret)
		return ret;
	got = ZSTD_decompress(ret_out->data, size, in.data, in.size);
	if (!ZSTD_isError(got) && got == size)
		return 0;
	inflated_release(ret_out);
	return err_set(err, -EBADMSG, "zstd section is damaged: %s",
		       ZSTD_isError(got) ? ZSTD_getErrorName(got) : "it is shorter than it says");
}
#else
int inflate_zstd(struct span in, size_t size, struct inflated *ret_out, struct err *err)
{
	(void)in;
	(void)size;
	*ret_out = (struct inflated){ 0 };
	return err_set(err, -EOPNOTSUPP, "zstd-compressed section: this sonde was built without zstd");
}
#endif

#ifdef HAVE_LZMA
int inflate_xz(struct span in, struct inflated *ret_out, struct err *err)
{
	lzma_stream stream = LZMA_STREAM_INIT;
	size_t limit = INFLATE_SIZE_MAX / INFLATE_RATIO_MAX > in.size ? in.size * INFLATE_RATIO_MAX
								      : INFLATE_SIZE_MAX;
	lzma_ret status;
	int ret;

	*ret_out = (struct inflated){ 0 };
	ret = inflated_map(ret_out, limit, err);
	if (ret)
		return ret;
	if (lzma_stream_decoder(&stream, (uint64_t)256 << 20, 0) != LZMA_OK) {
		inflated_release(ret_out);
		return err_set(err, -ENOMEM, "liblzma does not start");
	}
	stream.next_in = in.data;
	stream.avail_in = in.size;
	stream.next_out = ret_out->data;
	stream.avail_out = limit;
	status = lzma_code(&stream, LZMA_FINISH);
	ret_out->size = limit - stream.avail_out;
	lzma_end(&stream);
	if (status != LZMA_STREAM_END) {
		inflated_release(ret_out);
		return err_set(err, -EBADMSG, "xz data is damaged (liblzma says %d)", (int)status);
	}
	return 0;
}
#else
int inflate_xz(struct span in, struct inflated *ret_out, struct err *err)
{
	(void)in;
	*ret_out = (struct inflated){ 0 };
	return err_set(err, -EOPNOTSUPP, ".gnu_debugdata: this sonde was built without liblzma");
}
#endif
