/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
#ifndef PROV_PROVD_HTTP_H
#define PROV_PROVD_HTTP_H
#include "provd/service.h"
/* The figures of the service over HTTP, for a Prometheus on this node. */
struct http;

/* where: loopback ADDRESS:PORT, "[::1]:PORT" for IPv6. 0, or negative errno with
 * fail_text(). */
int http_open(const char *where, struct service *s, struct http **out);
void http_close(struct http *h);	/* NULL is fine */
#endif
