/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engine/pending.h"

static int begins(struct pending *p, uint32_t pid, uint32_t parent, uint64_t time)
{
	struct kernel_image i = {
		.head = { .type = KERNEL_IMAGE, .size = sizeof(i), .pid = pid, .image = pid,
			  .start = time, .time = time },
		.parent_pid = parent,
		.how = parent ? KERNEL_FORKED : KERNEL_EXECED | KERNEL_ROOT,
	};

	return pending_route(p, &i.head);
}

static int does(struct pending *p, uint32_t pid, uint64_t time)
{
	struct kernel_tally t = { .head = { .type = KERNEL_TALLY, .size = sizeof(t), .pid = pid,
					    .image = pid, .time = time } };

	return pending_route(p, &t.head);
}

static size_t count(const struct buf *b)
{
	size_t n = 0;

	for (size_t at = 0; at < b->size; n++)
		at += (((const struct kernel_head *)(b->data + at))->size + 7u) & ~(size_t)7;
	return n;
}

static void a_session_gets_all_that_descends(void **state)
{
	struct pending p = { 0 };
	struct buf out = { 0 };

	assert_int_equal(begins(&p, 10, 0, 1), 0);
	assert_int_equal(begins(&p, 20, 0, 2), 0);
	assert_int_equal(begins(&p, 11, 10, 3), 0);
	assert_int_equal(does(&p, 11, 4), 0);
	assert_int_equal(does(&p, 20, 5), 0);
	assert_true(pending_has(&p, 11));
	pending_claim(&p, 10, 7, &out);
	assert_int_equal(count(&out), 3);
	assert_false(pending_has(&p, 11));
	assert_true(pending_has(&p, 20));
	/* what comes late, and from children made meanwhile, goes there at once */
	assert_int_equal(does(&p, 10, 6), 7);
	assert_int_equal(begins(&p, 12, 11, 7), 7);
	assert_int_equal(does(&p, 12, 8), 7);
	assert_int_equal(pending_owner(&p, 12), 7);
	assert_int_equal(pending_owner(&p, 20), 0);
	/* the number is given out again */
	assert_int_equal(begins(&p, 12, 0, 9), 0);
	assert_int_equal(does(&p, 12, 10), 0);
	pending_session_over(&p, 7);
	assert_int_equal(pending_owner(&p, 10), 0);
	buf_release(&out);
	pending_release(&p);
}

static void what_is_refused_is_gone(void **state)
{
	struct pending p = { 0 };

	(void)begins(&p, 10, 0, 1);
	(void)begins(&p, 11, 10, 2);
	(void)begins(&p, 20, 0, 3);
	pending_drop(&p, 10);
	assert_int_equal(count(&p.records), 1);
	assert_int_equal(does(&p, 11, 4), 0);
	assert_int_equal(count(&p.records), 1);
	assert_int_equal(pending_owner(&p, 11), -1);
	/* nor is anything kept of those that end */
	for (uint32_t pid = 100; pid < 5000; pid++) {
		struct kernel_exit e = { .head = { .type = KERNEL_EXIT, .size = sizeof(e),
						   .pid = pid, .image = pid } };

		(void)begins(&p, pid, 11, 5);
		(void)pending_route(&p, &e.head);
	}
	assert_int_equal(p.owners.n, 2);
	pending_release(&p);
}

static void what_nobody_asks_for_is_forgotten(void **state)
{
	struct pending p = { 0 };

	(void)begins(&p, 10, 0, 100);
	(void)does(&p, 10, 200);
	pending_forget(&p, 150);
	assert_int_equal(count(&p.records), 1);
	for (int i = 0; i < 200000 && !p.lost; i++)
		(void)does(&p, 10, 300);
	assert_true(p.lost > 0 && p.records.size <= PENDING_MOST);
	pending_release(&p);
}

static void tells_the_environment(void **state)
{
	_Alignas(8) char room[sizeof(struct kernel_piece) + 16] = { 0 };
	struct kernel_piece *r = (struct kernel_piece *)room;
	struct pending p = { 0 };
	struct buf out = { 0 };

	r->head = (struct kernel_head){ .type = KERNEL_TEXT, .size = sizeof(room), .pid = 10,
					.image = 10 };
	r->kind = KERNEL_ENVIRON;
	r->n = r->whole = 16;
	memcpy(r->text, "A=1\0SLURM_JOB=7", 16);
	(void)begins(&p, 10, 0, 1);
	(void)pending_route(&p, &r->head);
	pending_environ(&p, 10, &out);
	assert_int_equal(out.size, 16);
	assert_memory_equal(out.data, "A=1\0SLURM_JOB=7", 16);
	buf_release(&out);
	pending_release(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_session_gets_all_that_descends),
		cmocka_unit_test(what_is_refused_is_gone),
		cmocka_unit_test(what_nobody_asks_for_is_forgotten),
		cmocka_unit_test(tells_the_environment),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
