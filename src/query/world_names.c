/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* world_names.c - random programs rename, link and unlink */
#include "query/world.h"

int64_t world_stamp(struct world *w, struct world_exec *x)
{
	return x->clock = w->now;
}

const char *world_name(struct world *w, int name)
{
	return arena_printf(&w->arena, "/data/%c", 'a' + name);
}

static void event_add(struct world *w, int e, int o, enum name_kind kind, const char *from,
		      const char *to)
{
	w->events =
		arena_grow(&w->arena, w->events, w->n_events, &w->events_room, sizeof(*w->events));
	w->events[w->n_events++] = (struct name_event){
		w->execs[e].fact.id,         w->objects[o].fact.id, kind, from, to,
		world_stamp(w, &w->execs[e])
	};
}

void world_rename(struct world *w, int e)
{
	int from = world_below(w, WORLD_NAMES), to = world_below(w, WORLD_NAMES), o = w->name[from];

	if (o < 0 || from == to)
		return;
	switch (world_below(w, 3)) {
	case 0:
		event_add(w, e, o, NAME_RENAME, world_name(w, from), world_name(w, to));
		w->name[to] = o;
		w->name[from] = -1;
		break;
	case 1:
		if (w->name[to] >= 0)
			return;
		event_add(w, e, o, NAME_LINK, world_name(w, from), world_name(w, to));
		w->name[to] = o;
		break;
	default:
		event_add(w, e, o, NAME_UNLINK, world_name(w, from), "");
		w->name[from] = -1;
	}
}
