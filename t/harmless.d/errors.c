/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* errors.c - what calls say of arguments that cannot be right */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <linux/fs.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/mman.h>
#include <unistd.h>

static void say(const char *what, long r)
{
	printf("%s %ld %s\n", what, r, r < 0 ? strerror(errno) : "");
	errno = 0;
}

int main(void)
{
	char *volatile null = NULL, *volatile wild = (char *)8;
	char long_name[5000];
	int fd = open("f", O_CREAT | O_RDWR, 0600);

	memset(long_name, 'a', sizeof(long_name) - 1);
	long_name[sizeof(long_name) - 1] = 0;
	say("open null", open(null, O_RDONLY));
	say("open wild", open(wild, O_RDONLY | O_CREAT, 0600));
	say("open long", open(long_name, O_RDONLY));
	say("rename to null", rename("f", null));
	say("rename from wild", rename(wild, "g"));
	say("rename missing", rename("no", "g"));
	say("rename into itself", rename(".", "./x"));
	say("unlink null", unlink(null));
	say("unlink folder", unlink("."));
	say("link null", link("f", null));
	say("symlink null", symlink(null, "x"));
	say("rmdir file", rmdir("f"));
	say("read closed", read(99, long_name, 1));
	say("write read-only", write(open("f", O_RDONLY), "x", 1));
	say("read wild", read(fd, wild, 1));
	say("pread negative", pread(fd, long_name, 1, -1));
	say("close closed", close(99));
	say("close negative", close(-1));
	say("dup2 closed", dup2(99, 100));
	say("dup2 to negative", dup2(fd, -1));
	say("dup2 same", dup2(fd, fd) == fd);
	say("fcntl dup too high", fcntl(fd, F_DUPFD, 1 << 30));
	say("truncate missing", truncate("no", 0));
	say("ftruncate negative", ftruncate(fd, -1));
	say("clone range null", ioctl(fd, FICLONERANGE, 0));
	say("mmap closed", (long)mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, 99, 0));
	say("execve missing", execve("no", (char *[]){ "no", NULL }, NULL));
	say("execve null", execve(null, NULL, NULL));
	say("execve wild argv", execve("/bin/true", (char **)wild, (char *[]){ NULL }));
	say("execve wild argument", execve("/bin/true", (char *[]){ wild, NULL }, NULL));
	say("execve wild environment", execve("/bin/true", NULL, (char **)(intptr_t)-8));
	say("waitpid nobody", waitpid(-1, NULL, 0));
	say("openat bad folder", openat(99, "x", O_RDONLY));
	say("copy_file_range closed", copy_file_range(99, NULL, fd, NULL, 1, 0));
	return 0;
}
