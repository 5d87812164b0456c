/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* fold.c - what a person does not want to see at first */
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/conf.h"
#include "base/mem.h"
#include "query/credit.h"
#include "query/query.h"

enum rule_kind {
	RULE_SYSTEM,  /* always folded */
	RULE_CACHE,   /* always folded, wherever it lies */
	RULE_LIBRARY, /* folded unless it is the user's own work */
};

/* Plain comparisons, not patterns: a graph may have a million entities. */
enum rule_where { BEGINS, HOLDS, ENDS, EXACT, GLOB };

static const struct rule {
	enum rule_kind kind;
	enum rule_where where;
	const char *text;
} rules[] = {
	{ RULE_SYSTEM, BEGINS, "/proc/" },
	{ RULE_SYSTEM, BEGINS, "/sys/" },
	{ RULE_SYSTEM, BEGINS, "/run/" },
	{ RULE_SYSTEM, BEGINS, "/etc/ld.so." },
	{ RULE_SYSTEM, EXACT, "/etc/nsswitch.conf" },
	{ RULE_SYSTEM, EXACT, "/etc/passwd" },
	{ RULE_SYSTEM, EXACT, "/etc/group" },
	{ RULE_SYSTEM, EXACT, "/etc/hosts" },
	{ RULE_SYSTEM, EXACT, "/etc/host.conf" },
	{ RULE_SYSTEM, EXACT, "/etc/resolv.conf" },
	{ RULE_SYSTEM, EXACT, "/etc/gai.conf" },
	{ RULE_SYSTEM, EXACT, "/etc/services" },
	{ RULE_SYSTEM, EXACT, "/etc/protocols" },
	{ RULE_SYSTEM, BEGINS, "/etc/locale" },
	{ RULE_SYSTEM, EXACT, "/etc/localtime" },
	{ RULE_SYSTEM, EXACT, "/etc/timezone" },
	{ RULE_SYSTEM, BEGINS, "/etc/terminfo/" },
	{ RULE_SYSTEM, EXACT, "/etc/inputrc" },
	{ RULE_SYSTEM, BEGINS, "/etc/profile" },
	{ RULE_SYSTEM, BEGINS, "/etc/bash" },
	{ RULE_SYSTEM, EXACT, "/etc/environment" },
	{ RULE_SYSTEM, BEGINS, "/etc/ssl/" },
	{ RULE_SYSTEM, BEGINS, "/etc/pki/" },
	{ RULE_SYSTEM, BEGINS, "/etc/ca-certificates" },
	{ RULE_SYSTEM, BEGINS, "/etc/alternatives/" },
	{ RULE_SYSTEM, EXACT, "/etc/mime.types" },
	{ RULE_SYSTEM, EXACT, "/etc/os-release" },
	{ RULE_SYSTEM, EXACT, "/etc/machine-id" },
	{ RULE_SYSTEM, BEGINS, "/etc/python3" },
	{ RULE_SYSTEM, BEGINS, "/etc/perl/" },
	{ RULE_SYSTEM, BEGINS, "/etc/R/" },
	{ RULE_SYSTEM, BEGINS, "/etc/openmpi/" },
	{ RULE_SYSTEM, EXACT, "/etc/gitconfig" },
	{ RULE_SYSTEM, BEGINS, "/bin/" },
	{ RULE_SYSTEM, BEGINS, "/sbin/" },
	{ RULE_SYSTEM, BEGINS, "/lib/" },
	{ RULE_SYSTEM, BEGINS, "/lib32/" },
	{ RULE_SYSTEM, BEGINS, "/lib64/" },
	{ RULE_SYSTEM, BEGINS, "/usr/bin/" },
	{ RULE_SYSTEM, BEGINS, "/usr/sbin/" },
	{ RULE_SYSTEM, BEGINS, "/usr/lib/" },
	{ RULE_SYSTEM, BEGINS, "/usr/lib32/" },
	{ RULE_SYSTEM, BEGINS, "/usr/lib64/" },
	{ RULE_SYSTEM, BEGINS, "/usr/libexec/" },
	{ RULE_SYSTEM, BEGINS, "/usr/include/" },
	{ RULE_SYSTEM, BEGINS, "/usr/share/" },
	{ RULE_SYSTEM, BEGINS, "/usr/local/bin/" },
	{ RULE_SYSTEM, BEGINS, "/usr/local/lib/" },
	{ RULE_SYSTEM, BEGINS, "/usr/local/share/" },
	{ RULE_SYSTEM, BEGINS, "/var/lib/" },
	{ RULE_SYSTEM, BEGINS, "/var/cache/" },
	{ RULE_SYSTEM, HOLDS, "/.terminfo/" },
	{ RULE_SYSTEM, ENDS, "/.bashrc" },
	{ RULE_SYSTEM, ENDS, "/.bash_profile" },
	{ RULE_SYSTEM, ENDS, "/.profile" },
	{ RULE_SYSTEM, ENDS, "/.inputrc" },
	{ RULE_SYSTEM, ENDS, "/.gitconfig" },
	{ RULE_SYSTEM, ENDS, "/.Rprofile" },
	{ RULE_CACHE, HOLDS, "/.cache/" },
	{ RULE_CACHE, HOLDS, "/__pycache__/" },
	{ RULE_CACHE, ENDS, ".pyc" },
	{ RULE_CACHE, HOLDS, "/.ccache/" },
	{ RULE_CACHE, HOLDS, "/.nv/" },
	{ RULE_CACHE, BEGINS, "/dev/shm/vader_segment" },
	{ RULE_CACHE, BEGINS, "/dev/shm/sem." },
	{ RULE_CACHE, HOLDS, "/ompi." },
	{ RULE_CACHE, HOLDS, "/pmix_dstor_" },
	{ RULE_LIBRARY, ENDS, ".so" },
	{ RULE_LIBRARY, HOLDS, ".so." },
	{ RULE_LIBRARY, HOLDS, "/site-packages/" },
	{ RULE_LIBRARY, HOLDS, "/dist-packages/" },
	{ RULE_LIBRARY, HOLDS, "/lib/python" },
	{ RULE_LIBRARY, HOLDS, "/lib/R/" },
	{ RULE_LIBRARY, HOLDS, "/lib/perl5/" },
	{ RULE_LIBRARY, HOLDS, "/node_modules/" },
	{ RULE_LIBRARY, ENDS, "/pyvenv.cfg" },
	{ RULE_LIBRARY, GLOB, "/opt/*/bin/*" },
	{ RULE_LIBRARY, GLOB, "/opt/*/lib/*" },
	{ RULE_LIBRARY, GLOB, "/opt/*/lib64/*" },
};

static bool text_matches(enum rule_where where, const char *text, const char *path, size_t size)
{
	size_t n;

	/* all of these begin with a slash, as paths do */
	if ((where == BEGINS || where == EXACT) && text[1] != path[1])
		return false;
	n = strlen(text);
	switch (where) {
	case BEGINS:
		return !strncmp(path, text, n);
	case HOLDS:
		return strstr(path, text);
	case ENDS:
		return size >= n && !memcmp(path + size - n, text, n);
	case EXACT:
		return !strcmp(path, text);
	case GLOB:
		return !fnmatch(text, path, 0);
	}
	return false;
}

/* More patterns, from the setting "fold", split at blanks and commas. */
struct extra {
	char *text; /* patterns one after another, each with its NUL */
	size_t size;
};

static void extra_load(struct extra *e)
{
	const struct conf_entry *c;

	*e = (struct extra){ 0 };
	for (size_t i = 0; (c = conf_at(i)); i++) {
		if (strcmp(c->name, "fold") || !c->value || !c->value[0])
			continue;
		e->text = mem_str(c->value);
		e->size = strlen(e->text) + 1;
		for (char *p = e->text; *p; p++)
			if (strchr(" \t,", *p))
				*p = 0;
	}
}

static bool extra_matches(const struct extra *e, const char *path)
{
	for (size_t i = 0; i < e->size; i += strlen(e->text + i) + 1)
		if (e->text[i] && !fnmatch(e->text + i, path, 0))
			return true;
	return false;
}

/* Does the path lie where somebody in this graph worked? */
static bool is_own(const struct graph *g, const char *path)
{
	for (size_t i = 0; i < g->n_runs; i++) {
		const char *cwd = g->runs[i].cwd;
		size_t n = cwd ? strlen(cwd) : 0;

		if (n > 1 && !strncmp(path, cwd, n) && path[n] == '/')
			return true;
	}
	return false;
}

static bool rule_matches(const struct graph *g, const struct node *n, bool generated)
{
	size_t size = strlen(n->path);

	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
		if (!text_matches(rules[i].where, rules[i].text, n->path, size))
			continue;
		if (rules[i].kind != RULE_LIBRARY)
			return true;
		return !generated && !is_own(g, n->path);
	}
	return false;
}

static bool entity_folds(const struct graph *g, const struct node *n, bool generated,
			 const struct extra *e)
{
	if (n->object == OBJECT_DIRECTORY || n->object == OBJECT_DEVICE)
		return true;
	if (!n->path || n->path[0] != '/')
		return false;
	return rule_matches(g, n, generated) || extra_matches(e, n->path);
}

enum mark { MARK_GENERATED = 1, MARK_DATA = 2, MARK_PROGRAM = 4 };

/* Is the entity the program that the activity was running? */
static bool is_program(const struct node *activity, const struct node *entity)
{
	return activity->exe && activity->exe[0] && entity->path &&
	       !strcmp(activity->exe, entity->path);
}

/*
 * A fork that neither read nor wrote anything that is shown only stands between
 * a shell and the command it started.
 */
static void activities_fold(struct graph *g, unsigned char *marks)
{
	for (size_t i = 0; i < g->n_edges; i++) {
		const struct edge *e = &g->edges[i];

		if (e->kind == EDGE_USED && !(g->nodes[e->to].flags & NODE_FOLDED))
			marks[e->from] |= MARK_DATA;
		if (e->kind == EDGE_GENERATED && !(g->nodes[e->from].flags & NODE_FOLDED))
			marks[e->to] |= MARK_DATA;
	}
	for (size_t i = 0; i < g->n_nodes; i++) {
		struct node *n = &g->nodes[i];

		if (n->kind == NODE_ACTIVITY && n->how == HOW_FORK && !(marks[i] & MARK_DATA) &&
		    !(n->flags & NODE_ROOT))
			n->flags |= NODE_FOLDED;
	}
}

void query_fold(struct graph *g)
{
	unsigned char *marks = arena_alloc(&g->arena, g->n_nodes + 1);
	struct extra extra;

	extra_load(&extra);
	for (size_t i = 0; i < g->n_edges; i++) {
		const struct edge *e = &g->edges[i];

		if (e->kind == EDGE_GENERATED)
			marks[e->from] |= MARK_GENERATED;
		if (e->kind == EDGE_USED && is_program(&g->nodes[e->from], &g->nodes[e->to]))
			marks[e->to] |= MARK_PROGRAM;
	}
	for (size_t i = 0; i < g->n_nodes; i++) {
		struct node *n = &g->nodes[i];

		n->flags &= ~(uint32_t)NODE_FOLDED;
		if (n->kind == NODE_ENTITY && !(n->flags & NODE_ROOT) &&
		    ((marks[i] & (MARK_PROGRAM | MARK_GENERATED)) == MARK_PROGRAM ||
		     entity_folds(g, n, marks[i] & MARK_GENERATED, &extra)))
			n->flags |= NODE_FOLDED;
	}
	activities_fold(g, marks);
	query_credit(g);
	free(extra.text);
}
