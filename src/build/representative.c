/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* representative.c - which executions a person would name, and whom the others belong to */
#include "build/representative.h"

#include <string.h>

#include "base/path.h"

static bool launches(enum role role)
{
	return role == ROLE_LAUNCHER || role == ROLE_PROXY;
}

static bool same_program(const char *a, const char *b)
{
	return !strcmp(path_base(a), path_base(b));
}

/*
 * Is it what the launcher was asked to start? Names of ranks need not be on its
 * command line, so this is only asked of those that may be its own. A script
 * is called by the name of its interpreter, so there any word counts. What a
 * daemon starts that no launcher is known for, somebody has ordered.
 */
static bool was_ordered(const struct kin *x, const struct strings *launch)
{
	if (!launch)
		return true;
	for (const char *word = NULL; (word = strings_next(&x->argv, word));) {
		for (const char *p = NULL; (p = strings_next(launch, p));)
			if (word[0] != '-' && same_program(p, word))
				return true;
		if (x->role != ROLE_SHELL)
			return false;
	}
	return false;
}

/* A representative, and what it lets others be. */
static struct standing named(const struct kin *x)
{
	if (x->role == ROLE_LAUNCHER)
		return (struct standing){ .scope = SCOPE_LAUNCH, .launch = &x->argv };
	if (x->role == ROLE_PROXY)
		return (struct standing){ .scope = SCOPE_LAUNCH };
	return (struct standing){ .scope = x->role == ROLE_SHELL ? SCOPE_SHELL : SCOPE_TOOL };
}

static struct standing credited(enum scope scope, const struct strings *launch)
{
	return (struct standing){ true, scope, launch };
}

static struct standing rank(const struct kin *x)
{
	struct standing s = named(x);

	if (s.scope == SCOPE_TOOL)
		s.scope = SCOPE_RANK;
	return s;
}

static struct standing launched(const struct kin *x, const struct standing *parent)
{
	if (launches(x->role))
		return credited(SCOPE_LAUNCH, parent->launch);
	if ((x->role == ROLE_SHELL || x->role == ROLE_HELPER) && !was_ordered(x, parent->launch))
		return credited(SCOPE_LAUNCH, parent->launch);
	return rank(x);
}

struct standing standing_of(const struct kin *x, const struct standing *parent)
{
	if (!parent)
		return named(x);
	if (x->how == HOW_FORK)
		return credited(parent->scope, parent->launch);
	if (x->role == ROLE_PROXY)
		return credited(SCOPE_LAUNCH, parent->launch);
	/* a wrapper became what it wraps */
	if (x->how == HOW_EXEC && !parent->credited && parent->scope != SCOPE_LAUNCH)
		return parent->scope == SCOPE_RANK ? rank(x) : named(x);
	switch (parent->scope) {
	case SCOPE_LAUNCH:
		return launched(x, parent);
	case SCOPE_SHELL:
		if (x->role == ROLE_HELPER && x->yield == YIELD_ANSWER)
			return credited(SCOPE_RANK, NULL);
		return named(x);
	case SCOPE_INNER:
		if (x->role == ROLE_HELPER && x->yield != YIELD_OWN)
			return credited(SCOPE_RANK, NULL);
		return named(x);
	case SCOPE_TOOL:
		if (x->role == ROLE_LAUNCHER)
			return named(x);
		return credited(x->role == ROLE_SHELL ? SCOPE_INNER : SCOPE_TOOL, NULL);
	case SCOPE_RANK:
		return credited(SCOPE_RANK, NULL);
	}
	return named(x);
}

enum { NEW, HERE, DONE };

/* Up to the first ancestor that is decided, then down again. */
static void decide(const struct kin *x, uint32_t i, unsigned char *state, uint32_t *path,
		   struct standing *s, uint32_t *out)
{
	size_t n = 0;

	for (; i != KIN_NONE && state[i] == NEW; i = x[i].parent) {
		state[i] = HERE;
		path[n++] = i;
	}
	if (i != KIN_NONE && state[i] == HERE)
		i = KIN_NONE;
	while (n) {
		uint32_t child = path[--n];

		s[child] = standing_of(&x[child], i == KIN_NONE ? NULL : &s[i]);
		out[child] = s[child].credited ? out[i] : child;
		state[child] = DONE;
		i = child;
	}
}

void representatives(struct arena *tmp, const struct kin *x, size_t n, uint32_t *out)
{
	unsigned char *state = arena_alloc(tmp, n + 1);
	uint32_t *path = arena_alloc(tmp, (n + 1) * sizeof(*path));
	struct standing *s = arena_alloc(tmp, (n + 1) * sizeof(*s));

	for (uint32_t i = 0; i < n; i++)
		decide(x, i, state, path, s, out);
}
