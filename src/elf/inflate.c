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
#include <string.h>
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

/* Pages for what a stream of unknown size may grow to. */
static int map_for(struct span in, struct inflated *out, struct err *err)
{
	size_t limit = INFLATE_SIZE_MAX / INFLATE_RATIO_MAX > in.size ? in.size * INFLATE_RATIO_MAX
								      : INFLATE_SIZE_MAX;

	return inflated_map(out, limit, err);
}

#ifdef HAVE_LZMA
int inflate_xz(struct span in, struct inflated *ret_out, struct err *err)
{
	lzma_stream stream = LZMA_STREAM_INIT;
	lzma_ret status;
	int ret;

	*ret_out = (struct inflated){ 0 };
	ret = map_for(in, ret_out, err);
	if (ret)
		return ret;
	if (lzma_stream_decoder(&stream, (uint64_t)256 << 20, 0) != LZMA_OK) {
		inflated_release(ret_out);
		return err_set(err, -ENOMEM, "liblzma does not start");
	}
	stream.next_in = in.data;
	stream.avail_in = in.size;
	stream.next_out = ret_out->data;
	stream.avail_out = ret_out->size;
	status = lzma_code(&stream, LZMA_FINISH);
	ret_out->size -= stream.avail_out;
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

static int inflate_gzip(struct span in, struct inflated *out, struct err *err)
{
	z_stream stream = { 0 };
	int ret, status;

	if (in.size > UINT32_MAX / INFLATE_RATIO_MAX)
		return err_set(err, -EFBIG, "a gzip file of %zu bytes is too large", in.size);
	ret = map_for(in, out, err);
	if (ret)
		return ret;
	stream.next_in = (Bytef *)in.data;
	stream.avail_in = (uInt)in.size;
	stream.next_out = out->data;
	stream.avail_out = (uInt)out->size;
	if (inflateInit2(&stream, 15 + 16) != Z_OK) {
		inflated_release(out);
		return err_set(err, -ENOMEM, "zlib does not start");
	}
	status = inflate(&stream, Z_FINISH);
	out->size = stream.total_out;
	inflateEnd(&stream);
	if (status == Z_STREAM_END)
		return 0;
	inflated_release(out);
	return err_set(err, -EBADMSG, "gzip data is damaged");
}

static int inflate_zstd_file(struct span in, struct inflated *out, struct err *err)
{
#ifdef HAVE_ZSTD
	ZSTD_inBuffer from = { in.data, in.size, 0 };
	ZSTD_outBuffer to = { 0 };
	ZSTD_DStream *stream;
	size_t left = 1;
	int ret = map_for(in, out, err);

	if (ret)
		return ret;
	to = (ZSTD_outBuffer){ out->data, out->size, 0 };
	stream = ZSTD_createDStream();
	while (stream && left && !ZSTD_isError(left)) {
		size_t before = from.pos + to.pos;

		left = ZSTD_decompressStream(stream, &to, &from);
		if (from.pos + to.pos == before)
			break;
	}
	ZSTD_freeDStream(stream);
	out->size = to.pos;
	if (left == 0)
		return 0;
	inflated_release(out);
	return err_set(err, -EBADMSG, "zstd data is damaged");
#else
	(void)in;
	(void)out;
	return err_set(err, -EOPNOTSUPP, "zstd-compressed file: this sonde was built without zstd");
#endif
}

int inflate_file(struct span in, struct inflated *ret_out, struct err *err)
{
	*ret_out = (struct inflated){ 0 };
	if (in.size >= 6 && !memcmp(in.data,
				    "\xfd"
				    "7zXZ\0",
				    6))
		return inflate_xz(in, ret_out, err);
	if (in.size >= 4 && !memcmp(in.data, "\x28\xb5\x2f\xfd", 4))
		return inflate_zstd_file(in, ret_out, err);
	if (in.size >= 3 && !memcmp(in.data, "\x1f\x8b\x08", 3))
		return inflate_gzip(in, ret_out, err);
	return err_set(err, -ENOEXEC, "not compressed with xz, zstd or gzip");
}
