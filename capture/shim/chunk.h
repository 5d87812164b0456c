/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
#ifndef SHIM_CHUNK_H
#define SHIM_CHUNK_H
#include "image.h"
/* The chunks of the arena that this image fills, one after another; between
 * image.c and nobody else. fd is the arena's. */

/* A chunk that is ours from now on, mapped; NULL when there is none. */
struct prov_chunk *chunk_claim(int fd);
/* seq: which of the image's it is, from 0. */
void chunk_init(struct prov_chunk *c, uint32_t seq);
#endif
