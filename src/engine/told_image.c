/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* told_image.c - who runs, as the kernel told of it */
#include "engine/told_image.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"

static struct told_name name_of(const struct kernel_head *h)
{
	return (struct told_name){ .start = h->start, .pid = h->image };
}

static struct told_image *find(struct told *t, const struct told_name *name)
{
	return map_get(&t->images, name, sizeof(*name));
}

struct told_image *told_image_of(struct told *t, const struct kernel_head *h)
{
	struct told_name name = name_of(h);

	return find(t, &name);
}

static struct told_image *image_new(struct told *t, const struct told_name *name)
{
	struct told_image *im = mem_alloc(sizeof(*im));

	im->name = *name;
	*map_at(&t->images, name, sizeof(*name)) = im;
	return im;
}

void told_image_destroy(struct told *t, struct told_image *im)
{
	for (size_t i = 0; i < im->n_files; i++)
		thing_drop(&t->things, im->files[i].thing);
	free(im->files);
	buf_release(&im->exe);
	buf_release(&im->cwd);
	buf_release(&im->env);
	free(im);
}

void told_image_losses(struct told *t, struct told_image *im, const struct engine_sink *sink)
{
	if (im->lost)
		sink->hole(sink->ctx, im->name.pid, (int64_t)im->name.start, "lost",
			   "records of it found no room in the ring buffer of the kernel",
			   im->lost);
	if (im->nameless)
		sink->hole(sink->ctx, im->name.pid, (int64_t)im->name.start, "lost",
			   "the names of files that it used were among what was lost",
			   im->nameless);
	t->lost += im->lost + im->nameless;
	t->lost_records += im->lost;
	im->lost = im->nameless = 0;
}

void told_image_end(struct told *t, struct told_image *im, int64_t when, bool replaced,
		    const struct engine_sink *sink)
{
	told_image_losses(t, im, sink);
	sink->ended(sink->ctx, im->name.pid, (int64_t)im->name.start, when, replaced);
	map_remove(&t->images, &im->name, sizeof(im->name));
	told_image_destroy(t, im);
}

void told_hand(struct told *t, const struct told_image *im, const void *fixed, size_t size,
	       const char *one, size_t one_size, const char *two, size_t two_size,
	       const struct engine_sink *sink)
{
	struct prov_record *head = (struct prov_record *)t->event.room;
	size_t whole = (size + one_size + two_size + 7) & ~(size_t)7;

	if (whole > sizeof(t->event.room)) {
		t->lost++;
		return;
	}
	memset(t->event.room + (whole > 8 ? whole - 8 : 0), 0, 8);
	memcpy(t->event.room, fixed, size);
	if (one_size)
		memcpy(t->event.room + size, one, one_size);
	if (two_size)
		memcpy(t->event.room + size + one_size, two, two_size);
	t->event.size = whole;
	head->word = (uint32_t)whole | PROV_RECORD_READY;
	if (event_check(&t->event) < 0)
		t->lost++;
	else
		sink->event(sink->ctx, im->name.pid, (int64_t)im->name.start, &t->event);
}

/* START, once everything that belongs into it is known. */
static void start(struct told *t, struct told_image *im, const struct engine_sink *sink)
{
	struct prov_start s = {
		.head = { .type = PROV_START, .time = im->name.start },
		.pid = im->name.pid,
		.ppid = im->ppid,
		.uid = im->uid,
		.parent_start = im->parent.start,
		.parent_pid = im->parent.pid,
		.fuzz = t->fuzz,
		.exe_size = (uint32_t)im->exe.size,
		.cwd_size = (uint32_t)im->cwd.size,
	};
	struct prov_fork f = {
		.head = { .type = PROV_FORK, .time = im->name.start },
		.pid = im->name.pid,
	};
	struct told_image *parent = find(t, &im->parent);

	if (im->started)
		return;
	im->started = true;
	s.how = im->how & KERNEL_FORKED ? PROV_HOW_FORK
	      : im->parent.pid		? PROV_HOW_EXEC
					: PROV_HOW_ROOT;
	told_hand(t, im, &s, sizeof(s), im->exe.data, im->exe.size, im->cwd.data, im->cwd.size,
		  sink);
	if (im->how & KERNEL_EXECED)
		told_hand_early(t, im, im->name.pid, im->name.start, sink);
	if (im->how & KERNEL_FORKED && parent)
		told_hand(t, parent, &f, sizeof(f), NULL, 0, NULL, 0, sink);
}

static void keep_path(struct buf *b, const char *walked, size_t n)
{
	buf_clear(b);
	buf_str(b, path_of_walk(walked, n));
	buf_char(b, 0);
}

/* An id stays the file's own: what the parent has open is the child's as well, but
 * the child is told of it anew, under its own name. */
void told_image_begin(struct told *t, const struct kernel_image *r, const struct engine_sink *sink)
{
	struct told_name name = name_of(&r->head);
	struct told_image *im = find(t, &name), *before;

	if (im || !name.pid || !name.start)
		return;
	im = image_new(t, &name);
	im->parent = (struct told_name){ .start = r->parent_start, .pid = r->parent_pid };
	im->ppid = r->ppid;
	im->uid = r->uid;
	im->how = r->how;
	keep_path(&im->exe, r->text, r->path_size);
	before = r->how & KERNEL_EXECED && r->parent_pid == name.pid ? find(t, &im->parent) : NULL;
	if (r->flags & KERNEL_NARROW)
		sink->hole(sink->ctx, name.pid, (int64_t)name.start, "blind",
			   "it is a 32-bit program: what it does with files is not seen", 1);
	if (before)
		told_image_end(t, before, (int64_t)r->head.start, true, sink);
}

static bool is_allowed(const struct told *t, const char *var)
{
	for (const char *name = NULL; (name = strings_next(&t->env_allow, name));) {
		size_t n = strlen(name);

		if (n && name[n - 1] == '*' ? !strncmp(var, name, n - 1)
					    : !strncmp(var, name, n) && var[n] == '=')
			return true;
	}
	return false;
}

static void hand_environ(struct told *t, struct told_image *im, bool cut,
			 const struct engine_sink *sink)
{
	struct strings all = { im->env.data, im->env.size };
	struct prov_strings s = { .head = { .type = PROV_ENVIRON, .time = im->name.start } };

	for (const char *v = NULL; (v = strings_next(&all, v));) {
		size_t size = strlen(v) + 1;

		if (!is_allowed(t, v))
			continue;
		s.size = (uint32_t)size;
		if (sizeof(s) + size > PROV_RECORD_MAX)
			cut = true;
		else
			told_hand(t, im, &s, sizeof(s), v, size, NULL, 0, sink);
	}
	s.size = 0;
	s.head.flags = PROV_CUT;
	if (cut)
		told_hand(t, im, &s, sizeof(s), NULL, 0, NULL, 0, sink);
	/* nothing else in it is anybody's business */
	buf_release(&im->env);
}

void told_image_text(struct told *t, const struct kernel_piece *r, const struct engine_sink *sink)
{
	struct told_image *im = told_image_of(t, &r->head);
	uint32_t end = r->offset + r->n;
	struct prov_strings s = {
		.head = { .type = PROV_ARGV, .time = r->head.time },
		.offset = r->offset,
		.size = r->n,
	};

	if (!im)
		return;
	switch (r->kind) {
	case KERNEL_CWD:
		keep_path(&im->cwd, r->text, r->n);
		start(t, im, sink);
		break;
	case KERNEL_ARGV:
		s.head.flags = end < r->whole && end >= KERNEL_ARGV_MOST ? PROV_CUT : 0;
		told_hand(t, im, &s, sizeof(s), r->text, r->n, NULL, 0, sink);
		break;
	case KERNEL_ENVIRON:
		if (r->offset != im->env.size)
			break;
		buf_append(&im->env, r->text, r->n);
		if (end >= r->whole || end >= KERNEL_ENV_MOST) {
			if (im->env.size && im->env.data[im->env.size - 1])
				buf_char(&im->env, 0);
			hand_environ(t, im, end < r->whole, sink);
		}
		break;
	default:
		break;
	}
}

void told_image_file(struct told_image *im, uint64_t id, struct thing *one, uint32_t flags)
{
	size_t at = im->n_files;

	if (im->n_files == im->file_room) {
		im->file_room = im->file_room ? 2 * im->file_room : 16;
		im->files = mem_resize(im->files, im->file_room * sizeof(*im->files));
	}
	/* several processors number at once: nearly in order */
	for (; at && im->files[at - 1].id > id; at--)
		im->files[at] = im->files[at - 1];
	im->files[at] = (struct told_file){ .id = id, .thing = one, .flags = flags };
	im->n_files++;
}

const struct told_file *told_image_find(const struct told_image *im, uint64_t id)
{
	size_t low = 0, high = im->n_files;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (im->files[mid].id < id)
			low = mid + 1;
		else
			high = mid;
	}
	return low < im->n_files && im->files[low].id == id ? &im->files[low] : NULL;
}

/* What /proc says of a process, NUL-terminated strings, up to a limit. */
static bool read_strings(uint32_t pid, const char *name, size_t most, struct buf *out)
{
	char path[64], part[4096];
	ssize_t n = 0;
	int fd;

	snprintf(path, sizeof(path), "/proc/%u/%s", pid, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	while (fd >= 0 && out->size < most && (n = read(fd, part, sizeof(part))) > 0)
		buf_append(out, part, (size_t)n);
	if (fd >= 0)
		(void)close(fd);
	if (out->size && out->data[out->size - 1])
		buf_char(out, 0);
	return out->size >= most;
}

static void read_link(uint32_t pid, const char *name, struct buf *out)
{
	char path[64], text[4096];
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%u/%s", pid, name);
	n = readlink(path, text, sizeof(text) - 1);
	text[n > 0 ? n : 0] = 0;
	buf_append(out, text, strlen(text) + 1);
}

void told_look(struct told_found *f)
{
	char path[64];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%u", f->pid);
	f->uid = stat(path, &st) == 0 ? st.st_uid : 0;
	read_link(f->pid, "exe", &f->exe);
	read_link(f->pid, "cwd", &f->cwd);
	f->argv_cut = read_strings(f->pid, "cmdline", KERNEL_ARGV_MOST, &f->argv);
	f->env_cut = read_strings(f->pid, "environ", KERNEL_ENV_MOST, &f->env);
}

void told_found_release(struct told_found *f)
{
	buf_release(&f->exe);
	buf_release(&f->cwd);
	buf_release(&f->argv);
	buf_release(&f->env);
}

static void hand_found_argv(struct told *t, struct told_image *im, const struct told_found *f,
			    const struct engine_sink *sink)
{
	for (size_t at = 0; at < f->argv.size; at += KERNEL_TEXT_PIECE) {
		size_t left = f->argv.size - at;
		size_t n = left < KERNEL_TEXT_PIECE ? left : KERNEL_TEXT_PIECE;
		struct prov_strings s = {
			.head = { .type = PROV_ARGV, .time = im->name.start,
				  .flags = f->argv_cut && n == left ? PROV_CUT : 0 },
			.offset = (uint32_t)at,
			.size = (uint32_t)n,
		};

		told_hand(t, im, &s, sizeof(s), f->argv.data + at, n, NULL, 0, sink);
	}
}

void told_found(struct told *t, struct told_found *f, const struct engine_sink *sink)
{
	struct told_name name = { .start = (uint64_t)f->start, .pid = f->pid };
	struct told_image *im = find(t, &name) ? NULL : image_new(t, &name);

	if (!im) {
		told_found_release(f);
		return;
	}
	im->how = KERNEL_EXECED | KERNEL_ROOT;
	im->parent = (struct told_name){ .start = (uint64_t)f->parent_start, .pid = f->parent };
	im->ppid = f->parent;
	im->uid = f->uid;
	/* theirs are the image's from here on */
	im->exe = f->exe;
	im->cwd = f->cwd;
	im->env = f->env;
	f->exe = f->cwd = f->env = (struct buf){ 0 };
	start(t, im, sink);
	hand_found_argv(t, im, f, sink);
	hand_environ(t, im, f->env_cut, sink);
	told_found_release(f);
}

void told_early(struct told *t, uint32_t pid, const struct told_file *f,
		const struct kernel_counts *n)
{
	if (t->n_earlies == t->early_room) {
		t->early_room = t->early_room ? 2 * t->early_room : 8;
		t->earlies = mem_resize(t->earlies, t->early_room * sizeof(*t->earlies));
	}
	f->thing->holders++;
	t->earlies[t->n_earlies++] = (struct told_early){ .pid = pid, .flags = f->flags,
							  .thing = f->thing, .n = *n };
}

void told_hand_early(struct told *t, const struct told_image *im, uint32_t pid, uint64_t when,
		     const struct engine_sink *sink)
{
	struct kernel_head h = { .pid = im->name.pid, .image = im->name.pid, .time = when };
	size_t kept = 0;

	for (size_t i = 0; i < t->n_earlies; i++) {
		struct told_early *e = &t->earlies[i];
		struct told_file f = { .thing = e->thing, .flags = e->flags };

		if (e->pid != pid) {
			t->earlies[kept++] = *e;
			continue;
		}
		told_hand_open(t, im, &h, &f, &e->n, sink);
		thing_drop(&t->things, e->thing);
	}
	t->n_earlies = kept;
}
