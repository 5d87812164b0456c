/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* policy.c - what the node records, and what belongs to one run */
#include "provd/policy.h"

#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/conf.h"
#include "base/err.h"

#define JOB_MOST 128	/* bytes of a job's number that a user's variable may have */

/* The next word of a list with commas; NULL at the end. */
static const char *next_word(struct arena *a, const char **list)
{
	const char *from = *list + strspn(*list, ", \t");
	size_t n = strcspn(from, ", \t");

	*list = from + n;
	return n ? arena_strn(a, from, n) : NULL;
}

static int read_range(const char *word, struct watch_filter *out)
{
	char *end;
	unsigned long min, max;

	if (!isdigit((unsigned char)word[0]))
		return -EINVAL;
	errno = 0;
	min = max = strtoul(word, &end, 10);
	if (*end == '-' && isdigit((unsigned char)end[1]))
		max = strtoul(end + 1, &end, 10);
	if (*end || errno || max < min || max >= UINT32_MAX)
		return -EINVAL;
	*out = (struct watch_filter){ .uid_min = (uint32_t)min, .uid_max = (uint32_t)max };
	return 0;
}

static int read_uids(struct policy *p)
{
	const char *list = conf_text("provd.uids"), *word;
	size_t room = 0;

	while ((word = next_word(&p->memory, &list))) {
		p->uids = arena_grow(&p->memory, p->uids, p->n_uids, &room, sizeof(*p->uids));
		if (read_range(word, &p->uids[p->n_uids++]) < 0)
			return fail(EINVAL, "provd.uids: '%s' is no range; write 1000-60000", word);
	}
	return 0;
}

static int read_jobs(struct policy *p)
{
	const char *list = conf_text("provd.jobs"), *word;
	size_t room = 0;

	while ((word = next_word(&p->memory, &list))) {
		char *colon = strchr(word, ':');

		if (!colon || colon == word || !colon[1])
			return fail(EINVAL, "provd.jobs: '%s': write SCHEDULER:VARIABLE", word);
		*colon = 0;
		p->jobs = arena_grow(&p->memory, p->jobs, p->n_jobs, &room, sizeof(*p->jobs));
		p->jobs[p->n_jobs++] =
			(struct policy_job){ .scheduler = word, .variable = colon + 1 };
	}
	return 0;
}

static void read_cgroups(struct policy *p)
{
	const char *list = conf_text("provd.cgroups"), *word;
	size_t room = 0;

	while ((word = next_word(&p->memory, &list))) {
		p->cgroups = arena_grow(&p->memory, p->cgroups, p->n_cgroups, &room,
					sizeof(*p->cgroups));
		p->cgroups[p->n_cgroups++] = word;
	}
}

int policy_read(struct policy *p)
{
	const char *scope = conf_text("provd.scope");
	int r;

	*p = (struct policy){ 0 };
	p->scope = !strcmp(scope, "all")    ? POLICY_ALL
		   : !strcmp(scope, "jobs") ? POLICY_JOBS
					    : POLICY_NONE;
	read_cgroups(p);
	r = read_uids(p);
	return r < 0 ? r : read_jobs(p);
}

void policy_release(struct policy *p)
{
	arena_release(&p->memory);
	*p = (struct policy){ 0 };
}

bool policy_covers(const struct policy *p, uint32_t uid)
{
	for (size_t i = 0; i < p->n_uids && p->scope != POLICY_NONE; i++)
		if (uid >= p->uids[i].uid_min && uid <= p->uids[i].uid_max)
			return true;
	return false;
}

const char *policy_variable(const struct strings *environ, const char *name)
{
	size_t n = strlen(name);

	for (const char *s = NULL; (s = strings_next(environ, s));)
		if (!strncmp(s, name, n) && s[n] == '=')
			return s + n + 1;
	return NULL;
}

/* It is the user's word: a name, and never more than that. */
static bool is_job_number(const char *s)
{
	size_t n = strlen(s);

	for (size_t i = 0; i < n; i++)
		if (!isgraph((unsigned char)s[i]))
			return false;
	return n > 0 && n <= JOB_MOST;
}

/* The shortest beginning of the path that a pattern matches: all control groups below
 * it are of the same job. */
static const char *matching_cgroup(const struct policy *p, const char *path, struct arena *a)
{
	for (const char *end = path; *end;) {
		const char *head;

		end += 1 + strcspn(end + 1, "/");
		head = arena_strn(a, path, (size_t)(end - path));
		for (size_t i = 0; i < p->n_cgroups; i++)
			if (fnmatch(p->cgroups[i], head, 0) == 0)
				return head;
	}
	return NULL;
}

static void find_job(const struct policy *p, const struct policy_process *process,
		     struct arena *a, struct policy_verdict *v)
{
	const char *group;

	for (size_t i = 0; i < p->n_jobs; i++) {
		const char *job = policy_variable(&process->environ, p->jobs[i].variable);

		if (!job || !is_job_number(job))
			continue;
		v->scheduler = p->jobs[i].scheduler;
		v->job = arena_str(a, job);
		v->key = arena_printf(a, "%s:%s", v->scheduler, job);
		return;
	}
	group = matching_cgroup(p, process->cgroup, a);
	if (!group)
		return;
	v->scheduler = "cgroup";
	v->job = group;
	v->key = arena_printf(a, "cgroup:%s", group);
}

struct policy_verdict policy_decide(const struct policy *p, const struct policy_process *process,
				    struct arena *a)
{
	struct policy_verdict v = { .why = "", .key = "", .scheduler = "", .job = "" };

	if (process->of_service)
		v.why = "it is of the service itself";
	else if (process->own)
		v.why = "it is prov itself";
	else if (process->of_recorded)
		v.why = "it is of a run already";
	else if (!policy_covers(p, process->uid))
		v.why = "its user is in no range of provd.uids";
	if (v.why[0])
		return v;
	find_job(p, process, a, &v);
	v.record = p->scope == POLICY_ALL || v.key[0];
	if (!v.record)
		v.why = "it is of no job, and provd.scope is jobs";
	return v;
}
