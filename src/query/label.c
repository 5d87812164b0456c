/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* label.c - what to call things when a person looks */
#include "query/label.h"

#include <string.h>

#include "base/buf.h"
#include "base/path.h"

const char *label_execution(struct arena *a, const struct execution *x)
{
	struct buf line = { 0 };
	const char *label;

	for (const char *p = NULL; (p = strings_next(&x->argv, p));) {
		if (line.size)
			buf_char(&line, ' ');
		buf_str(&line, p);
	}
	if (!line.size && x->exe && x->exe[0])
		buf_str(&line, path_base(x->exe));
	if (!line.size)
		buf_printf(&line, "process %u", x->pid);
	label = arena_strn(a, line.data, line.size);
	buf_release(&line);
	return label;
}

static struct naming *naming_of(struct arena *a, struct namings *l, const char *name)
{
	for (size_t i = 0; i < l->n; i++)
		if (!strcmp(l->at[i].name, name))
			return &l->at[i];
	l->at = arena_grow(a, l->at, l->n, &l->room, sizeof(*l->at));
	l->at[l->n] = (struct naming){ .name = name };
	return &l->at[l->n++];
}

static void name_give(struct arena *a, struct namings *l, const char *name, int64_t time)
{
	struct naming *n;

	if (!name || !name[0])
		return;
	n = naming_of(a, l, name);
	if (time > n->given)
		n->given = time;
}

static void name_take(struct arena *a, struct namings *l, const char *name, int64_t time,
		      const struct id *by)
{
	struct naming *n;

	if (!name || !name[0])
		return;
	n = naming_of(a, l, name);
	if (time > n->lost) {
		n->lost = time;
		n->by = *by;
	}
}

void namings_add_access(struct arena *a, struct namings *l, const struct access *x, int64_t until)
{
	int64_t t = x->opened ? x->opened : x->first_write ? x->first_write : x->first_read;

	if (t <= until)
		name_give(a, l, x->path, t);
}

void namings_add_event(struct arena *a, struct namings *l, const struct name_event *e,
		       int64_t until)
{
	if (e->time > until)
		return;
	switch (e->kind) {
	case NAME_RENAME:
	case NAME_EXCHANGE:
		name_take(a, l, e->from, e->time, &e->exec);
		name_give(a, l, e->to, e->time);
		break;
	case NAME_LINK:
	case NAME_SYMLINK:
		name_give(a, l, e->to, e->time);
		break;
	case NAME_UNLINK:
		name_take(a, l, e->from, e->time, &e->exec);
		break;
	}
}

/* A rename back to a name at the moment it was lost gives it again. */
static bool in_force(const struct naming *n)
{
	return !n->lost || n->given > n->lost;
}

static bool newer(const struct naming *a, const struct naming *b)
{
	if (in_force(a) != in_force(b))
		return in_force(a);
	if (!in_force(a) && a->lost != b->lost)
		return a->lost > b->lost;
	if (a->given != b->given)
		return a->given > b->given;
	return strcmp(a->name, b->name) > 0;
}

const char *namings_pick(const struct namings *l, int64_t *deleted, struct id *by)
{
	const struct naming *best = NULL;

	for (size_t i = 0; i < l->n; i++)
		if (!best || newer(&l->at[i], best))
			best = &l->at[i];
	*deleted = best && !in_force(best) ? best->lost : 0;
	if (*deleted)
		*by = best->by;
	return best ? best->name : NULL;
}
