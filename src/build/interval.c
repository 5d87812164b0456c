/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* interval.c - one shape for all granularities */
#include "build/interval.h"

int interval_rank(enum access_event start, enum access_event end)
{
	/* Open to First and Last to Close hold no access; the rest runs backwards. */
	static const int ranks[4][4] = {
		[EVENT_OPEN] = { [EVENT_LAST] = 2, [EVENT_CLOSE] = 1 },
		[EVENT_FIRST] = { [EVENT_LAST] = 3, [EVENT_CLOSE] = 2 },
	};

	return ranks[start][end];
}

/* Times come from files: keep sums and comparisons in range. */
static int64_t sane(int64_t t)
{
	if (t < 0)
		return 0;
	return t < INTERVAL_FOREVER ? t : INTERVAL_FOREVER;
}

static bool closed_after(const struct access *a, int64_t last)
{
	return a->closed && (a->closed > last || (a->closed == last && a->fuzz <= 0));
}

bool interval_needs_end(const struct access *a)
{
	const uint32_t mapped = ACCESS_MAP_READ | ACCESS_MAP_WRITE | ACCESS_LOAD;

	return a->flags & mapped || !closed_after(a, a->last_read) ||
	       !closed_after(a, a->last_write);
}

/* A descriptor that was inherited was in use before the first open, if any. */
static int64_t start_of(const struct access *a, int64_t first, enum granularity g)
{
	bool coarse = g == GRANULARITY_OPEN_CLOSE || g == GRANULARITY_OPEN_LAST;
	int64_t opened = a->flags & ACCESS_INHERIT ? 0 : a->opened;

	if (!first || (coarse && opened && opened < first))
		return sane(opened);
	return sane(first);
}

/* When the last descriptor was closed, or the execution that held it ended. An
 * access that is no older than the close by a coarse clock came after it: the
 * object was opened once more. */
static int64_t close_of(const struct access *a, int64_t last, int64_t exec_end, bool mapped)
{
	if (!mapped && closed_after(a, last))
		return sane(a->closed);
	return exec_end && exec_end >= last ? sane(exec_end) : INTERVAL_FOREVER;
}

/* on: there may have been more after last. */
static void interval_fill(const struct access *a, int64_t first, int64_t last, bool mapped, bool on,
			  enum granularity g, int64_t exec_end, struct interval *out)
{
	bool coarse = g == GRANULARITY_OPEN_CLOSE || g == GRANULARITY_FIRST_CLOSE;
	int64_t latest = sane(sane(last) + sane(a->fuzz));

	out->start = start_of(a, first, g);
	out->end = close_of(a, last, exec_end, mapped);
	out->last = out->end;
	if (last && !coarse && !mapped && !on) {
		out->last = sane(last);
		if (latest < out->end)
			out->end = latest;
	}
	if (out->last < out->start)
		out->last = out->start;
	if (out->end < out->last)
		out->end = out->last;
}

bool interval_of_reads(const struct access *a, enum granularity g, int64_t exec_end,
		       struct interval *out)
{
	const uint32_t mapped = ACCESS_MAP_READ | ACCESS_LOAD;

	if (!(a->flags & (mapped | ACCESS_READ)) && !a->first_read)
		return false;
	interval_fill(a, a->first_read, a->last_read, a->flags & mapped,
		      a->flags & ACCESS_READS_ON, g, exec_end, out);
	return true;
}

bool interval_of_writes(const struct access *a, enum granularity g, int64_t exec_end,
			struct interval *out)
{
	if (!(a->flags & (ACCESS_MAP_WRITE | ACCESS_WRITE)) && !a->first_write)
		return false;
	interval_fill(a, a->first_write, a->last_write, a->flags & ACCESS_MAP_WRITE,
		      a->flags & ACCESS_WRITES_ON, g, exec_end, out);
	return true;
}
