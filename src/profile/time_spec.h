/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parts of a recording by time, as --time says them:
 *
 *	START,STOP          seconds with a fraction, either may be left out; several, separated by blanks
 *	10%/2               the second tenth; several, separated by commas
 *	0%-10%,30%-40%      from and to; several, separated by commas
 */
#ifndef PROFILE_TIME_SPEC_H
#define PROFILE_TIME_SPEC_H

#include <stdbool.h>
#include <stdint.h>

#include "base/array.h"
#include "base/err.h"
#include "profile/profile.h"

struct time_spec {
	ARRAY(struct time_range) ranges;
};

/* Whether the text needs the recording's first and last time to be understood. */
bool time_spec_is_share(const char *text);
/* first, last: of the recording's samples. 0 or -EINVAL with words. */
int time_spec_parse(const char *text, uint64_t first, uint64_t last, struct time_spec *ret_spec,
		    struct err *err);
void time_spec_release(struct time_spec *spec);

#endif
