/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* record_credit.c - what default views tell of a program: its deeds and its helpers' */
#include <stdlib.h>
#include <string.h>

#include "prov/record.h"

/* A program that prov could not look into is always shown, so it keeps what is its. */
static struct step *stands_for(struct step *s)
{
	return s->credited && !s->e->blind ? s->credited : s;
}

/* Pipes between a program and its helpers only; per thing. */
static bool *find_inner(struct arena *a, const struct record *r)
{
	struct who {
		const struct step *step, *by;
		bool several, others;
	} *who = arena_alloc(a, (r->n_objects + 1) * sizeof(*who));
	bool *inner = arena_alloc(a, r->n_objects + 1);

	for (size_t i = 0; i < r->n_accesses; i++) {
		const struct thing *t = record_thing(r, &r->accesses[i].object);
		struct step *s = record_step(r, &r->accesses[i].exec);
		struct who *w;

		if (!t || !s || t->o->kind != OBJECT_PIPE)
			continue;
		w = &who[t - r->things];
		w->several |= w->step && w->step != s;
		w->others |= w->by && w->by != stands_for(s);
		w->step = s;
		w->by = stands_for(s);
	}
	for (size_t i = 0; i < r->n_objects; i++)
		inner[i] = who[i].several && !who[i].others;
	return inner;
}

static int same_file_order(const void *a, const void *b)
{
	const struct access *x = *(const struct access *const *)a,
			    *y = *(const struct access *const *)b;
	int r = id_compare(&x->object, &y->object);

	return r ? r : strcmp(x->path, y->path);
}

static int64_t first_of(int64_t a, int64_t b)
{
	return !a || (b && b < a) ? b : a;
}

/* One line for all who did something to a file: merging leaves counts alone, since
 * it is made for facts that say the same. */
static const struct access *sum(struct arena *a, const struct access **x, size_t n)
{
	struct access *s;

	if (n == 1)
		return x[0];
	s = arena_copy(a, x[0], sizeof(*s));
	for (size_t i = 1; i < n; i++) {
		s->flags |= x[i]->flags;
		s->reads += x[i]->reads;
		s->writes += x[i]->writes;
		s->bytes_read += x[i]->bytes_read;
		s->bytes_written += x[i]->bytes_written;
		s->opened = first_of(s->opened, x[i]->opened);
		s->first_read = first_of(s->first_read, x[i]->first_read);
		s->first_write = first_of(s->first_write, x[i]->first_write);
	}
	return s;
}

static void add_up(struct arena *a, struct step *s)
{
	size_t n = 0;

	if (s->n_told)
		qsort(s->told, s->n_told, sizeof(*s->told), same_file_order);
	for (size_t i = 0, end; i < s->n_told; i = end) {
		for (end = i + 1; end < s->n_told; end++)
			if (same_file_order(&s->told[i], &s->told[end]))
				break;
		s->told[n++] = sum(a, s->told + i, end - i);
	}
	s->n_told = n;
	record_sort_accesses(s->told, s->n_told);
}

static int earlier_name(const void *a, const void *b)
{
	const struct name_event *x = *(const struct name_event *const *)a,
				*y = *(const struct name_event *const *)b;

	return x->time < y->time ? -1 : x->time > y->time;
}

static void take(struct arena *a, const struct record *r, const bool *inner, struct step *by,
		 const struct step *s)
{
	for (size_t i = 0; i < s->n_files; i++) {
		const struct thing *t = record_thing(r, &s->files[i]->object);

		if (t && inner[t - r->things])
			continue;
		by->told = arena_grow(a, by->told, by->n_told, &by->told_room, sizeof(*by->told));
		by->told[by->n_told++] = s->files[i];
	}
	for (size_t i = 0; i < s->n_names; i++) {
		by->told_names = arena_grow(a, by->told_names, by->n_told_names,
					    &by->told_names_room, sizeof(*by->told_names));
		by->told_names[by->n_told_names++] = s->names[i];
	}
}

void record_credit(struct arena *a, struct record *r)
{
	bool *inner = find_inner(a, r);

	for (size_t i = 0; i < r->n_executions; i++) {
		struct step *s = &r->steps[i], *by = stands_for(s);

		take(a, r, inner, by, s);
		if (by != s) {
			by->has_helpers = true;
			s->told = s->files;
			s->n_told = s->n_files;
			s->told_names = s->names;
			s->n_told_names = s->n_names;
		}
	}
	for (size_t i = 0; i < r->n_executions; i++) {
		struct step *s = &r->steps[i];

		if (!s->has_helpers)
			continue;
		add_up(a, s);
		if (s->n_told_names)
			qsort(s->told_names, s->n_told_names, sizeof(*s->told_names), earlier_name);
	}
}
