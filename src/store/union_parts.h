/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
#ifndef PROV_STORE_UNION_PARTS_H
#define PROV_STORE_UNION_PARTS_H
#include "base/buf.h"
#include "base/map.h"
#include "store/store.h"
/* Inside the union of stores; nothing but union*.c includes this. */

/* union_rows.c: rows of one kind from several stores. */
struct shape {
	size_t size;
	/* What makes two rows one, appended to key. */
	void (*key)(const void *row, struct buf *key);
	void (*merge)(void *into, const void *more); /* NULL: they are the same */
};
extern const struct shape shape_run, shape_execution, shape_object, shape_access, shape_name,
	shape_hole, shape_note, shape_named, shape_boot_offset, shape_id;

struct rows {
	const struct shape *shape;
	struct arena *a; /* where the rows are */
	char *at;
	size_t n, room;
	size_t parts; /* stores that gave any */
};

void rows_add(struct rows *r, const void *v, size_t n);
/* Each row once, in no order. Rows from number `only` on, which stand last, are merged
 * into those before them that are the same, and never stay themselves. */
void rows_merge(struct rows *r, size_t only);

/* union_clock.c: times of one store on the scale of those before it. */
struct clock_offsets {
	struct map boots;            /* host and boot to struct drift */
	struct map runs, executions; /* likewise, those asked about */
	struct arena arena;
	bool differs; /* has any boot another scale? */
};

/* Compares what s keeps to what stores before it keep, which is in scales (to struct
 * boot_offset in a), and adds the rest to them. */
int clock_compare(struct clock_offsets *c, struct store *s, struct arena *a, struct map *scales);
void clock_release(struct clock_offsets *c);
/* Each puts what came from s on the common scale. 1, or negative errno when s fails. */
int clock_runs(struct clock_offsets *c, struct run *v, size_t n);
int clock_executions(struct clock_offsets *c, struct store *s, struct execution *v, size_t n);
int clock_accesses(struct clock_offsets *c, struct store *s, struct access *v, size_t n);
int clock_names(struct clock_offsets *c, struct store *s, struct name_event *v, size_t n);
#endif
