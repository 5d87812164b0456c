/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* http.c - the figures of the service over HTTP */
#include "provd/http.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "config.h"

#ifdef PROV_HTTP
#include <arpa/inet.h>
#include <microhttpd.h>
#include <netinet/in.h>

#include "base/mem.h"

#define CLIENTS_MOST 16
#define SILENCE	     10	/* seconds */

struct http {
	struct MHD_Daemon *daemon;
	struct service *service;
};

union address {
	struct sockaddr any;
	struct sockaddr_in four;
	struct sockaddr_in6 six;
};

static bool read_port(const char *text, in_port_t *out)
{
	char *end;
	unsigned long n = strtoul(text, &end, 10);

	*out = htons((in_port_t)n);
	return text[0] >= '0' && text[0] <= '9' && !*end && n > 0 && n < 65536;
}

static bool is_loopback(const union address *a)
{
	return a->any.sa_family == AF_INET ? ntohl(a->four.sin_addr.s_addr) >> 24 == 127
					   : IN6_IS_ADDR_LOOPBACK(&a->six.sin6_addr);
}

static int read_address(const char *where, union address *out)
{
	const char *colon = strrchr(where, ':');
	size_t n = colon ? (size_t)(colon - where) : 0;
	char host[64] = "";
	bool six = n > 2 && where[0] == '[' && where[n - 1] == ']', good;

	*out = (union address){ 0 };
	if (n && n < sizeof(host))
		memcpy(host, where + six, n - 2 * six);
	out->any.sa_family = six ? AF_INET6 : AF_INET;
	good = inet_pton(out->any.sa_family, host,
			 six ? (void *)&out->six.sin6_addr : (void *)&out->four.sin_addr) == 1 &&
	       read_port(colon + 1, six ? &out->six.sin6_port : &out->four.sin_port);
	return good && is_loopback(out)
		       ? 0
		       : fail(EINVAL, "provd.metrics: '%s' is no loopback address and port; write "
				      "127.0.0.1:9110", where);
}

static enum MHD_Result answer(void *ctx, struct MHD_Connection *c, const char *url,
			      const char *method, const char *version, const char *data,
			      size_t *size, void **state)
{
	struct http *h = ctx;
	struct MHD_Response *r;
	struct buf b = { 0 };
	bool known = !strcmp(url, "/metrics") && !strcmp(method, "GET");
	enum MHD_Result done;

	(void)version;
	(void)data;
	(void)state;
	*size = 0;
	if (known)
		metrics_text(h->service, &b);
	else
		buf_str(&b, "there is /metrics here, and nothing else\n");
	r = MHD_create_response_from_buffer(b.size, b.data, MHD_RESPMEM_MUST_COPY);
	buf_release(&b);
	if (!r)
		return MHD_NO;
	(void)MHD_add_response_header(r, "Content-Type", "text/plain; version=0.0.4");
	done = MHD_queue_response(c, known ? MHD_HTTP_OK : MHD_HTTP_NOT_FOUND, r);
	MHD_destroy_response(r);
	return done;
}

int http_open(const char *where, struct service *s, struct http **out)
{
	union address a;
	struct http *h;
	int r = read_address(where, &a);

	if (r < 0)
		return r;
	h = mem_alloc(sizeof(*h));
	h->service = s;
	h->daemon = MHD_start_daemon(
		MHD_USE_INTERNAL_POLLING_THREAD | (a.any.sa_family == AF_INET6 ? MHD_USE_IPv6 : 0),
		0, NULL, NULL, answer, h, MHD_OPTION_SOCK_ADDR, &a.any,
		MHD_OPTION_CONNECTION_LIMIT, CLIENTS_MOST, MHD_OPTION_CONNECTION_TIMEOUT, SILENCE,
		MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)16384, MHD_OPTION_END);
	if (h->daemon) {
		*out = h;
		return 0;
	}
	free(h);
	return fail(EADDRINUSE, "provd.metrics: cannot listen at %s", where);
}

void http_close(struct http *h)
{
	if (!h)
		return;
	MHD_stop_daemon(h->daemon);
	free(h);
}
#else
int http_open(const char *where, struct service *s, struct http **out)
{
	(void)s;
	(void)out;
	return fail(ENOSYS, "provd.metrics: %s: this provd was built without libmicrohttpd; "
			    "\"prov status --metrics\" tells the figures", where);
}

void http_close(struct http *h)
{
	(void)h;
}
#endif
