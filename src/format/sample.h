/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
#ifndef PROV_FORMAT_SAMPLE_H
#define PROV_FORMAT_SAMPLE_H
#include "model/graph.h"
/*
 * Graphs for tests: built by hand, the same bytes each time.
 */
struct sample {
	const char *name;
	const char *what;
	bool forward;
	void (*build)(struct graph *g);
};

const struct sample *sample_at(size_t i);	/* NULL after the last */
const struct sample *sample_find(const char *name);
/* A chain of n executions that each read the file before and write the next. */
void sample_chain(struct graph *g, size_t n);

/* Building blocks; times are seconds after 2026-11-20 06:00:00 UTC. */
uint32_t sample_file(struct graph *g, const char *path, uint32_t version, uint32_t flags, int when);
uint32_t sample_pipe(struct graph *g, unsigned ino);
/* command is divided at blanks */
uint32_t sample_exec(struct graph *g, const char *command, uint32_t flags, int start, int end);
void sample_edge(struct graph *g, enum edge_kind kind, uint32_t from, uint32_t to, bool certain);
void sample_used(struct graph *g, uint32_t act, uint32_t entity);
void sample_made(struct graph *g, uint32_t act, uint32_t entity);
void sample_run(struct graph *g, const char *name, const char *command);
#endif
