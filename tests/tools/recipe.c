/* SPDX-License-Identifier: Apache-2.0 */
/*
 * recipe [--big|--little] [--pipe|--file|--unfinished] [--attr-size=N] RECIPE [OUTPUT]: a recording from a recipe
 * (see tests/lib/recipe.h), to standard output when no file is named.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "lib/recipe.h"

int main(int argc, char **argv)
{
	struct recipe_options options = { 0 };
	struct buf text = BUF_INIT, bytes = BUF_INIT;
	struct err err = { 0 };
	int arg = 1, fd = STDOUT_FILENO, ret;

	for (; arg < argc && !strncmp(argv[arg], "--", 2); arg++) {
		const char *name = argv[arg] + 2;

		if (!strcmp(name, "big") || !strcmp(name, "little"))
			options.order = name;
		else if (!strcmp(name, "pipe") || !strcmp(name, "file") || !strcmp(name, "unfinished"))
			options.format = name;
		else if (!strncmp(name, "attr-size=", 10))
			options.attr_size = (unsigned)strtoul(name + 10, NULL, 10);
		else
			break;
	}
	if (arg == argc || argc - arg > 2 || !strncmp(argv[arg], "--", 2)) {
		fprintf(stderr,
			"usage: recipe [--big|--little] [--pipe|--file|--unfinished] [--attr-size=N] RECIPE [OUTPUT]\n");
		return 2;
	}
	ret = file_read_path(argv[arg], &text, 64u << 20);
	if (ret < 0) {
		fprintf(stderr, "recipe: %s: %s\n", argv[arg], strerror(-ret));
		return 1;
	}
	if (recipe_compile(buf_text(&text), &options, &bytes, &err) < 0) {
		fprintf(stderr, "recipe: %s: %s\n", argv[arg], err.text);
		return 1;
	}
	if (argc - arg == 2)
		fd = open(argv[arg + 1], O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0 || file_write_all(fd, bytes.data, bytes.size) < 0) {
		perror("recipe");
		return 1;
	}
	buf_release(&text);
	buf_release(&bytes);
	return 0;
}
