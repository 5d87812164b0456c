/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* census.c - how many executions of a run are representatives */
#include "record/census.h"

#include "build/representative.h"

struct who {
	int64_t start;
	uint32_t pid, pad;
};

static enum how how_of(const struct prov_start *s)
{
	if (s->how == PROV_HOW_FORK)
		return HOW_FORK;
	if (s->how != PROV_HOW_EXEC)
		return HOW_ROOT;
	return s->parent_pid == s->pid ? HOW_EXEC : HOW_SPAWN;
}

void census_start(struct census *c, uint32_t pid, int64_t start, const struct prov_start *s)
{
	const struct who own = { .pid = pid, .start = start };
	const struct who by = { .pid = s->parent_pid, .start = (int64_t)s->parent_start };
	const struct standing *parent = map_get(&c->standings, &by, sizeof(by));
	const struct kin kin = {
		.parent = parent ? 0 : KIN_NONE,
		.how = how_of(s),
		.role = role_of(s->text, NULL),
		.yield = YIELD_OWN,
	};
	struct standing *now = arena_alloc(&c->memory, sizeof(*now));

	*now = standing_of(&kin, parent);
	*map_at(&c->standings, &own, sizeof(own)) = now;
	c->representatives += !now->credited;
}

void census_release(struct census *c)
{
	map_release(&c->standings);
	arena_release(&c->memory);
}
