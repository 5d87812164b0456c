/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* text.c - where a file came from, told as a tree on a terminal */
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "format/teller.h"
#include "format/writers.h"

/* Columns a branch needs to be worth reading; deeper ones start at the margin */
#define BRANCH_COLUMNS        44
#define LEVELS_WITHOUT_MARGIN 24

struct frame {
	struct branches under;
	size_t next;
};

static void tell_step(struct teller *t, const struct branch *b, unsigned depth, bool last,
		      struct branches *under)
{
	const struct id *run = &t->v.g->nodes[t->v.steps[b->step].acts[0]].run;
	bool again = t->step_told[b->step];

	t->step_told[b->step] = true;
	if (!again)
		*under = branches_of_step(&t->v, b->step, t->o->forward);
	page_item(&t->page, depth, last, under->n > 0);
	teller_doubt(t, b);
	if (again) {
		teller_reminder(t, b->step);
	} else {
		teller_command(t, b->step);
		teller_endings(t, &t->v.steps[b->step]);
		if ((!b->run || !id_equal(b->run, run)) && graph_run(t->v.g, run))
			teller_run(t, graph_run(t->v.g, run));
	}
	page_end(&t->page);
}

static bool all_told(const struct teller *t, const struct branch *b)
{
	for (size_t i = 0; i < b->n; i++)
		if (!t->file_told[b->files[i]])
			return false;
	return true;
}

/* Why nothing comes under these files, NULL when something does. */
static const char *end_of(const struct teller *t, const struct branch *b)
{
	const struct node *n = &t->v.g->nodes[b->files[0]];

	if (!branch_ends(&t->v, b->files[0], t->o->forward))
		return NULL;
	if (t->o->forward)
		return "";
	return n->version ? t->v.g->truncated ? "(not followed further)" : "(maker not seen)"
			  : "(input)";
}

static void tell_files(struct teller *t, const struct branch *b, unsigned depth, bool last,
		       struct branches *under)
{
	const char *why = end_of(t, b);

	if (!why && all_told(t, b))
		why = "(shown above)";
	for (size_t i = 0; !why && i < b->n; i++)
		t->file_told[b->files[i]] = true;
	if (!why && depth >= t->levels) {
		t->later.b =
			arena_grow(&t->v.arena, t->later.b, t->later.n, &t->later.room, sizeof(*b));
		t->later.b[t->later.n++] = *b;
		why = "(continued below)";
	}
	if (!why)
		*under = branches_of_files(&t->v, b, t->o->forward);
	page_item(&t->page, depth, last, under->n > 0);
	teller_doubt(t, b);
	teller_files(t, b);
	if (why && *why)
		teller_note(t, why);
	page_end(&t->page);
}

static void tell_one(struct teller *t, const struct branch *b, unsigned depth, bool last,
		     struct branches *under)
{
	char text[64];

	switch (b->kind) {
	case BRANCH_STEP:
		tell_step(t, b, depth, last, under);
		break;
	case BRANCH_FILES:
		tell_files(t, b, depth, last, under);
		break;
	case BRANCH_CUT:
		page_item(&t->page, depth, last, false);
		(void)snprintf(text, sizeof(text), "and %zu more; --all shows them", b->n);
		teller_note(t, text);
		page_end(&t->page);
		break;
	}
}

/* Depth first with a stack of its own: graphs may be deeper than the C stack. */
static void tell_under(struct teller *t, const struct branches *first)
{
	struct frame *stack = NULL;
	size_t depth = 1, room = 0;

	stack = arena_grow(&t->v.arena, stack, 0, &room, sizeof(*stack));
	stack[0] = (struct frame){ *first, 0 };
	while (depth) {
		struct frame *f = &stack[depth - 1];
		struct branches under = { 0 };
		const struct branch *b;

		if (f->next == f->under.n) {
			depth--;
			continue;
		}
		b = &f->under.b[f->next++];
		tell_one(t, b, (unsigned)depth, f->next == f->under.n, &under);
		if (!under.n)
			continue;
		stack = arena_grow(&t->v.arena, stack, depth, &room, sizeof(*stack));
		stack[depth++] = (struct frame){ under, 0 };
	}
}

/* One tree that begins at the margin. */
static void tell_tree(struct teller *t, const struct branch *b, bool gap)
{
	struct branches under = { 0 };

	if (gap)
		buf_char(t->page.pen.out, '\n');
	if (b->kind == BRANCH_FILES) {
		under = branches_of_files(&t->v, b, t->o->forward);
		page_item(&t->page, 0, true, under.n > 0);
		teller_files(t, b);
		page_end(&t->page);
		for (size_t i = 0; i < b->n; i++)
			t->file_told[b->files[i]] = true;
	} else {
		tell_one(t, b, 0, true, &under);
	}
	tell_under(t, &under);
}

static void tell_later(struct teller *t)
{
	for (size_t i = 0; i < t->later.n; i++) {
		struct branch b = t->later.b[i];

		tell_tree(t, &b, true);
	}
	t->later.n = 0;
}

static void put_origin(struct teller *t, const char *gap, const struct run *r, int64_t when)
{
	char time[CLOCK_TEXT_SIZE];
	struct buf text = { 0 };

	if (when)
		buf_printf(&text, "%s%s", clock_short(when, time), r ? " " : "");
	if (r)
		buf_printf(&text, "by %s@%s", r->user && *r->user ? r->user : "?",
			   r->host && *r->host ? r->host : "?");
	if (text.size)
		page_words(&t->page, gap, text.data, STYLE_NOTE);
	buf_release(&text);
}

static void put_run_name(struct teller *t, const char *join, const struct run *r,
			 enum page_style style)
{
	char id[ID_TEXT_SIZE];

	page_word(&t->page, join, "run", style);
	page_word(&t->page, " ", id_short(ID_RUN, &r->id, id), style);
	if (r->name && *r->name)
		page_word(&t->page, " ", r->name, style);
}

static void put_start(struct teller *t, const struct run *r)
{
	struct buf text = { 0 };

	if (!r || !strings_count(&r->argv))
		return;
	page_more(&t->page);
	buf_str(&text, "started as: ");
	format_command(&r->argv, &text);
	page_words(&t->page, "", text.data, STYLE_NOTE);
	if (r->cwd && *r->cwd) {
		page_word(&t->page, "  ", "in:", STYLE_NOTE);
		page_word(&t->page, " ", r->cwd, STYLE_NOTE);
	}
	buf_release(&text);
}

static void tell_file(struct teller *t, uint32_t root)
{
	const struct view *v = &t->v;
	const struct node *n = &v->g->nodes[root];
	bool made = v->makers.at[root] < v->makers.at[root + 1];
	struct branch b = { .kind = BRANCH_FILES, .files = &root, .n = 1, .certain = true };
	const struct run *r = made || v->g->n_runs == 1 ? v->run : NULL;
	struct branches under;

	if (r)
		b.run = &r->id;
	under = branches_of_files(&t->v, &b, t->o->forward);
	page_item(&t->page, 0, true, under.n > 0);
	teller_name(t, "", root, STYLE_ROOT);
	if (!made)
		teller_note(t, t->o->forward ? "used"
			       : n->version  ? "(maker not seen)"
					     : "(input)");
	if (made || r)
		put_origin(t, made ? "  " : " ", r,
			   made       ? n->generated
			   : r->start ? r->start + r->shift
				      : 0);
	if (r)
		put_run_name(t, ", ", r, STYLE_NOTE);
	put_start(t, r);
	page_end(&t->page);
	t->file_told[root] = true;
	tell_under(t, &under);
	tell_later(t);
}

/* Everything a run did: a tree for each of its results, then the rest. */
static void tell_run(struct teller *t)
{
	const struct run *r = t->v.run;
	struct branches ends = branches_of_all(&t->v, t->o->forward);
	bool gap = false;

	if (r) {
		page_item(&t->page, 0, true, false);
		put_run_name(t, "", r, STYLE_ROOT);
		put_origin(t, "  ", r, r->start ? r->start + r->shift : 0);
		put_start(t, r);
		page_end(&t->page);
		gap = true;
	}
	for (size_t i = 0; i < ends.n; i++, gap = true) {
		if (r)
			ends.b[i].run = &r->id;
		tell_tree(t, &ends.b[i], gap);
		tell_later(t);
	}
	for (uint32_t i = 0; i < t->v.n_steps; i++) {
		struct branch b = { .kind = BRANCH_STEP, .step = i, .certain = true };

		if (t->step_told[i])
			continue;
		if (r)
			b.run = &r->id;
		tell_tree(t, &b, gap);
		tell_later(t);
		gap = true;
	}
}

static void put_line(struct teller *t, const char *text)
{
	page_item(&t->page, 0, true, false);
	page_words(&t->page, "", text, STYLE_NOTE);
	page_end(&t->page);
}

static void tell_rest(struct teller *t)
{
	const struct view *v = &t->v;
	struct buf text = { 0 };

	if (t->doubt || v->hidden || v->temporary || v->g->n_holes || v->g->truncated)
		buf_char(t->page.pen.out, '\n');
	if (t->doubt)
		put_line(t, "? possible only: it rests on overlapping access, clock skew or a "
			    "blind spot");
	if (v->g->truncated)
		put_line(t, "cut at a limit; a larger --depth shows more");
	view_holes(v, &text);
	if (text.size)
		put_line(t, text.data);
	buf_clear(&text);
	if (v->hidden || v->temporary) {
		buf_printf(&text, "%zu libraries, caches%s hidden; --all shows them",
			   v->hidden + v->temporary,
			   v->temporary ? ", helpers and temporary files" : " and helpers");
		put_line(t, text.data);
	}
	buf_release(&text);
}

static int text_write(const struct graph *g, const struct format_options *o, struct buf *out)
{
	struct teller t = { .o = o };

	view_init(&t.v, g, o->all);
	page_init(&t.page, o, out);
	t.step_told = arena_alloc(&t.v.arena, t.v.n_steps + 1);
	t.file_told = arena_alloc(&t.v.arena, g->n_nodes + 1);
	t.levels = !o->columns ? LEVELS_WITHOUT_MARGIN
		   : o->columns > BRANCH_COLUMNS + 4 * TREE_INDENT
			   ? (o->columns - BRANCH_COLUMNS) / TREE_INDENT
			   : 4;
	if (!g->n_nodes)
		put_line(&t, "nothing recorded");
	else if (g->nodes[g->root].kind == NODE_ENTITY)
		tell_file(&t, g->root);
	else
		tell_run(&t);
	tell_rest(&t);
	view_release(&t.v);
	return 0;
}

const struct format_ops format_text_ops = { "text", ".txt", text_write };
