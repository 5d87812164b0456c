/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* node_wire.c - questions to a store, and their answers, as bytes */
#include "store/node_wire.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"

/* Rows encoded at once: their argv and environment may be 2 MB each, which
 * FRAME_MOST has room for. */
#define PART_ROWS 8

enum { ONE_ID = 1, SOME_IDS = 2, PATH = 4 };

/* What a question of each kind must have. */
static const struct {
	unsigned has, by; /* bits 1 << enum store_by */
} forms[] = {
	[NODE_RUNS] = { 0 },
	[NODE_RUN] = { ONE_ID },
	[NODE_EXECUTIONS] = { SOME_IDS, 1 << BY_ID | 1 << BY_RUN | 1 << BY_PARENT },
	[NODE_ACCESSES] = { SOME_IDS, 1 << BY_RUN | 1 << BY_EXECUTION | 1 << BY_OBJECT |
					      1 << BY_OBJECT_CHANGES },
	[NODE_NAMES] = { SOME_IDS, 1 << BY_RUN | 1 << BY_EXECUTION | 1 << BY_OBJECT },
	[NODE_OBJECTS] = { SOME_IDS },
	[NODE_HOLES] = { ONE_ID },
	[NODE_NOTES] = { ONE_ID },
	[NODE_BY_PATH] = { PATH },
	[NODE_IDS] = { 0 },
	[NODE_INFO] = { 0 },
	[NODE_OFFSETS] = { 0 },
};

#define N_FORMS (sizeof(forms) / sizeof(forms[0]))

static void put_text(struct buf *b, const char *s)
{
	buf_uint(b, s != NULL);
	if (s)
		buf_blob(b, s, strlen(s));
}

static void put_id(struct buf *b, const struct id *id)
{
	buf_append(b, id->b, sizeof(id->b));
}

static struct id get_id(struct span *s)
{
	struct id id = { { 0 } };

	if (s->end - s->at < (ptrdiff_t)sizeof(id.b)) {
		s->bad = 1;
		return id;
	}
	memcpy(id.b, s->at, sizeof(id.b));
	s->at += sizeof(id.b);
	return id;
}

static char *get_text(struct span *s, struct arena *a)
{
	size_t n;
	const char *p = span_blob(s, &n);

	/* what stands behind a NUL would be lost unseen */
	if (n > NODE_TEXT_MOST || (n && memchr(p, 0, n))) {
		s->bad = 1;
		n = 0;
	}
	return arena_strn(a, p, n);
}

static char *get_text_or_null(struct span *s, struct arena *a)
{
	uint64_t there = span_uint(s);

	if (there > 1)
		s->bad = 1;
	return there ? get_text(s, a) : NULL;
}

void question_encode(const struct question *q, struct buf *out)
{
	buf_uint(out, (uint64_t)q->by);
	buf_uint(out, q->n_ids);
	if (q->n_ids)
		buf_append(out, q->ids, q->n_ids * sizeof(*q->ids));
	buf_int(out, q->filter.since);
	buf_int(out, q->filter.until);
	put_text(out, q->filter.user);
	put_text(out, q->filter.grep);
	buf_uint(out, q->filter.most);
	put_text(out, q->path);
	buf_uint(out, (uint64_t)q->prefix.kind);
	put_id(out, &q->prefix.lowest);
	put_id(out, &q->prefix.highest);
	buf_uint(out, q->most);
}

static const struct id *get_ids(struct span *s, struct arena *a, size_t *n)
{
	uint64_t count = span_uint(s);
	const struct id *ids;

	*n = 0;
	if (count > NODE_ASK_MOST || count * sizeof(*ids) > (size_t)(s->end - s->at)) {
		s->bad = 1;
		return NULL;
	}
	*n = (size_t)count;
	ids = arena_copy(a, s->at, *n * sizeof(*ids));
	s->at += *n * sizeof(*ids);
	return ids;
}

/* Has it what questions of its kind have? */
static bool question_sound(const struct question *q)
{
	unsigned has = forms[q->kind].has, by = forms[q->kind].by;

	if (by ? !(by & 1u << q->by) : q->by != 0)
		return false;
	if (has & SOME_IDS ? 0 : has & ONE_ID ? q->n_ids != 1 : q->n_ids != 0)
		return false;
	return !(has & PATH) == !q->path;
}

int question_decode(uint32_t kind, const char *p, size_t n, struct arena *a, struct question *out)
{
	struct span s = { .at = p, .end = n ? p + n : p };
	struct question q = { .kind = kind };
	uint64_t by, prefix;

	if (kind < NODE_RUNS || kind >= N_FORMS)
		return fail(EBADMSG, "there is no question of kind %u; is one prov newer?", kind);
	by = span_uint(&s);
	q.ids = get_ids(&s, a, &q.n_ids);
	q.filter.since = span_int(&s);
	q.filter.until = span_int(&s);
	q.filter.user = get_text_or_null(&s, a);
	q.filter.grep = get_text_or_null(&s, a);
	q.filter.most = span_uint(&s);
	q.path = get_text_or_null(&s, a);
	prefix = span_uint(&s);
	q.prefix.lowest = get_id(&s);
	q.prefix.highest = get_id(&s);
	q.most = span_uint(&s);
	if (s.bad || s.at != s.end || by > BY_OBJECT_CHANGES || prefix > CHAR_MAX)
		return fail(EBADMSG, "a question of kind %u is garbled", kind);
	q.by = (int)by;
	q.prefix.kind = (enum id_kind)prefix;
	if (!question_sound(&q))
		return fail(EBADMSG, "a question of kind %u asks for what there is not", kind);
	*out = q;
	return 0;
}

static int ask_run(const struct question *q, struct store *s, struct arena *a, struct answer *out)
{
	struct run *run = arena_alloc(a, sizeof(*run));
	int r = s->ops->run(s, q->ids, a, run);

	if (r < 0)
		return r;
	out->facts.runs = run;
	out->facts.n_runs = 1;
	return 0;
}

int question_ask(const struct question *q, struct store *s, struct arena *a, struct answer *out)
{
	const struct store_ops *ops = s->ops;
	struct facts *f = &out->facts;

	*out = (struct answer){ 0 };
	switch ((enum node_question)q->kind) {
	case NODE_RUNS:
		return ops->runs(s, &q->filter, a, &f->runs, &f->n_runs);
	case NODE_RUN:
		return ask_run(q, s, a, out);
	case NODE_EXECUTIONS:
		return ops->executions(s, q->by, q->ids, q->n_ids, a, &f->executions,
				       &f->n_executions);
	case NODE_ACCESSES:
		return ops->accesses(s, q->by, q->ids, q->n_ids, /* but= */ NULL, a, &f->accesses,
				     &f->n_accesses);
	case NODE_NAMES:
		return ops->names(s, q->by, q->ids, q->n_ids, a, &f->names, &f->n_names);
	case NODE_OBJECTS:
		return ops->objects(s, q->ids, q->n_ids, a, &f->objects, &f->n_objects);
	case NODE_HOLES:
		return ops->holes(s, q->ids, a, &f->holes, &f->n_holes);
	case NODE_NOTES:
		return ops->notes(s, q->ids, a, &f->notes, &f->n_notes);
	case NODE_BY_PATH:
		return ops->by_path(s, q->path, a, &out->named, &out->n_named);
	case NODE_IDS:
		return ops->ids(s, &q->prefix, q->most, a, &out->ids, &out->n_ids);
	case NODE_INFO:
		return ops->info(s, a, &out->info);
	case NODE_OFFSETS:
		return ops->boot_offsets(s, a, &out->offsets, &out->n_offsets);
	}
	return fail(EBADMSG, "there is no question of kind %u", q->kind);
}

/* Rows [from, from + PART_ROWS) of whichever facts there are. */
static size_t encode_facts(const struct facts *f, size_t from, struct buf *out)
{
	struct facts part = { 0 };
	size_t n = 0;

#define SLICE(list)                                                                                \
	do {                                                                                       \
		if (from < f->n_##list) {                                                          \
			size_t left = f->n_##list - from;                                          \
			part.list = f->list + from;                                                \
			part.n_##list = left < PART_ROWS ? left : PART_ROWS;                       \
			n = part.n_##list;                                                         \
		}                                                                                  \
	} while (0)
	SLICE(runs);
	SLICE(executions);
	SLICE(objects);
	SLICE(accesses);
	SLICE(names);
	SLICE(holes);
	SLICE(notes);
#undef SLICE
	if (n)
		journal_encode(&part, out);
	return from + n;
}

static size_t encode_row(const struct question *q, const struct answer *w, size_t at,
			 struct buf *out)
{
	switch (q->kind) {
	case NODE_BY_PATH:
		if (at >= w->n_named)
			return at;
		put_id(out, &w->named[at].object);
		buf_int(out, w->named[at].time);
		return at + 1;
	case NODE_IDS:
		if (at >= w->n_ids)
			return at;
		put_id(out, &w->ids[at]);
		return at + 1;
	case NODE_OFFSETS:
		if (at >= w->n_offsets)
			return at;
		buf_blob(out, w->offsets[at].host, strlen(w->offsets[at].host));
		buf_blob(out, w->offsets[at].boot, strlen(w->offsets[at].boot));
		buf_int(out, w->offsets[at].offset);
		return at + 1;
	case NODE_INFO:
		if (at)
			return at;
		buf_uint(out, w->info.runs);
		buf_uint(out, w->info.executions);
		buf_uint(out, w->info.objects);
		buf_uint(out, w->info.accesses);
		buf_int(out, w->info.bytes);
		return 1;
	default:
		return encode_facts(&w->facts, at, out);
	}
}

size_t answer_encode(const struct question *q, const struct answer *w, size_t from, struct buf *out)
{
	while (out->size < NODE_PART_BYTES) {
		size_t next = encode_row(q, w, from, out);

		if (next == from)
			break;
		from = next;
	}
	return from;
}

/* Are there facts of no other kind than was asked for? */
static bool facts_only_of(const struct question *q, const struct facts *f)
{
	return (q->kind == NODE_RUNS || q->kind == NODE_RUN || !f->n_runs) &&
	       (q->kind == NODE_EXECUTIONS || !f->n_executions) &&
	       (q->kind == NODE_OBJECTS || !f->n_objects) &&
	       (q->kind == NODE_ACCESSES || !f->n_accesses) &&
	       (q->kind == NODE_NAMES || !f->n_names) && (q->kind == NODE_HOLES || !f->n_holes) &&
	       (q->kind == NODE_NOTES || !f->n_notes) && !f->n_transfers;
}

static int decode_facts(const struct question *q, const char *p, size_t n, struct arena *a,
			struct answer *out)
{
	const char *folder = NULL;
	int r = journal_decode_more(p, n, a, &out->facts, &out->rooms, &folder);

	return r < 0 || folder || !facts_only_of(q, &out->facts) ? -EBADMSG : 0;
}

static void decode_row(const struct question *q, struct span *s, struct arena *a,
		       struct answer *out)
{
#define ADD(list)                                                                                  \
	out->list = arena_grow(a, out->list, out->n_##list, &out->list##_room, sizeof(*out->list))
	switch (q->kind) {
	case NODE_BY_PATH:
		ADD(named);
		out->named[out->n_named].object = get_id(s);
		out->named[out->n_named].time = span_int(s);
		out->n_named += !s->bad;
		break;
	case NODE_IDS:
		ADD(ids);
		out->ids[out->n_ids] = get_id(s);
		out->n_ids += !s->bad;
		break;
	case NODE_OFFSETS:
		ADD(offsets);
		out->offsets[out->n_offsets].host = get_text(s, a);
		out->offsets[out->n_offsets].boot = get_text(s, a);
		out->offsets[out->n_offsets].offset = span_int(s);
		out->n_offsets += !s->bad;
		break;
	default:
		out->info.runs = span_uint(s);
		out->info.executions = span_uint(s);
		out->info.objects = span_uint(s);
		out->info.accesses = span_uint(s);
		out->info.bytes = span_int(s);
	}
#undef ADD
}

int answer_decode(const struct question *q, const char *p, size_t n, struct arena *a,
		  struct answer *out)
{
	struct span s = { .at = p, .end = n ? p + n : p };

	if (q->kind < NODE_BY_PATH) {
		if (decode_facts(q, p, n, a, out) < 0)
			s.bad = 1;
		s.at = s.end;
	}
	while (!s.bad && s.at < s.end)
		decode_row(q, &s, a, out);
	return s.bad ? fail(EBADMSG, "an answer of the node service is garbled") : 0;
}

static int id_order(const void *a, const void *b)
{
	return id_compare(a, b);
}

static bool asked(const struct question *q, const struct id *id)
{
	return bsearch(id, q->ids, q->n_ids, sizeof(*id), id_order);
}

bool answer_fits(const struct question *q, const struct answer *w)
{
	const struct facts *f = &w->facts;
	bool fits = true;

	for (size_t i = 0; i < f->n_runs && q->kind == NODE_RUN; i++)
		fits &= asked(q, &f->runs[i].id);
	for (size_t i = 0; i < f->n_executions; i++)
		fits &= asked(q, q->by == BY_ID    ? &f->executions[i].id
				 : q->by == BY_RUN ? &f->executions[i].run
						   : &f->executions[i].parent);
	for (size_t i = 0; i < f->n_objects; i++)
		fits &= asked(q, &f->objects[i].id);
	for (size_t i = 0; i < f->n_accesses && q->by != BY_RUN; i++)
		fits &= asked(q, q->by == BY_EXECUTION ? &f->accesses[i].exec
						       : &f->accesses[i].object);
	for (size_t i = 0; i < f->n_names && q->by != BY_RUN; i++)
		fits &= asked(q, q->by == BY_EXECUTION ? &f->names[i].exec : &f->names[i].object);
	for (size_t i = 0; i < f->n_holes; i++)
		fits &= asked(q, &f->holes[i].run);
	for (size_t i = 0; i < f->n_notes; i++)
		fits &= asked(q, &f->notes[i].run);
	return fits;
}
