/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* hostile.c - puts itself into a corner, in the way that the first argument names,
 * and tells what each call makes of it; further arguments are executed at the end */
#define _GNU_SOURCE
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "must.h"

#ifndef PR_SET_MDWE
#define PR_SET_MDWE 65
#endif

static void say(const char *what, long r)
{
	dprintf(1, "%s %ld %s\n", what, r, r < 0 ? strerror(errno) : "");
}

static void limit(int what, rlim_t n)
{
	must(setrlimit(what, &(struct rlimit){ n, n }) == 0);
}

/* Every system call but these answers errno_or_kill. */
static void filter(const int *refused, size_t n, unsigned action)
{
	struct sock_filter code[64];
	size_t at = 0;

	code[at++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
						  offsetof(struct seccomp_data, nr));
	for (size_t i = 0; i < n; i++) {
		code[at++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K,
							  (unsigned)refused[i], 0, 1);
		code[at++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, action);
	}
	code[at++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	must(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
	must(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER,
		   &(struct sock_fprog){ (unsigned short)at, code }) == 0);
}

/* What a program written before 2015 never calls; libc of 2023 gets by. */
static const int recent[] = { SYS_statx, SYS_openat2, SYS_readlink, SYS_readlinkat,
			      SYS_madvise, SYS_mincore, SYS_faccessat, SYS_fallocate };

static void landlock(void)
{
	struct landlock_ruleset_attr rules = {
		.handled_access_fs = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE |
				     LANDLOCK_ACCESS_FS_MAKE_REG,
	};
	static const char *const open_to[] = { ".", "/usr", "/lib", "/lib64", "/etc", "/dev/null" };
	int set = (int)syscall(SYS_landlock_create_ruleset, &rules, sizeof(rules), 0);

	if (set < 0) {
		puts("no landlock");
		exit(0);
	}
	for (size_t i = 0; i < sizeof(open_to) / sizeof(open_to[0]); i++) {
		struct landlock_path_beneath_attr under = {
			.allowed_access = rules.handled_access_fs,
			.parent_fd = open(open_to[i], O_PATH),
		};

		if (i == 5)
			under.allowed_access &= ~(__u64)LANDLOCK_ACCESS_FS_MAKE_REG;
		must(syscall(SYS_landlock_add_rule, set, LANDLOCK_RULE_PATH_BENEATH, &under, 0) ==
		     0);
		close(under.parent_fd);
	}
	must(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
	must(syscall(SYS_landlock_restrict_self, set, 0) == 0 && close(set) == 0);
}

static void hide(const char *folder)
{
	must(unshare(CLONE_NEWNS) == 0 && mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0);
	must(mount("none", folder, "tmpfs", 0, NULL) == 0);
}

static void read_only(void)
{
	must(unshare(CLONE_NEWNS) == 0 && mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0);
	must(mount("none", "/dev/shm", NULL, MS_REMOUNT | MS_BIND | MS_RDONLY, NULL) == 0);
	must(mount("none", "/", NULL, MS_REMOUNT | MS_BIND | MS_RDONLY, NULL) == 0);
}

/* The session's folder is in the environment that this process began with. */
static void delete_session(void)
{
	static char text[1 << 20];
	int fd = open("/proc/self/environ", O_RDONLY);
	ssize_t n = read(fd, text, sizeof(text) - 1);

	must(fd >= 0 && close(fd) == 0);
	for (char *p = text; p < text + n; p += strlen(p) + 1) {
		char *end = strstr(p, "/arena,");

		if (strncmp(p, "PROV_SESSION=", 13) || !end)
			continue;
		end[6] = 0;
		must(unlink(p + 13) == 0);
		end[0] = 0;
		must(rmdir(p + 13) == 0 || errno == ENOTEMPTY);
		return;
	}
}

static void all_descriptors(int how)
{
	int fd = open("/dev/null", O_RDWR);

	if (how == 0)
		closefrom(3);
	else if (how == 1)
		for (int i = 3; i < 1024; i++)
			must(dup2(fd, i) == i);
	else if (how == 2)
		for (int i = 2; i < 1024; i++)
			close(i);
	else
		must(syscall(SYS_close_range, 3, ~0u, 0) == 0);
}

static int enter(const char *way)
{
	int ended = !strcmp(way, "none");

#define WAY(name, act)                \
	if (!strcmp(way, name)) {     \
		act;                  \
		ended = 1;            \
	}
	WAY("closefrom", all_descriptors(0))
	WAY("dup2", (limit(RLIMIT_NOFILE, 1024), all_descriptors(1)))
	WAY("close", all_descriptors(2))
	WAY("close_range", all_descriptors(3))
	WAY("nofile3", limit(RLIMIT_NOFILE, 3))
	WAY("nofile64", limit(RLIMIT_NOFILE, 64))
	WAY("fsize", (signal(SIGXFSZ, SIG_IGN), limit(RLIMIT_FSIZE, 100)))
	WAY("memory", limit(RLIMIT_AS, 12 << 20))
	WAY("mdwe", say("mdwe", prctl(PR_SET_MDWE, 1, 0, 0, 0)))
	WAY("dumpable", prctl(PR_SET_DUMPABLE, 0))
	WAY("new_privs", prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
	WAY("refuse", filter(recent, sizeof(recent) / sizeof(recent[0]), SECCOMP_RET_ERRNO | 1))
	WAY("kill", filter(recent, sizeof(recent) / sizeof(recent[0]), SECCOMP_RET_KILL_PROCESS))
	WAY("trap", filter(recent, sizeof(recent) / sizeof(recent[0]), SECCOMP_RET_TRAP))
	WAY("landlock", landlock())
	WAY("chroot", must(chroot(".") == 0))
	WAY("no_proc", hide("/proc"))
	WAY("no_shm", hide("/dev/shm"))
	WAY("read_only", read_only())
	WAY("deleted", delete_session())
	WAY("setuid", must(setgroups(0, NULL) == 0 && setgid(65534) == 0 && setuid(65534) == 0))
	return ended;
}

int main(int argc, char **argv)
{
	char name[64], buffer[64], path[PATH_MAX];
	int n = argc > 2 ? atoi(argv[2]) : 10, made = 0, fd, status;
	pid_t p;

	must(argc > 1 && enter(argv[1]));
	if (n == 0) {
		execv(argv[3], argv + 3);
		return errno;
	}
	for (int i = 0; i < n; i++) {
		snprintf(name, sizeof(name), "a-file-with-a-name-of-some-length-%d", i);
		fd = open(name, O_CREAT | O_RDWR, 0600);
		made += fd >= 0 && write(fd, name, 20) == 20 && pread(fd, buffer, 5, 0) == 5;
		close(fd);
	}
	say("made", made);
	say("open missing", open("missing", O_RDONLY));
	say("rename", rename("a-file-with-a-name-of-some-length-0", "renamed"));
	say("unlink", unlink("renamed"));
	say("unlink missing", unlink("missing"));
	say("open", fd = open("large", O_CREAT | O_WRONLY, 0600));
	say("write", write(fd, argv, 4));
	say("write more", pwrite(fd, name, 60, 4));
	say("write past a limit", pwrite(fd, name, 60, 64));
	say("close", close(fd));
	say("dup", fd = dup(1));
	say("close", close(fd));
	say("getcwd", getcwd(path, sizeof(path)) ? 0 : -1);
	p = fork();
	if (p == 0) {
		if (argc > 3)
			execv(argv[3], argv + 3);
		_exit(errno);
	}
	say("child", p > 0 ? waitpid(p, &status, 0) == p : -1);
	say("status", status);
	return 5;
}
