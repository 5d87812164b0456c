/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* raw_clone.c - threads that only the kernel knows of, on 16 KiB of stack each */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/futex.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "must.h"

#define THREADS 4
#define ROUNDS	20000
#define STACK	16384

static int all, in;

static int work(void *arg)
{
	char name[] = "clone.0", c;
	int fd;

	name[6] += (char)(long)arg;
	fd = open(name, O_CREAT | O_WRONLY, 0600);
	for (int i = 0; i < ROUNDS; i++)
		if (fd < 0 || write(all, "x", 1) != 1 || write(fd, "y", 1) != 1)
			return 1;
	for (int i = 0; i < 20 * ROUNDS; i++)
		if (read(in, &c, 1) != 1)
			return 1;
	return close(fd) != 0;
}

int main(void)
{
	static volatile pid_t alive[THREADS];

	must((all = open("all", O_CREAT | O_WRONLY | O_APPEND, 0600)) >= 0);
	/* reads of it do not wait for each other */
	must((in = open("/dev/zero", O_RDONLY)) >= 0);
	for (long i = 0; i < THREADS; i++) {
		char *stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);

		must(stack != MAP_FAILED);
		alive[i] = 1;
		must(clone(work, stack + STACK,
			   CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD |
				   CLONE_SYSVSEM | CLONE_CHILD_CLEARTID,
			   (void *)i, NULL, NULL, &alive[i]) > 0);
	}
	for (int i = 0; i < THREADS; i++)
		while (alive[i])
			syscall(SYS_futex, &alive[i], FUTEX_WAIT, 1, NULL);
	puts("done");
	return 0;
}
