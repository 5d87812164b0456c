/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
#ifndef PROV_ENGINE_IMAGES_H
#define PROV_ENGINE_IMAGES_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/map.h"
/* Which program images of a session are alive. A zeroed table is empty. */
struct live_name {
	uint32_t pid;
	uint32_t space;		/* pid namespace, 0 = ours; names are compared as bytes */
	int64_t start;
};

struct live {
	struct live_name name;
	uint32_t newest_seq;	/* of its chunks */
	bool gone;		/* ended, or replaced by another image of its process */
	bool replaced;
	bool reported;		/* as still running */
	bool settling;		/* some of its chunks are about to be given up to it */
	int64_t settled;	/* when that was last */
};

struct lives {
	struct arena memory;
	struct live *list;
	size_t n, room;
	struct map by_name;	/* live_name -> index of list + 1 */
	struct map newest;	/* pid and space -> live_name of its newest image */
	int64_t looked;		/* for those elsewhere, into /proc */
};

void lives_release(struct lives *l);
/* Valid until the next lives_learn() or lives_forget(). */
struct live *lives_find(struct lives *l, const struct live_name *name);
void lives_learn(struct lives *l, const struct live_name *name, uint32_t seq);
/* Finds out who is gone. thoroughly: also tells zombies and reused numbers
 * from living processes, at the cost of a look into /proc each. */
void lives_check(struct lives *l, bool thoroughly);
/* Drops those that are gone. */
void lives_forget(struct lives *l);
bool pid_is_gone(uint32_t pid);
#endif
