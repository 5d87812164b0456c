/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* transfer.c - reads and writes that are not merely counted */
#include "tally.h"

#include "sys.h"

static struct held held_here(int fd, int64_t at, struct held h)
{
	if (h.tally != &tally_mute) {
		h.since = now_exact();
		h.fd = fd;
		h.at = at;
	}
	return h;
}

struct held held_read(int fd, int64_t at)
{
	int32_t granularity = tally_granularity();

	if (granularity == PROV_EVERY_ONE)
		return held_here(fd, at, read_begin(tally_of(fd)));
	/* whoever uses what it inherited has it open */
	if (granularity == PROV_OPEN_CLOSE)
		(void)tally_of(fd);
	return (struct held){ .tally = &tally_mute };
}

struct held held_write(int fd, int64_t at)
{
	int32_t granularity = tally_granularity();

	if (granularity == PROV_EVERY_ONE)
		return held_here(fd, at, write_begin(tally_of(fd)));
	if (granularity == PROV_OPEN_CLOSE)
		(void)tally_of(fd);
	return (struct held){ .tally = &tally_mute };
}

/* Where the call began to read or write: its own offset, or where the
 * descriptor stands now less what it moved on. */
static uint64_t offset_of(struct held h, uint64_t bytes)
{
	long at;

	if (h.at >= 0)
		return (uint64_t)h.at;
	if (h.at == AT_UNKNOWN)
		return PROV_NO_OFFSET;
	at = sys3(SYS_lseek, h.fd, 0, 1 /* SEEK_CUR */);
	return at >= 0 && (uint64_t)at >= bytes ? (uint64_t)at - bytes : PROV_NO_OFFSET;
}

void transfer_note(struct held h, uint64_t bytes, uint32_t written)
{
	const struct prov_object *o =
		&((const struct prov_open *)((const char *)h.tally -
					     __builtin_offsetof(struct prov_open, tally)))
			 ->object;
	uint64_t offset;
	struct prov_transfer *t;

	if (session.sealed)
		return;
	offset = offset_of(h, bytes);
	t = record_begin(PROV_TRANSFER, sizeof(*t));
	if (!t)
		return;
	t->start = h.since;
	t->ino = o->ino;
	t->btime = o->btime;
	t->dev_major = o->dev_major;
	t->dev_minor = o->dev_minor;
	t->offset = offset;
	t->bytes = bytes;
	t->written = written;
	record_end(t);
}
