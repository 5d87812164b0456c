/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* view.c - what pictures for people show of a graph */
#include "format/view.h"

#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "format/credit.h"
#include "format/format.h"
#include "format/pipeline.h"

struct pair {
	uint32_t from;
	struct link link;
};

struct pairs {
	struct pair *p;
	size_t n, room;
};

static void pair_add(struct view *v, struct pairs *l, uint32_t from, struct link link)
{
	l->p = arena_grow(&v->arena, l->p, l->n, &l->room, sizeof(*l->p));
	l->p[l->n++] = (struct pair){ from, link };
}

static int pair_order(const void *a, const void *b)
{
	const struct pair *x = a, *y = b;

	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return x->link.to < y->link.to ? -1 : x->link.to > y->link.to;
}

/* Sorts, and of equal links keeps one: certain wins, read wins over kept. */
static struct links index_pairs(struct view *v, struct pairs *l, size_t n_items)
{
	struct links out = {
		.at = arena_alloc(&v->arena, (n_items + 1) * sizeof(*out.at)),
		.link = arena_alloc(&v->arena, (l->n + 1) * sizeof(*out.link)),
	};
	uint32_t n = 0;
	size_t i = 0;

	if (l->n)
		qsort(l->p, l->n, sizeof(*l->p), pair_order);
	for (uint32_t item = 0; item < n_items; item++) {
		out.at[item] = n;
		for (; i < l->n && l->p[i].from == item; i++) {
			struct link *last = n > out.at[item] ? &out.link[n - 1] : NULL;

			if (last && last->to == l->p[i].link.to) {
				last->certain |= l->p[i].link.certain;
				last->kept &= l->p[i].link.kept;
			} else {
				out.link[n++] = l->p[i].link;
			}
		}
	}
	out.at[n_items] = n;
	return out;
}

static bool has_link(const struct links *l, uint32_t item, uint32_t to)
{
	size_t low = l->at[item], high = l->at[item + 1];

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (l->link[middle].to == to)
			return true;
		if (l->link[middle].to < to)
			low = middle + 1;
		else
			high = middle;
	}
	return false;
}

/* A file somebody made must never look like an input, so whoever made a shown
 * entity is shown too. A pipe leads nowhere unless somebody else who is shown reads it. */
static void choose(struct view *v)
{
	const struct graph *g = v->g;
	bool *read = arena_alloc(&v->arena, g->n_nodes + 1);
	uint32_t *maker = credit_makers(&v->arena, g);

	for (size_t i = 0; i < g->n_nodes; i++)
		v->shown[i] =
			g->nodes[i].kind != NODE_AGENT &&
			(v->all || (g->nodes[i].flags & (NODE_FOLDED | NODE_ROOT)) != NODE_FOLDED);
	for (size_t i = 0; i < g->n_edges; i++)
		if (g->edges[i].kind == EDGE_USED && v->shown[g->edges[i].from] &&
		    maker[g->edges[i].to] != g->edges[i].from)
			read[g->edges[i].to] = true;
	for (size_t i = 0; i < g->n_nodes; i++)
		if (g->nodes[i].kind == NODE_ENTITY && g->nodes[i].object == OBJECT_PIPE &&
		    !read[i] && !v->all && !(g->nodes[i].flags & NODE_ROOT))
			v->shown[i] = false;
	for (size_t i = 0; i < g->n_edges; i++)
		if (g->edges[i].kind == EDGE_GENERATED && v->shown[g->edges[i].from])
			v->shown[g->edges[i].to] = true;
	for (size_t i = 0; i < g->n_nodes; i++)
		if (g->nodes[i].kind != NODE_AGENT && !v->shown[i])
			v->hidden++;
}

static void link_steps(struct view *v, struct pairs *in, struct pairs *out)
{
	const struct graph *g = v->g;

	for (size_t i = 0; i < g->n_edges; i++) {
		const struct edge *e = &g->edges[i];
		struct link l = { .certain = e->certain };

		if ((e->kind != EDGE_USED && e->kind != EDGE_GENERATED) || !v->shown[e->from] ||
		    !v->shown[e->to])
			continue;
		l.to = e->kind == EDGE_USED ? e->to : e->from;
		if (e->kind == EDGE_USED)
			pair_add(v, in, v->step_of[e->from], l);
		else
			pair_add(v, out, v->step_of[e->to], l);
	}
}

static struct pairs turn(struct view *v, const struct links *l, size_t n)
{
	struct pairs out = { 0 };

	for (uint32_t i = 0; i < n; i++)
		for (uint32_t k = l->at[i]; k < l->at[i + 1]; k++) {
			struct link back = l->link[k];

			back.to = i;
			pair_add(v, &out, l->link[k].to, back);
		}
	return out;
}

static bool explained(const struct view *v, const struct edge *e)
{
	for (uint32_t k = v->makers.at[e->from]; k < v->makers.at[e->from + 1]; k++)
		if (has_link(&v->in, v->makers.link[k].to, e->to))
			return true;
	return false;
}

/* Derivations that no step of the view stands for: a step that kept part of
 * the older content is given it as an input; without a step they are links
 * between entities. */
static void link_derivations(struct view *v, struct pairs *in)
{
	const struct graph *g = v->g;
	struct pairs from = { 0 }, into;

	for (size_t i = 0; i < g->n_edges; i++) {
		const struct edge *e = &g->edges[i];
		struct link l = { .to = e->to, .certain = e->certain };

		if (e->kind != EDGE_DERIVED || !v->shown[e->from] || !v->shown[e->to] ||
		    e->from == e->to || explained(v, e))
			continue;
		l.kept = id_equal(&g->nodes[e->from].id, &g->nodes[e->to].id);
		if (v->makers.at[e->from] < v->makers.at[e->from + 1])
			pair_add(v, in, v->makers.link[v->makers.at[e->from]].to, l);
		else
			pair_add(v, &from, e->from, l);
	}
	v->from = index_pairs(v, &from, g->n_nodes);
	into = turn(v, &v->from, g->n_nodes);
	v->into = index_pairs(v, &into, g->n_nodes);
}

static bool made_only_by(const struct view *v, uint32_t node, uint32_t step)
{
	return v->makers.at[node + 1] - v->makers.at[node] == 1 &&
	       v->makers.link[v->makers.at[node]].to == step;
}

bool view_own(const struct view *v, uint32_t node, uint32_t step)
{
	return !v->all && !v->passed[node] && made_only_by(v, node, step);
}

/* What an execution made and read again itself says nothing about where data
 * came from; deleted files of that sort are its temporary files. */
static void drop_own_input(struct view *v, struct pairs *in)
{
	size_t n = 0;

	for (size_t i = 0; i < in->n; i++)
		if (!view_own(v, in->p[i].link.to, in->p[i].from))
			in->p[n++] = in->p[i];
	in->n = n;
	v->in = index_pairs(v, in, v->n_steps);
}

static void drop_temporary(struct view *v, struct pairs *out)
{
	const struct graph *g = v->g;
	size_t n = 0;

	if (v->all)
		return;
	for (size_t i = 0; i < out->n; i++) {
		uint32_t e = out->p[i].link.to;
		bool used =
			v->users.at[e] < v->users.at[e + 1] || v->into.at[e] < v->into.at[e + 1];

		if (!used && made_only_by(v, e, out->p[i].from) &&
		    (g->nodes[e].flags & (NODE_DELETED | NODE_ROOT)) == NODE_DELETED) {
			v->shown[e] = false;
			v->temporary++;
		} else {
			out->p[n++] = out->p[i];
		}
	}
	out->n = n;
	v->out = index_pairs(v, out, v->n_steps);
}

static void find_versions(struct view *v)
{
	struct map first = { 0 };

	for (uint32_t i = 0; i < v->g->n_nodes; i++) {
		void **at;

		if (!v->shown[i] || v->g->nodes[i].kind != NODE_ENTITY)
			continue;
		at = map_at(&first, &v->g->nodes[i].id, sizeof(struct id));
		if (*at)
			v->versioned[i] = v->versioned[(struct node *)*at - v->g->nodes] = true;
		else
			*at = &v->g->nodes[i];
	}
	map_release(&first);
}

static void find_run(struct view *v)
{
	const struct graph *g = v->g;
	const struct id *run = NULL;

	v->cwd = "";
	if (!g->n_runs)
		return;
	v->run = &g->runs[0];
	if (g->n_nodes && g->nodes[g->root].kind == NODE_ACTIVITY)
		run = &g->nodes[g->root].run;
	else if (g->n_nodes && v->makers.at[g->root] < v->makers.at[g->root + 1])
		run = &g->nodes[v->steps[v->makers.link[v->makers.at[g->root + 1] - 1].to].acts[0]]
			       .run;
	if (run && graph_run(g, run))
		v->run = graph_run(g, run);
	if (v->run->cwd)
		v->cwd = v->run->cwd;
}

void view_init(struct view *v, const struct graph *g, bool all)
{
	struct pairs in = { 0 }, out = { 0 }, back;

	*v = (struct view){ .g = g, .all = all };
	v->shown = arena_alloc(&v->arena, g->n_nodes + 1);
	v->passed = credit_passed(&v->arena, g);
	if (!all)
		v->g = credit_graph(&v->arena, g);
	v->versioned = arena_alloc(&v->arena, g->n_nodes + 1);
	v->step_of = arena_alloc(&v->arena, (g->n_nodes + 1) * sizeof(*v->step_of));
	choose(v);
	pipeline_join(v);
	link_steps(v, &in, &out);
	v->in = index_pairs(v, &in, v->n_steps);
	v->out = index_pairs(v, &out, v->n_steps);
	back = turn(v, &v->out, v->n_steps);
	v->makers = index_pairs(v, &back, g->n_nodes);
	link_derivations(v, &in);
	drop_own_input(v, &in);
	back = turn(v, &v->in, v->n_steps);
	v->users = index_pairs(v, &back, g->n_nodes);
	drop_temporary(v, &out);
	find_versions(v);
	find_run(v);
}

void view_release(struct view *v)
{
	struct arena a = v->arena;

	arena_release(&a);
	*v = (struct view){ 0 };
}

void view_name(const struct view *v, uint32_t node, struct buf *out)
{
	const struct node *n = &v->g->nodes[node];
	const char *path = n->path ? n->path : n->label ? n->label : "?";
	size_t cwd = strlen(v->cwd);

	if (n->object == OBJECT_PIPE && !v->all)
		path = "(pipe)";
	if (cwd > 1 && !strncmp(path, v->cwd, cwd) && path[cwd] == '/' && path[cwd + 1])
		path += cwd + 1;
	buf_str(out, path);
	if (n->object == OBJECT_DIRECTORY && *path && path[strlen(path) - 1] != '/')
		buf_char(out, '/');
	if (v->versioned[node])
		buf_printf(out, " @%u", n->version);
}

bool view_stage(const struct view *v, uint32_t step, uint32_t *act, struct buf *out)
{
	const struct step *s = &v->steps[step];
	uint32_t i = *act, end = i;

	if (i == s->n_acts)
		return false;
	while (end < s->n_acts && s->stage[end] == s->stage[i])
		end++;
	*act = end;
	if (end - i > 1)
		buf_char(out, '(');
	for (uint32_t k = i; k < end; k++) {
		const struct node *n = &v->g->nodes[s->acts[k]];

		if (k > i)
			buf_str(out, "; ");
		if (strings_count(&n->argv))
			format_command(&n->argv, out);
		else
			buf_str(out, n->exe && *n->exe       ? n->exe
				     : n->label && *n->label ? n->label
							     : "?");
	}
	if (end - i > 1)
		buf_char(out, ')');
	return true;
}

void view_command(const struct view *v, uint32_t step, struct buf *out)
{
	uint32_t act = 0;

	view_stage(v, step, &act, out);
	while (act < v->steps[step].n_acts) {
		buf_str(out, " | ");
		view_stage(v, step, &act, out);
	}
}

void view_holes(const struct view *v, struct buf *out)
{
	const struct graph *g = v->g;
	char id[ID_TEXT_SIZE];
	bool others = false;

	if (!g->n_holes)
		return;
	for (size_t i = 1; i < g->n_holes; i++)
		others |= strcmp(g->holes[i].why ? g->holes[i].why : "",
				 g->holes[0].why ? g->holes[0].why : "");
	buf_printf(out, "%zu blind spot%s: %s%s; prov show %s --all", g->n_holes,
		   g->n_holes == 1 ? "" : "s", g->holes[0].why ? g->holes[0].why : "unknown",
		   others ? ", and others" : "", id_short(ID_RUN, &g->holes[0].run, id));
}
