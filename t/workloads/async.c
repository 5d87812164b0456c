/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* async.c - reads and writes that are asked for now and done later */
#include "workload.h"

#include <aio.h>
#include <linux/aio_abi.h>
#include <linux/io_uring.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>

static struct aiocb request(int fd, int op, size_t n)
{
	return (struct aiocb){ .aio_fildes = fd, .aio_buf = room, .aio_nbytes = n,
			       .aio_lio_opcode = op };
}

static long waited(struct aiocb *cb)
{
	const struct aiocb *one[1] = { cb };

	while (aio_error(cb) == EINPROGRESS)
		aio_suspend(one, 1, NULL);
	return aio_return(cb);
}

static void by_aio_read(void)
{
	struct aiocb cb = request(open_in(), 0, some);

	or_die(aio_read(&cb), "aio_read");
	expect_bytes("read", in_folder("in"), or_die(waited(&cb), "aio_read"));
}

static void by_aio_write(void)
{
	struct aiocb cb = request(open_out("out"), 0, some);

	or_die(aio_write(&cb), "aio_write");
	expect_bytes("write", in_folder("out"), or_die(waited(&cb), "aio_write"));
}

static void by_lio_listio(void)
{
	struct aiocb r = request(open_in(), LIO_READ, some);
	struct aiocb w = request(open_out("out"), LIO_WRITE, 50);
	struct aiocb *both[] = { &r, &w };

	w.aio_buf = room + 2000;
	or_die(lio_listio(LIO_WAIT, both, 2, NULL), "lio_listio");
	expect_bytes("read", in_folder("in"), or_die(waited(&r), "lio_listio"));
	expect_bytes("write", in_folder("out"), or_die(waited(&w), "lio_listio"));
}

static struct aiocb64 request64(int fd, int op, size_t n)
{
	return (struct aiocb64){ .aio_fildes = fd, .aio_buf = room, .aio_nbytes = n,
				 .aio_lio_opcode = op };
}

static long waited64(struct aiocb64 *cb)
{
	const struct aiocb64 *one[1] = { cb };

	while (aio_error64(cb) == EINPROGRESS)
		aio_suspend64(one, 1, NULL);
	return aio_return64(cb);
}

static void by_aio64(void)
{
	struct aiocb64 r = request64(open_in(), LIO_READ, some);
	struct aiocb64 w = request64(open_out("out"), LIO_WRITE, 50);
	struct aiocb64 *both[] = { &r, &w };

	w.aio_buf = room + 2000;
	or_die(aio_read64(&r), "aio_read64");
	or_die(waited64(&r), "aio_read64");
	or_die(aio_write64(&w), "aio_write64");
	or_die(waited64(&w), "aio_write64");
	or_die(lio_listio64(LIO_WAIT, both, 2, NULL), "lio_listio64");
	expect_bytes("read", in_folder("in"), 2 * or_die(waited64(&r), "lio_listio64"));
	expect_bytes("write", in_folder("out"), 2 * or_die(waited64(&w), "lio_listio64"));
}

/* The kernel does it, and nobody in the process sees when. */
static void by_libaio(void)
{
	aio_context_t context = 0;
	struct iocb cb = { .aio_fildes = (unsigned)open_in(), .aio_lio_opcode = IOCB_CMD_PREAD,
			   .aio_buf = (uintptr_t)room, .aio_nbytes = some };
	struct iocb *list[] = { &cb };
	struct io_event done;

	if (syscall(SYS_io_setup, 1, &context) < 0)
		cannot("io_setup");
	or_die(syscall(SYS_io_submit, context, 1, list), "io_submit");
	or_die(syscall(SYS_io_getevents, context, 1, 1, &done, NULL), "io_getevents");
	or_die(done.res, "IOCB_CMD_PREAD");
	expect_for(getpid(), "hole", "io_submit", "");
}

static void by_io_uring(void)
{
	struct io_uring_params p = { 0 };
	char *rings, *entries;
	struct io_uring_sqe *sqe;
	int ring = (int)syscall(SYS_io_uring_setup, 1, &p);
	unsigned *tail;

	if (ring < 0)
		cannot("io_uring");
	rings = ptr_or_die(mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, ring,
				IORING_OFF_SQ_RING), "mmap");
	entries = ptr_or_die(mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, ring,
				  IORING_OFF_SQES), "mmap");
	sqe = (struct io_uring_sqe *)entries;
	*sqe = (struct io_uring_sqe){ .opcode = IORING_OP_READ, .fd = open_in(),
				      .addr = (uintptr_t)room, .len = (unsigned)some };
	*(unsigned *)(rings + p.sq_off.array) = 0;
	tail = (unsigned *)(rings + p.sq_off.tail);
	__atomic_store_n(tail, 1, __ATOMIC_RELEASE);
	or_die(syscall(SYS_io_uring_enter, ring, 1, 1, IORING_ENTER_GETEVENTS, NULL, 0), "enter");
	expect_for(getpid(), "hole", "io_uring", "");
}

static const struct mode modes[] = {
	{ "aio_read", by_aio_read }, { "aio_write", by_aio_write },
	{ "lio_listio", by_lio_listio }, { "aio64", by_aio64 }, { "libaio", by_libaio },
	{ "io_uring", by_io_uring }, { NULL, NULL }
};

int main(int argc, char **argv)
{
	return workload(argc, argv, modes);
}
