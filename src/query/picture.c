/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* picture.c - from a set of executions to a graph of versions */
#include "query/picture.h"

#include <stdlib.h>
#include <string.h>

#include "build/derive.h"
#include "query/canvas.h"
#include "query/label.h"

/* One execution that reads and writes thousands of files implies millions of
 * derivations that used and wasGeneratedBy already say. */
#define PAIRS_MOST 65536

struct canvases {
	struct canvas **at;
	size_t n, room;
};

static struct canvas *canvas_of(struct picture *p, struct canvases *l, struct known_object *o)
{
	struct canvas *c = o->picture;

	if (!c) {
		c = o->picture = arena_alloc(p->tmp, sizeof(*c));
		c->o = o;
		l->at = arena_grow(p->tmp, l->at, l->n, &l->room, sizeof(struct canvas *));
		l->at[l->n++] = c;
	}
	return c;
}

static void reading_add(struct picture *p, struct canvas *c, struct known_exec *x,
			const struct access *a, const struct interval *t)
{
	int64_t latest = p->kind == PICTURE_BACKWARD ? x->up : p->until;

	c->readings = arena_grow(p->tmp, c->readings, c->n_readings, &c->readings_room,
				 sizeof(*c->readings));
	c->readings[c->n_readings++] =
		(struct reading){ x, a, t->start, t->end < latest ? t->end : latest };
}

/* Opens a canvas for each object that matters, with the reads that do. */
static void collect(struct picture *p, struct canvases *l)
{
	if (p->root)
		canvas_of(p, l, p->root);
	for (size_t i = 0; i < p->set.n; i++) {
		struct known_exec *x = p->set.at[i];
		int64_t latest = p->kind == PICTURE_BACKWARD ? x->in : p->until;

		for (size_t j = 0; j < x->deeds.n; j++) {
			const struct access *a = x->deeds.at[j].access;
			struct known_object *o = x->deeds.at[j].object;
			struct interval t;

			if (p->kind == PICTURE_FORWARD && !o->visited)
				continue;
			if (interval_of_reads(a, GRANULARITY_FIRST_LAST, x->x.end, &t) &&
			    t.start <= latest)
				reading_add(p, canvas_of(p, l, o), x, a, &t);
			else if (p->kind != PICTURE_BACKWARD)
				canvas_of(p, l, o);
		}
	}
}

/* Objects that nothing changed need none of their other readers. */
static int load(struct picture *p, const struct canvases *l)
{
	struct objects all = { 0 }, changed = { 0 };
	int r;

	for (size_t i = 0; i < l->n; i++)
		objects_add(p->tmp, &all, l->at[i]->o);
	r = known_load_objects(p->known, &all);
	if (r < 0)
		return r;
	r = known_load_names(p->known, &all);
	if (r < 0)
		return r;
	r = known_load_changes(p->known, &all);
	if (r < 0)
		return r;
	for (size_t i = 0; i < all.n; i++)
		if (all.at[i]->deeds.n)
			objects_add(p->tmp, &changed, all.at[i]);
	r = known_load_rest(p->known, &changed, &p->set);
	return r < 0 ? r : known_prepare(p->known, &all);
}

/* Those who only cut or created are shown without being in the set. */
static int load_makers(struct picture *p, const struct canvases *l)
{
	struct execs makers = { 0 };

	for (size_t i = 0; i < l->n; i++) {
		const struct canvas *c = l->at[i];

		for (size_t j = 0; j < c->n_makers; j++)
			execs_add(p->tmp, &makers,
				  canvas_owner(c, &c->v.makings[c->makers[j].making]));
	}
	return known_load_execs(p->known, &makers);
}

/* The name all of its accesses agree on, when it was never renamed. */
static const char *only_name(const struct canvas *c)
{
	const struct deeds *deeds = &c->o->deeds;
	const char *name = NULL;

	if (c->o->n_names)
		return NULL;
	for (size_t i = 0; i < c->n_readings + deeds->n; i++) {
		const struct access *a = i < c->n_readings ? c->readings[i].access
							   : deeds->at[i - c->n_readings].access;

		if (name && strcmp(name, a->path))
			return NULL;
		name = a->path;
	}
	return name && name[0] ? name : NULL;
}

static const char *version_name(struct picture *p, struct canvas *c, uint32_t k, int64_t *deleted,
				struct id *by)
{
	struct arena *a = &p->draft->graph->arena;
	struct namings names = { 0 };
	int64_t until =
		k + 1 < c->v.n && c->v.bound[k + 1] < p->until ? c->v.bound[k + 1] : p->until;
	const char *name;

	*deleted = 0;
	if (c->name)
		return c->name;
	for (size_t i = 0; i < c->n_readings; i++)
		namings_add_access(p->tmp, &names, c->readings[i].access, until);
	for (size_t i = 0; i < c->o->deeds.n; i++)
		namings_add_access(p->tmp, &names, c->o->deeds.at[i].access, until);
	for (size_t i = 0; i < c->o->n_names; i++)
		namings_add_event(p->tmp, &names, c->o->names[i], until);
	name = namings_pick(&names, deleted, by);
	if (name)
		return name;
	/* looked at before anybody had named it: what it was called first of all */
	for (size_t i = 0; i < c->o->deeds.n; i++)
		if (c->o->deeds.at[i].access->path[0])
			return c->o->deeds.at[i].access->path;
	return arena_printf(a, "%s:[%llu]", object_kind_name(c->o->o.kind),
			    (unsigned long long)c->o->o.ino);
}

/* Size and digest were taken at some moment; are they of the newest version? */
static bool is_state_of(const struct picture *p, const struct canvas *c, uint32_t k)
{
	if (!c->o->found || k + 1 != c->v.n || c->o->o.seen > p->until)
		return false;
	for (size_t i = 0; i < c->v.n_makings; i++)
		if (c->v.makings[i].last > c->o->o.seen && c->v.makings[i].last < INTERVAL_FOREVER)
			return false;
	return true;
}

/* The wall clock of whoever made the version, or of any reader. */
static struct known_exec *completer(const struct picture *p, const struct canvas *c, uint32_t k)
{
	size_t lo = 0, n = c->n_makers;

	while (lo < n) {
		size_t mid = lo + (n - lo) / 2;

		if (c->makers[mid].version < k)
			lo = mid + 1;
		else
			n = mid;
	}
	if (lo < c->n_makers && c->makers[lo].version == k)
		return canvas_owner(c, &c->v.makings[c->makers[lo].making]);
	return c->n_usings ? c->usings[0].x : NULL;
}

static void entity_add(struct picture *p, struct canvas *c, uint32_t k)
{
	const struct object *o = &c->o->o;
	struct known_exec *x = completer(p, c, k);
	struct id by = { 0 };
	int64_t deleted, cut = 0;
	bool state = is_state_of(p, c, k);
	struct node n = {
		.kind = NODE_ENTITY,
		.id = o->id,
		.version = k,
		.object = c->o->found ? o->kind : OBJECT_FILE,
		.size = state ? o->size : -1,
		.sha256 = state && o->hashed ? o->sha256 : NULL,
		.generated = k ? draft_real(p->draft, x, c->v.bound[k]) : 0,
		.status = -1,
	};

	n.path = n.label = version_name(p, c, k, &deleted, &by);
	if (k + 1 < c->v.n)
		cut = version_cut(&c->v, c->v.bound[k], c->v.bound[k + 1]);
	n.invalidated = draft_real(p->draft, x, cut ? cut : deleted);
	if (deleted && k + 1 == c->v.n)
		n.flags |= NODE_DELETED;
	if (c->v.bound[k] > p->until || c->v.bound[k] >= INTERVAL_FOREVER ||
	    (p->kind == PICTURE_BACKWARD && c->shown[k].hi < c->v.bound[k]))
		n.flags |= NODE_PARTIAL;
	if (c->o == p->root && k == c->root)
		n.flags |= NODE_ROOT;
	c->shown[k].node = graph_node(p->draft->graph, &n);
	if (n.flags & NODE_ROOT)
		p->draft->graph->root = c->shown[k].node;
	if (n.flags & NODE_DELETED) {
		struct known_exec *who = known_exec(p->known, &by);

		if (who->node != NO_NODE)
			draft_edge(p->draft, c->shown[k].node, who->node, EDGE_INVALIDATED, true,
				   n.invalidated);
	}
}

/* Uses, makings and what derives inside the object. */
static void canvas_draw(struct picture *p, struct canvas *c, struct derive *d)
{
	uint32_t before = 0;
	bool have_before = false;

	c->name = only_name(c);

	for (size_t i = 0; i < c->n_makers; i++)
		draft_activity(p->draft, canvas_owner(c, &c->v.makings[c->makers[i].making]));
	for (uint32_t k = 0; k < c->v.n; k++) {
		int64_t upto = c->v.bound[k];

		if (!c->shown[k].wanted)
			continue;
		entity_add(p, c, k);
		if (p->kind == PICTURE_BACKWARD && c->shown[k].hi < upto)
			upto = c->shown[k].hi;
		if (have_before && !version_cut(&c->v, c->v.bound[before], upto))
			draft_edge(p->draft, c->shown[k].node, c->shown[before].node, EDGE_DERIVED,
				   true,
				   /* time= */ 0);
		before = k;
		have_before = true;
	}
	for (size_t i = 0; i < c->n_usings; i++) {
		const struct using *u = &c->usings[i];
		int64_t bound = c->v.bound[u->version];
		int64_t when = bound <= u->first ? u->first : bound <= u->hi ? bound : 0;

		draft_edge(p->draft, u->x->node, c->shown[u->version].node, EDGE_USED, u->certain,
			   draft_real(p->draft, u->x, when));
		d->uses[d->n_uses++] = (struct derive_use){ u->x->node, c->shown[u->version].node,
							    u->first, u->certain };
	}
	for (size_t i = 0; i < c->n_makers; i++) {
		const struct maker *m = &c->makers[i];
		const struct making *w = &c->v.makings[m->making];
		struct known_exec *x = canvas_owner(c, w);
		int64_t bound = c->v.bound[m->version];
		int64_t last = w->end <= bound ? w->last : bound;

		draft_edge(p->draft, c->shown[m->version].node, x->node, EDGE_GENERATED, m->certain,
			   draft_real(p->draft, x, last));
		if (w->data)
			d->makes[d->n_makes++] =
				(struct derive_make){ x->node, c->shown[m->version].node, last,
						      m->certain };
	}
}

static void versions_of_nodes(struct picture *p, const struct canvases *l, struct derive *d)
{
	struct derive_version *v = arena_alloc(p->tmp, (p->draft->graph->n_nodes + 1) * sizeof(*v));

	for (size_t i = 0; i < l->n; i++) {
		const struct canvas *c = l->at[i];

		for (uint32_t k = 0; k < c->v.n; k++)
			if (c->shown[k].node != NO_NODE)
				v[c->shown[k].node] =
					(struct derive_version){ c->o->o.id, k, c->v.bound[k] };
	}
	d->versions = v;
}

static void forks_collect(struct picture *p, struct derive *d)
{
	d->forks = arena_alloc(p->tmp, (p->set.n + 1) * sizeof(*d->forks));
	for (size_t i = 0; i < p->set.n; i++) {
		const struct known_exec *x = p->set.at[i], *parent;

		if (id_is_zero(&x->x.parent) || (x->x.how != HOW_FORK && x->x.how != HOW_UNKNOWN))
			continue;
		parent = map_get(&p->known->execs, &x->x.parent, sizeof(x->x.parent));
		if (parent && parent->node != NO_NODE)
			d->forks[d->n_forks++] =
				(struct derive_fork){ x->node, parent->node,
						      x->x.start ? x->x.start : INTERVAL_FOREVER };
	}
}

static void derivations_draw(struct picture *p, const struct canvases *l, struct derive *d)
{
	struct graph *g = p->draft->graph;
	struct derivation *found;
	size_t n, skipped;

	versions_of_nodes(p, l, d);
	forks_collect(p, d);
	d->most_pairs = PAIRS_MOST;
	n = derive(p->tmp, d, &found, &skipped);
	for (size_t i = 0; i < n; i++)
		draft_edge(p->draft, found[i].from, found[i].to, EDGE_DERIVED, found[i].certain,
			   /* time= */ 0);
	if (!skipped)
		return;
	g->holes = arena_grow(&g->arena, g->holes, g->n_holes, &g->hole_room, sizeof(*g->holes));
	g->holes[g->n_holes++] = (struct hole){
		.kind = "large",
		.why = "wasDerivedFrom is left out where one execution has more than 65536 pairs "
		       "of "
		       "input and output; used and wasGeneratedBy are complete",
		.count = skipped,
	};
}

int picture_draw(struct picture *p)
{
	struct canvases l = { 0 };
	struct derive d = { 0 };
	size_t n_usings = 0, n_makers = 0, n_shown = 0;
	int r;

	collect(p, &l);
	r = load(p, &l);
	if (r < 0)
		return r;
	for (size_t i = 0; i < l.n; i++) {
		canvas_choose(p, l.at[i]);
		n_usings += l.at[i]->n_usings;
		n_makers += l.at[i]->n_makers;
		for (size_t k = 0; k < l.at[i]->v.n; k++)
			n_shown += l.at[i]->shown[k].wanted;
	}
	r = load_makers(p, &l);
	if (r < 0)
		return r;
	/* a tenth for who started whom; each activity has an agent and a starter */
	draft_reserve(p->draft, n_shown + p->set.n + p->set.n / 10 + 64,
		      2 * (n_usings + n_makers + p->set.n) + n_shown);
	d.uses = arena_alloc(p->tmp, (n_usings + 1) * sizeof(*d.uses));
	d.makes = arena_alloc(p->tmp, (n_makers + 1) * sizeof(*d.makes));
	for (size_t i = 0; i < p->set.n; i++)
		draft_activity(p->draft, p->set.at[i]);
	for (size_t i = 0; i < l.n; i++)
		canvas_draw(p, l.at[i], &d);
	derivations_draw(p, &l, &d);
	return 0;
}
