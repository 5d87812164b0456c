/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* union.c - several stores asked as one */
#include "store/union.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/mem.h"
#include "store/merge.h"
#include "store/union_parts.h"

struct member {
	struct store *store;
	bool may_fail, gone;
	struct clock_offsets clock;
};

struct unite {
	struct store store;
	struct member *members;
	size_t n;
	bool compared; /* the clocks of the members */
	void (*lost)(void *ctx, const char *why);
	void *ctx;
};

/* 1: take what it gave; 0: it is left out; or the failure of the question. */
static int outcome(struct unite *u, struct member *m, int r)
{
	char *why;

	if (r >= 0)
		return 1;
	if (!m->may_fail)
		return r;
	m->gone = true;
	why = mem_str(fail_text());
	if (u->lost)
		u->lost(u->ctx, why);
	free(why);
	return 0;
}

static int compare_clocks(struct unite *u)
{
	struct arena a = { 0 };
	struct map scales = { 0 };
	int r = 0;

	if (u->compared)
		return 0;
	for (size_t i = 0; i < u->n && u->n > 1 && r >= 0; i++)
		r = outcome(u, &u->members[i],
			    clock_compare(&u->members[i].clock, u->members[i].store, &a, &scales));
	map_release(&scales);
	arena_release(&a);
	u->compared = r >= 0;
	return r < 0 ? r : 0;
}

/* Every member that is still there; r holds what went wrong with the question. Begins
 * with the clocks, which every question needs. */
#define EACH_MEMBER(u, m, r)                                                                       \
	r = compare_clocks(u);                                                                     \
	for (struct member *m = (u)->members; r >= 0 && m < (u)->members + (u)->n; m++)            \
		if (!m->gone)

static int union_runs(struct store *s, const struct run_filter *f, struct arena *a,
		      struct run **out, size_t *n)
{
	struct unite *u = (struct unite *)s;
	struct rows all = { .shape = &shape_run, .a = a };
	int r;

	EACH_MEMBER(u, m, r)
	{
		struct run *v = NULL;
		size_t n_v = 0;

		r = outcome(u, m, m->store->ops->runs(m->store, f, a, &v, &n_v));
		if (r > 0 && (r = clock_runs(&m->clock, v, n_v)) >= 0)
			rows_add(&all, v, n_v);
	}
	rows_merge(&all, all.n);
	*out = (struct run *)all.at;
	*n = all.n;
	runs_sort(*out, *n);
	if (f->most && f->most < *n)
		*n = f->most;
	return r < 0 ? r : 0;
}

static int union_run(struct store *s, const struct id *id, struct arena *a, struct run *out)
{
	struct unite *u = (struct unite *)s;
	struct rows all = { .shape = &shape_run, .a = a };
	int r;

	EACH_MEMBER(u, m, r)
	{
		struct run *v = arena_alloc(a, sizeof(*v));

		r = m->store->ops->run(m->store, id, a, v);
		if (r == -ENOENT) {
			r = 0;
			continue;
		}
		r = outcome(u, m, r);
		if (r > 0 && (r = clock_runs(&m->clock, v, 1)) >= 0)
			rows_add(&all, v, 1);
	}
	if (r < 0)
		return r;
	if (!all.n)
		return fail(ENOENT, "this run is in none of the stores");
	rows_merge(&all, all.n);
	*out = *(struct run *)all.at;
	return 0;
}

static int ask_executions(struct unite *u, struct member *m, int by, const struct id *ids,
			  size_t n_ids, struct rows *all)
{
	struct execution *v = NULL;
	size_t n = 0;
	int r = outcome(u, m, m->store->ops->executions(m->store, by, ids, n_ids, all->a, &v, &n));

	if (r > 0)
		r = outcome(u, m, clock_executions(&m->clock, m->store, v, n));
	if (r > 0)
		rows_add(all, v, n);
	return r;
}

static int id_order(const void *a, const void *b)
{
	return id_compare(a, b);
}

/* One store may not know, or know another, run or parent of an execution: what all
 * know together decides. */
static size_t still_fit(int by, const struct id *ids, size_t n_ids, struct execution *v, size_t n)
{
	struct id *sorted = mem_alloc((n_ids + 1) * sizeof(*sorted));
	size_t kept = 0;

	if (n_ids)
		memcpy(sorted, ids, n_ids * sizeof(*ids));
	n_ids = ids_sort(sorted, n_ids);
	for (size_t i = 0; i < n; i++)
		if (bsearch(by == BY_RUN ? &v[i].run : &v[i].parent, sorted, n_ids, sizeof(*sorted),
			    id_order))
			v[kept++] = v[i];
	free(sorted);
	return kept;
}

static int union_executions(struct store *s, int by, const struct id *ids, size_t n_ids,
			    struct arena *a, struct execution **out, size_t *n)
{
	struct unite *u = (struct unite *)s;
	struct rows all = { .shape = &shape_execution, .a = a };
	int r;

	EACH_MEMBER(u, m, r)
	r = ask_executions(u, m, by, ids, n_ids, &all);
	rows_merge(&all, all.n);
	*out = (struct execution *)all.at;
	*n = all.n;
	if (r >= 0 && by != BY_ID && *n && u->n > 1) {
		struct id *found = arena_alloc(a, *n * sizeof(*found));

		for (size_t i = 0; i < *n; i++)
			found[i] = (*out)[i].id;
		r = union_executions(s, BY_ID, found, *n, a, out, n);
		*n = still_fit(by, ids, n_ids, *out, *n);
	}
	executions_sort(*out, *n);
	return r < 0 ? r : 0;
}

/* The ids of the executions of some runs. */
static int executions_of(struct store *s, const struct id *runs, size_t n_runs, struct arena *a,
			 struct id **out, size_t *n)
{
	struct execution *v = NULL;
	int r = union_executions(s, BY_RUN, runs, n_runs, a, &v, n);

	*out = arena_alloc(a, (*n + 1) * sizeof(**out));
	for (size_t i = 0; i < *n; i++)
		(*out)[i] = v[i].id;
	return r;
}

static int ask_accesses(struct unite *u, struct member *m, int by, const struct id *ids,
			size_t n_ids, const struct store_except *but, struct rows *all)
{
	struct access *v = NULL;
	size_t n = 0;
	int r = outcome(u, m,
			m->store->ops->accesses(m->store, by, ids, n_ids, but, all->a, &v, &n));

	if (r > 0)
		r = outcome(u, m, clock_accesses(&m->clock, m->store, v, n));
	if (r > 0)
		rows_add(all, v, n);
	return r;
}

/* An execution that changed an object according to one store may according to another
 * have read it too, which that one does not call a change: each is asked what else it
 * knows of those that the others named. Member i gave the rows before ends[i]. */
static int complete_changes(struct unite *u, struct rows *all, const size_t *ends)
{
	struct id *execs = mem_alloc((all->n + 1) * sizeof(*execs));
	size_t n_changes = all->n;
	int r;

	EACH_MEMBER(u, m, r)
	{
		size_t i = (size_t)(m - u->members), from = i ? ends[i - 1] : 0, n = 0;

		for (size_t k = 0; k < n_changes; k++)
			if (k < from || k >= ends[i])
				execs[n++] = ((struct access *)all->at)[k].exec;
		n = ids_sort(execs, n);
		if (n)
			r = ask_accesses(u, m, BY_EXECUTION, execs, n, NULL, all);
	}
	free(execs);
	return r;
}

/* Mostly no execution is in two stores, and then no access is. */
static bool executions_shared(const struct rows *all, const size_t *ends)
{
	const struct access *v = (struct access *)all->at;
	struct map met = { 0 };
	bool shared = false;
	size_t part = 0;

	for (size_t i = 0; i < all->n && !shared; i++) {
		void **slot;

		while (i >= ends[part])
			part++;
		if (i && id_equal(&v[i].exec, &v[i - 1].exec) && (!part || i > ends[part - 1]))
			continue;
		slot = map_at(&met, &v[i].exec, sizeof(v[i].exec));
		shared = *slot && *slot != &ends[part];
		*slot = (void *)(uintptr_t)&ends[part];
	}
	map_release(&met);
	return shared;
}

static int gather_accesses(struct unite *u, int by, const struct id *ids, size_t n_ids,
			   const struct store_except *but, struct rows *all)
{
	size_t *ends = mem_alloc((u->n + 1) * sizeof(*ends)), n_changes;
	int r;

	r = compare_clocks(u);
	for (size_t i = 0; i < u->n; i++) {
		if (r >= 0 && !u->members[i].gone)
			r = ask_accesses(u, &u->members[i], by, ids, n_ids, but, all);
		ends[i] = all->n;
	}
	n_changes = all->n;
	if (r >= 0 && by == BY_OBJECT_CHANGES && all->n && u->n > 1) {
		r = complete_changes(u, all, ends);
		rows_merge(all, n_changes);
	} else if (r >= 0 && all->parts > 1 && executions_shared(all, ends)) {
		rows_merge(all, all->n);
	}
	free(ends);
	return r < 0 ? r : 0;
}

static int union_accesses(struct store *s, int by, const struct id *ids, size_t n_ids,
			  const struct store_except *but, struct arena *a, struct access **out,
			  size_t *n)
{
	struct rows all = { .shape = &shape_access, .a = a };
	struct id *execs = NULL;
	int r = 0;

	if (by == BY_RUN) {
		r = executions_of(s, ids, n_ids, a, &execs, &n_ids);
		by = BY_EXECUTION;
		ids = execs;
	}
	if (r == 0)
		r = gather_accesses((struct unite *)s, by, ids, n_ids, but, &all);
	*out = (struct access *)all.at;
	*n = all.n;
	accesses_sort(*out, *n);
	return r;
}

static int union_names(struct store *s, int by, const struct id *ids, size_t n_ids, struct arena *a,
		       struct name_event **out, size_t *n)
{
	struct unite *u = (struct unite *)s;
	struct rows all = { .shape = &shape_name, .a = a };
	struct id *execs;
	int r;

	if (by == BY_RUN) {
		r = executions_of(s, ids, n_ids, a, &execs, &n_ids);
		return r < 0 ? r : union_names(s, BY_EXECUTION, execs, n_ids, a, out, n);
	}
	EACH_MEMBER(u, m, r)
	{
		struct name_event *v = NULL;
		size_t n_v = 0;

		r = outcome(u, m, m->store->ops->names(m->store, by, ids, n_ids, a, &v, &n_v));
		if (r > 0)
			r = outcome(u, m, clock_names(&m->clock, m->store, v, n_v));
		if (r > 0)
			rows_add(&all, v, n_v);
	}
	rows_merge(&all, all.n);
	*out = (struct name_event *)all.at;
	*n = all.n;
	names_sort(*out, *n);
	return r < 0 ? r : 0;
}

/* The others tell of no execution, so of no clock. call fills got and n_got from m. */
#define GATHER(u, type, shape_, sort, call)                                                        \
	do {                                                                                       \
		struct rows all_ = { .shape = &(shape_), .a = a };                                 \
		int r_;                                                                            \
		EACH_MEMBER(u, m, r_)                                                              \
		{                                                                                  \
			struct type *got = NULL;                                                   \
			size_t n_got = 0;                                                          \
			r_ = outcome(u, m, m->store->ops->call);                                   \
			if (r_ > 0)                                                                \
				rows_add(&all_, got, n_got);                                       \
		}                                                                                  \
		rows_merge(&all_, all_.n);                                                         \
		*out = (struct type *)all_.at;                                                     \
		*n = all_.n;                                                                       \
		sort(*out, *n);                                                                    \
		return r_ < 0 ? r_ : 0;                                                            \
	} while (0)

static int union_objects(struct store *s, const struct id *ids, size_t n_ids, struct arena *a,
			 struct object **out, size_t *n)
{
	GATHER((struct unite *)s, object, shape_object, objects_sort,
	       objects(m->store, ids, n_ids, a, &got, &n_got));
}

static int union_holes(struct store *s, const struct id *run, struct arena *a, struct hole **out,
		       size_t *n)
{
	GATHER((struct unite *)s, hole, shape_hole, holes_sort,
	       holes(m->store, run, a, &got, &n_got));
}

static int union_notes(struct store *s, const struct id *run, struct arena *a, struct note **out,
		       size_t *n)
{
	GATHER((struct unite *)s, note, shape_note, notes_sort,
	       notes(m->store, run, a, &got, &n_got));
}

static int union_by_path(struct store *s, const char *path, struct arena *a, struct named **out,
			 size_t *n)
{
	GATHER((struct unite *)s, named, shape_named, named_sort,
	       by_path(m->store, path, a, &got, &n_got));
}

static int union_boot_offsets(struct store *s, struct arena *a, struct boot_offset **out, size_t *n)
{
	GATHER((struct unite *)s, boot_offset, shape_boot_offset, boot_offsets_sort,
	       boot_offsets(m->store, a, &got, &n_got));
}

static int union_ids(struct store *s, const struct id_prefix *p, size_t most, struct arena *a,
		     struct id **out, size_t *n)
{
	struct unite *u = (struct unite *)s;
	struct rows all = { .shape = &shape_id, .a = a };
	int r;

	EACH_MEMBER(u, m, r)
	{
		struct id *v = NULL;
		size_t n_v = 0;

		r = outcome(u, m, m->store->ops->ids(m->store, p, most, a, &v, &n_v));
		if (r > 0)
			rows_add(&all, v, n_v);
	}
	*out = (struct id *)all.at;
	*n = ids_sort(*out, all.n);
	*n = *n < most ? *n : most;
	return r < 0 ? r : 0;
}

static int union_info(struct store *s, struct arena *a, struct store_info *out)
{
	struct unite *u = (struct unite *)s;
	struct store_info sum = { .where = "" };
	int r;

	EACH_MEMBER(u, m, r)
	{
		struct store_info one;

		r = outcome(u, m, m->store->ops->info(m->store, a, &one));
		if (r <= 0)
			continue;
		sum.where = sum.where[0] ? arena_printf(a, "%s and %s", sum.where, one.where)
					 : one.where;
		sum.runs += one.runs;
		sum.executions += one.executions;
		sum.objects += one.objects;
		sum.accesses += one.accesses;
		sum.bytes += one.bytes;
	}
	*out = sum;
	return r < 0 ? r : 0;
}

static int union_put(struct store *s, const struct facts *f)
{
	return fail(EROFS, "facts are put into one store, not into several at once");
}

static int union_boot_offset(struct store *s, const char *host, const char *boot, int64_t proposed,
			     int64_t *kept)
{
	return union_put(s, NULL);
}

static int union_open(const char *where, enum store_mode mode, struct store **out)
{
	return fail(EINVAL, "several stores at once have no name");
}

static void union_close(struct store *s)
{
	struct unite *u = (struct unite *)s;

	for (size_t i = 0; i < u->n; i++) {
		clock_release(&u->members[i].clock);
		store_close(u->members[i].store);
	}
	free(u->members);
	free(u);
}

static const struct store_ops union_ops = {
	.scheme = "union",
	.answers_only = true,
	.open = union_open,
	.close = union_close,
	.put = union_put,
	.boot_offset = union_boot_offset,
	.boot_offsets = union_boot_offsets,
	.runs = union_runs,
	.executions = union_executions,
	.accesses = union_accesses,
	.names = union_names,
	.objects = union_objects,
	.holes = union_holes,
	.notes = union_notes,
	.run = union_run,
	.by_path = union_by_path,
	.ids = union_ids,
	.info = union_info,
};

struct store *store_union(const struct union_member *members, size_t n,
			  void (*lost)(void *ctx, const char *why), void *ctx)
{
	struct unite *u = mem_alloc(sizeof(*u));

	u->store.ops = &union_ops;
	u->members = mem_alloc((n + 1) * sizeof(*u->members));
	u->n = n;
	u->lost = lost;
	u->ctx = ctx;
	for (size_t i = 0; i < n; i++) {
		u->members[i].store = members[i].store;
		u->members[i].may_fail = members[i].may_fail;
	}
	return &u->store;
}
