/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* cmd_granularity.c - how finely a run notes accesses, while it runs */
#include "engine/granularity.h"

#include <string.h>
#include <time.h>

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

		if (!ops || ops->reopen(list[i].folder, &e) < 0)
			continue;
		buf_printf(&c->out, "%s  %-10s  %s\n", id_short(ID_RUN, &list[i].id, id),
			   granularity_name(ops->granularity(e)), list[i].name);
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
	for (size_t i = 0; i < n; i++) {
		if (!is_meant(&list[i], a.operands[0]))
			continue;
		if (meant && strcmp(a.operands[0], "last") != 0)
			return context_usage(c, "%s could be several runs; give more digits",
					     a.operands[0]);
		meant = &list[i];
	}
	if (!meant) {
		context_say(c,
			    "no run '%s' is being recorded; \"prov granularity\" lists "
			    "those that are",
			    a.operands[0]);
		return EXIT_NO;
	}
	return change(c, meant, wanted);
}

const struct command cmd_granularity = {
	.name = "granularity",
	.usage = "[RUN " GRANULARITY_WORDS "]",
	.summary = "change how finely a run notes accesses, while it runs",
	.more = "Without arguments: the runs that are being recorded, and how. RUN is an id, a\n"
		"beginning of one, the name of a run, or 'last', the newest.",
	.options = rows,
	.main = granularity_main,
};
