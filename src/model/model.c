/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* model.c - the few things every fact can do */
#include "model/model.h"

#include <string.h>

const char *strings_next(const struct strings *s, const char *at)
{
	if (s->size == 0)
		return NULL;
	if (!at)
		return s->p;
	at += strlen(at) + 1;
	return at < s->p + s->size ? at : NULL;
}

size_t strings_count(const struct strings *s)
{
	size_t n = 0;

	for (const char *p = NULL; (p = strings_next(s, p));)
		n++;
	return n;
}

const char *object_kind_name(enum object_kind kind)
{
	static const char *const names[] = {
		[OBJECT_FILE] = "file",
		[OBJECT_DIRECTORY] = "directory",
		[OBJECT_PIPE] = "pipe",
		[OBJECT_SOCKET] = "socket",
		[OBJECT_DEVICE] = "device",
		[OBJECT_MEMORY] = "memory",
		[OBJECT_SYMLINK] = "symlink",
		[OBJECT_OTHER] = "other",
	};

	return (unsigned)kind < sizeof(names) / sizeof(names[0]) ? names[kind] : "other";
}

bool object_kind_carries_data(enum object_kind kind)
{
	return kind == OBJECT_FILE || kind == OBJECT_PIPE || kind == OBJECT_SOCKET ||
	       kind == OBJECT_MEMORY;
}

const char *name_kind_name(enum name_kind kind)
{
	switch (kind) {
	case NAME_RENAME:
	case NAME_EXCHANGE:
		return "rename";
	case NAME_LINK:
		return "link";
	case NAME_UNLINK:
		return "unlink";
	case NAME_SYMLINK:
		return "symlink";
	}
	return "rename";
}

static int64_t earlier(int64_t a, int64_t b)
{
	if (!a || !b)
		return a ? a : b;
	return a < b ? a : b;
}

static int64_t later(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

void access_merge(struct access *into, const struct access *more)
{
	into->flags |= more->flags;
	into->reads = larger(into->reads, more->reads);
	into->writes = larger(into->writes, more->writes);
	into->bytes_read = larger(into->bytes_read, more->bytes_read);
	into->bytes_written = larger(into->bytes_written, more->bytes_written);
	into->first_read = earlier(into->first_read, more->first_read);
	into->last_read = later(into->last_read, more->last_read);
	into->first_write = earlier(into->first_write, more->first_write);
	into->last_write = later(into->last_write, more->last_write);
	into->fuzz = later(into->fuzz, more->fuzz);
	into->opened = earlier(into->opened, more->opened);
	into->closed = later(into->closed, more->closed);
	into->truncated = later(into->truncated, more->truncated);
}

static void shift(int64_t *t, int64_t offset)
{
	/* wraps instead of overflowing: both may come from files */
	if (*t)
		*t = (int64_t)((uint64_t)*t + (uint64_t)offset);
}

void facts_shift(struct facts *f, int64_t offset)
{
	for (size_t i = 0; i < f->n_runs; i++) {
		shift(&f->runs[i].start, offset);
		shift(&f->runs[i].end, offset);
		f->runs[i].shift = (int64_t)((uint64_t)f->runs[i].shift - (uint64_t)offset);
	}
	for (size_t i = 0; i < f->n_executions; i++) {
		shift(&f->executions[i].start, offset);
		shift(&f->executions[i].end, offset);
	}
	for (size_t i = 0; i < f->n_objects; i++)
		shift(&f->objects[i].seen, offset);
	for (size_t i = 0; i < f->n_accesses; i++) {
		struct access *a = &f->accesses[i];

		shift(&a->first_read, offset);
		shift(&a->last_read, offset);
		shift(&a->first_write, offset);
		shift(&a->last_write, offset);
		shift(&a->opened, offset);
		shift(&a->closed, offset);
		shift(&a->truncated, offset);
	}
	for (size_t i = 0; i < f->n_names; i++)
		shift(&f->names[i].time, offset);
}
