/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* view.c - what a user may see of the record of his runs */
#include "provd/view.h"

#include <errno.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/map.h"
#include "base/mem.h"

struct view {
	struct store store;
	struct store *inner;
	uint32_t uid;
	struct map seen;	/* id of an execution -> SHOWN or HIDDEN */
};

#define SHOWN  ((void *)1)
#define HIDDEN ((void *)2)

static struct view *view_of_store(struct store *s)
{
	return (struct view *)s;
}

/* What is not known to be his is not shown. */
static int learn(struct view *v, const struct id *execs, size_t n)
{
	struct arena a = { 0 };
	struct id *fresh = arena_alloc(&a, (n + 1) * sizeof(*fresh));
	struct execution *x;
	size_t n_fresh = 0, n_x;
	int r = 0;

	for (size_t i = 0; i < n; i++) {
		void **at = map_at(&v->seen, &execs[i], sizeof(execs[i]));

		if (*at)
			continue;
		*at = HIDDEN;
		fresh[n_fresh++] = execs[i];
	}
	if (n_fresh)
		r = store_executions(v->inner, fresh, n_fresh, &a, &x, &n_x);
	for (size_t i = 0; r == 0 && n_fresh && i < n_x; i++)
		if (x[i].uid == v->uid)
			*map_at(&v->seen, &x[i].id, sizeof(x[i].id)) = SHOWN;
	arena_release(&a);
	return r;
}

static bool is_shown(const struct view *v, const struct id *exec)
{
	return map_get(&v->seen, exec, sizeof(*exec)) == SHOWN;
}

static int view_executions(struct store *s, int by, const struct id *ids, size_t n_ids,
			   struct arena *a, struct execution **out, size_t *n)
{
	struct view *v = view_of_store(s);
	int r = v->inner->ops->executions(v->inner, by, ids, n_ids, a, out, n);
	size_t kept = 0;

	for (size_t i = 0; r == 0 && i < *n; i++)
		if ((*out)[i].uid == v->uid)
			(*out)[kept++] = (*out)[i];
	*n = r == 0 ? kept : 0;
	return r;
}

static int view_accesses(struct store *s, int by, const struct id *ids, size_t n_ids,
			 const struct store_except *but, struct arena *a, struct access **out,
			 size_t *n)
{
	struct view *v = view_of_store(s);
	int r = v->inner->ops->accesses(v->inner, by, ids, n_ids, but, a, out, n);
	struct arena own = { 0 };
	struct id *execs;
	size_t kept = 0;

	if (r < 0)
		return r;
	execs = arena_alloc(&own, (*n + 1) * sizeof(*execs));
	for (size_t i = 0; i < *n; i++)
		execs[i] = (*out)[i].exec;
	r = learn(v, execs, *n);
	for (size_t i = 0; r == 0 && i < *n; i++)
		if (is_shown(v, &(*out)[i].exec))
			(*out)[kept++] = (*out)[i];
	*n = kept;
	arena_release(&own);
	return r;
}

static int view_names(struct store *s, int by, const struct id *ids, size_t n_ids,
		      struct arena *a, struct name_event **out, size_t *n)
{
	struct view *v = view_of_store(s);
	int r = v->inner->ops->names(v->inner, by, ids, n_ids, a, out, n);
	size_t kept = 0;

	for (size_t i = 0; r == 0 && i < *n; i++) {
		r = learn(v, &(*out)[i].exec, 1);
		if (r == 0 && is_shown(v, &(*out)[i].exec))
			(*out)[kept++] = (*out)[i];
	}
	*n = kept;
	return r;
}

/* Has anything of his used it? */
static int is_his(struct view *v, const struct id *object)
{
	struct arena a = { 0 };
	struct access *x;
	struct name_event *e;
	size_t n = 0, n_names = 0;
	int r = view_accesses(&v->store, BY_OBJECT, object, 1, NULL, &a, &x, &n);

	if (r == 0 && n == 0)
		r = view_names(&v->store, BY_OBJECT, object, 1, &a, &e, &n_names);
	arena_release(&a);
	return r < 0 ? r : n || n_names;
}

static int view_objects(struct store *s, const struct id *ids, size_t n_ids, struct arena *a,
			struct object **out, size_t *n)
{
	struct view *v = view_of_store(s);
	int r = v->inner->ops->objects(v->inner, ids, n_ids, a, out, n);
	size_t kept = 0;

	for (size_t i = 0; r == 0 && i < *n; i++) {
		int his = is_his(v, &(*out)[i].id);

		if (his > 0)
			(*out)[kept++] = (*out)[i];
		r = his < 0 ? his : 0;
	}
	*n = kept;
	return r;
}

static int view_by_path(struct store *s, const char *path, struct arena *a, struct named **out,
			size_t *n)
{
	struct view *v = view_of_store(s);
	int r = v->inner->ops->by_path(v->inner, path, a, out, n);
	size_t kept = 0;

	for (size_t i = 0; r == 0 && i < *n; i++) {
		int his = is_his(v, &(*out)[i].object);

		if (his > 0)
			(*out)[kept++] = (*out)[i];
		r = his < 0 ? his : 0;
	}
	*n = kept;
	return r;
}

static int view_ids(struct store *s, const struct id_prefix *p, size_t most, struct arena *a,
		    struct id **out, size_t *n)
{
	struct view *v = view_of_store(s);
	int r = v->inner->ops->ids(v->inner, p, most, a, out, n);
	size_t kept = 0;

	for (size_t i = 0; r == 0 && i < *n; i++) {
		int his = 1;

		if (p->kind == ID_EXECUTION) {
			r = learn(v, &(*out)[i], 1);
			his = is_shown(v, &(*out)[i]);
		} else if (p->kind == ID_OBJECT) {
			his = is_his(v, &(*out)[i]);
			r = his < 0 ? his : 0;
		}
		if (r == 0 && his > 0)
			(*out)[kept++] = (*out)[i];
	}
	*n = kept;
	return r;
}

/* ---- what is his in any case ---- */

static int view_runs(struct store *s, const struct run_filter *f, struct arena *a,
		     struct run **out, size_t *n)
{
	return store_runs(view_of_store(s)->inner, f, a, out, n);
}

static int view_run(struct store *s, const struct id *id, struct arena *a, struct run *out)
{
	return store_run(view_of_store(s)->inner, id, a, out);
}

static int view_holes(struct store *s, const struct id *run, struct arena *a, struct hole **out,
		      size_t *n)
{
	return store_run_holes(view_of_store(s)->inner, run, a, out, n);
}

static int view_notes(struct store *s, const struct id *run, struct arena *a, struct note **out,
		      size_t *n)
{
	return store_run_notes(view_of_store(s)->inner, run, a, out, n);
}

static int view_boot_offsets(struct store *s, struct arena *a, struct boot_offset **out,
			     size_t *n)
{
	return store_boot_offsets(view_of_store(s)->inner, a, out, n);
}

static int view_info(struct store *s, struct arena *a, struct store_info *out)
{
	return store_info(view_of_store(s)->inner, a, out);
}

static int view_put(struct store *s, const struct facts *f)
{
	(void)s;
	(void)f;
	return fail(EROFS, "the record of the node is only read");
}

static int view_boot_offset(struct store *s, const char *host, const char *boot,
			    int64_t proposed, int64_t *kept)
{
	(void)host;
	(void)boot;
	(void)proposed;
	(void)kept;
	return view_put(s, NULL);
}

static void view_close(struct store *s)
{
	struct view *v = view_of_store(s);

	store_close(v->inner);
	map_release(&v->seen);
	free(v);
}

static const struct store_ops view_ops = {
	.scheme = "view",
	.answers_only = true,
	.close = view_close,
	.put = view_put,
	.boot_offset = view_boot_offset,
	.boot_offsets = view_boot_offsets,
	.runs = view_runs,
	.executions = view_executions,
	.accesses = view_accesses,
	.names = view_names,
	.objects = view_objects,
	.holes = view_holes,
	.notes = view_notes,
	.run = view_run,
	.by_path = view_by_path,
	.ids = view_ids,
	.info = view_info,
};

struct store *view_of(struct store *s, uint32_t uid)
{
	struct view *v = mem_alloc(sizeof(*v));

	v->store.ops = &view_ops;
	v->inner = s;
	v->uid = uid;
	return &v->store;
}
