/* SPDX-License-Identifier: Apache-2.0 */
/* One line that is overwritten, written by whichever thread passes by first when its time has come. */
#include "cli/progress.h"

#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"

#define FIRST_AFTER (300 * NSEC_PER_MSEC)
#define EVERY (100 * NSEC_PER_MSEC)

void progress_start(struct progress *progress, const char *what, uint64_t total)
{
	progress->what = what;
	progress->total = total;
	progress->done = 0;
	progress->shown = false;
	progress->enabled = log_level > 0 && isatty(STDERR_FILENO);
	progress->next = progress->enabled ? clock_now(CLOCK_MONOTONIC) + FIRST_AFTER : UINT64_MAX;
}

static void draw(struct progress *progress, uint64_t done)
{
	struct winsize size = { .ws_col = 80 };
	char line[256], bar[64];
	unsigned width, filled;
	int length;

	ioctl(STDERR_FILENO, TIOCGWINSZ, &size);
	if (!progress->total) {
		length = snprintf(line, sizeof(line), "\r%s: %llu\033[K", progress->what,
				  (unsigned long long)done);
	} else {
		if (done > progress->total)
			done = progress->total;
		width = size.ws_col > 60 ? 40 : 10;
		filled = (unsigned)((double)done / (double)progress->total * width);
		memset(bar, '=', filled);
		memset(bar + filled, ' ', width - filled);
		bar[width] = '\0';
		length = snprintf(line, sizeof(line), "\r%s %3u%% [%s]\033[K", progress->what,
				  (unsigned)((double)done / (double)progress->total * 100), bar);
	}
	if (length > 0 && (size_t)length < sizeof(line) && write(STDERR_FILENO, line, (size_t)length) > 0)
		progress->shown = true;
}

static void look(struct progress *progress, uint64_t done)
{
	uint64_t next = progress->next, now;

	if (!progress->enabled)
		return;
	now = clock_now(CLOCK_MONOTONIC);
	if (now < next || !atomic_compare_exchange_strong(&progress->next, &next, now + EVERY))
		return;
	draw(progress, done);
}

void progress_add(struct progress *progress, uint64_t more)
{
	look(progress, atomic_fetch_add(&progress->done, more) + more);
}

void progress_set(struct progress *progress, uint64_t done)
{
	progress->done = done;
	look(progress, done);
}

void progress_stop(struct progress *progress)
{
	if (progress->shown && write(STDERR_FILENO, "\r\033[K", 4) < 0)
		progress->enabled = false;
	progress->shown = false;
	progress->enabled = false;
}
