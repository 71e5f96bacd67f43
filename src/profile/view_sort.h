/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROFILE_VIEW_SORT_H
#define PROFILE_VIEW_SORT_H

#include "profile/view.h"

/* Fills view->order: entries as the plan's sort fields say. */
void view_sort(struct view *view);

#endif
