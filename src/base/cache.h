/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Things that took long to make, kept for the next run: files in $XDG_CACHE_HOME/sonde or ~/.cache/sonde.
 *
 * Everything in there can be made again, and what is read from it is to be checked like any other input. The folder
 * belongs to the user who runs the program, and only that user can look into it (kernel addresses are among
 * what is kept): with sudo and the caller's HOME, with file capabilities or without a home there is no cache,
 * and SONDE_CACHE=0 turns it off. Files appear whole or not at all.
 */
#ifndef BASE_CACHE_H
#define BASE_CACHE_H

#include <stdint.h>

#include "base/file.h"

#define CACHE_NAME_SIZE 64 /* with the NUL */

/* A descriptor of the folder, which `create` makes if need be; to be closed. -ENOENT: it has not been made;
 * another -errno: there cannot be a cache. */
int cache_open(bool create);
/* Maps a file of the cache and marks it as used. 0 or -errno; no words, a cache may always be empty. */
int cache_map(int cache, const char *name, struct file_map *ret_map);

struct cache_file {
	int fd; /* to be written to */
	char name[CACHE_NAME_SIZE]; /* until it is done */
};

int cache_file_create(int cache, struct cache_file *file); /* 0 or -errno */
/* Closes the file and puts it in the place of `name`; with `keep` false throws it away. 0 or -errno. */
int cache_file_finish(int cache, struct cache_file *file, const char *name, bool keep);
/* Removes all but the nr youngest files whose names start with prefix, and what killed writers left. */
void cache_trim(int cache, const char *prefix, unsigned nr);

#endif
