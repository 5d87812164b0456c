/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* cmd_trace.c - each single read and write of a run */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "journal/trace.h"
#include "prov/args.h"
#include "prov/json_record.h"
#include "prov/text.h"
#include "query/query.h"

static const struct option_row rows[] = {
	{ 'f', "file", "FILE", "of this file only" },
	{ 'n', "number", "N", "the first N of them" },
	{ 'j', "json", NULL, "as JSON" },
	{ 0 },
};

struct trace_view {
	struct context *c;
	struct record record;
	const struct id *only;	/* an object; NULL all */
	int64_t shift;		/* of the times in the trace to real ones */
	struct transfer *list;
	size_t n, room;
};

static int take(void *ctx, const struct facts *f)
{
	struct trace_view *v = ctx;

	for (size_t i = 0; i < f->n_runs; i++)
		v->shift = f->runs[i].shift;
	for (size_t i = 0; i < f->n_transfers; i++) {
		if (v->only && !id_equal(v->only, &f->transfers[i].object))
			continue;
		v->list = arena_grow(&v->c->arena, v->list, v->n, &v->room, sizeof(*v->list));
		v->list[v->n++] = f->transfers[i];
	}
	return 0;
}

static int by_start(const void *pa, const void *pb)
{
	const struct transfer *a = pa, *b = pb;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return (a->end > b->end) - (a->end < b->end);
}

static const char *path_of(const struct trace_view *v, const struct id *object)
{
	const struct thing *t = record_thing(&v->record, object);

	return t && t->n_paths ? t->paths[0] : "";
}

static void write_json(struct trace_view *v)
{
	struct json j = { .out = &v->c->out };

	json_object(&j, NULL);
	json_array(&j, "transfers");
	for (size_t i = 0; i < v->n; i++) {
		const struct transfer *t = &v->list[i];

		json_object(&j, NULL);
		json_id(&j, "execution", ID_EXECUTION, &t->exec);
		json_id(&j, "object", ID_OBJECT, &t->object);
		json_string(&j, "path", path_of(v, &t->object));
		json_string(&j, "what", t->written ? "write" : "read");
		json_time(&j, "start", t->start + v->shift);
		json_uint(&j, "took_ns", (uint64_t)(t->end - t->start));
		if (t->offset >= 0)
			json_uint(&j, "offset", (uint64_t)t->offset);
		json_uint(&j, "bytes", t->bytes);
		json_end(&j);
	}
	json_end(&j);
	json_end(&j);
	buf_char(&v->c->out, '\n');
}

static void write_table(struct trace_view *v)
{
	static const char *const heads[] = { ">AFTER", ">TOOK", "EXECUTION", "WHAT", ">OFFSET",
					     ">BYTES", "FILE" };
	struct table t = table_begin(v->c, heads, 7);

	for (size_t i = 0; i < v->n; i++) {
		const struct transfer *x = &v->list[i];
		int64_t after = x->start + v->shift - run_real(&v->record.run, v->record.run.start);
		char id[ID_TEXT_SIZE], span[CLOCK_TEXT_SIZE];

		table_cell(&t, "%.6f", (double)after / 1e9);
		if (x->end - x->start < 1000000)
			table_cell(&t, "%.1f us", (double)(x->end - x->start) / 1e3);
		else
			table_cell(&t, "%s", clock_span(x->end - x->start, span));
		table_cell(&t, "%s", id_short(ID_EXECUTION, &x->exec, id));
		table_cell(&t, "%s", x->written ? "write" : "read");
		if (x->offset >= 0)
			table_cell(&t, "%" PRId64, x->offset);
		else
			table_cell(&t, "%s", "");
		table_cell(&t, "%" PRIu64, x->bytes);
		table_cell(&t, "%s", text_path(v->record.run.cwd, path_of(v, &x->object)));
	}
	table_end(&t);
}

static int view(struct trace_view *v, const struct id *run, unsigned most, bool json)
{
	const struct journal_sink sink = { .ctx = v, .facts = take };
	struct context *c = v->c;
	const char *path = trace_path(&c->arena, run);
	struct journal_end end;
	char id[ID_TEXT_SIZE];

	if (path && access(path, F_OK) < 0 && errno == ENOENT) {
		context_say(c,
			    "single reads and writes of run %s were not recorded; ask for them: "
			    "prov run --granularity=all -- COMMAND",
			    id_short(ID_RUN, run, id));
		return EXIT_NO;
	}
	if (!path || journal_read(path, &sink, &end) < 0)
		return context_trouble(c);
	if (end.damaged)
		context_say(c, "%s: damaged after byte %" PRIu64 "; all before it is shown", path,
			    end.at);
	if (v->n)
		qsort(v->list, v->n, sizeof(*v->list), by_start);
	if (most && v->n > most)
		v->n = most;
	if (json)
		write_json(v);
	else if (v->n)
		write_table(v);
	else
		buf_str(&c->out, "nothing was read or written\n");
	return EXIT_YES;
}

static int trace_main(struct context *c, int argc, char **argv)
{
	struct args a = args_begin(c, argc, argv);
	struct trace_view v = { .c = c };
	struct subject run, file;
	const char *name = NULL;
	bool json = false;
	unsigned most = 0;
	int o, ret = 0;

	while (ret == 0 && (o = args_next(&a)) > 0) {
		if (o == 'f')
			name = a.value;
		else if (o == 'n')
			ret = args_number(&a, "-n", 1, &most);
		json |= o == 'j';
	}
	if (ret || o < 0)
		return ret ? ret : a.status;
	if (a.n_operands > 1)
		return context_usage(c, "one RUN at a time; a file is given with --file");
	ret = context_store(c);
	if (ret)
		return ret;
	ret = subject_find(c->store, a.n_operands ? a.operands[0] : "last", "r", &c->arena, &run);
	if (ret == 0 && name)
		ret = subject_find(c->store, name, "o", &c->arena, &file);
	if (ret == 0)
		ret = record_load(c, &run.id, /* fold= */ false, &v.record);
	if (ret < 0)
		return context_fail(c, ret);
	v.only = name ? &file.id : NULL;
	ret = view(&v, &run.id, most, json);
	record_release(&v.record);
	return ret;
}

const struct command cmd_trace = {
	.name = "trace",
	.usage = "[RUN] [--file FILE] [-n N] [--json]",
	.summary = "list each single read and write of a run",
	.more = "Only of runs that were recorded with --granularity=all. RUN is an id, a\n"
		"beginning of one, the name of a run, 'last', '@' or '@N'; the newest when\n"
		"nothing is given.",
	.options = rows,
	.flags = COMMAND_READS,
	.main = trace_main,
};
