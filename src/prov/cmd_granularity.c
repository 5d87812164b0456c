/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* cmd_granularity.c - how finely a run notes accesses, while it runs */
#include "engine/granularity.h"

#include <errno.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/err.h"
#include "base/frame.h"
#include "base/service.h"
#include "engine/engine.h"
#include "ingest/running.h"
#include "prov/args.h"

#define PATIENCE_MS 2000	/* a collector looks every 100 ms */

static const struct option_row rows[] = { { 0 } };

static bool is_meant(const struct running *r, const char *word)
{
	char id[ID_TEXT_SIZE];
	size_t n = strlen(word);

	id_text(ID_RUN, &r->id, id);
	return !strcmp(word, "last") || !strcmp(word, r->name) ||
	       (n >= 5 && !strncmp(id, word, n));
}

static int tell_all(struct context *c, const struct running *list, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct engine_ops *ops = engine_find(list[i].engine);
		struct engine *e;
		char id[ID_TEXT_SIZE];
		bool open = ops && ops->reopen(list[i].folder, &e) == 0;

		/* of what the node service records, prov status tells */
		buf_printf(&c->out, "%s  %-10s  %s\n", id_short(ID_RUN, &list[i].id, id),
			   open ? granularity_name(ops->granularity(e)) : list[i].engine,
			   list[i].name);
		if (open)
			ops->close(e, /* remove= */ false);
	}
	return EXIT_YES;
}

static bool wait_for(const struct engine_ops *ops, const struct engine *e, int32_t wanted)
{
	const struct timespec step = { .tv_nsec = 10000000 };

	for (int ms = 0; ms < PATIENCE_MS; ms += 10) {
		if (ops->granularity(e) == wanted)
			return true;
		(void)nanosleep(&step, NULL);
	}
	return false;
}

static int change(struct context *c, const struct running *r, int32_t wanted)
{
	const struct engine_ops *ops = engine_find(r->engine);
	struct engine *e;
	char id[ID_TEXT_SIZE];
	bool done;

	if (!ops || ops->reopen(r->folder, &e) < 0)
		return context_trouble(c);
	ops->ask(e, wanted);
	done = wait_for(ops, e, wanted);
	ops->close(e, /* remove= */ false);
	id_short(ID_RUN, &r->id, id);
	if (!done) {
		context_say(c, "run %s does not answer; it is asked and switches when it can", id);
		return EXIT_TROUBLE;
	}
	buf_printf(&c->out, "run %s notes accesses %s from now on\n", id, granularity_name(wanted));
	return EXIT_YES;
}

/* Of the whole node, or of a run that its service records. */
static int ask_service(struct context *c, const char *run, int32_t wanted)
{
	struct buf b = { 0 };
	uint32_t kind;
	int r, fd;

	buf_blob(&b, run, strlen(run) + 1);
	buf_int(&b, wanted);
	r = fd = service_connect(SERVICE_GRANULARITY, b.data, b.size);
	if (fd >= 0) {
		r = frame_receive(fd, &kind, &b);
		(void)close(fd);
	}
	if (r == 0)
		buf_printf(&c->out, "%s\n", b.data);
	buf_release(&b);
	return r;
}

static int change_elsewhere(struct context *c, const struct running *r, const char *word,
			    int32_t wanted)
{
	char id[ID_TEXT_SIZE];
	int ret = ask_service(c, r ? id_text(ID_RUN, &r->id, id) : word, wanted);

	if (ret == 0)
		return EXIT_YES;
	if (ret == -EACCES || r || !strcmp(word, "node")) {
		context_say(c, "%s", fail_text());
		return ret == -EACCES ? EXIT_NO : EXIT_TROUBLE;
	}
	context_say(c,
		    "no run '%s' is being recorded; \"prov granularity\" lists "
		    "those that are", word);
	return EXIT_NO;
}

static int granularity_main(struct context *c, int argc, char **argv)
{
	struct args a = args_begin(c, argc, argv);
	const struct running *meant = NULL;
	struct running *list;
	size_t n;
	int32_t wanted;
	int o;

	while ((o = args_next(&a)) > 0)
		;
	if (o < 0)
		return a.status;
	if (a.n_operands != 0 && a.n_operands != 2)
		return context_usage(c, "write: prov granularity RUN " GRANULARITY_WORDS);
	if (running_list(&c->arena, &list, &n) < 0)
		return context_trouble(c);
	if (a.n_operands == 0)
		return tell_all(c, list, n);
	if (!granularity_find(a.operands[1], &wanted))
		return context_usage(c,
				     "there is no granularity '%s'; use all, first-last, "
				     "open-close or off",
				     a.operands[1]);
	for (size_t i = 0; i < n && strcmp(a.operands[0], "node") != 0; i++) {
		if (!is_meant(&list[i], a.operands[0]))
			continue;
		if (meant && strcmp(a.operands[0], "last") != 0)
			return context_usage(c, "%s could be several runs; give more digits",
					     a.operands[0]);
		meant = &list[i];
	}
	if (!meant || !strcmp(meant->engine, "ebpf"))
		return change_elsewhere(c, meant, a.operands[0], wanted);
	return change(c, meant, wanted);
}

const struct command cmd_granularity = {
	.name = "granularity",
	.usage = "[RUN|node " GRANULARITY_WORDS "]",
	.summary = "change how finely a run notes accesses, while it runs",
	.more = "Without arguments: the runs that are being recorded, and how. RUN is an id, a\n"
		"beginning of one, the name of a run, or 'last', the newest; node is all that\n"
		"the node service records now and later.",
	.options = rows,
	.main = granularity_main,
};
