/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
#ifndef PROV_FORMAT_VIEW_H
#define PROV_FORMAT_VIEW_H
#include "base/buf.h"
#include "model/graph.h"
/*
 * What the pictures for people (text, dot) show of a graph: folded nodes are
 * left out, what a helper did was done by whom it is credited to, and executions
 * that a shell joined by pipes are one step. With "all" every node stays and
 * every execution is a step of its own. The view points into the graph and must
 * not outlive it.
 */
#define VIEW_NONE UINT32_MAX

struct link {
	uint32_t to;	/* node or step */
	bool certain;
	bool kept;	/* not read: it kept this older content */
};

/* The links of item i are link[at[i]] up to, without, link[at[i + 1]]. */
struct links {
	uint32_t *at;
	struct link *link;
};

struct step {
	uint32_t *acts;		/* nodes; writers of pipes before their readers */
	unsigned *stage;	/* of each: position in the pipeline, ascending */
	uint32_t n_acts;
};

struct view {
	struct arena arena;
	const struct graph *g;	/* with the edges that are shown; all other is the caller's */
	bool all;
	bool *shown;		/* per node */
	bool *passed;		/* per node: a file that one execution made and another read */
	bool *versioned;	/* per node: other versions of the object are shown too */
	uint32_t *step_of;	/* per node: its step, VIEW_NONE if none */
	struct step *steps;	/* by time */
	uint32_t n_steps;
	struct links in, out;	/* of steps: entities read, entities made */
	struct links makers, users;	/* of nodes: steps */
	struct links from, into;	/* of nodes: entities, where no step explains it */
	size_t hidden;		/* folded nodes that are not shown */
	size_t temporary;	/* entities that only one step made and used */
	const char *cwd;	/* names are relative to it; "" none */
	const struct run *run;	/* that made the root, else the first; NULL none */
};

void view_init(struct view *v, const struct graph *g, bool all);
void view_release(struct view *v);
/* The path below cwd, raw bytes; with " @N" where versions matter. */
void view_name(const struct view *v, uint32_t node, struct buf *out);
/* As typed: "a x | b y", members of one stage as "(a; b)". */
void view_command(const struct view *v, uint32_t step, struct buf *out);
/* One program of it, or several that share a stage; starts at *act = 0, false
 * after the last. */
bool view_stage(const struct view *v, uint32_t step, uint32_t *act, struct buf *out);
/* Did a step make and read the entity all by itself? Then it is no input of it. */
bool view_own(const struct view *v, uint32_t node, uint32_t step);
/* "1 blind spot: why; prov show RUN --all" or nothing. */
void view_holes(const struct view *v, struct buf *out);
#endif
