/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* t_clock.c - time as text, both ways */
#include "base/clock.h"
#include "base/err.h"

#include <errno.h>
#include <time.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define S INT64_C(1000000000)

static void zone(const char *name)
{
	setenv("TZ", name, 1);
	tzset();
}

static int64_t parsed(const char *text)
{
	int64_t t = -1;

	if (clock_parse(text, &t) < 0)
		fail_msg("%s", fail_text());
	return t;
}

static void rfc3339_has_nanoseconds_and_offset(void **state)
{
	char out[CLOCK_TEXT_SIZE];

	(void)state;
	zone("UTC0");
	assert_string_equal(clock_rfc3339(1 * S + 2, out), "1970-01-01T00:00:01.000000002+00:00");
	zone("CET-1");
	assert_string_equal(clock_rfc3339(1 * S + 999999999, out),
			    "1970-01-01T01:00:01.999999999+01:00");
	zone("NST3:30");
	assert_string_equal(clock_rfc3339(0, out), "1969-12-31T20:30:00.000000000-03:30");
	zone("UTC0");
}

static void what_is_written_is_read_back(void **state)
{
	static const char *const zones[] = { "UTC0", "CET-1CEST,M3.5.0,M10.5.0/3", "NST3:30",
					     "PKT-5" };
	static const int64_t times[] = { 1, S, 1700000000 * S + 123456789, 4102444800 * S + 1 };
	char out[CLOCK_TEXT_SIZE];

	(void)state;
	for (size_t z = 0; z < 4; z++) {
		zone(zones[z]);
		for (size_t i = 0; i < 4; i++)
			assert_true(parsed(clock_rfc3339(times[i], out)) == times[i]);
	}
	zone("UTC0");
}

static void parts_may_be_missing_from_the_right(void **state)
{
	(void)state;
	zone("UTC0");
	assert_true(parsed("1970-01-02") == 86400 * S);
	assert_true(parsed("1970-02") == 31 * 86400 * S);
	assert_true(parsed("1970-01-01T01:00") == 3600 * S);
	assert_true(parsed("1970-01-01 01:00:07") == 3607 * S);
	assert_true(parsed("1970-01-01T00:00:00.25Z") == S / 4);
	assert_true(parsed("1970-01-01T01:00:00+01:00") == 0);
}

static void no_offset_means_local_time(void **state)
{
	(void)state;
	zone("CET-1");
	assert_true(parsed("1970-01-01T01:00") == 0);
	zone("UTC0");
}

static void ago_counts_back_from_now(void **state)
{
	static const struct {
		const char *text;
		int64_t seconds;
	} cases[] = {
		{ "2 hours ago", 7200 },
		{ "1 minute ago", 60 },
		{ "7d", 7 * 86400 },
		{ "30m", 1800 },
		{ "1 week ago", 604800 },
		{ "5 s", 5 },
		{ "now", 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		int64_t before = clock_real(), t = parsed(cases[i].text), after = clock_real();

		assert_in_range(t + cases[i].seconds * S, before, after);
	}
}

static void today_begins_at_local_midnight(void **state)
{
	(void)state;
	zone("UTC0");
	assert_true(parsed("today") % (86400 * S) == 0);
	assert_true(parsed("today") - parsed("yesterday") == 86400 * S);
	assert_true(parsed("@1.5") == 3 * S / 2);
}

static void nonsense_is_refused_with_examples(void **state)
{
	static const char *const bad[] = { "",
					   "soon",
					   "2026-13-01",
					   "2026-01-32",
					   "2026-01-01T25:00",
					   "2026-01-01x",
					   "3 fortnights ago",
					   "-1",
					   "@-1",
					   "@",
					   "12",
					   "2026-01-01T10:00:00+1",
					   "99999999999999999999d",
					   "2 hours hence" };
	int64_t t;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		if (clock_parse(bad[i], &t) != -EINVAL)
			fail_msg("'%s' was taken for a time", bad[i]);
		assert_non_null(strstr(fail_text(), "2 hours ago"));
	}
}

static void spans_read_as_a_person_says_them(void **state)
{
	char out[CLOCK_TEXT_SIZE];

	(void)state;
	assert_string_equal(clock_span(1500000, out), "1.5 ms");
	assert_string_equal(clock_span(S / 4, out), "0.25 s");
	assert_string_equal(clock_span(12 * S + S / 2, out), "12.5 s");
	assert_string_equal(clock_span(200 * S, out), "3 min 20 s");
	assert_string_equal(clock_span(7500 * S, out), "2 h 05 min");
}

static void the_two_clocks_agree_on_their_offset(void **state)
{
	int64_t real = clock_mono() + clock_offset();

	(void)state;
	assert_in_range(real, clock_real() - S, clock_real() + S);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rfc3339_has_nanoseconds_and_offset),
		cmocka_unit_test(what_is_written_is_read_back),
		cmocka_unit_test(parts_may_be_missing_from_the_right),
		cmocka_unit_test(no_offset_means_local_time),
		cmocka_unit_test(ago_counts_back_from_now),
		cmocka_unit_test(today_begins_at_local_midnight),
		cmocka_unit_test(nonsense_is_refused_with_examples),
		cmocka_unit_test(spans_read_as_a_person_says_them),
		cmocka_unit_test(the_two_clocks_agree_on_their_offset),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
