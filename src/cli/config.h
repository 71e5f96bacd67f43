/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Configuration files: the format of git and perf,
 *
 *	[call-graph]
 *		record-mode = dwarf   # comment
 *	[section "Sub"]
 *		flag
 *
 * read from, each later one overriding the earlier:
 *
 *	/etc/perfconfig
 *	~/.perfconfig
 *	$XDG_CONFIG_HOME/sonde/config (~/.config/sonde/config)
 *
 * or, with $PERF_CONFIG set, from that file alone. Files that belong to neither the user nor root are not read.
 */
#ifndef CLI_CONFIG_H
#define CLI_CONFIG_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/err.h"

enum config_scope {
	CONFIG_ALL,
	CONFIG_SYSTEM, /* /etc/perfconfig */
	CONFIG_PERF, /* ~/.perfconfig */
	CONFIG_USER, /* ours */
};

struct config_entry {
	const char *key; /* "call-graph.record-mode": in lower case but for a quoted subsection */
	const char *value; /* NULL: the key stood alone, which means true */
	const char *path;
	unsigned line;
};

struct config {
	struct arena arena;
	ARRAY(struct config_entry) entries; /* as read: of several with the same key the last counts */
	ARRAY(const char *) problems; /* what could not be read, in words, "PATH:LINE: ..." */
};

/* Reads the files of a scope into a zeroed config. Absent files are no problem. */
void config_load(struct config *config, enum config_scope scope);
/* One file. 0 or -errno (no words: absence is no error); bad lines are skipped and go to problems. */
int config_load_file(struct config *config, const char *path);
void config_release(struct config *config);
/* The entry that counts for a key (letter case ignored), or NULL. */
const struct config_entry *config_find(const struct config *config, const char *key);
/* The entry that counts for every key, in order of first appearance; nr is what fits in ret. */
size_t config_effective(const struct config *config, const struct config_entry **ret, size_t room);

/* Where a scope's settings are written ($PERF_CONFIG if set); NULL when there is no home. Into the arena. */
const char *config_path(struct config *config, enum config_scope scope);
/* Sets a key in a file, keeping all its other lines as they are; makes the file and its folder if need be. */
int config_write(const char *path, const char *key, const char *value, struct err *err);

#endif
