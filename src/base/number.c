/* SPDX-License-Identifier: Apache-2.0 */
#include "base/number.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/array.h"

int number_parse_u64(const char *text, uint64_t *ret_value)
{
	char *end;
	bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');

	if (!isdigit((unsigned char)text[0]))
		return -EINVAL;
	errno = 0;
	*ret_value = strtoull(text, &end, hex ? 16 : 10);
	if (errno)
		return -errno;
	return *end || (hex && end <= text + 2) ? -EINVAL : 0;
}

int number_parse_i64(const char *text, int64_t *ret_value)
{
	uint64_t value;
	bool negative = text[0] == '-';
	int ret = number_parse_u64(text + negative, &value);

	if (ret < 0)
		return ret;
	if (value > (uint64_t)INT64_MAX + negative)
		return -ERANGE;
	*ret_value = negative ? (int64_t)(0 - value) : (int64_t)value;
	return 0;
}

int number_parse_double(const char *text, double *ret_value)
{
	char *end;

	if (!text[0] || isspace((unsigned char)text[0]))
		return -EINVAL;
	*ret_value = strtod(text, &end);
	return *end || end == text || !isfinite(*ret_value) ? -EINVAL : 0;
}

int number_parse_size(const char *text, uint64_t *ret_size)
{
	uint64_t value;
	unsigned shift = 0;
	char *end;

	if (!isdigit((unsigned char)text[0]))
		return -EINVAL;
	errno = 0;
	value = strtoull(text, &end, 10);
	if (errno)
		return -errno;
	switch (toupper((unsigned char)*end)) {
	case 'G':
		shift += 10;
		/* fallthrough */
	case 'M':
		shift += 10;
		/* fallthrough */
	case 'K':
		shift += 10;
		/* fallthrough */
	case 'B':
		end++;
		break;
	}
	if (shift && toupper((unsigned char)*end) == 'B')
		end++;
	if (*end)
		return -EINVAL;
	if (value > UINT64_MAX >> shift)
		return -ERANGE;
	*ret_size = value << shift;
	return 0;
}

int number_parse_duration(const char *text, uint64_t unit_ns, uint64_t *ret_duration)
{
	static const struct {
		const char *name;
		double ns;
	} units[] = {
		{ "ns", 1 }, { "us", 1e3 }, { "ms", 1e6 }, { "s", 1e9 }, { "m", 60e9 }, { "h", 3600e9 },
	};
	double value, ns = (double)unit_ns;
	char *end;

	if (!isdigit((unsigned char)text[0]) && text[0] != '.')
		return -EINVAL;
	value = strtod(text, &end);
	if (*end) {
		size_t i;

		for (i = 0; i < NR_ITEMS(units) && strcmp(end, units[i].name); i++)
			;
		if (i == NR_ITEMS(units))
			return -EINVAL;
		ns = units[i].ns;
	}
	if (!isfinite(value) || value * ns >= 1.8e19)
		return -ERANGE;
	*ret_duration = (uint64_t)(value * ns + 0.5);
	return 0;
}

int number_parse_timestamp(const char *text, uint64_t *ret_time)
{
	uint64_t seconds, fraction = 0, scale = 1000000000;
	char *end;

	if (!isdigit((unsigned char)text[0]))
		return -EINVAL;
	errno = 0;
	seconds = strtoull(text, &end, 10);
	if (errno || seconds > UINT64_MAX / 1000000000 - 1)
		return -ERANGE;
	if (*end == '.')
		for (end++; isdigit((unsigned char)*end); end++)
			if (scale > 1) {
				scale /= 10;
				fraction += (uint64_t)(*end - '0') * scale;
			}
	if (*end)
		return -EINVAL;
	*ret_time = seconds * 1000000000 + fraction;
	return 0;
}
