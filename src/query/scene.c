/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* scene.c - facts told by a test, and questions about the graph they make */
#include "query/scene.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

struct id scene_id(int n)
{
	struct id id = { 0 };

	id.b[0] = 0xa0;
	id.b[14] = (uint8_t)(n >> 8);
	id.b[15] = (uint8_t)n;
	return id;
}

static struct strings one(const char *text)
{
	return (struct strings){ text, strlen(text) + 1 };
}

static void put(struct scene *c, const struct facts *f)
{
	assert_int_equal(store_put(c->s, f), 0);
}

void scene_open(struct scene *c)
{
	*c = (struct scene){ 0 };
	assert_int_equal(store_open("memory:", STORE_WRITE, &c->s), 0);
}

void scene_close(struct scene *c)
{
	graph_release(&c->g);
	store_close(c->s);
}

void scene_run(struct scene *c, int run, int root, int64_t start)
{
	struct run r = { .id = scene_id(run),
			 .name = "",
			 .host = "node1",
			 .boot = "b",
			 .user = "ada",
			 .cwd = "/home/ada/work",
			 .engine = "test",
			 .start = start,
			 .shift = SCENE_SHIFT,
			 .root = scene_id(root) };

	put(c, &(struct facts){ .runs = &r, .n_runs = 1 });
}

void scene_exec(struct scene *c, int run, int exec, int parent, enum how how, int64_t start,
		const char *argv0)
{
	struct execution x = { .id = scene_id(exec),
			       .run = scene_id(run),
			       .how = how,
			       .pid = (uint32_t)exec,
			       .exe = "/home/ada/bin/x",
			       .cwd = "/home/ada/work",
			       .argv = one(argv0),
			       .start = start };

	if (parent)
		x.parent = scene_id(parent);
	put(c, &(struct facts){ .executions = &x, .n_executions = 1 });
}

void scene_object(struct scene *c, int object, enum object_kind kind)
{
	struct object o = {
		.id = scene_id(object), .kind = kind, .ino = (uint64_t)object, .size = -1
	};

	put(c, &(struct facts){ .objects = &o, .n_objects = 1 });
}

void scene_access(struct scene *c, struct access a)
{
	put(c, &(struct facts){ .accesses = &a, .n_accesses = 1 });
}

struct access scene_read(int exec, int object, const char *path, int64_t first, int64_t last)
{
	return (struct access){ .exec = scene_id(exec),
				.object = scene_id(object),
				.path = path,
				.flags = ACCESS_READ,
				.opened = first - 1,
				.first_read = first,
				.last_read = last,
				.closed = last + 1 };
}

struct access scene_write(int exec, int object, const char *path, int64_t first, int64_t last)
{
	return (struct access){ .exec = scene_id(exec),
				.object = scene_id(object),
				.path = path,
				.flags = ACCESS_WRITE,
				.opened = first - 1,
				.first_write = first,
				.last_write = last,
				.closed = last + 1 };
}

void scene_name(struct scene *c, int exec, int object, enum name_kind kind, const char *from,
		const char *to, int64_t time)
{
	struct name_event e = { scene_id(exec), scene_id(object), kind, from, to, time };

	put(c, &(struct facts){ .names = &e, .n_names = 1 });
}

static void scene_walk(struct scene *c, int object, struct walk w)
{
	struct id id = scene_id(object);

	graph_release(&c->g);
	assert_int_equal(query_walk(c->s, &id, &w, &c->g), 0);
}

void scene_lineage(struct scene *c, int object)
{
	scene_walk(c, object, (struct walk){ .direction = WALK_BACKWARD });
}

void scene_lineage_of(struct scene *c, int object, unsigned depth, int64_t at_order)
{
	scene_walk(c, object,
		   (struct walk){ .direction = WALK_BACKWARD,
				  .depth = depth,
				  .at = at_order ? at_order + SCENE_SHIFT : 0 });
}

void scene_impact(struct scene *c, int object)
{
	scene_walk(c, object, (struct walk){ .direction = WALK_FORWARD });
}

void scene_show(struct scene *c, int run)
{
	struct id id = scene_id(run);

	graph_release(&c->g);
	assert_int_equal(query_run(c->s, &id, &c->g), 0);
}

static uint32_t find(const struct scene *c, enum node_kind kind, int n, uint32_t version)
{
	struct id id = scene_id(n);

	for (uint32_t i = 0; i < c->g.n_nodes; i++)
		if (c->g.nodes[i].kind == kind && id_equal(&c->g.nodes[i].id, &id) &&
		    c->g.nodes[i].version == version)
			return i;
	return UINT32_MAX;
}

static const struct node *node(const struct scene *c, uint32_t i)
{
	return i == UINT32_MAX ? NULL : &c->g.nodes[i];
}

const struct node *scene_entity(const struct scene *c, int object, uint32_t version)
{
	return node(c, find(c, NODE_ENTITY, object, version));
}

const struct node *scene_activity(const struct scene *c, int exec)
{
	return node(c, find(c, NODE_ACTIVITY, exec, 0));
}

bool scene_has_object(const struct scene *c, int object)
{
	struct id id = scene_id(object);

	for (uint32_t i = 0; i < c->g.n_nodes; i++)
		if (c->g.nodes[i].kind == NODE_ENTITY && id_equal(&c->g.nodes[i].id, &id))
			return true;
	return false;
}

static int edge(const struct scene *c, uint32_t from, uint32_t to, enum edge_kind kind)
{
	for (size_t i = 0; i < c->g.n_edges; i++) {
		const struct edge *e = &c->g.edges[i];

		if (e->from == from && e->to == to && e->kind == kind)
			return 1 + e->certain;
	}
	return 0;
}

int scene_used(const struct scene *c, int exec, int object, uint32_t version)
{
	return edge(c, find(c, NODE_ACTIVITY, exec, 0), find(c, NODE_ENTITY, object, version),
		    EDGE_USED);
}

int scene_made(const struct scene *c, int object, uint32_t version, int exec)
{
	return edge(c, find(c, NODE_ENTITY, object, version), find(c, NODE_ACTIVITY, exec, 0),
		    EDGE_GENERATED);
}

int scene_derived(const struct scene *c, int object, uint32_t version, int from,
		  uint32_t from_version)
{
	return edge(c, find(c, NODE_ENTITY, object, version),
		    find(c, NODE_ENTITY, from, from_version), EDGE_DERIVED);
}

int scene_informed(const struct scene *c, int exec, int by)
{
	return edge(c, find(c, NODE_ACTIVITY, exec, 0), find(c, NODE_ACTIVITY, by, 0),
		    EDGE_INFORMED);
}

size_t scene_edges(const struct scene *c, enum edge_kind kind)
{
	size_t n = 0;

	for (size_t i = 0; i < c->g.n_edges; i++)
		n += c->g.edges[i].kind == kind;
	return n;
}
