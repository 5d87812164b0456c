/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* record.c - facts as bytes and back */
#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "journal/journal.h"

enum record_type {
	RECORD_RUN = 1,
	RECORD_EXECUTION = 2,
	RECORD_OBJECT = 3,
	RECORD_ACCESS = 4,
	RECORD_NAME = 5,
	RECORD_HOLE = 6,
	RECORD_NOTE = 7,
	RECORD_FOLDER = 8,
	RECORD_STATE = 9,
	RECORD_TRANSFER = 10,
};

static void put_id(struct buf *b, const struct id *id)
{
	buf_append(b, id->b, sizeof(id->b));
}

static void put_text(struct buf *b, const char *s)
{
	buf_blob(b, s ? s : "", s ? strlen(s) : 0);
}

static void put_strings(struct buf *b, const struct strings *s)
{
	buf_blob(b, s->p, s->size);
}

/* A record is its type, its length, and that many bytes, so that a reader can
 * step over types and fields it does not know. */
static void put_record(struct buf *out, enum record_type type, struct buf *body)
{
	buf_uint(out, type);
	buf_blob(out, body->data, body->size);
	buf_clear(body);
}

static void put_run(struct buf *b, const struct run *r)
{
	put_id(b, &r->id);
	put_text(b, r->name);
	put_text(b, r->host);
	put_text(b, r->boot);
	put_text(b, r->user);
	buf_uint(b, r->uid);
	put_text(b, r->cwd);
	put_strings(b, &r->argv);
	put_text(b, r->engine);
	buf_int(b, r->start);
	buf_int(b, r->end);
	buf_int(b, r->shift);
	buf_int(b, r->status);
	buf_int(b, r->signal);
	buf_uint(b, r->lost);
	put_id(b, &r->root);
	buf_uint(b, r->recovered);
}

static void put_execution(struct buf *b, const struct execution *x)
{
	put_id(b, &x->id);
	put_id(b, &x->run);
	put_id(b, &x->parent);
	buf_uint(b, (uint64_t)x->how);
	buf_uint(b, x->pid);
	buf_uint(b, x->ppid);
	buf_uint(b, x->uid);
	put_text(b, x->exe);
	put_text(b, x->cwd);
	put_strings(b, &x->argv);
	put_strings(b, &x->env);
	buf_int(b, x->start);
	buf_int(b, x->end);
	buf_int(b, x->status);
	buf_int(b, x->signal);
	buf_uint(b, (unsigned)x->replaced | (unsigned)x->blind << 1);
}

static void put_object(struct buf *b, const struct object *o)
{
	put_id(b, &o->id);
	buf_uint(b, (uint64_t)o->kind);
	buf_uint(b, o->dev);
	buf_uint(b, o->ino);
	buf_int(b, o->btime);
	buf_int(b, o->size);
	buf_int(b, o->mtime);
	buf_int(b, o->seen);
	buf_uint(b, o->hashed);
	if (o->hashed)
		buf_append(b, o->sha256, sizeof(o->sha256));
}

static void put_access(struct buf *b, const struct access *x)
{
	put_id(b, &x->exec);
	put_id(b, &x->object);
	put_text(b, x->path);
	buf_uint(b, x->flags);
	buf_uint(b, x->reads);
	buf_uint(b, x->writes);
	buf_uint(b, x->bytes_read);
	buf_uint(b, x->bytes_written);
	buf_int(b, x->first_read);
	buf_int(b, x->last_read);
	buf_int(b, x->first_write);
	buf_int(b, x->last_write);
	buf_int(b, x->fuzz);
	buf_int(b, x->opened);
	buf_int(b, x->closed);
	buf_int(b, x->truncated);
}

static void put_name(struct buf *b, const struct name_event *n)
{
	put_id(b, &n->exec);
	put_id(b, &n->object);
	buf_uint(b, (uint64_t)n->kind);
	put_text(b, n->from);
	put_text(b, n->to);
	buf_int(b, n->time);
}

static void put_hole(struct buf *b, const struct hole *h)
{
	put_id(b, &h->run);
	put_id(b, &h->exec);
	put_text(b, h->kind);
	put_text(b, h->why);
	buf_uint(b, h->count);
}

static void put_note(struct buf *b, const struct note *n)
{
	put_id(b, &n->run);
	put_text(b, n->key);
	put_text(b, n->value);
}

static void put_transfer(struct buf *b, const struct transfer *t)
{
	put_id(b, &t->exec);
	put_id(b, &t->object);
	buf_int(b, t->start);
	buf_int(b, t->end - t->start);
	buf_int(b, t->offset);
	buf_uint(b, t->bytes);
	buf_uint(b, t->written);
}

void journal_encode(const struct facts *f, struct buf *out)
{
	struct buf body = { 0 };

#define EACH(list, type, put)                              \
	for (size_t i = 0; i < f->n_##list; i++) {         \
		put(&body, &f->list[i]);                   \
		put_record(out, type, &body);              \
	}
	EACH(runs, RECORD_RUN, put_run)
	EACH(executions, RECORD_EXECUTION, put_execution)
	EACH(objects, RECORD_OBJECT, put_object)
	EACH(accesses, RECORD_ACCESS, put_access)
	EACH(names, RECORD_NAME, put_name)
	EACH(holes, RECORD_HOLE, put_hole)
	EACH(notes, RECORD_NOTE, put_note)
	EACH(transfers, RECORD_TRANSFER, put_transfer)
#undef EACH
	buf_release(&body);
}

void journal_encode_folder(const char *folder, struct buf *out)
{
	struct buf body = { 0 };

	put_text(&body, folder);
	put_record(out, RECORD_FOLDER, &body);
	buf_release(&body);
}

void journal_encode_state(const char *p, size_t n, struct buf *out)
{
	buf_uint(out, RECORD_STATE);
	buf_blob(out, p, n);
}

void journal_decode_states(const char *p, size_t size, const struct journal_sink *sink)
{
	struct span all = { .at = p, .end = size ? p + size : p };

	while (sink->state && all.at < all.end) {
		uint64_t type = span_uint(&all);
		size_t n;
		const char *body = span_blob(&all, &n);

		if (all.bad)
			return;
		if (type == RECORD_STATE)
			sink->state(sink->ctx, body, n);
	}
}

/* Where decoded facts go. */
struct getter {
	struct span s;
	struct arena *a;
};

static struct id get_id(struct getter *g)
{
	struct id id = { { 0 } };

	if (g->s.end - g->s.at < (ptrdiff_t)sizeof(id.b)) {
		g->s.bad = 1;
		return id;
	}
	memcpy(id.b, g->s.at, sizeof(id.b));
	g->s.at += sizeof(id.b);
	return id;
}

static const char *get_text(struct getter *g)
{
	size_t n;
	const char *p = span_blob(&g->s, &n);

	return arena_strn(g->a, p, n);
}

static struct strings get_strings(struct getter *g)
{
	struct strings s;

	s.p = span_blob(&g->s, &s.size);
	/* strings are taken apart at their NULs: the last must have one */
	if (s.size && s.p[s.size - 1])
		g->s.bad = 1;
	s.p = arena_copy(g->a, s.p, s.size);
	return s;
}

static uint32_t get_u32(struct getter *g)
{
	uint64_t v = span_uint(&g->s);

	if (v > UINT32_MAX)
		g->s.bad = 1;
	return (uint32_t)v;
}

static int get_small(struct getter *g)
{
	int64_t v = span_int(&g->s);

	if (v < -1 || v > 65535)
		g->s.bad = 1;
	return (int)v;
}

static unsigned get_enum(struct getter *g, unsigned last)
{
	uint64_t v = span_uint(&g->s);

	if (v > last)
		g->s.bad = 1;
	return (unsigned)v;
}

static struct run get_run(struct getter *g)
{
	struct run r = { 0 };

	r.id = get_id(g);
	r.name = get_text(g);
	r.host = get_text(g);
	r.boot = get_text(g);
	r.user = get_text(g);
	r.uid = get_u32(g);
	r.cwd = get_text(g);
	r.argv = get_strings(g);
	r.engine = get_text(g);
	r.start = span_int(&g->s);
	r.end = span_int(&g->s);
	r.shift = span_int(&g->s);
	r.status = get_small(g);
	r.signal = get_small(g);
	r.lost = span_uint(&g->s);
	r.root = get_id(g);
	r.recovered = get_enum(g, 1);
	return r;
}

static struct execution get_execution(struct getter *g)
{
	struct execution x = { 0 };
	unsigned bits;

	x.id = get_id(g);
	x.run = get_id(g);
	x.parent = get_id(g);
	x.how = (enum how)get_enum(g, HOW_UNKNOWN);
	x.pid = get_u32(g);
	x.ppid = get_u32(g);
	x.uid = get_u32(g);
	x.exe = get_text(g);
	x.cwd = get_text(g);
	x.argv = get_strings(g);
	x.env = get_strings(g);
	x.start = span_int(&g->s);
	x.end = span_int(&g->s);
	x.status = get_small(g);
	x.signal = get_small(g);
	bits = get_enum(g, 3);
	x.replaced = bits & 1;
	x.blind = bits & 2;
	return x;
}

static struct object get_object(struct getter *g)
{
	struct object o = { 0 };

	o.id = get_id(g);
	o.kind = (enum object_kind)get_enum(g, OBJECT_OTHER);
	o.dev = span_uint(&g->s);
	o.ino = span_uint(&g->s);
	o.btime = span_int(&g->s);
	o.size = span_int(&g->s);
	o.mtime = span_int(&g->s);
	o.seen = span_int(&g->s);
	o.hashed = get_enum(g, 1);
	if (o.hashed && g->s.end - g->s.at >= (ptrdiff_t)sizeof(o.sha256)) {
		memcpy(o.sha256, g->s.at, sizeof(o.sha256));
		g->s.at += sizeof(o.sha256);
	} else if (o.hashed) {
		g->s.bad = 1;
	}
	return o;
}

static struct access get_access(struct getter *g)
{
	struct access x = { 0 };

	x.exec = get_id(g);
	x.object = get_id(g);
	x.path = get_text(g);
	x.flags = get_u32(g);
	x.reads = span_uint(&g->s);
	x.writes = span_uint(&g->s);
	x.bytes_read = span_uint(&g->s);
	x.bytes_written = span_uint(&g->s);
	x.first_read = span_int(&g->s);
	x.last_read = span_int(&g->s);
	x.first_write = span_int(&g->s);
	x.last_write = span_int(&g->s);
	x.fuzz = span_int(&g->s);
	x.opened = span_int(&g->s);
	x.closed = span_int(&g->s);
	x.truncated = span_int(&g->s);
	return x;
}

static struct name_event get_name(struct getter *g)
{
	struct name_event n = { 0 };

	n.exec = get_id(g);
	n.object = get_id(g);
	n.kind = (enum name_kind)get_enum(g, NAME_EXCHANGE);
	n.from = get_text(g);
	n.to = get_text(g);
	n.time = span_int(&g->s);
	return n;
}

static struct hole get_hole(struct getter *g)
{
	struct hole h = { 0 };

	h.run = get_id(g);
	h.exec = get_id(g);
	h.kind = get_text(g);
	h.why = get_text(g);
	h.count = span_uint(&g->s);
	return h;
}

static struct note get_note(struct getter *g)
{
	struct note n = { 0 };

	n.run = get_id(g);
	n.key = get_text(g);
	n.value = get_text(g);
	return n;
}

static struct transfer get_transfer(struct getter *g)
{
	struct transfer t = { 0 };
	int64_t took;

	t.exec = get_id(g);
	t.object = get_id(g);
	t.start = span_int(&g->s);
	took = span_int(&g->s);
	t.offset = span_int(&g->s);
	t.bytes = span_uint(&g->s);
	t.written = get_enum(g, 1);
	if (t.start < 0 || took < 0 || took > INT64_MAX - t.start || t.offset < -1)
		g->s.bad = 1;
	else
		t.end = t.start + took;
	return t;
}

static int get_record(struct getter *g, unsigned type, struct facts *f, struct journal_rooms *room,
		      const char **folder)
{
#define ADD(list, get)                                                                           \
	do {                                                                                     \
		f->list = arena_grow(g->a, f->list, f->n_##list, &room->list, sizeof(*f->list)); \
		f->list[f->n_##list] = get(g);                                                   \
		f->n_##list += !g->s.bad;                                                        \
	} while (0)
	switch (type) {
	case RECORD_RUN:
		ADD(runs, get_run);
		break;
	case RECORD_EXECUTION:
		ADD(executions, get_execution);
		break;
	case RECORD_OBJECT:
		ADD(objects, get_object);
		break;
	case RECORD_ACCESS:
		ADD(accesses, get_access);
		break;
	case RECORD_NAME:
		ADD(names, get_name);
		break;
	case RECORD_HOLE:
		ADD(holes, get_hole);
		break;
	case RECORD_NOTE:
		ADD(notes, get_note);
		break;
	case RECORD_TRANSFER:
		ADD(transfers, get_transfer);
		break;
	case RECORD_FOLDER:
		*folder = get_text(g);
		break;
	default:
		break;	/* of a newer prov: stepped over */
	}
#undef ADD
	return g->s.bad ? -EBADMSG : 0;
}

int journal_decode_more(const char *p, size_t size, struct arena *a, struct facts *out,
			struct journal_rooms *room, const char **folder)
{
	struct span all = { .at = p, .end = size ? p + size : p };	/* none may be NULL */

	while (all.at < all.end) {
		uint64_t type = span_uint(&all);
		struct getter g = { .a = a };
		size_t n;

		g.s.at = span_blob(&all, &n);
		g.s.end = g.s.at + n;
		if (all.bad || type > 255 || get_record(&g, (unsigned)type, out, room, folder) < 0)
			return -EBADMSG;
	}
	return 0;
}

int journal_decode(const char *p, size_t size, struct arena *a, struct facts *out,
		   const char **folder)
{
	struct journal_rooms room = { 0 };

	*out = (struct facts){ 0 };
	*folder = NULL;
	return journal_decode_more(p, size, a, out, &room, folder);
}
