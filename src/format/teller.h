/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
#ifndef PROV_FORMAT_TELLER_H
#define PROV_FORMAT_TELLER_H
#include "format/branch.h"
#include "format/page.h"
/*
 * A graph being told as a tree (text.c), and how its parts are worded. All of
 * these add to the line that was begun on the page.
 */
struct teller {
	struct view v;
	const struct format_options *o;
	struct page page;
	unsigned levels;
	bool *step_told, *file_told; /* per step, per node: what is under it was printed */
	struct branches later;       /* continued at the margin */
	bool doubt;                  /* something possible was printed */
};

void teller_note(struct teller *t, const char *text); /* in one piece */
void teller_name(struct teller *t, const char *join, uint32_t node, enum page_style style);
void teller_doubt(struct teller *t, const struct branch *b); /* "?" if not certain */
void teller_files(struct teller *t, const struct branch *b);
void teller_command(struct teller *t, uint32_t step);
/* A step told before: enough of it to find it again. */
void teller_reminder(struct teller *t, uint32_t step);
/* How its programs ended, if not well. */
void teller_endings(struct teller *t, const struct step *s);
void teller_run(struct teller *t, const struct run *r);
#endif
