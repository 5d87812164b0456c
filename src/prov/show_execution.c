/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* show_execution.c - one program that ran */
#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/err.h"
#include "prov/json_record.h"
#include "prov/show.h"
#include "prov/text.h"

static void write_json(struct context *c, const struct record *r, const struct step *s)
{
	struct json j = { .out = &c->out };

	json_object(&j, NULL);
	json_object(&j, "execution");
	json_step(&j, &r->run, s);
	json_array(&j, "files");
	for (size_t i = 0; i < s->n_files; i++) {
		const struct thing *t = record_thing(r, &s->files[i]->object);

		json_object(&j, NULL);
		json_access(&j, &r->run, s->files[i], t ? t->o : NULL);
		json_bool(&j, "folded", t && t->folded);
		json_end(&j);
	}
	json_end(&j);
	json_array(&j, "names");
	for (size_t i = 0; i < s->n_names; i++)
		json_name(&j, &r->run, s->names[i]);
	json_end(&j);
	json_array(&j, "holes");
	for (size_t i = 0; i < r->n_holes; i++)
		if (id_equal(&r->holes[i].exec, &s->e->id))
			json_hole(&j, &r->holes[i]);
	json_end(&j);
	json_end(&j);
	json_end(&j);
	buf_char(&c->out, '\n');
}

static void write_heading(struct context *c, const struct record *r, const struct step *s)
{
	const struct execution *e = s->e;
	struct arena *a = &c->arena;
	char id[ID_TEXT_SIZE], when[CLOCK_TEXT_SIZE], span[CLOCK_TEXT_SIZE];

	text_line(c, "execution", " %s", id_text(ID_EXECUTION, &e->id, id));
	text_line(c, "command", "%s", text_command(a, &e->argv, e->exe));
	text_line(c, "program", "%s", e->exe && e->exe[0] ? e->exe : "unknown");
	text_line(c, "folder", "%s", e->cwd && e->cwd[0] ? e->cwd : "unknown");
	text_line(c, "run", "%s", id_text(ID_RUN, &e->run, id));
	if (s->parent)
		text_line(c, "parent", "%s  %s", id_short(ID_EXECUTION, &e->parent, id),
			  text_command(a, &s->parent->e->argv, s->parent->e->exe));
	if (s->credited)
		text_line(c, "helper of", "%s  %s", id_short(ID_EXECUTION, &s->credited->e->id, id),
			  text_command(a, &s->credited->e->argv, s->credited->e->exe));
	text_line(c, "process", "%" PRIu32 ", started by %" PRIu32 ", user id %" PRIu32, e->pid,
		  e->ppid, e->uid);
	if (e->start)
		text_line(c, "start", "%s%s%s", clock_short(run_real(&r->run, e->start), when),
			  e->end ? ", took " : "",
			  e->end ? clock_span(e->end - e->start, span) : "");
	text_line(c, "status", "%s",
		  e->replaced ? "became another program"
			      : text_status(a, e->end, e->status, e->signal));
	if (e->blind)
		text_line(c, "blind", "prov could not see inside this program");
}

int show_execution(struct context *c, const struct id *execution, bool json, bool all)
{
	struct execution *found;
	struct record r;
	struct step *s;
	size_t n;
	int ret = store_executions(c->store, execution, 1, &c->arena, &found, &n);

	if (ret == 0)
		ret = n ? record_load(c, &found->run, true, &r)
			: fail(ENOENT, "this program is not in the records");
	if (ret < 0)
		return context_fail(c, ret);
	s = record_step(&r, execution);
	assert(s);
	if (json) {
		write_json(c, &r, s);
	} else {
		struct tree t = tree_begin(c);

		write_heading(c, &r, s);
		for (const char *p = NULL; (p = strings_next(&s->e->env, p));)
			if (all)
				text_line(c, "env", "%s", p);
		t.depth = 1;
		buf_str(&c->out, show_leaves_count(&r, s, all) ? "files\n" : "no data files\n");
		show_leaves(&t, &r, s, all, true);
		for (size_t i = 0; i < r.n_holes; i++)
			if (id_equal(&r.holes[i].exec, execution))
				text_holes(c, &r.holes[i], 1);
	}
	record_release(&r);
	return EXIT_YES;
}
