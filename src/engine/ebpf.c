/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* ebpf.c - the engine that asks the kernel */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/mem.h"
#include "engine/engine.h"
#include "engine/granularity.h"
#include "engine/guard.h"
#include "engine/kernel.h"
#include "engine/told.h"

struct ebpf {
	struct engine base;
	char *folder;		/* nothing is kept in it */
	int session;
	int32_t granularity, wanted;
	bool level_told;
	struct told *told;
	struct buf records;
	struct guard guard;
	uint64_t calls;		/* reads and writes so far */
	int64_t begun;
	struct buf found;	/* struct told_found, to be told with the next poll */
};


#define PROV_NO_LEVEL INT32_MAX

static struct ebpf *ebpf_of(struct engine *e)
{
	return (struct ebpf *)e;
}

static void ebpf_close(struct engine *e, bool remove)
{
	struct ebpf *b = ebpf_of(e);

	if (!b)
		return;
	if (b->session > 0)
		kernel_end(b->session);
	if (remove)
		(void)rmdir(b->folder);
	told_destroy(b->told);
	buf_release(&b->records);
	for (size_t at = 0; at < b->found.size; at += sizeof(struct told_found))
		told_found_release((struct told_found *)(b->found.data + at));
	buf_release(&b->found);
	free(b->folder);
	free(b);
}

static int ebpf_open(const char *folder, const struct engine_setup *setup, struct engine **out)
{
	struct ebpf *b = mem_alloc(sizeof(*b));
	int r;

	b->base.ops = &engine_ebpf;
	b->folder = mem_str(folder);
	b->granularity = setup->granularity;
	b->wanted = PROV_NO_LEVEL;
	b->begun = clock_mono();
	guard_begin(&b->guard, setup->budget, setup->granularity, b->begun);
	b->told = told_create(&setup->env_allow);
	r = b->session = kernel_begin(setup->granularity);
	if (r >= 0 && setup->launcher)
		r = kernel_launch(b->session, setup->launcher);
	if (r < 0) {
		ebpf_close(&b->base, true);
		return r;
	}
	*out = &b->base;
	return 0;
}

/* What the kernel side knew went with the collector. */
static int ebpf_reopen(const char *folder, struct engine **out)
{
	return fail(ESTALE, "the kernel no longer knows that session");
}

static int take(struct ebpf *b, uint32_t pid, const struct told_found *parent)
{
	struct told_found x = { .start = clock_mono(), .pid = pid };

	if (parent) {
		x.parent = parent->pid;
		x.parent_start = parent->start;
	}
	switch (kernel_take(b->session, pid, (uint64_t)x.start)) {
	case 0:
		return -EEXIST;
	case 2:
		return 0;
	default:
		break;
	}
	told_look(&x);
	buf_append(&b->found, &x, sizeof(x));
	return 0;
}

/* Of one that has been taken: those that it makes later are ours anyway. */
static void take_children(struct ebpf *b, const struct told_found *x)
{
	char path[64], list[512];
	struct dirent *d;
	unsigned child;
	DIR *tasks;

	snprintf(path, sizeof(path), "/proc/%u/task", x->pid);
	tasks = opendir(path);
	while (tasks && (d = readdir(tasks))) {
		FILE *f;

		snprintf(list, sizeof(list), "%s/%s/children", path, d->d_name);
		f = d->d_name[0] != '.' ? fopen(list, "re") : NULL;
		while (f && fscanf(f, "%u", &child) == 1)
			(void)take(b, child, x);
		if (f)
			(void)fclose(f);
	}
	if (tasks)
		(void)closedir(tasks);
}

static int ebpf_adopt(struct engine *e, uint32_t pid)
{
	struct ebpf *b = ebpf_of(e);
	size_t at = b->found.size;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%u/task", pid);
	if (access(path, F_OK) < 0 && !kernel_waits(pid))
		return fail(ESRCH, "process %u has ended", pid);
	if (take(b, pid, /* parent= */ NULL) < 0)
		return fail(EEXIST, "process %u is recorded already", pid);
	for (; at < b->found.size; at += sizeof(struct told_found)) {
		const struct told_found x = *(const struct told_found *)(b->found.data + at);

		take_children(b, &x);
	}
	return 0;
}

static void ebpf_handed(struct engine *e, uint32_t pid, int64_t start, uint32_t seq)
{
}

static int ebpf_environment(struct engine *e, const char *ld_preload, struct buf *out)
{
	return 0;
}

/* Switched before it is told when it grows coarser, after when finer. */
static void switch_to(struct ebpf *b, int32_t wanted, const struct engine_sink *sink)
{
	int64_t before = clock_mono();

	kernel_level(b->session, wanted);
	sink->switched(sink->ctx, wanted < b->granularity ? clock_mono() : before, wanted);
	b->granularity = wanted;
}

static void switch_level(struct ebpf *b, const struct engine_sink *sink)
{
	int32_t wanted = __atomic_exchange_n(&b->wanted, PROV_NO_LEVEL, __ATOMIC_ACQ_REL);

	if (!b->level_told && b->granularity != PROV_FIRST_LAST)
		sink->switched(sink->ctx, 1, b->granularity);
	b->level_told = true;
	if (wanted == PROV_NO_LEVEL || !granularity_ok(wanted))
		return;
	guard_ask(&b->guard, wanted, clock_mono());
	if (wanted != b->granularity)
		switch_to(b, wanted, sink);
}

/* Who is at work just now, and who most. */
struct busy {
	int64_t since;
	uint32_t threads;
	struct kernel_thread most;
};

static void look_busy(void *ctx, const struct kernel_thread *t)
{
	struct busy *b = ctx;

	if ((int64_t)t->now < b->since)
		return;
	b->threads++;
	if (t->calls > b->most.calls)
		b->most = *t;
}

static void tell_switch(struct ebpf *b, const struct busy *busy, double share,
			const struct engine_sink *sink)
{
	struct buf why = { 0 };

	if (b->granularity > b->guard.finest && share > 0) {
		buf_printf(&why, "reads and writes came so often that counting them cost about "
				 "%.1f %%: accesses were noted %s for a while", 100 * share,
			   granularity_name(b->granularity));
		told_busiest(b->told, &busy->most, &why);
		sink->hole(sink->ctx, 0, 0, "overhead", why.data, 1);
	}
	buf_release(&why);
}

static void keep_budget(struct ebpf *b, const struct engine_sink *sink)
{
	struct guard_sample s = { .now = clock_mono() };
	struct busy busy = { .since = s.now - 2 * GUARD_MOMENT };
	uint64_t calls;
	int32_t level;

	if (s.now - b->guard.sampled < GUARD_MOMENT)
		return;
	kernel_threads(b->session, look_busy, &busy);
	calls = kernel_calls(b->session);
	s.calls = calls > b->calls ? calls - b->calls : 0;
	s.threads = busy.threads;
	b->calls = calls;
	level = guard_step(&b->guard, &s);
	if (level == b->granularity)
		return;
	switch_to(b, level, sink);
	tell_switch(b, &busy, b->guard.share, sink);
}

static void ebpf_cost(const struct engine *e, struct buf *out)
{
	const struct ebpf *b = (const struct ebpf *)e;
	double passed = (double)(clock_mono() - b->begun);

	buf_printf(out, "about %.2f %% of the time: %llu reads and writes counted, %.1f ms",
		   100 * b->guard.spent / passed, (unsigned long long)b->calls,
		   b->guard.spent / 1e6);
}

struct finish {
	struct ebpf *b;
	const struct engine_sink *sink;
};

static void finish_thread(void *ctx, const struct kernel_thread *t)
{
	struct finish *f = ctx;

	told_thread(f->b->told, t, f->sink);
}

static size_t ebpf_poll(struct engine *e, const struct engine_sink *sink, bool final)
{
	struct ebpf *b = ebpf_of(e);
	struct finish f = { b, sink };
	size_t n;

	switch_level(b, sink);
	for (size_t at = 0; at < b->found.size; at += sizeof(struct told_found))
		told_found(b->told, (struct told_found *)(b->found.data + at), sink);
	buf_clear(&b->found);
	buf_clear(&b->records);
	kernel_collect(b->session, &b->records);
	n = told_records(b->told, b->records.data, b->records.size, sink);
	if (final) {
		kernel_threads(b->session, finish_thread, &f);
		told_running(b->told, sink);
		told_losses(b->told, kernel_lost(b->session), sink);
	}
	if (n)
		sink->commit(sink->ctx);
	keep_budget(b, sink);
	return n;
}

static void ebpf_ask(struct engine *e, int32_t granularity)
{
	__atomic_store_n(&ebpf_of(e)->wanted, granularity, __ATOMIC_RELEASE);
}

static int32_t ebpf_granularity(const struct engine *e)
{
	return ((const struct ebpf *)e)->granularity;
}

static uint64_t ebpf_lost(const struct engine *e)
{
	return told_lost(((const struct ebpf *)e)->told);
}

static bool ebpf_alive(struct engine *e)
{
	return told_alive(ebpf_of(e)->told);
}

const struct engine_ops engine_ebpf = {
	.name = "ebpf",
	.probe = kernel_probe,
	.open = ebpf_open,
	.reopen = ebpf_reopen,
	.handed = ebpf_handed,
	.environment = ebpf_environment,
	.adopt = ebpf_adopt,
	.poll = ebpf_poll,
	.ask = ebpf_ask,
	.granularity = ebpf_granularity,
	.cost = ebpf_cost,
	.lost = ebpf_lost,
	.alive = ebpf_alive,
	.close = ebpf_close,
};
