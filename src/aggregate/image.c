/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* image.c - one image while its events come in */
#include "aggregate/image.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "aggregate/redact.h"
#include "base/buf.h"
#include "base/mem.h"
#include "model/key.h"

struct image_record *image_create(const char *boot, uint32_t pid, int64_t start)
{
	struct image_record *im = mem_alloc(sizeof(*im));

	im->x = (struct execution){
		.id = execution_id_of(boot, pid, start),
		.how = HOW_UNKNOWN,
		.pid = pid,
		.exe = "",
		.cwd = "",
		.start = start,
		.status = -1,
	};
	return im;
}

void image_destroy(struct image_record *im)
{
	if (!im)
		return;
	map_release(&im->by_object);
	buf_release(&im->key);
	buf_release(&im->path);
	buf_release(&im->argv);
	buf_release(&im->env);
	arena_release(&im->memory);
	free(im);
}

static struct access *access_about_to_change(struct image_record *im, size_t i)
{
	if (!im->changed[i]) {
		im->changed[i] = true;
		im->news = arena_grow(&im->memory, im->news, im->n_news, &im->news_room,
				      sizeof(*im->news));
		im->news[im->n_news++] = i;
	}
	return &im->accesses[i];
}

struct access *image_access(struct image_record *im, const struct id *object, const char *path)
{
	struct access *a;
	void **slot;

	buf_clear(&im->key);
	buf_append(&im->key, object, sizeof(*object));
	buf_str(&im->key, path);
	slot = map_at(&im->by_object, im->key.data, im->key.size);
	if (*slot)
		return access_about_to_change(im, (uintptr_t)*slot - 1);
	im->accesses = arena_grow(&im->memory, im->accesses, im->n_accesses, &im->access_room,
				  sizeof(*a));
	im->changed = arena_grow(&im->memory, im->changed, im->n_accesses, &im->changed_room,
				 sizeof(bool));
	im->changed[im->n_accesses] = false;
	a = access_about_to_change(im, im->n_accesses++);
	*slot = (void *)(uintptr_t)im->n_accesses;
	*a = (struct access){
		.exec = im->x.id,
		.object = *object,
		.path = arena_str(&im->memory, path),
	};
	return a;
}

static uint32_t flags_of(const struct prov_tally *t)
{
	uint32_t f = 0;

	f |= t->reads ? ACCESS_READ : 0;
	f |= t->writes ? ACCESS_WRITE : 0;
	f |= t->flags & PROV_TALLY_DIRECTORY_READ ? ACCESS_READ : 0;
	f |= t->flags & PROV_TALLY_MAP_READ ? ACCESS_READ | ACCESS_MAP_READ : 0;
	f |= t->flags & PROV_TALLY_MAP_WRITE ? ACCESS_WRITE | ACCESS_MAP_WRITE : 0;
	f |= t->flags & PROV_TALLY_CREATED ? ACCESS_CREATE : 0;
	f |= t->flags & PROV_TALLY_TRUNCATED ? ACCESS_TRUNCATE : 0;
	f |= t->flags & PROV_TALLY_INHERITED ? ACCESS_INHERIT : 0;
	return f;
}

void image_add_tally(struct image_record *im, struct access *a, const struct levels *levels,
		     const struct prov_tally *t, bool directory)
{
	struct access more = {
		.flags = flags_of(t),
		.fuzz = im->fuzz,
		.opened = (int64_t)t->opened,
		/* a mapping outlives its descriptor: it ends with the image, as does
		 * what still has descriptors */
		.closed = t->refs || t->flags & (PROV_TALLY_MAP_READ | PROV_TALLY_MAP_WRITE)
				  ? 0
				  : (int64_t)t->closed,
		.truncated = (int64_t)t->cut,
	};
	bool open_end = a->opened && !a->closed;

	/* "first" is noted before a call that may then fail */
	if (more.flags & ACCESS_READ) {
		more.first_read = (int64_t)t->first_read;
		more.last_read = (int64_t)t->last_read;
	}
	if (more.flags & ACCESS_WRITE) {
		more.first_write = (int64_t)t->first_write;
		more.last_write = (int64_t)t->last_write;
	}
	levels_infer(levels, t, directory, &more);
	/* merging takes the larger count; several opens of one image add up */
	more.reads = a->reads + t->reads;
	more.writes = a->writes + t->writes;
	more.bytes_read = a->bytes_read + t->bytes_read;
	more.bytes_written = a->bytes_written + t->bytes_written;
	access_merge(a, &more);
	if (open_end || !more.closed)
		a->closed = 0;
}

/* What a later chunk of the image told is sometimes known before its first one. */
static void set_fuzz(struct image_record *im, int64_t fuzz)
{
	im->fuzz = fuzz;
	for (size_t i = 0; i < im->n_accesses; i++)
		if (im->accesses[i].last_read || im->accesses[i].last_write)
			access_about_to_change(im, i)->fuzz = fuzz;
}

void image_set_start(struct image_record *im, const struct prov_start *s)
{
	im->started = true;
	im->emitted = false;
	set_fuzz(im, (int64_t)s->fuzz);
	im->stdio_blind = s->head.flags & PROV_STDIO_BLIND;
	im->x.ppid = s->ppid;
	im->x.uid = s->uid;
	im->x.exe = arena_str(&im->memory, image_path(im, s->text, NULL));
	im->x.cwd = arena_str(&im->memory, s->text + s->exe_size);
	if (s->how == PROV_HOW_FORK)
		im->x.how = HOW_FORK;
	else if (s->parent_pid == 0)
		im->x.how = HOW_ROOT;
	else
		im->x.how = s->parent_pid == im->x.pid ? HOW_EXEC : HOW_SPAWN;
}

void image_add_argv(struct image_record *im, const struct prov_strings *s)
{
	/* pieces come in order; a gap means that one was lost */
	if (s->offset != im->argv.size)
		im->argv_cut = true;
	else
		buf_append(&im->argv, s->text, s->size);
	im->argv_cut |= s->head.flags & PROV_CUT;
	im->emitted = false;
}

static int compare_texts(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static struct strings sorted(struct arena *a, const struct buf *b)
{
	struct strings all = { b->data, b->size };
	size_t n = strings_count(&all), at = 0, size = 0;
	const char **list = mem_alloc((n + 1) * sizeof(*list)), *s = NULL;
	char *out = arena_alloc(a, b->size + 1);

	while ((s = strings_next(&all, s)))
		list[at++] = s;
	qsort(list, n, sizeof(*list), compare_texts);
	for (size_t i = 0; i < n; i++) {
		size_t len = strlen(list[i]) + 1;

		memcpy(out + size, list[i], len);
		size += len;
	}
	free(list);
	return (struct strings){ out, size };
}

void image_seal(struct image_record *im, const char *redact_extra)
{
	struct strings argv, env;
	struct buf clean = { 0 };

	if (im->argv.size && im->argv.data[im->argv.size - 1])
		buf_char(&im->argv, 0);
	argv = (struct strings){ im->argv.data, im->argv.size };
	redact_argv(&argv, redact_extra, &clean);
	im->x.argv.p = arena_copy(&im->memory, clean.data, clean.size);
	im->x.argv.size = clean.size;
	buf_clear(&clean);
	env = (struct strings){ im->env.data, im->env.size };
	redact_environ(&env, redact_extra, &clean);
	im->x.env = sorted(&im->memory, &clean);
	buf_release(&clean);
}

const char *image_path(struct image_record *im, const char *path, const struct prov_object *o)
{
	static const char mark[] = " (deleted)";
	size_t n = strlen(path), m = sizeof(mark) - 1;

	/* a file may really be called so: only believe it of one without names */
	if (n <= m || strcmp(path + n - m, mark) || (o && o->nlink))
		return path;
	buf_clear(&im->path);
	buf_append(&im->path, path, n - m);
	buf_char(&im->path, 0);
	return im->path.data;
}

struct object object_from_wire(const struct prov_object *o, const char *path, int64_t when)
{
	struct object out = {
		.kind = object_kind_of_mode(o->mode),
		.dev = makedev(o->dev_major, o->dev_minor),
		.ino = o->ino,
		.btime = o->btime,
		.size = S_ISREG(o->mode) ? (int64_t)o->size : -1,
		.mtime = o->mtime,
		.seen = when,
	};

	if (out.kind == OBJECT_FILE && !strncmp(path, "/memfd:", 7))
		out.kind = OBJECT_MEMORY;
	out.id = object_id_of(fs_of_device(out.dev), out.kind, out.ino, out.btime);
	return out;
}
