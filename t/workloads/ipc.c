/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* ipc.c - what processes hand to one another: bytes, memory and descriptors */
#include "workload.h"

#include <mqueue.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>

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

static const struct mode modes[] = {
	{ "pipe", by_pipe }, { "pipe2", by_pipe2 }, { "fifo", by_fifo },
	{ "socketpair", by_socketpair }, { "recvmsg", passed_by_recvmsg },
	{ "recvmmsg", passed_by_recvmmsg },
	{ "passed-into-used-number", passed_into_used_number },
	{ "pidfd_getfd", taken_by_pidfd }, { "process_vm", by_process_vm }, { "sysv", by_sysv },
	{ "mq", by_mq }, { "shared-anonymous", by_shared_anonymous }, { NULL, NULL }
};

int main(int argc, char **argv)
{
	return workload(argc, argv, modes);
}
