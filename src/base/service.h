/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
#ifndef PROV_BASE_SERVICE_H
#define PROV_BASE_SERVICE_H
/*
 * What is wanted from the node service: the kind of the first message (base/frame.h)
 * on a connection. Numbers are never given out twice.
 *
 * The service answers it with SERVICE_OK, after which the connection speaks as the kind
 * says, or with SERVICE_REFUSED, whose bytes are a sentence for the person who asked
 * (no NUL, no line end), and closes.
 */
#define SERVICE_SOCKET "/run/prov/provd.sock"	/* unless it is set */

enum service_kind {
	SERVICE_ASK = 1,	/* facts, read only */
	SERVICE_STATUS,
	SERVICE_TRACK,
	SERVICE_GRANULARITY,
	SERVICE_METRICS,
	SERVICE_OK,
	SERVICE_REFUSED,
};
#endif
