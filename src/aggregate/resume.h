/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
#ifndef PROV_AGGREGATE_RESUME_H
#define PROV_AGGREGATE_RESUME_H
#include "aggregate/session.h"
/*
 * What the end of a session needs and no fact holds, as bytes beside the
 * facts: whoever finishes the session of a collector that died reads them
 * back. Private to this folder; the bytes are in prov-journal(5).
 */

/* An event that the end of the session looks at; others are passed over. */
void resume_keep_event(struct aggregate *a, uint32_t pid, int64_t start, const struct event *e);
void resume_keep_end(struct aggregate *a, const struct image_name *name, int64_t when,
		     bool replaced);
/* A chunk of shared memory whose records are among the facts. */
void resume_keep_handed(struct aggregate *a, uint32_t pid, int64_t start, uint32_t seq);
/* All that came so far belongs together. */
void resume_keep_commit(struct aggregate *a);

/* What an earlier collector knew of that image, into a new one. */
void resume_image(struct aggregate *a, struct image_record *im);
/* An image whose end the earlier collector did not see; NULL when there is none. */
struct image_record *resume_unended(struct aggregate *a, const struct image_name *name);
/* Images that ended before the earlier collector died take their place among
 * the others. */
void resume_finish(struct aggregate *a);
void resume_release(struct aggregate *a);
#endif
