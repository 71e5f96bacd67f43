/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROFILE_QUALITY_H
#define PROFILE_QUALITY_H

#include <stdbool.h>

#include "profile/profile.h"

/* Fills profile->quality from the merged tables: which stacks reach an entry point, and where the others end. */
void quality_measure(struct profile *profile);
/* Whether a stack may rightly begin in a function of this name: "_start", "clone3", "ret_from_fork" ... */
bool quality_is_entry_point(const char *name);

#endif
