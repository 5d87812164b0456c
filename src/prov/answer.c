/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* answer.c - from a name on the command line to a graph on the screen */
#include "prov/answer.h"

#include <assert.h>

static int take(struct answer *w, struct args *a, int o)
{
	switch (o) {
	case 'd':
		return args_number(a, "--depth", 1, &w->walk.depth);
	case ANSWER_AT:
		return args_time(a, "--at", &w->walk.at);
	case 'a':
		w->all = true;
		return 0;
	case 'j':
		w->json = true;
		return 0;
	case ANSWER_ASCII:
		w->ascii = true;
		return 0;
	case ANSWER_IMPACT:
		w->walk.direction = WALK_FORWARD;
		return 0;
	case 'f':
		w->format = a->value;
		return 0;
	case 'o':
		a->c->output = a->value;
		return 0;
	}
	assert(!"an option row without its case");
	return EXIT_USAGE;
}

int answer_ask(struct context *c, int argc, char **argv, const char *what, struct answer *w)
{
	struct args a = args_begin(c, argc, argv);
	int o, ret;

	while ((o = args_next(&a)) > 0)
		if ((ret = take(w, &a, o)))
			return ret;
	if (o < 0)
		return a.status;
	if (a.n_operands != 1)
		return a.n_operands ? context_usage(c, "one %s at a time", what)
				    : context_usage(c, "which %s?", what);
	w->subject = a.operands[0];
	return 0;
}

int answer_graph(struct context *c, const struct answer *w, const char *kinds, struct graph *g)
{
	struct subject s;
	int ret = context_store(c);

	if (ret)
		return ret;
	ret = subject_find(c->store, w->subject, kinds, &c->arena, &s);
	if (ret == 0)
		ret = s.kind == ID_RUN ? query_run(c->store, &s.id, g)
				       : query_walk(c->store, &s.id, &w->walk, g);
	return ret < 0 ? context_fail(c, ret) : 0;
}

int answer_write(struct context *c, const struct answer *w, const struct graph *g,
		 const struct format_ops *format)
{
	const struct format_options o = {
		.all = w->all,
		.unicode = c->unicode && !w->ascii,
		.colour = c->colour && !c->output,
		.columns = c->output ? 0 : c->columns,
		.forward = w->walk.direction == WALK_FORWARD,
	};

	return format->write(g, &o, &c->out) < 0 ? context_trouble(c) : 0;
}

int answer_main(struct context *c, int argc, char **argv, enum walk_direction direction)
{
	struct answer w = { .walk.direction = direction };
	struct graph g = { 0 };
	int ret = answer_ask(c, argc, argv, "FILE", &w);

	if (ret || !w.subject)
		return ret;
	ret = answer_graph(c, &w, "o", &g);
	if (ret == 0)
		ret = answer_write(c, &w, &g, format_find(w.json ? "json" : "text"));
	graph_release(&g);
	return ret;
}
