/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* session.c - what only the whole session knows */
#include "aggregate/session.h"

#include <stdlib.h>
#include <string.h>

#include "aggregate/redact.h"
#include "base/conf.h"
#include "base/path.h"
#include "model/key.h"

const char *session_real_path(struct aggregate *a, const char *path)
{
	void **slot = map_at(&a->real_paths, path, strlen(path));

	if (!*slot)
		*slot = (void *)(uintptr_t)path_real(&a->memory, path);
	return *slot;
}

static struct strings intern(struct aggregate *a, const struct strings *s)
{
	void **slot = map_at(&a->texts, s->p, s->size);

	if (!*slot)
		*slot = arena_copy(&a->memory, s->p, s->size);
	return (struct strings){ *slot, s->size };
}

void session_born(struct aggregate *a, const struct id *parent, uint32_t pid)
{
	struct birth b = { .parent = *parent, .pid = pid };

	*map_at(&a->born, &b, sizeof(b)) = a;
}

struct hole_key {
	struct id exec, text;
};

/* A fact restates the total, so the count of what is said again and again is
 * the sum so far. */
static uint64_t hole_total(struct aggregate *a, const struct hole *h)
{
	struct hole_key key = { .exec = h->exec };
	struct buf text = { 0 };
	void **slot;

	buf_printf(&text, "%s: %s", h->kind, h->why);
	key.text = id_of(text.data, text.size);
	buf_release(&text);
	slot = map_at(&a->holes, &key, sizeof(key));
	*slot = (void *)((uintptr_t)*slot + (uintptr_t)h->count);
	return (uintptr_t)*slot;
}

void session_hole(struct aggregate *a, const struct id *exec, const char *kind, const char *why,
		  uint64_t n)
{
	struct hole h = { .run = a->run.id, .kind = kind, .why = why, .count = n };
	struct facts f = { .holes = &h, .n_holes = 1 };

	if (exec)
		h.exec = *exec;
	if (strcmp(kind, "lost"))
		a->counts.blind++;
	h.count = hole_total(a, &h);
	a->out.facts(a->out.ctx, &f);
}

void session_hole_resume(struct aggregate *a, const struct hole *h)
{
	struct hole own = *h;
	uint64_t before;

	/* what the earlier collector said is a total itself */
	own.count = 0;
	before = hole_total(a, &own);
	own.count = h->count > before ? h->count - before : 0;
	(void)hole_total(a, &own);
}

void session_early_open(struct aggregate *a, const struct image_record *by,
			const struct prov_open *o, const struct object *object, const char *path)
{
	a->earlies = arena_grow(&a->memory, a->earlies, a->n_earlies, &a->early_room,
				sizeof(*a->earlies));
	a->earlies[a->n_earlies++] = (struct early){
		.by = { .pid = by->x.pid, .start = by->x.start },
		.pid = o->pid,
		.object = *object,
		.path = arena_str(&a->memory, path),
		.tally = o->tally,
	};
}

void session_exec(struct aggregate *a, const struct image_record *by, const struct prov_exec *x)
{
	struct attempted *t;

	if (x->failed)
		return;
	a->attempts = arena_grow(&a->memory, a->attempts, a->n_attempts, &a->attempt_room,
				 sizeof(*t));
	t = &a->attempts[a->n_attempts++];
	*t = (struct attempted){
		.by = { .pid = by->x.pid, .start = by->x.start },
		.pid = x->pid,
		.time = (int64_t)x->head.time,
		.cut = x->head.flags & PROV_CUT,
		.argv = { arena_copy(&a->memory, x->text + x->path_size, x->argv_size),
			  x->argv_size },
	};
	if (x->text[0] == '/')
		t->path = arena_str(&a->memory, x->text);
	else
		t->path = arena_printf(&a->memory, "%s/%s", by->x.cwd, x->text);
}

void session_fork(struct aggregate *a, const struct image_record *by, const struct prov_fork *f)
{
	a->forks = arena_grow(&a->memory, a->forks, a->n_forks, &a->fork_room, sizeof(*a->forks));
	a->forks[a->n_forks++] = (struct forked){
		.parent = { .pid = by->x.pid, .start = by->x.start },
		.pid = f->pid,
		.time = (int64_t)f->head.time,
	};
}

void session_wait(struct aggregate *a, uint32_t pid, int status, int64_t time)
{
	a->waits = arena_grow(&a->memory, a->waits, a->n_waits, &a->wait_room, sizeof(*a->waits));
	a->waits[a->n_waits++] = (struct waited){ pid, status, time };
}

bool session_carries_data(struct aggregate *a, const struct id *object)
{
	const struct object_note *n = map_get(&a->objects, object, sizeof(*object));

	return n && object_kind_carries_data(n->object.kind);
}

void session_mapping(struct aggregate *a, const struct id *exec, const struct id *object,
		     const char *path, int64_t since)
{
	a->mappings = arena_grow(&a->memory, a->mappings, a->n_mappings, &a->mapping_room,
				 sizeof(*a->mappings));
	a->mappings[a->n_mappings++] =
		(struct mapping){ *exec, *object, arena_str(&a->memory, path), since };
}

struct past *session_past(struct aggregate *a, const struct execution *x)
{
	struct past *p;

	a->past = arena_grow(&a->memory, a->past, a->n_past, &a->past_room, sizeof(*p));
	p = &a->past[a->n_past++];
	*p = (struct past){
		.name = { .pid = x->pid, .start = x->start },
		.id = x->id,
		.parent = x->parent,
		.how = x->how,
		.ppid = x->ppid,
		.uid = x->uid,
		.exe = arena_str(&a->memory, x->exe),
		.cwd = arena_str(&a->memory, x->cwd),
		.argv = intern(a, &x->argv),
		.env = intern(a, &x->env),
		.status = -1,
	};
	a->counts.executions++;
	if (x->how != HOW_EXEC)
		a->counts.processes++;
	return p;
}

void session_remember(struct aggregate *a, const struct image_record *im)
{
	struct past *p = session_past(a, &im->x);

	p->reads = im->has_read;
	for (size_t i = 0; i < im->n_accesses; i++) {
		const struct access *x = &im->accesses[i];

		p->reads |= x->flags & ACCESS_READ && session_carries_data(a, &x->object);
		if (x->flags & ACCESS_MAP_WRITE)
			session_mapping(a, &im->x.id, &x->object, x->path, x->first_write);
	}
}

void session_ended(struct aggregate *a, const struct image_name *name, int64_t when, bool replaced)
{
	struct past *p = &a->past[a->n_past - 1];

	if (p->name.pid != name->pid || p->name.start != name->start)
		return;
	p->ended = true;
	p->end = when;
	p->replaced = replaced;
}

void session_release(struct aggregate *a)
{
	map_release(&a->real_paths);
	map_release(&a->texts);
	map_release(&a->born);
	map_release(&a->holes);
}
