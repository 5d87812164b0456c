/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* store.c - the kinds of store, and the way into each */
#include "store/store.h"

#include <errno.h>
#include <string.h>

#include "base/buf.h"
#include "base/err.h"

extern const struct store_ops store_sqlite_ops;
extern const struct store_ops store_memory_ops;
extern const struct store_ops store_node_ops;

static const struct store_ops *const kinds[] = {
	&store_sqlite_ops, /* a bare path means the first one */
	&store_memory_ops,
	&store_node_ops,
	NULL,
};

const struct store_ops *store_kind(size_t i)
{
	return i < sizeof(kinds) / sizeof(kinds[0]) ? kinds[i] : NULL;
}

/* Length of "scheme" when uri begins with "scheme:", else 0. */
static size_t scheme_length(const char *uri)
{
	size_t n = strspn(uri, "abcdefghijklmnopqrstuvwxyz");

	return uri[n] == ':' ? n : 0;
}

static int kind_unknown(const char *uri)
{
	struct buf list = { 0 };
	int r;

	for (size_t i = 0; store_kind(i); i++)
		buf_printf(&list, "%s%s:", i ? ", " : "", store_kind(i)->scheme);
	r = fail(EINVAL,
		 "%s: there is no such kind of store (there are %s); set PROV_STORE to a file", uri,
		 list.data);
	buf_release(&list);
	return r;
}

int store_open(const char *uri, enum store_mode mode, struct store **out)
{
	size_t n;

	if (!uri || !uri[0])
		return fail(EINVAL, "the store has no name: set PROV_STORE to a file");
	n = scheme_length(uri);
	if (n == 0)
		return kinds[0]->open(uri, mode, out);
	for (size_t i = 0; store_kind(i); i++) {
		const struct store_ops *ops = store_kind(i);

		if (strlen(ops->scheme) == n && !memcmp(ops->scheme, uri, n))
			return ops->open(uri + n + 1, mode, out);
	}
	return kind_unknown(uri);
}

void store_close(struct store *s)
{
	if (s)
		s->ops->close(s);
}

int store_put(struct store *s, const struct facts *f)
{
	return s->ops->put(s, f);
}

int store_boot_offset(struct store *s, const char *host, const char *boot, int64_t proposed,
		      int64_t *kept)
{
	return s->ops->boot_offset(s, host ? host : "", boot ? boot : "", proposed, kept);
}

int store_boot_offsets(struct store *s, struct arena *a, struct boot_offset **out, size_t *n)
{
	return s->ops->boot_offsets(s, a, out, n);
}

int store_runs(struct store *s, const struct run_filter *f, struct arena *a, struct run **out,
	       size_t *n)
{
	static const struct run_filter all;

	return s->ops->runs(s, f ? f : &all, a, out, n);
}

int store_run(struct store *s, const struct id *id, struct arena *a, struct run *out)
{
	return s->ops->run(s, id, a, out);
}

int store_run_executions(struct store *s, const struct id *run, struct arena *a,
			 struct execution **out, size_t *n)
{
	return s->ops->executions(s, BY_RUN, run, 1, a, out, n);
}

int store_run_accesses(struct store *s, const struct id *run, struct arena *a, struct access **out,
		       size_t *n)
{
	return s->ops->accesses(s, BY_RUN, run, 1, NULL, a, out, n);
}

int store_run_names(struct store *s, const struct id *run, struct arena *a, struct name_event **out,
		    size_t *n)
{
	return s->ops->names(s, BY_RUN, run, 1, a, out, n);
}

int store_run_holes(struct store *s, const struct id *run, struct arena *a, struct hole **out,
		    size_t *n)
{
	return s->ops->holes(s, run, a, out, n);
}

int store_run_notes(struct store *s, const struct id *run, struct arena *a, struct note **out,
		    size_t *n)
{
	return s->ops->notes(s, run, a, out, n);
}

int store_executions(struct store *s, const struct id *ids, size_t n_ids, struct arena *a,
		     struct execution **out, size_t *n)
{
	return s->ops->executions(s, BY_ID, ids, n_ids, a, out, n);
}

int store_children(struct store *s, const struct id *parents, size_t n_ids, struct arena *a,
		   struct execution **out, size_t *n)
{
	return s->ops->executions(s, BY_PARENT, parents, n_ids, a, out, n);
}

int store_objects(struct store *s, const struct id *ids, size_t n_ids, struct arena *a,
		  struct object **out, size_t *n)
{
	return s->ops->objects(s, ids, n_ids, a, out, n);
}

int store_accesses_by_execution(struct store *s, const struct id *ids, size_t n_ids,
				struct arena *a, struct access **out, size_t *n)
{
	return s->ops->accesses(s, BY_EXECUTION, ids, n_ids, NULL, a, out, n);
}

int store_accesses_by_object(struct store *s, const struct id *ids, size_t n_ids, struct arena *a,
			     struct access **out, size_t *n)
{
	return s->ops->accesses(s, BY_OBJECT, ids, n_ids, NULL, a, out, n);
}

int store_accesses_by_others(struct store *s, const struct id *ids, size_t n_ids,
			     const struct store_except *but, struct arena *a, struct access **out,
			     size_t *n)
{
	return s->ops->accesses(s, BY_OBJECT, ids, n_ids, but, a, out, n);
}

int store_names_by_object(struct store *s, const struct id *ids, size_t n_ids, struct arena *a,
			  struct name_event **out, size_t *n)
{
	return s->ops->names(s, BY_OBJECT, ids, n_ids, a, out, n);
}

int store_objects_by_path(struct store *s, const char *path, struct arena *a, struct named **out,
			  size_t *n)
{
	if (!path)
		return fail(EINVAL, "no path was given to look up in the store");
	return s->ops->by_path(s, path, a, out, n);
}

int store_ids(struct store *s, const struct id_prefix *p, size_t most, struct arena *a,
	      struct id **out, size_t *n)
{
	return s->ops->ids(s, p, most, a, out, n);
}

int store_info(struct store *s, struct arena *a, struct store_info *out)
{
	return s->ops->info(s, a, out);
}
