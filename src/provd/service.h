/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
#ifndef PROV_PROVD_SERVICE_H
#define PROV_PROVD_SERVICE_H
#include "provd/job.h"
#include "provd/peer.h"
#include "provd/policy.h"
/*
 * The service as a whole, and what it answers: one function for each enum service_kind
 * (base/service.h), called by the thread of the connection with the first message. When
 * it returns the connection is closed.
 */
struct service {
	struct jobs *jobs;
	const struct engine_ops *engine;	/* NULL: none works here */
	const char *engine_why;			/* which variant it is, or why none */
	bool watching;				/* who begins is seen */
	int64_t since;				/* real */
	uint64_t connections, refused;		/* so far; atomic */
	int stopping;				/* atomic */
};

void answer_status(struct service *s, const struct peer *p, const struct buf *message);
void answer_metrics(struct service *s, const struct peer *p, const struct buf *message);
void answer_probe(struct service *s, const struct peer *p, const struct buf *message);
void answer_track(struct service *s, const struct peer *p, const struct buf *message);
void answer_granularity(struct service *s, const struct peer *p, const struct buf *message);
void answer_ask(struct service *s, const struct peer *p, const struct buf *message);

/* Figures in the text format of Prometheus. */
void metrics_text(struct service *s, struct buf *out);
#endif
