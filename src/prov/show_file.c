/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* show_file.c - one object: its names, who wrote it, who read it */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/path.h"
#include "format/format.h"
#include "prov/json_record.h"
#include "prov/show.h"
#include "prov/text.h"

/* Everything about one object, over all runs. */
struct biography {
	struct thing thing;
	struct access *accesses;
	size_t n_accesses;
	struct name_event *names;
	size_t n_names;
	struct execution *executions;
	size_t n_executions;
	struct run *runs;
	size_t n_runs;
};

static const struct execution *execution_of(const struct biography *b, const struct id *id)
{
	for (size_t i = 0; i < b->n_executions; i++)
		if (id_equal(&b->executions[i].id, id))
			return &b->executions[i];
	return NULL;
}

static const struct run *run_of(const struct biography *b, const struct id *execution)
{
	static const struct run unknown;
	const struct execution *e = execution_of(b, execution);

	for (size_t i = 0; e && i < b->n_runs; i++)
		if (id_equal(&b->runs[i].id, &e->run))
			return &b->runs[i];
	return &unknown;
}

static int load_people(struct context *c, struct biography *b)
{
	size_t n = 0;
	struct id *ids = arena_alloc(&c->arena, (b->n_accesses + b->n_names + 1) * sizeof(*ids));
	int ret;

	for (size_t i = 0; i < b->n_accesses; i++)
		ids[n++] = b->accesses[i].exec;
	for (size_t i = 0; i < b->n_names; i++)
		ids[n++] = b->names[i].exec;
	ids_unique(ids, &n);
	ret = store_executions(c->store, ids, n, &c->arena, &b->executions, &b->n_executions);
	if (ret < 0)
		return ret;
	n = 0;
	ids = arena_alloc(&c->arena, (b->n_executions + 1) * sizeof(*ids));
	for (size_t i = 0; i < b->n_executions; i++)
		ids[n++] = b->executions[i].run;
	ids_unique(ids, &n);
	b->runs = arena_alloc(&c->arena, (n + 1) * sizeof(*b->runs));
	for (size_t i = 0; i < n; i++) {
		ret = store_run(c->store, &ids[i], &c->arena, &b->runs[b->n_runs]);
		if (ret == 0)
			b->n_runs++;
		else if (ret != -ENOENT)
			return ret;
	}
	return 0;
}

static int load(struct context *c, const struct id *object, struct biography *b)
{
	struct object *o;
	size_t n;
	int ret = store_objects(c->store, object, 1, &c->arena, &o, &n);

	if (ret == 0 && n == 0)
		ret = fail(ENOENT, "this file is not in the records");
	if (ret < 0 ||
	    (ret = store_accesses_by_object(c->store, object, 1, &c->arena, &b->accesses,
					    &b->n_accesses)) < 0 ||
	    (ret = store_names_by_object(c->store, object, 1, &c->arena, &b->names, &b->n_names)) <
		    0 ||
	    (ret = load_people(c, b)) < 0)
		return ret;
	b->thing.o = o;
	for (size_t i = 0; i < b->n_accesses; i++)
		thing_name(&c->arena, &b->thing, b->accesses[i].path);
	for (size_t i = 0; i < b->n_names; i++) {
		if (b->names[i].kind != NAME_SYMLINK)
			thing_name(&c->arena, &b->thing, b->names[i].from);
		thing_name(&c->arena, &b->thing, b->names[i].to);
	}
	return 0;
}

static void write_json(struct context *c, const struct biography *b)
{
	struct json j = { .out = &c->out };

	json_object(&j, NULL);
	json_object(&j, "object");
	json_thing(&j, &b->thing);
	json_end(&j);
	json_array(&j, "accesses");
	for (size_t i = 0; i < b->n_accesses; i++) {
		const struct run *run = run_of(b, &b->accesses[i].exec);
		const struct execution *e = execution_of(b, &b->accesses[i].exec);

		json_object(&j, NULL);
		json_id(&j, "execution", ID_EXECUTION, &b->accesses[i].exec);
		json_id(&j, "run", ID_RUN, &run->id);
		if (e)
			json_strings(&j, "argv", &e->argv);
		else
			json_null(&j, "argv");
		json_access(&j, run, &b->accesses[i], b->thing.o);
		json_end(&j);
	}
	json_end(&j);
	json_array(&j, "names");
	for (size_t i = 0; i < b->n_names; i++)
		json_name(&j, run_of(b, &b->names[i].exec), &b->names[i]);
	json_end(&j);
	json_end(&j);
	buf_char(&c->out, '\n');
}

static void write_heading(struct context *c, const struct biography *b)
{
	const struct object *o = b->thing.o;
	char id[ID_TEXT_SIZE], size[SIZE_TEXT_SIZE], when[CLOCK_TEXT_SIZE];

	text_line(c, "file", "%s  %s", id_text(ID_OBJECT, &o->id, id), object_kind_name(o->kind));
	for (size_t i = 0; i < b->thing.n_paths; i++)
		text_line(c, i ? "" : "names", "%s", b->thing.paths[i]);
	if (o->size >= 0)
		text_line(c, "size", "%s (%" PRId64 " bytes)", size_text((uint64_t)o->size, size),
			  o->size);
	if (o->mtime)
		text_line(c, "changed", "%s", clock_short(o->mtime, when));
	if (o->hashed) {
		struct buf hex = { 0 };

		for (int i = 0; i < 32; i++)
			buf_printf(&hex, "%02x", o->sha256[i]);
		text_line(c, "sha256", "%s", hex.data);
		buf_release(&hex);
	}
}

/* Those who did one of the flags; who read and wrote is listed twice. */
static void write_part(struct context *c, const struct biography *b, const char *title,
		       uint32_t flags)
{
	static const char *const heads[] = { "EXECUTION", "TIME", "WHAT", "COMMAND" };
	struct table t = table_begin(c, heads, 4);
	size_t n = 0;

	for (size_t i = 0; i < b->n_accesses; i++) {
		struct access x = b->accesses[i];
		const struct execution *e = execution_of(b, &x.exec);
		char id[ID_TEXT_SIZE], when[CLOCK_TEXT_SIZE];
		int64_t moment = run_real(run_of(b, &x.exec), access_moment(&x));

		if (!(x.flags & flags))
			continue;
		n++;
		x.flags &= flags | ACCESS_UNSURE;
		table_cell(&t, "%s", id_short(ID_EXECUTION, &x.exec, id));
		table_cell(&t, "%s", moment ? clock_short(moment, when) : "");
		table_cell(&t, "%s", text_access(&c->arena, &x));
		table_cell(&t, "%s", e ? text_command(&c->arena, &e->argv, e->exe) : "");
	}
	buf_printf(&c->out, "\n%s%s\n", title, n ? "" : ": nobody on record");
	if (n)
		table_end(&t);
}

static void write_names(struct context *c, const struct biography *b)
{
	const char *first = b->thing.n_paths ? b->thing.paths[0] : "/";
	const char *folder = arena_strn(&c->arena, first, (size_t)(path_base(first) - first));

	if (!b->n_names)
		return;
	buf_str(&c->out, "\nnames over time\n");
	for (size_t i = 0; i < b->n_names; i++) {
		const struct name_event *e = &b->names[i];
		char when[CLOCK_TEXT_SIZE], id[ID_TEXT_SIZE];
		const char *text = arena_printf(
			&c->arena, "%s  %s  %s",
			clock_short(run_real(run_of(b, &e->exec), e->time), when),
			id_short(ID_EXECUTION, &e->exec, id), text_name(&c->arena, folder, e));

		format_text(text, c->columns, c->unicode, &c->out);
		buf_char(&c->out, '\n');
	}
}

int show_file(struct context *c, const struct id *object, bool json)
{
	struct biography b = { 0 };
	int ret = load(c, object, &b);

	if (ret < 0)
		return context_fail(c, ret);
	if (json) {
		write_json(c, &b);
		return EXIT_YES;
	}
	write_heading(c, &b);
	write_part(c, &b, "changed by",
		   ACCESS_WRITE | ACCESS_CREATE | ACCESS_TRUNCATE | ACCESS_DELETE |
			   ACCESS_MAP_WRITE);
	write_part(c, &b, "read by", ACCESS_READ | ACCESS_MAP_READ | ACCESS_LOAD);
	write_names(c, &b);
	return EXIT_YES;
}
