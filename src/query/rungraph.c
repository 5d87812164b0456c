/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* rungraph.c - everything one run did */
#include "query/picture.h"
#include "query/query.h"

static int run_set(struct store *s, struct known *k, const struct id *run, struct execs *set)
{
	struct execution *x;
	struct access *a;
	size_t n, n_accesses;
	int r = store_run_executions(s, run, k->arena, &x, &n);

	if (r < 0)
		return r;
	r = store_run_accesses(s, run, k->arena, &a, &n_accesses);
	if (r < 0)
		return r;
	for (size_t i = 0; i < n; i++) {
		struct known_exec *e = known_exec(k, &x[i].id);

		e->x = x[i];
		e->asked |= ASKED_ITSELF | ASKED_ACCESSES;
		e->found = e->reached = true;
		e->in = e->up = INTERVAL_FOREVER;
		execs_add(k->arena, set, e);
	}
	known_add_deeds(k, a, n_accesses);
	return 0;
}

static int run_draw(struct store *s, struct known *k, struct draft *d, const struct id *run,
		    struct arena *tmp)
{
	struct picture p = {
		.kind = PICTURE_RUN, .draft = d, .known = k, .tmp = tmp, .until = INTERVAL_FOREVER
	};
	int index = draft_run(d, run);
	const struct known_exec *root;
	int r;

	if (index < 0)
		return index;
	d->shift = d->graph->runs[index].shift;
	r = run_set(s, k, run, &p.set);
	if (r < 0)
		return r;
	r = picture_draw(&p);
	if (r < 0)
		return r;
	root = known_exec(k, &d->graph->runs[index].root);
	if (root->node == NO_NODE && p.set.n)
		root = p.set.at[0];
	if (root->node != NO_NODE) {
		d->graph->root = root->node;
		d->graph->nodes[root->node].flags |= NODE_ROOT;
	}
	return draft_finish(d, &p.set);
}

int query_run(struct store *s, const struct id *run, struct graph *out)
{
	struct known k = { .store = s, .arena = &out->arena };
	struct draft d = { .graph = out, .known = &k };
	struct arena tmp = { 0 };
	int r;

	*out = (struct graph){ 0 };
	r = run_draw(s, &k, &d, run, &tmp);
	if (r >= 0)
		query_fold(out);
	draft_release(&d);
	known_release(&k);
	arena_release(&tmp);
	if (r < 0)
		graph_release(out);
	return r;
}
