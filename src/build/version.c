/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* version.c - the versions of one object */
#include "build/version.h"

#include <stdlib.h>
#include <string.h>

/* Of the first i+1 makings by start that carry data: the two latest ends by
 * different executions, so that "does anybody else write then" is a lookup. */
struct reach {
	struct id exec;
	int64_t end, other_end;
};

struct touch touch_of(const struct access *a, enum granularity g, int64_t exec_end)
{
	struct touch t = { .exec = a->exec, .unsure = a->flags & ACCESS_UNSURE };

	t.has_reads = interval_of_reads(a, g, exec_end, &t.reads);
	t.has_writes = interval_of_writes(a, g, exec_end, &t.writes);
	if (a->truncated > 0)
		t.cut = a->truncated;
	else if (a->flags & (ACCESS_CREATE | ACCESS_TRUNCATE) && a->opened > 0)
		t.made = a->opened;
	return t;
}

static int by_time(const void *pa, const void *pb)
{
	int64_t a = *(const int64_t *)pa, b = *(const int64_t *)pb;

	return (a > b) - (a < b);
}

static int by_start(const void *pa, const void *pb)
{
	const struct making *a = pa, *b = pb;

	if (a->start != b->start)
		return a->start > b->start ? 1 : -1;
	if (a->end != b->end)
		return a->end > b->end ? 1 : -1;
	if (a->data != b->data)
		return a->data ? 1 : -1;
	return id_compare(&a->exec, &b->exec);
}

size_t times_sort(int64_t *t, size_t n)
{
	size_t kept = 0;

	if (n > 1)
		qsort(t, n, sizeof(*t), by_time);
	for (size_t i = 0; i < n; i++)
		if (!kept || t[kept - 1] != t[i])
			t[kept++] = t[i];
	return kept;
}

size_t times_upto(const int64_t *times, size_t n, int64_t t)
{
	size_t lo = 0;

	while (lo < n) {
		size_t mid = lo + (n - lo) / 2;

		if (times[mid] <= t)
			lo = mid + 1;
		else
			n = mid;
	}
	return lo;
}

/* How many makings start at or before t. */
static size_t makings_upto(const struct versions *v, int64_t t)
{
	size_t lo = 0, n = v->n_makings;

	while (lo < n) {
		size_t mid = lo + (n - lo) / 2;

		if (v->makings[mid].start <= t)
			lo = mid + 1;
		else
			n = mid;
	}
	return lo;
}

static void reach_build(struct arena *a, struct versions *v)
{
	struct reach r = { .end = -1, .other_end = -1 };

	v->reach = arena_alloc(a, v->n_makings * sizeof(*v->reach));
	for (size_t i = 0; i < v->n_makings; i++) {
		const struct making *m = &v->makings[i];

		if (!m->data) {
			/* writes nothing a reader could overlap with */
		} else if (r.end >= 0 && id_equal(&m->exec, &r.exec)) {
			r.end = m->end > r.end ? m->end : r.end;
		} else if (m->end > r.end) {
			r = (struct reach){ m->exec, m->end, r.end };
		} else if (m->end > r.other_end) {
			r.other_end = m->end;
		}
		v->reach[i] = r;
	}
}

/* The latest end of what others than exec (NULL: than nobody) began to write
 * at or before t; -1 none. */
static int64_t reach_of(const struct versions *v, const struct id *exec, int64_t t)
{
	size_t n = makings_upto(v, t);
	const struct reach *r;

	if (!n)
		return -1;
	r = &v->reach[n - 1];
	return exec && r->end >= 0 && id_equal(exec, &r->exec) ? r->other_end : r->end;
}

/*
 * Cutting and creating make a version of their own only where nothing is
 * written before somebody looks or cuts again: "> out" has a maker, but
 * "cmd > out" is made by cmd.
 */
static bool stands_alone(const struct versions *v, const int64_t *read_starts, size_t n_reads,
			 int64_t at)
{
	size_t c = times_upto(v->cuts, v->n_cuts, at), w = makings_upto(v, at - 1);
	int64_t next_cut = c < v->n_cuts ? v->cuts[c] : INTERVAL_FOREVER;
	int64_t next_write = w < v->n_makings ? v->makings[w].start : INTERVAL_FOREVER;
	int64_t epoch_end = next_cut < next_write ? next_cut : next_write;
	size_t r;

	if (reach_of(v, /* exec= */ NULL, at - 1) >= at)
		return false; /* somebody is writing: what follows is theirs */
	if (next_write >= next_cut)
		return true;
	r = times_upto(read_starts, n_reads, at - 1);
	return r < n_reads && read_starts[r] < epoch_end;
}

static void makings_collect(struct arena *a, const struct touch *t, size_t n, struct versions *v)
{
	size_t n_reads = 0, n_data = 0, n_all = 0, n_cuts = 0;
	struct making *m;
	int64_t *reads;

	for (size_t i = 0; i < n; i++) {
		n_all += t[i].has_writes + (t[i].cut || t[i].made);
		n_reads += t[i].has_reads;
		n_cuts += t[i].cut != 0;
	}
	if (n_all == 0)
		return;
	v->makings = m = arena_alloc(a, n_all * sizeof(*m));
	reads = arena_alloc(a, n_reads * sizeof(*reads));
	v->cuts = arena_alloc(a, n_cuts * sizeof(*v->cuts));
	n_reads = 0;
	for (size_t i = 0; i < n; i++) {
		if (t[i].has_reads)
			reads[n_reads++] = t[i].reads.start;
		if (t[i].cut)
			v->cuts[v->n_cuts++] = t[i].cut;
		if (t[i].has_writes)
			m[n_data++] = (struct making){ t[i].exec,
						       t[i].writes.start,
						       t[i].writes.last,
						       t[i].writes.end,
						       true,
						       t[i].unsure,
						       i };
	}
	n_reads = times_sort(reads, n_reads);
	v->n_cuts = times_sort(v->cuts, v->n_cuts);
	v->n_makings = n_data;
	qsort(m, n_data, sizeof(*m), by_start);
	reach_build(a, v);
	n_all = n_data;
	for (size_t i = 0; i < n; i++) {
		int64_t at = t[i].cut ? t[i].cut : t[i].made;

		if (at && stands_alone(v, reads, n_reads, at))
			m[n_all++] =
				(struct making){ t[i].exec, at, at, at, false, t[i].unsure, i };
	}
	if (n_all == n_data)
		return;
	v->n_makings = n_all;
	qsort(m, n_all, sizeof(*m), by_start);
	reach_build(a, v);
}

void versions_build(struct arena *a, const struct touch *t, size_t n, struct versions *v)
{
	int64_t *bound;
	size_t k = 0;

	*v = (struct versions){ 0 };
	makings_collect(a, t, n, v);
	bound = arena_alloc(a, (1 + v->n_makings + (v->n_makings ? n : 0)) * sizeof(*bound));
	bound[k++] = 0;
	for (size_t i = 0; i < v->n_makings; i++)
		bound[k++] = v->makings[i].end;
	for (size_t i = 0; v->n_makings && i < n; i++)
		/* began before this moment, ends after it, and is by another */
		if (t[i].has_reads && reach_of(v, &t[i].exec, t[i].reads.end - 1) > t[i].reads.end)
			bound[k++] = t[i].reads.end;
	v->bound = bound;
	v->n = times_sort(bound, k);
}

uint32_t version_current(const struct versions *v, int64_t t)
{
	size_t n = times_upto(v->bound, v->n, t);

	return n ? (uint32_t)n - 1 : 0;
}

uint32_t version_holding(const struct versions *v, int64_t t)
{
	uint32_t k = version_current(v, t);

	if (v->bound[k] == t || k + 1 >= v->n)
		return k;
	return reach_of(v, /* exec= */ NULL, t) > v->bound[k] ? k + 1 : k;
}

int64_t version_cut(const struct versions *v, int64_t after, int64_t upto)
{
	size_t i = times_upto(v->cuts, v->n_cuts, after);

	return i < v->n_cuts && v->cuts[i] <= upto ? v->cuts[i] : 0;
}

/* Did others than reader, who wrote in [lo, hi], make version k by hi? */
static bool made_meanwhile(const struct versions *v, uint32_t k, const struct id *reader,
			   int64_t lo, int64_t hi)
{
	int64_t upto = v->bound[k] < hi ? v->bound[k] : hi;
	int64_t end = reach_of(v, reader, upto);

	return end > v->bound[k - 1] && end >= lo;
}

static size_t use_add(struct arena *a, struct version_use **u, size_t n, size_t *room, uint32_t k)
{
	*u = arena_grow(a, *u, n, room, sizeof(**u));
	(*u)[n] = (struct version_use){ k, false };
	return n + 1;
}

size_t versions_used(struct arena *a, const struct versions *v, const struct id *reader, int64_t lo,
		     int64_t hi, struct version_use **out)
{
	uint32_t current = version_current(v, lo), newest = version_holding(v, hi);
	bool overlapped = reach_of(v, reader, hi) >= lo;
	struct version_use *u = NULL;
	size_t n = 0, room = 0;

	if (!overlapped && version_cut(v, v->bound[current], lo))
		current = newest; /* nothing is left but what it is writing itself */
	if (!overlapped || newest <= current) {
		n = use_add(a, &u, n, &room, current);
		u[0].certain = !overlapped;
		*out = u;
		return n;
	}
	if (!version_cut(v, v->bound[current], lo))
		n = use_add(a, &u, n, &room, current);
	for (int64_t cut = lo; (cut = version_cut(v, cut, hi));) {
		uint32_t before = version_current(v, cut - 1);

		if (before > current && before < newest && (!n || u[n - 1].version < before))
			n = use_add(a, &u, n, &room, before);
	}
	while (newest > current && !made_meanwhile(v, newest, reader, lo, hi))
		newest--;
	if (newest > current && (!n || u[n - 1].version < newest))
		n = use_add(a, &u, n, &room, newest);
	if (!n)
		n = use_add(a, &u, n, &room, current);
	*out = u;
	return n;
}

size_t versions_makers(struct arena *a, const struct versions *v, const bool *wanted,
		       struct maker **out)
{
	uint32_t *active = arena_alloc(a, v->n_makings * sizeof(*active));
	size_t n_active = 0, next = 0, n = 0, room = 0;

	*out = NULL;
	for (uint32_t k = 1; k < v->n; k++) {
		size_t kept = 0;

		for (; next < v->n_makings && v->makings[next].start <= v->bound[k]; next++)
			active[n_active++] = (uint32_t)next;
		for (size_t i = 0; i < n_active; i++) {
			const struct making *m = &v->makings[active[i]];
			bool first = m->start > v->bound[k - 1] &&
				     (m->start < v->bound[k] || m->end == v->bound[k]);
			bool last = m->last > v->bound[k - 1] && m->end <= v->bound[k];

			if (!wanted || wanted[k]) {
				*out = arena_grow(a, *out, n, &room, sizeof(**out));
				(*out)[n++] = (struct maker){ k, active[i],
							      (first || last) && !m->unsure };
			}
			if (m->end > v->bound[k])
				active[kept++] = active[i];
		}
		n_active = kept;
	}
	return n;
}

uint32_t versions_lps(const struct versions *v, const struct id *reader, int64_t lo, int64_t hi)
{
	int64_t end = reach_of(v, reader, hi);

	return version_current(v, end >= lo ? end : lo);
}

size_t versions_lps_number(const struct versions *v, const struct id *reader, int64_t lo,
			   int64_t hi)
{
	int64_t end = reach_of(v, reader, hi);
	int64_t when = end >= lo ? end : lo;
	size_t number = 0;

	for (size_t i = 0; i < v->n_makings; i++)
		number += (v->makings[i].start <= when) + (v->makings[i].end <= when);
	return number;
}
