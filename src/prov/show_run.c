/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* show_run.c - a run as a heading and a tree of processes */
#include <inttypes.h>
#include <stdio.h>

#include "base/clock.h"
#include "prov/json_record.h"
#include "prov/show.h"
#include "prov/text.h"

/* Recursion ends here; the tree has left the screen long before. */
enum { DEEPEST = 500 };

bool show_access(const struct record *r, const struct access *a, bool all)
{
	const struct thing *t = record_thing(r, &a->object);

	if (all)
		return true;
	if (!t || !object_kind_carries_data(t->o->kind))
		return false;
	return !t->folded;
}

static bool show_name(const struct record *r, const struct name_event *e, bool all)
{
	const struct thing *t = record_thing(r, &e->object);

	/* that a deleted file loses its name is said by its access */
	return all || (e->kind != NAME_UNLINK && !(t && t->folded));
}

/* Of a representative, helpers' deeds too, unless everything is shown anyway. */
static struct leaves {
	const struct access **files;
	size_t n_files;
	const struct name_event **names;
	size_t n_names;
} leaves_of(const struct step *s, bool all)
{
	if (all)
		return (struct leaves){ s->files, s->n_files, s->names, s->n_names };
	return (struct leaves){ s->told, s->n_told, s->told_names, s->n_told_names };
}

size_t show_leaves_count(const struct record *r, const struct step *s, bool all)
{
	struct leaves l = leaves_of(s, all);
	size_t n = 0;

	for (size_t i = 0; i < l.n_files; i++)
		n += show_access(r, l.files[i], all);
	for (size_t i = 0; i < l.n_names; i++)
		n += show_name(r, l.names[i], all);
	return n;
}

size_t show_leaves(struct tree *t, const struct record *r, const struct step *s, bool all,
		   bool last_level)
{
	struct arena *a = &t->c->arena;
	struct leaves l = leaves_of(s, all);
	size_t n = show_leaves_count(r, s, all), at = 0;

	for (size_t i = 0; i < l.n_files; i++) {
		const struct access *x = l.files[i];

		if (!show_access(r, x, all))
			continue;
		tree_line(t, last_level && ++at == n, TINT_NONE, text_path(r->run.cwd, x->path),
			  arena_printf(a, "  [%s]", text_access(a, x)));
	}
	for (size_t i = 0; i < l.n_names; i++)
		if (show_name(r, l.names[i], all))
			tree_line(t, last_level && ++at == n, TINT_NONE,
				  text_name(a, r->run.cwd, l.names[i]), "");
	return n;
}

struct view {
	const struct record *r;
	struct tree tree;
	bool all;
	size_t hidden;
};

/* A copy of a process that only became another program says nothing. */
static bool step_hidden(struct view *v, const struct step *s)
{
	if (v->all || s->e->blind)
		return false;
	return s->folded || (s->e->replaced && show_leaves_count(v->r, s, false) == 0);
}

/* The visible steps below s, in order; hidden ones make room for theirs. */
static void collect(struct view *v, const struct step *s, struct step ***list, size_t *n,
		    size_t *room, unsigned depth)
{
	for (size_t i = 0; i < s->n_children; i++) {
		struct step *child = s->children[i];

		if (step_hidden(v, child) && depth < DEEPEST) {
			v->hidden++;
			collect(v, child, list, n, room, depth + 1);
			continue;
		}
		*list = arena_grow(&v->tree.c->arena, *list, *n, room, sizeof(**list));
		(*list)[(*n)++] = child;
	}
}

static const char *step_tail(struct view *v, const struct step *s)
{
	struct arena *a = &v->tree.c->arena;
	const struct execution *e = s->e;
	char id[ID_TEXT_SIZE], span[CLOCK_TEXT_SIZE];
	const char *took = "", *status = "";

	if (e->start && e->end && e->end >= e->start)
		took = arena_printf(a, ", %s", clock_span(e->end - e->start, span));
	if (e->signal)
		status = arena_printf(a, ", signal %d", e->signal);
	else if (e->status > 0 || (e->status < 0 && !e->replaced))
		status = arena_printf(a, ", %s", text_status(a, e->end, e->status, e->signal));
	if (v->all && e->replaced)
		status = ", became the next";
	return arena_printf(a, "  (%s%s%s%s)", id_short(ID_EXECUTION, &e->id, id), took, status,
			    e->blind ? ", not seen inside" : "");
}

static void draw(struct view *v, const struct step *s, bool last, unsigned depth)
{
	struct arena *a = &v->tree.c->arena;
	struct step **below = NULL;
	size_t n = 0, room = 0;

	tree_line(&v->tree, last, TINT_BOLD, text_command(a, &s->e->argv, s->e->exe),
		  step_tail(v, s));
	collect(v, s, &below, &n, &room, depth);
	v->tree.depth++;
	show_leaves(&v->tree, v->r, s, v->all, n == 0);
	if (depth < DEEPEST)
		for (size_t i = 0; i < n; i++)
			draw(v, below[i], i + 1 == n, depth + 1);
	else if (n)
		tree_line(&v->tree, true, TINT_BAD, arena_printf(a, "%zu deeper: --json", n), "");
	v->tree.depth--;
}

void show_run_heading(struct context *c, const struct record *r)
{
	const struct run *run = &r->run;
	struct arena *a = &c->arena;
	char id[ID_TEXT_SIZE], start[CLOCK_TEXT_SIZE], span[CLOCK_TEXT_SIZE];

	text_line(c, "run", "%s%s%s", id_text(ID_RUN, &run->id, id), run->name[0] ? "  " : "",
		  run->name);
	text_line(c, "command", "%s", text_command(a, &run->argv, ""));
	text_line(c, "folder", "%s", run->cwd);
	text_line(c, "user", "%s on %s", run->user, run->host);
	if (run->end)
		text_line(c, "start", "%s, took %s", clock_short(run_real(run, run->start), start),
			  clock_span(run->end - run->start, span));
	else
		text_line(c, "start", "%s", clock_short(run_real(run, run->start), start));
	text_line(c, "status", "%s%s",
		  run->end && run->status < 0 && !run->signal
			  ? "not known" : text_status(a, run->end, run->status, run->signal),
		  run->recovered ? ", put together after prov was killed" : "");
	for (size_t i = 0; i < r->n_notes; i++)
		text_line(c, i ? "" : "notes", "%s = %s", r->notes[i].key, r->notes[i].value);
	if (run->lost)
		text_line(c, "lost", "%" PRIu64 " events", run->lost);
}

static size_t hidden_files(const struct view *v)
{
	size_t n = 0;

	for (size_t i = 0; i < v->r->n_objects; i++) {
		const struct thing *t = &v->r->things[i];

		n += !v->all && (t->folded || !object_kind_carries_data(t->o->kind));
	}
	return n;
}

static void show_tree(struct context *c, const struct record *r, bool all)
{
	struct view v = { .r = r, .tree = tree_begin(c), .all = all };
	struct step top = { 0 };
	struct step **list = NULL;
	size_t n = 0, room = 0, files;

	for (size_t i = 0; i < r->n_executions; i++) {
		if (r->steps[i].parent)
			continue;
		top.children = arena_grow(&c->arena, top.children, top.n_children,
					  &top.children_room, sizeof(*top.children));
		top.children[top.n_children++] = &r->steps[i];
	}
	collect(&v, &top, &list, &n, &room, 0);
	buf_char(&c->out, '\n');
	for (size_t i = 0; i < n; i++)
		draw(&v, list[i], i + 1 == n, 0);
	files = hidden_files(&v);
	if (v.hidden || files) {
		tint(c, TINT_DIM);
		buf_printf(&c->out, "\nfolded away: %zu process%s, %zu file%s; --all shows them\n",
			   v.hidden, v.hidden == 1 ? "" : "es", files, files == 1 ? "" : "s");
		tint(c, TINT_NONE);
	}
}

int show_run(struct context *c, const struct id *run, bool json, bool all)
{
	struct record r;
	int ret = record_load(c, run, true, &r);

	if (ret < 0)
		return context_fail(c, ret);
	if (json) {
		struct json j = { .out = &c->out };

		json_record(&j, &r);
		buf_char(&c->out, '\n');
	} else {
		show_run_heading(c, &r);
		show_tree(c, &r, all);
		text_holes(c, r.holes, r.n_holes);
	}
	record_release(&r);
	return EXIT_YES;
}
