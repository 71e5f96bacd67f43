/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_NUMBER_H
#define BASE_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

/* The whole string as an unsigned number, decimal or 0x hex. 0 or -EINVAL, -ERANGE. */
int number_parse_u64(const char *text, uint64_t *ret_value);
int number_parse_i64(const char *text, int64_t *ret_value);
int number_parse_double(const char *text, double *ret_value);
/* Bytes with an optional unit B, K, M, G (1024-based, any case): "512K". */
int number_parse_size(const char *text, uint64_t *ret_size);
/* Nanoseconds from seconds with optional unit ns, us, ms, s, m, h: "1.5s"; no unit is unit_ns. */
int number_parse_duration(const char *text, uint64_t unit_ns, uint64_t *ret_duration);
/* Nanoseconds from perf's time stamps "seconds[.fraction]", exact to the nanosecond. */
int number_parse_timestamp(const char *text, uint64_t *ret_time);

#endif
