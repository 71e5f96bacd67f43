/* SPDX-License-Identifier: Apache-2.0 */
/* The tree of cgroups, so that ids in samples (PERF_SAMPLE_CGROUP) have names. */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture/cgroup.h"
#include "capture/snapshot.h"
#include "record/record.h"

#define DEPTH_MAX 32

static void put_cgroup(struct snapshot *snapshot, uint64_t id, const char *path)
{
	snapshot_record_begin(snapshot, RECORD_CGROUP, 0);
	snapshot_put_u64(snapshot, id);
	snapshot_put_string(snapshot, path);
	snapshot_record_end(snapshot);
}

/* path is the cgroup's directory; its name in the hierarchy begins behind the mount point's root_size bytes. */
static void walk(struct snapshot *snapshot, char *path, size_t size, size_t root_size, unsigned depth)
{
	size_t length = strlen(path);
	struct dirent *entry;
	struct stat st;
	DIR *dir;

	/* The number of a cgroup's directory is its id (kernfs). */
	if (depth > DEPTH_MAX || stat(path, &st))
		return;
	put_cgroup(snapshot, st.st_ino, path[root_size] ? path + root_size : "/");
	dir = opendir(path);
	while (dir && (entry = readdir(dir)) && !snapshot->error) {
		if (entry->d_type != DT_DIR || entry->d_name[0] == '.' ||
		    length + strlen(entry->d_name) + 2 > size)
			continue;
		snprintf(path + length, size - length, "/%s", entry->d_name);
		walk(snapshot, path, size, root_size, depth + 1);
		path[length] = 0;
	}
	if (dir)
		closedir(dir);
}

void snapshot_cgroups(struct snapshot *snapshot)
{
	char path[4096];
	int version;

	if (snapshot->cgroups && !cgroup_find_mount(path, sizeof(path), &version))
		walk(snapshot, path, sizeof(path), strlen(path), 0);
}
