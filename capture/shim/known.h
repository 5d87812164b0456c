/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
#ifndef SHIM_KNOWN_H
#define SHIM_KNOWN_H
#include "tally.h"
/*
 * Objects that were opened lately, so that one that is opened again and again
 * is named once: a place for each of KNOWN_SIZE hashes, which one thread has at
 * a time. Others do without.
 */

/* The tally of an earlier opening of the same, held; NULL if there is none. */
struct prov_tally *known_again(const struct prov_object *o, uint64_t name);
void known_keep(const struct prov_object *o, uint64_t name, struct prov_tally *t);
/* Makes sure that no tally in the chunk is taken up again; -1 when one may be
 * just now. */
int known_forget(const struct prov_chunk *c);
#endif
