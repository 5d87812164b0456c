/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* canvas.c - which versions of one object a picture shows */
#include "query/canvas.h"

#include <string.h>

static void canvas_prepare(const struct picture *p, struct canvas *c)
{
	struct known_object *o = c->o;
	bool data = !o->found || object_kind_carries_data(o->o.kind);

	versions_build(p->tmp, o->touches, data ? o->n_touches : 0, &c->v);
	for (size_t i = 0; i < o->deeds.n; i++)
		c->created |= (o->deeds.at[i].access->flags & ACCESS_CREATE) != 0;
	/* a pipe begins empty, and what comes out of it somebody has put in */
	if (o->found && o->o.kind == OBJECT_PIPE && c->v.n > 1) {
		c->created = true;
		c->one_writer = true;
		for (size_t i = 1; i < c->v.n_makings; i++)
			c->one_writer &= id_equal(&c->v.makings[i].exec, &c->v.makings[0].exec);
	}
	c->shown = arena_alloc(p->tmp, c->v.n * sizeof(*c->shown));
	for (size_t k = 0; k < c->v.n; k++)
		c->shown[k] = (struct shown){ .node = NO_NODE, .lo = INT64_MAX };
}

static void version_mark(struct canvas *c, uint32_t k, int64_t lo, int64_t hi)
{
	c->shown[k].wanted = true;
	if (lo < c->shown[k].lo)
		c->shown[k].lo = lo;
	if (hi > c->shown[k].hi)
		c->shown[k].hi = hi;
}

static void using_add(const struct picture *p, struct canvas *c, const struct reading *r,
		      uint32_t k, bool certain)
{
	c->usings = arena_grow(p->tmp, c->usings, c->n_usings, &c->usings_room, sizeof(*c->usings));
	c->usings[c->n_usings++] =
		(struct using){ r->x, k, certain && !(r->access->flags & ACCESS_UNSURE), r->lo,
				r->hi };
	version_mark(c, k, r->lo, r->hi);
}

/* What a reading used, except for a version 0 that there never was. */
static bool using_found(const struct picture *p, struct canvas *c, const struct reading *r)
{
	struct version_use *u;
	size_t n = versions_used(p->tmp, &c->v, &r->x->x.id, r->lo, r->hi, &u);
	bool found = false;

	for (size_t j = 0; j < n; j++) {
		bool certain = u[j].certain || (c->one_writer && r->access->bytes_read);

		if (u[j].version == 0 && c->created)
			continue;
		found = true;
		if (p->kind != PICTURE_FORWARD || c->shown[u[j].version].tainted)
			using_add(p, c, r, u[j].version, certain);
	}
	return found;
}

static bool is_maker(const struct canvas *c, const struct id *exec)
{
	for (size_t i = 0; i < c->v.n_makings; i++)
		if (id_equal(&c->v.makings[i].exec, exec))
			return true;
	return false;
}

static void usings_add(const struct picture *p, struct canvas *c)
{
	const struct reading *own = NULL;

	for (size_t i = 0; i < c->n_readings; i++) {
		const struct reading *r = &c->readings[i];

		if (using_found(p, c, r))
			continue;
		/* who reads back what it is writing is only worth an arrow when
		 * nothing else shows the object */
		if (is_maker(c, &r->x->x.id) && !(p->kind == PICTURE_FORWARD && c->o == p->root))
			own = r;
		else
			using_add(p, c, r, version_holding(&c->v, r->lo), false);
	}
	if (own && !c->n_usings && c->o != p->root)
		using_add(p, c, own, version_holding(&c->v, own->lo), false);
}

/* A write's part that matters to the picture, if any. */
static bool making_matters(const struct picture *p, const struct canvas *c, const struct making *m,
			   int64_t *from)
{
	const struct known_exec *x = canvas_owner(c, m);

	if (!x->reached || m->start > p->until)
		return false;
	*from = m->start;
	if (p->kind != PICTURE_FORWARD)
		return true;
	if (!m->data || m->last < x->in || m->end < x->up)
		return false;
	*from = x->up > m->start ? x->up : m->start;
	return true;
}

/* Forward: what the set wrote after it had read something of the root, and
 * what was built on that until it was cut. */
static void taint_spread(const struct picture *p, struct canvas *c)
{
	int *edge = arena_alloc(p->tmp, (c->v.n + 1) * sizeof(*edge));
	bool root = c->o == p->root;
	int depth = 0;

	for (size_t i = 0; i < c->v.n_makings; i++) {
		const struct making *m = &c->v.makings[i];
		int64_t from;

		if (!making_matters(p, c, m, &from))
			continue;
		edge[version_current(&c->v, from - 1) + 1]++;
		edge[version_current(&c->v, m->end) + 1]--;
	}
	for (uint32_t k = 0; k < c->v.n; k++) {
		depth += edge[k];
		c->shown[k].tainted = root || depth > 0;
		if (k && c->shown[k - 1].tainted &&
		    !version_cut(&c->v, c->v.bound[k - 1], c->v.bound[k]))
			c->shown[k].tainted = true;
	}
}

/* Backward: a version stands on the one before, down to a cut that its readers
 * all came after. */
static void chain_follow(struct canvas *c)
{
	for (uint32_t k = (uint32_t)c->v.n - 1; k > 0; k--) {
		int64_t bound = c->v.bound[k - 1];

		if (!c->shown[k].wanted || version_cut(&c->v, bound, c->shown[k].lo))
			continue;
		if (k > 1 || !c->created)
			version_mark(c, k - 1, c->shown[k].lo,
				     c->shown[k].hi < bound ? c->shown[k].hi : bound);
	}
}

bool canvas_shows(const struct picture *p, const struct canvas *c, const struct maker *m)
{
	const struct making *making = &c->v.makings[m->making];
	int64_t from;

	if (p->kind == PICTURE_BACKWARD) {
		if (making->start > c->shown[m->version].hi || making->start > p->until)
			return false;
		if (!making->data) /* shown, but never walked through */
			return !p->depth || c->o->round < p->depth;
		return making_matters(p, c, making, &from);
	}
	return making_matters(p, c, making, &from) && from <= c->v.bound[m->version];
}

static void root_mark(const struct picture *p, struct canvas *c)
{
	c->root = version_holding(&c->v, p->until);
	version_mark(c, c->root, p->until, p->until);
}

void canvas_choose(const struct picture *p, struct canvas *c)
{
	bool *wanted = NULL;
	size_t kept = 0;

	canvas_prepare(p, c);
	if (p->kind == PICTURE_FORWARD)
		taint_spread(p, c);
	usings_add(p, c);
	if (c->o == p->root)
		root_mark(p, c);
	if (p->kind == PICTURE_BACKWARD)
		chain_follow(c);
	if (p->kind == PICTURE_BACKWARD) {
		wanted = arena_alloc(p->tmp, c->v.n * sizeof(*wanted));
		for (size_t k = 0; k < c->v.n; k++)
			wanted[k] = c->shown[k].wanted;
	}
	c->n_makers = versions_makers(p->tmp, &c->v, wanted, &c->makers);
	for (size_t i = 0; i < c->n_makers; i++) {
		const struct maker *m = &c->makers[i];

		if (!canvas_shows(p, c, m))
			continue;
		c->shown[m->version].wanted = true;
		c->makers[kept++] = *m;
	}
	c->n_makers = kept;
}
