/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* pending.c - records of programs that nobody has decided about yet */
#include "engine/pending.h"

#include <string.h>

#define UNWANTED 1u		/* in owners: session 0 plus 1 */

void pending_release(struct pending *p)
{
	buf_release(&p->records);
	map_release(&p->owners);
	*p = (struct pending){ 0 };
}

static uintptr_t owner(const struct pending *p, uint32_t pid)
{
	return p->owners.n ? (uintptr_t)map_get(&p->owners, &pid, sizeof(pid)) : 0;
}

static void own(struct pending *p, uint32_t pid, uintptr_t value)
{
	if (value)
		*map_at(&p->owners, &pid, sizeof(pid)) = (void *)value;
	else
		map_remove(&p->owners, &pid, sizeof(pid));
}

static const struct kernel_head *record_at(const struct buf *b, size_t at)
{
	return (const struct kernel_head *)(b->data + at);
}

static size_t step(const struct kernel_head *h)
{
	return (h->size + 7u) & ~(size_t)7;
}

static void keep(struct buf *to, const struct kernel_head *h)
{
	buf_append(to, h, h->size);
	while (to->size % 8)
		buf_char(to, 0);
}

/* A fork hands on to whom its parent belongs; a number that begins anew belongs to
 * nobody. */
static uintptr_t owner_of_record(struct pending *p, const struct kernel_head *h)
{
	const struct kernel_image *i = (const struct kernel_image *)h;

	if (h->type == KERNEL_IMAGE && h->size >= sizeof(*i)) {
		uintptr_t from = i->parent_pid ? owner(p, i->parent_pid) : 0;

		if (i->parent_pid != h->pid)
			own(p, h->pid, from);
	}
	return owner(p, h->image) ? owner(p, h->image) : owner(p, h->pid);
}

int pending_route(struct pending *p, const struct kernel_head *h)
{
	uintptr_t to = owner_of_record(p, h);

	if (to > UNWANTED)
		return (int)(to - 1);
	if (to == UNWANTED) {
		/* a node lives longer than its numbers */
		if (h->type == KERNEL_EXIT)
			own(p, h->pid, 0);
		return 0;
	}
	if (p->records.size + h->size > PENDING_MOST)
		p->lost++;
	else
		keep(&p->records, h);
	return 0;
}

bool pending_has(const struct pending *p, uint32_t pid)
{
	for (size_t at = 0; at < p->records.size; at += step(record_at(&p->records, at)))
		if (record_at(&p->records, at)->pid == pid)
			return true;
	return false;
}

/* Goes through what is kept again, now that pid belongs somewhere. Its first record
 * would say that it belongs to nobody. */
static void assign(struct pending *p, uint32_t pid, uintptr_t to, struct buf *out)
{
	struct buf all = p->records;

	p->records = (struct buf){ 0 };
	own(p, pid, to);
	for (size_t at = 0; at < all.size; at += step(record_at(&all, at))) {
		const struct kernel_head *h = record_at(&all, at);
		bool first = h->type == KERNEL_IMAGE && h->pid == pid &&
			     !((const struct kernel_image *)h)->parent_pid;

		if ((first && to > UNWANTED) || (!first && pending_route(p, h)))
			keep(out, h);
	}
	buf_release(&all);
}

void pending_claim(struct pending *p, uint32_t pid, int session, struct buf *out)
{
	assign(p, pid, (uintptr_t)session + 1, out);
}

void pending_drop(struct pending *p, uint32_t pid)
{
	struct buf none = { 0 };

	assign(p, pid, UNWANTED, &none);
	buf_release(&none);
}

void pending_session_over(struct pending *p, int session)
{
	struct map all = p->owners;
	const void *pid;
	void *value;

	p->owners = (struct map){ 0 };
	for (size_t i = 0; map_next(&all, &i, &pid, NULL, &value);)
		if (value && (uintptr_t)value != (uintptr_t)session + 1)
			*map_at(&p->owners, pid, sizeof(uint32_t)) = value;
	map_release(&all);
}

int pending_owner(const struct pending *p, uint32_t image)
{
	uintptr_t o = owner(p, image);

	return o > UNWANTED ? (int)(o - 1) : o == UNWANTED ? -1 : 0;
}

void pending_environ(const struct pending *p, uint32_t pid, struct buf *out)
{
	for (size_t at = 0; at < p->records.size; at += step(record_at(&p->records, at))) {
		const struct kernel_head *h = record_at(&p->records, at);
		const struct kernel_piece *r = (const struct kernel_piece *)h;

		if (h->pid != pid || h->type != KERNEL_TEXT || h->size < sizeof(*r) ||
		    r->kind != KERNEL_ENVIRON || h->size < sizeof(*r) + r->n)
			continue;
		if (r->offset == 0)
			buf_clear(out);
		if (r->offset == out->size)
			buf_append(out, r->text, r->n);
	}
}

void pending_forget(struct pending *p, uint64_t before)
{
	struct buf all = p->records;

	if (!all.size || record_at(&all, 0)->time >= before)
		return;
	p->records = (struct buf){ 0 };
	for (size_t at = 0; at < all.size; at += step(record_at(&all, at)))
		if (record_at(&all, at)->time >= before)
			keep(&p->records, record_at(&all, at));
	buf_release(&all);
}
