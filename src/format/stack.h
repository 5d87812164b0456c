/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
#ifndef PROV_FORMAT_STACK_H
#define PROV_FORMAT_STACK_H
#include "format/view.h"
/*
 * Files that a picture need not draw one by one: those that the same
 * executions made and the same executions used are drawn as a stack, the first
 * of them (by name) for all. Few files, and the root, stay apart.
 */
#define STACK_MIN 4

struct stacks {
	uint32_t *front;	/* per node: the one drawn for it; itself when apart */
	uint32_t *n;		/* per front: files in the stack, 1 when apart */
	uint32_t *next;		/* per node: next file of its stack by name; last: VIEW_NONE */
};

/* Allocates from the view. */
struct stacks stacks_find(struct view *v);
#endif
