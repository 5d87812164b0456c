/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
#ifndef PROV_PROV_TABLE_H
#define PROV_PROV_TABLE_H
#include "prov/command.h"
/*
 * Aligned columns. Cells are made safe for a terminal as they come; the last
 * column is cut to what is left of the line.
 *
 *	struct table t = table_begin(c, heads, 3);
 *
 *	table_cell(&t, "%s", id);  ... three of them make a row ...
 *	table_end(&t);
 */
struct table {
	struct context *c;
	const char *const *heads; /* a head that starts with '>' aligns right */
	unsigned n_columns;
	struct buf cells; /* NUL-terminated, one after another */
	size_t n_cells;
};

struct table table_begin(struct context *c, const char *const *heads, unsigned n_columns);
void table_cell(struct table *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void table_end(struct table *t); /* writes to c->out */

/* Columns that text takes on a terminal. */
unsigned text_width(const char *s);
/* "1.2 MB" and the like. */
#define SIZE_TEXT_SIZE 24
char *size_text(uint64_t bytes, char out[SIZE_TEXT_SIZE]);
/* Switches of a terminal, when colours are wanted. */
enum tint { TINT_NONE, TINT_DIM, TINT_BOLD, TINT_BAD, TINT_GOOD, TINT_NAME };
void tint(struct context *c, enum tint t);
#endif
