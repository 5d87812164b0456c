/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* t_wire.c - what an engine calls on one side of a socket is called on the other */
#include "engine/wire.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/conf.h"
#include "base/frame.h"
#include "base/service.h"

/* A sink that writes down what it is told. */
static void log_event(void *ctx, uint32_t pid, int64_t start, const struct event *e)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < e->size; i++)
		sum = sum * 31 + (unsigned char)e->room[i];
	buf_printf(ctx, "event %u %" PRId64 " %zu %" PRIx64 "\n", pid, start, e->size, sum);
}

static void log_ended(void *ctx, uint32_t pid, int64_t start, int64_t when, bool replaced)
{
	buf_printf(ctx, "ended %u %" PRId64 " %" PRId64 " %d\n", pid, start, when, replaced);
}

static void log_settled(void *ctx, uint32_t pid, int64_t start)
{
	buf_printf(ctx, "settled %u %" PRId64 "\n", pid, start);
}

static void log_handed(void *ctx, uint32_t pid, int64_t start, uint32_t seq)
{
	buf_printf(ctx, "handed %u %" PRId64 " %u\n", pid, start, seq);
}

static void log_commit(void *ctx)
{
	buf_str(ctx, "commit\n");
}

static void log_switched(void *ctx, int64_t since, int32_t granularity)
{
	buf_printf(ctx, "switched %" PRId64 " %d\n", since, granularity);
}

static void log_running(void *ctx, uint32_t pid, int64_t start)
{
	buf_printf(ctx, "running %u %" PRId64 "\n", pid, start);
}

static void log_hole(void *ctx, uint32_t pid, int64_t start, const char *kind, const char *why,
		     uint64_t count)
{
	buf_printf(ctx, "hole %u %" PRId64 " %s %s %" PRIu64 "\n", pid, start, kind, why, count);
}

static struct engine_sink log_sink(struct buf *log)
{
	return (struct engine_sink){
		.ctx = log, .event = log_event, .ended = log_ended, .settled = log_settled,
		.handed = log_handed, .commit = log_commit, .switched = log_switched,
		.running = log_running, .hole = log_hole,
	};
}

static void make_open(struct event *e, const char *path)
{
	size_t text = strlen(path) + 1;
	struct prov_open *o = (struct prov_open *)e->room;

	memset(e, 0, sizeof(*e));
	e->size = (sizeof(*o) + text + 7) & ~(size_t)7;
	o->head.word = (uint32_t)e->size | PROV_RECORD_READY;
	o->head.type = PROV_OPEN;
	o->head.time = 12345;
	o->tally.reads = UINT64_MAX;
	o->path_size = (uint32_t)text;
	memcpy(o->text, path, text);
}

/* Every call there is, with numbers at both ends of their ranges. */
static void call_all(const struct engine_sink *s)
{
	static struct event e;

	s->switched(s->ctx, INT64_MAX, -1);
	make_open(&e, "/data/a b\n\xff");
	for (uint32_t i = 0; i < 2000; i++)
		s->event(s->ctx, 1 + i, (int64_t)i * 1000000007, &e);
	s->hole(s->ctx, 0, 0, "lost", "", UINT64_MAX);
	s->hole(s->ctx, 7, 9, "blind", "a sentence, with a comma", 1);
	s->settled(s->ctx, UINT32_MAX, INT64_MAX);
	s->handed(s->ctx, 7, 9, UINT32_MAX);
	s->commit(s->ctx);
	s->ended(s->ctx, 7, 9, 11, true);
	s->ended(s->ctx, 8, 9, 11, false);
	s->running(s->ctx, 9, 10);
}

static void every_call_arrives_as_it_was_made(void **state)
{
	struct buf direct = { 0 }, bytes = { 0 }, got = { 0 };
	struct engine_sink d = log_sink(&direct), w = wire_sink(&bytes), g = log_sink(&got);

	call_all(&d);
	call_all(&w);
	assert_int_equal(wire_replay(bytes.data, bytes.size, &g), 0);
	assert_string_equal(direct.data, got.data);
	buf_release(&direct);
	buf_release(&bytes);
	buf_release(&got);
}

static void what_is_cut_short_is_refused_after_its_beginning(void **state)
{
	struct buf bytes = { 0 }, got = { 0 };
	struct engine_sink w = wire_sink(&bytes), g = log_sink(&got);
	size_t whole = 0;

	call_all(&w);
	for (size_t n = 0; n < bytes.size; n += n < 700 || n + 700 > bytes.size ? 1 : 997) {
		/* a copy, so that a sanitizer sees who reads beyond it */
		char *p = malloc(n ? n : 1);

		memcpy(p, bytes.data, n);
		whole += wire_replay(p, n, &g) == 0;
		free(p);
	}
	assert_true(whole >= 1 && whole < 30);
	buf_release(&bytes);
	buf_release(&got);
}

static void bytes_of_a_stranger_do_no_harm(void **state)
{
	struct buf got = { 0 };
	struct engine_sink g = log_sink(&got);
	uint64_t x = 88172645463325252u;
	size_t refused = 0;

	for (int i = 0; i < 20000; i++) {
		unsigned char p[64];

		for (size_t k = 0; k < sizeof(p); k++) {
			x ^= x << 13;
			x ^= x >> 7;
			x ^= x << 17;
			p[k] = (unsigned char)(k == 0 ? 1 + x % 8 : x);
		}
		refused += wire_replay((const char *)p, sizeof(p), &g) < 0;
		buf_clear(&got);
	}
	assert_true(refused > 19000);
	buf_release(&got);
}

static void a_wish_is_read_as_it_was_written(void **state)
{
	const struct track_wish wish = { .run = { { 1, 2, 3 } }, .granularity = -2, .budget = 0.01,
					 .env_allow = { "A\0B_*\0", 6 } };
	const struct track_state st = { .granularity = 3, .lost = UINT64_MAX, .alive = true };
	struct track_wish back;
	struct track_state st_back;
	struct buf b = { 0 };

	track_wish_put(&wish, &b);
	assert_int_equal(track_wish_get(b.data, b.size, &back), 0);
	assert_memory_equal(&back.run, &wish.run, sizeof(wish.run));
	assert_int_equal(back.granularity, -2);
	assert_true(back.budget > 0.0099 && back.budget < 0.0101);
	assert_int_equal(back.env_allow.size, 6);
	assert_memory_equal(back.env_allow.p, "A\0B_*\0", 6);
	for (size_t n = 0; n < b.size; n++)
		assert_int_equal(track_wish_get(b.data, n, &back), -EBADMSG);
	buf_clear(&b);
	track_state_put(&st, &b);
	assert_int_equal(track_state_get(b.data, b.size, &st_back), 0);
	assert_int_equal(st_back.granularity, 3);
	assert_true(st_back.lost == UINT64_MAX && st_back.alive);
	buf_release(&b);
}

/* A service that speaks TRACK: calls in two messages, the second after the end. */
struct service {
	int listening;
	bool dies;
};

static void *serve(void *arg)
{
	struct service *s = arg;
	struct buf b = { 0 }, bytes = { 0 };
	struct engine_sink w = wire_sink(&bytes);
	const struct track_state st = { .granularity = 2, .lost = 5, .alive = true };
	struct track_wish wish;
	uint32_t kind;
	int fd = accept(s->listening, NULL, NULL);

	assert_int_equal(frame_receive(fd, &kind, &b), 0);
	assert_int_equal(kind, SERVICE_TRACK);
	assert_int_equal(track_wish_get(b.data, b.size, &wish), 0);
	assert_int_equal(frame_send(fd, SERVICE_OK, NULL, 0), 0);
	w.settled(w.ctx, 1, 2);
	assert_int_equal(frame_send(fd, TRACK_CALLS, bytes.data, bytes.size), 0);
	buf_clear(&bytes);
	track_state_put(&st, &bytes);
	assert_int_equal(frame_send(fd, TRACK_STATE, bytes.data, bytes.size), 0);
	buf_clear(&bytes);
	assert_int_equal(frame_receive(fd, &kind, &b), 0);
	assert_int_equal(kind, TRACK_LEVEL);
	if (!s->dies) {
		assert_int_equal(frame_receive(fd, &kind, &b), 0);
		assert_int_equal(kind, TRACK_END);
		call_all(&w);
		assert_int_equal(frame_send(fd, TRACK_CALLS, bytes.data, bytes.size), 0);
		assert_int_equal(frame_send(fd, TRACK_DONE, "little", 6), 0);
	}
	close(fd);
	buf_release(&b);
	buf_release(&bytes);
	return NULL;
}

static struct buf track_through(bool dies)
{
	struct service s = { .dies = dies };
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	const struct engine_setup setup = { .launcher = (uint32_t)getpid() };
	struct buf got = { 0 }, cost = { 0 };
	struct engine_sink g = log_sink(&got);
	struct engine *e;
	pthread_t t;

	snprintf(at.sun_path, sizeof(at.sun_path), "/tmp/prov-t_wire-%d", (int)getpid());
	s.listening = socket(AF_UNIX, SOCK_STREAM, 0);
	assert_int_equal(bind(s.listening, (struct sockaddr *)&at, sizeof(at)), 0);
	assert_int_equal(listen(s.listening, 1), 0);
	assert_int_equal(conf_set("provd.socket", at.sun_path, "test"), 0);
	assert_int_equal(pthread_create(&t, NULL, serve, &s), 0);
	assert_int_equal(engine_remote.open("/nonexistent", &setup, &e), 0);
	while (!got.size || engine_remote.granularity(e) != 2)
		(void)engine_remote.poll(e, &g, false);
	assert_string_equal(got.data, "settled 1 2\n");
	assert_int_equal(engine_remote.lost(e), 5);
	buf_clear(&got);
	engine_remote.ask(e, 1);
	(void)engine_remote.poll(e, &g, true);
	(void)engine_remote.poll(e, &g, true);
	assert_false(engine_remote.alive(e));
	engine_remote.cost(e, &cost);
	assert_int_equal(cost.size, dies ? 0 : 6);
	buf_release(&cost);
	engine_remote.close(e, true);
	pthread_join(t, NULL);
	close(s.listening);
	unlink(at.sun_path);
	conf_release();
	return got;
}

static void a_session_of_the_service_is_one_of_ours(void **state)
{
	struct buf direct = { 0 }, got = track_through(false);
	struct engine_sink d = log_sink(&direct);

	call_all(&d);
	assert_string_equal(got.data, direct.data);
	buf_release(&direct);
	buf_release(&got);
}

static void a_service_that_goes_away_leaves_one_hole(void **state)
{
	struct buf got = track_through(true);

	assert_non_null(strstr(got.data, "hole 0 0 lost the node service stopped"));
	assert_null(strchr(got.data, '\n')[1] ? got.data : NULL);
	buf_release(&got);
}

static void no_service_is_told_with_what_to_do(void **state)
{
	struct buf why = { 0 };

	assert_int_equal(conf_set("provd.socket", "/nonexistent/socket", "test"), 0);
	assert_int_equal(engine_remote.probe(&why), -ENOENT);
	assert_non_null(strstr(why.data, "systemctl start provd"));
	assert_ptr_equal(engine_find("auto"), &engine_preload);
	buf_release(&why);
	conf_release();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_call_arrives_as_it_was_made),
		cmocka_unit_test(what_is_cut_short_is_refused_after_its_beginning),
		cmocka_unit_test(bytes_of_a_stranger_do_no_harm),
		cmocka_unit_test(a_wish_is_read_as_it_was_written),
		cmocka_unit_test(a_session_of_the_service_is_one_of_ours),
		cmocka_unit_test(a_service_that_goes_away_leaves_one_hole),
		cmocka_unit_test(no_service_is_told_with_what_to_do),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
