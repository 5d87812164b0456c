/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* sample.c - graphs for tests */
#include "format/sample.h"

#include <stdio.h>
#include <string.h>

#define CWD    "/home/ada/yeast"
#define EPOCH  INT64_C(1795154400) /* 2026-11-20 06:00:00 UTC */
#define SECOND INT64_C(1000000000)

static int64_t at(int seconds)
{
	return (EPOCH + seconds) * SECOND;
}

static struct strings words(struct graph *g, const char *command)
{
	size_t n = strlen(command) + 1;
	char *p = arena_copy(&g->arena, command, n);

	for (size_t i = 0; i < n; i++)
		if (p[i] == ' ')
			p[i] = 0;
	return (struct strings){ p, n };
}

void sample_run(struct graph *g, const char *name, const char *command)
{
	struct run r = { .id = id_of(name, strlen(name)),
			 .name = arena_str(&g->arena, name),
			 .host = "login1",
			 .user = "ada",
			 .uid = 1000,
			 .cwd = CWD,
			 .engine = "preload",
			 .boot = "b",
			 .argv = words(g, command),
			 .start = at(0),
			 .end = at(600) };

	g->runs = arena_grow(&g->arena, g->runs, g->n_runs, &g->run_room, sizeof(r));
	g->runs[g->n_runs++] = r;
}

uint32_t sample_file(struct graph *g, const char *path, uint32_t version, uint32_t flags, int when)
{
	struct node n = { .kind = NODE_ENTITY, .flags = flags, .version = version, .size = 1000 };

	n.path = *path == '/' ? arena_str(&g->arena, path)
			      : arena_printf(&g->arena, CWD "/%s", path);
	n.id = id_of(n.path, strlen(n.path));
	n.label = n.path;
	n.generated = when ? at(when) : 0;
	n.size = when ? 1000 + when : -1;
	return graph_node(g, &n);
}

uint32_t sample_pipe(struct graph *g, unsigned ino)
{
	struct node n = { .kind = NODE_ENTITY, .object = OBJECT_PIPE, .version = 1, .size = -1 };

	n.path = arena_printf(&g->arena, "pipe:[%u]", ino);
	n.label = n.path;
	n.id = id_of(n.path, strlen(n.path));
	return graph_node(g, &n);
}

uint32_t sample_exec(struct graph *g, const char *command, uint32_t flags, int start, int end)
{
	char key[64];
	struct node n = {
		.kind = NODE_ACTIVITY, .flags = flags, .how = HOW_SPAWN, .status = 0, .size = -1
	};
	int len = snprintf(key, sizeof(key), "%zu", g->n_nodes);

	n.id = id_of(key, (size_t)len);
	n.argv = words(g, command);
	n.label = arena_str(&g->arena, command);
	n.exe = arena_printf(&g->arena, "/usr/bin/%s", n.argv.p);
	n.cwd = CWD;
	n.pid = 1000 + (uint32_t)g->n_nodes;
	n.start = at(start);
	n.end = at(end);
	if (g->n_runs)
		n.run = g->runs[g->n_runs - 1].id;
	return graph_node(g, &n);
}

void sample_edge(struct graph *g, enum edge_kind kind, uint32_t from, uint32_t to, bool certain)
{
	struct edge e = { .from = from, .to = to, .kind = kind, .certain = certain };

	graph_edge(g, &e);
}

void sample_used(struct graph *g, uint32_t act, uint32_t entity)
{
	sample_edge(g, EDGE_USED, act, entity, true);
}

void sample_made(struct graph *g, uint32_t act, uint32_t entity)
{
	sample_edge(g, EDGE_GENERATED, entity, act, true);
}

static void agent(struct graph *g)
{
	struct node n = { .kind = NODE_AGENT,
			  .user = "ada",
			  .host = "login1",
			  .label = "ada@login1",
			  .size = -1 };
	uint32_t a;

	n.id = id_of("ada@login1", 10);
	a = graph_node(g, &n);
	for (uint32_t i = 0; i < g->n_nodes; i++)
		if (g->nodes[i].kind == NODE_ACTIVITY)
			sample_edge(g, EDGE_ASSOCIATED, i, a, true);
}

/* What a query adds: files made derive from files used. */
static void derive(struct graph *g)
{
	size_t n = g->n_edges;

	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < n; k++)
			if (g->edges[i].kind == EDGE_GENERATED && g->edges[k].kind == EDGE_USED &&
			    g->edges[i].to == g->edges[k].from &&
			    g->edges[i].from != g->edges[k].to)
				sample_edge(g, EDGE_DERIVED, g->edges[i].from, g->edges[k].to,
					    g->edges[i].certain && g->edges[k].certain);
}

static void started(struct graph *g, uint32_t parent)
{
	for (uint32_t i = 0; i < g->n_nodes; i++)
		if (g->nodes[i].kind == NODE_ACTIVITY && i != parent)
			sample_edge(g, EDGE_INFORMED, i, parent, true);
}

static void libraries(struct graph *g, unsigned n)
{
	static const char *const names[] = { "libc.so.6",   "libz.so.1",    "libm.so.6",
					     "libhts.so.3", "liblzma.so.5", "libbz2.so.1.0" };

	for (unsigned i = 0; i < n; i++) {
		uint32_t lib = sample_file(
			g, arena_printf(&g->arena, "/lib/x86_64-linux-gnu/%s", names[i]), 0,
			NODE_FOLDED, 0);

		for (uint32_t k = 0; k < lib; k++)
			if (g->nodes[k].kind == NODE_ACTIVITY)
				sample_used(g, k, lib);
	}
}

static void bwa(struct graph *g, bool forward)
{
	static const char *const suffixes[] = { "amb", "ann", "bwt", "pac", "sa" };
	uint32_t vcf, ref, reads, sam, bam, pile, fai, bash, index, mem, sort, faidx, mpileup, call,
		script;

	sample_run(g, "variants", "./pipeline.sh");
	vcf = sample_file(g, "calls.vcf", 1, forward ? 0 : NODE_ROOT, 31);
	ref = sample_file(g, "ref.fa", 0, forward ? NODE_ROOT : 0, 0);
	reads = sample_file(g, "reads.fq", 0, 0, 0);
	script = sample_file(g, "pipeline.sh", 0, NODE_FOLDED, 0);
	sam = sample_pipe(g, 41);
	bam = sample_file(g, "sorted.bam", 1, 0, 20);
	pile = sample_pipe(g, 42);
	fai = sample_file(g, "ref.fa.fai", 1, 0, 8);
	bash = sample_exec(g, "/bin/bash ./pipeline.sh", NODE_FOLDED, 0, 40);
	index = sample_exec(g, "bwa index ref.fa", 0, 1, 5);
	faidx = sample_exec(g, "samtools faidx ref.fa", 0, 6, 8);
	mem = sample_exec(g, "bwa mem -t 2 ref.fa reads.fq", 0, 10, 19);
	sort = sample_exec(g, "samtools sort -o sorted.bam -", 0, 10, 20);
	mpileup = sample_exec(g, "bcftools mpileup -f ref.fa sorted.bam", 0, 22, 30);
	call = sample_exec(g, "bcftools call -mv -Ov -o calls.vcf.tmp", 0, 22, 31);
	sample_used(g, bash, script);
	for (unsigned i = 0; i < 5; i++) {
		uint32_t f =
			sample_file(g, arena_printf(&g->arena, "ref.fa.%s", suffixes[i]), 1, 0, 5);

		sample_made(g, index, f);
		sample_used(g, mem, f);
	}
	sample_used(g, index, ref);
	sample_used(g, faidx, ref);
	sample_made(g, faidx, fai);
	if (!forward)
		sample_used(g, mem, reads);
	sample_made(g, mem, sam);
	sample_used(g, sort, sam);
	sample_made(g, sort, bam);
	sample_used(g, mpileup, bam);
	sample_used(g, mpileup, ref);
	sample_used(g, mpileup, fai);
	sample_made(g, mpileup, pile);
	sample_used(g, call, pile);
	sample_made(g, call, vcf);
	libraries(g, 4);
	started(g, bash);
	derive(g);
	agent(g);
	g->root = forward ? ref : vcf;
}

static void build_bwa(struct graph *g)
{
	bwa(g, false);
}

static void build_bwa_impact(struct graph *g)
{
	bwa(g, true);
}

static void build_five(struct graph *g)
{
	uint32_t out, a, b, sort, join;

	sample_run(g, "five", "./count.sh");
	out = sample_file(g, "counts.txt", 1, NODE_ROOT, 5);
	a = sample_file(g, "names.txt", 0, 0, 0);
	b = sample_file(g, "names.sorted", 1, 0, 3);
	sort = sample_exec(g, "sort -o names.sorted names.txt", 0, 1, 3);
	join = sample_exec(g, "uniq -c names.sorted counts.txt", 0, 4, 5);
	sample_used(g, sort, a);
	sample_made(g, sort, b);
	sample_used(g, join, b);
	sample_made(g, join, out);
	derive(g);
	g->root = out;
}

/* samples x (align | sort, index, call), then one merge and two plots. */
static void cohort(struct graph *g, unsigned samples)
{
	uint32_t ref, merged, merge, stats, filter, vcf, tsv, plot, png, model;

	sample_run(g, "cohort", "./cohort.sh --samples samples.tsv");
	png = sample_file(g, "results/manhattan.png", 1, NODE_ROOT, 200);
	ref = sample_file(g, "/data/genomes/GRCh38/genome.fa", 0, 0, 0);
	model = sample_file(g, "model.R", 0, 0, 0);
	merged = sample_file(g, "work/merged.bcf", 1, 0, 150);
	vcf = sample_file(g, "results/filtered.vcf.gz", 1, 0, 160);
	tsv = sample_file(g, "results/stats.tsv", 1, 0, 170);
	merge = sample_exec(g, "bcftools merge -Ob -o work/merged.bcf --file-list work/list.txt", 0,
			    140, 150);
	filter = sample_exec(
		g, "bcftools view -i QUAL>20&&DP>10 -Oz -o results/filtered.vcf.gz work/merged.bcf",
		0, 151, 160);
	stats = sample_exec(g, "bcftools query -f %CHROM\\t%POS\\t%QUAL\\n results/filtered.vcf.gz",
			    0, 161, 170);
	plot = sample_exec(g, "Rscript model.R results/stats.tsv results/manhattan.png", 0, 171,
			   200);
	for (unsigned i = 1; i <= samples; i++) {
		char *name = arena_printf(&g->arena, "S%02u", i);
		uint32_t fq =
			sample_file(g, arena_printf(&g->arena, "raw/%s.fq.gz", name), 0, 0, 0);
		uint32_t bam = sample_file(g, arena_printf(&g->arena, "work/%s.bam", name), 1, 0,
					   30 + (int)i);
		uint32_t bcf = sample_file(g, arena_printf(&g->arena, "work/%s.bcf", name), 1, 0,
					   90 + (int)i);
		uint32_t sam = sample_pipe(g, 100 + i);
		uint32_t mem = sample_exec(
			g,
			arena_printf(&g->arena,
				     "bwa mem -t 8 /data/genomes/GRCh38/genome.fa raw/%s.fq.gz",
				     name),
			0, (int)i, 29 + (int)i);
		uint32_t sort = sample_exec(
			g, arena_printf(&g->arena, "samtools sort -@ 4 -o work/%s.bam -", name), 0,
			(int)i, 30 + (int)i);
		uint32_t call =
			sample_exec(g,
				    arena_printf(&g->arena,
						 "octopus -R /data/genomes/GRCh38/genome.fa -I "
						 "work/%s.bam -o work/%s.bcf",
						 name, name),
				    0, 60 + (int)i, 90 + (int)i);

		sample_used(g, mem, fq);
		sample_used(g, mem, ref);
		sample_made(g, mem, sam);
		sample_used(g, sort, sam);
		sample_made(g, sort, bam);
		sample_used(g, call, bam);
		sample_used(g, call, ref);
		sample_made(g, call, bcf);
		sample_edge(g, EDGE_USED, merge, bcf, i != 3);
	}
	sample_made(g, merge, merged);
	sample_used(g, filter, merged);
	sample_made(g, filter, vcf);
	sample_used(g, stats, vcf);
	sample_made(g, stats, tsv);
	sample_used(g, plot, tsv);
	sample_used(g, plot, model);
	sample_made(g, plot, png);
	g->nodes[stats].status = 1;
	libraries(g, 6);
	derive(g);
	agent(g);
	g->root = png;
}

static void build_fifty(struct graph *g)
{
	cohort(g, 6);
}

static void build_two_hundred(struct graph *g)
{
	cohort(g, 28);
}

static void build_empty(struct graph *g)
{
	(void)g;
}

static void build_single(struct graph *g)
{
	g->root = sample_file(g, "alone.txt", 0, NODE_ROOT, 0);
}

static void build_hostile(struct graph *g)
{
	char *binary = arena_alloc(&g->arena, 256), *longest = arena_alloc(&g->arena, 5001);
	uint32_t root, act, in;
	struct hole h = { .kind = "lost", .why = "ring full\033[31m", .count = 3 };

	sample_run(g, "a\"b\nc", "./x y");
	for (int i = 1; i < 256; i++)
		binary[i - 1] = (char)i;
	memset(longest, 'x', 5000);
	memcpy(longest, "/home/ada/yeast/", 16);
	root = sample_file(g, "new\nline \"quoted\" \\back\\slash\\ & <b>.txt", 2, NODE_ROOT, 9);
	act = sample_exec(g, "tool", NODE_BLIND, 1, 9);
	g->nodes[act].argv = (struct strings){ binary, 256 };
	g->nodes[act].label = binary;
	g->nodes[act].signal = 9;
	g->nodes[act].status = -1;
	in = sample_file(g, longest, 0, NODE_PARTIAL, 0);
	sample_used(g, act, in);
	in = sample_file(g, binary, 0, NODE_DELETED, 0);
	sample_edge(g, EDGE_USED, act, in, false);
	in = sample_file(g, "new\nline \"quoted\" \\back\\slash\\ & <b>.txt", 1, 0, 3);
	sample_edge(g, EDGE_DERIVED, root, in, false);
	sample_made(g, act, root);
	h.run = g->runs[0].id;
	g->holes = arena_grow(&g->arena, g->holes, 0, &g->hole_room, sizeof(h));
	g->holes[g->n_holes++] = h;
	agent(g);
	g->truncated = true;
	g->root = root;
}

/* Two programs that talk through two pipes, and two files that derive from
 * each other: nothing a query should return, nothing a format may hang on. */
static void build_cycle(struct graph *g)
{
	uint32_t p, q, a, b, x, y;

	sample_run(g, "cycle", "./talk");
	a = sample_exec(g, "ping", 0, 1, 9);
	b = sample_exec(g, "pong", 0, 1, 9);
	p = sample_pipe(g, 1);
	q = sample_pipe(g, 2);
	x = sample_file(g, "x", 1, NODE_ROOT, 5);
	y = sample_file(g, "y", 1, 0, 5);
	sample_made(g, a, p);
	sample_used(g, b, p);
	sample_made(g, b, q);
	sample_used(g, a, q);
	sample_made(g, a, x);
	sample_made(g, b, y);
	sample_used(g, a, y);
	sample_used(g, b, x);
	sample_edge(g, EDGE_DERIVED, x, x, true);
	sample_edge(g, EDGE_INFORMED, a, b, true);
	sample_edge(g, EDGE_INFORMED, b, a, true);
	sample_edge(g, EDGE_INFORMED, a, a, true);
	sample_edge(g, EDGE_INVALIDATED, x, b, true);
	g->nodes[x].invalidated = g->nodes[x].generated - 1;
	derive(g);
	g->root = x;
}

/* Versions, a shared sub-tree, a file of another run, a doubtful edge. */
static void build_versions(struct graph *g)
{
	uint32_t out, v1, v2, in, a, b, c, other;

	sample_run(g, "prepare", "make table");
	in = sample_file(g, "/data/in.csv", 0, 0, 0);
	other = sample_file(g, "table.csv", 1, 0, 2);
	a = sample_exec(g, "mktable /data/in.csv", 0, 1, 2);
	sample_used(g, a, in);
	sample_made(g, a, other);
	sample_run(g, "report", "python3 report.py");
	v1 = sample_file(g, "log.txt", 1, 0, 11);
	v2 = sample_file(g, "log.txt", 2, 0, 13);
	out = sample_file(g, "report.pdf", 1, NODE_ROOT, 15);
	b = sample_exec(g, "append log.txt", 0, 10, 11);
	sample_made(g, b, v1);
	sample_used(g, b, other);
	c = sample_exec(g, "append log.txt", 0, 12, 13);
	sample_made(g, c, v2);
	sample_edge(g, EDGE_DERIVED, v2, v1, true);
	a = sample_exec(g, "pdflatex report.tex", 0, 14, 15);
	sample_made(g, a, out);
	sample_edge(g, EDGE_USED, a, v2, false);
	sample_used(g, a, other);
	g->root = out;
}

void sample_chain(struct graph *g, size_t n)
{
	uint32_t before, file, act;

	sample_run(g, "chain", "./loop");
	before = sample_file(g, "f0", 0, 0, 0);
	for (size_t i = 1; i <= n; i++) {
		char *name = arena_printf(&g->arena, "f%zu", i);

		file = sample_file(g, name, 1, i == n ? NODE_ROOT : 0, (int)i);
		act = sample_exec(g, arena_printf(&g->arena, "step --number %zu", i), 0, (int)i - 1,
				  (int)i);
		sample_used(g, act, before);
		sample_made(g, act, file);
		sample_edge(g, EDGE_DERIVED, file, before, true);
		before = file;
	}
	g->root = before;
}

static void build_chain(struct graph *g)
{
	sample_chain(g, 40);
}

static void build_run(struct graph *g)
{
	bwa(g, false);
	for (size_t i = 0; i < g->n_nodes; i++) {
		g->nodes[i].flags &= ~(uint32_t)NODE_ROOT;
		if (g->nodes[i].kind == NODE_ACTIVITY && g->nodes[i].flags & NODE_FOLDED)
			g->root = (uint32_t)i;
	}
}

static const struct sample samples[] = {
	{ "empty", "no node", false, build_empty },
	{ "single", "one node", false, build_single },
	{ "five", "two steps", false, build_five },
	{ "bwa", "lineage of a small pipeline", false, build_bwa },
	{ "bwa-impact", "impact of its reference", true, build_bwa_impact },
	{ "bwa-run", "all that its run did", false, build_run },
	{ "fifty", "a cohort of 6 samples", false, build_fifty },
	{ "two-hundred", "a cohort of 28 samples", false, build_two_hundred },
	{ "versions", "versions, two runs, doubt", false, build_versions },
	{ "chain", "40 steps in a row", false, build_chain },
	{ "hostile", "names that break parsers", false, build_hostile },
	{ "cycle", "a graph that should not be", false, build_cycle },
};

const struct sample *sample_at(size_t i)
{
	return i < sizeof(samples) / sizeof(samples[0]) ? &samples[i] : NULL;
}

const struct sample *sample_find(const char *name)
{
	const struct sample *s;

	for (size_t i = 0; (s = sample_at(i)); i++)
		if (!strcmp(s->name, name))
			return s;
	return NULL;
}
