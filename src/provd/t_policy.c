/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* t_policy.c - who is recorded, and in which run */
#include "provd/policy.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/conf.h"

static struct policy policy_of(const char *scope, const char *uids, const char *cgroups)
{
	struct policy p;

	assert_int_equal(conf_set("provd.scope", scope, "test"), 0);
	assert_int_equal(conf_set("provd.uids", uids, "test"), 0);
	assert_int_equal(conf_set("provd.cgroups", cgroups, "test"), 0);
	assert_int_equal(policy_read(&p), 0);
	conf_release();
	return p;
}

#define ENVIRON(text) { (text), sizeof(text) }

static struct policy_process process_of(uint32_t uid)
{
	return (struct policy_process){ .pid = 100, .uid = uid, .cgroup = "" };
}

static struct policy_verdict decide(struct policy *p, const struct policy_process *x)
{
	return policy_decide(p, x, &p->memory);
}

static void users_outside_the_ranges_are_left_alone(void **state)
{
	static const struct { uint32_t uid; bool recorded; } rows[] = {
		{ 0, false }, { 999, false }, { 1000, true }, { 1999, true }, { 2000, false },
		{ 4999, false }, { 5000, true }, { 5001, false }, { UINT32_MAX, false },
	};
	struct policy p = policy_of("all", "1000-1999, 5000", "");

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct policy_process x = process_of(rows[i].uid);

		assert_int_equal(decide(&p, &x).record, rows[i].recorded);
	}
	policy_release(&p);
}

static void a_job_is_one_run_whatever_scheduler_started_it(void **state)
{
	static const struct { struct strings environ; const char *key; } rows[] = {
		{ ENVIRON("A=1\0SLURM_JOB_ID=77\0B="), "slurm:77" },
		{ ENVIRON("PBS_JOBID=12.server"), "pbs:12.server" },
		{ ENVIRON("LSB_JOBID=5"), "lsf:5" },
		{ ENVIRON("FLUX_JOB_ID=f3EVdo"), "flux:f3EVdo" },
		{ ENVIRON("JOB_ID=9"), "sge:9" },
		{ ENVIRON("XSLURM_JOB_ID=77\0SLURM_JOB_IDX=1"), "" },
		{ ENVIRON("SLURM_JOB_ID="), "" },
		{ ENVIRON("SLURM_JOB_ID=a b"), "" },
	};
	struct policy p = policy_of("all", "0-5000", "");

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct policy_process x = process_of(1000);
		struct policy_verdict v;

		x.environ = rows[i].environ;
		v = decide(&p, &x);
		assert_true(v.record);
		assert_string_equal(v.key, rows[i].key);
	}
	policy_release(&p);
}

static void only_jobs_are_recorded_where_that_is_asked_for(void **state)
{
	struct policy p = policy_of("jobs", "0-5000", "*/job_*");
	struct policy_process x = process_of(1000);

	assert_false(decide(&p, &x).record);
	x.cgroup = "/slurm/uid_1000/job_12/step_0/task_1";
	assert_true(decide(&p, &x).record);
	assert_string_equal(decide(&p, &x).key, "cgroup:/slurm/uid_1000/job_12");
	x.cgroup = "/user.slice/user-1000.slice/session-3.scope";
	assert_false(decide(&p, &x).record);
	x.environ = (struct strings)ENVIRON("SLURM_JOB_ID=12");
	assert_true(decide(&p, &x).record);
	policy_release(&p);
}

static void nothing_is_recorded_where_that_is_asked_for(void **state)
{
	struct policy p = policy_of("none", "0-5000", "");
	struct policy_process x = process_of(1000);

	x.environ = (struct strings)ENVIRON("SLURM_JOB_ID=12");
	assert_false(decide(&p, &x).record);
	assert_false(policy_covers(&p, 1000));
	policy_release(&p);
}

static void the_service_and_its_commands_are_never_recorded(void **state)
{
	struct policy p = policy_of("all", "0-5000", "");
	struct policy_process x = process_of(1000);

	x.own = true;
	assert_false(decide(&p, &x).record);
	x.own = false;
	x.of_service = true;
	assert_false(decide(&p, &x).record);
	x.of_service = false;
	x.of_recorded = true;
	assert_false(decide(&p, &x).record);
	x.of_recorded = false;
	assert_true(decide(&p, &x).record);
	assert_string_equal(decide(&p, &x).key, "");
	policy_release(&p);
}

static void a_user_cannot_give_a_job_any_name(void **state)
{
	char text[512] = "SLURM_JOB_ID=";
	struct policy p = policy_of("all", "0-5000", "");
	struct policy_process x = process_of(1000);

	memset(text + 13, '7', 400);
	x.environ = (struct strings){ text, strlen(text) + 1 };
	assert_string_equal(decide(&p, &x).key, "");
	policy_release(&p);
}

static void settings_that_make_no_sense_are_refused(void **state)
{
	static const char *const wrong[][2] = {
		{ "provd.uids", "x" },	  { "provd.uids", "5-2" }, { "provd.uids", "1-" },
		{ "provd.uids", "-1" },	  { "provd.uids", "1-99999999999" },
		{ "provd.jobs", "slurm" }, { "provd.jobs", ":X" }, { "provd.jobs", "slurm:" },
	};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct policy p;

		assert_int_equal(conf_set(wrong[i][0], wrong[i][1], "test"), 0);
		assert_int_equal(policy_read(&p), -EINVAL);
		policy_release(&p);
		conf_release();
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(users_outside_the_ranges_are_left_alone),
		cmocka_unit_test(a_job_is_one_run_whatever_scheduler_started_it),
		cmocka_unit_test(only_jobs_are_recorded_where_that_is_asked_for),
		cmocka_unit_test(nothing_is_recorded_where_that_is_asked_for),
		cmocka_unit_test(the_service_and_its_commands_are_never_recorded),
		cmocka_unit_test(a_user_cannot_give_a_job_any_name),
		cmocka_unit_test(settings_that_make_no_sense_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
