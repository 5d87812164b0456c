/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* t_decode.c - tests of the gate between shared memory and the rest */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "event/decode.h"

#include <cmocka.h>

struct fixture {
	_Alignas(64) char chunk[PROV_CHUNK_SIZE];
	size_t tail;
	struct event e;
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	f->tail = PROV_CHUNK_HEAD;
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	free(*state);
	return 0;
}

static void *put(struct fixture *f, uint16_t type, size_t size, uint32_t state)
{
	struct prov_record *r = (struct prov_record *)(f->chunk + f->tail);

	r->word = (uint32_t)size | state;
	r->type = type;
	r->time = 1000;
	f->tail += size;
	return r;
}

static struct prov_open *put_open(struct fixture *f, const char *path)
{
	size_t text = strlen(path) + 1, size = (sizeof(struct prov_open) + text + 7) & ~(size_t)7;
	struct prov_open *o = put(f, PROV_OPEN, size, PROV_RECORD_READY);

	o->path_size = (uint32_t)text;
	memcpy(o->text, path, text);
	return o;
}

static void a_whole_record_is_handed_over(void **state)
{
	struct fixture *f = *state;
	size_t at = PROV_CHUNK_HEAD;

	put_open(f, "/tmp/x");
	assert_int_equal(event_next(f->chunk, &at, &f->e), EVENT_READY);
	assert_string_equal(EVENT_AS(prov_open, &f->e)->text, "/tmp/x");
	assert_int_equal(event_next(f->chunk, &at, &f->e), EVENT_NONE);
}

static void a_record_whose_writer_died_is_stepped_over_by_its_size(void **state)
{
	struct fixture *f = *state;
	size_t at = PROV_CHUNK_HEAD;

	put(f, PROV_WAIT, 24, PROV_RECORD_BUSY);
	put_open(f, "/after");
	assert_int_equal(event_next(f->chunk, &at, &f->e), EVENT_BUSY);
	assert_int_equal(at, PROV_CHUNK_HEAD);
	assert_int_equal(f->e.size, 24);
	at += f->e.size;
	assert_int_equal(event_next(f->chunk, &at, &f->e), EVENT_READY);
	assert_string_equal(EVENT_AS(prov_open, &f->e)->text, "/after");
}

static void a_size_that_cannot_be_ends_the_chunk(void **state)
{
	static const uint32_t sizes[] = {
		0, 8, 17, PROV_RECORD_MAX + 8, PROV_CHUNK_SIZE, PROV_RECORD_SIZE
	};

	for (size_t i = 1; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct fixture *f = *state;
		size_t at = PROV_CHUNK_HEAD;

		f->tail = PROV_CHUNK_HEAD;
		put(f, PROV_WAIT, sizes[i], PROV_RECORD_READY);
		assert_int_equal(event_next(f->chunk, &at, &f->e), EVENT_BROKEN);
	}
}

static void a_record_that_would_leave_the_chunk_is_not_read(void **state)
{
	struct fixture *f = *state;
	size_t at = PROV_CHUNK_SIZE - 24;

	f->tail = at;
	put(f, PROV_WAIT, 24, PROV_RECORD_READY);
	assert_int_equal(event_next(f->chunk, &at, &f->e), EVENT_READY);
	at = PROV_CHUNK_SIZE - 16;
	*(uint32_t *)(f->chunk + at) = 24 | PROV_RECORD_READY;
	assert_int_equal(event_next(f->chunk, &at, &f->e), EVENT_BROKEN);
	at = PROV_CHUNK_SIZE - 8;
	assert_int_equal(event_next(f->chunk, &at, &f->e), EVENT_NONE);
}

static void a_text_without_its_end_is_refused(void **state)
{
	struct fixture *f = *state;
	struct prov_open *o = put_open(f, "/tmp/longer");
	size_t at = PROV_CHUNK_HEAD;

	o->text[o->path_size - 1] = 'x';
	assert_int_equal(event_next(f->chunk, &at, &f->e), EVENT_SKIPPED);
	assert_int_equal(at, f->tail);
}

static void text_sizes_that_overflow_are_refused(void **state)
{
	struct fixture *f = *state;
	struct prov_name *n = put(f, PROV_NAME, sizeof(*n) + 8, PROV_RECORD_READY);
	size_t at = PROV_CHUNK_HEAD;

	n->from_size = UINT32_MAX - 3;
	n->to_size = 8;
	assert_int_equal(event_next(f->chunk, &at, &f->e), EVENT_SKIPPED);
}

static void times_beyond_the_clock_are_refused(void **state)
{
	struct fixture *f = *state;
	struct prov_open *o = put_open(f, "/x");
	size_t at = PROV_CHUNK_HEAD;

	o->tally.last_write = (uint64_t)INT64_MAX + 1;
	assert_int_equal(event_next(f->chunk, &at, &f->e), EVENT_SKIPPED);
}

static void unknown_types_are_refused_not_guessed(void **state)
{
	struct fixture *f = *state;
	size_t at = PROV_CHUNK_HEAD;

	put(f, 99, 24, PROV_RECORD_READY);
	put_open(f, "/x");
	assert_int_equal(event_next(f->chunk, &at, &f->e), EVENT_SKIPPED);
	assert_int_equal(event_next(f->chunk, &at, &f->e), EVENT_READY);
}

static void what_changes_after_the_copy_is_not_seen(void **state)
{
	struct fixture *f = *state;
	struct prov_open *o = put_open(f, "/tmp/x");
	size_t at = PROV_CHUNK_HEAD;

	assert_int_equal(event_next(f->chunk, &at, &f->e), EVENT_READY);
	o->path_size = UINT32_MAX;
	memset(o->text, 'A', 7);
	assert_string_equal(EVENT_AS(prov_open, &f->e)->text, "/tmp/x");
	assert_int_equal(EVENT_AS(prov_open, &f->e)->path_size, 7);
}

static struct prov_transfer *put_transfer(struct fixture *f)
{
	struct prov_transfer *t = put(f, PROV_TRANSFER, sizeof(*t), PROV_RECORD_READY);

	t->start = 900;
	return t;
}

static void a_transfer_ends_no_earlier_than_it_began_and_fits_a_file(void **state)
{
	struct fixture *f = *state;
	size_t at = PROV_CHUNK_HEAD;

	put_transfer(f)->offset = PROV_NO_OFFSET;
	put_transfer(f)->start = 1001;
	put_transfer(f)->offset = UINT64_C(1) << 63;
	put_transfer(f)->bytes = UINT64_MAX;
	put_transfer(f)->written = 2;
	put_transfer(f);
	assert_int_equal(event_next(f->chunk, &at, &f->e), EVENT_READY);
	for (int i = 0; i < 4; i++)
		assert_int_equal(event_next(f->chunk, &at, &f->e), EVENT_SKIPPED);
	assert_int_equal(event_next(f->chunk, &at, &f->e), EVENT_READY);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(a_whole_record_is_handed_over),
		T(a_transfer_ends_no_earlier_than_it_began_and_fits_a_file),
		T(a_record_whose_writer_died_is_stepped_over_by_its_size),
		T(a_size_that_cannot_be_ends_the_chunk),
		T(a_record_that_would_leave_the_chunk_is_not_read),
		T(a_text_without_its_end_is_refused),
		T(text_sizes_that_overflow_are_refused),
		T(times_beyond_the_clock_are_refused),
		T(unknown_types_are_refused_not_guessed),
		T(what_changes_after_the_copy_is_not_seen),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
