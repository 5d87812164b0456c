/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* guard.c - when to note accesses more coarsely, and when finely again */
#include "engine/guard.h"

#include "prov/segment.h"

#define SECOND	    INT64_C(1000000000)
#define WAIT_LEAST  (2 * SECOND)
#define WAIT_MOST   (64 * SECOND)
#define CALM_ENOUGH (10 * SECOND)	/* then a trial is due soon again, next time */

/* What one read or write costs when it is counted, and when it is handed over by
 * itself: measured with bench/run, rounded up. */
static double price(int32_t level)
{
	return level < PROV_FIRST_LAST ? 600 : level == PROV_FIRST_LAST ? 95 : 0;
}

void guard_begin(struct guard *g, double budget, int32_t level, int64_t now)
{
	*g = (struct guard){ .budget = budget, .finest = level, .level = level, .since = now,
			     .wait = WAIT_LEAST };
}

void guard_ask(struct guard *g, int32_t level, int64_t now)
{
	g->finest = g->level = level;
	g->since = now;
	g->wait = WAIT_LEAST;
	g->tried = false;
}

static void go_to(struct guard *g, int32_t level, int64_t now)
{
	g->level = level;
	g->since = now;
}

/* A trial that fails makes the next one later; one that holds long forgives. */
static void too_dear(struct guard *g, int64_t now)
{
	int64_t held = now - g->since;

	if (held > CALM_ENOUGH)
		g->wait = WAIT_LEAST;
	else if (g->level == g->finest && g->tried)
		g->wait = g->wait * 2 < WAIT_MOST ? g->wait * 2 : WAIT_MOST;
	g->tried = true;
	go_to(g, g->level + 1, now);
}

int32_t guard_step(struct guard *g, const struct guard_sample *s)
{
	int64_t passed = s->now - g->sampled;
	double cost = (double)s->calls * price(g->level);
	uint32_t threads = s->threads ? s->threads : 1;

	if (!g->sampled || passed <= 0) {
		g->sampled = s->now;
		return g->level;
	}
	g->sampled = s->now;
	g->spent += cost;
	g->share = cost / (double)passed / threads;
	if (g->budget <= 0)
		return g->level;
	if (g->level < PROV_OPEN_CLOSE && g->share > g->budget)
		too_dear(g, s->now);
	else if (g->level > g->finest && g->level <= PROV_OPEN_CLOSE &&
		 s->now - g->since >= g->wait)
		go_to(g, g->level - 1, s->now);
	return g->level;
}
