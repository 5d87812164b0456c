/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* t_facts.c - what tests of stores share: random facts, and all a store knows as text */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/err.h"
#include "store/t_facts.h"

#include <cmocka.h>

static uint64_t state;

static uint64_t below(uint64_t limit)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (state >> 11) % limit;
}

static const char *const paths[] = {
	"", "/a", "/b", "/b/c", "/a\nb", "/\xff\xfe", "/usr/lib/x.so"
};
#define N_PATHS (sizeof(paths) / sizeof(paths[0]))
#define N_IDS   6

static struct id some_id(char kind)
{
	char key[2] = { kind, (char)('0' + below(N_IDS)) };

	return id_of(key, sizeof(key));
}

static struct id maybe_id(char kind)
{
	return below(3) ? some_id(kind) : (struct id){ { 0 } };
}

static const char *some_path(void)
{
	return paths[below(N_PATHS)];
}

/* Often unknown, often near each other, sometimes as far off as it goes. */
static int64_t some_time(void)
{
	switch (below(8)) {
	case 0:
	case 1:
	case 2:
		return 0;
	case 3:
		return (int64_t)below(4) + 1;
	case 4:
		return INT64_MAX - (int64_t)below(3);
	default:
		return 1700000000000000000 + (int64_t)below(5000000000);
	}
}

static uint64_t some_count(void)
{
	return below(4) ? below(100) : below(2) ? UINT64_MAX - below(2) : 0;
}

static struct strings some_strings(void)
{
	static const struct strings all[] = {
		{ NULL, 0 }, { "", 1 }, { "cc\0-c", 6 }, { "cc", 3 }, { "A=1\0B=\xff", 8 }
	};

	return all[below(5)];
}

static struct run some_run(void)
{
	return (struct run){
		.id = some_id('r'),
		.name = some_path(),
		.host = some_path(),
		.boot = below(2) ? NULL : "b",
		.user = below(2) ? "ann" : "",
		.uid = (uint32_t)below(3),
		.cwd = some_path(),
		.argv = some_strings(),
		.engine = below(2) ? "preload" : "",
		.start = some_time(),
		.end = some_time(),
		.shift = below(2) ? 0 : (int64_t)below(9) - 4,
		.status = (int)below(4) - 1,
		.signal = (int)below(3),
		.lost = some_count(),
		.root = maybe_id('x'),
		.recovered = below(4) == 0,
	};
}

static struct execution some_execution(void)
{
	return (struct execution){
		.id = some_id('x'),
		.run = maybe_id('r'),
		.parent = maybe_id('x'),
		.how = (enum how)below(HOW_UNKNOWN + 1),
		.pid = (uint32_t)below(3),
		.ppid = (uint32_t)below(3),
		.uid = (uint32_t)below(3),
		.exe = some_path(),
		.cwd = some_path(),
		.argv = some_strings(),
		.env = some_strings(),
		.start = some_time(),
		.end = some_time(),
		.status = (int)below(4) - 1,
		.signal = (int)below(3),
		.replaced = below(4) == 0,
		.blind = below(4) == 0,
	};
}

static struct object some_object(void)
{
	struct object o = {
		.id = some_id('o'),
		.kind = (enum object_kind)below(OBJECT_OTHER + 1),
		.dev = some_count(),
		.ino = some_count(),
		.btime = some_time(),
		.size = (int64_t)below(4) - 1,
		.mtime = some_time(),
		.seen = (int64_t)below(4),
		.hashed = below(3) == 0,
	};

	o.sha256[0] = (uint8_t)below(3);
	return o;
}

static struct access some_access(void)
{
	return (struct access){
		.exec = some_id('x'),
		.object = some_id('o'),
		.path = some_path(),
		.flags = (uint32_t)(below(4) ? 1u << below(10) : below(1024)),
		.reads = some_count(),
		.writes = some_count(),
		.bytes_read = some_count(),
		.bytes_written = some_count(),
		.first_read = some_time(),
		.last_read = some_time(),
		.first_write = some_time(),
		.last_write = some_time(),
		.fuzz = some_time(),
		.opened = some_time(),
		.closed = some_time(),
		.truncated = some_time(),
	};
}

#define FILL(f, member, n, make, a)                                                                \
	do {                                                                                       \
		(f).n_##member = (n);                                                              \
		(f).member = arena_alloc((a), (f).n_##member * sizeof(*(f).member));               \
		for (size_t i_ = 0; i_ < (f).n_##member; i_++)                                     \
			(f).member[i_] = (make);                                                   \
	} while (0)

struct facts facts_random(struct arena *a, uint64_t seed)
{
	struct facts f = { 0 };

	state = seed * 0x9e3779b97f4a7c15ull;
	FILL(f, runs, 1 + below(8), some_run(), a);
	FILL(f, executions, 1 + below(16), some_execution(), a);
	FILL(f, objects, 1 + below(16), some_object(), a);
	FILL(f, accesses, 1 + below(60), some_access(), a);
	FILL(f, names, 1 + below(10),
	     ((struct name_event){ .exec = some_id('x'),
				   .object = some_id('o'),
				   .kind = (enum name_kind)below(5),
				   .from = some_path(),
				   .to = some_path(),
				   .time = some_time() }),
	     a);
	FILL(f, holes, 1 + below(8),
	     ((struct hole){ .run = some_id('r'),
			     .exec = maybe_id('x'),
			     .kind = some_path(),
			     .why = some_path(),
			     .count = below(9) }),
	     a);
	FILL(f, notes, 1 + below(8),
	     ((struct note){ .run = some_id('r'), .key = some_path(), .value = some_path() }), a);
	return f;
}

static void put_one(struct store *s, const struct facts *all, size_t which)
{
	struct facts f = { 0 };

#define PICK(member)                                                                               \
	do {                                                                                       \
		if (which < all->n_##member) {                                                     \
			f.member = &all->member[which];                                            \
			f.n_##member = 1;                                                          \
		}                                                                                  \
		which -= all->n_##member;                                                          \
		if (f.n_##member)                                                                  \
			goto put;                                                                  \
	} while (0)
	PICK(runs);
	PICK(executions);
	PICK(objects);
	PICK(accesses);
	PICK(names);
	PICK(holes);
	PICK(notes);
put:
	if (store_put(s, &f) < 0)
		fail_msg("%s", fail_text());
}

/* A slice of every kind at once, as a real put has. */
static void put_slice(struct store *s, const struct facts *all)
{
	struct facts f = { 0 };

#define SLICE(member)                                                                              \
	do {                                                                                       \
		size_t from_ = below(all->n_##member);                                             \
		f.member = all->member + from_;                                                    \
		f.n_##member = below(all->n_##member - from_ + 1);                                 \
	} while (0)
	SLICE(runs);
	SLICE(executions);
	SLICE(objects);
	SLICE(accesses);
	SLICE(names);
	SLICE(holes);
	SLICE(notes);
	if (store_put(s, &f) < 0)
		fail_msg("%s", fail_text());
}

void facts_put_in_parts(struct store *s, const struct facts *all, uint64_t seed)
{
	size_t n = all->n_runs + all->n_executions + all->n_objects + all->n_accesses +
		   all->n_names + all->n_holes + all->n_notes;
	struct arena a = { 0 };
	size_t *order = arena_alloc(&a, n * sizeof(*order));

	state = seed * 0x9e3779b97f4a7c15ull;
	for (size_t i = 0; i < n; i++) {
		size_t j = below(i + 1);

		order[i] = order[j];
		order[j] = i;
	}
	for (size_t i = 0; i < n; i++) {
		put_one(s, all, order[i]);
		if (below(8) == 0)
			put_one(s, all, below(n));
		if (below(8) == 0)
			put_slice(s, all);
	}
	arena_release(&a);
}

static void dump_id(struct buf *out, const struct id *id)
{
	for (size_t i = 0; i < sizeof(id->b); i++)
		buf_printf(out, "%02x", id->b[i]);
	buf_char(out, ' ');
}

static void dump_strings(struct buf *out, const struct strings *s)
{
	buf_printf(out, "%zu:", s->size);
	for (const char *p = NULL; (p = strings_next(s, p));)
		buf_printf(out, "%s|", p);
	buf_char(out, ' ');
}

static void dump_run(struct buf *out, const struct run *r)
{
	buf_str(out, "run ");
	dump_id(out, &r->id);
	dump_id(out, &r->root);
	dump_strings(out, &r->argv);
	buf_printf(out, "%s %s %s %s %u %s %s %lld %lld %lld %d %d %llu %d\n", r->name, r->host,
		   r->boot, r->user, r->uid, r->cwd, r->engine, (long long)r->start,
		   (long long)r->end, (long long)r->shift, r->status, r->signal,
		   (unsigned long long)r->lost, r->recovered);
}

static void dump_execution(struct buf *out, const struct execution *x)
{
	buf_str(out, "execution ");
	dump_id(out, &x->id);
	dump_id(out, &x->run);
	dump_id(out, &x->parent);
	dump_strings(out, &x->argv);
	dump_strings(out, &x->env);
	buf_printf(out, "%d %u %u %u %s %s %lld %lld %d %d %d %d\n", x->how, x->pid, x->ppid,
		   x->uid, x->exe, x->cwd, (long long)x->start, (long long)x->end, x->status,
		   x->signal, x->replaced, x->blind);
}

static void dump_object(struct buf *out, const struct object *o)
{
	buf_str(out, "object ");
	dump_id(out, &o->id);
	buf_printf(out, "%d %llu %llu %lld %lld %lld %lld %d %d\n", o->kind,
		   (unsigned long long)o->dev, (unsigned long long)o->ino, (long long)o->btime,
		   (long long)o->size, (long long)o->mtime, (long long)o->seen, o->hashed,
		   o->sha256[0]);
}

static void dump_access(struct buf *out, const struct access *a)
{
	buf_str(out, "access ");
	dump_id(out, &a->exec);
	dump_id(out, &a->object);
	buf_printf(out, "%s %x %llu %llu %llu %llu %lld %lld %lld %lld %lld %lld %lld %lld\n",
		   a->path, a->flags, (unsigned long long)a->reads, (unsigned long long)a->writes,
		   (unsigned long long)a->bytes_read, (unsigned long long)a->bytes_written,
		   (long long)a->first_read, (long long)a->last_read, (long long)a->first_write,
		   (long long)a->last_write, (long long)a->fuzz, (long long)a->opened,
		   (long long)a->closed, (long long)a->truncated);
}

static void dump_name(struct buf *out, const struct name_event *e)
{
	buf_str(out, "name ");
	dump_id(out, &e->exec);
	dump_id(out, &e->object);
	buf_printf(out, "%d %s %s %lld\n", e->kind, e->from, e->to, (long long)e->time);
}

static void dump_hole(struct buf *out, const struct hole *h)
{
	buf_str(out, "hole ");
	dump_id(out, &h->run);
	dump_id(out, &h->exec);
	buf_printf(out, "%s %s %llu\n", h->kind, h->why, (unsigned long long)h->count);
}

static void dump_note(struct buf *out, const struct note *n)
{
	buf_str(out, "note ");
	dump_id(out, &n->run);
	buf_printf(out, "%s %s\n", n->key, n->value);
}

static void dump_named(struct buf *out, const struct named *n)
{
	buf_str(out, "named ");
	dump_id(out, &n->object);
	buf_printf(out, "%lld\n", (long long)n->time);
}

/* Asks, and shows what came: v and n are the question's out and n. */
#define ASK(type, show, ...)                                                                       \
	do {                                                                                       \
		struct type *v = NULL;                                                             \
		size_t n = 0;                                                                      \
		if ((__VA_ARGS__) < 0)                                                             \
			fail_msg("%s", fail_text());                                               \
		buf_printf(out, "%zu:\n", n);                                                      \
		for (size_t i_ = 0; i_ < n; i_++)                                                  \
			show(out, &v[i_]);                                                         \
	} while (0)

static void dump_of_run(struct store *s, struct arena *a, const struct id *run, struct buf *out)
{
	ASK(execution, dump_execution, store_run_executions(s, run, a, &v, &n));
	ASK(access, dump_access, store_run_accesses(s, run, a, &v, &n));
	ASK(name_event, dump_name, store_run_names(s, run, a, &v, &n));
	ASK(hole, dump_hole, store_run_holes(s, run, a, &v, &n));
	ASK(note, dump_note, store_run_notes(s, run, a, &v, &n));
}

static void dump_kind(struct store *s, struct arena *a, enum id_kind kind, struct buf *out)
{
	struct id_prefix p = { .kind = kind };

	memset(&p.highest, 0xff, sizeof(p.highest));
	ASK(id, dump_id, store_ids(s, &p, 4, a, &v, &n));
	p.lowest.b[0] = 0x40;
	p.highest.b[0] = 0xbf;
	ASK(id, dump_id, store_ids(s, &p, 100, a, &v, &n));
}

void facts_dump(struct store *s, const struct facts *about, struct buf *out)
{
	struct arena own = { 0 }, *a = &own;
	struct id runs[N_IDS], executions[N_IDS], objects[N_IDS];

	for (size_t i = 0; i < N_IDS; i++) {
		char digit = (char)('0' + i);

		runs[i] = id_of((char[]){ 'r', digit }, 2);
		executions[i] = id_of((char[]){ 'x', digit }, 2);
		objects[i] = id_of((char[]){ 'o', digit }, 2);
		dump_of_run(s, a, &runs[i], out);
	}
	ASK(run, dump_run, store_runs(s, NULL, a, &v, &n));
	ASK(run, dump_run, store_runs(s, &(struct run_filter){ .most = 2 }, a, &v, &n));
	ASK(execution, dump_execution, store_executions(s, executions, N_IDS, a, &v, &n));
	ASK(execution, dump_execution, store_children(s, executions, N_IDS, a, &v, &n));
	ASK(object, dump_object, store_objects(s, objects, N_IDS, a, &v, &n));
	ASK(access, dump_access, store_accesses_by_execution(s, executions, 3, a, &v, &n));
	ASK(access, dump_access, store_accesses_by_object(s, objects, 3, a, &v, &n));
	ASK(access, dump_access, store_changes_by_object(s, objects, N_IDS, a, &v, &n));
	ASK(name_event, dump_name, store_names_by_object(s, objects, N_IDS, a, &v, &n));
	for (size_t i = 0; i < N_PATHS; i++)
		ASK(named, dump_named, store_objects_by_path(s, paths[i], a, &v, &n));
	dump_kind(s, a, ID_RUN, out);
	dump_kind(s, a, ID_EXECUTION, out);
	dump_kind(s, a, ID_OBJECT, out);
	arena_release(a);
}

struct store *opened(const char *where, enum store_mode mode)
{
	struct store *s = NULL;

	if (store_open(where, mode, &s) < 0)
		fail_msg("%s", fail_text());
	return s;
}

int put_accesses(struct store *s, size_t first, size_t n)
{
	struct arena a = { 0 };
	struct access *v = arena_alloc(&a, n * sizeof(*v));
	int r;

	for (size_t i = 0; i < n; i++) {
		size_t number = first + i;

		v[i].exec = id_of("x", 1);
		v[i].object = id_of(&number, sizeof(number));
		v[i].path = arena_printf(&a, "/data/%zu", number);
		v[i].flags = ACCESS_READ;
	}
	r = store_put(s, &(struct facts){ .accesses = v, .n_accesses = n });
	arena_release(&a);
	return r;
}

size_t count_accesses(struct store *s)
{
	struct arena a = { 0 };
	struct store_info info;

	if (store_info(s, &a, &info) < 0)
		fail_msg("%s", fail_text());
	arena_release(&a);
	return info.accesses;
}
