/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* branch.c - what comes under what when a graph is told as a tree */
#include "format/branch.h"

#include <stdlib.h>
#include <string.h>

/* Files without an origin stand one per line up to this many */
#define LINES_MAX 6
/* Branches of one parent, unless everything was asked for: what a screen holds */
#define BRANCHES_MAX 24

struct sortable {
	const struct view *v;
	uint32_t node;
	struct link link;
	const struct link *first; /* steps that come under it, by time */
	uint32_t n_next;
	bool lone; /* entities come directly under it */
};

/* Equal for files that may share a branch. */
static int origin_order(const struct sortable *x, const struct sortable *y)
{
	if (!x->n_next != !y->n_next)
		return x->n_next ? 1 : -1;
	if (x->lone != y->lone)
		return x->lone ? 1 : -1;
	if (x->link.certain != y->link.certain)
		return x->link.certain ? -1 : 1;
	if (x->link.kept != y->link.kept)
		return x->link.kept ? 1 : -1;
	if (x->n_next != y->n_next)
		return x->n_next < y->n_next ? -1 : 1;
	for (uint32_t i = 0; i < x->n_next; i++) {
		if (x->first[i].to != y->first[i].to)
			return x->first[i].to < y->first[i].to ? -1 : 1;
		if (x->first[i].certain != y->first[i].certain)
			return x->first[i].certain ? -1 : 1;
	}
	return 0;
}

static int name_order(const struct sortable *x, const struct sortable *y)
{
	const struct node *a = &x->v->g->nodes[x->node], *b = &y->v->g->nodes[y->node];
	int r = strcmp(a->path ? a->path : "", b->path ? b->path : "");

	if (!r)
		r = id_compare(&a->id, &b->id);
	return r ? r : a->version < b->version ? -1 : a->version > b->version;
}

static int sortable_order(const void *a, const void *b)
{
	int r = origin_order(a, b);

	return r ? r : name_order(a, b);
}

static void add(struct view *v, struct branches *out, const struct branch *b)
{
	out->b = arena_grow(&v->arena, out->b, out->n, &out->room, sizeof(*out->b));
	out->b[out->n++] = *b;
}

static void cut(struct view *v, struct branches *out)
{
	if (v->all || out->n <= BRANCHES_MAX)
		return;
	out->b[BRANCHES_MAX - 1] = (struct branch){ .kind = BRANCH_CUT,
						    .n = out->n - BRANCHES_MAX + 1,
						    .certain = true };
	out->n = BRANCHES_MAX;
}

static struct branches group(struct view *v, struct sortable *s, size_t n, const struct id *run)
{
	struct branches out = { 0 };

	if (n)
		qsort(s, n, sizeof(*s), sortable_order);
	for (size_t i = 0, end; i < n; i = end) {
		struct branch b = { .kind = BRANCH_FILES,
				    .certain = s[i].link.certain,
				    .kept = s[i].link.kept,
				    .run = run };
		uint32_t *files;

		for (end = i + 1; end < n && !origin_order(&s[i], &s[end]); end++)
			;
		if (v->all || s[i].lone || s[i].link.kept || (!s[i].n_next && end - i <= LINES_MAX))
			end = i + 1;
		files = arena_alloc(&v->arena, (end - i) * sizeof(*files));
		for (size_t k = i; k < end; k++)
			files[k - i] = s[k].node;
		b.files = files;
		b.n = end - i;
		add(v, &out, &b);
	}
	return out;
}

static struct sortable sortable_of(const struct view *v, uint32_t node, struct link link,
				   bool forward)
{
	const struct links *steps = forward ? &v->users : &v->makers;
	const struct links *direct = forward ? &v->into : &v->from;

	return (struct sortable){ .v = v,
				  .node = node,
				  .link = link,
				  .n_next = steps->at[node + 1] - steps->at[node],
				  .first = &steps->link[steps->at[node]],
				  .lone = direct->at[node] < direct->at[node + 1] };
}

struct branches branches_of_step(struct view *v, uint32_t step, bool forward)
{
	const struct links *l = forward ? &v->out : &v->in;
	size_t n = l->at[step + 1] - l->at[step];
	struct sortable *s = arena_alloc(&v->arena, (n + 1) * sizeof(*s));
	struct branches out;

	for (uint32_t i = 0; i < n; i++) {
		const struct link *link = &l->link[l->at[step] + i];

		s[i] = sortable_of(v, link->to, *link, forward);
	}
	out = group(v, s, n, &v->g->nodes[v->steps[step].acts[0]].run);
	cut(v, &out);
	return out;
}

/* All files of one branch have the same steps, so the first speaks for them. */
struct branches branches_of_files(struct view *v, const struct branch *files, bool forward)
{
	const struct links *steps = forward ? &v->users : &v->makers;
	const struct links *entities = forward ? &v->into : &v->from;
	uint32_t node = files->files[0];
	struct branches out = { 0 };

	for (uint32_t i = steps->at[node]; i < steps->at[node + 1]; i++) {
		struct branch b = { .kind = BRANCH_STEP,
				    .step = steps->link[i].to,
				    .run = files->run,
				    .certain = steps->link[i].certain };

		add(v, &out, &b);
	}
	for (size_t f = 0; f < files->n; f++)
		for (uint32_t k = entities->at[files->files[f]];
		     k < entities->at[files->files[f] + 1]; k++) {
			struct branch b = { .kind = BRANCH_FILES,
					    .n = 1,
					    .run = files->run,
					    .certain = entities->link[k].certain,
					    .kept = entities->link[k].kept };

			b.files = arena_copy(&v->arena, &entities->link[k].to, sizeof(uint32_t));
			add(v, &out, &b);
		}
	cut(v, &out);
	return out;
}

bool branch_ends(const struct view *v, uint32_t node, bool forward)
{
	const struct links *a = forward ? &v->users : &v->makers;
	const struct links *b = forward ? &v->into : &v->from;

	return a->at[node] == a->at[node + 1] && b->at[node] == b->at[node + 1];
}

struct branches branches_of_all(struct view *v, bool forward)
{
	struct sortable *s = arena_alloc(&v->arena, (v->g->n_nodes + 1) * sizeof(*s));
	struct branches out = { 0 };
	size_t n = 0;

	for (uint32_t i = 0; i < v->g->n_nodes; i++)
		if (v->shown[i] && v->g->nodes[i].kind == NODE_ENTITY &&
		    branch_ends(v, i, !forward) && !branch_ends(v, i, forward))
			s[n++] = sortable_of(v, i, (struct link){ .certain = true }, forward);
	out = group(v, s, n, NULL);
	return out;
}
