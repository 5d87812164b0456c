/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* ring.c - reads, writes and opens through io_uring, without liburing: ring able|FROM TO
 *
 * Reads 14 bytes of FROM, which is opened through the ring as well, and writes
 * them to TO twice. "able" tells whether the kernel permits rings. */
#include <fcntl.h>
#include <linux/io_uring.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static struct io_uring_params params;
static struct io_uring_sqe *entries;
static char *sq, *cq;
static int ring;

static uint32_t *in(char *map, uint32_t offset)
{
	return (uint32_t *)(map + offset);
}

static void *mapped(size_t size, off_t offset)
{
	return mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, ring, offset);
}

static int ring_open(void)
{
	ring = (int)syscall(SYS_io_uring_setup, 4, &params);
	if (ring < 0)
		return 0;
	sq = mapped(params.sq_off.array + params.sq_entries * sizeof(uint32_t), IORING_OFF_SQ_RING);
	cq = mapped(params.cq_off.cqes + params.cq_entries * sizeof(struct io_uring_cqe),
		    IORING_OFF_CQ_RING);
	entries = mapped(params.sq_entries * sizeof(*entries), IORING_OFF_SQES);
	return sq != MAP_FAILED && cq != MAP_FAILED && (void *)entries != MAP_FAILED;
}

/* Hands one request in and waits for its result. */
static int32_t ring_do(const struct io_uring_sqe *request)
{
	uint32_t tail = *in(sq, params.sq_off.tail), mask = *in(sq, params.sq_off.ring_mask);
	uint32_t head = *in(cq, params.cq_off.head);
	const struct io_uring_cqe *done = (void *)(cq + params.cq_off.cqes);
	int32_t result;

	entries[tail & mask] = *request;
	in(sq, params.sq_off.array)[tail & mask] = tail & mask;
	__atomic_store_n(in(sq, params.sq_off.tail), tail + 1, __ATOMIC_RELEASE);
	if (syscall(SYS_io_uring_enter, ring, 1, 1, IORING_ENTER_GETEVENTS, NULL, 0) != 1)
		return -1;
	if (__atomic_load_n(in(cq, params.cq_off.tail), __ATOMIC_ACQUIRE) == head)
		return -1;
	result = done[head & *in(cq, params.cq_off.ring_mask)].res;
	__atomic_store_n(in(cq, params.cq_off.head), head + 1, __ATOMIC_RELEASE);
	return result;
}

static int32_t transfer(uint8_t how, int fd, char *data, uint32_t n, uint64_t offset)
{
	const struct io_uring_sqe request = {
		.opcode = how, .fd = fd, .addr = (uintptr_t)data, .len = n, .off = offset,
	};

	return ring_do(&request);
}

static int32_t opened(const char *path, int32_t flags)
{
	const struct io_uring_sqe request = {
		.opcode = IORING_OP_OPENAT, .fd = AT_FDCWD, .addr = (uintptr_t)path, .len = 0644,
		.open_flags = (uint32_t)flags,
	};

	return ring_do(&request);
}

int main(int argc, char **argv)
{
	char data[14];
	int32_t n = sizeof(data);
	int from, to;

	if (!ring_open())
		return 1;
	if (argc != 3)
		return 0;
	from = opened(argv[1], O_RDONLY);
	to = open(argv[2], O_CREAT | O_WRONLY | O_TRUNC, 0644);
	if (from < 0 || to < 0)
		return 2;
	if (transfer(IORING_OP_READ, from, data, (uint32_t)n, 0) != n)
		return 3;
	for (int i = 0; i < 2; i++)
		if (transfer(IORING_OP_WRITE, to, data, (uint32_t)n, (uint64_t)(i * n)) != n)
			return 4;
	return 0;
}
