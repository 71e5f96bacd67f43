/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/snapshot_files.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/hash.h"
#include "capture/snapshot.h"

struct file {
	uint64_t device, inode;
	uint8_t size;
	uint8_t build_id[SNAPSHOT_BUILD_ID_MAX];
};

struct snapshot_files {
	struct hash_index index;
	ARRAY(struct file) files;
};

struct snapshot_files *snapshot_files_new(void)
{
	struct snapshot_files *files = xcalloc(1, sizeof(*files));

	hash_index_init(&files->index, 256);
	return files;
}

void snapshot_files_free(struct snapshot_files *files)
{
	if (!files)
		return;
	hash_index_release(&files->index);
	array_release(&files->files);
	free(files);
}

uint8_t snapshot_files_build_id(struct snapshot_files *files, uint32_t major, uint32_t minor, uint64_t inode,
				const char *path, int (*read)(const char *path, uint8_t *ret_build_id),
				const uint8_t **ret_build_id)
{
	uint64_t device = (uint64_t)major << 32 | minor, hash = hash_pair(device, inode);
	uint32_t pos = hash_index_start(&files->index, hash), id;
	struct file *file;
	int size;

	while ((id = hash_index_next(&files->index, hash, &pos)) != HASH_NONE) {
		file = &files->files.items[id];
		if (file->device == device && file->inode == inode) {
			*ret_build_id = file->build_id;
			return file->size;
		}
	}
	id = (uint32_t)files->files.nr;
	file = array_add(&files->files);
	file->device = device;
	file->inode = inode;
	size = read ? read(path, file->build_id) : 0;
	file->size = (uint8_t)(size > 0 && size <= SNAPSHOT_BUILD_ID_MAX ? size : 0);
	hash_index_insert(&files->index, hash, id);
	*ret_build_id = file->build_id;
	return file->size;
}
