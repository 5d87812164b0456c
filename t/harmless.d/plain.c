/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* plain.c - some of every kind of I/O, one child, some memory; tells what came of it */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "must.h"

static void *thread(void *arg)
{
	int fd = open("thread", O_CREAT | O_WRONLY | O_TRUNC, 0600);

	must(fd >= 0 && write(fd, "thread", 6) == 6 && close(fd) == 0);
	return arg;
}

int main(void)
{
	char *memory[200], line[64] = "";
	int fd = open("plain", O_CREAT | O_RDWR | O_TRUNC, 0600), status;
	struct stat st;
	pthread_t t;
	unsigned sum = 0;
	pid_t p;
	FILE *f;

	must(fd >= 0 && write(fd, "0123456789", 10) == 10 && pread(fd, line, 4, 2) == 4);
	must(close(fd) == 0 && rename("plain", "moved") == 0 && stat("moved", &st) == 0);
	printf("%s %lld\n", line, (long long)st.st_size);
	must((f = fopen("stream", "w")) && fputs("one\ntwo\n", f) >= 0 && fclose(f) == 0);
	must((f = fopen("stream", "r")) && fgets(line, sizeof(line), f) && fclose(f) == 0);
	printf("%s", line);
	for (int i = 0; i < 200; i++) {
		must((memory[i] = malloc((size_t)i * 37 + 1)));
		/* what malloc leaves there is part of the output, where it can be known */
		if (getenv("MALLOC_PERTURB_"))
			sum += (unsigned char)memory[i][i * 37];
		if (i % 3 == 0)
			free(memory[i]);
	}
	printf("%u\n", sum);
	must(pthread_create(&t, NULL, thread, NULL) == 0 && pthread_join(t, NULL) == 0);
	fflush(stdout);
	p = fork();
	if (p == 0)
		execl("/bin/cat", "cat", "stream", NULL);
	must(p > 0 && waitpid(p, &status, 0) == p);
	printf("child %d, missing %d %s\n", status, open("missing", O_RDONLY), strerror(errno));
	return 7;
}
