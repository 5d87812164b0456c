/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* kernel_attach.c - which programs are at work */
#include <errno.h>
#include <string.h>

#include "base/err.h"
#include "engine/kernel_programs.h"

static const char *const prefixes[GROUPS][3] = {
	[GROUP_LIVES] = { "prov_fork", "prov_exec", "prov_exit" },
	[GROUP_TOUCHES] = { "time_", "touch_", "prov_uring" },
	[GROUP_CALL] = { "prov_call" },
	[GROUP_COARSE] = { "coarse_" },
	[GROUP_OPEN] = { "open_" },
	[GROUP_DATA] = { "data_" },
};

static bool is_of(const struct bpf_program *one, enum programs_group g)
{
	const char *name = bpf_program__name(one);

	for (size_t i = 0; i < 3 && prefixes[g][i]; i++)
		if (!strncmp(name, prefixes[g][i], strlen(prefixes[g][i])))
			return true;
	return false;
}

static void detach(struct programs *p, enum programs_group g)
{
	struct links *l = &p->groups[g];

	while (l->n)
		(void)bpf_link__destroy(l->at[--l->n]);
}

static int attach(struct programs *p, enum programs_group g)
{
	struct links *l = &p->groups[g];
	struct bpf_program *one;

	if (l->n)
		return 0;
	bpf_object__for_each_program(one, p->object) {
		if (!is_of(one, g) || bpf_program__fd(one) < 0 || l->n == LINKS_MOST)
			continue;
		l->at[l->n] = bpf_program__attach(one);
		if (l->at[l->n])
			l->n++;
		else if (g != GROUP_TOUCHES)	/* less is known without those */
			return fail(errno, "%s: cannot be attached: %s%s", bpf_program__name(one),
				    strerror(errno),
				    g == GROUP_COARSE ? "; is tracefs mounted?" : "");
	}
	return 0;
}

int programs_attach_lives(struct programs *p)
{
	return attach(p, GROUP_LIVES);
}

static unsigned groups_of(const struct programs *p, enum programs_set set)
{
	const unsigned touches = 1u << GROUP_TOUCHES;

	if (set == SET_NONE)
		return 0;
	if (p->features.functions)
		return touches | 1u << GROUP_OPEN | (set == SET_FINE ? 1u << GROUP_DATA : 0);
	return touches |
	       (set == SET_COARSE && p->has_coarse ? 1u << GROUP_COARSE : 1u << GROUP_CALL);
}

/* The new set comes before the old one goes: what both see is told twice at most,
 * what neither would see is not. */
int programs_attach_calls(struct programs *p, enum programs_set set)
{
	unsigned wanted = groups_of(p, set);
	int r = 0;

	/* functions and tracepoints of single calls are those of 64-bit ones */
	__atomic_store_n(p->narrow_unseen, !(wanted & 1u << GROUP_CALL), __ATOMIC_RELEASE);
	for (int g = GROUP_TOUCHES; g < GROUPS && r == 0; g++)
		if (wanted & 1u << g)
			r = attach(p, (enum programs_group)g);
	for (int g = GROUP_TOUCHES; g < GROUPS && r == 0; g++)
		if (!(wanted & 1u << g))
			detach(p, (enum programs_group)g);
	return r;
}

void programs_detach(struct programs *p)
{
	for (int g = 0; g < GROUPS; g++)
		detach(p, (enum programs_group)g);
}
