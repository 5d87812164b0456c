/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* walk.c - lineage and impact of one object */
#include "query/picture.h"
#include "query/query.h"
#include "query/reach.h"

/*
 * Moments on the command line are by the wall clock; facts are on the clock of
 * their boot. The newest run that had started by then says how they differ.
 */
static int shift_at(struct store *s, int64_t at, int64_t *shift)
{
	struct run_filter f = { .until = at, .most = 1 };
	struct arena tmp = { 0 };
	struct run *runs;
	size_t n;
	int r = store_runs(s, &f, &tmp, &runs, &n);

	*shift = r >= 0 && n ? runs[0].shift : 0;
	arena_release(&tmp);
	return r;
}

static int walk_draw(struct known *k, struct draft *d, const struct id *object,
		     const struct walk *w, struct arena *tmp)
{
	struct reach_walk walk = {
		.known = k,
		.tmp = tmp,
		.forward = w->direction == WALK_FORWARD,
		.depth = w->depth,
		.until = w->at ? w->at - d->shift : INTERVAL_FOREVER,
	};
	struct picture p = {
		.kind = walk.forward ? PICTURE_FORWARD : PICTURE_BACKWARD,
		.draft = d,
		.known = k,
		.tmp = tmp,
		.until = walk.until,
		.depth = w->depth,
		.root = known_object(k, object),
	};
	int r = reach(&walk, p.root);

	if (r < 0)
		return r;
	p.set = walk.reached;
	d->graph->truncated = walk.truncated;
	r = picture_draw(&p);
	return r < 0 ? r : draft_finish(d, &p.set);
}

int query_walk(struct store *s, const struct id *object, const struct walk *w, struct graph *out)
{
	struct known k = { .store = s, .arena = &out->arena };
	struct draft d = { .graph = out, .known = &k };
	struct arena tmp = { 0 };
	int r;

	*out = (struct graph){ 0 };
	r = shift_at(s, w->at, &d.shift);
	if (r >= 0)
		r = walk_draw(&k, &d, object, w, &tmp);
	if (r >= 0)
		query_fold(out);
	draft_release(&d);
	known_release(&k);
	arena_release(&tmp);
	if (r < 0)
		graph_release(out);
	return r;
}
