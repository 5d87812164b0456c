/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* peer.c - who is at the other end of a connection */
#include "provd/peer.h"

#include <errno.h>
#include <grp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/conf.h"
#include "base/err.h"
#include "base/frame.h"
#include "base/mem.h"
#include "base/service.h"
#include "provd/log.h"

#define GROUPS_MOST 65536	/* the kernel's own limit of groups of a process */

/* false when there is none of that name. */
static bool group_number(const char *name, gid_t *out)
{
	struct group g, *found = NULL;
	size_t size = 1 << 16;
	char *room = mem_alloc(size);

	if (name[0] && getgrnam_r(name, &g, room, size, &found) == 0 && found)
		*out = found->gr_gid;
	free(room);
	return found != NULL;
}

static bool is_member(int fd, gid_t primary)
{
	socklen_t size = 64 * sizeof(gid_t);
	gid_t *groups = mem_alloc(size), wanted = 0;
	bool member = false;
	int r;

	if (!group_number(conf_text("provd.group"), &wanted)) {
		free(groups);
		return false;
	}
	r = getsockopt(fd, SOL_SOCKET, SO_PEERGROUPS, groups, &size);
	if (r < 0 && errno == ERANGE && size <= GROUPS_MOST * sizeof(gid_t)) {
		groups = mem_resize(groups, size);
		r = getsockopt(fd, SOL_SOCKET, SO_PEERGROUPS, groups, &size);
	}
	for (size_t i = 0; r == 0 && i < size / sizeof(gid_t); i++)
		member |= groups[i] == wanted;
	free(groups);
	return member || primary == wanted;
}

int peer_identify(int fd, struct peer *out)
{
	struct ucred who;
	socklen_t size = sizeof(who);

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &size) < 0)
		return fail(errno, "who connects is not known: %s", strerror(errno));
	*out = (struct peer){
		.fd = fd,
		.pid = (uint32_t)who.pid,
		.uid = who.uid,
		.sees_all = who.uid == 0 || is_member(fd, who.gid),
	};
	return 0;
}

int peer_accept(const struct peer *p)
{
	return frame_send(p->fd, SERVICE_OK, NULL, 0);
}

void peer_refuse(const struct peer *p, const char *wanted, const char *fmt, ...)
{
	char why[1024];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(why, sizeof(why), fmt, ap);
	va_end(ap);
	log_line("refused: %s, to user %u (process %u): %s", wanted, p->uid, p->pid, why);
	(void)frame_send(p->fd, SERVICE_REFUSED, why, strlen(why));
}
