/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* parallel.c - OpenMP, threads and forks at once, as scientific programs mix them */
#include "workload.h"

#include <pthread.h>

#define THREADS 4
#define ROUNDS 50
#define SIZE 200

static void openmp(void)
{
	static double a[SIZE][SIZE], b[SIZE][SIZE];
	double sum = 0;
	FILE *f = ptr_or_die(fopen(in_folder("sum"), "w"), "fopen");

#pragma omp parallel for reduction(+ : sum)
	for (int i = 0; i < SIZE; i++) {
		for (int j = 0; j < SIZE; j++) {
			a[i][j] = i;
			b[i][j] = j;
			sum += a[i][j] + b[i][j];
		}
	}
	expect_made(in_folder("sum"), fprintf(f, "%.0f\n", sum));
	or_die(fclose(f), "fclose");
}

/* Each thread in its own file, and all in one. */
static void *thread_io(void *arg)
{
	const long number = (long)arg;
	char path[4096], text[64];
	int all = fd_or_die(open(in_folder("old"), O_WRONLY | O_APPEND), "old");
	int in = open_in(), fd;
	FILE *f;

	snprintf(path, sizeof(path), "%s%ld", in_folder("thread"), number);
	fd = fd_or_die(open(path, O_RDWR | O_CREAT, 0644), path);
	for (int i = 0; i < ROUNDS; i++) {
		or_die(pwrite(fd, "0123456789", 10, i * 10), "pwrite");
		or_die(write(all, "line\n", 5), "write");
		or_die(pread(in, text, 16, 0), "pread");
	}
	or_die(pread(fd, text, 20, 0), "pread");
	close(fd);
	close(in);
	close(all);
	snprintf(path, sizeof(path), "%s%ld", in_folder("stream"), number);
	f = ptr_or_die(fopen(path, "w"), path);
	for (int i = 0; i < ROUNDS; i++)
		fprintf(f, "%09d\n", i);
	or_die(fclose(f), "fclose");
	return NULL;
}

static void threads(void)
{
	pthread_t t[THREADS];

	/* Said by one thread: lines of several could mix. */
	for (long i = 0; i < THREADS; i++) {
		char name[32];

		snprintf(name, sizeof(name), "thread%ld", i);
		expect_made(in_folder(name), ROUNDS * 10);
		expect_bytes("read", in_folder(name), 20);
		snprintf(name, sizeof(name), "stream%ld", i);
		expect_made(in_folder(name), ROUNDS * 10);
	}
	expect_bytes("write", in_folder("old"), THREADS * ROUNDS * 5);
	expect_bytes("read", in_folder("in"), THREADS * ROUNDS * 16);
	for (long i = 0; i < THREADS; i++)
		or_die(-pthread_create(&t[i], NULL, thread_io, (void *)i), "pthread_create");
	for (int i = 0; i < THREADS; i++)
		or_die(-pthread_join(t[i], NULL), "pthread_join");
}

static void forks(void)
{
	pid_t child[THREADS];

	for (int i = 0; i < THREADS; i++) {
		char made[32], moved[32];

		snprintf(made, sizeof(made), "child%d", i);
		snprintf(moved, sizeof(moved), "moved%d", i);
		child[i] = fork();
		if (child[i] == 0) {
			int fd = open_out(made);

			put_bytes(fd, made, some);
			close(fd);
			or_die(rename(in_folder(made), in_folder(moved)), "rename");
			expect_name("rename", in_folder(made), in_folder(moved));
			or_die(unlink(in_folder(moved)), "unlink");
			expect_name("unlink", in_folder(moved), "");
			_exit(i);
		}
	}
	for (int i = 0; i < THREADS; i++)
		wait_for(child[i]);
}

static void mix(void)
{
	openmp();
	threads();
	forks();
	for (int i = 0; i < THREADS; i++) {
		char name[32];
		int fd;

		snprintf(name, sizeof(name), "stream%d", i);
		fd = fd_or_die(open(in_folder(name), O_RDONLY), name);
		expect_bytes("read", in_folder(name), or_die(read(fd, room, 9), "read"));
	}
}

/* Each thread's children put a file of their own behind one number, which is
 * the process's all the while. */
static int number;

static void *vfork_io(void *arg)
{
	char name[32];
	int fd, status;

	snprintf(name, sizeof(name), "vfork%ld", (long)arg);
	fd = fd_or_die(open(in_folder(name), O_WRONLY | O_CREAT, 0644), name);
	for (int i = 0; i < ROUNDS; i++) {
		pid_t child = vfork();

		if (child == 0)
			_exit(dup2(fd, number) == number && write(number, room, 3) == 3 ? 0 : 1);
		or_die(waitpid((pid_t)or_die(child, "vfork"), &status, 0), "waitpid");
		or_die(status ? -1 : 0, "child");
	}
	return NULL;
}

static void vforks(void)
{
	pthread_t t[THREADS];

	number = open_out("ours");
	expect_bytes("write", in_folder("ours"), 5000);
	for (long i = 0; i < THREADS; i++) {
		char name[32];

		snprintf(name, sizeof(name), "vfork%ld", i);
		expect_made(in_folder(name), ROUNDS * 3);
		or_die(-pthread_create(&t[i], NULL, vfork_io, (void *)i), "pthread_create");
	}
	for (int i = 0; i < 5000; i++)
		or_die(write(number, room, 1), "write");
	for (int i = 0; i < THREADS; i++)
		or_die(-pthread_join(t[i], NULL), "pthread_join");
	close(number);
	number = open_in();
	expect_bytes("read", in_folder("in"), or_die(read(number, room, some), "read"));
}

static const struct mode modes[] = {
	{ "openmp", openmp }, { "threads", threads }, { "forks", forks }, { "mix", mix },
	{ "vforks", vforks },
	{ NULL, NULL }
};

int main(int argc, char **argv)
{
	return workload(argc, argv, modes);
}
