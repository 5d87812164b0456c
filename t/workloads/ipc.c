/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* ipc.c - what processes hand to one another: bytes, memory and descriptors */
#include "workload.h"

#include <mqueue.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <sys/un.h>

/* How the record calls a descriptor that has no path. */
static const char *called(int fd)
{
	static char name[2][64];
	static int at;
	char link[64];
	ssize_t n;

	at = !at;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = or_die(readlink(link, name[at], sizeof(name[at]) - 1), link);
	name[at][n] = '\0';
	return name[at];
}

/* A child that copies what it gets into "out". */
static pid_t copier(int from, const char *name)
{
	pid_t child = fork();

	if (child == 0) {
		int fd = open_out("out");
		long n = or_die(read(from, room, sizeof(room)), "read");

		expect_bytes("read", name, n);
		put_bytes(fd, "out", (size_t)n);
		_exit(0);
	}
	return child;
}

static void feed(int to, const char *name)
{
	expect_bytes("read", in_folder("in"), or_die(read(open_in(), room, some), "read"));
	expect_bytes("write", name, or_die(write(to, room, some), "write"));
}

static void by_pipe(void)
{
	int ends[2];
	pid_t child;

	or_die(pipe(ends), "pipe");
	child = copier(ends[0], called(ends[0]));
	feed(ends[1], called(ends[1]));
	wait_for(child);
}

static void by_pipe2(void)
{
	int ends[2];
	pid_t child;

	or_die(pipe2(ends, O_CLOEXEC), "pipe2");
	child = copier(ends[0], called(ends[0]));
	feed(ends[1], called(ends[1]));
	wait_for(child);
}

static void by_fifo(void)
{
	const char *path = in_folder("fifo");
	pid_t child;

	or_die(mkfifo(path, 0600), "mkfifo");
	child = fork();
	if (child == 0) {
		int from = fd_or_die(open(path, O_RDONLY), path), fd = open_out("out");
		long n = or_die(read(from, room, sizeof(room)), "read");

		expect_bytes("read", path, n);
		put_bytes(fd, "out", (size_t)n);
		_exit(0);
	}
	feed(fd_or_die(open(path, O_WRONLY), path), path);
	wait_for(child);
}

static void by_socketpair(void)
{
	int ends[2];
	pid_t child;

	or_die(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), "socketpair");
	child = fork();
	if (child == 0) {
		int fd = open_out("out");

		or_die(recv(ends[0], room, some, MSG_WAITALL), "recv");
		or_die(recvfrom(ends[0], room, some, MSG_WAITALL, NULL, NULL), "recvfrom");
		put_bytes(fd, "out", some);
		_exit(0);
	}
	expect_bytes("read", in_folder("in"), or_die(read(open_in(), room, some), "read"));
	or_die(send(ends[1], room, some, 0), "send");
	or_die(sendto(ends[1], room, some, 0, NULL, 0), "sendto");
	wait_for(child);
}

/* A descriptor as a message. */
static struct msghdr *parcel(int fd)
{
	static char byte = 'x', control[CMSG_SPACE(sizeof(int))];
	static struct iovec iov = { &byte, 1 };
	static struct msghdr msg;
	struct cmsghdr *c;

	msg = (struct msghdr){ .msg_iov = &iov, .msg_iovlen = 1, .msg_control = control,
			       .msg_controllen = sizeof(control) };
	if (fd < 0)
		return &msg;
	c = CMSG_FIRSTHDR(&msg);
	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(c), &fd, sizeof(fd));
	return &msg;
}

static void use_parcel(struct msghdr *msg)
{
	int fd;

	memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(msg)), sizeof(fd));
	expect_bytes("read", in_folder("in"), or_die(read(fd, room, some), "read"));
	_exit(0);
}

static void passed_by_recvmsg(void)
{
	struct msghdr *got;
	int ends[2];
	pid_t child;

	or_die(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), "socketpair");
	child = fork();
	if (child == 0) {
		got = parcel(-1);
		or_die(recvmsg(ends[1], got, 0), "recvmsg");
		use_parcel(got);
	}
	or_die(sendmsg(ends[0], parcel(open_in()), 0), "sendmsg");
	wait_for(child);
}

static void passed_by_recvmmsg(void)
{
	int ends[2];
	pid_t child;

	or_die(socketpair(AF_UNIX, SOCK_DGRAM, 0, ends), "socketpair");
	child = fork();
	if (child == 0) {
		struct mmsghdr got = { .msg_hdr = *parcel(-1) };

		or_die(recvmmsg(ends[1], &got, 1, 0, NULL), "recvmmsg");
		use_parcel(&got.msg_hdr);
	}
	struct mmsghdr sent = { .msg_hdr = *parcel(open_in()) };

	or_die(sendmmsg(ends[0], &sent, 1, 0), "sendmmsg");
	wait_for(child);
}

/* Into a number that was another file's before. */
static void passed_into_used_number(void)
{
	struct msghdr *got;
	int ends[2], fd;
	pid_t child;

	or_die(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), "socketpair");
	child = fork();
	if (child == 0) {
		fd = open_out("out");
		put_bytes(fd, "out", 10);
		close(fd);
		got = parcel(-1);
		or_die(recvmsg(ends[1], got, 0), "recvmsg");
		use_parcel(got);
	}
	or_die(sendmsg(ends[0], parcel(open_in()), 0), "sendmsg");
	wait_for(child);
}

static void taken_by_pidfd(void)
{
#if defined(SYS_pidfd_open) && defined(SYS_pidfd_getfd)
	int fd = open_in(), done[2];
	char byte;
	pid_t child;
	long pidfd, taken;

	or_die(pipe(done), "pipe");
	child = fork();
	if (child == 0) {
		close(done[1]);
		_exit((int)or_die(read(done[0], &byte, 1), "read"));
	}
	pidfd = syscall(SYS_pidfd_open, child, 0);
	close(fd);
	taken = syscall(SYS_pidfd_getfd, pidfd, fd, 0);
	if (pidfd < 0 || taken < 0)
		cannot("pidfd_getfd");
	expect_bytes("read", in_folder("in"), or_die(read((int)taken, room, some), "read"));
	close(done[1]);
	close((int)taken);
	wait_for(child);
#else
	cannot("pidfd_getfd");
#endif
}

/* From here on: nothing of it is a file's, and the record has no edge. */

static void by_process_vm(void)
{
	struct iovec here = { room, some }, there = { room + 500, some };
	pid_t child;
	int go[2];
	char byte;

	or_die(pipe(go), "pipe");
	child = fork();
	if (child == 0) {
		close(go[1]);
		_exit((int)or_die(read(go[0], &byte, 1), "read"));
	}
	or_die(process_vm_readv(child, &here, 1, &there, 1, 0), "process_vm_readv");
	or_die(process_vm_writev(child, &here, 1, &there, 1, 0), "process_vm_writev");
	close(go[1]);
	wait_for(child);
}

static void by_sysv(void)
{
	int shm = (int)or_die(shmget(IPC_PRIVATE, 4096, 0600), "shmget");
	int msg = (int)or_die(msgget(IPC_PRIVATE, 0600), "msgget");
	int sem = (int)or_die(semget(IPC_PRIVATE, 1, 0600), "semget");
	char *p = ptr_or_die(shmat(shm, NULL, 0), "shmat");
	struct {
		long type;
		char text[8];
	} m = { 1, "hello" };

	p[0] = 'x';
	or_die(msgsnd(msg, &m, sizeof(m.text), 0), "msgsnd");
	or_die(msgrcv(msg, &m, sizeof(m.text), 0, 0), "msgrcv");
	or_die(shmdt(p), "shmdt");
	or_die(shmctl(shm, IPC_RMID, NULL), "shmctl");
	or_die(msgctl(msg, IPC_RMID, NULL), "msgctl");
	or_die(semctl(sem, 0, IPC_RMID), "semctl");
}

static void by_mq(void)
{
	struct mq_attr attr = { .mq_maxmsg = 1, .mq_msgsize = 8 };
	char name[32];
	mqd_t q;

	snprintf(name, sizeof(name), "/t-prov-%d", (int)getpid());
	q = mq_open(name, O_CREAT | O_EXCL | O_RDWR, 0600, &attr);
	if (q == (mqd_t)-1)
		cannot("mq_open");
	or_die(mq_send(q, "x", 1, 0), "mq_send");
	or_die(mq_receive(q, room, 8, NULL), "mq_receive");
	or_die(mq_close(q), "mq_close");
	or_die(mq_unlink(name), "mq_unlink");
}

static void by_shared_anonymous(void)
{
	char *p = ptr_or_die(mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
				  -1, 0), "mmap");
	pid_t child = fork();

	if (child == 0) {
		p[0] = 'x';
		_exit(0);
	}
	wait_for(child);
}

/* A number that was a file until it was closed past libc. */
static int gone(void)
{
	int fd = open_in();
	long r;

	expect_bytes("read", in_folder("in"), or_die(read(fd, room, some), "read"));
#if defined(__x86_64__)
	__asm__ volatile("syscall" : "=a"(r) : "a"(SYS_close), "D"(fd) : "rcx", "r11", "memory");
#else
	register long x8 __asm__("x8") = SYS_close;
	register long x0 __asm__("x0") = fd;

	__asm__ volatile("svc #0" : "+r"(x0) : "r"(x8) : "memory");
	r = x0;
#endif
	or_die(r, "close");
	return fd;
}

static void is(int number, int fd)
{
	if (or_die(fd, "descriptor") != number) {
		fprintf(stderr, "%d is not %d\n", fd, number);
		exit(99);
	}
}

/* Sockets are not on record, but neither are they the file. */
static void flow(int from, int to)
{
	or_die(write(from, room, some), "write");
	or_die(read(to, room, some), "read");
}

static void socketpair_anew(void)
{
	int ends[2], number = gone();

	or_die(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), "socketpair");
	is(number, ends[0]);
	flow(ends[0], ends[1]);
}

static void piped_anew(int flags)
{
	int ends[2], number = gone();

	or_die(flags < 0 ? pipe(ends) : pipe2(ends, flags), "pipe");
	is(number, ends[0]);
	flow(ends[1], ends[0]);
	expect_bytes("write", called(ends[1]), (long)some);
	expect_bytes("read", called(ends[0]), (long)some);
}

static void pipe_anew(void)
{
	piped_anew(-1);
}

static void pipe2_anew(void)
{
	piped_anew(O_CLOEXEC);
}

static void connected(int (*taker)(int))
{
	struct sockaddr_un me = { .sun_family = AF_UNIX };	/* the kernel finds a name */
	socklen_t size = sizeof(me);
	int all = or_die(socket(AF_UNIX, SOCK_STREAM, 0), "socket"), number = gone();
	int one = socket(AF_UNIX, SOCK_STREAM, 0), other;

	is(number, one);
	or_die(bind(all, (void *)&me, sizeof(me.sun_family)), "bind");
	or_die(listen(all, 1), "listen");
	or_die(getsockname(all, (void *)&me, &size), "getsockname");
	or_die(connect(one, (void *)&me, size), "connect");
	number = gone();
	other = taker(all);
	is(number, other);
	flow(one, other);
	flow(other, one);
}

static int take(int fd)
{
	return accept(fd, NULL, NULL);
}

static int take4(int fd)
{
	return accept4(fd, NULL, NULL, SOCK_CLOEXEC);
}

static void accept_anew(void)
{
	connected(take);
}

static void accept4_anew(void)
{
	connected(take4);
}

/* Kept in memory; nothing that goes through is of anybody's interest. */
static void eventfd_anew(void)
{
	uint64_t one = 1;
	int number = gone(), fd = eventfd(0, 0);

	is(number, fd);
	or_die(write(fd, &one, sizeof(one)), "write");
	or_die(read(fd, &one, sizeof(one)), "read");
}

static void timerfd_anew(void)
{
	struct itimerspec soon = { .it_value.tv_nsec = 1 };
	uint64_t times;
	int number = gone(), fd = timerfd_create(CLOCK_MONOTONIC, 0);

	is(number, fd);
	or_die(timerfd_settime(fd, 0, &soon, NULL), "timerfd_settime");
	or_die(read(fd, &times, sizeof(times)), "read");
}

static void signalfd_anew(void)
{
	sigset_t set;
	int number, fd;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	or_die(sigprocmask(SIG_BLOCK, &set, NULL), "sigprocmask");
	number = gone();
	fd = signalfd(-1, &set, 0);
	is(number, fd);
	or_die(raise(SIGUSR1), "raise");
	or_die(read(fd, room, sizeof(struct signalfd_siginfo)), "read");
}

static void watched(int number, int fd)
{
	is(number, fd);
	or_die(inotify_add_watch(fd, in_folder("."), IN_ATTRIB), "inotify_add_watch");
	or_die(chmod(in_folder("old"), 0600), "chmod");
	or_die(read(fd, room, sizeof(room)), "read");
}

static void inotify_anew(void)
{
	int number = gone();

	watched(number, inotify_init());
}

static void inotify1_anew(void)
{
	int number = gone();

	watched(number, inotify_init1(IN_CLOEXEC));
}

static const struct mode modes[] = {
	{ "pipe", by_pipe }, { "pipe2", by_pipe2 }, { "fifo", by_fifo },
	{ "socketpair", by_socketpair }, { "recvmsg", passed_by_recvmsg },
	{ "recvmmsg", passed_by_recvmmsg },
	{ "passed-into-used-number", passed_into_used_number },
	{ "pidfd_getfd", taken_by_pidfd }, { "process_vm", by_process_vm }, { "sysv", by_sysv },
	{ "mq", by_mq }, { "shared-anonymous", by_shared_anonymous },
	{ "socketpair-anew", socketpair_anew }, { "pipe-anew", pipe_anew },
	{ "pipe2-anew", pipe2_anew }, { "accept-anew", accept_anew },
	{ "accept4-anew", accept4_anew }, { "eventfd-anew", eventfd_anew },
	{ "timerfd-anew", timerfd_anew }, { "signalfd-anew", signalfd_anew },
	{ "inotify-anew", inotify_anew }, { "inotify1-anew", inotify1_anew }, { NULL, NULL }
};

int main(int argc, char **argv)
{
	return workload(argc, argv, modes);
}
