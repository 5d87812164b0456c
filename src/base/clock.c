/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* clock.c - time as numbers and as text */
#include "base/clock.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "base/err.h"

#define SECOND INT64_C(1000000000)

static int64_t clock_now(clockid_t id)
{
	struct timespec t;

	if (clock_gettime(id, &t) < 0)
		return 0;
	return t.tv_sec * SECOND + t.tv_nsec;
}

int64_t clock_real(void)
{
	return clock_now(CLOCK_REALTIME);
}

int64_t clock_mono(void)
{
	return clock_now(CLOCK_MONOTONIC);
}

int64_t clock_offset(void)
{
	int64_t best = 0, width = INT64_MAX;

	/* the pair with the least time between its readings was not interrupted */
	for (int i = 0; i < 8; i++) {
		int64_t a = clock_mono(), r = clock_real(), b = clock_mono();

		if (b - a < width) {
			width = b - a;
			best = r - (a + (b - a) / 2);
		}
	}
	return best;
}

char *clock_rfc3339(int64_t real, char out[CLOCK_TEXT_SIZE])
{
	time_t s = (time_t)(real / SECOND);
	struct tm tm;
	char day[24], zone[8];

	localtime_r(&s, &tm);
	strftime(day, sizeof(day), "%Y-%m-%dT%H:%M:%S", &tm);
	strftime(zone, sizeof(zone), "%z", &tm);
	snprintf(out, CLOCK_TEXT_SIZE, "%s.%09d%.3s:%.2s", day, (int)(real % SECOND), zone,
		 zone + 3);
	return out;
}

char *clock_short(int64_t real, char out[CLOCK_TEXT_SIZE])
{
	time_t s = (time_t)(real / SECOND);
	struct tm tm;

	localtime_r(&s, &tm);
	strftime(out, CLOCK_TEXT_SIZE, "%Y-%m-%d %H:%M:%S", &tm);
	return out;
}

char *clock_span(int64_t ns, char out[CLOCK_TEXT_SIZE])
{
	int64_t s = ns / SECOND;

	if (ns < SECOND / 100)
		snprintf(out, CLOCK_TEXT_SIZE, "%.1f ms", (double)ns / 1e6);
	else if (s < 10)
		snprintf(out, CLOCK_TEXT_SIZE, "%.2f s", (double)ns / 1e9);
	else if (s < 60)
		snprintf(out, CLOCK_TEXT_SIZE, "%.1f s", (double)ns / 1e9);
	else if (s < 3600)
		snprintf(out, CLOCK_TEXT_SIZE, "%" PRId64 " min %02" PRId64 " s", s / 60, s % 60);
	else
		snprintf(out, CLOCK_TEXT_SIZE, "%" PRId64 " h %02" PRId64 " min", s / 3600,
			 s / 60 % 60);
	return out;
}

static int parse_ago(const char *text, int64_t *real)
{
	static const struct {
		const char *name;
		int64_t seconds;
	} units[] = {
		{ "s", 1 }, { "sec", 1 }, { "second", 1 },
		{ "m", 60 }, { "min", 60 }, { "minute", 60 },
		{ "h", 3600 }, { "hour", 3600 },
		{ "d", 86400 }, { "day", 86400 },
		{ "w", 604800 }, { "week", 604800 },
	};
	char *end;
	long long n;
	size_t len;

	if (!isdigit((unsigned char)text[0]))
		return -EINVAL;
	errno = 0;
	n = strtoll(text, &end, 10);
	if (errno || n > 100000)
		return -EINVAL;
	while (*end == ' ')
		end++;
	len = strcspn(end, " ");
	if (end[len] && strcmp(end + len, " ago"))
		return -EINVAL;
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		size_t u = strlen(units[i].name);

		if (strncasecmp(end, units[i].name, u))
			continue;
		if (len == u || (len == u + 1 && end[u] == 's' && u > 1)) {
			*real = clock_real() - n * units[i].seconds * SECOND;
			return 0;
		}
	}
	return -EINVAL;
}

static int64_t midnight(int days_back)
{
	time_t s = time(NULL);
	struct tm tm;

	localtime_r(&s, &tm);
	tm.tm_hour = tm.tm_min = tm.tm_sec = 0;
	tm.tm_mday -= days_back;
	tm.tm_isdst = -1;
	return mktime(&tm) * SECOND;
}

/* Reads ":30:15.25+02:00" and the like after a date. */
static int parse_rfc3339(const char *text, int64_t *real)
{
	struct tm tm = { .tm_isdst = -1, .tm_mday = 1 };
	const char *p = text;
	int64_t frac = 0;
	bool utc = false;
	long zone = 0;
	int n = 0;

	if (sscanf(p, "%4d-%2d-%2d%n", &tm.tm_year, &tm.tm_mon, &tm.tm_mday, &n) == 3 && n) {
		p += n;
	} else {
		tm.tm_mday = 1;
		n = 0;
		if (sscanf(p, "%4d-%2d%n", &tm.tm_year, &tm.tm_mon, &n) != 2 || !n)
			return -EINVAL;
		p += n;
	}
	tm.tm_year -= 1900;
	tm.tm_mon -= 1;
	if (*p == 'T' || *p == 't' || *p == ' ') {
		n = 0;
		p++;
		if (sscanf(p, "%2d:%2d%n", &tm.tm_hour, &tm.tm_min, &n) != 2 || !n)
			return -EINVAL;
		p += n;
		n = 0;
		if (*p == ':' && sscanf(p, ":%2d%n", &tm.tm_sec, &n) == 1 && n)
			p += n;
		if (*p == '.') {
			int64_t unit = SECOND / 10;

			for (p++; isdigit((unsigned char)*p); p++, unit /= 10)
				frac += (*p - '0') * unit;
		}
	}
	if (*p == 'Z' || *p == 'z') {
		utc = true;
		p++;
	} else if (*p == '+' || *p == '-') {
		int h, m;

		n = 0;
		if (sscanf(p + 1, "%2d:%2d%n", &h, &m, &n) != 2 || !n)
			return -EINVAL;
		zone = (h * 3600L + m * 60L) * (*p == '-' ? -1 : 1);
		utc = true;
		p += 1 + n;
	}
	if (*p || tm.tm_mon < 0 || tm.tm_mon > 11 || tm.tm_mday < 1 || tm.tm_mday > 31 ||
	    tm.tm_hour > 24 || tm.tm_min > 59 || tm.tm_sec > 60)
		return -EINVAL;
	*real = (utc ? (int64_t)timegm(&tm) - zone : (int64_t)mktime(&tm)) * SECOND + frac;
	return 0;
}

int clock_parse(const char *text, int64_t *real)
{
	char *end;

	if (!strcmp(text, "now")) {
		*real = clock_real();
		return 0;
	}
	if (!strcmp(text, "today") || !strcmp(text, "yesterday")) {
		*real = midnight(text[0] == 'y');
		return 0;
	}
	if (text[0] == '@') {
		double s = strtod(text + 1, &end);

		if (end != text + 1 && !*end && s >= 0 && s < 9e9) {
			*real = (int64_t)(s * 1e9);
			return 0;
		}
	}
	if (parse_ago(text, real) == 0 || parse_rfc3339(text, real) == 0)
		return 0;
	return fail(EINVAL,
		    "'%s' is not a time: use 2026-11-20, 2026-11-20T14:03, \"2 hours ago\" or "
		    "@SECONDS", text);
}
