/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* t_told_world.c - records as the kernel would make them */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "base/mem.h"
#include "engine/t_told.h"

#define TMPFS 0x01021994u	/* objects are believed as they are told */

struct kernel_head t_head_in(uint16_t type, uint32_t pid, uint32_t image)
{
	return (struct kernel_head){ .type = type, .pid = pid, .tid = pid, .image = image,
				     .start = 10 * image, .time = 10 * pid + 5 };
}

struct kernel_head t_head(uint16_t type, uint32_t pid)
{
	return t_head_in(type, pid, pid);
}

void t_put(struct world *w, const void *fixed, size_t size, const void *text, size_t n)
{
	size_t at = w->records.size;

	buf_append(&w->records, fixed, size);
	buf_append(&w->records, text, n);
	((struct kernel_head *)(w->records.data + at))->size = (uint32_t)(size + n);
	while (w->records.size % 8)
		buf_char(&w->records, 0);
}

void t_image(struct world *w, uint32_t pid, uint32_t parent, uint32_t how)
{
	static const char program[] = "cat\0bin\0usr";
	struct kernel_image r = { .head = t_head(KERNEL_IMAGE, pid), .parent_pid = parent,
				  .parent_start = 10 * parent, .ppid = parent, .uid = 7,
				  .how = how, .path_size = sizeof(program) };

	t_put(w, &r, sizeof(r), program, sizeof(program));
}

void t_text(struct world *w, uint32_t pid, uint32_t kind, uint32_t offset, uint32_t whole,
	    const char *text, uint32_t n)
{
	struct kernel_piece r = { .head = t_head(KERNEL_TEXT, pid), .kind = kind,
				  .offset = offset, .whole = whole, .n = n };

	t_put(w, &r, sizeof(r), text, n);
}

void t_program(struct world *w, uint32_t pid)
{
	t_image(w, pid, 0, KERNEL_EXECED | KERNEL_ROOT);
	t_text(w, pid, KERNEL_CWD, 0, 6, "w\0tmp", 6);
}

void t_file(struct world *w, uint32_t pid, uint64_t id, uint64_t ino, uint32_t mode,
	    const char *walked, uint32_t n)
{
	struct kernel_file r = { .head = t_head(KERNEL_FILE, pid), .id = id, .path_size = n,
				 .object = { .ino = ino, .magic = TMPFS, .mode = mode,
					     .dev = 3u << 20 | 4, .btime = 99, .nlink = 1 } };

	t_put(w, &r, sizeof(r), walked, n);
}

void t_tally(struct world *w, struct kernel_head head, uint64_t id, struct kernel_counts n)
{
	struct kernel_tally r = { .head = head, .id = id, .n = n };

	t_put(w, &r, sizeof(r), "", 0);
}

void t_name(struct world *w, uint32_t pid, uint32_t kind, const char *from, const char *to,
	    uint64_t touched)
{
	struct kernel_name r = { .head = t_head(KERNEL_NAME, pid), .kind = kind,
				 .from_size = (uint32_t)strlen(from) + 1,
				 .to_size = to ? (uint32_t)strlen(to) + 1 : 0,
				 .n_touched = touched ? 1 : 0 };
	char text[512];
	int n = snprintf(text, sizeof(text), "%s%c%s", from, 0, to ? to : "");

	r.touched[0] = (struct kernel_object){ .ino = touched, .magic = TMPFS,
					       .mode = S_IFREG | 0644, .dev = 3u << 20 | 4,
					       .btime = 99 };
	t_put(w, &r, sizeof(r), text, (size_t)n + (to ? 1 : 0));
}

void t_exit(struct world *w, uint32_t pid, int32_t status, uint32_t lost)
{
	struct kernel_exit r = { .head = t_head(KERNEL_EXIT, pid), .status = status,
				 .lost = lost };

	t_put(w, &r, sizeof(r), "", 0);
}

static struct heard *hear(void *ctx, uint32_t pid, int64_t start)
{
	struct world *w = ctx;
	struct heard *h = &w->heard[w->n++];

	assert_in_range(w->n, 1, HEARD_MOST);
	*h = (struct heard){ .pid = pid, .start = start };
	return h;
}

static void on_event(void *ctx, uint32_t pid, int64_t start, const struct event *e)
{
	hear(ctx, pid, start)->event = *e;
}

static void on_ended(void *ctx, uint32_t pid, int64_t start, int64_t when, bool replaced)
{
	struct heard *h = hear(ctx, pid, start);

	h->what = HEARD_ENDED;
	h->when = when;
	h->replaced = replaced;
}

static void on_running(void *ctx, uint32_t pid, int64_t start)
{
	hear(ctx, pid, start)->what = HEARD_RUNNING;
}

static void on_hole(void *ctx, uint32_t pid, int64_t start, const char *kind, const char *why,
		    uint64_t count)
{
	struct heard *h = hear(ctx, pid, start);

	h->what = HEARD_HOLE;
	h->count = count;
	snprintf(h->kind, sizeof(h->kind), "%s", kind);
}

size_t t_hear(struct world *w)
{
	const struct engine_sink sink = { .ctx = w, .event = on_event, .ended = on_ended,
					  .running = on_running, .hole = on_hole };
	/* no larger than what is in it, so that a step outside is found */
	char *exact = mem_alloc(w->records.size ? w->records.size : 1);
	size_t n;

	memcpy(exact, w->records.data ? w->records.data : "", w->records.size);
	w->n = 0;
	n = told_records(w->told, exact, w->records.size, &sink);
	buf_clear(&w->records);
	free(exact);
	return n;
}

const struct event *t_event(const struct world *w, size_t i, uint32_t pid, uint16_t type)
{
	assert_true(i < w->n);
	assert_int_equal(w->heard[i].what, HEARD_EVENT);
	assert_int_equal(w->heard[i].pid, pid);
	assert_int_equal(event_head(&w->heard[i].event)->type, type);
	return &w->heard[i].event;
}

int t_world_begin(void **state)
{
	static const char allowed[] = "HOME\0LC_*";
	const struct strings env = { allowed, sizeof(allowed) };
	struct world *w = mem_alloc(sizeof(*w));

	w->told = told_create(&env);
	*state = w;
	return 0;
}

int t_world_end(void **state)
{
	struct world *w = *state;

	told_destroy(w->told);
	buf_release(&w->records);
	free(w);
	return 0;
}
