/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* finish.c - what becomes clear when the session is over */
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "aggregate/blind.h"
#include "aggregate/look.h"
#include "aggregate/redact.h"
#include "aggregate/resume.h"
#include "aggregate/session.h"
#include "base/clock.h"
#include "base/conf.h"
#include "base/path.h"
#include "base/mem.h"
#include "model/key.h"

static bool was_born(struct aggregate *a, const struct image_name *parent, uint32_t pid)
{
	struct birth b = { .parent = execution_id_of(a->run.boot, parent->pid, parent->start),
			   .pid = pid };

	return map_get(&a->born, &b, sizeof(b)) != NULL;
}

static int compare_past(const void *a, const void *b)
{
	const struct past *x = a, *y = b;

	if (x->name.pid != y->name.pid)
		return x->name.pid < y->name.pid ? -1 : 1;
	return x->name.start < y->name.start ? -1 : x->name.start > y->name.start;
}

static void past_sort(struct aggregate *a)
{
	if (a->n_past)
		qsort(a->past, a->n_past, sizeof(*a->past), compare_past);
}

/* The newest image of that process that began before a moment. */
static struct past *past_at(struct aggregate *a, uint32_t pid, int64_t time)
{
	size_t low = 0, high = a->n_past;

	while (low < high) {
		size_t mid = (low + high) / 2;
		const struct image_name *n = &a->past[mid].name;

		if (n->pid < pid || (n->pid == pid && n->start < time))
			low = mid + 1;
		else
			high = mid;
	}
	return low && a->past[low - 1].name.pid == pid ? &a->past[low - 1] : NULL;
}

static struct past *past_of(struct aggregate *a, const struct image_name *name)
{
	struct past *p = past_at(a, name->pid, name->start + 1);

	return p && p->name.start == name->start ? p : NULL;
}

static struct past *past_new(struct aggregate *a, uint32_t pid, int64_t start)
{
	struct past *p;

	a->past = arena_grow(&a->memory, a->past, a->n_past, &a->past_room, sizeof(*p));
	p = &a->past[a->n_past++];
	*p = (struct past){
		.name = { .pid = pid, .start = start },
		.id = execution_id_of(a->run.boot, pid, start),
		.exe = "",
		.cwd = "",
		.status = -1,
	};
	a->counts.executions++;
	return p;
}

/* Children that were forked and did nothing that we hook. */
static void add_silent_forks(struct aggregate *a)
{
	for (size_t i = 0; i < a->n_forks; i++) {
		const struct forked *f = &a->forks[i];
		struct past *p;

		if (was_born(a, &f->parent, f->pid))
			continue;
		p = past_new(a, f->pid, f->time);
		p->how = HOW_FORK;
		p->parent = execution_id_of(a->run.boot, f->parent.pid, f->parent.start);
		a->counts.processes++;
		session_born(a, &p->parent, f->pid);
	}
}

/* Programs that were started and never reported. */
static void add_blind(struct aggregate *a)
{
	for (size_t i = 0; i < a->n_attempts; i++) {
		const struct attempted *t = &a->attempts[i];
		const char *kind, *why;
		struct buf argv = { 0 };
		struct past *p, *by;

		if (was_born(a, &t->by, t->pid))
			continue;
		why = blind_reason(&a->memory, t->path, &kind);
		redact_argv(&t->argv, conf_text("redact"), &argv);
		p = past_new(a, t->pid, t->time);
		p->how = t->pid == t->by.pid ? HOW_EXEC : HOW_SPAWN;
		p->parent = execution_id_of(a->run.boot, t->by.pid, t->by.start);
		p->exe = session_real_path(a, t->path);
		p->argv.p = arena_copy(&a->memory, argv.data, argv.size);
		p->argv.size = argv.size;
		p->blind = kind != NULL;
		buf_release(&argv);
		by = past_of(a, &t->by);
		if (by) {
			p->cwd = by->cwd;
			p->uid = by->uid;
			p->ppid = t->pid == t->by.pid ? by->ppid : t->by.pid;
		}
		if (p->how == HOW_SPAWN)
			a->counts.processes++;
		if (kind)
			session_hole(a, &p->id, kind, why, 1);
		if (t->cut)
			session_hole(a, &p->id, "argv",
				     "its argument list is longer than what is kept", 1);
	}
}

/* The program that prov started itself and that never reported. */
static void add_unseen_root(struct aggregate *a)
{
	const char *name = strings_next(&a->run.argv, NULL), *kind, *why;
	struct past *p;

	if (!id_is_zero(&a->counts.root) || !a->root_pid || !name)
		return;
	p = past_new(a, a->root_pid, a->run.start);
	p->how = HOW_ROOT;
	p->exe = path_program(&a->memory, name);
	if (!p->exe)
		p->exe = "";
	p->cwd = a->run.cwd;
	p->uid = a->run.uid;
	p->argv = a->run.argv;
	why = blind_reason(&a->memory, p->exe[0] ? p->exe : name, &kind);
	p->blind = kind != NULL;
	a->counts.root = p->id;
	a->counts.processes++;
	if (kind)
		session_hole(a, &p->id, kind, why, 1);
}

static void emit_early_opens(struct aggregate *a)
{
	for (size_t i = 0; i < a->n_earlies; i++) {
		const struct early *e = &a->earlies[i];
		/* the first image of that number after the open is the one it was for */
		struct past *p = past_at(a, e->pid, INT64_MAX), *by = past_of(a, &e->by);
		struct image_record *im;
		struct facts f = { 0 };

		if (!p || p->name.start < (int64_t)e->tally.opened)
			p = by;
		if (!p)
			continue;
		im = image_create(a->run.boot, p->name.pid, p->name.start);
		image_add_tally(im, image_access(im, &e->object.id, e->path), &a->levels,
				&e->tally, e->object.kind == OBJECT_DIRECTORY);
		f.accesses = im->accesses;
		f.n_accesses = im->n_accesses;
		f.objects = (struct object *)(uintptr_t)&e->object;
		f.n_objects = 1;
		a->out.facts(a->out.ctx, &f);
		image_destroy(im);
	}
}

static void apply_waits(struct aggregate *a)
{
	for (size_t i = 0; i < a->n_waits; i++) {
		const struct waited *w = &a->waits[i];
		struct past *p = past_at(a, w->pid, w->time);

		if (!p)
			continue;
		p->status = w->status;
		p->ended = true;
		/* whoever waited cannot have known before it happened */
		if (!p->end || w->time < p->end)
			p->end = w->time;
	}
}

static void apply_replacements(struct aggregate *a)
{
	for (size_t i = 0; i + 1 < a->n_past; i++) {
		struct past *p = &a->past[i], *next = &a->past[i + 1];

		if (p->name.pid != next->name.pid || next->how != HOW_EXEC)
			continue;
		p->replaced = true;
		p->end = next->name.start;
		p->status = -1;
	}
}

/* A forked child is its parent's program with its parent's arguments. */
static void inherit(struct aggregate *a)
{
	struct map by_id = { 0 };

	for (size_t i = 0; i < a->n_past; i++)
		*map_at(&by_id, &a->past[i].id, sizeof(a->past[i].id)) = &a->past[i];
	for (size_t i = 0; i < a->n_past; i++) {
		struct past *p = &a->past[i], *from = p;

		for (int depth = 0;
		     depth < 10000 && from && from->how == HOW_FORK && !from->argv.size; depth++)
			from = map_get(&by_id, &from->parent, sizeof(from->parent));
		if (!from || from == p)
			continue;
		p->argv = from->argv;
		p->env = from->env;
		if (!p->exe[0])
			p->exe = from->exe;
		if (!p->cwd[0])
			p->cwd = from->cwd;
		if (!p->uid)
			p->uid = from->uid;
		if (!p->ppid)
			p->ppid = from->name.pid;
	}
	map_release(&by_id);
}

static int compare_starts(const void *a, const void *b)
{
	const struct past *x = *(struct past *const *)a, *y = *(struct past *const *)b;

	return x->name.start < y->name.start ? -1 : x->name.start > y->name.start;
}

/*
 * What a parent had mapped to write and share, a forked child may read and
 * write without a call that could be seen. One that has read nothing itself
 * could only write what the parent could; it need not be suspected. Parents
 * come before their children, so that grandchildren are reached too.
 */
static void inherit_mappings(struct aggregate *a)
{
	struct past **by_start = arena_alloc(&a->memory, (a->n_past + 1) * sizeof(*by_start));

	if (!a->n_mappings)
		return;
	for (size_t i = 0; i < a->n_past; i++)
		by_start[i] = &a->past[i];
	qsort(by_start, a->n_past, sizeof(*by_start), compare_starts);
	for (size_t i = 0; i < a->n_past; i++) {
		const struct past *p = by_start[i];
		size_t n = p->how == HOW_FORK ? a->n_mappings : 0;

		for (size_t k = 0; k < n; k++) {
			const struct mapping m = a->mappings[k];
			struct access x = {
				.exec = p->id,
				.object = m.object,
				.path = m.path,
				.flags = ACCESS_INHERIT | ACCESS_UNSURE | ACCESS_READ |
					 ACCESS_WRITE | ACCESS_MAP_READ | ACCESS_MAP_WRITE,
				.first_read = p->name.start,
				.last_read = p->name.start,
				.first_write = p->name.start,
				.last_write = p->name.start,
				.opened = p->name.start,
			};
			struct facts f = { .accesses = &x, .n_accesses = 1 };

			if (!id_equal(&m.exec, &p->parent) || m.since > p->name.start)
				continue;
			if (p->reads)
				a->out.facts(a->out.ctx, &f);
			session_mapping(a, &p->id, &m.object, m.path, p->name.start);
		}
	}
}

static void emit_executions(struct aggregate *a)
{
	struct execution *list = arena_alloc(&a->memory, a->n_past * sizeof(*list));
	struct facts f = { .executions = list, .n_executions = a->n_past };

	for (size_t i = 0; i < a->n_past; i++) {
		const struct past *p = &a->past[i];

		list[i] = (struct execution){
			.id = p->id,
			.run = a->run.id,
			.parent = p->parent,
			.how = p->how,
			.pid = p->name.pid,
			.ppid = p->ppid,
			.uid = p->uid,
			.exe = p->exe,
			.cwd = p->cwd,
			.argv = p->argv,
			.env = p->env,
			.start = p->name.start,
			.end = p->ended || p->replaced ? p->end : 0,
			.status = p->status < 0 || !WIFEXITED(p->status)
					  ? -1 : WEXITSTATUS(p->status),
			.signal = p->status < 0 || !WIFSIGNALED(p->status)
					  ? 0 : WTERMSIG(p->status),
			.replaced = p->replaced,
			.blind = p->blind,
		};
	}
	a->out.facts(a->out.ctx, &f);
}

static bool is_system_path(const char *path)
{
	static const char *const parts[] = { "/usr/", "/lib",  "/etc/", "/proc/",
					     "/sys/", "/dev/", "/bin/", "/sbin/" };

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (!strncmp(path, parts[i], strlen(parts[i])) && strncmp(path, "/dev/shm/", 9))
			return true;
	return false;
}

/* Looks at the files of the run once more: how large they are now, and their
 * digests. */
static void emit_objects(struct aggregate *a, int64_t hash_max)
{
	struct look *looks = mem_alloc((a->n_notes + 1) * sizeof(*looks));
	struct object *out = mem_alloc((a->n_notes + 1) * sizeof(*out));
	struct facts f = { .objects = out };
	size_t n = 0;

	for (size_t i = 0; i < a->n_notes; i++) {
		struct object_note *note = a->notes[i];

		if (is_system_path(note->path))
			continue;
		a->counts.files_read += note->read;
		a->counts.files_written += note->written;
		if (note->object.kind == OBJECT_FILE && (note->read || note->written))
			looks[n++].note = note;
	}
	n = looks_take(looks, n);
	looks_hash(looks, n, hash_max);
	for (size_t i = 0; i < n; i++)
		looks[i].note->emitted = false;
	for (size_t i = 0; i < a->n_notes; i++)
		if (!a->notes[i]->emitted)
			out[f.n_objects++] = a->notes[i]->object;
	a->out.facts(a->out.ctx, &f);
	free(looks);
	free(out);
}

/* How finely the run was recorded, where it was not the usual. */
static void emit_levels(struct aggregate *a)
{
	struct buf text = { 0 };
	struct note n = { .run = a->run.id, .key = "granularity" };
	struct facts f = { .notes = &n, .n_notes = 1 };

	if (!a->levels.n)
		return;
	levels_tell(&a->levels, a->run.start, &text);
	n.value = text.data;
	a->out.facts(a->out.ctx, &f);
	buf_release(&text);
	if (levels_reach(&a->levels, PROV_OFF, 0, 0))
		session_hole(a, NULL, "off",
			     "its granularity was off for some time: files that were opened then, "
			     "and what was done to them, are missing",
			     1);
}

void aggregate_root_ended(struct aggregate *a, uint32_t pid, int status, int64_t when)
{
	a->root_pid = pid;
	session_wait(a, pid, status, when);
}

void aggregate_so_far(struct aggregate *a)
{
	resume_finish(a);
	past_sort(a);
	apply_replacements(a);
	apply_waits(a);
	inherit(a);
	emit_executions(a);
	emit_objects(a, 0);
}

/* The root's process may have become other programs before it ended. */
static int status_of_root(struct aggregate *a)
{
	for (size_t i = 0; i < a->n_past; i++)
		if (id_equal(&a->past[i].id, &a->counts.root))
			return past_at(a, a->past[i].name.pid, INT64_MAX)->status;
	return -1;
}

void aggregate_finish(struct aggregate *a, int64_t hash_max)
{
	resume_finish(a);
	add_silent_forks(a);
	add_unseen_root(a);
	past_sort(a);
	add_blind(a);
	past_sort(a);
	emit_early_opens(a);
	apply_replacements(a);
	apply_waits(a);
	inherit(a);
	inherit_mappings(a);
	a->counts.root_status = status_of_root(a);
	emit_executions(a);
	emit_objects(a, hash_max);
	emit_levels(a);
}

struct aggregate_counts aggregate_count(const struct aggregate *a)
{
	return a->counts;
}
