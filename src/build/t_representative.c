/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* t_representative.c - who is shown as a step, and who is credited to whom */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/conf.h"
#include "build/representative.h"

/* A tree as a test writes it: parents by their position, -1 none. */
struct born {
	int parent;
	enum how how;
	const char *command; /* "" for a fork that never called exec */
	enum yield yield;
	int by; /* expected: the representative */
};

static struct strings words(struct arena *a, const char *command)
{
	size_t n = strlen(command) + 1;
	char *p = arena_copy(a, command, n);

	for (char *at = p; *at; at++)
		if (*at == ' ')
			*at = 0;
	return (struct strings){ p, command[0] ? n : 0 };
}

static struct kin kin_of(struct arena *a, const struct born *b)
{
	struct kin x = { .parent = b->parent < 0 ? KIN_NONE : (uint32_t)b->parent,
			 .how = b->how,
			 .yield = b->yield,
			 .argv = words(a, b->command) };
	const char *name = strings_next(&x.argv, NULL);

	x.role = role_of(NULL, name ? name : "");
	return x;
}

static void check(const struct born *tree, size_t n)
{
	struct arena a = { 0 };
	struct kin *x = arena_alloc(&a, n * sizeof(*x)), *turned = arena_alloc(&a, n * sizeof(*x));
	uint32_t *out = arena_alloc(&a, n * sizeof(*out)),
		 *back = arena_alloc(&a, n * sizeof(*out));

	for (size_t i = 0; i < n; i++) {
		x[i] = kin_of(&a, &tree[i]);
		turned[n - 1 - i] = x[i];
		if (x[i].parent != KIN_NONE)
			turned[n - 1 - i].parent = (uint32_t)(n - 1 - x[i].parent);
	}
	representatives(&a, x, n, out);
	representatives(&a, turned, n, back);
	for (size_t i = 0; i < n; i++) {
		if (out[i] != (uint32_t)tree[i].by)
			fail_msg("%zu '%s' is credited to %u, not to %d", i, tree[i].command,
				 out[i], tree[i].by);
		assert_int_equal(back[n - 1 - i], n - 1 - out[i]);
	}
	arena_release(&a);
}

#define CHECK(tree) check(tree, sizeof(tree) / sizeof(tree[0]))

/* LPS, Figure 5: "mpiexec -n 3 ./mpitest" with MPICH, from a shell whose prompt
 * calls sed. */
static void figure_5_keeps_mpiexec_and_its_ranks(void **state)
{
	static const struct born tree[] = {
		{ -1, HOW_UNKNOWN, "-bash", YIELD_NONE, 0 },
		{ 0, HOW_FORK, "", YIELD_NONE, 0 },
		{ 1, HOW_FORK, "", YIELD_ANSWER, 0 },
		{ 1, HOW_SPAWN, "sed s/x/y/", YIELD_ANSWER, 0 },
		{ 0, HOW_SPAWN, "mpiexec -n 3 ./mpitest", YIELD_NONE, 4 },
		{ 4, HOW_SPAWN, "/usr/bin/hydra_pmi_proxy --control-port node1:4321", YIELD_NONE,
		  4 },
		{ 5, HOW_SPAWN, "./mpitest", YIELD_OWN, 6 },
		{ 5, HOW_SPAWN, "./mpitest", YIELD_OWN, 7 },
		{ 5, HOW_SPAWN, "./mpitest", YIELD_NONE, 8 },
		{ 0, HOW_FORK, "", YIELD_NONE, 0 },
		{ 9, HOW_FORK, "", YIELD_OWN, 0 },
		{ 4, HOW_FORK, "", YIELD_OWN, 4 },
	};

	CHECK(tree);
}

/* Open MPI 4 forks its ranks itself, on other nodes through ssh and orted;
 * mpirun of version 5 becomes prterun. */
static void every_runtime_is_credited_to_its_launcher(void **state)
{
	static const struct born local[] = {
		{ -1, HOW_ROOT, "mpirun -n 2 ./mpitest", YIELD_NONE, 0 },
		{ 0, HOW_EXEC, "prterun -n 2 ./mpitest", YIELD_NONE, 0 },
		{ 1, HOW_SPAWN, "hostname", YIELD_NONE, 0 },
		{ 1, HOW_SPAWN, "ssh node2 prted", YIELD_OWN, 0 },
		{ 1, HOW_SPAWN, "/bin/sh -c prted", YIELD_NONE, 0 },
		{ 4, HOW_EXEC, "prted", YIELD_NONE, 0 },
		{ 5, HOW_FORK, "prted", YIELD_NONE, 0 },
		{ 6, HOW_EXEC, "./mpitest", YIELD_OWN, 7 },
	};
	static const struct born remote[] = {
		{ -1, HOW_UNKNOWN, "sshd", YIELD_NONE, 0 },
		{ 0, HOW_SPAWN, "bash -c orted", YIELD_NONE, 1 },
		{ 1, HOW_EXEC, "orted -mca ess env", YIELD_NONE, 1 },
		{ 2, HOW_SPAWN, "./mpitest", YIELD_NONE, 3 },
	};
	static const struct born slurm[] = {
		{ -1, HOW_UNKNOWN, "slurmstepd", YIELD_NONE, 0 },
		{ 0, HOW_SPAWN, "/bin/bash /var/spool/slurmd/job7/slurm_script", YIELD_NONE, 1 },
		{ 1, HOW_SPAWN, "srun ./mpitest", YIELD_NONE, 2 },
		{ 1, HOW_SPAWN, "./solver", YIELD_NONE, 3 },
		{ 0, HOW_SPAWN, "./mpitest", YIELD_NONE, 4 },
	};

	CHECK(local);
	CHECK(remote);
	CHECK(slurm);
}

/* What the user asked the launcher for is a rank, whatever it is. */
static void ranks_may_be_scripts_and_utilities(void **state)
{
	static const struct born utility[] = {
		{ -1, HOW_ROOT, "mpiexec -n 1 hostname", YIELD_NONE, 0 },
		{ 0, HOW_FORK, "mpiexec -n 1 hostname", YIELD_NONE, 0 },
		{ 1, HOW_EXEC, "hostname", YIELD_ANSWER, 2 },
	};
	static const struct born script[] = {
		{ -1, HOW_ROOT, "mpiexec -n 1 ./each.py", YIELD_NONE, 0 },
		{ 0, HOW_SPAWN, "/usr/bin/env python3 ./each.py", YIELD_NONE, 1 },
		{ 1, HOW_EXEC, "python3 ./each.py", YIELD_NONE, 2 },
		{ 2, HOW_SPAWN, "hostname", YIELD_ANSWER, 2 },
		{ 2, HOW_SPAWN, "./solver", YIELD_OWN, 4 },
		{ 4, HOW_SPAWN, "sh -c cat*", YIELD_NONE, 4 },
	};

	CHECK(utility);
	CHECK(script);
}

static void helpers_of_a_rank_are_credited_to_it(void **state)
{
	static const struct born tree[] = {
		{ -1, HOW_ROOT, "mpiexec ./mpitest", YIELD_NONE, 0 },
		{ 0, HOW_SPAWN, "./mpitest", YIELD_OWN, 1 },
		{ 1, HOW_FORK, "./mpitest", YIELD_OWN, 1 },
		{ 1, HOW_SPAWN, "sh -c sed", YIELD_NONE, 1 },
		{ 3, HOW_EXEC, "sed s/x/y/ in", YIELD_OWN, 1 },
		{ 1, HOW_SPAWN, "./converter", YIELD_OWN, 1 },
	};

	CHECK(tree);
}

static void commands_of_a_shell_are_steps(void **state)
{
	static const struct born tree[] = {
		{ -1, HOW_ROOT, "./pipeline.sh", YIELD_NONE, 0 },
		{ 0, HOW_EXEC, "/bin/sh ./pipeline.sh", YIELD_NONE, 1 },
		{ 1, HOW_FORK, "/bin/sh ./pipeline.sh", YIELD_OWN, 1 },
		{ 2, HOW_EXEC, "bwa mem ref.fa", YIELD_OWN, 3 },
		{ 2, HOW_FORK, "/bin/sh ./pipeline.sh", YIELD_NONE, 1 },
		{ 4, HOW_EXEC, "samtools sort -o x.bam", YIELD_OWN, 5 },
		{ 1, HOW_SPAWN, "samtools view -c x.bam", YIELD_ANSWER, 6 },
		{ 1, HOW_SPAWN, "grep -c x list", YIELD_ANSWER, 1 },
		{ 1, HOW_SPAWN, "grep x list", YIELD_OWN, 8 },
		{ 1, HOW_SPAWN, "grep -q x list", YIELD_NONE, 9 },
		{ 1, HOW_SPAWN, "make -j4", YIELD_NONE, 10 },
		{ 10, HOW_SPAWN, "gcc -c a.c", YIELD_NONE, 11 },
		{ 11, HOW_SPAWN, "/usr/lib/gcc/cc1 a.c", YIELD_OWN, 11 },
		{ 11, HOW_SPAWN, "as -o a.o", YIELD_OWN, 11 },
		{ 1, HOW_SPAWN, "python3.11 drive.py", YIELD_NONE, 14 },
		{ 14, HOW_SPAWN, "bwa index", YIELD_OWN, 15 },
		{ 14, HOW_SPAWN, "uname -p", YIELD_ANSWER, 14 },
		{ 1, HOW_SPAWN, "mpiexec ./mpitest", YIELD_NONE, 17 },
	};

	CHECK(tree);
}

/* A tool calls system() or popen(): a person's command, or a small help? */
static void a_shell_below_a_tool_starts_commands(void **state)
{
	static const struct born tree[] = {
		{ -1, HOW_ROOT, "./wrapper", YIELD_NONE, 0 },
		{ 0, HOW_EXEC, "./driver", YIELD_OWN, 1 },
		{ 1, HOW_SPAWN, "sh -c bwa", YIELD_NONE, 1 },
		{ 2, HOW_EXEC, "bwa index ref.fa", YIELD_OWN, 3 },
		{ 1, HOW_SPAWN, "sh -c cat", YIELD_NONE, 1 },
		{ 4, HOW_SPAWN, "cat conf", YIELD_NONE, 1 },
		{ 4, HOW_SPAWN, "sort -o x y", YIELD_OWN, 6 },
		{ 1, HOW_SPAWN, "./part", YIELD_OWN, 1 },
		{ 1, HOW_SPAWN, "mpiexec ./mpitest", YIELD_NONE, 8 },
		{ 8, HOW_SPAWN, "./mpitest", YIELD_OWN, 9 },
	};

	CHECK(tree);
}

static void names_come_from_the_settings_too(void **state)
{
	static const struct born plain[] = {
		{ -1, HOW_ROOT, "bash", YIELD_NONE, 0 },
		{ 0, HOW_SPAWN, "./flow", YIELD_NONE, 1 },
		{ 1, HOW_SPAWN, "./part", YIELD_OWN, 1 },
		{ 0, HOW_SPAWN, "sitempi -n 2 hostname", YIELD_NONE, 3 },
		{ 3, HOW_SPAWN, "rankd", YIELD_NONE, 3 },
		{ 4, HOW_SPAWN, "hostname", YIELD_NONE, 3 },
		{ 0, HOW_SPAWN, "whichnode", YIELD_ANSWER, 6 },
	};
	static const struct born set[] = {
		{ -1, HOW_ROOT, "bash", YIELD_NONE, 0 },
		{ 0, HOW_SPAWN, "./flow", YIELD_NONE, 1 },
		{ 1, HOW_SPAWN, "./part", YIELD_OWN, 2 },
		{ 0, HOW_SPAWN, "sitempi -n 2 hostname", YIELD_NONE, 3 },
		{ 3, HOW_SPAWN, "rankd", YIELD_NONE, 3 },
		{ 4, HOW_SPAWN, "hostname", YIELD_NONE, 5 },
		{ 0, HOW_SPAWN, "whichnode", YIELD_ANSWER, 0 },
	};

	CHECK(plain);
	assert_int_equal(conf_set("shells", "flow", "test"), 0);
	assert_int_equal(conf_set("launchers", "site*, rankd", "test"), 0);
	assert_int_equal(conf_set("helpers", "x,which*", "test"), 0);
	CHECK(set);
	conf_release();
}

static void a_circle_of_parents_is_opened(void **state)
{
	static const struct born tree[] = {
		{ 1, HOW_FORK, "./a", YIELD_NONE, 1 },
		{ 0, HOW_FORK, "./a", YIELD_NONE, 1 },
		{ 2, HOW_FORK, "./b", YIELD_NONE, 2 },
	};
	struct arena a = { 0 };
	struct kin x[3];
	uint32_t out[3];

	for (int i = 0; i < 3; i++)
		x[i] = kin_of(&a, &tree[i]);
	representatives(&a, x, 3, out);
	assert_int_equal(out[0], out[1]);
	assert_int_equal(out[2], 2);
	arena_release(&a);
}

/* What somebody who decides as events come in keeps of a living process. */
struct alive {
	struct standing s;
	struct kin x;
};

/*
 * LPS, Figure 12: the number of processes grows steadily, what is kept to
 * decide does not. A script and a launcher start ten thousand, of which a few
 * live at a time; the answer is that of the whole tree, and a fork never waits.
 */
static void figure_12_nothing_waits_while_processes_come_and_go(void **state)
{
	enum { PROCESSES = 10000, LIVING = 8 };
	static const struct born kinds[] = {
		{ 0, HOW_FORK, "", YIELD_OWN, 0 },
		{ 0, HOW_SPAWN, "samtools view", YIELD_OWN, 0 },
		{ 0, HOW_SPAWN, "mpiexec ./mpitest", YIELD_OWN, 0 },
		{ 0, HOW_SPAWN, "hydra_pmi_proxy", YIELD_OWN, 0 },
		{ 0, HOW_SPAWN, "./mpitest", YIELD_OWN, 0 },
		{ 0, HOW_SPAWN, "sh -c x", YIELD_OWN, 0 },
	};
	struct arena a = { 0 };
	struct kin *x = arena_alloc(&a, PROCESSES * sizeof(*x));
	uint32_t *out = arena_alloc(&a, PROCESSES * sizeof(*out));
	uint32_t *by = arena_alloc(&a, PROCESSES * sizeof(*by));
	struct alive alive[LIVING] = { 0 }; /* slot: number modulo LIVING */
	size_t n_named = 0;

	srand(12);
	for (uint32_t i = 0; i < PROCESSES; i++) {
		uint32_t back = 1 + (uint32_t)rand() % (LIVING - 1);
		struct standing s;

		x[i] = kin_of(&a, &kinds[(size_t)rand() % 6]);
		x[i].parent = i < back ? KIN_NONE : i - back;
		s = standing_of(&x[i], i < back ? NULL : &alive[(i - back) % LIVING].s);
		by[i] = s.credited ? by[i - back] : i;
		alive[i % LIVING] = (struct alive){ s, x[i] };
		n_named += !s.credited;
	}
	representatives(&a, x, PROCESSES, out);
	assert_memory_equal(by, out, PROCESSES * sizeof(*out));
	assert_in_range(n_named, 10, PROCESSES / 2);
	arena_release(&a);
}

static void roles_are_told_by_names(void **state)
{
	static const struct {
		const char *exe, *argv0;
		enum role role;
	} said[] = {
		{ "/usr/bin/dash", "./pipeline.sh", ROLE_SHELL },
		{ "/usr/bin/python3.11", "python", ROLE_SHELL },
		{ "/usr/bin/python3.11-config", NULL, ROLE_TOOL },
		{ "/usr/bin/orterun", "mpiexec", ROLE_LAUNCHER },
		{ "/opt/mpich/bin/mpiexec.hydra", "mpiexec", ROLE_LAUNCHER },
		{ "/opt/prte/bin/prted", NULL, ROLE_PROXY },
		{ "/usr/bin/busybox", "sed", ROLE_HELPER },
		{ "/usr/bin/busybox", "sh", ROLE_SHELL },
		{ "", "-bash", ROLE_SHELL },
		{ "/home/ada/shine", "shine", ROLE_TOOL },
		{ "", "", ROLE_TOOL },
		{ NULL, NULL, ROLE_TOOL },
	};

	for (size_t i = 0; i < sizeof(said) / sizeof(said[0]); i++)
		if (role_of(said[i].exe, said[i].argv0) != said[i].role)
			fail_msg("%s (%s) is taken for %d", said[i].exe, said[i].argv0,
				 (int)role_of(said[i].exe, said[i].argv0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(figure_5_keeps_mpiexec_and_its_ranks),
		cmocka_unit_test(every_runtime_is_credited_to_its_launcher),
		cmocka_unit_test(ranks_may_be_scripts_and_utilities),
		cmocka_unit_test(helpers_of_a_rank_are_credited_to_it),
		cmocka_unit_test(commands_of_a_shell_are_steps),
		cmocka_unit_test(a_shell_below_a_tool_starts_commands),
		cmocka_unit_test(names_come_from_the_settings_too),
		cmocka_unit_test(a_circle_of_parents_is_opened),
		cmocka_unit_test(figure_12_nothing_waits_while_processes_come_and_go),
		cmocka_unit_test(roles_are_told_by_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
