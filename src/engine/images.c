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
#include <sys/stat.h>
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

/* /proc/NAME/FILE, cut to what fits; false when it cannot be read. */
static bool proc_text(const char *name, const char *file, char *text, size_t room)
{
	char path[300];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%s/%s", name, file);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	n = read(fd, text, room - 1);
	(void)close(fd);
	text[n > 0 ? n : 0] = 0;
	return n > 0;
}

/* Is the process /proc/NAME a zombie, or one that began after the image did? A
 * number that was given out again still answers to kill(2). */
static bool process_is_another(const char *name, int64_t start)
{
	char text[1024];
	const char *at;
	long long ticks;

	if (!proc_text(name, "stat", text, sizeof(text)))
		return false;
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
	return ticks * (INT64_C(1000000000) / sysconf(_SC_CLK_TCK)) > start + INT64_C(2000000000);
}

static bool image_is_over(const struct live_name *name)
{
	char pid[16];

	if (pid_is_gone(name->pid))
		return true;
	snprintf(pid, sizeof(pid), "%u", name->pid);
	return process_is_another(pid, name->start);
}

/* The innermost of the pids of /proc/NAME if there are several, else 0. */
static uint32_t pid_elsewhere(const char *name)
{
	char text[4096];
	const char *at, *end;

	if (!proc_text(name, "status", text, sizeof(text)))
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

/* Is /proc/NAME, which has the number pid in a namespace of its own, this image?
 * Yes where the namespace cannot be read: it is another user's. */
static bool is_elsewhere(const char *name, uint32_t pid, const struct live_name *image)
{
	char path[300];
	struct stat st;

	if (pid != image->pid || !image->space)
		return false;
	snprintf(path, sizeof(path), "/proc/%s/ns/pid", name);
	if (stat(path, &st) == 0 && (uint32_t)st.st_ino != image->space)
		return false;
	return !process_is_another(name, image->start);
}

/* Images of other pid namespaces cannot be asked for by number. Where the
 * namespace is not known (no /proc), neither is what became of it: such an
 * image is never given up before the session ends. */
static void lives_check_elsewhere(struct lives *l)
{
	bool *alive = mem_alloc((l->n + 1) * sizeof(*alive));
	DIR *proc = opendir("/proc");
	struct dirent *d;

	while (proc && (d = readdir(proc))) {
		bool is_pid = d->d_name[0] >= '0' && d->d_name[0] <= '9';
		uint32_t pid = is_pid ? pid_elsewhere(d->d_name) : 0;

		for (size_t i = 0; pid && i < l->n; i++)
			alive[i] |= is_elsewhere(d->d_name, pid, &l->list[i].name);
	}
	for (size_t i = 0; proc && i < l->n; i++) {
		uint32_t space = l->list[i].name.space;

		if (space && space != PROV_PID_SPACE_UNKNOWN && !alive[i])
			l->list[i].gone = true;
	}
	if (proc)
		(void)closedir(proc);
	free(alive);
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
