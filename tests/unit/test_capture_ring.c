/* SPDX-License-Identifier: Apache-2.0 */
/* Rings and the drain over memory that this test fills as the kernel would. */
#include "lib/unit.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/buf.h"
#include "capture/drain.h"
#include "capture/ring.h"

#define RING_SIZE 4096u

struct fake_ring {
	int fd;
	struct perf_event_mmap_page *head;
	uint8_t *data;
	struct ring *ring;
	uint64_t pos;
};

static struct fake_ring make_ring(bool overwrite)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct fake_ring fake = { .fd = memfd_create("ring", MFD_CLOEXEC) };

	assert_true(fake.fd >= 0);
	assert_int_equal(ftruncate(fake.fd, (off_t)(page + RING_SIZE)), 0);
	fake.head = mmap(NULL, page + RING_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fake.fd, 0);
	assert_true(fake.head != MAP_FAILED);
	fake.data = (uint8_t *)fake.head + page;
	assert_int_equal(ring_open(fake.fd, RING_SIZE, overwrite, &fake.ring), 0);
	return fake;
}

static void free_ring(struct fake_ring *fake)
{
	ring_close(fake->ring);
	munmap(fake->head, (size_t)sysconf(_SC_PAGESIZE) + RING_SIZE);
	close(fake->fd);
}

static void put_bytes(struct fake_ring *fake, uint64_t pos, const void *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++)
		fake->data[(pos + i) % RING_SIZE] = ((const uint8_t *)bytes)[i];
}

/* A record of `size` bytes whose body is filled with `fill`. */
static void put(struct fake_ring *fake, uint32_t type, uint16_t size, uint8_t fill)
{
	uint8_t bytes[RING_SIZE];
	struct record_header header = { .type = type, .size = size };

	memset(bytes, fill, size);
	memcpy(bytes, &header, sizeof(header));
	put_bytes(fake, fake->pos, bytes, size);
	fake->pos += size;
	fake->head->data_head = fake->pos;
}

/* The same in a ring that is filled backwards. */
static void put_backward(struct fake_ring *fake, uint32_t type, uint16_t size, uint8_t fill)
{
	uint64_t pos = fake->pos - size;

	fake->pos = pos;
	put(fake, type, size, fill);
	fake->pos = pos;
	fake->head->data_head = pos;
}

struct collector {
	struct record_sink sink;
	struct buf buf;
	unsigned pushes;
	int fail;
};

static int collect(struct record_sink *sink, struct span records, struct err *err)
{
	struct collector *collector = (struct collector *)sink;

	collector->pushes++;
	if (collector->fail)
		return err_set(err, collector->fail, "full");
	buf_put(&collector->buf, records.data, records.size);
	return 0;
}

static struct collector make_collector(void)
{
	struct collector collector = { .sink = { .push = collect }, .buf = BUF_INIT };

	return collector;
}

/* Types of the records in a buffer, as text; each must be whole and filled with one byte. */
static void check_records(const struct collector *collector, const char *want)
{
	const char *pos = collector->buf.data, *end = pos + collector->buf.size;
	char got[1024] = "";

	while (pos < end) {
		struct record_header header;

		memcpy(&header, pos, sizeof(header));
		assert_true(header.size >= 8 && header.size <= end - pos);
		for (size_t i = 9; i < header.size; i++)
			assert_int_equal(pos[i], pos[8]);
		snprintf(got + strlen(got), sizeof(got) - strlen(got), "%s%u:%u", got[0] ? " " : "",
			 header.type, header.size);
		pos += header.size;
	}
	assert_string_equal(got, want);
}

static int take(void *context, struct span records)
{
	struct collector *collector = context;

	return collect(&collector->sink, records, NULL);
}

static void test_whole_runs(void **state)
{
	struct fake_ring fake = make_ring(false);
	struct collector collector = make_collector();

	(void)state;
	assert_int_equal(ring_read(fake.ring, take, &collector), 0);
	put(&fake, RECORD_SAMPLE, 40, 1);
	put(&fake, RECORD_COMM, 24, 2);
	assert_int_equal(ring_read(fake.ring, take, &collector), 64);
	assert_int_equal(collector.pushes, 1);
	assert_int_equal(fake.head->data_tail, 64);
	assert_int_equal(ring_read(fake.ring, take, &collector), 0);
	check_records(&collector, "9:40 3:24");
	buf_release(&collector.buf);
	free_ring(&fake);
}

/* Round and round, with records that go over the end at every possible place. */
static void test_records_over_the_end(void **state)
{
	struct fake_ring fake = make_ring(false);
	unsigned nr = 0;

	(void)state;
	for (unsigned round = 0; round < 200; round++) {
		struct collector collector = make_collector();
		size_t total = 0, records = 0;

		while (total < RING_SIZE - 600) {
			uint16_t size = (uint16_t)(16 + 8 * (nr++ * 7 % 60));

			put(&fake, RECORD_SAMPLE, size, (uint8_t)nr);
			total += size;
			records++;
		}
		assert_int_equal(ring_read(fake.ring, take, &collector), total);
		assert_int_equal(collector.buf.size, total);
		assert_true(collector.pushes <= 3);
		assert_int_equal(fake.head->data_tail, fake.pos);
		for (size_t at = 0; at < total; records--) {
			struct record_header header;

			memcpy(&header, collector.buf.data + at, sizeof(header));
			assert_int_equal(header.type, RECORD_SAMPLE);
			for (size_t i = 9; i < header.size; i++)
				assert_int_equal(collector.buf.data[at + i], collector.buf.data[at + 8]);
			at += header.size;
		}
		assert_int_equal(records, 0);
		buf_release(&collector.buf);
	}
	free_ring(&fake);
}

static void test_damage_is_an_error(void **state)
{
	struct fake_ring fake = make_ring(false);
	struct collector collector = make_collector();
	struct record_header header = { .type = RECORD_SAMPLE, .size = 4 };

	(void)state;
	for (unsigned i = 0; i < 50; i++)
		put(&fake, RECORD_SAMPLE, 80, 1);
	ring_read(fake.ring, take, &collector);
	put(&fake, RECORD_SAMPLE, 200, 1);
	put_bytes(&fake, fake.pos - 200, &header, sizeof(header));
	assert_int_equal(ring_read(fake.ring, take, &collector), -EBADMSG);
	buf_release(&collector.buf);
	free_ring(&fake);
}

static void test_overwrite(void **state)
{
	struct fake_ring fake = make_ring(true);
	struct collector collector = make_collector();
	int64_t got;

	(void)state;
	assert_int_equal(ring_read(fake.ring, take, &collector), 0);
	put_backward(&fake, RECORD_COMM, 24, 1);
	put_backward(&fake, RECORD_SAMPLE, 40, 2);
	assert_int_equal(ring_read(fake.ring, take, &collector), 64);
	check_records(&collector, "9:40 3:24"); /* the newest first */
	/* Many times over: what is left is whole, and all but the record that was half overwritten. */
	for (unsigned i = 0; i < 1000; i++)
		put_backward(&fake, RECORD_SAMPLE, (uint16_t)(48 + 8 * (i % 5)), (uint8_t)i);
	collector.buf.size = 0;
	got = ring_read(fake.ring, take, &collector);
	assert_true(got > (int64_t)RING_SIZE - 80 && got <= (int64_t)RING_SIZE);
	assert_int_equal(collector.buf.size, got);
	buf_release(&collector.buf);
	free_ring(&fake);
}

/* ---- drain ---- */

static void put_sample(struct fake_ring *fake, uint32_t pid, uint64_t time)
{
	/* IP, TID, TIME */
	uint64_t body[3] = { 0x1000, pid, time };

	put(fake, RECORD_SAMPLE, 32, 0);
	put_bytes(fake, fake->pos - 24, body, sizeof(body));
}

static struct drain make_drain(struct collector *collector, struct ring **rings, size_t nr)
{
	struct drain drain = {
		.sink = &collector->sink, .rings = rings, .nr_rings = nr, .pid_offset = 16, .time_offset = 24
	};

	drain_init(&drain);
	return drain;
}

static unsigned nr_of_type(const struct collector *collector, uint32_t type)
{
	unsigned nr = 0;

	for (size_t at = 0; at < collector->buf.size;) {
		struct record_header header;

		memcpy(&header, collector->buf.data + at, sizeof(header));
		nr += header.type == type;
		at += header.size;
	}
	return nr;
}

static void test_drain_counts(void **state)
{
	struct fake_ring a = make_ring(false), b = make_ring(false);
	struct ring *rings[] = { a.ring, b.ring };
	struct collector collector = make_collector();
	struct drain drain = make_drain(&collector, rings, 2);
	uint64_t lost[2] = { 7, 100 };

	(void)state;
	assert_int_equal(drain_once(&drain, NULL), 0);
	assert_int_equal(collector.pushes, 0);
	put_sample(&a, 1, 500);
	put_sample(&a, 1, 700);
	put_sample(&b, 2, 300);
	put(&b, RECORD_LOST, 24, 0);
	put_bytes(&b, b.pos - 16, lost, sizeof(lost));
	put(&b, RECORD_THROTTLE, 32, 0);
	put(&b, RECORD_FORK, 40, 0);
	assert_true(drain_once(&drain, NULL) > 0);
	assert_int_equal(collector.pushes, 1); /* small runs go together */
	assert_int_equal(drain.counts.samples, 3);
	assert_int_equal(drain.counts.lost_records, 1);
	assert_int_equal(drain.counts.lost, 100);
	assert_int_equal(drain.counts.throttles, 1);
	assert_int_equal(drain.counts.sideband, 1);
	assert_int_equal(drain.counts.first_time, 300);
	assert_int_equal(drain.counts.last_time, 700);
	assert_int_equal(nr_of_type(&collector, RECORD_FINISHED_ROUND), 1);
	assert_int_equal(nr_of_type(&collector, RECORD_SAMPLE), 3);
	drain_release(&drain);
	buf_release(&collector.buf);
	free_ring(&a);
	free_ring(&b);
}

static void test_drain_excludes(void **state)
{
	struct fake_ring a = make_ring(false);
	struct ring *rings[] = { a.ring };
	struct collector collector = make_collector();
	struct drain drain = make_drain(&collector, rings, 1);

	(void)state;
	drain.exclude_pid = 5;
	for (unsigned i = 0; i < 30; i++)
		put_sample(&a, i % 3 ? 4 : 5, i);
	assert_true(drain_once(&drain, NULL) > 0);
	assert_int_equal(nr_of_type(&collector, RECORD_SAMPLE), 20);
	assert_int_equal(drain.counts.samples, 20);
	drain_release(&drain);
	buf_release(&collector.buf);
	free_ring(&a);
}

static void test_drain_tells_failure(void **state)
{
	struct fake_ring a = make_ring(false);
	struct ring *rings[] = { a.ring };
	struct collector collector = make_collector();
	struct drain drain = make_drain(&collector, rings, 1);
	struct err err;

	(void)state;
	collector.fail = -ENOSPC;
	put_sample(&a, 1, 1);
	assert_int_equal(drain_once(&drain, &err), -ENOSPC);
	assert_string_equal(err.text, "full");
	drain_release(&drain);
	buf_release(&collector.buf);
	free_ring(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_whole_runs),	    cmocka_unit_test(test_records_over_the_end),
		cmocka_unit_test(test_damage_is_an_error),  cmocka_unit_test(test_overwrite),
		cmocka_unit_test(test_drain_counts),	    cmocka_unit_test(test_drain_excludes),
		cmocka_unit_test(test_drain_tells_failure),
	};

	return cmocka_run_group_tests_name("capture_ring", tests, NULL, NULL);
}
