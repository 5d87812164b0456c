/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* t_text.c - what the tree of a lineage looks like */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format/format.h"
#include "format/sample.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static char *tell(const char *sample, const struct format_options *o)
{
	const struct sample *s = sample_find(sample);
	struct format_options with = *o;
	struct graph g = { 0 };
	struct buf out = { 0 };

	with.forward = s->forward;
	s->build(&g);
	assert_int_equal(format_find("text")->write(&g, &with, &out), 0);
	graph_release(&g);
	return out.data;
}

static void check(const char *sample, const struct format_options *o, const char *want)
{
	char *got = tell(sample, o);

	assert_string_equal(got, want);
	free(got);
}

static void lineage_of_a_pipeline_fits_one_screen(void **state)
{
	const struct format_options o = { .columns = 80, .unicode = true };

	check("bwa", &o,
	      "calls.vcf  2026-11-20 06:00:31 by ada@login1, run rdad569e1 variants\n"
	      "│  started as: ./pipeline.sh  in: /home/ada/yeast\n"
	      "└─ bcftools mpileup -f ref.fa sorted.bam\n"
	      "   │  | bcftools call -mv -Ov -o calls.vcf.tmp\n"
	      "   ├─ ref.fa  (input)\n"
	      "   ├─ ref.fa.fai\n"
	      "   │  └─ samtools faidx ref.fa\n"
	      "   │     └─ ref.fa  (input)\n"
	      "   └─ sorted.bam\n"
	      "      └─ bwa mem -t 2 ref.fa reads.fq | samtools sort -o sorted.bam -\n"
	      "         ├─ reads.fq  (input)\n"
	      "         └─ ref.fa.amb, ref.fa.ann, ref.fa.bwt, ref.fa.pac, ref.fa.sa\n"
	      "            └─ bwa index ref.fa\n"
	      "               └─ ref.fa  (input)\n"
	      "\n"
	      "6 libraries, caches and helpers hidden; --all shows them\n");
}

static void ascii_draws_the_same_tree(void **state)
{
	const struct format_options o = { .columns = 80, .unicode = false };

	check("bwa", &o,
	      "calls.vcf  2026-11-20 06:00:31 by ada@login1, run rdad569e1 variants\n"
	      "|  started as: ./pipeline.sh  in: /home/ada/yeast\n"
	      "`- bcftools mpileup -f ref.fa sorted.bam\n"
	      "   |  | bcftools call -mv -Ov -o calls.vcf.tmp\n"
	      "   |- ref.fa  (input)\n"
	      "   |- ref.fa.fai\n"
	      "   |  `- samtools faidx ref.fa\n"
	      "   |     `- ref.fa  (input)\n"
	      "   `- sorted.bam\n"
	      "      `- bwa mem -t 2 ref.fa reads.fq | samtools sort -o sorted.bam -\n"
	      "         |- reads.fq  (input)\n"
	      "         `- ref.fa.amb, ref.fa.ann, ref.fa.bwt, ref.fa.pac, ref.fa.sa\n"
	      "            `- bwa index ref.fa\n"
	      "               `- ref.fa  (input)\n"
	      "\n"
	      "6 libraries, caches and helpers hidden; --all shows them\n");
}

static void impact_goes_the_other_way(void **state)
{
	const struct format_options o = { .columns = 80, .unicode = true };

	check("bwa-impact", &o,
	      "ref.fa  used 2026-11-20 06:00:00 by ada@login1, run rdad569e1 variants\n"
	      "│  started as: ./pipeline.sh  in: /home/ada/yeast\n"
	      "├─ bwa index ref.fa\n"
	      "│  └─ ref.fa.amb, ref.fa.ann, ref.fa.bwt, ref.fa.pac, ref.fa.sa\n"
	      "│     └─ bwa mem -t 2 ref.fa reads.fq | samtools sort -o sorted.bam -\n"
	      "│        └─ sorted.bam\n"
	      "│           └─ bcftools mpileup -f ref.fa sorted.bam\n"
	      "│              │  | bcftools call -mv -Ov -o calls.vcf.tmp\n"
	      "│              └─ calls.vcf\n"
	      "├─ samtools faidx ref.fa\n"
	      "│  └─ ref.fa.fai\n"
	      "│     └─ bcftools mpileup -f ref.fa s…ll -mv -Ov -o calls.vcf.tmp  (shown above)\n"
	      "└─ bcftools mpileup -f ref.fa sort… call -mv -Ov -o calls.vcf.tmp  (shown above)\n"
	      "\n"
	      "6 libraries, caches and helpers hidden; --all shows them\n");
}

static void versions_runs_and_doubt_are_told(void **state)
{
	const struct format_options o = { .columns = 80, .unicode = true };

	check("versions", &o,
	      "report.pdf  2026-11-20 06:00:15 by ada@login1, run r845e9183 report\n"
	      "│  started as: python3 report.py  in: /home/ada/yeast\n"
	      "└─ pdflatex report.tex\n"
	      "   ├─ table.csv\n"
	      "   │  └─ mktable /data/in.csv\n"
	      "   │     │    [run r45666d97 prepare by ada, 2026-11-20 06:00:00]\n"
	      "   │     └─ /data/in.csv  (input)\n"
	      "   └─ ? log.txt @2\n"
	      "      └─ append log.txt\n"
	      "         └─ log.txt @1  (earlier content, kept)\n"
	      "            └─ append log.txt\n"
	      "               └─ table.csv  (shown above)\n"
	      "\n"
	      "? possible only: it rests on overlapping access, clock skew or a blind spot\n");
}

static void all_shows_pipes_and_libraries(void **state)
{
	const struct format_options o = { .columns = 80, .all = true, .unicode = true };
	char *got = tell("bwa", &o);

	assert_non_null(strstr(got, "└─ pipe:[41]\n"));
	assert_non_null(strstr(got, "├─ /lib/x86_64-linux-gnu/libhts.so.3  (input)\n"));
	assert_null(strstr(got, " | "));
	assert_null(strstr(got, "hidden"));
	free(got);
}

static void circles_end(void **state)
{
	const struct format_options o = { .columns = 80, .unicode = true };

	check("cycle", &o,
	      "x  2026-11-20 06:00:05 by ada@login1, run rc501935a cycle\n"
	      "│  started as: ./talk  in: /home/ada/yeast\n"
	      "└─ ping\n"
	      "   └─ y, (pipe)\n"
	      "      └─ pong\n"
	      "         └─ x, (pipe)\n"
	      "            └─ ping  (shown above)\n");
}

static void a_run_is_told_by_its_results(void **state)
{
	const struct format_options o = { .columns = 80, .unicode = true };

	check("bwa-run", &o,
	      "run rdad569e1 variants  2026-11-20 06:00:00 by ada@login1\n"
	      "   started as: ./pipeline.sh  in: /home/ada/yeast\n"
	      "\n"
	      "calls.vcf\n"
	      "└─ bcftools mpileup -f ref.fa sorted.bam\n"
	      "   │  | bcftools call -mv -Ov -o calls.vcf.tmp\n"
	      "   ├─ ref.fa  (input)\n"
	      "   ├─ ref.fa.fai\n"
	      "   │  └─ samtools faidx ref.fa\n"
	      "   │     └─ ref.fa  (input)\n"
	      "   └─ sorted.bam\n"
	      "      └─ bwa mem -t 2 ref.fa reads.fq | samtools sort -o sorted.bam -\n"
	      "         ├─ reads.fq  (input)\n"
	      "         └─ ref.fa.amb, ref.fa.ann, ref.fa.bwt, ref.fa.pac, ref.fa.sa\n"
	      "            └─ bwa index ref.fa\n"
	      "               └─ ref.fa  (input)\n"
	      "\n"
	      "6 libraries, caches and helpers hidden; --all shows them\n");
}

/* Each level is named once per section and every step exactly once. */
static void deep_graphs_continue_at_the_margin(void **state)
{
	const struct format_options o = { .columns = 80 };
	char *got = tell("chain", &o), step[32];

	for (int i = 1; i <= 40; i++) {
		const char *first;

		snprintf(step, sizeof(step), "step --number %d\n", i);
		first = strstr(got, step);
		assert_non_null(first);
		assert_null(strstr(first + 1, step));
	}
	assert_non_null(strstr(got, "(continued below)\n\nf34\n"));
	free(got);
}

/* The picture must not depend on the order in which a query found things. */
static void turn_around(struct graph *g)
{
	for (size_t i = 0; i < g->n_nodes / 2; i++) {
		struct node n = g->nodes[i];

		g->nodes[i] = g->nodes[g->n_nodes - 1 - i];
		g->nodes[g->n_nodes - 1 - i] = n;
	}
	for (size_t i = 0; i < g->n_edges / 2; i++) {
		struct edge e = g->edges[i];

		g->edges[i] = g->edges[g->n_edges - 1 - i];
		g->edges[g->n_edges - 1 - i] = e;
	}
	for (size_t i = 0; i < g->n_edges; i++) {
		g->edges[i].from = (uint32_t)g->n_nodes - 1 - g->edges[i].from;
		g->edges[i].to = (uint32_t)g->n_nodes - 1 - g->edges[i].to;
	}
	g->root = (uint32_t)g->n_nodes - 1 - g->root;
}

static void order_of_nodes_and_edges_does_not_matter(void **state)
{
	static const char *const names[] = { "bwa", "bwa-impact", "bwa-run", "fifty", "versions" };
	const struct format_options o = { .columns = 80, .unicode = true };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const struct sample *s = sample_find(names[i]);
		struct format_options with = o;
		struct graph g = { 0 };
		struct buf out = { 0 };
		char *want = tell(names[i], &o);

		with.forward = s->forward;
		s->build(&g);
		turn_around(&g);
		assert_int_equal(format_find("text")->write(&g, &with, &out), 0);
		assert_string_equal(out.data, want);
		free(want);
		buf_release(&out);
		graph_release(&g);
	}
}

/* A program and what it started talk through pipes: not a pipeline. */
static void parent_and_child_are_not_one_step(void **state)
{
	const struct format_options o = { .columns = 80 };
	struct graph g = { 0 };
	struct buf out = { 0 };
	uint32_t py, child, pipe, file;

	file = sample_file(&g, "out", 1, NODE_ROOT, 9);
	py = sample_exec(&g, "python3 job.py", 0, 1, 9);
	child = sample_exec(&g, "zcat in.gz", 0, 2, 8);
	pipe = sample_pipe(&g, 7);
	sample_edge(&g, EDGE_INFORMED, child, py, true);
	sample_made(&g, child, pipe);
	sample_used(&g, py, pipe);
	sample_made(&g, py, file);
	g.root = file;
	assert_int_equal(format_find("text")->write(&g, &o, &out), 0);
	assert_null(strstr(out.data, " | "));
	assert_non_null(strstr(out.data, "`- python3 job.py\n   `- (pipe)\n      `- zcat in.gz\n"));
	buf_release(&out);
	graph_release(&g);
}

/* What a helper read, its program read; what went between them is nobody's input,
 * unless it is a file that stays. */
static void what_helpers_did_their_program_did(void **state)
{
	struct format_options o = { .columns = 80 };
	struct graph g = { 0 };
	struct buf out = { 0 };
	uint32_t py, worker, writer, in, shared, file, other;

	file = sample_file(&g, "model", 1, NODE_ROOT, 9);
	other = sample_file(&g, "log", 1, 0, 7);
	in = sample_file(&g, "samples", 0, 0, 0);
	py = sample_exec(&g, "python3 train.py", 0, 1, 9);
	worker = sample_exec(&g, "python3 train.py", NODE_FOLDED, 2, 8);
	writer = sample_exec(&g, "/usr/lib/git-core/git gc", NODE_FOLDED, 3, 7);
	g.nodes[worker].credited = g.nodes[writer].credited = py + 1;
	shared = sample_file(&g, "/dev/shm/torch_1", 1, 0, 8);
	sample_edge(&g, EDGE_INFORMED, worker, py, true);
	sample_edge(&g, EDGE_INFORMED, writer, py, true);
	sample_used(&g, worker, in);
	sample_made(&g, worker, shared);
	sample_used(&g, py, shared);
	sample_used(&g, py, other);
	sample_made(&g, writer, other);
	sample_made(&g, py, file);
	g.root = file;
	assert_int_equal(format_find("text")->write(&g, &o, &out), 0);
	assert_non_null(strstr(out.data, "`- python3 train.py\n"
					 "   |- /home/ada/yeast/samples  (input)\n"
					 "   `- /home/ada/yeast/log\n"
					 "      `- python3 train.py  (shown above)\n"));
	assert_null(strstr(out.data, "torch_1"));
	assert_null(strstr(out.data, "git"));
	buf_clear(&out);
	o.all = true;
	assert_int_equal(format_find("text")->write(&g, &o, &out), 0);
	assert_non_null(strstr(out.data, "torch_1"));
	assert_non_null(strstr(out.data, "git-core"));
	buf_release(&out);
	graph_release(&g);
}

/* A fork read "conf" and has memory that it may have written to. */
static void doubt_between_helpers_is_told(void **state)
{
	const struct format_options o = { .columns = 80 };
	struct graph g = { 0 };
	struct buf out = { 0 };
	uint32_t file = sample_file(&g, "out", 1, NODE_ROOT, 9);
	uint32_t in = sample_file(&g, "in", 0, 0, 0), conf = sample_file(&g, "conf", 0, 0, 0);
	uint32_t rank = sample_exec(&g, "./rank", 0, 1, 9);
	uint32_t sure = sample_exec(&g, "sed in", NODE_FOLDED, 2, 3);
	uint32_t fork = sample_exec(&g, "./rank", NODE_FOLDED, 2, 3);
	uint32_t pipe = sample_pipe(&g, 7), memory = sample_file(&g, "/dev/shm/x", 1, 0, 8);

	g.nodes[sure].credited = g.nodes[fork].credited = rank + 1;
	sample_used(&g, sure, in);
	sample_made(&g, sure, pipe);
	sample_used(&g, rank, pipe);
	sample_used(&g, fork, conf);
	sample_edge(&g, EDGE_GENERATED, memory, fork, false);
	sample_edge(&g, EDGE_USED, rank, memory, false);
	sample_made(&g, rank, file);
	g.root = file;
	assert_int_equal(format_find("text")->write(&g, &o, &out), 0);
	assert_non_null(strstr(out.data, "`- ./rank\n   |- /home/ada/yeast/in  (input)\n"
					 "   `- ? /home/ada/yeast/conf  (input)\n"));
	buf_release(&out);
	graph_release(&g);
}

/* "(cat a; cat b) | sort": what is read at last has been written by both. */
static void a_pipe_is_one_whoever_wrote_it_when(void **state)
{
	const struct format_options o = { .columns = 80 };
	struct graph g = { 0 };
	struct buf out = { 0 };
	uint32_t file = sample_file(&g, "out", 1, NODE_ROOT, 9);
	uint32_t a = sample_exec(&g, "cat a", 0, 1, 2), b = sample_exec(&g, "cat b", 0, 2, 3);
	uint32_t sort = sample_exec(&g, "sort", 0, 0, 9);
	uint32_t early = sample_pipe(&g, 7), late = sample_pipe(&g, 7);

	g.nodes[late].version = 2;
	sample_made(&g, a, early);
	sample_made(&g, b, late);
	sample_edge(&g, EDGE_DERIVED, late, early, true);
	sample_used(&g, sort, late);
	sample_made(&g, sort, file);
	g.root = file;
	assert_int_equal(format_find("text")->write(&g, &o, &out), 0);
	assert_non_null(strstr(out.data, "`- (cat a; cat b) | sort\n"));
	buf_release(&out);
	graph_release(&g);
}

static void sockets_of_one_step_are_counted(void **state)
{
	const struct format_options o = { .columns = 80 };
	struct graph g = { 0 };
	struct buf out = { 0 };
	uint32_t file = sample_file(&g, "out", 1, NODE_ROOT, 9);
	uint32_t py = sample_exec(&g, "python3 ask.py", 0, 1, 9);
	char name[32];

	for (int i = 0; i < 20; i++) {
		uint32_t socket;

		(void)snprintf(name, sizeof(name), "/socket:[%d]", 100 + i);
		socket = sample_file(&g, name, 0, 0, 0);
		g.nodes[socket].object = OBJECT_SOCKET;
		sample_used(&g, py, socket);
	}
	sample_made(&g, py, file);
	g.root = file;
	assert_int_equal(format_find("text")->write(&g, &o, &out), 0);
	assert_non_null(strstr(out.data, "   `- 20 sockets  (input)\n"));
	buf_release(&out);
	graph_release(&g);
}

static void temporary_files_of_one_step_are_hidden(void **state)
{
	struct format_options o = { .columns = 80 };
	struct graph g = { 0 };
	struct buf out = { 0 };
	uint32_t sort, tmp, in, file;

	file = sample_file(&g, "out", 1, NODE_ROOT, 9);
	in = sample_file(&g, "in", 0, 0, 0);
	sort = sample_exec(&g, "sort -o out in", 0, 1, 9);
	tmp = sample_file(&g, "tmp.0001", 1, NODE_DELETED, 5);
	sample_used(&g, sort, in);
	sample_made(&g, sort, tmp);
	sample_used(&g, sort, tmp);
	sample_made(&g, sort, file);
	g.root = file;
	assert_int_equal(format_find("text")->write(&g, &o, &out), 0);
	assert_null(strstr(out.data, "tmp.0001"));
	assert_non_null(strstr(out.data, "temporary file"));
	buf_clear(&out);
	o.all = true;
	assert_int_equal(format_find("text")->write(&g, &o, &out), 0);
	assert_non_null(strstr(out.data, "tmp.0001 (deleted)"));
	buf_release(&out);
	graph_release(&g);
}

/* A shell that wrote a result itself is a step, else the result would look
 * like an input. */
static void maker_of_a_shown_file_is_shown_even_if_folded(void **state)
{
	const struct format_options o = { .columns = 80 };
	struct graph g = { 0 };
	struct buf out = { 0 };
	uint32_t file = sample_file(&g, "out", 1, NODE_ROOT, 9);
	uint32_t sh = sample_exec(&g, "sh make.sh", NODE_FOLDED, 1, 9);

	sample_made(&g, sh, file);
	g.root = file;
	assert_int_equal(format_find("text")->write(&g, &o, &out), 0);
	assert_non_null(strstr(out.data, "`- sh make.sh\n"));
	assert_null(strstr(out.data, "(input)"));
	buf_release(&out);
	graph_release(&g);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(lineage_of_a_pipeline_fits_one_screen),
		cmocka_unit_test(ascii_draws_the_same_tree),
		cmocka_unit_test(impact_goes_the_other_way),
		cmocka_unit_test(versions_runs_and_doubt_are_told),
		cmocka_unit_test(all_shows_pipes_and_libraries),
		cmocka_unit_test(circles_end),
		cmocka_unit_test(a_run_is_told_by_its_results),
		cmocka_unit_test(deep_graphs_continue_at_the_margin),
		cmocka_unit_test(order_of_nodes_and_edges_does_not_matter),
		cmocka_unit_test(parent_and_child_are_not_one_step),
		cmocka_unit_test(what_helpers_did_their_program_did),
		cmocka_unit_test(doubt_between_helpers_is_told),
		cmocka_unit_test(a_pipe_is_one_whoever_wrote_it_when),
		cmocka_unit_test(sockets_of_one_step_are_counted),
		cmocka_unit_test(temporary_files_of_one_step_are_hidden),
		cmocka_unit_test(maker_of_a_shown_file_is_shown_even_if_folded),
	};

	setenv("TZ", "UTC", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
