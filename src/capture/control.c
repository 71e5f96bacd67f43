/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/control.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/file.h"
#include "base/number.h"

/* A number that names an open descriptor. */
static int take_fd(const char *text, int *ret_fd, struct err *err)
{
	uint64_t fd;

	if (number_parse_u64(text, &fd) < 0 || fd > INT32_MAX || fcntl((int)fd, F_GETFD) < 0)
		return err_set(err, -EBADF, "'%s' is not the number of an open descriptor", text);
	*ret_fd = (int)fd;
	return 0;
}

static int open_fifo(const char *path, int *ret_fd, struct err *err)
{
	struct stat st;
	/* Reading and writing: opening does not wait for the other side, and its end is not ours. */
	int fd = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);

	if (fd < 0)
		return err_errno(err, -errno, "cannot open %s", path);
	if (fstat(fd, &st) || !S_ISFIFO(st.st_mode)) {
		close(fd);
		return err_set(err, -EINVAL, "%s is not a named pipe", path);
	}
	*ret_fd = fd;
	return 0;
}

int control_open(const char *text, struct control *ret_control, struct err *err)
{
	int (*open_one)(const char *text, int *ret_fd, struct err *err);
	char *copy, *ack;
	int code;

	*ret_control = CONTROL_NO;
	if (!strncmp(text, "fd:", 3)) {
		open_one = take_fd;
		text += 3;
	} else if (!strncmp(text, "fifo:", 5)) {
		open_one = open_fifo;
		text += 5;
	} else {
		return err_set(err, -EINVAL, "'%s' is neither fd:CTL[,ACK] nor fifo:CTL[,ACK]", text);
	}
	copy = xstrdup(text);
	ack = strchr(copy, ',');
	if (ack)
		*ack++ = 0;
	code = open_one(copy, &ret_control->fd, err);
	if (!code && ack && *ack)
		code = open_one(ack, &ret_control->ack_fd, err);
	if (!code)
		fcntl(ret_control->fd, F_SETFL, fcntl(ret_control->fd, F_GETFL) | O_NONBLOCK);
	free(copy);
	return code;
}

void control_close(struct control *control)
{
	if (control->fd >= 0)
		close(control->fd);
	if (control->ack_fd >= 0)
		close(control->ack_fd);
	*control = CONTROL_NO;
}

static const struct {
	const char *name;
	enum control_command command;
} commands[] = {
	{ "enable", CONTROL_ENABLE }, { "disable", CONTROL_DISABLE }, { "snapshot", CONTROL_SNAPSHOT },
	{ "evlist", CONTROL_EVLIST }, { "stop", CONTROL_STOP },	      { "ping", CONTROL_PING },
};

static enum control_command parse(char *line, const char **ret_argument)
{
	size_t length = strcspn(line, " \t");

	for (size_t i = 0; i < NR_ITEMS(commands); i++) {
		if (strlen(commands[i].name) != length || strncmp(line, commands[i].name, length))
			continue;
		*ret_argument = line + length + strspn(line + length, " \t");
		return commands[i].command;
	}
	*ret_argument = line;
	return CONTROL_UNKNOWN;
}

enum control_command control_next(struct control *control, const char **ret_argument)
{
	/* Byte by byte: commands are rare, and what follows the line belongs to the next one. */
	for (;;) {
		char c;
		ssize_t got = read(control->fd, &c, 1);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return errno == EAGAIN ? CONTROL_NONE : CONTROL_CLOSED;
		if (!got)
			return CONTROL_CLOSED;
		if (c != '\n' && c != 0) {
			if (control->used < sizeof(control->line) - 1)
				control->line[control->used++] = c;
			continue;
		}
		while (control->used && strchr(" \t\r", control->line[control->used - 1]))
			control->used--;
		control->line[control->used] = 0;
		control->used = 0;
		if (control->line[0])
			return parse(control->line, ret_argument);
	}
}

void control_ack(struct control *control)
{
	if (control->ack_fd >= 0)
		file_write_all(control->ack_fd, "ack\n", 5); /* with its NUL, as those who wait expect */
}
