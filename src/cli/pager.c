/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pager is a child that reads what we write to standard output.
 *
 * Whoever started us takes our end for the end of the output and writes his prompt; so we must not end before the
 * pager: at exit, and when a signal ends us, its input is closed and it is waited for. When the user leaves the pager
 * early the next write ends us by SIGPIPE, quietly, as it should be. There is one standard output, so there is one
 * pager, and its process id is one of the few things this program keeps in a static variable: the signal handler
 * can look nowhere else.
 */
#include "cli/pager.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/array.h"

extern char **environ;

static volatile pid_t pager_pid;
static volatile int terminal_fd = -1; /* what standard output was */

bool pager_is_running(void)
{
	return pager_pid > 0;
}

static int wait_for_pager(void)
{
	int status = 0;

	while (waitpid(pager_pid, &status, 0) < 0 && errno == EINTR)
		;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 255;
}

static void end_by_signal(int signal_number)
{
	if (pager_pid > 0) {
		close(STDOUT_FILENO);
		wait_for_pager();
	}
	signal(signal_number, SIG_DFL);
	raise(signal_number);
}

int pager_stop(void)
{
	int status;

	if (pager_pid <= 0)
		return 0;
	fflush(stdout);
	/* The last writer closes: standard output becomes the terminal again. */
	dup2(terminal_fd, STDOUT_FILENO);
	close(terminal_fd);
	terminal_fd = -1;
	status = wait_for_pager();
	pager_pid = 0;
	return status;
}

static void stop_at_exit(void)
{
	pager_stop();
}

static void catch_signals(void)
{
	static const int numbers[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };

	for (size_t i = 0; i < NR_ITEMS(numbers); i++) {
		struct sigaction action = { .sa_handler = end_by_signal, .sa_flags = (int)SA_RESETHAND }, old;

		/* A command with its own plans for a signal keeps them. */
		if (!sigaction(numbers[i], NULL, &old) && old.sa_handler == SIG_DFL)
			sigaction(numbers[i], &action, NULL);
	}
}

bool pager_start_program(const char *const *argv)
{
	posix_spawn_file_actions_t actions;
	int ends[2], saved, ret;
	pid_t pid;

	if (pager_pid > 0 || pipe2(ends, O_CLOEXEC))
		return false;
	saved = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
	fflush(stdout);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO);
	ret = saved < 0 ? errno : posix_spawnp(&pid, argv[0], &actions, NULL, (char *const *)argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	close(ends[0]);
	if (ret) {
		close(ends[1]);
		if (saved >= 0)
			close(saved);
		return false;
	}
	dup2(ends[1], STDOUT_FILENO);
	close(ends[1]);
	terminal_fd = saved;
	pager_pid = pid;
	catch_signals();
	atexit(stop_at_exit);
	return true;
}

static const char *choose(const char *configured)
{
	const char *program = getenv("SONDE_PAGER");

	if (!program)
		program = getenv("PERF_PAGER");
	if (!program)
		program = configured;
	if (!program)
		program = getenv("PAGER");
	return program ? program : "less -FRX";
}

bool pager_start(const char *configured)
{
	const char *program = choose(configured);
	char words[256], *rest = words, *word;
	const char *argv[32] = { "sh", "-c", program, NULL };

	if (!isatty(STDOUT_FILENO) || !program[0] || !strcmp(program, "cat"))
		return false;
	/* A plain line needs no shell. */
	if (strlen(program) < sizeof(words) && !strpbrk(program, "|&;<>()$`\\\"'*?[#~=%\n")) {
		size_t nr = 0;

		strcpy(words, program);
		while ((word = strsep(&rest, " \t")) && nr + 1 < NR_ITEMS(argv))
			if (*word)
				argv[nr++] = word;
		argv[nr] = NULL;
		if (!nr)
			return false;
	}
	setenv("LESS", "FRX", 0);
	return pager_start_program(argv);
}
