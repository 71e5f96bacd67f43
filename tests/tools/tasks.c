/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program to be recorded that does with tasks and mappings what recordings get wrong. Each function says by its name
 * under which name of a thread it is to be seen. tasks threads|fork|vfork|exec|overlap|libraries A B|reuse
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"

#define MSEC 30

static volatile unsigned long sink;

static long cpu_msec(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Computes for some time of the CPU, whatever else goes on here. */
#define SPIN(name) \
	__attribute__((noinline, noclone)) static void name(void) \
	{ \
		for (long end = cpu_msec() + MSEC; cpu_msec() < end;) \
			for (int i = 0; i < 20000; i++) \
				sink += (unsigned long)i * (1 + __COUNTER__); /* no two are the same code */ \
		sink++; \
	}

SPIN(as_tasks)
SPIN(as_renamed)
SPIN(as_child)
SPIN(as_renamed_child)
SPIN(as_parent)
SPIN(as_execed)
SPIN(as_execing_thread)

static void *renaming(void *argument)
{
	as_tasks();
	prctl(PR_SET_NAME, "renamed");
	as_renamed();
	return argument;
}

static void threads(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, renaming, NULL))
		exit(1);
	pthread_join(thread, NULL);
}

static void collect(void)
{
	while (wait(NULL) > 0)
		;
}

static void forks(void)
{
	for (int i = 0; i < 2; i++)
		if (!fork()) {
			if (i)
				prctl(PR_SET_NAME, "child");
			(i ? as_renamed_child : as_child)();
			_exit(0);
		}
	collect();
}

static void exec_self(const char *self)
{
	execl(self, self, "execed", NULL);
	_exit(1);
}

static void vforks(const char *self)
{
	if (!vfork())
		exec_self(self);
	as_parent();
	collect();
}

static void *executing(void *self)
{
	prctl(PR_SET_NAME, "execing");
	as_execing_thread();
	exec_self(self);
	return NULL;
}

static void exec_from_thread(char *self)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, executing, self))
		exit(1);
	pthread_join(thread, NULL);
}

typedef unsigned long moved(unsigned long n);

/* ---- code of this program, mapped again at places where other code was */

/* Calls nothing and reads no data, so that it runs anywhere; a page of the file for each. */
#define MOVED(name) \
	__attribute__((noinline, noclone, aligned(4096))) static unsigned long name(unsigned long n) \
	{ \
		unsigned long a = n; \
\
		for (unsigned long i = 0; i < n; i++) { \
			a = a * 31 + i * (1 + __COUNTER__); \
			__asm__ volatile("" : "+r"(a)); \
		} \
		return a; \
	}

MOVED(moved_first)
MOVED(moved_second)
MOVED(moved_third)

static int find_bias(struct dl_phdr_info *info, size_t size, void *context)
{
	(void)size;
	*(struct dl_phdr_info *)context = *info;
	return 1;
}

static off_t file_offset(const struct dl_phdr_info *info, moved *function)
{
	uintptr_t address = (uintptr_t)function - info->dlpi_addr;

	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];

		if (segment->p_type == PT_LOAD && address - segment->p_vaddr < segment->p_filesz)
			return (off_t)(address - segment->p_vaddr + segment->p_offset);
	}
	exit(1);
}

static void run_at(const char *place)
{
	for (long end = cpu_msec() + MSEC; cpu_msec() < end;)
		sink += ((moved *)(uintptr_t)place)(20000);
}

static void overlap(const char *self)
{
	moved *const functions[] = { moved_first, moved_second, moved_third };
	int fd = open(self, O_RDONLY);
	struct dl_phdr_info info;
	char *place;

	dl_iterate_phdr(find_bias, &info);
	place = mmap(NULL, 16384, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	for (int round = 0; round < 2; round++)
		for (size_t i = 0; i < NR_ITEMS(functions); i++) {
			off_t offset = file_offset(&info, functions[i]);

			/* The third covers the end of what is there only; what is before stays. */
			if (mmap(place + (i == 2 ? 4096 : 0), i == 2 ? 4096 : 8192, PROT_READ | PROT_EXEC,
				 MAP_PRIVATE | MAP_FIXED, fd, offset) == MAP_FAILED)
				exit(1);
			run_at(place + (i == 2 ? 4096 : 0));
			if (i == 2)
				run_at(place);
		}
	close(fd);
}

/* ---- libraries at one address, one after the other */

static void libraries(const char *first, const char *second)
{
	for (int round = 0; round < 4; round++) {
		void *library = dlopen(round % 2 ? second : first, RTLD_NOW);
		moved *function = library ? (moved *)(uintptr_t)dlsym(library, "library_work") : NULL;

		if (!function) {
			fprintf(stderr, "%s\n", dlerror());
			exit(1);
		}
		run_at((const char *)(uintptr_t)function);
		printf("%p\n", (void *)(uintptr_t)function);
		dlclose(library);
	}
}

/* ---- one number for two processes, in a pid namespace of its own */

static void reuse(const char *self)
{
	for (int round = 0; round < 2; round++) {
		int fd = open("/proc/sys/kernel/ns_last_pid", O_WRONLY);
		pid_t pid;

		if (fd < 0 || write(fd, "499", 3) < 0)
			exit(2);
		close(fd);
		pid = fork();
		if (!pid && round)
			exec_self(self);
		if (!pid) {
			prctl(PR_SET_NAME, "child");
			as_renamed_child();
			_exit(0);
		}
		printf("%d\n", pid);
		collect();
	}
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	if (!strcmp(what, "execed"))
		as_execed();
	else if (!strcmp(what, "threads"))
		threads();
	else if (!strcmp(what, "fork"))
		forks();
	else if (!strcmp(what, "vfork"))
		vforks(argv[0]);
	else if (!strcmp(what, "exec"))
		exec_from_thread(argv[0]);
	else if (!strcmp(what, "overlap"))
		overlap(argv[0]);
	else if (!strcmp(what, "libraries") && argc > 3)
		libraries(argv[2], argv[3]);
	else if (!strcmp(what, "reuse"))
		reuse(argv[0]);
	else
		return 129;
	return 0;
}
