/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* dot.c - a graph as a Graphviz drawing, data flowing from inputs to results */
#include "format/dot.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/path.h"
#include "format/stack.h"
#include "format/utf8.h"
#include "format/view.h"
#include "format/writers.h"

/* Colours of the Okabe-Ito set; black on each has a contrast above 5:1. */
#define SKY        "#56B4E9"
#define ORANGE     "#E69F00"
#define YELLOW     "#F0E442"
#define VERMILLION "#D55E00"
#define PURPLE     "#CC79A7"

#define LABEL_COLUMNS   24 /* two such lines are still read at a glance */
#define TOOLTIP_COLUMNS 8000
#define STACK_NAMES     60 /* in a tooltip */
/* Beyond this many nodes curved edges and optimal places take minutes */
#define LARGE 400

struct drawer {
	struct view v;
	struct stacks stacks;
	struct buf *out;
	struct buf text; /* scratch */
	bool doubt;
};

/* Text that is already safe for a terminal, as a quoted DOT string: Graphviz
 * reads "\N" and "&amp;" in labels too. */
static void quote(struct buf *out, const char *s)
{
	buf_char(out, '"');
	for (; s && *s; s++) {
		switch (*s) {
		case '"':
		case '\\':
			buf_char(out, '\\');
			buf_char(out, *s);
			break;
		case '&':
			buf_str(out, "&amp;");
			break;
		case '\n':
			buf_str(out, "\\n");
			break;
		default:
			buf_char(out, *s);
			break;
		}
	}
	buf_char(out, '"');
}

static void attribute(struct drawer *d, const char *name, const char *value)
{
	buf_printf(d->out, " %s=", name);
	quote(d->out, value);
}

void dot_tooltip(const struct graph *g, uint32_t node, struct buf *out)
{
	const struct node *n = &g->nodes[node];
	struct buf raw = { 0 };

	if (n->kind == NODE_ACTIVITY && strings_count(&n->argv))
		format_command(&n->argv, &raw);
	else
		buf_str(&raw, n->path ? n->path : n->label ? n->label : "?");
	format_text(raw.data, TOOLTIP_COLUMNS, true, out);
	buf_release(&raw);
}

/* At most two lines, as equal as blanks allow; too much is cut in its middle. */
static void fold_label(const char *raw, unsigned reserve, struct buf *out)
{
	struct buf safe = { 0 };
	size_t middle, best = 0;

	format_text(raw, 2 * LABEL_COLUMNS - reserve - 4, true, &safe);
	middle = (safe.size + reserve) / 2;
	for (size_t i = 0; i < safe.size; i++)
		if (safe.data[i] == ' ' && (i < middle ? middle - i : i - middle) <
						   (best < middle ? middle - best : best - middle))
			best = i;
	if (best && utf8_columns(safe.data) + reserve > LABEL_COLUMNS)
		safe.data[best] = '\n';
	buf_append(out, safe.data, safe.size);
	buf_release(&safe);
}

/* Folders of arguments are left to the tooltip. */
static struct strings short_words(struct arena *a, const struct strings *argv)
{
	struct buf out = { 0 };
	struct strings s;

	for (const char *p = NULL; (p = strings_next(argv, p));) {
		bool path = strchr(p, '/') && !strpbrk(p, " \t\n=:,;") && *path_base(p);

		p = path ? path_base(p) : p;
		buf_append(&out, p, strlen(p) + 1);
	}
	s = (struct strings){ arena_copy(a, out.data, out.size), out.size };
	buf_release(&out);
	return s;
}

static void put_command_label(struct drawer *d, const struct node *n)
{
	struct buf raw = { 0 }, label = { 0 };
	struct strings argv;
	char end[32] = "";

	if (strings_count(&n->argv)) {
		argv = short_words(&d->v.arena, &n->argv);
		format_command(&argv, &raw);
	} else {
		buf_str(&raw, n->exe && *n->exe ? path_base(n->exe) : n->label ? n->label : "?");
	}
	if (n->signal)
		(void)snprintf(end, sizeof(end), " (signal %d)", n->signal);
	else if (n->status > 0)
		(void)snprintf(end, sizeof(end), " (exit %d)", n->status);
	else if (n->flags & NODE_BLIND)
		(void)snprintf(end, sizeof(end), " (blind)");
	fold_label(raw.data, (unsigned)strlen(end), &label);
	buf_str(&label, end);
	attribute(d, "label", label.data);
	buf_release(&raw);
	buf_release(&label);
}

static void put_activity(struct drawer *d, uint32_t i, const char *indent)
{
	const struct node *n = &d->v.g->nodes[i];
	bool failed = n->status > 0 || n->signal;

	buf_printf(d->out, "%sn%u [shape=box style=\"filled%s\" fillcolor=\"%s\"", indent, i,
		   n->flags & NODE_BLIND ? ",dashed" : "", failed ? PURPLE : ORANGE);
	put_command_label(d, n);
	buf_clear(&d->text);
	dot_tooltip(d->v.g, i, &d->text);
	attribute(d, "tooltip", d->text.data);
	if (n->flags & NODE_ROOT)
		buf_str(d->out, " penwidth=3 color=\"" VERMILLION "\"");
	buf_str(d->out, "];\n");
}

static void put_file_label(struct drawer *d, uint32_t i)
{
	struct buf name = { 0 }, label = { 0 };
	const char *slash;

	view_name(&d->v, i, &name);
	slash = strrchr(name.data, '/');
	if (slash && slash[1] && slash > name.data) {
		format_text(slash + 1, LABEL_COLUMNS, true, &label);
		name.data[slash - name.data + 1] = 0;
		if (d->stacks.n[i] == 1) {
			buf_str(&label, "\nin ");
			format_text(name.data, LABEL_COLUMNS, true, &label);
		}
	} else {
		format_text(name.data, LABEL_COLUMNS, true, &label);
	}
	if (d->stacks.n[i] > 1)
		buf_printf(&label, "\nand %u more files", d->stacks.n[i] - 1);
	attribute(d, "label", label.data);
	buf_release(&name);
	buf_release(&label);
}

static void put_stack_tooltip(struct drawer *d, uint32_t i)
{
	unsigned n = 0;

	buf_clear(&d->text);
	for (; i != VIEW_NONE && n < STACK_NAMES; i = d->stacks.next[i], n++) {
		if (n)
			buf_char(&d->text, '\n');
		format_text(d->v.g->nodes[i].path ? d->v.g->nodes[i].path : "?",
			    TOOLTIP_COLUMNS / STACK_NAMES, true, &d->text);
	}
	attribute(d, "tooltip", d->text.data);
}

static void put_entity(struct drawer *d, uint32_t i)
{
	const struct node *n = &d->v.g->nodes[i];
	bool input = d->v.makers.at[i] == d->v.makers.at[i + 1] &&
		     d->v.from.at[i] == d->v.from.at[i + 1];

	buf_printf(d->out, "  n%u [shape=box style=\"rounded,filled%s\" fillcolor=\"%s\"", i,
		   n->flags & NODE_DELETED ? ",dashed" : "", input ? YELLOW : SKY);
	put_file_label(d, i);
	if (d->stacks.n[i] > 1) {
		put_stack_tooltip(d, i);
		buf_str(d->out, " peripheries=2");
	} else {
		buf_clear(&d->text);
		dot_tooltip(d->v.g, i, &d->text);
		attribute(d, "tooltip", d->text.data);
	}
	if (n->flags & NODE_ROOT)
		buf_str(d->out, " penwidth=3 color=\"" VERMILLION "\" fontname=\"Helvetica-Bold\"");
	buf_str(d->out, "];\n");
}

static void put_nodes(struct drawer *d)
{
	const struct view *v = &d->v;

	for (uint32_t i = 0; i < v->n_steps; i++) {
		const struct step *s = &v->steps[i];
		bool pipeline = s->n_acts > 1;

		if (pipeline)
			buf_printf(d->out,
				   "  subgraph cluster_%u {\n    label=\"\" style=rounded margin=6 "
				   "color=\"#666666\" tooltip=\"pipeline\"\n",
				   i);
		for (uint32_t k = 0; k < s->n_acts; k++)
			put_activity(d, s->acts[k], pipeline ? "    " : "  ");
		if (pipeline) {
			/* one below the other, as in a script */
			buf_str(d->out, "    { rank=same;");
			for (uint32_t k = 0; k < s->n_acts; k++)
				buf_printf(d->out, " n%u;", s->acts[k]);
			buf_str(d->out, " }\n  }\n");
		}
	}
	for (uint32_t i = 0; i < v->g->n_nodes; i++)
		if (v->shown[i] && v->g->nodes[i].kind == NODE_ENTITY && d->stacks.front[i] == i)
			put_entity(d, i);
}

static void put_edge(struct drawer *d, uint32_t from, uint32_t to, bool certain, const char *more)
{
	buf_printf(d->out, "  n%u -> n%u [", from, to);
	if (!certain)
		buf_str(d->out, "style=dashed label=\"?\" tooltip=\"possible\"");
	buf_printf(d->out, "%s];\n", more);
	d->doubt |= !certain;
}

/* What a shell joined: one arrow from each program of a stage to each of the
 * next. */
static void put_pipelines(struct drawer *d)
{
	for (uint32_t i = 0; i < d->v.n_steps; i++) {
		const struct step *s = &d->v.steps[i];

		for (uint32_t a = 0; a < s->n_acts; a++)
			for (uint32_t b = a + 1; b < s->n_acts && s->stage[b] <= s->stage[a] + 1;
			     b++)
				if (s->stage[b] == s->stage[a] + 1)
					/* told backwards, because of two of one rank
					 * Graphviz puts the second on top */
					put_edge(d, s->acts[b], s->acts[a], true,
						 "dir=back penwidth=2 tooltip=\"pipe\"");
	}
}

static void put_edges(struct drawer *d)
{
	const struct view *v = &d->v;

	for (size_t i = 0; i < v->g->n_edges; i++) {
		const struct edge *e = &v->g->edges[i];
		bool drawn = v->shown[e->from] && v->shown[e->to] &&
			     d->stacks.front[e->from] == e->from && d->stacks.front[e->to] == e->to;

		if (!drawn || e->from == e->to)
			continue;
		if (e->kind == EDGE_GENERATED ||
		    (e->kind == EDGE_USED && !view_own(v, e->to, v->step_of[e->from])))
			put_edge(d, e->to, e->from, e->certain, "");
		else if (e->kind == EDGE_INFORMED && v->all)
			put_edge(d, e->to, e->from, e->certain,
				 "style=dotted color=\"#666666\" tooltip=\"started\"");
	}
}

/* Derivations without a step of their own. */
static void put_derivations(struct drawer *d)
{
	const struct view *v = &d->v;

	for (uint32_t step = 0; step < v->n_steps; step++)
		for (uint32_t k = v->in.at[step]; k < v->in.at[step + 1]; k++)
			if (v->in.link[k].kept)
				put_edge(d, d->stacks.front[v->in.link[k].to],
					 v->steps[step].acts[0], v->in.link[k].certain,
					 " color=\"#666666\" tooltip=\"kept content\"");
	for (uint32_t e = 0; e < v->g->n_nodes; e++)
		for (uint32_t k = v->from.at[e]; k < v->from.at[e + 1]; k++)
			put_edge(d, d->stacks.front[v->from.link[k].to], d->stacks.front[e],
				 v->from.link[k].certain, " color=\"#666666\" tooltip=\"derived\"");
}

static void put_title(struct drawer *d)
{
	const struct view *v = &d->v;
	struct buf title = { 0 }, raw = { 0 };
	char id[ID_TEXT_SIZE], time[CLOCK_TEXT_SIZE];

	if (v->g->n_nodes && v->g->nodes[v->g->root].kind == NODE_ENTITY) {
		view_name(v, v->g->root, &raw);
		format_text(raw.data, 80, true, &title);
		buf_char(&title, '\n');
	}
	if (v->run) {
		buf_clear(&raw);
		format_command(&v->run->argv, &raw);
		buf_printf(&title, "run %s by %s@%s", id_short(ID_RUN, &v->run->id, id),
			   v->run->user ? v->run->user : "?", v->run->host ? v->run->host : "?");
		if (v->run->start)
			buf_printf(&title, ", %s",
				   clock_short(v->run->start + v->run->shift, time));
		buf_str(&title, ": ");
		format_text(raw.data ? raw.data : "", 80, true, &title);
		buf_char(&title, '\n');
	}
	buf_clear(&raw);
	view_holes(v, &raw);
	format_text(raw.data ? raw.data : "", 120, true, &title);
	if (v->hidden + v->temporary)
		buf_printf(&title, "%s%zu libraries, caches and helpers hidden",
			   raw.size ? "\n" : "", v->hidden + v->temporary);
	buf_printf(&title,
		   "%srounded: file (yellow: input, blue: made)   square: program (purple: failed)"
		   "\nframe: pipeline   dashed arrow: only possible",
		   title.size && title.data[title.size - 1] != '\n' ? "\n" : "");
	buf_str(d->out, "  labelloc=t");
	attribute(d, "label", title.data ? title.data : "");
	buf_char(d->out, '\n');
	buf_release(&title);
	buf_release(&raw);
}

static int dot_write(const struct graph *g, const struct format_options *o, struct buf *out)
{
	struct drawer d = { .out = out };

	view_init(&d.v, g, o->all);
	d.stacks = stacks_find(&d.v);
	buf_str(out,
		"digraph provenance {\n"
		"  rankdir=LR nodesep=0.2 ranksep=0.28 fontname=\"Helvetica\" fontsize=12 "
		"bgcolor=white\n"
		"  node [fontname=\"Helvetica\" fontsize=11 fontcolor=black color=black "
		"margin=\"0.07,0.04\" height=0.3]\n"
		"  edge [fontname=\"Helvetica\" fontsize=11 color=\"#333333\" arrowsize=0.7]\n");
	if (g->n_nodes > LARGE)
		buf_str(out, "  splines=line nslimit=2 nslimit1=2 mclimit=0.2\n");
	put_title(&d);
	put_nodes(&d);
	put_pipelines(&d);
	put_edges(&d);
	put_derivations(&d);
	buf_str(out, "}\n");
	buf_release(&d.text);
	view_release(&d.v);
	return 0;
}

const struct format_ops format_dot_ops = { "dot", ".dot", dot_write };
