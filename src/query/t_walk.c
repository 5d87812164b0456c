/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* t_walk.c - lineage, impact and run graphs of small known histories */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "query/scene.h"

enum { NONE = 0, POSSIBLE = 1, CERTAIN = 2 };
enum { RUN = 1, ROOT = 10, A = 11, B = 12, C = 13, IN = 50, OUT = 51, MID = 52, OTHER = 53 };

/* One run whose shell ROOT started A, B and C. */
static void begin(struct scene *c)
{
	scene_open(c);
	scene_run(c, RUN, ROOT, 100);
	scene_exec(c, RUN, ROOT, 0, HOW_ROOT, 100, "pipeline.sh");
	scene_exec(c, RUN, A, ROOT, HOW_SPAWN, 110, "a");
	scene_exec(c, RUN, B, ROOT, HOW_SPAWN, 110, "b");
	scene_exec(c, RUN, C, ROOT, HOW_SPAWN, 110, "c");
}

static void an_output_derives_from_what_its_writer_had_read(void **state)
{
	struct scene c;

	begin(&c);
	scene_access(&c, scene_read(A, IN, "/d/in", 200, 210));
	scene_access(&c, scene_write(A, OUT, "/d/out", 220, 230));
	scene_lineage(&c, OUT);
	assert_int_equal(scene_made(&c, OUT, 1, A), CERTAIN);
	assert_int_equal(scene_used(&c, A, IN, 0), CERTAIN);
	assert_int_equal(scene_derived(&c, OUT, 1, IN, 0), CERTAIN);
	assert_int_equal(scene_informed(&c, A, ROOT), CERTAIN);
	assert_null(scene_activity(&c, B));
	assert_int_equal(c.g.nodes[c.g.root].version, 1);
	assert_string_equal(c.g.nodes[c.g.root].label, "/d/out");
	assert_int_equal(scene_entity(&c, OUT, 1)->generated, 230 + SCENE_SHIFT);
	assert_int_equal(scene_edges(&c, EDGE_ASSOCIATED), 2);
	assert_int_equal(c.g.n_runs, 1);
	scene_close(&c);
}

static void an_input_read_after_the_last_write_is_not_in_the_lineage(void **state)
{
	struct scene c;

	begin(&c);
	scene_access(&c, scene_read(A, IN, "/d/in", 200, 210));
	scene_access(&c, scene_write(A, OUT, "/d/out", 150, 190));
	scene_lineage(&c, OUT);
	assert_false(scene_has_object(&c, IN));
	scene_show(&c, RUN);
	assert_int_equal(scene_used(&c, A, IN, 0), CERTAIN);
	assert_int_equal(scene_derived(&c, OUT, 1, IN, 0), NONE);
	scene_impact(&c, IN);
	assert_false(scene_has_object(&c, OUT));
	scene_close(&c);
}

static void inside_one_execution_a_coarse_clock_still_orders_exactly(void **state)
{
	struct access w = scene_write(A, OUT, "/d/out", 150, 190);
	struct scene c;

	begin(&c);
	w.fuzz = 50; /* the write may be as late as 240 */
	w.closed = 0;
	scene_access(&c, w);
	scene_access(&c, scene_read(A, IN, "/d/in", 200, 210));
	scene_lineage(&c, OUT);
	assert_false(scene_has_object(&c, IN));
	scene_close(&c);
}

static void between_executions_a_coarse_clock_makes_an_edge_possible(void **state)
{
	struct access w = scene_write(A, MID, "/d/mid", 150, 190);
	struct scene c;

	begin(&c);
	w.fuzz = 50;
	w.closed = 0;
	scene_access(&c, w);
	scene_access(&c, scene_read(B, MID, "/d/mid", 200, 210));
	scene_access(&c, scene_write(B, OUT, "/d/out", 260, 270));
	scene_lineage(&c, OUT);
	assert_int_equal(scene_made(&c, MID, 1, A), CERTAIN);
	assert_int_equal(scene_used(&c, B, MID, 1), POSSIBLE);
	scene_close(&c);
}

/* E2 reads before E1's first write, while E1 has the file open. */
static void first_last_removes_what_open_close_must_assume(void **state)
{
	struct access w = scene_write(A, MID, "/d/mid", 300, 310);
	struct access coarse = w;
	struct scene c;

	begin(&c);
	w.opened = 100;
	scene_access(&c, w);
	scene_access(&c, scene_read(B, MID, "/d/mid", 200, 210));
	scene_access(&c, scene_write(B, OUT, "/d/out", 220, 230));
	scene_lineage(&c, OUT);
	assert_null(scene_activity(&c, A));
	scene_close(&c);

	begin(&c);
	coarse.opened = 100;
	coarse.first_write = coarse.last_write = 0;
	scene_access(&c, coarse);
	scene_access(&c, scene_read(B, MID, "/d/mid", 200, 210));
	scene_access(&c, scene_write(B, OUT, "/d/out", 220, 230));
	scene_lineage(&c, OUT);
	assert_non_null(scene_activity(&c, A));
	assert_int_equal(scene_used(&c, B, MID, 1), POSSIBLE);
	scene_close(&c);
}

static void the_bound_of_time_is_carried_down(void **state)
{
	struct scene c;

	begin(&c);
	/* A reads IN late; B has read what A wrote long before */
	scene_access(&c, scene_write(A, MID, "/d/mid", 150, 400));
	scene_access(&c, scene_read(A, IN, "/d/in", 300, 310));
	scene_access(&c, scene_read(B, MID, "/d/mid", 160, 170));
	scene_access(&c, scene_write(B, OUT, "/d/out", 180, 190));
	scene_lineage(&c, OUT);
	assert_non_null(scene_activity(&c, A));
	assert_false(scene_has_object(&c, IN));
	assert_int_equal(scene_entity(&c, MID, 1)->generated, 170 + SCENE_SHIFT);
	scene_lineage(&c, MID);
	assert_true(scene_has_object(&c, IN));
	scene_close(&c);
}

/* C is in the lineage for what it wrote to OTHER, but began to write MID only
 * after B had last read what matters for OUT. */
static void who_began_after_the_bound_is_no_maker(void **state)
{
	struct scene c;

	begin(&c);
	scene_access(&c, scene_write(A, MID, "/d/mid", 150, 400));
	scene_access(&c, scene_write(C, MID, "/d/mid", 168, 350));
	scene_access(&c, scene_write(C, OTHER, "/d/other", 120, 130));
	scene_access(&c, scene_read(B, OTHER, "/d/other", 140, 145));
	scene_access(&c, scene_read(B, MID, "/d/mid", 160, 170));
	scene_access(&c, scene_write(B, OUT, "/d/out", 163, 165));
	scene_lineage(&c, OUT);
	assert_int_equal(scene_made(&c, MID, 1, A), CERTAIN);
	assert_int_equal(scene_made(&c, OTHER, 1, C), CERTAIN);
	assert_int_equal(scene_made(&c, MID, 1, C), NONE);
	assert_true(scene_entity(&c, MID, 1)->flags & NODE_PARTIAL);
	scene_show(&c, RUN);
	assert_int_equal(scene_made(&c, MID, 1, C), CERTAIN);
	scene_close(&c);
}

static void a_version_derives_from_the_one_before_unless_it_was_cut(void **state)
{
	struct access w = scene_write(B, OUT, "/d/out", 300, 310);
	struct scene c;

	begin(&c);
	scene_access(&c, scene_write(A, OUT, "/d/out", 200, 210));
	scene_access(&c, w);
	scene_lineage(&c, OUT);
	assert_int_equal(scene_derived(&c, OUT, 2, OUT, 1), CERTAIN);
	assert_int_equal(scene_derived(&c, OUT, 1, OUT, 0), CERTAIN);
	assert_non_null(scene_activity(&c, A));
	w.flags |= ACCESS_TRUNCATE;
	w.truncated = 299;
	scene_access(&c, w);
	scene_lineage(&c, OUT);
	assert_null(scene_entity(&c, OUT, 1));
	assert_null(scene_activity(&c, A));
	scene_close(&c);
}

static void a_file_made_under_another_name_is_shown_under_its_newest(void **state)
{
	struct scene c;

	begin(&c);
	scene_object(&c, OUT, OBJECT_FILE);
	scene_access(&c, scene_write(A, OUT, "/d/out.tmp", 200, 210));
	scene_name(&c, A, OUT, NAME_RENAME, "/d/out.tmp", "/d/out", 220);
	scene_access(&c, scene_write(B, OTHER, "/d/out", 100, 110)); /* what it replaced */
	scene_name(&c, B, OTHER, NAME_UNLINK, "/d/out", "", 150);
	scene_lineage(&c, OUT);
	assert_string_equal(scene_entity(&c, OUT, 1)->path, "/d/out");
	assert_null(scene_activity(&c, B));
	scene_lineage_of(&c, OUT, 0, 215);
	assert_string_equal(scene_entity(&c, OUT, 1)->path, "/d/out.tmp");
	scene_lineage(&c, OTHER);
	assert_true(scene_entity(&c, OTHER, 1)->flags & NODE_DELETED);
	scene_close(&c);
}

static void data_flows_through_a_pipe(void **state)
{
	struct scene c;

	begin(&c);
	scene_object(&c, MID, OBJECT_PIPE);
	scene_access(&c, scene_read(A, IN, "/d/in", 200, 290));
	scene_access(&c, scene_write(A, MID, "", 210, 300));
	scene_access(&c, scene_read(B, MID, "", 220, 310));
	scene_access(&c, scene_write(B, OUT, "/d/out", 230, 320));
	scene_lineage(&c, OUT);
	assert_true(scene_has_object(&c, IN));
	assert_int_equal(scene_derived(&c, OUT, 1, MID, 1), POSSIBLE);
	assert_int_equal(scene_derived(&c, MID, 1, IN, 0), CERTAIN);
	assert_string_equal(scene_entity(&c, MID, 1)->path, "pipe:[52]");
	scene_close(&c);
}

static void a_device_carries_nothing(void **state)
{
	struct scene c;

	begin(&c);
	scene_object(&c, MID, OBJECT_DEVICE);
	scene_access(&c, scene_write(A, MID, "/dev/null", 200, 210));
	scene_access(&c, scene_read(B, MID, "/dev/null", 220, 230));
	scene_access(&c, scene_write(B, OUT, "/d/out", 240, 250));
	scene_lineage(&c, OUT);
	assert_null(scene_activity(&c, A));
	assert_int_equal(scene_used(&c, B, MID, 0), CERTAIN);
	assert_true(scene_entity(&c, MID, 0)->flags & NODE_FOLDED);
	scene_close(&c);
}

static void a_fork_carries_what_its_parent_had_read_by_then(void **state)
{
	enum { CHILD = 20, GRANDCHILD = 21 };
	struct scene c;

	begin(&c);
	scene_access(&c, scene_read(A, IN, "/d/in", 200, 210));
	scene_access(&c, scene_read(A, OTHER, "/d/other", 400, 410));
	scene_exec(&c, RUN, CHILD, A, HOW_FORK, 300, "a");
	scene_exec(&c, RUN, GRANDCHILD, CHILD, HOW_FORK, 310, "a");
	scene_access(&c, scene_write(GRANDCHILD, OUT, "/d/out", 500, 510));
	scene_lineage(&c, OUT);
	assert_true(scene_has_object(&c, IN));
	assert_false(scene_has_object(&c, OTHER));
	assert_int_equal(scene_derived(&c, OUT, 1, IN, 0), CERTAIN);
	assert_int_equal(scene_informed(&c, GRANDCHILD, CHILD), CERTAIN);
	scene_impact(&c, IN);
	assert_true(scene_has_object(&c, OUT));
	scene_impact(&c, OTHER);
	assert_false(scene_has_object(&c, OUT));
	scene_close(&c);
}

static void an_exec_carries_no_data_but_says_who_started_it(void **state)
{
	enum { IMAGE = 20 };
	struct scene c;

	begin(&c);
	scene_access(&c, scene_read(A, IN, "/d/in", 200, 210));
	scene_exec(&c, RUN, IMAGE, A, HOW_EXEC, 300, "image");
	scene_access(&c, scene_write(IMAGE, OUT, "/d/out", 500, 510));
	scene_lineage(&c, OUT);
	assert_false(scene_has_object(&c, IN));
	assert_int_equal(scene_informed(&c, IMAGE, A), CERTAIN);
	assert_int_equal(scene_informed(&c, A, ROOT), CERTAIN);
	scene_close(&c);
}

static void who_only_redirected_is_shown_but_carries_nothing(void **state)
{
	struct access cut = { .exec = scene_id(A),
			      .object = scene_id(OUT),
			      .path = "/d/out",
			      .flags = ACCESS_CREATE | ACCESS_TRUNCATE,
			      .opened = 220,
			      .truncated = 220 };
	struct scene c;

	begin(&c);
	scene_access(&c, scene_read(A, IN, "/d/in", 200, 210));
	scene_access(&c, cut);
	scene_lineage(&c, OUT);
	assert_int_equal(scene_made(&c, OUT, 1, A), CERTAIN);
	assert_false(scene_has_object(&c, IN));
	scene_access(&c, scene_write(B, OUT, "/d/out", 300, 310));
	scene_lineage(&c, OUT);
	assert_int_equal(scene_made(&c, OUT, 1, B), CERTAIN);
	assert_null(scene_activity(&c, A));
	scene_close(&c);
}

static void what_the_engine_only_infers_is_possible(void **state)
{
	struct access r = scene_read(A, IN, "/d/in", 200, 210),
		      w = scene_write(A, OUT, "/d/out", 220, 230);
	struct scene c;

	begin(&c);
	r.flags |= ACCESS_UNSURE;
	scene_access(&c, r);
	scene_access(&c, w);
	scene_lineage(&c, OUT);
	assert_int_equal(scene_used(&c, A, IN, 0), POSSIBLE);
	assert_int_equal(scene_derived(&c, OUT, 1, IN, 0), POSSIBLE);
	assert_int_equal(scene_made(&c, OUT, 1, A), CERTAIN);
	scene_close(&c);
}

static void a_program_image_counts_as_used(void **state)
{
	struct access load = { .exec = scene_id(A),
			       .object = scene_id(OTHER),
			       .path = "/home/ada/prog",
			       .flags = ACCESS_LOAD,
			       .opened = 111 };
	struct scene c;

	begin(&c);
	scene_access(&c, scene_write(B, OTHER, "/home/ada/prog", 50, 60)); /* the compiler */
	scene_access(&c, load);
	scene_access(&c, scene_write(A, OUT, "/d/out", 220, 230));
	scene_lineage(&c, OUT);
	assert_int_equal(scene_used(&c, A, OTHER, 1), CERTAIN);
	assert_non_null(scene_activity(&c, B));
	scene_close(&c);
}

static void make_chain(struct scene *c)
{
	begin(c);
	scene_access(c, scene_read(A, IN, "/d/in", 200, 210));
	scene_access(c, scene_write(A, MID, "/d/mid", 220, 230));
	scene_access(c, scene_read(B, MID, "/d/mid", 240, 250));
	scene_access(c, scene_write(B, OTHER, "/d/other", 260, 270));
	scene_access(c, scene_read(C, OTHER, "/d/other", 280, 290));
	scene_access(c, scene_write(C, OUT, "/d/out", 300, 310));
}

static void depth_counts_executions(void **state)
{
	struct scene c;

	make_chain(&c);
	scene_lineage_of(&c, OUT, 2, 0);
	assert_non_null(scene_activity(&c, B));
	assert_true(scene_has_object(&c, MID));
	assert_null(scene_activity(&c, A));
	assert_true(c.g.truncated);
	scene_lineage_of(&c, OUT, 3, 0);
	assert_true(scene_has_object(&c, IN));
	assert_false(c.g.truncated);
	scene_close(&c);
}

static void an_earlier_moment_is_as_if_asked_then(void **state)
{
	struct scene c;

	make_chain(&c);
	scene_access(&c, scene_write(A, OUT, "/d/out", 400, 410));
	scene_lineage_of(&c, OUT, 0, 350);
	assert_int_equal(c.g.nodes[c.g.root].version, 1);
	assert_int_equal(scene_made(&c, OUT, 1, C), CERTAIN);
	scene_lineage_of(&c, OUT, 0, 305);
	assert_true(c.g.nodes[c.g.root].flags & NODE_PARTIAL);
	scene_lineage_of(&c, OUT, 0, 295);
	assert_null(scene_activity(&c, C));
	scene_lineage(&c, OUT);
	assert_int_equal(c.g.nodes[c.g.root].version, 2);
	scene_close(&c);
}

static void impact_is_the_mirror_image(void **state)
{
	struct scene c;

	make_chain(&c);
	scene_access(&c, scene_write(B, 60, "/d/before", 235, 236)); /* before B read MID */
	scene_impact(&c, IN);
	assert_int_equal(scene_derived(&c, OUT, 1, OTHER, 1), CERTAIN);
	assert_int_equal(scene_derived(&c, OTHER, 1, MID, 1), CERTAIN);
	assert_int_equal(scene_derived(&c, MID, 1, IN, 0), CERTAIN);
	assert_false(scene_has_object(&c, 60));
	scene_impact(&c, OTHER);
	assert_true(scene_has_object(&c, OUT));
	assert_null(scene_activity(&c, B));
	scene_close(&c);
}

/* A writes MID and reads OTHER, B writes OTHER and reads MID, all at once. */
static void two_that_feed_each_other_derive_one_way_only(void **state)
{
	struct scene c;

	begin(&c);
	scene_access(&c, scene_write(A, MID, "/d/mid", 200, 400));
	scene_access(&c, scene_read(A, OTHER, "/d/other", 210, 410));
	scene_access(&c, scene_write(B, OTHER, "/d/other", 220, 420));
	scene_access(&c, scene_read(B, MID, "/d/mid", 230, 430));
	scene_lineage(&c, MID);
	assert_true(scene_has_object(&c, OTHER));
	scene_lineage(&c, OTHER);
	assert_true(scene_has_object(&c, MID));
	scene_show(&c, RUN);
	assert_int_equal(scene_derived(&c, OTHER, 2, MID, 1), POSSIBLE);
	assert_int_equal(scene_derived(&c, MID, 1, OTHER, 2), NONE);
	scene_close(&c);
}

static void holes_of_the_runs_met_are_told(void **state)
{
	struct hole h = {
		.run = scene_id(RUN), .kind = "lost", .why = "events were lost", .count = 3
	};
	struct scene c;

	make_chain(&c);
	assert_int_equal(store_put(c.s, &(struct facts){ .holes = &h, .n_holes = 1 }), 0);
	scene_lineage(&c, OUT);
	assert_int_equal(c.g.n_holes, 1);
	assert_int_equal(c.g.holes[0].count, 3);
	scene_close(&c);
}

static void an_object_nobody_recorded_is_a_graph_of_one(void **state)
{
	struct scene c;

	scene_open(&c);
	scene_lineage(&c, OUT);
	assert_int_equal(c.g.n_nodes, 1);
	scene_impact(&c, OUT);
	assert_int_equal(c.g.n_nodes, 1);
	scene_close(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_output_derives_from_what_its_writer_had_read),
		cmocka_unit_test(an_input_read_after_the_last_write_is_not_in_the_lineage),
		cmocka_unit_test(inside_one_execution_a_coarse_clock_still_orders_exactly),
		cmocka_unit_test(between_executions_a_coarse_clock_makes_an_edge_possible),
		cmocka_unit_test(first_last_removes_what_open_close_must_assume),
		cmocka_unit_test(the_bound_of_time_is_carried_down),
		cmocka_unit_test(who_began_after_the_bound_is_no_maker),
		cmocka_unit_test(a_version_derives_from_the_one_before_unless_it_was_cut),
		cmocka_unit_test(a_file_made_under_another_name_is_shown_under_its_newest),
		cmocka_unit_test(data_flows_through_a_pipe),
		cmocka_unit_test(a_device_carries_nothing),
		cmocka_unit_test(a_fork_carries_what_its_parent_had_read_by_then),
		cmocka_unit_test(an_exec_carries_no_data_but_says_who_started_it),
		cmocka_unit_test(who_only_redirected_is_shown_but_carries_nothing),
		cmocka_unit_test(what_the_engine_only_infers_is_possible),
		cmocka_unit_test(a_program_image_counts_as_used),
		cmocka_unit_test(depth_counts_executions),
		cmocka_unit_test(an_earlier_moment_is_as_if_asked_then),
		cmocka_unit_test(impact_is_the_mirror_image),
		cmocka_unit_test(two_that_feed_each_other_derive_one_way_only),
		cmocka_unit_test(holes_of_the_runs_met_are_told),
		cmocka_unit_test(an_object_nobody_recorded_is_a_graph_of_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
