/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* cmd_log.c - the runs, newest first */
#include "base/clock.h"
#include "prov/args.h"
#include "prov/json_record.h"
#include "prov/text.h"

enum { SINCE = 256, UNTIL, GREP };

static const struct option_row rows[] = {
	{ 'n', "number", "N", "at most N runs" },
	{ SINCE, "since", "TIME", "started at TIME or later: a date, \"2 days ago\", 3h" },
	{ UNTIL, "until", "TIME", "started before TIME" },
	{ 'u', "user", "USER", "of this user" },
	{ GREP, "grep", "TEXT", "with TEXT in their name or command line" },
	{ 'j', "json", NULL, "as JSON" },
	{ 0 },
};

static int write_json(struct context *c, const struct run *runs, size_t n)
{
	struct json j = { .out = &c->out };

	json_object(&j, NULL);
	json_array(&j, "runs");
	for (size_t i = 0; i < n; i++) {
		struct note *notes;
		size_t n_notes;
		int ret = store_run_notes(c->store, &runs[i].id, &c->arena, &notes, &n_notes);

		if (ret < 0)
			return context_fail(c, ret);
		json_run(&j, NULL, &runs[i], notes, n_notes);
	}
	json_end(&j);
	json_end(&j);
	buf_char(&c->out, '\n');
	return EXIT_YES;
}

static void write_table(struct context *c, const struct run *runs, size_t n)
{
	static const char *const heads[] = { "RUN", "STARTED", ">TOOK", "STATUS", "COMMAND" };
	struct table t = table_begin(c, heads, 5);
	struct arena *a = &c->arena;

	for (size_t i = 0; i < n; i++) {
		const struct run *r = &runs[i];
		char id[ID_TEXT_SIZE], start[CLOCK_TEXT_SIZE], span[CLOCK_TEXT_SIZE];

		table_cell(&t, "%s", id_short(ID_RUN, &r->id, id));
		table_cell(&t, "%s", clock_short(run_real(r, r->start), start));
		table_cell(&t, "%s", r->end ? clock_span(r->end - r->start, span) : "");
		table_cell(&t, "%s%s",
			   r->signal ? arena_printf(a, "signal %d", r->signal)
				     : text_status(a, r->end, r->status, 0),
			   r->lost ? ", gaps" : "");
		table_cell(&t, "%s%s%s", r->name, r->name[0] ? ": " : "",
			   text_command(a, &r->argv, ""));
	}
	table_end(&t);
}

static int log_main(struct context *c, int argc, char **argv)
{
	struct args a = args_begin(c, argc, argv);
	struct run_filter f = { 0 };
	struct run *runs = NULL;
	bool json = false;
	unsigned most;
	size_t n = 0;
	int o, ret = 0;

	while ((o = args_next(&a)) > 0) {
		switch (o) {
		case 'n':
			ret = args_number(&a, "-n", 1, &most);
			f.most = most;
			break;
		case SINCE:
			ret = args_time(&a, "--since", &f.since);
			break;
		case UNTIL:
			ret = args_time(&a, "--until", &f.until);
			break;
		case 'u':
			f.user = a.value;
			break;
		case GREP:
			f.grep = a.value;
			break;
		case 'j':
			json = true;
			break;
		}
		if (ret)
			return ret;
	}
	if (o < 0)
		return a.status;
	if (a.n_operands)
		return context_usage(
			c, "'%s' is not expected here; to look for it: prov log --grep '%s'",
			a.operands[0], a.operands[0]);
	ret = context_store_or_none(c);
	if (ret)
		return ret;
	if (c->store)
		ret = store_runs(c->store, &f, &c->arena, &runs, &n);
	if (ret < 0)
		return context_fail(c, ret);
	if (json)
		return write_json(c, runs, n);
	if (n)
		write_table(c, runs, n);
	else if (f.since || f.until || f.user || f.grep)
		buf_str(&c->out, "no run matches\n");
	else
		buf_str(&c->out, "no runs recorded yet; start with: prov run -- COMMAND\n");
	return EXIT_YES;
}

const struct command cmd_log = {
	.name = "log",
	.usage = "[-n N] [--since TIME] [--until TIME] [--user USER] [--grep TEXT] [--json]",
	.summary = "list the recorded runs, newest first",
	.options = rows,
	.flags = COMMAND_READS,
	.main = log_main,
};
