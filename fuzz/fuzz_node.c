/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* fuzz_node.c - a message to the node service, or one from it
 *
 * The first byte is the kind of a question. With its highest bit set, what follows is
 * a part of the answer to it, else the question itself.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "store/merge.h"
#include "store/node_wire.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Something to answer with: everything has the id that is all zeroes. */
static struct store *small_store(void)
{
	struct store *s = NULL;
	struct run run = { .name = "n", .host = "h", .boot = "b", .user = "", .cwd = "" };
	struct execution exec = { .exe = "/bin/true", .cwd = "/", .argv = { "a\0b", 4 } };
	struct object object = { .size = 1, .hashed = true };
	struct access access = { .path = "/f", .flags = ACCESS_WRITE, .opened = 7 };
	struct name_event name = { .kind = NAME_RENAME, .from = "/f", .to = "/g", .time = 8 };
	struct hole hole = { .kind = "lost", .why = "full", .count = 1 };
	struct note note = { .key = "k", .value = "v" };
	const struct facts f = { &run,  1, &exec, 1, &object, 1, &access, 1,
				 &name, 1, &hole, 1, &note,   1, NULL,    0 };
	int64_t kept;

	if (store_open("memory:", STORE_WRITE, &s) < 0 || store_put(s, &f) < 0 ||
	    store_boot_offset(s, "h", "b", 5, &kept) < 0)
		abort();
	return s;
}

/* What is answered must be what the asker takes. */
static void go_round(const struct question *q, struct arena *a)
{
	struct store *s = small_store();
	struct id *ids = arena_copy(a, q->ids, q->n_ids * sizeof(*ids));
	struct question sorted = *q;
	struct answer w, again = { 0 };
	struct buf part = { 0 };

	sorted.ids = ids;
	sorted.n_ids = ids_sort(ids, q->n_ids);
	if (question_ask(q, s, a, &w) == 0)
		for (size_t at = 0, next; (next = answer_encode(q, &w, at, &part)) != at;) {
			if (answer_decode(q, part.data, part.size, a, &again) < 0 ||
			    !answer_fits(&sorted, &again))
				abort();
			buf_clear(&part);
			at = next;
		}
	buf_release(&part);
	store_close(s);
}

static void take_question(uint32_t kind, const char *p, size_t n, struct arena *a)
{
	struct question q, again;
	struct buf out = { 0 };

	if (question_decode(kind, p, n, a, &q) < 0)
		return;
	question_encode(&q, &out);
	if (question_decode(kind, out.data, out.size, a, &again) < 0 || again.by != q.by ||
	    again.n_ids != q.n_ids || again.most != q.most || !again.path != !q.path)
		abort();
	buf_release(&out);
	go_round(&q, a);
}

static void take_answer(uint32_t kind, const char *p, size_t n, struct arena *a)
{
	static const struct id zero;
	const struct question q = { .kind = kind, .ids = &zero, .n_ids = 1 };
	struct answer w = { 0 };

	if (answer_decode(&q, p, n, a, &w) == 0)
		(void)answer_fits(&q, &w);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena a = { 0 };

	if (!size)
		return 0;
	if (data[0] & 0x80)
		take_answer(data[0] & 0x7f, (const char *)data + 1, size - 1, &a);
	else
		take_question(data[0], (const char *)data + 1, size - 1, &a);
	arena_release(&a);
	return 0;
}
