/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* many.c - much of one thing
 *
 * many reads N [PAUSE]  opens and reads one byte N times, 1000 files in turn; a
 *                       millisecond's rest after each PAUSE
 * many renames N        renames one file N times
 * many processes N      N children that live at once and write a file each
 * many forks N          N children one after another
 * many threads N        N threads at once that write a file each
 * many creates N        makes, writes and removes N files of one folder
 * many files N          makes N files that stay, 1000 to a folder
 * many maps N           maps N files read-only and shared, open for writing
 * many descriptors N    writes to a file through descriptor N
 * many starved N        likewise, when there is no memory any more
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static long n, pause_after;
static pthread_barrier_t barrier;

static void need(int ok, const char *what)
{
	if (!ok) {
		perror(what);
		_exit(9);
	}
}

static void put(const char *name, const char *text)
{
	int fd = open(name, O_CREAT | O_WRONLY, 0600);

	need(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text), name);
	close(fd);
}

static const char *name_of(char *room, const char *kind, long i)
{
	snprintf(room, 64, "%s%ld", kind, i);
	return room;
}

static void reads(void)
{
	char room[64], c;

	for (long i = 0; i < 1000; i++)
		put(name_of(room, "r", i), "x");
	for (long i = 0; i < n; i++) {
		int fd = open(name_of(room, "r", i % 1000), O_RDONLY);

		need(fd >= 0 && read(fd, &c, 1) == 1, room);
		close(fd);
		if (pause_after && i % pause_after == 0)
			usleep(1000);
	}
}

static void renames(void)
{
	char a[64], b[64];

	put("n0", "x");
	for (long i = 0; i < n; i++)
		need(rename(name_of(a, "n", i), name_of(b, "n", i + 1)) == 0, "rename");
}

static void processes(void)
{
	int fds[2];
	char room[64], c;

	need(pipe(fds) == 0, "pipe");
	for (long i = 0; i < n; i++) {
		pid_t pid = fork();

		need(pid >= 0, "fork");
		if (pid == 0) {
			close(fds[1]);
			put(name_of(room, "p", i), "child");
			_exit((int)read(fds[0], &c, 1));
		}
	}
	close(fds[1]);
	while (wait(NULL) > 0)
		;
}

static void forks(void)
{
	for (long i = 0; i < n; i++) {
		pid_t pid = fork();
		int status;

		need(pid >= 0, "fork");
		if (pid == 0)
			_exit((int)(i % 7));
		need(waitpid(pid, &status, 0) == pid && WEXITSTATUS(status) == i % 7, "wait");
	}
}

static void *thread(void *arg)
{
	char room[64];

	put(name_of(room, "t", (long)arg), "thread");
	pthread_barrier_wait(&barrier);
	return NULL;
}

static void threads(void)
{
	pthread_attr_t small;
	pthread_t t;

	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 65536);
	pthread_barrier_init(&barrier, NULL, (unsigned)n + 1);
	for (long i = 0; i < n; i++)
		need(pthread_create(&t, &small, thread, (void *)i) == 0, "thread");
	pthread_barrier_wait(&barrier);
}

static void creates(void)
{
	char room[64];

	for (long i = 0; i < n; i++) {
		put(name_of(room, "c", i), "12345");
		need(unlink(room) == 0, "unlink");
	}
}

static void files(void)
{
	char room[64];

	for (long i = 0; i < n; i++) {
		if (i % 1000 == 0) {
			need(i == 0 || chdir("..") == 0, "..");
			need(mkdir(name_of(room, "d", i / 1000), 0700) == 0 && chdir(room) == 0,
			     room);
		}
		put(name_of(room, "f", i), "1");
	}
}

static void maps(void)
{
	char room[64];

	for (long i = 0; i < n; i++) {
		int fd;

		put(name_of(room, "m", i), "x");
		fd = open(room, O_RDWR);
		need(mmap(NULL, 1, PROT_READ, MAP_SHARED, fd, 0) != MAP_FAILED, "mmap");
		close(fd);
	}
}

static void descriptors(void)
{
	struct rlimit most = { (rlim_t)n + 1, (rlim_t)n + 1 };
	int fd = open("high", O_CREAT | O_WRONLY, 0600);

	need(setrlimit(RLIMIT_NOFILE, &most) == 0, "limit");
	need(dup2(fd, (int)n) == n && write((int)n, "12345", 5) == 5, "dup2");
}

static void starved(void)
{
	struct rlimit none = { 1, 1 };
	int fd = open("high", O_CREAT | O_WRONLY, 0600);

	need(setrlimit(RLIMIT_AS, &none) == 0, "limit");
	for (int i = 0; i < 3; i++)
		need(dup2(fd, (int)n + i) == n + i && write((int)n + i, "12345", 5) == 5, "dup2");
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} kinds[] = {
		{ "reads", reads },	  { "renames", renames }, { "processes", processes },
		{ "forks", forks },	  { "threads", threads }, { "creates", creates },
		{ "files", files },	  { "maps", maps },	  { "descriptors", descriptors },
		{ "starved", starved },
	};

	if (argc < 3)
		return 2;
	n = atol(argv[2]);
	pause_after = argc > 3 ? atol(argv[3]) : 0;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (!strcmp(argv[1], kinds[i].name)) {
			kinds[i].run();
			return 0;
		}
	return 2;
}
