/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* told_hand.c - accesses and names, handed over */
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "engine/told_image.h"

#define NAMES_MOST 32768u	/* paths that are remembered to know what a name meant */

static uint32_t tally_flags(uint32_t k)
{
	uint32_t f = 0;

	f |= k & KERNEL_CREATED ? PROV_TALLY_CREATED : 0;
	f |= k & KERNEL_TRUNCATED ? PROV_TALLY_TRUNCATED : 0;
	f |= k & KERNEL_MAP_READ ? PROV_TALLY_MAP_READ : 0;
	f |= k & KERNEL_MAP_WRITE ? PROV_TALLY_MAP_WRITE : 0;
	f |= k & KERNEL_INHERITED ? PROV_TALLY_INHERITED : 0;
	f |= k & KERNEL_LISTED ? PROV_TALLY_DIRECTORY_READ : 0;
	f |= k & KERNEL_WRITABLE ? PROV_TALLY_WRITABLE : 0;
	f |= k & KERNEL_READABLE ? PROV_TALLY_READABLE : 0;
	return f;
}

/* A program or library that was mapped to be run, and what the loader reads to do so. */
static bool is_load(const struct kernel_counts *n)
{
	return n->flags & KERNEL_MAP_EXEC && !n->writes &&
	       !(n->flags & (KERNEL_MAP_WRITE | KERNEL_CREATED | KERNEL_TRUNCATED));
}

static void hand_load(struct told *t, const struct told_image *im, const struct kernel_head *h,
		      const struct told_file *f, const struct engine_sink *sink)
{
	struct prov_strings s = {
		.head = { .type = PROV_LOADED, .time = h->time },
		.size = (uint32_t)strlen(f->thing->path) + 1,
	};

	told_hand(t, im, &s, sizeof(s), f->thing->path, s.size, NULL, 0, sink);
}

void told_hand_open(struct told *t, const struct told_image *im, const struct kernel_head *h,
		    const struct told_file *f, const struct kernel_counts *n,
		    const struct engine_sink *sink)
{
	size_t size = strlen(f->thing->path) + 1;
	struct prov_open o = {
		.head = { .type = PROV_OPEN, .time = h->time,
			  .flags = f->flags & KERNEL_PATH_CUT ? PROV_PATH_LONG : 0 },
		.object = f->thing->object,
		.tally = {
			.reads = n->reads, .bytes_read = n->bytes_read,
			.writes = n->writes, .bytes_written = n->bytes_written,
			.first_read = n->first_read, .last_read = n->last_read,
			.first_write = n->first_write, .last_write = n->last_write,
			.opened = n->opened, .closed = n->closed, .cut = n->cut,
			.flags = tally_flags(n->flags),
			/* another descriptor of it may be open still */
			.refs = n->flags & KERNEL_CLOSED ? 0 : 1,
		},
		.pid = h->pid,
		.path_size = (uint32_t)size,
	};

	if (is_load(n)) {
		hand_load(t, im, h, f, sink);
		return;
	}
	told_hand(t, im, &o, sizeof(o), f->thing->path, size, NULL, 0, sink);
}

void told_name(struct told *t, const char *path, struct thing *one)
{
	void *was;

	if (t->things.named.n > NAMES_MOST) {
		for (size_t i = 0; map_next(&t->things.named, &i, NULL, NULL, &was);)
			thing_drop(&t->things, was);
		map_release(&t->things.named);
	}
	thing_call(&t->things, path, one);
}

/* What a name meant: by what was told, else nothing is known. */
static struct prov_object meant(struct told *t, const char *path)
{
	struct thing *one = thing_at(&t->things, path);

	return one ? one->object : (struct prov_object){ 0 };
}

static bool same(const struct prov_object *a, const struct prov_object *b)
{
	return a->ino == b->ino && a->dev_major == b->dev_major && a->dev_minor == b->dev_minor;
}

/* The object has this name from now on, beside or instead of another. */
static void named_now(struct told *t, const struct prov_object *o, const char *path)
{
	struct thing *one;

	if (!S_ISREG(o->mode))
		return;
	one = thing_hold(&t->things, o, path);
	told_name(t, path, one);
	thing_drop(&t->things, one);
}

static void update_names(struct told *t, const struct prov_name *n, const char *from,
			 const char *to)
{
	switch (n->kind) {
	case PROV_NAME_UNLINK:
		thing_forget_name(&t->things, from);
		break;
	case PROV_NAME_RENAME:
		thing_forget_name(&t->things, from);
		named_now(t, &n->object, to);
		break;
	case PROV_NAME_LINK:
		named_now(t, &n->object, to);
		break;
	case PROV_NAME_EXCHANGE:
		named_now(t, &n->object, to);
		named_now(t, &n->other, from);
		break;
	default:
		break;
	}
}

/* Of what a call touched: the n-th that is no folder, or, for a call on a folder,
 * the n-th that is not the one it was in. NULL: none. */
static const struct kernel_object *touched(const struct kernel_name *r, const char *path,
					   unsigned nth)
{
	char folder[PATH_MAX];
	const char *slash = strrchr(path, '/');
	struct prov_object parent = { 0 };

	if (r->flags & KERNEL_NAME_DIRECTORY && slash && (size_t)(slash - path) < sizeof(folder)) {
		memcpy(folder, path, (size_t)(slash - path));
		folder[slash - path] = 0;
		(void)object_now(folder[0] ? folder : "/", &parent);
	}
	for (uint32_t i = 0; i < r->n_touched && i < KERNEL_TOUCHES; i++) {
		const struct kernel_object *k = &r->touched[i];
		bool folder_itself = S_ISDIR(k->mode);

		if (r->flags & KERNEL_NAME_DIRECTORY ? folder_itself && k->ino != parent.ino
						     : !folder_itself) {
			if (!nth--)
				return k;
		}
	}
	return NULL;
}

/* As before the call: a name of it is gone since. */
static struct prov_object gone(const struct kernel_object *k, const char *path)
{
	struct prov_object o;

	object_of_kernel(k, path, &o);
	o.nlink++;
	return o;
}

static void find_renamed(struct told *t, const struct kernel_name *r, struct prov_name *n,
			 const char *from, const char *to)
{
	const struct kernel_object *one = touched(r, from, 0), *two = touched(r, from, 1);
	struct prov_object now;
	bool there = object_now(to, &now);

	n->object = meant(t, from);
	n->other = meant(t, to);
	if (!n->object.mode && there)
		n->object = now;
	if (!n->object.mode && one && !two)
		object_of_kernel(one, to, &n->object);
	/* of two that were touched, one lies under the new name now */
	if (two && there) {
		if (one->ino == now.ino)
			one = two;
		n->other = gone(one, to);
	} else if (one && !two && !n->other.mode) {
		n->other = (struct prov_object){ 0 };
	}
	if (n->other.mode && same(&n->object, &n->other))
		n->other = (struct prov_object){ 0 };
}

/* What is touched says it; else what was told when the file was opened, and for
 * names that came to be, what they lead to now. */
static bool find_objects(struct told *t, const struct kernel_name *r, struct prov_name *n,
			 const char *from, const char *to)
{
	const struct kernel_object *k = touched(r, from, 0);
	struct prov_object now;

	switch (n->kind) {
	case PROV_NAME_UNLINK:
		n->object = k ? gone(k, from) : meant(t, from);
		break;
	case PROV_NAME_RENAME:
		find_renamed(t, r, n, from, to);
		break;
	case PROV_NAME_EXCHANGE:
		n->object = object_now(to, &now) ? now : meant(t, from);
		n->other = object_now(from, &now) ? now : meant(t, to);
		break;
	default:
		n->object = object_now(to, &now) ? now : meant(t, to);
		if (k)
			object_of_kernel(k, to, &n->object);
	}
	return n->object.mode != 0;
}

static void hand_truncate(struct told *t, const struct told_image *im, const struct kernel_name *r,
			  const char *path, const struct engine_sink *sink)
{
	const struct kernel_object *k = touched(r, path, 0);
	struct kernel_counts n = {
		.writes = 1, .first_write = r->before, .last_write = r->head.time,
		.opened = r->before, .closed = r->head.time,
		.flags = KERNEL_CLOSED,
	};
	struct told_file f = { 0 };
	struct prov_object o;

	if (k)
		object_of_kernel(k, path, &o);
	else if (!object_now(path, &o))
		return;
	if (r->flags & KERNEL_TRUNCATE_TO_0) {
		n.flags |= KERNEL_TRUNCATED;
		n.cut = r->head.time;
	}
	f.thing = thing_hold(&t->things, &o, path);
	told_hand_open(t, im, &r->head, &f, &n, sink);
	thing_drop(&t->things, f.thing);
}

static const char unknown_name[] =
	"a file that nobody recorded had opened was removed or replaced: which it was is not known";

void told_hand_name(struct told *t, const struct kernel_name *r, const struct engine_sink *sink)
{
	struct told_image *im = told_image_of(t, &r->head);
	const char *p = r->text, *bases = p + r->from_size + r->to_size;
	char from[8192], to[8192];
	bool same_mounts = r->mount_ns == t->mount_ns;
	struct prov_name n = {
		.head = { .type = PROV_NAME, .time = r->head.time },
		.kind = r->kind,
		.pid = r->head.pid,
	};

	if (!im || !r->from_size || p[r->from_size - 1] ||
	    (r->to_size && p[r->from_size + r->to_size - 1]))
		return;
	if (n.kind == PROV_NAME_SYMLINK)
		snprintf(from, sizeof(from), "%s", p);
	else
		snprintf(from, sizeof(from), "%s",
			 path_as_given(path_of_walk(bases, r->from_base_size), p, same_mounts));
	to[0] = 0;
	if (r->to_size)
		snprintf(to, sizeof(to), "%s",
			 path_as_given(path_of_walk(bases + r->from_base_size, r->to_base_size),
				       p + r->from_size, same_mounts));
	if (r->kind == KERNEL_TRUNCATE) {
		hand_truncate(t, im, r, from, sink);
		return;
	}
	/* two names of one file: nothing happened */
	if (r->kind == PROV_NAME_RENAME && t->touches && !r->n_touched &&
	    !(r->flags & KERNEL_NAME_URING))
		return;
	t->touches |= r->n_touched > 0;
	if (!find_objects(t, r, &n, from, to)) {
		sink->hole(sink->ctx, im->name.pid, (int64_t)im->name.start, "name", unknown_name,
			   1);
		return;
	}
	n.from_size = (uint32_t)strlen(from) + 1;
	n.to_size = to[0] ? (uint32_t)strlen(to) + 1 : 0;
	told_hand(t, im, &n, sizeof(n), from, n.from_size, to, n.to_size, sink);
	update_names(t, &n, from, to);
}
