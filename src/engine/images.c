/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* images.c - which program images of a session are alive */
#include "engine/images.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "prov/segment.h"

/* pid and space, which a name begins with */
#define NEWEST_KEY offsetof(struct live_name, start)

void lives_release(struct lives *l)
{
	map_release(&l->by_name);
	map_release(&l->newest);
	free(l->list);
	arena_release(&l->memory);
	*l = (struct lives){ 0 };
}

struct live *lives_find(struct lives *l, const struct live_name *name)
{
	size_t at = (size_t)(uintptr_t)map_get(&l->by_name, name, sizeof(*name));

	return at ? &l->list[at - 1] : NULL;
}

void lives_learn(struct lives *l, const struct live_name *name, uint32_t seq)
{
	struct live *one = lives_find(l, name);
	void **slot;

	if (!one) {
		if (l->n == l->room) {
			l->room = l->room ? 2 * l->room : 64;
			l->list = mem_resize(l->list, l->room * sizeof(*l->list));
		}
		one = &l->list[l->n++];
		*one = (struct live){ .name = *name };
		*map_at(&l->by_name, name, sizeof(*name)) = (void *)(uintptr_t)l->n;
		slot = map_at(&l->newest, name, NEWEST_KEY);
		if (!*slot)
			*slot = arena_alloc(&l->memory, sizeof(*name));
		if (((struct live_name *)*slot)->start < name->start)
			*(struct live_name *)*slot = *name;
	}
	if (seq > one->newest_seq)
		one->newest_seq = seq;
}

bool pid_is_gone(uint32_t pid)
{
	return kill((pid_t)pid, 0) < 0 && errno == ESRCH;
}

/* A zombie, or another process that was given the number later, still answers
 * to kill(2); /proc tells them apart. */
static bool image_is_over(const struct live_name *name)
{
	char path[40], text[1024];
	const char *at;
	long long ticks;
	ssize_t n;
	int fd;

	if (pid_is_gone(name->pid))
		return true;
	snprintf(path, sizeof(path), "/proc/%u/stat", name->pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	n = read(fd, text, sizeof(text) - 1);
	(void)close(fd);
	text[n > 0 ? n : 0] = 0;
	at = strrchr(text, ')');	/* the name before it may hold anything */
	if (!at || at[1] != ' ')
		return false;
	at += 2;
	if (*at == 'Z' || *at == 'X')
		return true;
	for (int field = 3; field < 22 && at; field++) {
		at = strchr(at, ' ');
		at = at ? at + 1 : NULL;
	}
	ticks = at ? strtoll(at, NULL, 10) : 0;
	/* proc(5): start time in clock ticks; two seconds for rounding and suspend */
	return ticks * (INT64_C(1000000000) / sysconf(_SC_CLK_TCK)) >
	       name->start + INT64_C(2000000000);
}

/* The innermost of the pids of /proc/NAME/status if there are several, else 0. */
static uint32_t pid_elsewhere(const char *name)
{
	char path[300], text[4096];
	const char *at, *end;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%s/status", name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	n = read(fd, text, sizeof(text) - 1);
	(void)close(fd);
	text[n > 0 ? n : 0] = 0;
	if (strstr(text, "\nState:\tZ"))
		return 0;
	at = strstr(text, "\nNSpid:\t");
	if (!at)
		return 0;
	at += 8;
	end = strchr(at, '\n');
	if (!end || memchr(at, '\t', (size_t)(end - at)) == NULL)
		return 0;
	while (end[-1] >= '0' && end[-1] <= '9')
		end--;
	return (uint32_t)strtoul(end, NULL, 10);
}

/* Images of other pid namespaces cannot be asked for by number. One is taken
 * to be alive as long as any process has its number in a namespace of its own. */
static void lives_check_elsewhere(struct lives *l)
{
	struct map alive = { 0 };
	struct dirent *d;
	DIR *proc = opendir("/proc");

	if (!proc)
		return;
	while ((d = readdir(proc))) {
		bool is_pid = d->d_name[0] >= '0' && d->d_name[0] <= '9';
		uint32_t pid = is_pid ? pid_elsewhere(d->d_name) : 0;

		if (pid)
			*map_at(&alive, &pid, sizeof(pid)) = l;
	}
	(void)closedir(proc);
	/* where the namespace is not known (no /proc), neither is what became of
	 * it: such an image is never given up before the session ends */
	for (size_t i = 0; i < l->n; i++) {
		const struct live_name *name = &l->list[i].name;

		if (name->space && name->space != PROV_PID_SPACE_UNKNOWN &&
		    !map_get(&alive, &name->pid, sizeof(name->pid)))
			l->list[i].gone = true;
	}
	map_release(&alive);
}

void lives_check(struct lives *l, bool thoroughly)
{
	bool elsewhere = false;

	for (size_t i = 0; i < l->n; i++) {
		struct live *one = &l->list[i];
		const struct live_name *newest = map_get(&l->newest, &one->name, NEWEST_KEY);

		if (one->gone)
			continue;
		one->replaced = newest && newest->start > one->name.start;
		one->gone = one->replaced;
		elsewhere |= !one->gone && one->name.space;
		if (!one->gone && !one->name.space)
			one->gone = thoroughly ? image_is_over(&one->name)
					       : pid_is_gone(one->name.pid);
	}
	/* dear, and not urgent: it only gives memory back */
	if (elsewhere && (thoroughly || clock_mono() - l->looked > INT64_C(1000000000))) {
		lives_check_elsewhere(l);
		l->looked = clock_mono();
	}
}

void lives_forget(struct lives *l)
{
	size_t kept = 0;

	for (size_t i = 0; i < l->n; i++) {
		struct live *one = &l->list[i];

		if (one->gone) {
			*map_at(&l->by_name, &one->name, sizeof(one->name)) = NULL;
			continue;
		}
		l->list[kept] = *one;
		*map_at(&l->by_name, &one->name, sizeof(one->name)) = (void *)(uintptr_t)++kept;
	}
	l->n = kept;
}
