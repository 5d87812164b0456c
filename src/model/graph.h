/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
#ifndef PROV_MODEL_GRAPH_H
#define PROV_MODEL_GRAPH_H
#include "base/arena.h"
#include "model/model.h"
/*
 * A provenance graph as a value (W3C PROV-DM): what a query returns and a
 * format writes. Everything in it lives in its arena until graph_release().
 */
enum node_kind { NODE_ENTITY, NODE_ACTIVITY, NODE_AGENT };

enum node_flags {
	NODE_ROOT = 1 << 0,	/* what was asked about */
	NODE_FOLDED = 1 << 1,	/* hidden from default views: library, cache, locale, helper, ... */
	NODE_BLIND = 1 << 2,	/* its record is known to be incomplete */
	NODE_DELETED = 1 << 3,	/* entity: no name left */
	NODE_PARTIAL = 1 << 4,	/* entity: seen while still being written */
};

struct node {
	enum node_kind kind;
	uint32_t flags;
	struct id id;		/* object, execution or user */
	uint32_t version;	/* entity: 0 = before any recorded write, then 1, 2, ... */
	const char *label;	/* for people: a path or a command line */
	/* entity */
	enum object_kind object;
	const char *path;	/* its name at that time; pipes: "pipe:[ino]" */
	int64_t size;		/* -1 unknown */
	const uint8_t *sha256;	/* NULL unknown */
	int64_t generated;	/* real time the version was complete, 0 unknown */
	int64_t invalidated;	/* real time it was deleted or overwritten, 0 never */
	/* activity */
	struct id run;
	const char *exe, *cwd;
	struct strings argv;
	enum how how;
	uint32_t pid;
	int64_t start, end;	/* real */
	int status, signal;
	uint32_t credited;	/* 1 + index of the activity that default views credit with
				 * what this one did; 0: itself */
	/* agent */
	const char *user, *host;
};

enum edge_kind {
	EDGE_USED,		/* activity -> entity */
	EDGE_GENERATED,		/* entity -> activity: wasGeneratedBy */
	EDGE_DERIVED,		/* entity -> entity: wasDerivedFrom */
	EDGE_INFORMED,		/* activity -> activity: wasInformedBy (from was started by to) */
	EDGE_ASSOCIATED,	/* activity -> agent: wasAssociatedWith */
	EDGE_ATTRIBUTED,	/* entity -> agent: wasAttributedTo */
	EDGE_INVALIDATED,	/* entity -> activity: wasInvalidatedBy */
};

const char *edge_kind_name(enum edge_kind kind);	/* the PROV name */

struct edge {
	uint32_t from, to;	/* indexes of nodes; from later to earlier */
	enum edge_kind kind;
	bool certain;		/* false: possible, rests on overlap, skew or a hole */
	int64_t time;		/* real, 0 unknown */
};

struct graph {
	struct arena arena;
	struct node *nodes;
	size_t n_nodes, node_room;
	struct edge *edges;
	size_t n_edges, edge_room;
	struct run *runs;	/* every run an activity belongs to */
	size_t n_runs, run_room;
	struct hole *holes;	/* of those runs */
	size_t n_holes, hole_room;
	uint32_t root;		/* index; meaningless when n_nodes is 0 */
	bool truncated;		/* a depth or size limit cut the walk */
};

void graph_release(struct graph *g);
/* Copies the struct, not the strings. */
uint32_t graph_node(struct graph *g, const struct node *n);
/* Adds the edge unless an equal (from, to, kind) is there; certain wins. */
void graph_edge(struct graph *g, const struct edge *e);
const struct run *graph_run(const struct graph *g, const struct id *run);

/* The textual id of a node: "o<hex>@<version>" for entities, "x<hex>" for
 * activities, "u<hex>" for agents. */
#define NODE_TEXT_SIZE 48
char *node_text(const struct node *n, char out[NODE_TEXT_SIZE]);

#endif
