/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Commands that come while a recording runs (--control): lines on a descriptor or a named pipe, each answered with
 * "ack\n" when it is done, if somebody wants to know.
 */
#ifndef CAPTURE_CONTROL_H
#define CAPTURE_CONTROL_H

#include <stddef.h>

#include "base/err.h"

enum control_command {
	CONTROL_NONE, /* nothing complete has come */
	CONTROL_ENABLE, /* argument: an event's name; empty: all */
	CONTROL_DISABLE,
	CONTROL_SNAPSHOT,
	CONTROL_EVLIST, /* argument: as evlist's options */
	CONTROL_STOP,
	CONTROL_PING,
	CONTROL_UNKNOWN, /* argument: the line */
	CONTROL_CLOSED, /* nobody will write any more */
};

struct control {
	int fd; /* -1: none */
	int ack_fd; /* -1: none wanted */
	char line[256];
	size_t used;
};

#define CONTROL_NO ((struct control){ .fd = -1, .ack_fd = -1 })

/* "fd:CTL[,ACK]" or "fifo:CTL[,ACK]". 0 or -errno with words. */
int control_open(const char *text, struct control *ret_control, struct err *err);
void control_close(struct control *control);
/* The next command; does not wait. The argument is in the control until the next call. */
enum control_command control_next(struct control *control, const char **ret_argument);
void control_ack(struct control *control);

#endif
