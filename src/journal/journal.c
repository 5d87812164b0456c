/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* journal.c - facts on disk, in blocks that each stand for themselves */
#include "journal/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/mem.h"

#define FILE_MAGIC  "PROVJRN1"
#define BLOCK_MAGIC UINT32_C(0x6b6c6270)	/* "pblk" */
#define BLOCK_FULL  (256u << 10)		/* raw bytes after which a block is written */
#define BLOCK_MAX   (64u << 20)			/* raw bytes a reader believes */
#define SLICE	    64u				/* facts of a kind between two looks at the size */

struct block_head {
	uint32_t magic;
	uint32_t stored;	/* bytes that follow */
	uint32_t raw;		/* after decompression */
	uint32_t crc;		/* of stored, raw and the bytes that follow */
};

struct journal {
	int fd;
	char *path;
	struct buf raw;		/* records of the next block */
	struct buf blocks;	/* whole ones that are not in the file yet */
	uint64_t written;
};

static uint32_t block_crc(const struct block_head *h, const void *data)
{
	return crc32_more(crc32_of(&h->stored, 8), data, h->stored);
}

static int write_all(int fd, const char *p, size_t n)
{
	while (n) {
		ssize_t r = write(fd, p, n);

		if (r < 0 && errno == EINTR)
			continue;
		if (r < 0)
			return -errno;
		p += r;
		n -= (size_t)r;
	}
	return 0;
}

/* Makes a block of the records that have come together. */
static int seal(struct journal *j)
{
	struct block_head h = { .magic = BLOCK_MAGIC };
	size_t n;
	char *at;

	if (j->raw.size == 0)
		return 0;
	buf_reserve(&j->blocks, sizeof(h) + ZSTD_compressBound(j->raw.size));
	at = j->blocks.data + j->blocks.size;
	n = ZSTD_compress(at + sizeof(h), ZSTD_compressBound(j->raw.size), j->raw.data,
			  j->raw.size, 1);
	if (ZSTD_isError(n))
		return fail(EIO, "%s: cannot compress: %s", j->path, ZSTD_getErrorName(n));
	h.stored = (uint32_t)n;
	h.raw = (uint32_t)j->raw.size;
	h.crc = block_crc(&h, at + sizeof(h));
	memcpy(at, &h, sizeof(h));
	j->blocks.size += sizeof(h) + n;
	buf_clear(&j->raw);
	return 0;
}

int journal_flush(struct journal *j)
{
	size_t done = 0;
	int r = seal(j);

	while (r == 0 && done < j->blocks.size) {
		struct block_head h;

		memcpy(&h, j->blocks.data + done, sizeof(h));
		r = write_all(j->fd, j->blocks.data + done, sizeof(h) + h.stored);
		if (r == 0) {
			done += sizeof(h) + h.stored;
			j->written += sizeof(h) + h.stored;
			continue;
		}
		/* half a block would hide the ones after it */
		(void)!ftruncate(j->fd, (off_t)j->written);
		(void)lseek(j->fd, (off_t)j->written, SEEK_SET);
		r = fail(-r, "%s: cannot write the journal: %s", j->path, strerror(-r));
	}
	if (done) {
		memmove(j->blocks.data, j->blocks.data + done, j->blocks.size - done);
		j->blocks.size -= done;
	}
	return r;
}

static void journal_free(struct journal *j)
{
	if (j->fd >= 0)
		(void)close(j->fd);
	buf_release(&j->raw);
	buf_release(&j->blocks);
	free(j->path);
	free(j);
}

/* Whoever looks for journals meets one that is whole and locked, or none: it gets
 * its name last. A file system without hard links cannot refuse a name that is taken. */
static int give_name(const char *made, const char *path)
{
	int r = link(made, path) < 0 ? -errno : 0;

	if (r == -EPERM || r == -EOPNOTSUPP || r == -ENOSYS || r == -EMLINK)
		return rename(made, path) < 0 ? -errno : 0;
	if (r == 0)
		(void)unlink(made);
	return r;
}

static int begin(struct journal *j, const char *made, const struct run *run, const char *folder)
{
	struct run copy = *run;
	struct facts f = { .runs = &copy, .n_runs = 1 };
	int r = 0;

	j->fd = open(made, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (j->fd < 0)
		return fail(errno, "%s: cannot create the journal: %s", j->path, strerror(errno));
	if (flock(j->fd, LOCK_EX | LOCK_NB) < 0)
		r = -errno;
	if (r == 0)
		r = write_all(j->fd, FILE_MAGIC, 8);
	if (r < 0)
		return fail(-r, "%s: cannot write the journal: %s", j->path, strerror(-r));
	j->written = 8;
	journal_encode_folder(folder, &j->raw);
	journal_encode(&f, &j->raw);
	r = journal_flush(j);
	if (r < 0)
		return r;
	r = give_name(made, j->path);
	return r < 0 ? fail(-r, "%s: cannot create the journal: %s", j->path, strerror(-r)) : 0;
}

int journal_create(const char *path, const struct run *run, const char *folder,
		   struct journal **out)
{
	struct journal *j = mem_alloc(sizeof(*j));
	struct buf name = { 0 };
	int r;

	j->path = mem_str(path);
	buf_printf(&name, "%s" JOURNAL_MADE, path);
	r = begin(j, name.data, run, folder);
	if (r < 0) {
		if (j->fd >= 0)
			(void)unlink(name.data);
		journal_free(j);
		buf_release(&name);
		return r;
	}
	buf_release(&name);
	*out = j;
	return 0;
}

/* The n-th slice of f; false behind the last. A run and a note can be large. */
static bool slice(const struct facts *f, size_t n, struct facts *out)
{
	bool any = false;

	*out = (struct facts){ 0 };
#define TAKE(list, step)						\
	if (n * (step) < f->n_##list) {					\
		size_t rest = f->n_##list - n * (step);			\
									\
		out->list = f->list + n * (step);			\
		out->n_##list = rest < (step) ? rest : (step);		\
		any = true;						\
	}
	TAKE(runs, 1u)
	TAKE(executions, SLICE)
	TAKE(objects, SLICE)
	TAKE(accesses, SLICE)
	TAKE(names, SLICE)
	TAKE(holes, SLICE)
	TAKE(notes, 1u)
	TAKE(transfers, SLICE)
#undef TAKE
	return any;
}

static int flush_full(struct journal *j)
{
	return j->raw.size < BLOCK_FULL ? 0 : journal_flush(j);
}

int journal_append(struct journal *j, const struct facts *f)
{
	struct facts part;
	int r = 0;

	/* a block that is too large could not be read again */
	for (size_t n = 0; slice(f, n, &part); n++) {
		int now;

		journal_encode(&part, &j->raw);
		now = flush_full(j);
		r = now < 0 ? now : r;
	}
	return r;
}

int journal_append_state(struct journal *j, const char *p, size_t n)
{
	journal_encode_state(p, n, &j->raw);
	return flush_full(j);
}

int journal_spill(struct journal *j, const char *path, const struct run *run)
{
	struct journal *rest;
	int r = seal(j);

	if (r == 0)
		r = journal_create(path, run, "", &rest);
	if (r < 0)
		return r;
	r = write_all(rest->fd, j->blocks.data, j->blocks.size);
	if (r < 0) {
		(void)unlink(path);
		r = fail(-r, "%s: cannot write: %s", path, strerror(-r));
	} else {
		buf_clear(&j->blocks);
	}
	journal_close(rest);
	return r;
}

void journal_close(struct journal *j)
{
	if (!j)
		return;
	(void)journal_flush(j);
	journal_free(j);
}

uint64_t journal_bytes(const struct journal *j)
{
	return j->written;
}

/* Reads one block and appends what is in it; 1, 0 at the end or at damage. */
static int block_next(int fd, uint64_t *at, struct buf *raw)
{
	struct block_head h;
	struct buf stored = { 0 };
	size_t n;
	int ok = 0;

	if (pread(fd, &h, sizeof(h), (off_t)*at) != (ssize_t)sizeof(h) || h.magic != BLOCK_MAGIC ||
	    h.stored > BLOCK_MAX || h.raw > BLOCK_MAX)
		return 0;
	buf_reserve(&stored, h.stored);
	if (pread(fd, stored.data, h.stored, (off_t)(*at + sizeof(h))) == (ssize_t)h.stored &&
	    block_crc(&h, stored.data) == h.crc) {
		buf_reserve(raw, h.raw);
		n = ZSTD_decompress(raw->data + raw->size, h.raw, stored.data, h.stored);
		ok = !ZSTD_isError(n) && n == h.raw;
		raw->size += ok ? n : 0;
	}
	buf_release(&stored);
	*at += ok ? sizeof(h) + h.stored : 0;
	return ok;
}

/* As many blocks as make a batch; 1, 0 when not one could be read. */
static int blocks_next(int fd, uint64_t *at, size_t batch, struct buf *raw)
{
	int any = 0;

	buf_clear(raw);
	do {
		if (!block_next(fd, at, raw))
			return any;
		any = 1;
	} while (raw->size < batch);
	return 1;
}

static int read_blocks(int fd, const struct journal_sink *sink, struct journal_end *end)
{
	size_t batch = sink->batch;
	struct buf raw = { 0 };
	int r = 0;

	while (r == 0 && end->at < end->size) {
		struct arena a = { 0 };
		const char *folder;
		struct facts f;
		uint64_t at = end->at;

		if (!blocks_next(fd, &at, batch, &raw) ||
		    journal_decode(raw.data, raw.size, &a, &f, &folder) < 0) {
			arena_release(&a);
			end->damaged = batch == 0;
			if (end->damaged)
				break;
			batch = 0;	/* to find the block that is bad */
			continue;
		}
		if (folder && sink->folder)
			sink->folder(sink->ctx, folder);
		r = sink->facts(sink->ctx, &f);
		if (r == 0)
			journal_decode_states(raw.data, raw.size, sink);
		arena_release(&a);
		end->at = at;
	}
	buf_release(&raw);
	return r;
}

int journal_read(const char *path, const struct journal_sink *sink, struct journal_end *end)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), r;
	char magic[8];
	struct stat st;

	*end = (struct journal_end){ 0 };
	if (fd < 0)
		return fail(errno, "%s: cannot read the journal: %s", path, strerror(errno));
	if (fstat(fd, &st) < 0 || pread(fd, magic, 8, 0) != 8 || memcmp(magic, FILE_MAGIC, 8)) {
		(void)close(fd);
		return fail(EBADMSG, "%s: not a journal of prov", path);
	}
	end->size = (uint64_t)st.st_size;
	end->at = sink->from > 8 ? sink->from : 8;
	r = read_blocks(fd, sink, end);
	(void)close(fd);
	return r;
}

int journal_lock(const char *path, int *fd)
{
	*fd = open(path, O_RDONLY | O_CLOEXEC);
	if (*fd < 0)
		return fail(errno, "%s: cannot read the journal: %s", path, strerror(errno));
	if (flock(*fd, LOCK_EX | LOCK_NB) < 0) {
		int r = errno == EWOULDBLOCK
				? -EAGAIN
				: fail(errno, "%s: cannot lock: %s", path, strerror(errno));

		(void)close(*fd);
		*fd = -1;
		return r;
	}
	return 0;
}
