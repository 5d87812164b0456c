/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
#ifndef PROV_PROVD_PEER_H
#define PROV_PROVD_PEER_H
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buf.h"
/* Who is at the other end of a connection, as the kernel says. */
struct peer {
	int fd;
	uint32_t pid, uid;
	bool sees_all;		/* root, or a member of provd.group */
};

/* 0, or negative errno with fail_text(). fd stays the caller's. */
int peer_identify(int fd, struct peer *out);

/* SERVICE_OK, after which the connection speaks as the kind says. */
int peer_accept(const struct peer *p);
/* SERVICE_REFUSED with this sentence, and a line in the log that says who wanted what. */
void peer_refuse(const struct peer *p, const char *wanted, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
#endif
