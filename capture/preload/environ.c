/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* environ.c - the variables that carry recording across exec */
#include "environ.h"

#include <fcntl.h>
#include <unistd.h>

#include "shim/image.h"
#include "shim/sys.h"
#include "shim/text.h"

#define PRELOAD_VAR "LD_PRELOAD="
#define SESSION_VAR PROV_SESSION_ENV "="

/* This library as LD_PRELOAD named it; "" when it did not. */
static char library[512] IN_DATA;

static int is_separator(char c)
{
	return c == ':' || c == ' ';
}

/* Where our name begins in a value of LD_PRELOAD, NULL if it is not there. */
static char *find_library(char *value)
{
	static const char name[] = "libprov-preload.so";

	for (char *p = value, *item = value; *p; p++) {
		if (is_separator(*p))
			item = p + 1;
		else if ((p == item || p[-1] == '/') && text_begins(p, name) &&
			 (!p[sizeof(name) - 1] || is_separator(p[sizeof(name) - 1])))
			return item;
	}
	return NULL;
}

static size_t item_size(const char *item)
{
	size_t n = 0;

	while (item[n] && !is_separator(item[n]))
		n++;
	return n;
}

int environ_find(char *const *envp)
{
	int found = 0;

	for (; envp && *envp; envp++) {
		if (text_begins(*envp, SESSION_VAR)) {
			found |= session_set(*envp + sizeof(SESSION_VAR) - 1) == 0;
		} else if (text_begins(*envp, PRELOAD_VAR)) {
			char *item = find_library(*envp + sizeof(PRELOAD_VAR) - 1);
			size_t n = item ? item_size(item) : 0;

			if (n && n < sizeof(library)) {
				memcpy(library, item, n);
				library[n] = 0;
				found |= 2;
			}
		}
	}
	return found == 3 ? 0 : -1;
}

/* Takes our item and one separator out of "LD_PRELOAD=a:b"; 1 when nothing else is left. */
static int preload_shorten(char *value)
{
	char *item = find_library(value), *rest;

	/* an environment that the program has copied shares the string */
	if (!item)
		return value[0] == 0;
	rest = item + item_size(item);
	if (*rest)
		rest++;
	else if (item > value)
		item--;
	while ((*item++ = *rest++))
		;
	return value[0] == 0;
}

void environ_hide(char **envp)
{
	char **out = envp;

	for (; *envp; envp++) {
		if (text_begins(*envp, SESSION_VAR) ||
		    (text_begins(*envp, PRELOAD_VAR) &&
		     preload_shorten(*envp + sizeof(PRELOAD_VAR) - 1)))
			continue;
		*out++ = *envp;
	}
	*out = NULL;
}

struct writer {
	char *at, *end;
};

static void put(struct writer *w, const char *s, size_t n)
{
	if ((size_t)(w->end - w->at) < n) {
		w->end = w->at;	/* full from now on */
		return;
	}
	memcpy(w->at, s, n);
	w->at += n;
}

static void put_number(struct writer *w, uint64_t v)
{
	char digits[20];

	put(w, ",", 1);
	put(w, digits, text_number(digits, v));
}

/* The other libraries that the program wants preloaded. */
static void put_others(struct writer *w, const char *value)
{
	while (*value) {
		size_t n = item_size(value);

		if (n && !(n == text_size(library) - 1 && text_begins(value, library))) {
			put(w, ":", 1);
			put(w, value, n);
		}
		value += n;
		value += *value != 0;
	}
}

static const char *preload_of(char *const *envp)
{
	for (; envp && *envp; envp++)
		if (text_begins(*envp, PRELOAD_VAR))
			return *envp + sizeof(PRELOAD_VAR) - 1;
	return "";
}

int environ_wants_us(char *const *envp)
{
	if (!library[0])
		return 0;
	for (; envp && *envp; envp++)
		if (text_begins(*envp, "LD_TRACE_LOADED_OBJECTS="))
			return 0;
	return 1;
}

int environ_library_is_there(void)
{
	/* opened, as the loader will do: a sandbox may refuse no less than that */
	long fd = sys4(SYS_openat, AT_FDCWD, library, O_RDONLY | O_CLOEXEC, 0);

	if (fd < 0)
		return 0;
	(void)sys1(SYS_close, fd);
	return 1;
}

size_t environ_room(char *const *envp)
{
	size_t n = 0;

	while (envp && envp[n])
		n++;
	/* numbers of at most 20 digits, separators and ends */
	return (n + 3) * sizeof(char *) + sizeof(PRELOAD_VAR) + sizeof(SESSION_VAR) +
	       text_size(library) + text_size(preload_of(envp)) + text_size(session.path) + 96;
}

char *const *environ_for_exec(char *const *envp, const struct prov_object *program, void *room,
			      size_t size)
{
	char **out = room;
	const char *others = preload_of(envp);
	size_t n = 0, at = 0;
	struct writer w;

	if (environ_room(envp) > size)
		return envp;
	while (envp && envp[n])
		n++;
	w = (struct writer){ (char *)(out + n + 3), (char *)room + size };
	for (size_t i = 0; i < n; i++)
		if (!text_begins(envp[i], PRELOAD_VAR) && !text_begins(envp[i], SESSION_VAR))
			out[at++] = envp[i];
	out[at++] = w.at;
	put(&w, PRELOAD_VAR, sizeof(PRELOAD_VAR) - 1);
	put(&w, library, text_size(library) - 1);
	put_others(&w, others);
	put(&w, "", 1);
	out[at++] = w.at;
	put(&w, SESSION_VAR, sizeof(SESSION_VAR) - 1);
	put(&w, session.path, text_size(session.path) - 1);
	put_number(&w, image.pid);
	put_number(&w, image.start);
	put_number(&w, (uint64_t)program->dev_major << 32 | program->dev_minor);
	put_number(&w, program->ino);
	put(&w, "", 1);
	out[at] = NULL;
	return w.at == w.end ? envp : out;
}

static int is_allowed(const char *var)
{
	const struct prov_arena *a = session.arena;
	unsigned letter = (unsigned)(unsigned char)var[0] - 'A';
	size_t at = letter < 32 ? a->env_first[letter] : 0;

	if (at == 0)
		return 0;
	for (at--; at < PROV_ENV_ROOM && a->env_allow[at] == var[0]; at++) {
		const char *p = a->env_allow + at, *end = a->env_allow + PROV_ENV_ROOM;
		size_t i = 0;

		while (p + i < end && p[i] && p[i] == var[i])
			i++;
		if (p + i >= end)
			return 0;
		if ((p[i] == '*' && !p[i + 1]) || (!p[i] && var[i] == '='))
			return 1;
		while (at < PROV_ENV_ROOM && a->env_allow[at])
			at++;
	}
	return 0;
}

void environ_report(char *const *envp)
{
	struct prov_strings *r;
	size_t total = 0;
	int cut = 0;

	for (char *const *e = envp; *e; e++) {
		size_t size = is_allowed(*e) ? text_size(*e) : 0;

		if (sizeof(*r) + total + size > PROV_RECORD_MAX)
			cut = 1;
		else
			total += size;
	}
	r = total ? record_begin(PROV_ENVIRON, sizeof(*r) + total) : NULL;
	if (!r)
		return;
	r->head.flags = cut ? PROV_CUT : 0;
	for (char *const *e = envp; *e; e++) {
		size_t size = is_allowed(*e) ? text_size(*e) : 0;

		/* the same ones as before: a long one was left out, shorter ones
		 * after it were not */
		if (!size || r->size + size > total)
			continue;
		memcpy(r->text + r->size, *e, size);
		r->size += (uint32_t)size;
	}
	record_end(r);
}
