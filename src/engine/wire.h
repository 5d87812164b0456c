/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
#ifndef PROV_ENGINE_WIRE_H
#define PROV_ENGINE_WIRE_H
#include "engine/engine.h"
/*
 * What an engine sees, over a socket: the calls of an engine_sink as bytes, and the
 * messages of a connection that was begun with SERVICE_TRACK (base/service.h).
 */
enum track_message {
	/* from the service, in any number */
	TRACK_CALLS = 64,	/* bytes of wire_sink() */
	TRACK_STATE,		/* bytes of track_state_put() */
	TRACK_DONE,		/* the answer to TRACK_END, with what engine_ops.cost says;
				 * nothing comes after it */
	/* to the service */
	TRACK_LEVEL,		/* one buf_int(): a granularity is asked for */
	TRACK_END,		/* the program has ended: the rest, please */
};

#define TRACK_VERSION 1
#define TRACK_BATCH   (256u << 10)	/* bytes of calls in one message, about */

/* What goes with SERVICE_TRACK. Strings point into the message. */
struct track_wish {
	struct id run;
	int32_t granularity;
	double budget;		/* as in engine_setup; told in millionths */
	struct strings env_allow;
};

void track_wish_put(const struct track_wish *w, struct buf *out);
int track_wish_get(const char *p, size_t n, struct track_wish *out);	/* 0 or -EBADMSG */

struct track_state {
	int32_t granularity;
	uint64_t lost;
	bool alive;
};

void track_state_put(const struct track_state *s, struct buf *out);
int track_state_get(const char *p, size_t n, struct track_state *out);

/* A sink that appends each call to out, whose owner empties it. */
struct engine_sink wire_sink(struct buf *out);

/* Calls sink as the calls were made. 0, or -EBADMSG at the first that makes no sense:
 * those before it were made. Events are checked as if they came from shared memory. */
int wire_replay(const char *p, size_t n, const struct engine_sink *sink);
#endif
