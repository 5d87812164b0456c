/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
#ifndef PROV_ENGINE_T_TOLD_H
#define PROV_ENGINE_T_TOLD_H
#include "engine/told.h"
/*
 * Hand-made records of the kernel, and what the translation made of them. Every process
 * begins at 10 times its number; times are otherwise those that the record is given.
 */
#define HEARD_MOST 64u

struct heard {
	enum { HEARD_EVENT, HEARD_ENDED, HEARD_RUNNING, HEARD_HOLE } what;
	uint32_t pid;
	int64_t start, when;
	bool replaced;
	uint64_t count;
	char kind[16];		/* of a hole */
	struct event event;
};

struct world {
	struct told *told;
	struct buf records;
	struct heard heard[HEARD_MOST];
	size_t n;
};

/* Of this process, or of one that runs in another's memory still. */
struct kernel_head t_head(uint16_t type, uint32_t pid);
struct kernel_head t_head_in(uint16_t type, uint32_t pid, uint32_t image);

/* Adds a record: its fixed part, which begins with a head, and text. */
void t_put(struct world *w, const void *fixed, size_t size, const void *text, size_t n);
void t_image(struct world *w, uint32_t pid, uint32_t parent, uint32_t how);
void t_text(struct world *w, uint32_t pid, uint32_t kind, uint32_t offset, uint32_t whole,
	    const char *text, uint32_t n);
/* An image with a program and a folder: START was handed over. */
void t_program(struct world *w, uint32_t pid);
/* walked: components, the last one first, each with its NUL. */
void t_file(struct world *w, uint32_t pid, uint64_t id, uint64_t ino, uint32_t mode,
	    const char *walked, uint32_t n);
void t_tally(struct world *w, struct kernel_head head, uint64_t id, struct kernel_counts n);
/* touched 0: nothing was. */
void t_name(struct world *w, uint32_t pid, uint32_t kind, const char *from, const char *to,
	    uint64_t touched);
void t_exit(struct world *w, uint32_t pid, int32_t status, uint32_t lost);

/* Hands over what was put since, and forgets what was heard before. */
size_t t_hear(struct world *w);
const struct event *t_event(const struct world *w, size_t i, uint32_t pid, uint16_t type);

int t_world_begin(void **state);
int t_world_end(void **state);
#endif
