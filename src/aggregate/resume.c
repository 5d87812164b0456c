/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* resume.c - going on where a collector that died had stopped */
#include "aggregate/resume.h"

#include <string.h>
#include <sys/wait.h>

#include "aggregate/redact.h"
#include "base/conf.h"
#include "model/key.h"

enum state_kind {
	STATE_EVENT = 1,
	STATE_END = 2,
	STATE_ROOT = 3,
	STATE_COMMIT = 4,
};

/* An image that the earlier collector had facts about. */
struct resumed {
	struct execution x;
	bool ended;
	bool taken;	/* by an image that goes on */
	bool reads;
};

static void keep(struct aggregate *a, struct buf *b)
{
	if (a->out.keep)
		a->out.keep(a->out.ctx, b->data, b->size);
	buf_clear(b);
}

/* The arguments of an attempt may hold secrets. */
static void redact_attempt(const struct event *e, struct event *out)
{
	const struct prov_exec *x = EVENT_AS(prov_exec, e);
	const struct strings argv = { x->text + x->path_size, x->argv_size };
	size_t head = sizeof(*x) + x->path_size;
	struct prov_exec *clean = (struct prov_exec *)out->room;
	struct buf b = { 0 };

	redact_argv(&argv, conf_text("redact"), &b);
	memcpy(out->room, e->room, head);
	/* "[redacted]" may be longer than what it stands for */
	while (b.size > sizeof(out->room) - head)
		for (b.size--; b.size && b.data[b.size - 1]; b.size--)
			;
	if (b.size)
		memcpy(out->room + head, b.data, b.size);
	clean->argv_size = (uint32_t)b.size;
	out->size = head + b.size;
	buf_release(&b);
}

void resume_keep_event(struct aggregate *a, uint32_t pid, int64_t start, const struct event *e)
{
	static _Thread_local struct event clean;
	struct buf *b = &a->state;

	switch (event_head(e)->type) {
	case PROV_FORK:
	case PROV_WAIT:
		break;
	case PROV_EXEC:
		if (EVENT_AS(prov_exec, e)->failed)
			return;
		redact_attempt(e, &clean);
		e = &clean;
		break;
	case PROV_OPEN:
		if (!(EVENT_AS(prov_open, e)->tally.flags & PROV_TALLY_RENUMBERED))
			return;
		break;
	default:
		return;
	}
	buf_uint(b, STATE_EVENT);
	buf_uint(b, pid);
	buf_int(b, start);
	buf_append(b, e->room, e->size);
	keep(a, b);
}

void resume_keep_end(struct aggregate *a, const struct image_name *name, int64_t when,
		     bool replaced)
{
	struct buf *b = &a->state;

	buf_uint(b, STATE_END);
	buf_uint(b, name->pid);
	buf_int(b, name->start);
	buf_int(b, when);
	buf_uint(b, replaced);
	keep(a, b);
}

void aggregate_root(struct aggregate *a, uint32_t pid)
{
	a->root_pid = pid;
	buf_uint(&a->state, STATE_ROOT);
	buf_uint(&a->state, pid);
	keep(a, &a->state);
}

void resume_keep_handed(struct aggregate *a, uint32_t pid, int64_t start, uint32_t seq)
{
	buf_uint(&a->handed, pid);
	buf_int(&a->handed, start);
	buf_uint(&a->handed, seq);
}

void resume_keep_commit(struct aggregate *a)
{
	buf_uint(&a->state, STATE_COMMIT);
	buf_append(&a->state, a->handed.data, a->handed.size);
	buf_clear(&a->handed);
	keep(a, &a->state);
}

bool aggregate_state_is_commit(const char *p, size_t n)
{
	struct span s = { .at = p, .end = p + n };

	return span_uint(&s) == STATE_COMMIT && !s.bad;
}

static void resume_event(struct aggregate *a, struct span *s)
{
	static _Thread_local struct event e;
	struct image_name name = { .pid = (uint32_t)span_uint(s) };
	const struct resumed *r;
	struct image_record *by;

	name.start = span_int(s);
	e.size = s->bad ? 0 : (size_t)(s->end - s->at);
	if (s->bad || e.size > sizeof(e.room))
		return;
	memcpy(e.room, s->at, e.size);
	if (event_check(&e) < 0)
		return;
	/* whose event it was matters, not what else that image did */
	by = image_create(a->run.boot, name.pid, name.start);
	r = map_get(&a->resumed, &name, sizeof(name));
	if (r)
		by->x = r->x;
	session_event(a, by, &e);
	image_destroy(by);
}

static void resume_end(struct aggregate *a, struct span *s)
{
	struct image_name name = { .pid = (uint32_t)span_uint(s) };
	int64_t when;
	bool replaced;
	struct resumed *r;

	name.start = span_int(s);
	when = span_int(s);
	replaced = span_uint(s) != 0;
	r = map_get(&a->resumed, &name, sizeof(name));
	if (s->bad || !r)
		return;
	r->ended = true;
	r->x.end = when;
	r->x.replaced |= replaced;
}

void aggregate_resume_state(struct aggregate *a, const char *p, size_t n, struct engine *e)
{
	struct span s = { .at = p, .end = p + n };

	switch (span_uint(&s)) {
	case STATE_EVENT:
		resume_event(a, &s);
		break;
	case STATE_END:
		resume_end(a, &s);
		break;
	case STATE_ROOT:
		a->root_pid = (uint32_t)span_uint(&s);
		break;
	case STATE_COMMIT:
		while (s.at < s.end && !s.bad) {
			uint32_t pid = (uint32_t)span_uint(&s);
			int64_t start = span_int(&s);
			uint32_t seq = (uint32_t)span_uint(&s);

			if (!s.bad)
				e->ops->handed(e, pid, start, seq);
		}
		break;
	default:
		break;
	}
}

static void resume_execution(struct aggregate *a, const struct execution *x)
{
	struct image_name name = { .pid = x->pid, .start = x->start };
	void **slot = map_at(&a->resumed, &name, sizeof(name));
	struct resumed *r = *slot;

	if (!r) {
		r = *slot = arena_alloc(&a->memory, sizeof(*r));
		*map_at(&a->resumed_ids, &x->id, sizeof(x->id)) = r;
	}
	/* the last statement is the fullest */
	r->x = *x;
	r->x.exe = arena_str(&a->memory, x->exe);
	r->x.cwd = arena_str(&a->memory, x->cwd);
	r->x.argv.p = arena_copy(&a->memory, x->argv.p, x->argv.size);
	r->x.env.p = arena_copy(&a->memory, x->env.p, x->env.size);
	session_born(a, &x->parent, x->pid);
	if (x->how == HOW_ROOT)
		a->counts.root = x->id;
}

static void resume_name(struct aggregate *a, const struct id *object, const char *path,
			bool is_name)
{
	struct object_note *n = map_get(&a->objects, object, sizeof(*object));

	if (n && path[0])
		(void)session_object(a, &n->object, path, is_name);
}

static void resume_access(struct aggregate *a, const struct access *x)
{
	struct resumed *r = map_get(&a->resumed_ids, &x->exec, sizeof(x->exec));

	resume_name(a, &x->object, x->path, false);
	(void)session_note_access(a, x);
	session_base(a, x);
	if (x->fuzz > a->resumed_fuzz)
		a->resumed_fuzz = x->fuzz;
	if (r && x->flags & ACCESS_READ)
		r->reads |= session_carries_data(a, &x->object);
	if (x->flags & ACCESS_MAP_WRITE)
		session_mapping(a, &x->exec, &x->object, x->path, x->first_write);
}

void aggregate_resume(struct aggregate *a, const struct facts *f)
{
	for (size_t i = 0; i < f->n_executions; i++)
		resume_execution(a, &f->executions[i]);
	for (size_t i = 0; i < f->n_objects; i++)
		session_object(a, &f->objects[i], "", false)->emitted = true;
	for (size_t i = 0; i < f->n_accesses; i++)
		resume_access(a, &f->accesses[i]);
	for (size_t i = 0; i < f->n_names; i++)
		resume_name(a, &f->names[i].object, f->names[i].to, true);
	for (size_t i = 0; i < f->n_holes; i++)
		session_hole_resume(a, &f->holes[i]);
}

void resume_image(struct aggregate *a, struct image_record *im)
{
	struct image_name name = { .pid = im->x.pid, .start = im->x.start };
	struct resumed *r = map_get(&a->resumed, &name, sizeof(name));

	if (!r)
		return;
	r->taken = true;
	im->x = r->x;
	im->fuzz = a->resumed_fuzz;
	im->started = true;
	im->has_read = r->reads;
	buf_append(&im->argv, r->x.argv.p, r->x.argv.size);
	buf_append(&im->env, r->x.env.p, r->x.env.size);
	im->emitted = true;
}

struct image_record *resume_unended(struct aggregate *a, const struct image_name *name)
{
	const struct resumed *r = map_get(&a->resumed, name, sizeof(*name));
	struct image_record *im;

	if (!r || r->taken || r->ended)
		return NULL;
	im = image_create(a->run.boot, name->pid, name->start);
	resume_image(a, im);
	return im;
}

void aggregate_still_runs(struct aggregate *a)
{
	a->still_runs = true;
}

void resume_finish(struct aggregate *a)
{
	void *at;

	for (size_t i = 0; map_next(&a->resumed, &i, NULL, NULL, &at);) {
		struct resumed *r = at;
		struct past *p;

		if (r->taken)
			continue;
		p = session_past(a, &r->x);
		p->reads = r->reads;
		p->ended = r->ended;
		p->end = r->x.end;
		p->replaced = r->x.replaced;
	}
}

void resume_release(struct aggregate *a)
{
	map_release(&a->resumed);
	map_release(&a->resumed_ids);
	buf_release(&a->state);
	buf_release(&a->handed);
}
