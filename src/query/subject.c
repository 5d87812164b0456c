/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* subject.c - what somebody means by FILE, RUN or EXECUTION */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/path.h"
#include "model/key.h"
#include "query/query.h"

#define CANDIDATES 5

static bool welcome(const char *kinds, enum id_kind kind)
{
	return strchr(kinds, (char)kind);
}

static int ambiguous(const char *text, enum id_kind kind, const struct id *ids, size_t n)
{
	struct buf list = { 0 };
	char id[ID_TEXT_SIZE];
	int r;

	for (size_t i = 0; i < n && i < CANDIDATES; i++)
		buf_printf(&list, "%s%s", i ? ", " : "", id_text(kind, &ids[i], id));
	r = fail(EINVAL, "%s could be %s%s; give more digits", text, list.data,
		 n > CANDIDATES ? " and others" : "");
	buf_release(&list);
	return r;
}

/* 1 found, 0 not an id or none that begins so, or negative errno. */
static int find_id(struct store *s, const char *text, const char *kinds, struct arena *a,
		   struct subject *out)
{
	struct id_prefix p;
	struct id *ids;
	size_t n;
	int r;

	if (!id_prefix_parse(text, &p) || !welcome(kinds, p.kind) || p.kind == ID_USER)
		return 0;
	r = store_ids(s, &p, CANDIDATES + 1, a, &ids, &n);
	if (r < 0 || n == 0)
		return r < 0 ? r : 0;
	if (n > 1)
		return ambiguous(text, p.kind, ids, n);
	*out = (struct subject){ .kind = p.kind, .id = ids[0] };
	return 1;
}

/* "last", "@" and "@N", counted from the newest run. */
static int find_recent(struct store *s, const char *text, struct arena *a, struct subject *out)
{
	struct run_filter f = { 0 };
	struct run *runs;
	unsigned long back = 0;
	size_t n;
	char *end;
	int r;

	if (strcmp(text, "last") != 0 && text[0] != '@')
		return 0;
	if (text[0] == '@' && text[1]) {
		errno = 0;
		back = strtoul(text + 1, &end, 10);
		if (*end || text[1] < '0' || text[1] > '9' || errno || back > 1u << 30)
			return 0;
	}
	f.most = back + 1;
	r = store_runs(s, &f, a, &runs, &n);
	if (r < 0)
		return r;
	if (n == 0)
		return fail(ENOENT, "nothing is recorded yet. Record with: prov run -- COMMAND");
	if (n <= back)
		return fail(ENOENT, "%s: there are only %zu runs; \"prov log\" lists them", text,
			    n);
	*out = (struct subject){ .kind = ID_RUN, .id = runs[back].id };
	return 1;
}

/* The newest run of that name. */
static int find_named(struct store *s, const char *text, struct arena *a, struct subject *out)
{
	struct run_filter f = { .grep = text };
	struct run *runs;
	size_t n;
	int r;

	if (!text[0])
		return 0;
	r = store_runs(s, &f, a, &runs, &n);
	if (r < 0)
		return r;
	for (size_t i = 0; i < n; i++) {
		if (strcmp(runs[i].name, text) != 0)
			continue;
		*out = (struct subject){ .kind = ID_RUN, .id = runs[i].id };
		return 1;
	}
	return 0;
}

static int find_path(struct store *s, const char *text, struct arena *a, struct subject *out)
{
	const char *path = path_real(a, text);
	struct object now, *found;
	struct named *named;
	size_t n = 0;
	int r;

	if (!object_of_path(path, &now)) {
		r = store_objects(s, &now.id, 1, a, &found, &n);
		if (r < 0)
			return r;
		if (n) {
			*out = (struct subject){ .kind = ID_OBJECT, .id = now.id, .path = path };
			return 1;
		}
	}
	r = store_objects_by_path(s, path, a, &named, &n);
	if (r < 0 || n == 0)
		return r < 0 ? r : 0;
	*out = (struct subject){ .kind = ID_OBJECT, .id = named[0].object, .path = path };
	return 1;
}

static int not_found(struct store *s, const char *text, const char *kinds, struct arena *a)
{
	struct store_info info = { .where = "unknown" };
	struct id_prefix p;

	(void)store_info(s, a, &info);
	if (id_prefix_parse(text, &p) && welcome(kinds, p.kind))
		return fail(ENOENT,
			    "%s: no %s has an id that begins so, and no file is called so "
			    "(store: %s)", text,
			    p.kind == ID_RUN ? "run" :
			    p.kind == ID_EXECUTION ? "execution" : "file",
			    info.where);
	if (welcome(kinds, ID_OBJECT))
		return fail(ENOENT,
			    "%s: no recorded run touched this file (store: %s). Record with: prov "
			    "run -- COMMAND",
			    text, info.where);
	if (welcome(kinds, ID_RUN))
		return fail(ENOENT, "%s: no such run (store: %s); \"prov log\" lists them", text,
			    info.where);
	return fail(ENOENT, "%s: no such execution (store: %s); \"prov show RUN\" lists them", text,
		    info.where);
}

int subject_find(struct store *s, const char *text, const char *kinds, struct arena *a,
		 struct subject *out)
{
	int r = find_id(s, text, kinds, a, out);

	if (!r && welcome(kinds, ID_RUN))
		r = find_recent(s, text, a, out);
	if (!r && welcome(kinds, ID_RUN))
		r = find_named(s, text, a, out);
	if (!r && welcome(kinds, ID_OBJECT) && text[0])
		r = find_path(s, text, a, out);
	if (!r)
		r = not_found(s, text, kinds, a);
	return r < 0 ? r : 0;
}
