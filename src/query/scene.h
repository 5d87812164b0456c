/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
#ifndef PROV_QUERY_SCENE_H
#define PROV_QUERY_SCENE_H
#include "query/query.h"
/*
 * For tests: a store to which facts are told one line at a time, and questions
 * about the graphs that come back. Executions, objects and runs are small
 * numbers; times are in nanoseconds as given. Every run's shift is SCENE_SHIFT.
 */
#define SCENE_SHIFT 1000000000000

struct scene {
	struct store *s;
	struct graph g;
};

struct id scene_id(int n);
void scene_open(struct scene *c);
void scene_close(struct scene *c);
void scene_run(struct scene *c, int run, int root, int64_t start);
void scene_exec(struct scene *c, int run, int exec, int parent, enum how how, int64_t start,
		const char *argv0);
void scene_object(struct scene *c, int object, enum object_kind kind);
void scene_access(struct scene *c, struct access a);
struct access scene_read(int exec, int object, const char *path, int64_t first, int64_t last);
struct access scene_write(int exec, int object, const char *path, int64_t first, int64_t last);
void scene_name(struct scene *c, int exec, int object, enum name_kind kind, const char *from,
		const char *to, int64_t time);

/* Each replaces the graph. */
void scene_lineage(struct scene *c, int object);
void scene_lineage_of(struct scene *c, int object, unsigned depth, int64_t at_order);
void scene_impact(struct scene *c, int object);
void scene_show(struct scene *c, int run);

const struct node *scene_entity(const struct scene *c, int object,
				uint32_t version); /* NULL: not there */
const struct node *scene_activity(const struct scene *c, int exec);
bool scene_has_object(const struct scene *c, int object);
/* 0 no such edge, 1 possible, 2 certain */
int scene_used(const struct scene *c, int exec, int object, uint32_t version);
int scene_made(const struct scene *c, int object, uint32_t version, int exec);
int scene_derived(const struct scene *c, int object, uint32_t version, int from,
		  uint32_t from_version);
int scene_informed(const struct scene *c, int exec, int by);
size_t scene_edges(const struct scene *c, enum edge_kind kind);

#endif
