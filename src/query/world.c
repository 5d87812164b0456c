/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* world.c - random programs whose every byte is accounted for */
#include "query/world.h"

#include <string.h>

#define SHIFT 1700000000000000000 /* real - order */

uint64_t world_random(struct world *w)
{
	w->random += 0x9e3779b97f4a7c15ull;
	uint64_t z = w->random;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return z ^ z >> 31;
}

int world_below(struct world *w, int n)
{
	return (int)(world_random(w) % (uint64_t)n);
}

static void mask_add(struct mask *m, struct mask more)
{
	m->object |= more.object;
	m->initial |= more.initial;
	m->exec |= more.exec;
}

struct mask world_content(const struct world_object *o)
{
	struct mask m = { 0 };

	for (int i = 0; i < o->size; i++)
		mask_add(&m, o->byte[i]);
	return m;
}

static struct id id_new(struct world *w)
{
	uint64_t key[2] = { world_random(w), world_random(w) };
	struct id id;

	memcpy(id.b, key, sizeof(id.b));
	return id;
}

/* As coarse as the fuzz allows. */
static int64_t stamp_coarse(struct world *w, struct world_exec *x)
{
	int64_t least = w->now - w->fuzz > x->clock ? w->now - w->fuzz : x->clock;

	return x->clock = least + world_below(w, (int)(w->now - least) + 1);
}

static int object_new(struct world *w, bool initial)
{
	struct world_object *o = &w->objects[w->n_objects];

	*o = (struct world_object){ .fact = { .id = id_new(w), .kind = OBJECT_FILE, .size = -1 } };
	if (initial) {
		o->size = WORLD_BYTES / 2;
		for (int i = 0; i < o->size; i++)
			o->byte[i] = (struct mask){ 1ull << w->n_objects, 1ull << w->n_objects, 0 };
		o->ever = world_content(o);
	}
	return w->n_objects++;
}

static int exec_new(struct world *w, int parent, enum how how)
{
	int e = w->n_execs++;
	struct world_exec *x = &w->execs[e];

	*x = (struct world_exec){ .running = true, .mapped = -1, .clock = w->now };
	x->fact = (struct execution){ .id = id_new(w),
				      .how = how,
				      .pid = 100 + (uint32_t)e,
				      .exe = "",
				      .cwd = "/",
				      .start = w->now,
				      .status = -1 };
	for (int i = 0; i < WORLD_OPEN; i++)
		x->open[i] = -1;
	if (parent >= 0) {
		x->fact.parent = w->execs[parent].fact.id;
		x->fact.run = w->execs[parent].fact.run;
	} else {
		w->runs =
			arena_grow(&w->arena, w->runs, w->n_runs, &w->runs_room, sizeof(*w->runs));
		x->fact.run = id_new(w);
		w->runs[w->n_runs++] = (struct run){
			.id = x->fact.run,
			.name = "",
			.host = "here",
			.boot = "boot",
			.user = "me",
			.cwd = "/",
			.engine = "test",
			.start = w->now,
			.shift = SHIFT,
			.status = -1,
			.root = x->fact.id,
		};
	}
	return e;
}

/* The access of this triple; a new one when there is none. */
static int access_of(struct world *w, int e, int o, const char *path)
{
	for (size_t i = 0; i < w->n_accesses; i++) {
		const struct world_access *a = &w->accesses[i];

		if (a->exec == e && a->object == o && !strcmp(a->fact.path, path))
			return (int)i;
	}
	w->accesses = arena_grow(&w->arena, w->accesses, w->n_accesses, &w->accesses_room,
				 sizeof(*w->accesses));
	w->accesses[w->n_accesses] = (struct world_access){ .exec = e, .object = o };
	w->accesses[w->n_accesses].fact = (struct access){
		.exec = w->execs[e].fact.id,
		.object = w->objects[o].fact.id,
		.path = path,
		.fuzz = w->fuzz,
	};
	return (int)w->n_accesses++;
}

static bool open_add(struct world_exec *x, int access)
{
	for (int i = 0; i < WORLD_OPEN; i++) {
		if (x->open[i] == access)
			return true;
		if (x->open[i] < 0) {
			x->open[i] = access;
			return true;
		}
	}
	return false;
}

static void cut(struct world *w, struct world_exec *x, struct world_access *a)
{
	a->fact.flags |= ACCESS_TRUNCATE;
	a->fact.truncated = world_stamp(w, x);
	w->objects[a->object].size = 0;
}

static void do_open(struct world *w, int e)
{
	struct world_exec *x = &w->execs[e];
	int name = world_below(w, WORLD_NAMES), o = w->name[name], i;
	bool fresh = o < 0;
	struct world_access *a;

	if (fresh) {
		if (w->n_objects == WORLD_OBJECTS)
			return;
		o = w->name[name] = object_new(w, /* initial= */ false);
	}
	i = access_of(w, e, o, world_name(w, name));
	a = &w->accesses[i];
	if (a->open || !open_add(x, i))
		return;
	a->open = true;
	if (!a->fact.opened)
		a->fact.opened = world_stamp(w, x);
	if (fresh)
		a->fact.flags |= ACCESS_CREATE;
	if (!world_below(w, 4))
		cut(w, x, a);
}

/* A slot that is in use, -1 none. */
static int any_slot(struct world *w, int e)
{
	int first = world_below(w, WORLD_OPEN);

	for (int i = 0; i < WORLD_OPEN; i++)
		if (w->execs[e].open[(first + i) % WORLD_OPEN] >= 0)
			return (first + i) % WORLD_OPEN;
	return -1;
}

static struct world_access *any_open(struct world *w, int e)
{
	int slot = any_slot(w, e);

	return slot < 0 ? NULL : &w->accesses[w->execs[e].open[slot]];
}

static void bytes_read(struct world *w, int e, struct world_object *o)
{
	struct mask *carry = &w->execs[e].carry;
	int from, n;

	if (!o->size)
		return;
	from = o->pipe ? 0 : world_below(w, o->size);
	n = 1 + world_below(w, o->size - from);
	for (int i = from; i < from + n; i++) {
		mask_add(carry, o->byte[i]);
		carry->object |= 1ull << (o - w->objects);
	}
	if (o->pipe) {
		memmove(o->byte, o->byte + n, (size_t)(o->size - n) * sizeof(*o->byte));
		o->size -= n;
	}
}

static void bytes_write(struct world *w, int e, struct world_object *o)
{
	struct mask m = w->execs[e].carry;
	int from = o->pipe || !world_below(w, 3) ? o->size : world_below(w, o->size + 1);
	int n = 1 + world_below(w, 3);

	m.exec |= 1ull << e;
	m.object |= 1ull << (o - w->objects);
	for (int i = from; i < from + n && i < WORLD_BYTES; i++) {
		o->byte[i] = m;
		if (i >= o->size)
			o->size = i + 1;
	}
	mask_add(&o->ever, m);
}

static void do_read(struct world *w, int e)
{
	struct world_access *a = any_open(w, e);
	struct world_exec *x = &w->execs[e];

	if (!a)
		return;
	bytes_read(w, e, &w->objects[a->object]);
	a->fact.flags |= ACCESS_READ;
	a->fact.reads++;
	a->last_read = w->now;
	a->first_read = a->first_read ? a->first_read : w->now;
	if (!a->fact.first_read) {
		a->fact.first_read = a->fact.last_read = world_stamp(w, x);
	} else {
		a->fact.last_read = stamp_coarse(w, x);
	}
}

static void do_write(struct world *w, int e)
{
	struct world_access *a = any_open(w, e);
	struct world_exec *x = &w->execs[e];

	if (!a)
		return;
	bytes_write(w, e, &w->objects[a->object]);
	a->fact.flags |= ACCESS_WRITE;
	a->fact.writes++;
	a->last_write = w->now;
	a->first_write = a->first_write ? a->first_write : w->now;
	if (!a->fact.first_write) {
		a->fact.first_write = a->fact.last_write = world_stamp(w, x);
	} else {
		a->fact.last_write = stamp_coarse(w, x);
	}
}

static void do_cut(struct world *w, int e)
{
	struct world_access *a = any_open(w, e);

	if (a && !w->objects[a->object].pipe)
		cut(w, &w->execs[e], a);
}

static void do_close(struct world *w, int e)
{
	struct world_exec *x = &w->execs[e];
	int slot = any_slot(w, e);

	if (slot < 0)
		return;
	w->accesses[x->open[slot]].open = false;
	w->accesses[x->open[slot]].fact.closed = world_stamp(w, x);
	x->open[slot] = -1;
}

static void do_map(struct world *w, int e)
{
	struct world_exec *x = &w->execs[e];
	struct world_access *a = any_open(w, e);

	if (!a || x->mapped >= 0 || w->objects[a->object].pipe)
		return;
	x->mapped = (int)(a - w->accesses);
	a->fact.flags |= ACCESS_READ | ACCESS_MAP_READ;
	if (!a->fact.first_read)
		a->fact.first_read = a->fact.last_read = world_stamp(w, x);
	if (world_below(w, 2)) {
		a->fact.flags |= ACCESS_WRITE | ACCESS_MAP_WRITE;
		if (!a->fact.first_write)
			a->fact.first_write = a->fact.last_write = world_stamp(w, x);
	}
}

/* Through a mapping nothing is counted. */
static void do_mapped(struct world *w, int e)
{
	struct world_exec *x = &w->execs[e];
	struct world_access *a;

	if (x->mapped < 0)
		return;
	a = &w->accesses[x->mapped];
	if (a->fact.flags & ACCESS_MAP_WRITE && world_below(w, 2)) {
		bytes_write(w, e, &w->objects[a->object]);
		a->first_write = a->first_write ? a->first_write : w->now;
		a->last_write = w->now;
	} else {
		bytes_read(w, e, &w->objects[a->object]);
		a->first_read = a->first_read ? a->first_read : w->now;
		a->last_read = w->now;
	}
}

static void inherit(struct world *w, int from, int to)
{
	for (int i = 0; i < WORLD_OPEN; i++) {
		int old = w->execs[from].open[i], fresh;

		if (old < 0)
			continue;
		fresh = access_of(w, to, w->accesses[old].object, w->accesses[old].fact.path);
		w->accesses[fresh].fact.flags |= ACCESS_INHERIT;
		w->accesses[fresh].open = true;
		w->execs[to].open[i] = fresh;
	}
}

static void exec_stop(struct world *w, int e)
{
	struct world_exec *x = &w->execs[e];

	x->running = false;
	if (world_below(w, 4))
		x->fact.end = world_stamp(w, x);
}

static void do_fork(struct world *w, int e, enum how how)
{
	int child;

	if (w->n_execs == WORLD_EXECS)
		return;
	world_stamp(w, &w->execs[e]);
	child = exec_new(w, e, how);
	inherit(w, e, child);
	if (how == HOW_FORK) {
		w->execs[child].carry = w->execs[e].carry;
		w->execs[child].carry.exec |= 1ull << e;
	}
	if (how == HOW_EXEC) {
		exec_stop(w, e);
		w->execs[e].fact.replaced = true;
	}
}

static void do_pipe(struct world *w, int e)
{
	int o, i;

	if (w->n_objects == WORLD_OBJECTS)
		return;
	o = object_new(w, /* initial= */ false);
	w->objects[o].pipe = true;
	w->objects[o].fact.kind = OBJECT_PIPE;
	w->objects[o].fact.ino = 1000 + (uint64_t)o;
	i = access_of(w, e, o, arena_printf(&w->arena, "pipe:[%d]", 1000 + o));
	w->accesses[i].fact.opened = world_stamp(w, &w->execs[e]);
	w->accesses[i].open = open_add(&w->execs[e], i);
}

static void remember(struct world *w)
{
	const struct world_access *a;

	if (!w->n_accesses)
		return;
	a = &w->accesses[world_below(w, (int)w->n_accesses)];
	w->early = arena_grow(&w->arena, w->early, w->n_early, &w->early_room, sizeof(*w->early));
	w->early[w->n_early++] = a->fact;
}

static void step(struct world *w, int e)
{
	int what = world_below(w, 100);

	if (what < 20)
		do_open(w, e);
	else if (what < 42)
		do_read(w, e);
	else if (what < 64)
		do_write(w, e);
	else if (what < 66)
		do_cut(w, e);
	else if (what < 73)
		do_close(w, e);
	else if (what < 76)
		do_map(w, e);
	else if (what < 80)
		do_mapped(w, e);
	else if (what < 84)
		do_fork(w, e, HOW_FORK);
	else if (what < 86)
		do_fork(w, e, HOW_SPAWN);
	else if (what < 88)
		do_fork(w, e, HOW_EXEC);
	else if (what < 90)
		do_pipe(w, e);
	else if (what < 94)
		world_rename(w, e);
	else if (what < 97)
		remember(w);
	else
		exec_stop(w, e);
}

static int any_running(struct world *w)
{
	int first = world_below(w, WORLD_EXECS);

	for (int i = 0; i < WORLD_EXECS; i++)
		if (w->execs[(first + i) % WORLD_EXECS].running)
			return (first + i) % WORLD_EXECS;
	return -1;
}

void world_run(struct world *w, uint64_t seed, int steps)
{
	int moment;

	*w = (struct world){ .random = seed, .now = 1000 * WORLD_STEP };
	w->fuzz = world_below(w, 2) ? 4 * WORLD_STEP : 0;
	moment = world_below(w, steps);
	for (int i = 0; i < WORLD_NAMES; i++)
		w->name[i] = i < WORLD_NAMES / 2 ? object_new(w, /* initial= */ true) : -1;
	for (int i = 0; i < steps; i++) {
		int e = any_running(w);

		w->now += WORLD_STEP * (1 + world_below(w, 3));
		if (w->n_execs < WORLD_EXECS && (e < 0 || !world_below(w, 30)))
			(void)exec_new(w, /* parent= */ -1, HOW_ROOT);
		else if (e >= 0)
			step(w, e);
		if (i != moment)
			continue;
		w->moment = w->now + SHIFT;
		for (int o = 0; o < w->n_objects; o++)
			w->then[o] = world_content(&w->objects[o]);
	}
}

void world_release(struct world *w)
{
	arena_release(&w->arena);
}
