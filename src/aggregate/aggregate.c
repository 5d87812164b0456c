/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* aggregate.c - from events to facts */
#include "aggregate/aggregate.h"

#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "aggregate/image.h"
#include "aggregate/resume.h"
#include "aggregate/session.h"
#include "base/conf.h"
#include "base/mem.h"
#include "base/path.h"
#include "model/key.h"

static struct image_record *image_of(struct aggregate *a, uint32_t pid, int64_t start)
{
	struct image_name name = { .pid = pid, .start = start };
	void **slot = map_at(&a->live, &name, sizeof(name));

	if (!*slot) {
		*slot = image_create(a->run.boot, pid, start);
		((struct image_record *)*slot)->x.run = a->run.id;
		resume_image(a, *slot);
	}
	return *slot;
}

static void note_path(struct aggregate *a, struct object_note *n, const char *path)
{
	size_t size = strlen(path) + 1;

	/* a file that is renamed for ever must not take memory for ever */
	if (size > n->path_room) {
		n->path = arena_alloc(&a->memory, size);
		n->path_room = size;
	}
	memcpy(n->path, path, size);
}

/* The newest fact about an object; kept for the run, since files are looked at
 * again when it ends. */
struct object_note *session_object(struct aggregate *a, const struct object *o, const char *path,
				   bool is_name)
{
	void **slot = map_at(&a->objects, &o->id, sizeof(o->id));
	struct object_note *n = *slot;

	if (!n) {
		n = *slot = arena_alloc(&a->memory, sizeof(*n));
		n->object = *o;
		note_path(a, n, path);
		a->notes = arena_grow(&a->memory, a->notes, a->n_notes, &a->note_room, sizeof(n));
		a->notes[a->n_notes++] = n;
	} else if (o->seen > n->object.seen) {
		n->object.size = o->size;
		n->object.mtime = o->mtime;
		n->object.seen = o->seen;
	}
	if ((is_name || !n->path[0]) && strcmp(n->path, path))
		note_path(a, n, path);
	return n;
}

static void on_start(struct aggregate *a, struct image_record *im, const struct prov_start *s)
{
	image_set_start(im, s);
	if (s->parent_pid)
		im->x.parent = execution_id_of(a->run.boot, s->parent_pid,
					       (int64_t)s->parent_start);
	else if (id_is_zero(&a->counts.root))
		a->counts.root = im->x.id;
	session_born(a, &im->x.parent, s->pid);
	if (im->stdio_blind)
		session_hole(a, &im->x.id, "stdio",
			     "libc could not be entered: reads and writes that it makes by itself "
			     "are not counted",
			     1);
}

/* A file that the loader or the kernel mapped as program. */
static void image_load(struct aggregate *a, struct image_record *im, const char *path)
{
	const char *real = session_real_path(a, path);
	struct access *access;
	struct object o;

	if (!path[0] || !strcmp(path_base(path), "libprov-preload.so") ||
	    object_of_path(real, &o) < 0)
		return;
	o.seen = im->x.start;
	session_object(a, &o, real, false);
	access = image_access(im, &o.id, real);
	access->flags |= ACCESS_LOAD;
	if (!access->opened)
		access->opened = im->x.start;
}

static void on_loaded(struct aggregate *a, struct image_record *im, const struct prov_strings *s)
{
	struct strings paths = { s->text, s->size };

	for (const char *p = NULL; (p = strings_next(&paths, p));)
		image_load(a, im, p);
}

static void on_open(struct aggregate *a, struct image_record *im, const struct prov_open *o)
{
	struct object object = object_from_wire(&o->object, o->text, (int64_t)o->head.time);
	const char *path = image_path(im, o->text, &o->object);

	/* opened between vfork and exec: it is the child's doing, which has the
	 * number but not yet a name */
	if (o->tally.flags & PROV_TALLY_RENUMBERED) {
		session_early_open(a, im, o, &object, path);
		return;
	}
	session_object(a, &object, path, false);
	image_add_tally(im, image_access(im, &object.id, path), &a->levels, &o->tally,
			object.kind == OBJECT_DIRECTORY);
	if (o->head.flags & (PROV_PATH_RAW | PROV_PATH_LONG))
		session_hole(a, &im->x.id, "path",
			     "the full name of a file could not be found out; "
			     "it is shown as the program gave it", 1);
}

static void image_delete(struct aggregate *a, struct image_record *im, const struct prov_object *o,
			 const char *path, int64_t when)
{
	struct object object = object_from_wire(o, path, when);
	struct access *access;

	session_object(a, &object, path, false);
	access = image_access(im, &object.id, path);
	if (o->nlink <= 1 || object.kind == OBJECT_DIRECTORY)
		access->flags |= ACCESS_DELETE;
	if (!access->opened)
		access->opened = access->closed = when;
}

static void emit_name(struct aggregate *a, struct image_record *im, const struct object *o,
		      enum name_kind kind, const char *from, const char *to, int64_t when)
{
	struct name_event n = {
		.exec = im->x.id,
		.object = o->id,
		.kind = kind,
		.from = from,
		.to = to,
		.time = when,
	};
	struct facts f = { .names = &n, .n_names = 1 };

	session_object(a, o, kind == NAME_UNLINK ? from : to, kind != NAME_UNLINK);
	a->out.facts(a->out.ctx, &f);
}

static bool same_object(const struct prov_object *a, const struct prov_object *b)
{
	return a->mode && b->mode && a->ino == b->ino && a->dev_major == b->dev_major &&
	       a->dev_minor == b->dev_minor && a->btime == b->btime;
}

static void on_name(struct aggregate *a, struct image_record *im, const struct prov_name *n)
{
	static const enum name_kind kinds[] = {
		[PROV_NAME_RENAME] = NAME_RENAME,     [PROV_NAME_LINK] = NAME_LINK,
		[PROV_NAME_UNLINK] = NAME_UNLINK,     [PROV_NAME_SYMLINK] = NAME_SYMLINK,
		[PROV_NAME_EXCHANGE] = NAME_EXCHANGE,
	};
	int64_t when = (int64_t)n->head.time;
	const char *from = n->text, *to = n->to_size ? n->text + n->from_size : "";
	struct object o = object_from_wire(&n->object, from, when);
	struct object other;

	/* rename(2) between two names of one file does nothing */
	if (n->kind == PROV_NAME_RENAME && same_object(&n->object, &n->other))
		return;
	if (n->kind == PROV_NAME_LINK)
		from = image_path(im, from, NULL);
	emit_name(a, im, &o, kinds[n->kind], from, to, when);
	if (n->kind == PROV_NAME_UNLINK) {
		image_delete(a, im, &n->object, from, when);
	} else if (n->kind == PROV_NAME_EXCHANGE && n->other.mode) {
		other = object_from_wire(&n->other, to, when);
		emit_name(a, im, &other, NAME_EXCHANGE, to, from, when);
	} else if (n->kind == PROV_NAME_RENAME && n->other.mode) {
		other = object_from_wire(&n->other, to, when);
		emit_name(a, im, &other, NAME_UNLINK, to, "", when);
		image_delete(a, im, &n->other, to, when);
	}
}

/* Handed on as it comes: there are too many to keep. */
static void on_transfer(struct aggregate *a, const struct image_record *im,
			const struct prov_transfer *t)
{
	uint64_t dev = makedev(t->dev_major, t->dev_minor);
	struct transfer one = {
		.exec = im->x.id,
		.object = object_id_of(fs_of_device(dev), OBJECT_FILE, t->ino, t->btime),
		.start = (int64_t)t->start,
		.end = (int64_t)t->head.time,
		.offset = t->offset == PROV_NO_OFFSET ? -1 : (int64_t)t->offset,
		.bytes = t->bytes,
		.written = t->written,
	};
	struct facts f = { .transfers = &one, .n_transfers = 1 };

	a->out.facts(a->out.ctx, &f);
}

void session_event(struct aggregate *a, struct image_record *im, const struct event *e)
{
	const struct prov_record *r = event_head(e);

	switch (r->type) {
	case PROV_START:
		on_start(a, im, EVENT_AS(prov_start, e));
		break;
	case PROV_ARGV:
		image_add_argv(im, EVENT_AS(prov_strings, e));
		break;
	case PROV_ENVIRON:
		buf_append(&im->env, EVENT_AS(prov_strings, e)->text,
			   EVENT_AS(prov_strings, e)->size);
		im->emitted = false;
		if (r->flags & PROV_CUT)
			session_hole(a, &im->x.id, "environ",
				     "its environment is longer than what is kept", 1);
		break;
	case PROV_LOADED:
		on_loaded(a, im, EVENT_AS(prov_strings, e));
		break;
	case PROV_OPEN:
		on_open(a, im, EVENT_AS(prov_open, e));
		break;
	case PROV_NAME:
		on_name(a, im, EVENT_AS(prov_name, e));
		break;
	case PROV_EXEC:
		session_exec(a, im, EVENT_AS(prov_exec, e));
		break;
	case PROV_FORK:
		session_fork(a, im, EVENT_AS(prov_fork, e));
		break;
	case PROV_WAIT:
		session_wait(a, EVENT_AS(prov_wait, e)->pid, EVENT_AS(prov_wait, e)->status,
			     (int64_t)r->time);
		break;
	case PROV_HOLE: {
		const struct prov_hole *h = EVENT_AS(prov_hole, e);

		session_hole(a, &im->x.id, h->text, h->text + h->kind_size, 1);
		break;
	}
	case PROV_TRANSFER:
		on_transfer(a, im, EVENT_AS(prov_transfer, e));
		break;
	default:
		break;
	}
}

static void on_event(void *ctx, uint32_t pid, int64_t start, const struct event *e)
{
	struct aggregate *a = ctx;

	resume_keep_event(a, pid, start, e);
	session_event(a, image_of(a, pid, start), e);
}

static void on_handed(void *ctx, uint32_t pid, int64_t start, uint32_t seq)
{
	resume_keep_handed(ctx, pid, start, seq);
}

struct object_note *session_note_access(struct aggregate *a, const struct access *x)
{
	struct object_note *n = map_get(&a->objects, &x->object, sizeof(x->object));

	if (n && n->object.kind == OBJECT_FILE) {
		n->read |= (x->flags & ACCESS_READ) != 0;
		n->written |= (x->flags & (ACCESS_WRITE | ACCESS_CREATE | ACCESS_TRUNCATE)) != 0;
	}
	return n;
}

struct access_key {
	struct id exec, object;
	struct id path;		/* digest of the path */
};

static struct access_key key_of(const struct access *x)
{
	return (struct access_key){ x->exec, x->object, id_of(x->path, strlen(x->path)) };
}

void session_base(struct aggregate *a, const struct access *settled)
{
	struct access_key key = key_of(settled);
	void **slot = map_at(&a->bases, &key, sizeof(key));

	if (!*slot) {
		*slot = arena_copy(&a->memory, settled, sizeof(*settled));
		((struct access *)*slot)->path = arena_str(&a->memory, settled->path);
	} else {
		access_merge(*slot, settled);
	}
}

/* Counts restate the total, so what was settled before is part of them. */
static void add_bases(struct aggregate *a, struct image_record *im)
{
	for (size_t i = 0; a->bases.n && i < im->n_accesses; i++) {
		struct access *x = &im->accesses[i];
		struct access_key key = key_of(x);
		const struct access *base = map_get(&a->bases, &key, sizeof(key));

		if (!base)
			continue;
		x->reads += base->reads;
		x->writes += base->writes;
		x->bytes_read += base->bytes_read;
		x->bytes_written += base->bytes_written;
	}
}

/* Emits what is known of the image now and was not emitted before. */
static void image_emit(struct aggregate *a, struct image_record *im)
{
	struct facts f = { .executions = &im->x };
	struct arena list = { 0 };

	if (!im->emitted) {
		image_load(a, im, im->x.how == HOW_FORK ? "" : im->x.exe);
		image_seal(im, conf_text("redact"));
		im->emitted = true;
		f.n_executions = 1;
	}
	f.accesses = arena_alloc(&list, im->n_news * sizeof(*f.accesses));
	f.objects = arena_alloc(&list, im->n_news * sizeof(*f.objects));
	for (size_t k = 0; k < im->n_news; k++) {
		const struct access *x = &im->accesses[im->news[k]];
		struct object_note *n;

		im->changed[im->news[k]] = false;
		f.accesses[f.n_accesses++] = *x;
		n = session_note_access(a, x);
		if (!n || n->emitted)
			continue;
		f.objects[f.n_objects++] = n->object;
		n->emitted = true;
	}
	im->n_news = 0;
	a->out.facts(a->out.ctx, &f);
	arena_release(&list);
}

static void image_end(struct aggregate *a, struct image_record *im)
{
	add_bases(a, im);
	image_emit(a, im);
	session_remember(a, im);
	if (im->argv_cut)
		session_hole(a, &im->x.id, "argv", "its argument list is longer than what is kept",
			     1);
}

static void on_settled(void *ctx, uint32_t pid, int64_t start)
{
	image_emit(ctx, image_of(ctx, pid, start));
}

static void on_commit(void *ctx)
{
	struct aggregate *a = ctx;

	resume_keep_commit(a);
	a->out.commit(a->out.ctx);
}

static void on_ended(void *ctx, uint32_t pid, int64_t start, int64_t when, bool replaced)
{
	struct aggregate *a = ctx;
	struct image_name name = { .pid = pid, .start = start };
	void **slot = map_at(&a->live, &name, sizeof(name));
	struct image_record *im = *slot ? *slot : resume_unended(a, &name);

	if (!im)
		return;
	resume_keep_end(a, &name, when, replaced);
	*slot = NULL;
	im->x.replaced = replaced;
	im->emitted &= !replaced;
	image_end(a, im);
	session_ended(a, &name, when, replaced);
	image_destroy(im);
}

static void on_switched(void *ctx, int64_t since, int32_t granularity)
{
	struct aggregate *a = ctx;

	levels_add(&a->levels, &a->memory, since, granularity);
}

static void on_running(void *ctx, uint32_t pid, int64_t start)
{
	struct aggregate *a = ctx;
	struct image_name name = { .pid = pid, .start = start };
	void **slot = map_at(&a->live, &name, sizeof(name));
	struct image_record *im = *slot ? *slot : resume_unended(a, &name);

	if (!im)
		return;
	*slot = NULL;
	image_end(a, im);
	if (!a->still_runs)
		session_hole(a, &im->x.id, "running",
			     "it still ran when the run ended; what it did afterwards is not "
			     "recorded", 1);
	image_destroy(im);
}

static void on_hole(void *ctx, uint32_t pid, int64_t start, const char *kind, const char *why,
		    uint64_t n)
{
	struct aggregate *a = ctx;

	session_hole(a, pid ? &image_of(a, pid, start)->x.id : NULL, kind, why, n);
}

struct aggregate *aggregate_create(const struct run *run, const struct aggregate_out *out)
{
	struct aggregate *a = mem_alloc(sizeof(*a));

	a->run = *run;
	a->out = *out;
	a->counts.root_status = -1;
	a->sink = (struct engine_sink){
		.ctx = a,
		.event = on_event,
		.ended = on_ended,
		.handed = on_handed,
		.settled = on_settled,
		.commit = on_commit,
		.switched = on_switched,
		.running = on_running,
		.hole = on_hole,
	};
	return a;
}

const struct engine_sink *aggregate_sink(struct aggregate *a)
{
	return &a->sink;
}

void aggregate_destroy(struct aggregate *a)
{
	void *im;

	if (!a)
		return;
	for (size_t i = 0; map_next(&a->live, &i, NULL, NULL, &im);)
		image_destroy(im);
	map_release(&a->live);
	map_release(&a->objects);
	map_release(&a->bases);
	resume_release(a);
	session_release(a);
	arena_release(&a->memory);
	free(a);
}
