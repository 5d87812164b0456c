/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
#ifndef PROV_STORE_NODE_H
#define PROV_STORE_NODE_H
#include "store/store.h"
/*
 * A store that somebody else has open: "node:PATH" asks the node service over the
 * socket at PATH. Read only. One question is one message, its answer some more
 * (store/node_wire.h). What a client may see is decided by whom the service gives it.
 *
 * Neither side trusts the other: everything is checked and bounded, and where that
 * fails the connection is over. Then, and where the service is silent for longer than
 * NODE_PATIENCE_MS, every further question fails at once with the same sentence.
 */
#define NODE_GREETING_MS 1000   /* to be let in */
#define NODE_PATIENCE_MS 10000  /* between two messages of an answer */
#define NODE_IDLE_MS     120000 /* a client that asks nothing, or takes no answer, is left */

/*
 * Server: answers what comes on a connected socket until the client goes, from s,
 * which holds what this client may see. Called when SERVICE_ASK was received; says
 * SERVICE_OK itself. fd and s stay the caller's; s is used by this thread alone. Who
 * may see nothing yet gets a store_union() of none.
 * 0 when the client went, else a negative errno with fail_text(), for the log.
 */
int node_serve(int fd, struct store *s);

/* Client: as store_open("node:..."), on a socket that is connected already, which it
 * takes even when it fails. where is for messages. */
int node_attach(int fd, const char *where, struct store **out);
#endif
