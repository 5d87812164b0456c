/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* t_node.c - a store that somebody else has open, and what can go wrong with it */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/frame.h"
#include "base/service.h"
#include "store/merge.h"
#include "store/node.h"
#include "store/node_wire.h"
#include "store/t_facts.h"
#include "store/t_kinds.h"
#include "store/t_place.h"

#include <cmocka.h>

static void every_kind_is_tested(void **state)
{
	for (size_t i = 0; store_kind(i); i++) {
		const char *scheme = store_kind(i)->scheme;
		bool met = false;

		for (size_t k = 0; kind_at(k); k++)
			met |= !strncmp(kind_at(k)->name, scheme, strlen(scheme));
		if (!met)
			fail_msg("no store of t_kinds.c is %s", scheme);
	}
}

/* Many parts one way, many questions the other. */
static void any_number_of_facts_comes_through(void **state)
{
	enum { MANY = 2 * NODE_ASK_MOST + 100 };

	for (size_t k = 0; kind_at(k); k++) {
		struct store *s = kind_fresh(kind_at(k));
		struct arena a = { 0 };
		struct id *ids = arena_alloc(&a, MANY * sizeof(*ids)), exec = id_of("x", 1);
		struct access *v;
		size_t n;

		assert_int_equal(put_accesses(s, 0, MANY), 0);
		for (size_t i = 0; i < MANY; i++)
			ids[i] = id_of(&i, sizeof(i));
		assert_int_equal(store_accesses_by_object(s, ids, MANY, &a, &v, &n), 0);
		assert_int_equal(n, MANY);
		assert_int_equal(store_accesses_by_execution(s, &exec, 1, &a, &v, &n), 0);
		assert_int_equal(n, MANY);
		for (size_t i = 1; i < n; i++)
			assert_true(id_compare(&v[i - 1].object, &v[i].object) < 0);
		arena_release(&a);
		store_close(s);
	}
}

/* A service that says what a test wants it to, and what it was told then. */
struct script {
	int fd;
	uint32_t kind; /* of the greeting, 0: silence */
	struct buf greeting;
	uint32_t then; /* of the answer to the first question, 0: go */
	struct buf answer;
};

static void *play(void *arg)
{
	struct script *p = arg;
	struct buf b = { 0 };
	uint32_t kind;

	(void)frame_receive(p->fd, &kind, &b);
	if (p->kind && frame_send(p->fd, p->kind, p->greeting.data, p->greeting.size) == 0 &&
	    frame_receive(p->fd, &kind, &b) == 0 && p->then)
		(void)frame_send(p->fd, p->then, p->answer.data, p->answer.size);
	if (!p->kind) /* until the client has enough */
		(void)frame_receive(p->fd, &kind, &b);
	close(p->fd);
	buf_release(&b);
	return NULL;
}

/* Plays, asks for the runs twice; what came of each. */
static void with_script(struct script *p, int attach, int first, int second, const char *says)
{
	struct arena a = { 0 };
	struct store *s = NULL;
	struct run *v;
	pthread_t t;
	size_t n;
	int fd[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fd), 0);
	p->fd = fd[1];
	assert_int_equal(pthread_create(&t, NULL, play, p), 0);
	assert_int_equal(node_attach(fd[0], "a script", &s), attach);
	if (attach == 0) {
		assert_int_equal(store_runs(s, NULL, &a, &v, &n), first);
		if (first < 0)
			assert_non_null(strstr(fail_text(), says));
		assert_int_equal(store_runs(s, NULL, &a, &v, &n), second);
	}
	assert_non_null(strstr(fail_text(), says));
	store_close(s);
	pthread_join(t, NULL);
	buf_release(&p->greeting);
	buf_release(&p->answer);
	arena_release(&a);
}

static struct script greeting(uint32_t kind)
{
	struct script p = { .kind = kind };

	if (kind == SERVICE_OK)
		buf_uint(&p.greeting, NODE_VERSION);
	return p;
}

static void a_refusal_says_why(void **state)
{
	struct script p = greeting(SERVICE_REFUSED);

	buf_str(&p.greeting, "uid 7 may not ask");
	with_script(&p, -EACCES, 0, 0, "uid 7 may not ask");
}

static void a_service_of_another_version_is_not_asked(void **state)
{
	struct script p = { .kind = SERVICE_OK };

	buf_uint(&p.greeting, NODE_VERSION + 1);
	with_script(&p, -EPROTO, 0, 0, "version");
	p = (struct script){ .kind = NODE_END };
	with_script(&p, -EBADMSG, 0, 0, "no node service");
}

static void a_silent_service_costs_about_a_second(void **state)
{
	struct script p = { .kind = 0 };
	int64_t began = clock_mono();

	with_script(&p, -ETIMEDOUT, 0, 0, "does not answer");
	assert_true(clock_mono() - began >= NODE_GREETING_MS * 900000ll);
	assert_true(clock_mono() - began < NODE_GREETING_MS * 3000000ll);
}

static void a_service_that_goes_is_not_asked_again(void **state)
{
	struct script p = greeting(SERVICE_OK);

	with_script(&p, 0, -EPIPE, -EPIPE, "ended the connection");
}

static void what_fails_there_is_told_here(void **state)
{
	struct script p = greeting(SERVICE_OK);

	p.then = NODE_FAILED;
	buf_uint(&p.answer, EIO);
	buf_blob(&p.answer, "the disk is gone", 16);
	with_script(&p, 0, -EIO, -EPIPE, "");
}

static void an_answer_that_is_none_ends_it(void **state)
{
	const struct execution x = execution_unknown(&(struct id){ { 1 } });
	struct script p = greeting(SERVICE_OK);

	p.then = NODE_END;
	buf_str(&p.answer, "\001\177 not so many bytes");
	with_script(&p, 0, -EBADMSG, -EBADMSG, "garbled");
	p = greeting(SERVICE_OK);
	p.then = 12345;
	with_script(&p, 0, -EBADMSG, -EBADMSG, "no answers");
	p = greeting(SERVICE_OK);
	p.then = NODE_PART; /* of little, which could go on for ever */
	buf_char(&p.answer, 0);
	with_script(&p, 0, -EBADMSG, -EBADMSG, "no answers");
	p = greeting(SERVICE_OK);
	p.then = NODE_FAILED; /* with no reason */
	with_script(&p, 0, -EBADMSG, -EBADMSG, "no answers");
	p = greeting(SERVICE_OK);
	p.then = NODE_END; /* an execution where runs were asked for */
	journal_encode(&(struct facts){ .executions = (struct execution *)(uintptr_t)&x,
					.n_executions = 1 },
		       &p.answer);
	with_script(&p, 0, -EBADMSG, -EBADMSG, "garbled");
}

static void rows_that_were_not_asked_for_are_found(void **state)
{
	struct id ids[] = { { { 1 } }, { { 3 } } };
	struct access x = { .exec = { { 3 } }, .object = { { 2 } } };
	struct answer w = { .facts = { .accesses = &x, .n_accesses = 1 } };
	struct question q = { .kind = NODE_ACCESSES, .by = BY_EXECUTION, .ids = ids, .n_ids = 2 };

	assert_true(answer_fits(&q, &w));
	q.by = BY_OBJECT;
	assert_false(answer_fits(&q, &w));
}

struct client {
	int fd;
	struct store *store;
	int ended;
	char why[256];
};

static void *serve(void *arg)
{
	struct client *c = arg;

	c->ended = node_serve(c->fd, c->store);
	(void)strncpy(c->why, c->ended ? fail_text() : "", sizeof(c->why) - 1);
	return NULL;
}

/* Sends one message to a server, expects a failure, and returns how it ended. */
static int ended_by(uint32_t kind, const void *p, size_t n, struct buf *answer)
{
	struct client c = { .store = kind_fresh(kind_at(1)) };
	uint32_t got;
	pthread_t t;
	int fd[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fd), 0);
	c.fd = fd[1];
	assert_int_equal(pthread_create(&t, NULL, serve, &c), 0);
	assert_int_equal(frame_receive(fd[0], &got, answer), 0);
	assert_int_equal(got, SERVICE_OK);
	assert_int_equal(frame_send(fd[0], kind, p, n), 0);
	assert_int_equal(frame_receive(fd[0], &got, answer), 0);
	assert_int_equal(got, NODE_FAILED);
	pthread_join(t, NULL);
	close(fd[0]);
	close(fd[1]);
	store_close(c.store);
	return c.ended;
}

static void questions_that_are_none_are_refused(void **state)
{
	const struct id id = { { 1 } };
	const struct question wrong[] = {
		{ .kind = NODE_RUN },                         /* of which? */
		{ .kind = NODE_EXECUTIONS, .by = BY_OBJECT }, /* not by that */
		{ .kind = NODE_HOLES, .ids = &id, .n_ids = 1, .by = 1 },
		{ .kind = NODE_BY_PATH },
		{ .kind = NODE_RUNS, .path = "/a" },
		{ .kind = NODE_OFFSETS + 1 },
		{ .kind = 0 },
	};
	struct buf b = { 0 }, answer = { 0 };

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		buf_clear(&b);
		question_encode(&wrong[i], &b);
		assert_int_equal(ended_by(wrong[i].kind, b.data, b.size, &answer), -EBADMSG);
	}
	assert_int_equal(ended_by(NODE_INFO, "", 0, &answer), -EBADMSG);
	buf_char(&b, 'x'); /* something behind the end */
	assert_int_equal(ended_by(NODE_INFO, b.data, b.size, &answer), -EBADMSG);
	buf_clear(&b);
	buf_uint(&b, BY_ID);
	buf_uint(&b, UINT64_MAX / 8); /* more ids than there are bytes */
	assert_int_equal(ended_by(NODE_OBJECTS, b.data, b.size, &answer), -EBADMSG);
	buf_release(&b);
	buf_release(&answer);
}

static void what_is_no_service_is_said(void **state)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	struct buf uri = { 0 };
	struct store *s;
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	buf_printf(&uri, "node:%s/socket", place);
	assert_int_equal(store_open(uri.data, STORE_READ, &s), -ENOENT);
	assert_int_equal(store_open(uri.data, STORE_WRITE, &s), -EROFS);
	(void)snprintf(at.sun_path, sizeof(at.sun_path), "%s", uri.data + 5);
	assert_int_equal(bind(fd, (struct sockaddr *)&at, sizeof(at)), 0);
	assert_int_equal(store_open(uri.data, STORE_READ, &s), -ECONNREFUSED);
	close(fd);
	for (int i = 0; i < 200; i++)
		buf_char(&uri, 'x');
	assert_int_equal(store_open(uri.data, STORE_READ, &s), -ENAMETOOLONG);
	buf_release(&uri);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_kind_is_tested),
		cmocka_unit_test(any_number_of_facts_comes_through),
		cmocka_unit_test(a_refusal_says_why),
		cmocka_unit_test(a_service_of_another_version_is_not_asked),
		cmocka_unit_test(a_silent_service_costs_about_a_second),
		cmocka_unit_test(a_service_that_goes_is_not_asked_again),
		cmocka_unit_test(what_fails_there_is_told_here),
		cmocka_unit_test(an_answer_that_is_none_ends_it),
		cmocka_unit_test(rows_that_were_not_asked_for_are_found),
		cmocka_unit_test(questions_that_are_none_are_refused),
		cmocka_unit_test(what_is_no_service_is_said),
	};

	return cmocka_run_group_tests(tests, place_make, place_remove);
}
