/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* union_clock.c - times of one store on the scale of another
 *
 * Each store keeps for a boot the first offset of the wall clock that it ever saw. If
 * somebody set the clock between the first runs of two stores, they differ, and what
 * one has as later may have been earlier. All times of a boot are moved by the
 * difference then; the boot of an access is that of the run of its execution.
 */
#include <errno.h>
#include <string.h>

#include "base/buf.h"
#include "store/union_parts.h"

/* Offsets that are sampled at two times differ by less; nobody sets a clock by so
 * little. */
#define SAME_CLOCK_NS 10000

struct drift {
	int64_t by;
};

static struct drift none;

static void key_of(const char *host, const char *boot, struct buf *key)
{
	buf_clear(key);
	buf_append(key, host, strlen(host) + 1);
	buf_str(key, boot);
}

/* Wraps instead of overflowing: both come from files. */
static int64_t difference(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a - (uint64_t)b);
}

int clock_compare(struct clock_offsets *c, struct store *s, struct arena *a, struct map *scales)
{
	struct boot_offset *v = NULL;
	struct buf key = { 0 };
	size_t n = 0;
	int r = s->ops->boot_offsets(s, a, &v, &n);

	for (size_t i = 0; i < n && r == 0; i++) {
		struct boot_offset **scale;
		struct drift d;

		key_of(v[i].host, v[i].boot, &key);
		scale = (struct boot_offset **)map_at(scales, key.data, key.size);
		if (!*scale)
			*scale = &v[i];
		d.by = difference((*scale)->offset, v[i].offset);
		if (d.by > -SAME_CLOCK_NS && d.by < SAME_CLOCK_NS)
			continue;
		c->differs = true;
		*map_at(&c->boots, key.data, key.size) = arena_copy(&c->arena, &d, sizeof(d));
	}
	buf_release(&key);
	return r;
}

void clock_release(struct clock_offsets *c)
{
	map_release(&c->boots);
	map_release(&c->runs);
	map_release(&c->executions);
	arena_release(&c->arena);
}

static struct drift *drift_of_boot(struct clock_offsets *c, const struct run *run)
{
	struct buf key = { 0 };
	struct drift *d;

	key_of(run->host, run->boot, &key);
	d = map_get(&c->boots, key.data, key.size);
	buf_release(&key);
	return d ? d : &none;
}

static int drift_of_run(struct clock_offsets *c, struct store *s, const struct id *id,
			struct drift **out)
{
	struct arena a = { 0 };
	struct run run;
	void **slot = map_at(&c->runs, id, sizeof(*id));
	int r = 0;

	if (!*slot) {
		r = s->ops->run(s, id, &a, &run);
		*slot = r == 0 ? drift_of_boot(c, &run) : &none;
		arena_release(&a);
	}
	*out = *slot;
	return r == -ENOENT ? 0 : r;
}

/* The drifts of executions that were not asked about yet. */
static int learn(struct clock_offsets *c, struct store *s, const struct id *ids, size_t n_ids)
{
	struct arena a = { 0 };
	struct execution *v = NULL;
	size_t n = 0;
	int r = s->ops->executions(s, BY_ID, ids, n_ids, &a, &v, &n);

	for (size_t i = 0; i < n_ids; i++)
		*map_at(&c->executions, &ids[i], sizeof(ids[i])) = &none;
	for (size_t i = 0; i < n && r == 0; i++) {
		struct drift *d;

		r = drift_of_run(c, s, &v[i].run, &d);
		*map_at(&c->executions, &v[i].id, sizeof(v[i].id)) = d;
	}
	arena_release(&a);
	return r;
}

int clock_runs(struct clock_offsets *c, struct run *v, size_t n)
{
	for (size_t i = 0; i < n && c->differs; i++)
		facts_shift(&(struct facts){ .runs = &v[i], .n_runs = 1 },
			    drift_of_boot(c, &v[i])->by);
	return 1;
}

int clock_executions(struct clock_offsets *c, struct store *s, struct execution *v, size_t n)
{
	for (size_t i = 0; i < n && c->differs; i++) {
		struct drift *d;
		int r = drift_of_run(c, s, &v[i].run, &d);

		if (r < 0)
			return r;
		facts_shift(&(struct facts){ .executions = &v[i], .n_executions = 1 }, d->by);
	}
	return 1;
}

/* exec is in the first of n things of some size. */
static int learn_all(struct clock_offsets *c, struct store *s, const struct id *exec, size_t n,
		     size_t size)
{
	struct arena a = { 0 };
	struct id *ids = arena_alloc(&a, (n + 1) * sizeof(*ids));
	size_t n_ids = 0;
	int r = 0;

	for (size_t i = 0; i < n; i++, exec = (const struct id *)((const char *)exec + size))
		if (!map_get(&c->executions, exec, sizeof(*exec)))
			ids[n_ids++] = *exec;
	if (n_ids)
		r = learn(c, s, ids, n_ids);
	arena_release(&a);
	return r;
}

static int64_t drift_of(const struct clock_offsets *c, const struct id *exec)
{
	return ((struct drift *)map_get(&c->executions, exec, sizeof(*exec)))->by;
}

int clock_accesses(struct clock_offsets *c, struct store *s, struct access *v, size_t n)
{
	int r = c->differs ? learn_all(c, s, &v->exec, n, sizeof(*v)) : 0;

	for (size_t i = 0; i < n && c->differs && r == 0; i++)
		facts_shift(&(struct facts){ .accesses = &v[i], .n_accesses = 1 },
			    drift_of(c, &v[i].exec));
	return r < 0 ? r : 1;
}

int clock_names(struct clock_offsets *c, struct store *s, struct name_event *v, size_t n)
{
	int r = c->differs ? learn_all(c, s, &v->exec, n, sizeof(*v)) : 0;

	for (size_t i = 0; i < n && c->differs && r == 0; i++)
		facts_shift(&(struct facts){ .names = &v[i], .n_names = 1 },
			    drift_of(c, &v[i].exec));
	return r < 0 ? r : 1;
}
