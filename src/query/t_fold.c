/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* t_fold.c - default views show what people work on */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "base/conf.h"
#include "query/scene.h"

static bool folds(const char *path, bool generated)
{
	struct run run = { .cwd = "/home/ada/work" };
	struct graph g = { .runs = &run, .n_runs = 1 };
	uint32_t entity = graph_node(&g, &(struct node){ .kind = NODE_ENTITY, .path = path });
	uint32_t activity = graph_node(&g, &(struct node){ .kind = NODE_ACTIVITY });
	bool folded;

	if (generated)
		graph_edge(&g, &(struct edge){
				       .from = entity, .to = activity, .kind = EDGE_GENERATED });
	query_fold(&g);
	folded = g.nodes[entity].flags & NODE_FOLDED;
	graph_release(&g);
	return folded;
}

static void the_system_is_folded(void **state)
{
	static const char *const paths[] = {
		"/usr/lib/x86_64-linux-gnu/libc.so.6",
		"/lib64/ld-linux-x86-64.so.2",
		"/usr/bin/sort",
		"/etc/ld.so.cache",
		"/usr/lib/locale/locale-archive",
		"/etc/nsswitch.conf",
		"/usr/lib/x86_64-linux-gnu/gconv/gconv-modules.cache",
		"/proc/self/maps",
		"/sys/devices/system/cpu/online",
		"/usr/share/zoneinfo/UTC",
		"/lib/terminfo/x/xterm",
		"/etc/ssl/openssl.cnf",
		"/usr/lib/python3.11/os.py",
		"/usr/share/perl/5.36/strict.pm",
		"/usr/lib/R/library/base/R/base",
		"/home/ada/.cache/fontconfig/x",
		"/home/ada/work/__pycache__/m.cpython-311.pyc",
		"/home/ada/venv/lib/python3.11/site-packages/numpy/a.py",
		"/home/ada/conda/lib/libz.so.1",
	};

	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
		if (!folds(paths[i], false))
			fail_msg("%s is shown", paths[i]);
}

static void data_is_never_folded(void **state)
{
	static const char *const paths[] = {
		"/home/ada/work/ref.fa",
		"/home/ada/x",
		"/tmp/sort123",
		"/data/lib/table.csv",
		"/scratch/usr/bin/x",
		"/home/ada/work/plugin.so",
		"/home/ada/work/lib/python3.11/own.py",
		"/dev/shm/data.bin",
		"/home/ada/cache/file",
		"/opt/data/file",
		"pipe:[7]",
		"",
		"/",
		"/home/ada/bin/tool",
	};

	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
		if (folds(paths[i], false))
			fail_msg("%s is hidden", paths[i]);
	assert_false(folds("/home/ada/build/libmine.so", true));
	assert_true(folds("/home/ada/build/libother.so", false));
}

static void own_patterns_come_from_the_settings(void **state)
{
	assert_false(folds("/home/ada/work/run.log", false));
	assert_int_equal(conf_set("fold", "*.log, /scratch/*", "test"), 0);
	assert_true(folds("/home/ada/work/run.log", false));
	assert_true(folds("/scratch/x", false));
	assert_false(folds("/home/ada/work/run.txt", false));
	assert_int_equal(conf_set("fold", "", "test"), 0);
}

static bool shown(const struct node *n)
{
	return n && !(n->flags & NODE_FOLDED);
}

enum { RUN = 1, SHELL = 10, FORK = 11, TOOL = 12, READER = 13, IN = 50, OUT = 51 };

static void a_fork_that_only_redirects_and_execs_is_folded(void **state)
{
	struct access cut = { .exec = scene_id(FORK),
			      .object = scene_id(OUT),
			      .path = "/d/out",
			      .flags = ACCESS_TRUNCATE,
			      .opened = 120,
			      .truncated = 120 };
	struct scene c;

	scene_open(&c);
	scene_run(&c, RUN, SHELL, 100);
	scene_exec(&c, RUN, SHELL, 0, HOW_ROOT, 100, "sh");
	scene_exec(&c, RUN, FORK, SHELL, HOW_FORK, 110, "sh");
	scene_exec(&c, RUN, TOOL, FORK, HOW_EXEC, 130, "tool");
	scene_exec(&c, RUN, READER, SHELL, HOW_FORK, 140, "sh");
	scene_access(&c, cut);
	scene_access(&c, scene_write(TOOL, OUT, "/d/out", 200, 210));
	scene_access(&c, scene_read(READER, OUT, "/d/out", 220, 230));
	scene_show(&c, RUN);
	assert_false(shown(scene_activity(&c, FORK)));
	assert_true(shown(scene_activity(&c, SHELL)));
	assert_true(shown(scene_activity(&c, TOOL)));
	assert_false(shown(scene_activity(&c, READER)));
	scene_close(&c);
}

/* Whom does a default view credit with what an execution did? 0: itself. */
static int credited(const struct scene *c, int exec)
{
	const struct node *n = scene_activity(c, exec);

	return n->credited ? (int)c->g.nodes[n->credited - 1].pid : 0;
}

enum { CAT = 14, SED = 15, PIPE = 60, PIPE2 = 61 };

/* x=$(cat in | sed ...), and what may come besides. */
static void answering(struct scene *c, const char *reader)
{
	scene_open(c);
	scene_run(c, RUN, SHELL, 100);
	scene_exec(c, RUN, SHELL, 0, HOW_ROOT, 100, "bash");
	scene_exec(c, RUN, FORK, SHELL, HOW_FORK, 110, "bash");
	scene_exec(c, RUN, CAT, FORK, HOW_SPAWN, 120, "cat");
	scene_exec(c, RUN, SED, FORK, HOW_SPAWN, 121, "sed");
	scene_exec(c, RUN, READER, SHELL, HOW_SPAWN, 300, reader);
	scene_object(c, PIPE, OBJECT_PIPE);
	scene_object(c, PIPE2, OBJECT_PIPE);
	scene_access(c, scene_read(CAT, IN, "/d/in", 130, 131));
	scene_access(c, scene_write(CAT, PIPE, "pipe:[1]", 132, 133));
	scene_access(c, scene_read(SED, PIPE, "pipe:[1]", 140, 141));
	scene_access(c, scene_write(SED, PIPE2, "pipe:[2]", 150, 151));
	scene_access(c, scene_read(SHELL, PIPE2, "pipe:[2]", 170, 180));
	scene_access(c, scene_write(SHELL, OUT, "/d/out", 200, 210));
}

static void utilities_that_answer_their_shell_are_credited_to_it(void **state)
{
	struct scene c;

	answering(&c, "tool");
	for (int whole = 0; whole < 2; whole++) {
		if (whole)
			scene_show(&c, RUN);
		else
			scene_lineage(&c, OUT);
		assert_int_equal(credited(&c, SED), SHELL);
		assert_int_equal(credited(&c, CAT), SHELL);
		assert_int_equal(credited(&c, FORK), SHELL);
		assert_int_equal(credited(&c, SHELL), 0);
		assert_false(shown(scene_activity(&c, SED)));
	}
	assert_int_equal(credited(&c, READER), 0);
	scene_close(&c);
}

static void utilities_that_leave_something_are_steps(void **state)
{
	struct scene c;

	answering(&c, "tool");
	scene_access(&c, scene_write(SED, READER, "/d/log", 155, 156));
	scene_show(&c, RUN);
	assert_int_equal(credited(&c, SED), 0);
	assert_int_equal(credited(&c, CAT), 0); /* "cat in | sed ..." is one pipeline */
	scene_close(&c);

	answering(&c, "tool");
	scene_access(&c, scene_read(READER, PIPE2, "pipe:[2]", 310, 320));
	scene_show(&c, RUN);
	assert_int_equal(credited(&c, SED), 0);
	scene_close(&c);

	answering(&c, "bash"); /* a fork of the same shell would be another matter */
	scene_access(&c, scene_read(READER, PIPE2, "pipe:[2]", 310, 320));
	scene_show(&c, RUN);
	assert_int_equal(credited(&c, SED), 0);
	scene_close(&c);
}

/* What "python3 -c 'import json'" reads, and one file of data. */
static void a_python_import_shows_a_handful_of_nodes(void **state)
{
	struct scene c;
	char path[64];
	size_t n = 0;

	scene_open(&c);
	scene_run(&c, RUN, SHELL, 100);
	scene_exec(&c, RUN, SHELL, 0, HOW_ROOT, 100, "python3");
	for (int i = 0; i < 120; i++) {
		snprintf(path, sizeof(path),
			 i % 2 ? "/usr/lib/python3.11/json/m%d.py"
			       : "/usr/lib/python3.11/json/__pycache__/m%d.cpython-311.pyc",
			 i);
		scene_access(&c, scene_read(SHELL, 1000 + i, path, 110 + i, 111 + i));
	}
	scene_access(&c, scene_read(SHELL, IN, "/home/ada/work/in.json", 300, 301));
	scene_access(&c, scene_write(SHELL, OUT, "/home/ada/work/out.json", 310, 311));
	scene_lineage(&c, OUT);
	assert_true(c.g.n_nodes > 120);
	for (size_t i = 0; i < c.g.n_nodes; i++)
		n += !(c.g.nodes[i].flags & NODE_FOLDED);
	assert_in_range(n, 4, 20);
	assert_true(shown(scene_entity(&c, IN, 0)));
	scene_close(&c);
}

static void a_program_is_folded_unless_its_making_is_known(void **state)
{
	struct access image = { .exec = scene_id(TOOL),
				.object = scene_id(IN),
				.flags = ACCESS_LOAD,
				.path = "/home/ada/bin/x",
				.opened = 120 }; /* as every scene's exe */
	struct scene c;

	scene_open(&c);
	scene_run(&c, RUN, SHELL, 100);
	scene_exec(&c, RUN, TOOL, 0, HOW_ROOT, 110, "tool");
	scene_access(&c, image);
	scene_access(&c, scene_write(TOOL, OUT, "/d/out", 200, 210));
	scene_lineage(&c, OUT);
	assert_false(shown(scene_entity(&c, IN, 0)));
	scene_access(&c, scene_write(SHELL, IN, "/home/ada/bin/x", 90, 91));
	scene_lineage(&c, OUT);
	assert_true(shown(scene_entity(&c, IN, 1)));
	scene_close(&c);
}

static void what_was_asked_about_is_never_folded(void **state)
{
	struct scene c;

	scene_open(&c);
	scene_access(&c, scene_write(TOOL, OUT, "/usr/lib/libx.so", 200, 210));
	scene_lineage(&c, OUT);
	assert_true(shown(scene_entity(&c, OUT, 1)));
	scene_close(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_system_is_folded),
		cmocka_unit_test(data_is_never_folded),
		cmocka_unit_test(own_patterns_come_from_the_settings),
		cmocka_unit_test(a_fork_that_only_redirects_and_execs_is_folded),
		cmocka_unit_test(utilities_that_answer_their_shell_are_credited_to_it),
		cmocka_unit_test(utilities_that_leave_something_are_steps),
		cmocka_unit_test(a_python_import_shows_a_handful_of_nodes),
		cmocka_unit_test(a_program_is_folded_unless_its_making_is_known),
		cmocka_unit_test(what_was_asked_about_is_never_folded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
