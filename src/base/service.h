/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
#ifndef PROV_BASE_SERVICE_H
#define PROV_BASE_SERVICE_H
#include <stddef.h>
#include <stdint.h>
/*
 * What is wanted from the node service: the kind of the first message (base/frame.h)
 * on a connection. Numbers are never given out twice.
 *
 * The service answers it with SERVICE_OK, after which the connection speaks as the kind
 * says, or with SERVICE_REFUSED, whose bytes are a sentence for the person who asked
 * (no NUL, no line end), and closes.
 */

enum service_kind {
	SERVICE_ASK = 1,	/* facts, read only */
	/* The answer is one message of the same kind: JSON, or, if the request holds a
	 * byte, NUL-terminated fields: version, since (real), engine, scope, bytes of memory,
	 * runs, processes, events, lost, missed; then for each run that is recorded: id,
	 * user, job, since (real), processes, events per second, lost, granularity. */
	SERVICE_STATUS,
	SERVICE_TRACK,
	/* With a run or "node" as a blob with its NUL, and buf_int() of a granularity; the
	 * answer is a message of the same kind, a sentence. */
	SERVICE_GRANULARITY,
	SERVICE_METRICS,	/* a message of the same kind: text for Prometheus */
	SERVICE_OK,
	SERVICE_REFUSED,
	SERVICE_PROBE,	/* would SERVICE_TRACK be granted? nothing follows the answer */
};

/* Where it listens, by the settings node and provd.socket; NULL: it is not to be asked. */
const char *service_path(void);

/*
 * Connects to the service of this node and says what is wanted.
 * The descriptor once it answered SERVICE_OK; the caller closes it. -ENOENT or
 * -ECONNREFUSED when no service runs here, -EACCES when it refused (fail_text() is its
 * sentence), else another negative errno. A service that does not answer within ten
 * seconds is none.
 */
int service_connect(enum service_kind kind, const void *p, size_t n);
#endif
