/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* t_json.c - tests of the JSON writer */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format/json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static void check(struct buf *out, const char *want)
{
	assert_string_equal(out->data, want);
	buf_release(out);
}

static void writer_nests_objects_and_arrays(void **state)
{
	struct buf out = { 0 };
	struct json j = { .out = &out };

	json_object(&j, NULL);
	json_string(&j, "name", "x");
	json_array(&j, "list");
	json_int(&j, NULL, -1);
	json_uint(&j, NULL, UINT64_MAX);
	json_bool(&j, NULL, true);
	json_null(&j, NULL);
	json_array(&j, NULL);
	json_end(&j);
	json_end(&j);
	json_string(&j, "last", NULL);
	json_end(&j);
	check(&out,
	      "{\"name\":\"x\",\n\"list\":[-1,18446744073709551615,true,null,[]],\"last\":null}\n");
}

static void writer_goes_64_levels_deep(void **state)
{
	struct buf out = { 0 };
	struct json j = { .out = &out };
	size_t open = 0, close = 0;

	for (int i = 0; i < 64; i++) {
		if (i % 2)
			json_object(&j, NULL);
		else
			json_array(&j, i ? "k" : NULL);
	}
	for (int i = 0; i < 64; i++)
		json_end(&j);
	for (size_t i = 0; i < out.size; i++) {
		open += out.data[i] == '{' || out.data[i] == '[';
		close += out.data[i] == '}' || out.data[i] == ']';
	}
	assert_int_equal(open, 64);
	assert_int_equal(close, 64);
	buf_release(&out);
}

/* What every single byte must become, by the rules rather than by the code. */
static void every_byte_is_escaped_as_rfc_8259_and_surrogateescape_say(void **state)
{
	for (int c = 0; c < 256; c++) {
		struct buf out = { 0 };
		struct json j = { .out = &out };
		char byte = (char)c, want[16];
		const char *at = strchr("\"\"\\\\\bb\ff\nn\rr\tt", c);

		if (c && at)
			snprintf(want, sizeof(want), "\"\\%c\"", c == '"' || c == '\\' ? c : at[1]);
		else if (c < 0x20 || c == 0x7f)
			snprintf(want, sizeof(want), "\"\\u00%02x\"", c);
		else if (c < 0x80)
			snprintf(want, sizeof(want), "\"%c\"", c);
		else
			snprintf(want, sizeof(want), "\"\\udc%02x\"", c);
		/* letters that name an escape are themselves plain */
		if (c && strchr("bfnrt", c))
			snprintf(want, sizeof(want), "\"%c\"", c);
		json_stringn(&j, NULL, &byte, 1);
		check(&out, want);
	}
}

static void utf8_stays_and_broken_utf8_is_escaped_bytewise(void **state)
{
	static const struct {
		const char *in, *want;
	} cases[] = {
		{ "\xc3\xa4", "\"\xc3\xa4\"" },
		{ "\xf0\x9f\xa7\xac", "\"\xf0\x9f\xa7\xac\"" },
		{ "\xc2\x9b", "\"\\u009b\"" }, /* a terminal would obey it */
		{ "a\xc3", "\"a\\udcc3\"" },
		{ "\xc3(", "\"\\udcc3(\"" },
		{ "\xc0\xaf", "\"\\udcc0\\udcaf\"" },                       /* overlong */
		{ "\xed\xa0\x80", "\"\\udced\\udca0\\udc80\"" },            /* surrogate */
		{ "\xf4\x90\x80\x80", "\"\\udcf4\\udc90\\udc80\\udc80\"" }, /* above 10ffff */
		{ "\xe2\x82", "\"\\udce2\\udc82\"" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct buf out = { 0 };
		struct json j = { .out = &out };

		json_string(&j, NULL, cases[i].in);
		check(&out, cases[i].want);
	}
}

static void unknown_times_and_ids_are_null(void **state)
{
	struct buf out = { 0 };
	struct json j = { .out = &out };
	struct id zero = { 0 }, one = { .b = { 1 } };
	struct strings argv = { "a\0\0b", 5 };

	json_object(&j, NULL);
	json_time(&j, "t", 0);
	json_time(&j, "u", 1);
	json_id(&j, "i", ID_RUN, &zero);
	json_id(&j, "k", ID_RUN, &one);
	json_strings(&j, "argv", &argv);
	json_end(&j);
	check(&out, "{\"t\":null,\"u\":\"1970-01-01T00:00:00.000000001+00:00\",\"i\":null,"
		    "\"k\":\"r01000000000000000000000000000000\",\n\"argv\":[\"a\",\"\",\"b\"]}\n");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(writer_nests_objects_and_arrays),
		cmocka_unit_test(writer_goes_64_levels_deep),
		cmocka_unit_test(every_byte_is_escaped_as_rfc_8259_and_surrogateescape_say),
		cmocka_unit_test(utf8_stays_and_broken_utf8_is_escaped_bytewise),
		cmocka_unit_test(unknown_times_and_ids_are_null),
	};

	setenv("TZ", "UTC", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
