/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* told.c - from records of the kernel to events of a session */
#include "engine/told.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/clock.h"
#include "base/mem.h"
#include "engine/told_image.h"

#define LATE_NS INT64_C(200000000)	/* from the end of a process to that of its last thread */

struct told *told_create(const struct strings *env_allow)
{
	struct told *t = mem_alloc(sizeof(*t));
	struct timespec tick;
	struct stat own;

	if (stat("/proc/self/ns/mnt", &own) == 0)
		t->mount_ns = (uint32_t)own.st_ino;
	t->env_allow = (struct strings){ arena_copy(&t->memory, env_allow->p, env_allow->size),
					 env_allow->size };
	/* times are as old as a tick of the kernel */
	if (clock_getres(CLOCK_MONOTONIC_COARSE, &tick) == 0)
		t->fuzz = (uint64_t)(tick.tv_sec * INT64_C(1000000000) + tick.tv_nsec);
	return t;
}

void told_destroy(struct told *t)
{
	void *im;

	if (!t)
		return;
	for (size_t i = 0; map_next(&t->images, &i, NULL, NULL, &im);)
		told_image_destroy(t, im);
	map_release(&t->images);
	free(t->earlies);
	things_release(&t->things);
	arena_release(&t->memory);
	free(t);
}

static void on_file(struct told *t, const struct kernel_file *r)
{
	struct told_image *im = told_image_of(t, &r->head);
	const char *path = path_of_walk(r->text, r->path_size);
	struct prov_object o;
	struct thing *one;
	char name[48];

	if (!im)
		return;
	if (r->path_size == 0 && S_ISREG(r->object.mode))
		path = "";
	/* of a name that is too long only the end was told */
	path += r->flags & KERNEL_PATH_CUT && *path;
	object_of_kernel(&r->object, path, &o);
	if (S_ISFIFO(o.mode) && r->flags & KERNEL_PATH_LOOSE && r->path_size <= 1) {
		snprintf(name, sizeof(name), "pipe:[%llu]", (unsigned long long)o.ino);
		path = name;
	} else if (S_ISSOCK(o.mode) && r->flags & KERNEL_PATH_LOOSE) {
		snprintf(name, sizeof(name), "socket:[%llu]", (unsigned long long)o.ino);
		path = name;
	}
	one = thing_hold(&t->things, &o, path);
	told_image_file(im, r->id, one, r->flags);
	if (S_ISREG(o.mode) && !(r->flags & (KERNEL_PATH_DELETED | KERNEL_PATH_LOOSE)))
		told_name(t, path, one);
}


static void hand_tally(struct told *t, const struct kernel_head *h, uint64_t id,
		       const struct kernel_counts *n, const struct engine_sink *sink)
{
	struct told_image *im = told_image_of(t, h);
	const struct told_file *f = im ? told_image_find(im, id) : NULL;

	if (!im)
		return;
	if (!f) {
		im->nameless++;
		return;
	}
	if (h->pid != h->image && n->opened && !(n->flags & KERNEL_INHERITED))
		told_early(t, h->pid, f, n);
	else
		told_hand_open(t, im, h, f, n, sink);
}

static void on_transfer(struct told *t, const struct kernel_transfer *r,
			const struct engine_sink *sink)
{
	struct told_image *im = told_image_of(t, &r->head);
	const struct told_file *f = im ? told_image_find(im, r->id) : NULL;
	struct prov_transfer out;

	if (!f)
		return;
	out = (struct prov_transfer){
		.head = { .type = PROV_TRANSFER, .time = r->head.time },
		.start = r->before,
		.ino = f->thing->object.ino,
		.btime = f->thing->object.btime,
		.dev_major = f->thing->object.dev_major,
		.dev_minor = f->thing->object.dev_minor,
		.offset = S_ISREG(f->thing->object.mode) || S_ISBLK(f->thing->object.mode)
				  ? r->offset : PROV_NO_OFFSET,
		.bytes = r->bytes,
		.written = r->written,
	};
	told_hand(t, im, &out, sizeof(out), NULL, 0, NULL, 0, sink);
}

static void on_end(struct told *t, const struct kernel_exit *r, const struct engine_sink *sink)
{
	struct told_image *im = told_image_of(t, &r->head);
	struct prov_wait w = {
		.head = { .type = PROV_WAIT, .time = r->head.time },
		.pid = r->head.pid,
		.status = r->status,
	};

	if (!im)
		return;
	im->lost += r->lost;
	if (im->ended)
		return;
	told_hand(t, im, &w, sizeof(w), NULL, 0, NULL, 0, sink);
	/* the child of a vfork that became nothing of its own */
	told_hand_early(t, im, r->head.pid, r->head.time, sink);
	if (r->head.pid != r->head.image)
		return;
	if (r->threads <= 1) {
		told_image_end(t, im, (int64_t)r->head.time, false, sink);
		return;
	}
	im->ended = (int64_t)r->head.time;
	t->ending++;
}

/* Those whose last threads have had time to tell what they did. */
static void end_late(struct told *t, int64_t before, const struct engine_sink *sink)
{
	void *v;

	for (size_t i = 0; t->ending && map_next(&t->images, &i, NULL, NULL, &v);) {
		struct told_image *im = v;

		if (!im->ended || im->ended >= before)
			continue;
		t->ending--;
		told_image_end(t, im, im->ended, false, sink);
		i = 0;
	}
}

/* A record is as long as it says, and its texts are within it. */
static bool is_sound(const struct kernel_head *h)
{
	switch (h->type) {
	case KERNEL_IMAGE:
		return h->size >= sizeof(struct kernel_image) &&
		       h->size - sizeof(struct kernel_image) >=
			       ((const struct kernel_image *)h)->path_size;
	case KERNEL_TEXT:
		return h->size >= sizeof(struct kernel_piece) &&
		       h->size - sizeof(struct kernel_piece) >= ((const struct kernel_piece *)h)->n;
	case KERNEL_FILE:
		return h->size >= sizeof(struct kernel_file) &&
		       h->size - sizeof(struct kernel_file) >=
			       ((const struct kernel_file *)h)->path_size;
	case KERNEL_TALLY:
		return h->size >= sizeof(struct kernel_tally);
	case KERNEL_NAME: {
		const struct kernel_name *n = (const struct kernel_name *)h;

		return h->size >= sizeof(*n) &&
		       h->size - sizeof(*n) >= (uint64_t)n->from_size + n->to_size +
						       n->from_base_size + n->to_base_size;
	}
	case KERNEL_URING_NAME:
	case KERNEL_URING:
		return true;
	case KERNEL_EXIT:
		return h->size >= sizeof(struct kernel_exit);
	case KERNEL_TRANSFER:
		return h->size >= sizeof(struct kernel_transfer);
	default:
		return false;
	}
}

static void on_record(struct told *t, const struct kernel_head *h, const struct engine_sink *sink)
{
	if (!is_sound(h))
		return;
	switch (h->type) {
	case KERNEL_IMAGE:
		told_image_begin(t, (const struct kernel_image *)h, sink);
		break;
	case KERNEL_TEXT:
		told_image_text(t, (const struct kernel_piece *)h, sink);
		break;
	case KERNEL_FILE:
		on_file(t, (const struct kernel_file *)h);
		break;
	case KERNEL_TALLY:
		hand_tally(t, h, ((const struct kernel_tally *)h)->id,
			   &((const struct kernel_tally *)h)->n, sink);
		break;
	case KERNEL_NAME:
		told_hand_name(t, (const struct kernel_name *)h, sink);
		break;
	case KERNEL_URING_NAME:
		if (told_image_of(t, h))
			sink->hole(sink->ctx, h->image, (int64_t)h->start, "io_uring",
				   "it renamed, linked or removed a file, or spliced, through "
				   "io_uring: which one is not seen", 1);
		break;
	case KERNEL_URING:
		if (told_image_of(t, h))
			sink->hole(sink->ctx, h->image, (int64_t)h->start, "io_uring",
				   "it used io_uring, and what comes of that is told since "
				   "Linux 5.19", 1);
		break;
	case KERNEL_EXIT:
		on_end(t, (const struct kernel_exit *)h, sink);
		break;
	case KERNEL_TRANSFER:
		on_transfer(t, (const struct kernel_transfer *)h, sink);
		break;
	default:
		break;
	}
}

size_t told_records(struct told *t, const char *p, size_t n, const struct engine_sink *sink)
{
	size_t done = 0;

	for (size_t at = 0; at + sizeof(struct kernel_head) <= n; done++) {
		const struct kernel_head *h = (const struct kernel_head *)(p + at);

		if (h->size < sizeof(*h) || h->size > n - at)
			break;
		on_record(t, h, sink);
		at += (h->size + 7u) & ~7u;
	}
	if (t->ending)
		end_late(t, clock_mono() - LATE_NS, sink);
	return done;
}

void told_thread(struct told *t, const struct kernel_thread *thread, const struct engine_sink *sink)
{
	struct kernel_head h = {
		.pid = thread->pid,
		.tid = thread->tid,
		.start = thread->start,
		.image = thread->image,
		.time = (uint64_t)clock_mono(),
	};
	struct told_image *im = told_image_of(t, &h);

	for (size_t i = 0; im && i < KERNEL_SLOTS; i++)
		if (thread->slot[i].id)
			hand_tally(t, &h, thread->slot[i].id, &thread->slot[i].n, sink);
	if (im)
		im->lost += thread->lost;
}

void told_running(struct told *t, const struct engine_sink *sink)
{
	void *v;

	end_late(t, INT64_MAX, sink);
	for (size_t i = 0; map_next(&t->images, &i, NULL, NULL, &v);) {
		struct told_image *im = v;

		told_image_losses(t, im, sink);
		sink->running(sink->ctx, im->name.pid, (int64_t)im->name.start);
	}
}

void told_losses(struct told *t, uint64_t records, const struct engine_sink *sink)
{
	uint64_t more = records > t->lost_records ? records - t->lost_records : 0;

	if (more)
		sink->hole(sink->ctx, 0, 0, "lost",
			   "records found no room in the ring buffer of the kernel, or in the "
			   "queue behind it", more);
	t->lost += more;
	t->lost_records += more;
}

bool told_alive(const struct told *t)
{
	return t->images.n > t->ending;
}

uint64_t told_lost(const struct told *t)
{
	return t->lost;
}

void told_busiest(struct told *t, const struct kernel_thread *thread, struct buf *out)
{
	struct kernel_head h = { .start = thread->start, .image = thread->image };
	struct told_image *im = told_image_of(t, &h);
	const struct kernel_slot *most = &thread->slot[0];
	const struct told_file *f;

	for (size_t i = 1; i < KERNEL_SLOTS; i++)
		if (thread->slot[i].n.reads + thread->slot[i].n.writes >
		    most->n.reads + most->n.writes)
			most = &thread->slot[i];
	f = im ? told_image_find(im, most->id) : NULL;
	if (im)
		buf_printf(out, "; most by process %u (%s)", thread->pid, im->exe.data);
	if (f)
		buf_printf(out, ", %s", f->thing->path);
}
