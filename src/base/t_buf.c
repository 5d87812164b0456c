/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* t_buf.c - bytes that grow, and numbers packed into them */
#include "base/buf.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static void text_is_followed_by_a_nul_that_does_not_count(void **state)
{
	struct buf b = { 0 };

	(void)state;
	buf_str(&b, "ab");
	buf_char(&b, 'c');
	buf_printf(&b, "%d", 42);
	assert_int_equal(b.size, 5);
	assert_string_equal(b.data, "abc42");
	buf_clear(&b);
	assert_int_equal(b.size, 0);
	assert_string_equal(b.data, "");
	buf_append(&b, "a\0b", 3);
	assert_memory_equal(b.data, "a\0b", 4);
	buf_release(&b);
	assert_null(b.data);
}

static void it_grows_as_far_as_needed(void **state)
{
	struct buf b = { 0 };

	(void)state;
	for (unsigned i = 0; i < 100000; i++)
		buf_char(&b, (char)i);
	assert_int_equal(b.size, 100000);
	for (unsigned i = 0; i < 100000; i++)
		assert_int_equal(b.data[i], (char)i);
	buf_release(&b);
}

static void numbers_and_blobs_come_back(void **state)
{
	static const int64_t numbers[] = { 0,   1,   -1,  63,        64,        -64,
					   -65, 127, 128, INT32_MAX, INT64_MAX, INT64_MIN };
	const size_t n = sizeof(numbers) / sizeof(numbers[0]);
	struct buf b = { 0 };
	struct span s;
	size_t size;

	(void)state;
	for (size_t i = 0; i < n; i++) {
		buf_int(&b, numbers[i]);
		buf_uint(&b, (uint64_t)numbers[i]);
	}
	buf_blob(&b, "a\0b", 3);
	buf_blob(&b, NULL, 0);
	s = (struct span){ b.data, b.data + b.size, 0 };
	for (size_t i = 0; i < n; i++) {
		assert_true(span_int(&s) == numbers[i]);
		assert_true(span_uint(&s) == (uint64_t)numbers[i]);
	}
	assert_memory_equal(span_blob(&s, &size), "a\0b", 3);
	assert_int_equal(size, 3);
	(void)span_blob(&s, &size);
	assert_int_equal(size, 0);
	assert_int_equal(s.bad, 0);
	assert_ptr_equal(s.at, s.end);
	buf_release(&b);
}

static void every_cut_of_a_record_is_bad_and_none_is_overrun(void **state)
{
	struct buf b = { 0 };

	(void)state;
	buf_uint(&b, UINT64_MAX);
	buf_blob(&b, "hello", 5);
	for (size_t cut = 0; cut < b.size; cut++) {
		/* a copy of its own, so that sanitizers see one byte too many */
		char *copy = malloc(cut + 1);
		struct span s = { copy, copy + cut, 0 };
		size_t size;

		assert_non_null(copy);
		memcpy(copy, b.data, cut);
		(void)span_uint(&s);
		(void)span_blob(&s, &size);
		assert_int_equal(s.bad, 1);
		assert_int_equal(span_uint(&s), 0);
		free(copy);
	}
	buf_release(&b);
}

static void an_endless_number_is_bad(void **state)
{
	static const char endless[] = "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01";
	struct span s = { endless, endless + sizeof(endless) - 1, 0 };

	(void)state;
	assert_int_equal(span_uint(&s), 0);
	assert_int_equal(s.bad, 1);
}

static void a_blob_longer_than_what_is_left_is_bad(void **state)
{
	struct buf b = { 0 };
	struct span s;
	size_t size = 1;

	(void)state;
	buf_uint(&b, UINT64_MAX);
	buf_str(&b, "short");
	s = (struct span){ b.data, b.data + b.size, 0 };
	assert_string_equal(span_blob(&s, &size), "");
	assert_int_equal(size, 0);
	assert_int_equal(s.bad, 1);
	buf_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_is_followed_by_a_nul_that_does_not_count),
		cmocka_unit_test(it_grows_as_far_as_needed),
		cmocka_unit_test(numbers_and_blobs_come_back),
		cmocka_unit_test(every_cut_of_a_record_is_bad_and_none_is_overrun),
		cmocka_unit_test(an_endless_number_is_bad),
		cmocka_unit_test(a_blob_longer_than_what_is_left_is_bad),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
