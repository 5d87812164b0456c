/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
#ifndef PROV_PROV_TEXT_H
#define PROV_PROV_TEXT_H
#include "format/tree.h"
#include "prov/record.h"
#include "prov/table.h"
/* How single facts read in a text view. Paths below folder are shown without it. */

const char *text_path(const char *folder, const char *path);
/* "ok", "exit 3", "signal 9 (Killed)", "not ended" ... */
const char *text_status(struct arena *a, int64_t end, int status, int sig);
/* "read 1.2 MB, written 3 kB, created" */
const char *text_access(struct arena *a, const struct access *x);
const char *text_name(struct arena *a, const char *folder, const struct name_event *e);
const char *text_command(struct arena *a, const struct strings *argv, const char *exe);
/* One "label  value" line of a heading. */
void text_line(struct context *c, const char *label, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void text_holes(struct context *c, const struct hole *holes, size_t n);

/* A tree in a text view: depth 0 is the margin. */
struct tree {
	struct context *c;
	struct tree_pen pen;
	unsigned depth;
};

struct tree tree_begin(struct context *c);
/* One line: body, cut where the terminal ends, then tail. last: nothing of the
 * same level follows. */
void tree_line(struct tree *t, bool last, enum tint how, const char *body, const char *tail);
#endif
