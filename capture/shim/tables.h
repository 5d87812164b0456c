/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
#ifndef SHIM_TABLES_H
#define SHIM_TABLES_H
#include "tally.h"
/*
 * Our slots assume that the whole process has one table of descriptors. Two
 * things break that.
 *
 * A vfork child has a copy of the table while it has our memory. A number to
 * which it gives a new meaning is foreign until it is gone: the slot is empty,
 * so that whoever uses the number comes by tally_find(), which asks who it is.
 * What the number means to the parent is kept aside, and put back later.
 *
 * Threads that give up sharing the table (unshare, clone without CLONE_FILES)
 * do so for good. From then on no slot is used: every access asks the kernel
 * which object it is, and counts there. Dear, exact and rare.
 */

/* Threads of this process may mean different files by one number. */
void tables_split(void);
/* Of the object behind fd, when image.split; never NULL. */
struct prov_tally *split_find(int fd);
struct prov_tally *split_known(const struct prov_object *o);	/* NULL when new */
void split_learn(const struct prov_object *o, struct prov_tally *t);

/* In a vfork child: fd has a new meaning. What comes through it is the parent's
 * doing, as all that its code does in its memory. */
void foreign_begin(int fd);
struct prov_tally *foreign_find(int fd);	/* never NULL */
void foreign_close(int fd);
void foreign_leave(void);	/* it is about to become another program */

/* In the parent, when image.foreigns is not 0. */
void foreign_settle(void);	/* puts back what children that are gone have left */
void foreign_gone(uint32_t child);
/* Where the parent's meaning of fd is kept; NULL: in its slot. */
struct prov_tally **foreign_kept(int fd);
#endif
