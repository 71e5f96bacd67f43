/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CMD_REPORT_JSON_H
#define CMD_REPORT_JSON_H

#include "base/json.h"
#include "cmd/recording.h"

/* The member "header": what the recording says of itself and its machine. */
void report_json_header(struct recording *recording, struct json *json);
/* The member "stacks": how complete they are. */
void report_json_stacks(const struct recording *recording, struct json *json);

#endif
