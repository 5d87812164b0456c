/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* cmd_status.c - how the node service is, and what it records */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/frame.h"
#include "base/service.h"
#include "model/model.h"
#include "prov/args.h"
#include "prov/table.h"
#include "prov/text.h"

static const struct option_row rows[] = {
	{ 'j', "json", NULL, "as JSON" },
	{ 'm', "metrics", NULL, "figures in the text format of Prometheus" },
	{ 0 },
};

enum { HEAD_FIELDS = 10, RUN_FIELDS = 8 };

static const char *const heads[] = {
	"RUN", "USER", "SINCE", ">PROCS", ">EV/S", ">LOST", "GRANULARITY", "JOB",
};

static int ask(enum service_kind kind, const char *p, size_t n, struct buf *answer)
{
	int fd = service_connect(kind, p, n), r = fd;
	uint32_t said;

	if (fd < 0)
		return fd;
	r = frame_receive(fd, &said, answer);
	(void)close(fd);
	return r;
}

static void write_head(struct context *c, const char *const *f)
{
	char when[CLOCK_TEXT_SIZE], size[SIZE_TEXT_SIZE];

	text_line(c, "service", "version %s, since %s", f[0],
		  clock_short(strtoll(f[1], NULL, 10), when));
	text_line(c, "engine", "%s", f[2]);
	text_line(c, "records", "%s",
		  !strcmp(f[3], "all")	  ? "all programs of the users it is set to"
		  : !strcmp(f[3], "jobs") ? "jobs of the users it is set to"
					  : "only what prov run asks for");
	text_line(c, "memory", "%s", size_text(strtoull(f[4], NULL, 10), size));
	text_line(c, "so far", "%s runs, %s processes, %s events, %s lost, %s missed", f[5], f[6],
		  f[7], f[8], f[9]);
}

static void write_runs(struct context *c, const char *const *f, size_t n)
{
	struct table t = table_begin(c, heads, sizeof(heads) / sizeof(heads[0]));
	char when[CLOCK_TEXT_SIZE];

	for (; n >= RUN_FIELDS; n -= RUN_FIELDS, f += RUN_FIELDS) {
		table_cell(&t, "%s", f[0]);
		table_cell(&t, "%s", f[1]);
		/* the day is in --json */
		table_cell(&t, "%s", clock_short(strtoll(f[3], NULL, 10), when) + 11);
		table_cell(&t, "%s", f[4]);
		table_cell(&t, "%s", f[5]);
		table_cell(&t, "%s", f[6]);
		table_cell(&t, "%s", f[7]);
		table_cell(&t, "%s", f[2]);
	}
	table_end(&t);
}

static int write_status(struct context *c, const struct buf *b)
{
	const struct strings all = { b->data, b->size };
	const char **fields = NULL;
	size_t n = 0, room = 0;

	if (!b->size || b->data[b->size - 1])
		return fail(EBADMSG, "the node service answers what is not understood");
	for (const char *s = NULL; (s = strings_next(&all, s));) {
		fields = arena_grow(&c->arena, fields, n, &room, sizeof(*fields));
		fields[n++] = s;
	}
	if (n < HEAD_FIELDS || (n - HEAD_FIELDS) % RUN_FIELDS)
		return fail(EBADMSG, "the node service answers what is not understood; install the "
				     "same version of prov and provd");
	write_head(c, fields);
	if (n == HEAD_FIELDS)
		buf_str(&c->out, "\nnothing is being recorded\n");
	else
		buf_char(&c->out, '\n');
	if (n > HEAD_FIELDS)
		write_runs(c, fields + HEAD_FIELDS, n - HEAD_FIELDS);
	return 0;
}

static int status_main(struct context *c, int argc, char **argv)
{
	struct args a = args_begin(c, argc, argv);
	bool json = false, metrics = false;
	struct buf answer = { 0 };
	int o, r;

	while ((o = args_next(&a)) > 0) {
		json |= o == 'j';
		metrics |= o == 'm';
	}
	if (o < 0)
		return a.status;
	if (a.n_operands)
		return context_usage(c, "'%s' is not expected here", a.operands[0]);
	r = metrics ? ask(SERVICE_METRICS, NULL, 0, &answer)
		    : ask(SERVICE_STATUS, "r", json ? 0 : 1, &answer);
	if (r == 0 && (json || metrics))
		buf_append(&c->out, answer.data, answer.size);
	else if (r == 0)
		r = write_status(c, &answer);
	if (r == 0 && json)
		buf_char(&c->out, '\n');
	buf_release(&answer);
	if (r == 0)
		return EXIT_YES;
	context_say(c, "%s", fail_text());
	return r == -ENOENT || r == -ECONNREFUSED ? EXIT_NO : EXIT_TROUBLE;
}

const struct command cmd_status = {
	.name = "status",
	.usage = "[--json | --metrics]",
	.summary = "show how the node service is, and what it records now",
	.more = "Runs of others are shown to root and to members of the group that provd.group\n"
		"names. Exits with 1 when no service runs here.",
	.options = rows,
	.main = status_main,
};
