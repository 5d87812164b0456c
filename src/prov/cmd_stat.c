/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* cmd_stat.c - a run in numbers */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "prov/args.h"
#include "prov/json_record.h"
#include "prov/show.h"
#include "prov/text.h"
#include "query/query.h"

enum { TOP = 10 };

static const struct option_row rows[] = {
	{ 'a', "all", NULL, "rank libraries, caches and the like too" },
	{ 'j', "json", NULL, "as JSON" },
	{ 0 },
};

/* One object, over all programs of the run. */
struct total {
	const struct thing *thing;
	const char *path;
	uint64_t calls, bytes_read, bytes_written;
};

struct stat_sums {
	size_t programs, processes, helpers, blind, failed;
	size_t read, written, created, deleted, renamed;
	uint64_t reads, writes, bytes_read, bytes_written;
	int64_t busy;         /* time of all programs together */
	struct total *totals; /* per object */
	size_t n_totals;
};

static void count_executions(const struct record *r, struct stat_sums *t)
{
	for (size_t i = 0; i < r->n_executions; i++) {
		const struct execution *e = &r->executions[i];

		t->programs++;
		t->processes += e->how != HOW_EXEC;
		t->helpers += r->steps[i].credited && e->how != HOW_FORK;
		t->blind += e->blind;
		t->failed += e->status > 0 || e->signal;
		if (e->end > e->start && e->start)
			t->busy += e->end - e->start;
	}
	for (size_t i = 0; i < r->n_names; i++)
		t->renamed += r->names[i].kind == NAME_RENAME || r->names[i].kind == NAME_EXCHANGE;
}

static void count_objects(struct arena *a, const struct record *r, struct stat_sums *t)
{
	uint32_t *flags = arena_alloc(a, (r->n_objects + 1) * sizeof(*flags));

	t->totals = arena_alloc(a, (r->n_objects + 1) * sizeof(*t->totals));
	t->n_totals = r->n_objects;
	for (size_t i = 0; i < r->n_objects; i++)
		t->totals[i].thing = &r->things[i];
	for (size_t i = 0; i < r->n_accesses; i++) {
		const struct access *x = &r->accesses[i];
		const struct thing *thing = record_thing(r, &x->object);
		struct total *o;

		if (!thing)
			continue;
		o = &t->totals[thing - r->things];
		flags[thing - r->things] |= x->flags;
		if (!o->path)
			o->path = x->path;
		o->calls += x->reads + x->writes;
		o->bytes_read += x->bytes_read;
		o->bytes_written += x->bytes_written;
		t->reads += x->reads;
		t->writes += x->writes;
		t->bytes_read += x->bytes_read;
		t->bytes_written += x->bytes_written;
	}
	for (size_t i = 0; i < r->n_objects; i++) {
		if (r->objects[i].kind != OBJECT_FILE)
			continue;
		t->read += !!(flags[i] & (ACCESS_READ | ACCESS_MAP_READ));
		t->written += !!(flags[i] & (ACCESS_WRITE | ACCESS_MAP_WRITE));
		t->created += !!(flags[i] & ACCESS_CREATE);
		t->deleted += !!(flags[i] & ACCESS_DELETE);
	}
}

static int more_bytes(const void *a, const void *b)
{
	const struct total *x = a, *y = b;
	uint64_t s = x->bytes_read + x->bytes_written, t = y->bytes_read + y->bytes_written;

	if (s != t)
		return s > t ? -1 : 1;
	return id_compare(&x->thing->o->id, &y->thing->o->id);
}

static int more_calls(const void *a, const void *b)
{
	const struct total *x = a, *y = b;

	if (x->calls != y->calls)
		return x->calls > y->calls ? -1 : 1;
	return id_compare(&x->thing->o->id, &y->thing->o->id);
}

static void json_top(struct json *j, const char *key, const struct stat_sums *t, bool all)
{
	size_t shown = 0;

	json_array(j, key);
	for (size_t i = 0; i < t->n_totals && shown < TOP; i++) {
		const struct total *o = &t->totals[i];

		if (!o->path || (!all && o->thing->folded) || !o->calls)
			continue;
		shown++;
		json_object(j, NULL);
		json_id(j, "object", ID_OBJECT, &o->thing->o->id);
		json_string(j, "path", o->path);
		json_uint(j, "calls", o->calls);
		json_uint(j, "bytes_read", o->bytes_read);
		json_uint(j, "bytes_written", o->bytes_written);
		json_end(j);
	}
	json_end(j);
}

static void sort_totals(struct stat_sums *t, int (*order)(const void *, const void *))
{
	if (t->n_totals)
		qsort(t->totals, t->n_totals, sizeof(*t->totals), order);
}

static void write_json(struct context *c, const struct record *r, struct stat_sums *t, bool all)
{
	struct json j = { .out = &c->out };

	json_object(&j, NULL);
	json_run(&j, "run", &r->run, r->notes, r->n_notes);
	json_uint(&j, "programs", t->programs);
	json_uint(&j, "processes", t->processes);
	json_uint(&j, "helpers", t->helpers);
	json_uint(&j, "blind", t->blind);
	json_uint(&j, "failed", t->failed);
	json_uint(&j, "files_read", t->read);
	json_uint(&j, "files_written", t->written);
	json_uint(&j, "files_created", t->created);
	json_uint(&j, "files_deleted", t->deleted);
	json_uint(&j, "renames", t->renamed);
	json_uint(&j, "reads", t->reads);
	json_uint(&j, "writes", t->writes);
	json_uint(&j, "bytes_read", t->bytes_read);
	json_uint(&j, "bytes_written", t->bytes_written);
	json_int(&j, "program_ns", t->busy);
	sort_totals(t, more_bytes);
	json_top(&j, "top_bytes", t, all);
	sort_totals(t, more_calls);
	json_top(&j, "top_calls", t, all);
	json_array(&j, "holes");
	for (size_t i = 0; i < r->n_holes; i++)
		json_hole(&j, &r->holes[i]);
	json_end(&j);
	json_end(&j);
	buf_char(&c->out, '\n');
}

static void write_top(struct context *c, const struct record *r, const struct stat_sums *t,
		      const char *title, bool all)
{
	static const char *const heads[] = { ">READ", ">WRITTEN", ">CALLS", "FILE" };
	struct table table = table_begin(c, heads, 4);
	size_t shown = 0;

	for (size_t i = 0; i < t->n_totals && shown < TOP; i++) {
		const struct total *o = &t->totals[i];
		char size[SIZE_TEXT_SIZE];

		if (!o->path || (!all && o->thing->folded) || !o->calls)
			continue;
		shown++;
		table_cell(&table, "%s", o->bytes_read ? size_text(o->bytes_read, size) : "");
		table_cell(&table, "%s", o->bytes_written ? size_text(o->bytes_written, size) : "");
		table_cell(&table, "%" PRIu64, o->calls);
		table_cell(&table, "%s", text_path(r->run.cwd, o->path));
	}
	if (!shown)
		return;
	buf_printf(&c->out, "\n%s\n", title);
	table_end(&table);
}

static void write_text(struct context *c, const struct record *r, struct stat_sums *t, bool all)
{
	char in[SIZE_TEXT_SIZE], out[SIZE_TEXT_SIZE], span[CLOCK_TEXT_SIZE];

	show_run_heading(c, r);
	text_line(c, "programs", "%zu in %zu processes, %zu failed, %s together%s", t->programs,
		  t->processes, t->failed, clock_span(t->busy, span),
		  t->helpers ? arena_printf(&c->arena, "; %zu helpers", t->helpers) : "");
	text_line(c, "files", "%zu read, %zu written, %zu created, %zu deleted, %zu renamed",
		  t->read, t->written, t->created, t->deleted, t->renamed);
	text_line(c, "data", "%s read in %" PRIu64 " calls, %s written in %" PRIu64,
		  size_text(t->bytes_read, in), t->reads, size_text(t->bytes_written, out),
		  t->writes);
	for (size_t i = 0; i < r->n_notes; i++)
		if (!strcmp(r->notes[i].key, "overhead"))
			text_line(c, "cost", "%s", r->notes[i].value);
	if (t->blind)
		text_line(c, "gaps", "%zu programs not seen inside", t->blind);
	sort_totals(t, more_bytes);
	write_top(c, r, t, "most bytes", all);
	sort_totals(t, more_calls);
	write_top(c, r, t, "most calls", all);
	text_holes(c, r->holes, r->n_holes);
}

static int stat_main(struct context *c, int argc, char **argv)
{
	struct args a = args_begin(c, argc, argv);
	struct stat_sums sums = { 0 };
	struct subject subject;
	struct record r;
	bool json = false, all = false;
	int o, ret;

	while ((o = args_next(&a)) > 0) {
		json |= o == 'j';
		all |= o == 'a';
	}
	if (o < 0)
		return a.status;
	if (a.n_operands > 1)
		return context_usage(c, "one RUN at a time");
	ret = context_store(c);
	if (ret)
		return ret;
	ret = subject_find(c->store, a.n_operands ? a.operands[0] : "last", "r", &c->arena,
			   &subject);
	if (ret == 0)
		ret = record_load(c, &subject.id, true, &r);
	if (ret < 0)
		return context_fail(c, ret);
	count_executions(&r, &sums);
	count_objects(&c->arena, &r, &sums);
	if (json)
		write_json(c, &r, &sums, all);
	else
		write_text(c, &r, &sums, all);
	record_release(&r);
	return EXIT_YES;
}

const struct command cmd_stat = {
	.name = "stat",
	.usage = "[RUN] [--json] [--all]",
	.summary = "tell the numbers of a run: programs, files, bytes, gaps",
	.more = "RUN is as for 'prov show'; the newest run when nothing is given.",
	.options = rows,
	.flags = COMMAND_READS,
	.main = stat_main,
};
