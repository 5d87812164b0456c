/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* teller.c - how the parts of a told graph are worded */
#include "format/teller.h"

#include <limits.h>
#include <signal.h>
#include <stdio.h>

#include "base/clock.h"
#include "format/utf8.h"

/* Names of one branch before the rest is only counted */
#define NAMES_MAX 12
/* Lines that one command may take */
#define COMMAND_LINES 3
void teller_note(struct teller *t, const char *text)
{
	page_word(&t->page, "  ", text, STYLE_NOTE);
}

void teller_name(struct teller *t, const char *join, uint32_t node, enum page_style style)
{
	uint32_t flags = t->v.g->nodes[node].flags;
	struct buf name = { 0 };

	view_name(&t->v, node, &name);
	page_word(&t->page, join, name.data, style);
	if (flags & NODE_DELETED)
		page_word(&t->page, " ", "(deleted)", STYLE_NOTE);
	if (flags & NODE_PARTIAL)
		page_word(&t->page, " ", "(still being written)", STYLE_NOTE);
	if (flags & NODE_BLIND)
		page_word(&t->page, " ", "(record incomplete)", STYLE_NOTE);
	buf_release(&name);
}

void teller_doubt(struct teller *t, const struct branch *b)
{
	if (b->certain)
		return;
	page_word(&t->page, "", "?", STYLE_DOUBT);
	t->doubt = true;
}

/* How many sockets follow one another from file i on: they differ by a number
 * that means nothing to a person. */
static size_t sockets_at(const struct teller *t, const struct branch *b, size_t i)
{
	size_t n = 0;

	while (!t->v.all && i + n < b->n &&
	       t->v.g->nodes[b->files[i + n]].object == OBJECT_SOCKET)
		n++;
	return n;
}

void teller_files(struct teller *t, const struct branch *b)
{
	size_t left = NAMES_MAX, i = 0, n;
	char rest[48];

	for (; i < b->n && (t->v.all || left > 1 || i + 1 == b->n); left--) {
		n = sockets_at(t, b, i);
		if (n > 1) {
			(void)snprintf(rest, sizeof(rest), "%zu sockets", n);
			page_word(&t->page, i ? ", " : " ", rest, STYLE_PLAIN);
		} else {
			teller_name(t, i ? ", " : " ", b->files[i], STYLE_PLAIN);
			n = 1;
		}
		i += n;
	}
	if (i < b->n) {
		(void)snprintf(rest, sizeof(rest), "and %zu more", b->n - i);
		page_word(&t->page, ", ", rest, STYLE_NOTE);
	}
	if (b->kept)
		teller_note(t, "(earlier content, kept)");
}

void teller_endings(struct teller *t, const struct step *s)
{
	char text[64];

	for (uint32_t i = 0; i < s->n_acts; i++) {
		const struct node *n = &t->v.g->nodes[s->acts[i]];
		bool feeds = s->stage[i] < s->stage[s->n_acts - 1];

		/* a reader that has enough ends its writer by SIGPIPE */
		if (n->signal && !(feeds && n->signal == SIGPIPE)) {
			(void)snprintf(text, sizeof(text), "(killed by signal %d)", n->signal);
			teller_note(t, text);
		} else if (n->status > 0) {
			(void)snprintf(text, sizeof(text), "(exit %d)", n->status);
			teller_note(t, text);
		}
		if (n->flags & NODE_BLIND)
			teller_note(t, "(blind: could not look inside)");
	}
}

void teller_run(struct teller *t, const struct run *r)
{
	char id[ID_TEXT_SIZE], time[CLOCK_TEXT_SIZE];
	struct buf text = { 0 };

	buf_printf(&text, "[run %s", id_short(ID_RUN, &r->id, id));
	if (r->name && *r->name)
		buf_printf(&text, " %s", r->name);
	if (r->user && *r->user)
		buf_printf(&text, " by %s", r->user);
	if (r->start)
		buf_printf(&text, ", %s", clock_short(r->start + r->shift, time));
	buf_char(&text, ']');
	page_word(&t->page, "  ", text.data, STYLE_NOTE);
	buf_release(&text);
}

static void put_stage(struct teller *t, uint32_t step, uint32_t *act, unsigned lines)
{
	struct buf raw = { 0 }, cut = { 0 };
	unsigned left = page_left(&t->page);

	view_stage(&t->v, step, act, &raw);
	if (t->v.all || left == UINT_MAX)
		buf_append(&cut, raw.data, raw.size);
	else /* half a line less than there is, for where words break */
		format_text(raw.data, lines > 1 ? left * lines - left / 2 : left, t->o->unicode,
			    &cut);
	page_words(&t->page, " ", cut.data, STYLE_STEP);
	buf_release(&raw);
	buf_release(&cut);
}

/* A pipeline too long for one line gets one line per program. */
void teller_command(struct teller *t, uint32_t step)
{
	struct buf whole = { 0 };
	uint32_t act = 0;

	view_command(&t->v, step, &whole);
	if (utf8_columns(whole.data) <= page_left(&t->page)) {
		page_words(&t->page, " ", whole.data, STYLE_STEP);
	} else {
		put_stage(t, step, &act, COMMAND_LINES);
		while (act < t->v.steps[step].n_acts) {
			page_more(&t->page);
			page_word(&t->page, " ", "|", STYLE_STEP);
			put_stage(t, step, &act, COMMAND_LINES);
		}
	}
	buf_release(&whole);
}

/* A step told before: its first program is enough to find it again. */
void teller_reminder(struct teller *t, uint32_t step)
{
	struct buf whole = { 0 }, cut = { 0 };
	unsigned left = page_left(&t->page);

	view_command(&t->v, step, &whole);
	format_text(whole.data,
		    left == UINT_MAX ? 0
		    : left > 40      ? left - 15
				     : left,
		    t->o->unicode, &cut);
	page_words(&t->page, " ", cut.data, STYLE_STEP);
	teller_note(t, "(shown above)");
	buf_release(&whole);
	buf_release(&cut);
}
