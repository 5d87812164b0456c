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

struct birth {
	struct image_name parent;
	uint32_t pid;
	uint32_t pad;
};

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

void session_born(struct aggregate *a, uint32_t parent_pid, int64_t parent_start, uint32_t pid)
{
	struct birth b = { .parent = { .pid = parent_pid, .start = parent_start }, .pid = pid };

	*map_at(&a->born, &b, sizeof(b)) = a;
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
	a->out.facts(a->out.ctx, &f);
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
		.object = object_from_wire(&x->object, x->text, (int64_t)x->head.time),
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

static bool carries_data(struct aggregate *a, const struct id *object)
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

void session_remember(struct aggregate *a, const struct image_record *im)
{
	struct past *p;

	a->past = arena_grow(&a->memory, a->past, a->n_past, &a->past_room, sizeof(*p));
	p = &a->past[a->n_past++];
	*p = (struct past){
		.name = { .pid = im->x.pid, .start = im->x.start },
		.id = im->x.id,
		.parent = im->x.parent,
		.how = im->x.how,
		.ppid = im->x.ppid,
		.uid = im->x.uid,
		.exe = arena_str(&a->memory, im->x.exe),
		.cwd = arena_str(&a->memory, im->x.cwd),
		.argv = intern(a, &im->x.argv),
		.env = intern(a, &im->x.env),
		.status = -1,
	};
	for (size_t i = 0; i < im->n_accesses; i++) {
		const struct access *x = &im->accesses[i];

		p->reads |= x->flags & ACCESS_READ && carries_data(a, &x->object);
		if (x->flags & ACCESS_MAP_WRITE)
			session_mapping(a, &im->x.id, &x->object, x->path, x->first_write);
	}
	a->counts.executions++;
	if (im->x.how != HOW_EXEC)
		a->counts.processes++;
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
}
