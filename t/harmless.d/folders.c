/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* folders.c - many opens in one folder, while what its paths mean changes */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define MANY  60	/* enough for whatever is remembered of a folder */
#define TIMES 20	/* so that some fall into one tick of the clock */

static void touch(const char *path, int flags)
{
	int fd = open(path, flags, 0644);
	char c = 'x';

	if (fd < 0 || (flags & O_ACCMODE ? write(fd, &c, 1) : read(fd, &c, 1)) < 0) {
		perror(path);
		exit(1);
	}
	close(fd);
}

static void make(const char *path)
{
	touch(path, O_WRONLY | O_CREAT);
}

/* Opens everything that fill() made, so that all of the folder is known. */
static void warm(const char *folder)
{
	char path[64];

	for (int i = 0; i < MANY; i++) {
		snprintf(path, sizeof(path), "%s/f%d", folder, i);
		touch(path, O_RDONLY);
	}
}

static void fill(const char *folder)
{
	char path[64];

	mkdir(folder, 0755);
	for (int i = 0; i < MANY; i++) {
		snprintf(path, sizeof(path), "%s/f%d", folder, i);
		make(path);
	}
}

static void in_child(void (*what)(int), int i)
{
	pid_t child = fork();

	if (child == 0) {
		what(i);
		_exit(0);
	}
	waitpid(child, NULL, 0);
}

static const char *numbered(const char *name, int i)
{
	static char path[64];

	snprintf(path, sizeof(path), "%s%d", name, i);
	return path;
}

static void switch_by_child(int i)
{
	symlink(i % 2 ? "a" : "b", "next");
	rename("next", "cur");
}

static void link_by_child(int i)
{
	symlink("../b/seen_late", numbered("a/late", i));
}

static void empty_by_child(int i)
{
	close(open(numbered("a/empty", i), O_WRONLY | O_CREAT, 0644));
}

/* Another process changes what was just known. */
static void by_children(void)
{
	for (int i = 0; i < TIMES; i++) {
		warm("cur");
		in_child(switch_by_child, i);
		make(numbered("cur/switched", i));
		warm("a");
		in_child(link_by_child, i);
		touch(numbered("a/late", i), O_RDONLY);
		unlink(numbered("a/late", i));
		make(numbered("a/own", i));
		in_child(empty_by_child, i);
		touch(numbered("a/empty", i), O_RDWR | O_CREAT);
	}
}

static void *from_its_folder(void *arg)
{
	/* a folder of its own: "a" is another one */
	if (unshare(CLONE_FS) || chdir("b"))
		exit(1);
	warm("a");
	return NULL;
}

int main(void)
{
	pthread_t t;

	fill("a");
	fill("b");
	fill("b/a");
	symlink("a", "cur");
	make("b/linked");
	make("b/seen_late");
	symlink("../b/linked", "a/link");
	warm("a");
	touch("a/link", O_RDONLY);
	unlink("a/link");
	by_children();
	symlink("../b/new", "a/dangling");
	warm("a");
	make("a/dangling");
	unlink("a/dangling");
	warm("a");
	rename("a", "moved");
	make("moved/after");
	if (chdir("b"))
		return 1;
	make("f_here");
	warm(".");
	if (chdir("../moved"))
		return 1;
	touch("f0", O_RDONLY);
	if (chdir(".."))
		return 1;
	rename("moved", "a");
	warm("a");
	for (int i = 0; i < TIMES; i++) {
		pthread_create(&t, NULL, from_its_folder, NULL);
		pthread_join(t, NULL);
		make(numbered("a/here", i));
	}
	return 0;
}
