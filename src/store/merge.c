/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* merge.c - several facts about one thing as one */
#include "store/merge.h"

#include <string.h>

#include "base/buf.h"

/* The larger, where unknown is smaller than everything. */
static int64_t known(int64_t a, int64_t b, int64_t unknown)
{
	if (a == unknown || b == unknown)
		return a == unknown ? b : a;
	return a > b ? a : b;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static const char *known_text(const char *a, const char *b)
{
	a = a ? a : "";
	b = b ? b : "";
	return strcmp(a, b) >= 0 ? a : b;
}

static struct strings known_strings(struct strings a, struct strings b)
{
	size_t least = a.size < b.size ? a.size : b.size;
	int order = least ? memcmp(a.p, b.p, least) : 0;

	if (order)
		return order > 0 ? a : b;
	return a.size >= b.size ? a : b;
}

static struct id known_id(struct id a, struct id b)
{
	return id_compare(&a, &b) >= 0 ? a : b;
}

struct run run_unknown(const struct id *id)
{
	return (struct run){ .id = *id,
			     .name = "",
			     .host = "",
			     .boot = "",
			     .user = "",
			     .cwd = "",
			     .engine = "",
			     .status = -1 };
}

struct execution execution_unknown(const struct id *id)
{
	return (struct execution){
		.id = *id, .how = HOW_UNKNOWN, .exe = "", .cwd = "", .status = -1
	};
}

struct object object_unknown(const struct id *id)
{
	return (struct object){ .id = *id, .kind = OBJECT_OTHER, .size = -1 };
}

void run_merge(struct run *r, const struct run *more)
{
	r->name = known_text(r->name, more->name);
	r->host = known_text(r->host, more->host);
	r->boot = known_text(r->boot, more->boot);
	r->user = known_text(r->user, more->user);
	r->uid = (uint32_t)larger(r->uid, more->uid);
	r->cwd = known_text(r->cwd, more->cwd);
	r->argv = known_strings(r->argv, more->argv);
	r->engine = known_text(r->engine, more->engine);
	r->start = known(r->start, more->start, 0);
	r->end = known(r->end, more->end, 0);
	r->shift = known(r->shift, more->shift, 0);
	r->status = (int)known(r->status, more->status, -1);
	r->signal = (int)known(r->signal, more->signal, 0);
	r->lost = larger(r->lost, more->lost);
	r->root = known_id(r->root, more->root);
	r->recovered |= more->recovered;
}

void execution_merge(struct execution *x, const struct execution *more)
{
	x->run = known_id(x->run, more->run);
	x->parent = known_id(x->parent, more->parent);
	x->how = (enum how)known(x->how, more->how, HOW_UNKNOWN);
	x->pid = (uint32_t)larger(x->pid, more->pid);
	x->ppid = (uint32_t)larger(x->ppid, more->ppid);
	x->uid = (uint32_t)larger(x->uid, more->uid);
	x->exe = known_text(x->exe, more->exe);
	x->cwd = known_text(x->cwd, more->cwd);
	x->argv = known_strings(x->argv, more->argv);
	x->env = known_strings(x->env, more->env);
	x->start = known(x->start, more->start, 0);
	x->end = known(x->end, more->end, 0);
	x->status = (int)known(x->status, more->status, -1);
	x->signal = (int)known(x->signal, more->signal, 0);
	x->replaced |= more->replaced;
	x->blind |= more->blind;
}

static bool object_has_state(const struct object *o)
{
	return o->size != -1 || o->mtime || o->hashed;
}

static void object_take_state(struct object *o, const struct object *from)
{
	o->seen = from->seen;
	o->size = from->size;
	o->mtime = from->mtime;
	o->hashed = from->hashed;
	memset(o->sha256, 0, sizeof(o->sha256));
	if (from->hashed)
		memcpy(o->sha256, from->sha256, sizeof(o->sha256));
}

static void object_merge_state(struct object *o, const struct object *more)
{
	o->size = known(o->size, more->size, -1);
	o->mtime = known(o->mtime, more->mtime, 0);
	if (more->hashed && (!o->hashed || memcmp(more->sha256, o->sha256, sizeof(o->sha256)) > 0))
		memcpy(o->sha256, more->sha256, sizeof(o->sha256));
	o->hashed |= more->hashed;
}

void object_merge(struct object *o, const struct object *more)
{
	o->kind = (enum object_kind)known(o->kind, more->kind, OBJECT_OTHER);
	o->dev = larger(o->dev, more->dev);
	o->ino = larger(o->ino, more->ino);
	o->btime = known(o->btime, more->btime, 0);
	if (!object_has_state(more))
		return;
	if (!object_has_state(o) || more->seen > o->seen)
		object_take_state(o, more);
	else if (more->seen == o->seen)
		object_merge_state(o, more);
}

int64_t run_began(const struct run *r)
{
	/* Wraps instead of overflowing: both come from files. */
	return r->start ? (int64_t)((uint64_t)r->start + (uint64_t)r->shift) : 0;
}

int64_t access_first(const struct access *a)
{
	const int64_t times[] = { a->opened,    a->first_read, a->first_write, a->truncated,
				  a->last_read, a->last_write, a->closed };
	int64_t first = 0;

	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++)
		if (times[i] && (!first || times[i] < first))
			first = times[i];
	return first;
}

int64_t access_last(const struct access *a)
{
	const int64_t times[] = { a->opened,    a->first_read, a->first_write, a->truncated,
				  a->last_read, a->last_write, a->closed };
	int64_t last = 0;

	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++)
		last = known(last, times[i], 0);
	return last;
}

bool name_has_from(const struct name_event *e)
{
	return e->kind != NAME_SYMLINK && e->from && e->from[0];
}

bool name_has_to(const struct name_event *e)
{
	return e->kind != NAME_UNLINK && e->to && e->to[0];
}

bool run_matches(const struct run *r, const char *grep)
{
	struct buf line = { 0 };
	bool found;

	if (strstr(r->name, grep))
		return true;
	for (const char *p = NULL; (p = strings_next(&r->argv, p));) {
		if (line.size)
			buf_char(&line, ' ');
		buf_str(&line, p);
	}
	found = line.size && strstr(line.data, grep);
	buf_release(&line);
	return found;
}
