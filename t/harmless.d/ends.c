/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* ends.c - every place before and after main in which a program can do I/O */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>

#include "must.h"

static void look(const char *when)
{
	char line[64];
	FILE *f;
	int fd = open(when, O_CREAT | O_WRONLY | O_APPEND, 0600);

	must(fd >= 0 && write(fd, when, strlen(when)) == (ssize_t)strlen(when) && close(fd) == 0);
	must((f = fopen("/etc/passwd", "r")) && fgets(line, sizeof(line), f) && fclose(f) == 0);
	/* stdout may be gone already */
	must(write(1, when, strlen(when)) > 0 && write(1, "\n", 1) == 1);
}

static void before(int argc, char **argv, char **envp)
{
	(void)argc;
	(void)argv;
	(void)envp;
	look("preinit");
}
__attribute__((section(".preinit_array"), used)) static void (*const first)(int, char **,
									    char **) = before;

__attribute__((constructor(101))) static void early(void)
{
	look("constructor");
}

__attribute__((destructor(101))) static void late(void)
{
	look("destructor");
}

static void at_exit(void)
{
	look("atexit");
}

static void on_exit_(int status, void *arg)
{
	look(arg);
	must(status == 0 || status == 3);
}

static void quick(void)
{
	look("at_quick_exit");
}

static void of_thread(void *value)
{
	look(value);
}

static pthread_key_t key;

static void *thread(void *arg)
{
	pthread_setspecific(key, arg);
	usleep(20000);
	look("thread");
	return NULL;
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "return";
	pthread_t t;

	must(atexit(at_exit) == 0 && on_exit(on_exit_, "on_exit") == 0);
	must(at_quick_exit(quick) == 0 && pthread_key_create(&key, of_thread) == 0);
	must(pthread_create(&t, NULL, thread, "thread's value") == 0);
	look("main");
	if (!strcmp(how, "pthread_exit")) {
		pthread_setspecific(key, "main's value");
		pthread_exit(NULL);
	}
	pthread_join(t, NULL);
	if (!strcmp(how, "quick_exit"))
		quick_exit(4);
	if (!strcmp(how, "exit"))
		exit(3);
	if (!strcmp(how, "abort"))
		abort();
	if (!strcmp(how, "_exit"))
		_exit(5);
	return 0;
}
