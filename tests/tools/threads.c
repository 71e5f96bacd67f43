/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program to be recorded: three named threads and the main one compute, recurse, and read from the kernel, by
 * calls that have frame pointers and names. threads [ROUNDS]
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define STEP \
	__attribute__((noinline, noclone, \
		       optimize("no-optimize-sibling-calls", "no-omit-frame-pointer"))) static

static volatile unsigned long sink;
static int rounds = 2000;

STEP void leaf(int n)
{
	unsigned long a = 1;

	for (int i = 0; i < n; i++)
		a = a * 31 + (unsigned long)i;
	sink += a;
}

STEP void twice(int n)
{
	leaf(n);
	leaf(n / 2);
	sink++;
}

STEP void third(int n)
{
	leaf(n / 3);
	twice(n / 4);
	sink++;
}

STEP void recurse(int depth, int n)
{
	if (depth) {
		recurse(depth - 1, n);
		leaf(n / 10);
	} else {
		third(n);
	}
	sink++;
}

STEP void read_zeros(int n)
{
	int fd = open("/dev/zero", O_RDONLY);
	char *buf = malloc(65536);

	while (n-- > 0 && read(fd, buf, 65536) > 0)
		;
	close(fd);
	free(buf);
	sink++;
}

STEP void work(int nr)
{
	for (int i = 0; i < nr; i++) {
		twice(20000);
		third(20000);
		recurse(i % 6, 10000);
		read_zeros(8);
	}
	sink++;
}

static void *run(void *name)
{
	pthread_setname_np(pthread_self(), name);
	work(rounds);
	return NULL;
}

int main(int argc, char **argv)
{
	static char names[3][16] = { "alpha", "beta", "gamma ray" };
	pthread_t threads[3];

	if (argc > 1)
		rounds = atoi(argv[1]);
	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, run, names[i]);
	work(rounds / 2);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
