/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/frame.h"

#define LARGE (3u << 20)	/* more than a socket holds at once */

static void *send_large(void *fd)
{
	char *p = calloc(1, LARGE);

	p[LARGE - 1] = 'z';
	assert_int_equal(frame_send(*(int *)fd, 7, p, LARGE), 0);
	free(p);
	return NULL;
}

static void goes_through_whole(void **state)
{
	struct buf b = { 0 };
	uint32_t kind;
	pthread_t t;
	int fd[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fd), 0);
	assert_int_equal(frame_send(fd[0], 3, "abc", 3), 0);
	assert_int_equal(frame_send(fd[0], 4, NULL, 0), 0);
	assert_int_equal(frame_receive(fd[1], &kind, &b), 0);
	assert_int_equal(kind, 3);
	assert_string_equal(b.data, "abc");
	assert_int_equal(frame_receive(fd[1], &kind, &b), 0);
	assert_true(kind == 4 && b.size == 0);
	assert_int_equal(pthread_create(&t, NULL, send_large, &fd[0]), 0);
	assert_int_equal(frame_receive(fd[1], &kind, &b), 0);
	assert_true(kind == 7 && b.size == LARGE && b.data[LARGE - 1] == 'z');
	pthread_join(t, NULL);
	close(fd[0]);
	assert_int_equal(frame_receive(fd[1], &kind, &b), -EPIPE);
	close(fd[1]);
	buf_release(&b);
}

static void refuses_what_is_none(void **state)
{
	static const uint32_t too_long[] = { 0x766f7270, 1, FRAME_MOST + 1 };
	struct buf b = { 0 };
	uint32_t kind;
	int fd[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fd), 0);
	assert_int_equal(write(fd[0], "GET / HTTP/1.1\r\n\r\n", 18), 18);
	assert_int_equal(frame_receive(fd[1], &kind, &b), -EBADMSG);
	close(fd[0]);
	close(fd[1]);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fd), 0);
	assert_int_equal(write(fd[0], too_long, sizeof(too_long)), sizeof(too_long));
	assert_int_equal(frame_receive(fd[1], &kind, &b), -EMSGSIZE);
	close(fd[1]);
	assert_int_equal(frame_send(fd[0], 1, "x", 1), -EPIPE);
	close(fd[0]);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fd), 0);
	assert_int_equal(frame_send(fd[0], 1, "abcd", 4), 0);
	assert_int_equal(frame_receive_most(fd[1], &kind, &b, 3), -EMSGSIZE);
	close(fd[0]);
	close(fd[1]);
	buf_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(goes_through_whole),
		cmocka_unit_test(refuses_what_is_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
