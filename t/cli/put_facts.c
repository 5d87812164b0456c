/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* put_facts.c - puts a run that never happened into a store
 *
 * usage: put_facts STORE NAME [N]
 *
 * What "./pipeline.sh" would leave in FOLDER:
 *
 *	sh ./pipeline.sh          reads pipeline.sh
 *	 |- bwa mem ref.fa reads.fq     reads both, writes a pipe
 *	 |- samtools sort -o out.bam    reads the pipe, writes out.bam.tmp,
 *	 |                              renames it to out.bam
 *	 `- ./static-tool               not seen inside, killed by signal 9
 *
 * NAME makes the ids, so that the same NAME puts the same facts again. Among
 * the files is one whose name is neither UTF-8 nor fit for a terminal. With N,
 * bwa reads that many further files, to make the record large.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "store/store.h"

#define FOLDER "/data/project"
#define SECOND INT64_C(1000000000)
#define NASTY  FOLDER "/bad\nname\033[31m\xff"

enum { SH, FORK, BWA, SAMTOOLS, STATIC, N_EXECUTIONS };
enum { SCRIPT, REF, READS, LIBC, PIPE, OUT, STRANGE, NULL_DEVICE, N_OBJECTS };

static const char *name;

static struct id id_for(const char *what, int n)
{
	char key[256];
	int size = snprintf(key, sizeof(key), "%s %s %d", name, what, n);

	return id_of(key, (size_t)size);
}

#define WORDS(text)                                                                                \
	{                                                                                          \
		text, sizeof(text)                                                                 \
	}

static struct execution executions[N_EXECUTIONS] = {
	[SH] = { .how = HOW_ROOT,
		 .pid = 100,
		 .exe = "/usr/bin/dash",
		 .start = SECOND,
		 .end = 9 * SECOND,
		 .argv = WORDS("sh\0./pipeline.sh"),
		 .env = WORDS("LANG=C.UTF-8\0PATH=/usr/bin") },
	[FORK] = { .how = HOW_FORK,
		   .pid = 101,
		   .exe = "/usr/bin/dash",
		   .start = 2 * SECOND,
		   .end = 2 * SECOND + 1000,
		   .argv = WORDS("sh\0./pipeline.sh"),
		   .status = -1,
		   .replaced = true },
	[BWA] = { .how = HOW_EXEC,
		  .pid = 101,
		  .exe = "/usr/bin/bwa",
		  .start = 2 * SECOND + 1000,
		  .end = 5 * SECOND,
		  .argv = WORDS("bwa\0mem\0ref.fa\0reads.fq") },
	[SAMTOOLS] = { .how = HOW_SPAWN,
		       .pid = 102,
		       .exe = "/usr/bin/samtools",
		       .start = 3 * SECOND,
		       .end = 7 * SECOND,
		       .argv = WORDS("samtools\0sort\0-o\0out.bam") },
	[STATIC] = { .how = HOW_SPAWN,
		     .pid = 103,
		     .exe = FOLDER "/static-tool",
		     .start = 7 * SECOND,
		     .end = 8 * SECOND,
		     .argv = WORDS("./static-tool\0--mode\0two words"),
		     .status = -1,
		     .signal = 9,
		     .blind = true },
};

static struct object objects[N_OBJECTS] = {
	[SCRIPT] = { .size = 120 },
	[REF] = { .size = 5000000 },
	[READS] = { .size = 800000000 },
	[LIBC] = { .size = 2000000 },
	[PIPE] = { .kind = OBJECT_PIPE, .size = -1 },
	[OUT] = { .size = 34567, .hashed = true },
	[STRANGE] = { .size = 3 },
	[NULL_DEVICE] = { .kind = OBJECT_DEVICE, .size = -1 },
};

static const struct {
	int exec, object;
	const char *path;
	uint32_t flags;
	uint64_t reads, writes, bytes_read, bytes_written;
	int first, last; /* seconds */
} touches[] = {
	{ SH, LIBC, "/usr/lib/x86_64-linux-gnu/libc.so.6",
	  ACCESS_READ | ACCESS_LOAD | ACCESS_MAP_READ, 1, 0, 832, 0, 1, 1 },
	{ SH, SCRIPT, FOLDER "/pipeline.sh", ACCESS_READ, 2, 0, 120, 0, 1, 7 },
	{ SH, NULL_DEVICE, "/dev/null", ACCESS_WRITE, 0, 1, 0, 10, 2, 2 },
	{ BWA, LIBC, "/usr/lib/x86_64-linux-gnu/libc.so.6",
	  ACCESS_READ | ACCESS_LOAD | ACCESS_MAP_READ, 1, 0, 832, 0, 2, 2 },
	{ BWA, REF, FOLDER "/ref.fa", ACCESS_READ, 40, 0, 5000000, 0, 2, 3 },
	{ BWA, READS, FOLDER "/reads.fq", ACCESS_READ, 6000, 0, 800000000, 0, 3, 4 },
	{ BWA, PIPE, "pipe:[77]", ACCESS_WRITE | ACCESS_INHERIT, 0, 90, 0, 60000, 3, 4 },
	{ SAMTOOLS, PIPE, "pipe:[77]", ACCESS_READ | ACCESS_INHERIT, 90, 0, 60000, 0, 4, 5 },
	{ SAMTOOLS, OUT, FOLDER "/out.bam.tmp", ACCESS_WRITE | ACCESS_CREATE | ACCESS_TRUNCATE, 0,
	  9, 0, 34567, 5, 6 },
	{ SAMTOOLS, STRANGE, NASTY, ACCESS_WRITE | ACCESS_CREATE, 0, 1, 0, 3, 6, 6 },
};

enum { N_ACCESSES = sizeof(touches) / sizeof(touches[0]) };

static void fill_accesses(struct access *a)
{
	for (int i = 0; i < N_ACCESSES; i++) {
		int64_t first = touches[i].first * SECOND + 10000 * (i + 1);
		int64_t last = touches[i].last * SECOND + 20000 * (i + 1);

		a[i] = (struct access){ .exec = executions[touches[i].exec].id,
					.object = objects[touches[i].object].id,
					.path = touches[i].path,
					.flags = touches[i].flags,
					.reads = touches[i].reads,
					.writes = touches[i].writes,
					.bytes_read = touches[i].bytes_read,
					.bytes_written = touches[i].bytes_written,
					.opened = first - 1000,
					.closed = last + 1000 };
		if (touches[i].flags & ACCESS_READ) {
			a[i].first_read = first;
			a[i].last_read = last;
		}
		if (touches[i].flags & ACCESS_WRITE) {
			a[i].first_write = first;
			a[i].last_write = last;
		}
		if (touches[i].flags & ACCESS_TRUNCATE)
			a[i].truncated = first - 1000;
	}
}

/* bwa reads n files more: the objects and accesses behind the fixed ones. */
static void fill_further(struct object *o, struct access *a, int n)
{
	static char paths[1000][32];

	for (int i = 0; i < n; i++) {
		snprintf(paths[i], sizeof(paths[i]), FOLDER "/part.%d", i);
		o[N_OBJECTS + i] = (struct object){ .id = id_for("part", i),
						    .ino = (uint64_t)i + 100,
						    .size = 1,
						    .seen = 7 * SECOND };
		a[N_ACCESSES + i] = (struct access){ .exec = executions[BWA].id,
						     .object = o[N_OBJECTS + i].id,
						     .path = paths[i],
						     .flags = ACCESS_READ,
						     .reads = 1,
						     .bytes_read = 1,
						     .first_read = 3 * SECOND + i,
						     .last_read = 3 * SECOND + i,
						     .opened = 3 * SECOND + i,
						     .closed = 3 * SECOND + i };
	}
}

static int put(const char *where, int further)
{
	static const int parents[] = { [FORK] = SH, [BWA] = FORK, [SAMTOOLS] = SH, [STATIC] = SH };
	struct run run = { .id = id_for("run", 0),
			   .name = name,
			   .host = "node1",
			   .boot = "boot",
			   .user = "ada",
			   .uid = 1000,
			   .cwd = FOLDER,
			   .argv = WORDS("./pipeline.sh"),
			   .engine = "preload",
			   .start = SECOND,
			   .end = 9 * SECOND,
			   .shift = INT64_C(1763600000) * SECOND,
			   .lost = 2,
			   .root = id_for("execution", SH) };
	struct access *accesses = mem_alloc((size_t)(N_ACCESSES + further) * sizeof(*accesses));
	struct object *all = mem_alloc((size_t)(N_OBJECTS + further) * sizeof(*all));
	struct name_event names[] = {
		{ .exec = id_for("execution", SAMTOOLS),
		  .object = id_for("object", OUT),
		  .kind = NAME_RENAME,
		  .from = FOLDER "/out.bam.tmp",
		  .to = FOLDER "/out.bam",
		  .time = 6 * SECOND + 500000000 },
		{ .exec = id_for("execution", SH),
		  .object = id_for("object", REF),
		  .kind = NAME_EXCHANGE,
		  .from = FOLDER "/ref.fa",
		  .to = FOLDER "/ref.old",
		  .time = 8 * SECOND },
	};
	struct hole holes[] = {
		{ .run = run.id,
		  .exec = id_for("execution", STATIC),
		  .kind = "blind",
		  .count = 1,
		  .why = "this program is statically linked, so prov could not see inside" },
		{ .run = run.id,
		  .kind = "lost",
		  .count = 2,
		  .why = "events were lost because a buffer was full" },
	};
	struct note notes[] = { { run.id, "ticket", "4711" } };
	struct facts f = { .runs = &run,
			   .n_runs = 1,
			   .executions = executions,
			   .n_executions = N_EXECUTIONS,
			   .objects = all,
			   .n_objects = (size_t)(N_OBJECTS + further),
			   .accesses = accesses,
			   .n_accesses = (size_t)(N_ACCESSES + further),
			   .names = names,
			   .n_names = 2,
			   .holes = holes,
			   .n_holes = 2,
			   .notes = notes,
			   .n_notes = 1 };
	struct store *s = NULL;
	int ret;

	for (int i = 0; i < N_EXECUTIONS; i++) {
		executions[i].id = id_for("execution", i);
		executions[i].run = run.id;
		executions[i].cwd = FOLDER;
		executions[i].uid = 1000;
		if (i)
			executions[i].parent = id_for("execution", parents[i]);
	}
	for (int i = 0; i < N_OBJECTS; i++) {
		objects[i].id = id_for("object", i);
		objects[i].ino = (uint64_t)i + 1;
		objects[i].seen = 7 * SECOND;
	}
	fill_accesses(accesses);
	fill_further(all, accesses, further);
	memcpy(all, objects, sizeof(objects));
	ret = store_open(where, STORE_WRITE, &s);
	if (ret == 0)
		ret = store_put(s, &f);
	store_close(s);
	free(accesses);
	free(all);
	return ret;
}

int main(int argc, char **argv)
{
	int further = argc == 4 ? atoi(argv[3]) : 0;

	if (argc < 3 || argc > 4 || further < 0 || further > 1000) {
		fputs("usage: put_facts STORE NAME [N]\n", stderr);
		return 2;
	}
	name = argv[2];
	if (put(argv[1], further) < 0) {
		fprintf(stderr, "put_facts: %s\n", fail_text());
		return 3;
	}
	return 0;
}
