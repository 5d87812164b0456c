/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* t_journal.c - tests of the journal */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <signal.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "journal/journal.h"

#undef fail
#include <cmocka.h>

static char dir[] = "/tmp/prov-t-journal-XXXXXX";
static char path[64];

static int setup(void **state)
{
	(void)state;
	memcpy(dir, "/tmp/prov-t-journal-XXXXXX", sizeof(dir));
	if (!mkdtemp(dir))
		return -1;
	snprintf(path, sizeof(path), "%s/j", dir);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	(void)unlink(path);
	return rmdir(dir);
}

static struct run a_run(void)
{
	return (struct run){
		.id = { { 1, 2, 3 } },
		.name = "name",
		.host = "h",
		.boot = "b",
		.user = "u",
		.uid = 7,
		.cwd = "/w",
		.argv = { "a\0b c\0", 6 },
		.engine = "preload",
		.start = 5,
		.shift = -9,
		.status = -1,
	};
}

static struct access an_access(uint8_t n)
{
	return (struct access){
		.exec = { { 9, n } },
		.object = { { 8, n } },
		.path = "/w/\xff\n",
		.flags = ACCESS_READ,
		.reads = n,
		.bytes_read = UINT64_MAX,
		.first_read = 1,
		.last_read = INT64_MAX,
		.fuzz = 4000000,
		.opened = 1,
		.truncated = 3,
	};
}

/* A journal of `blocks` blocks with one access each, after the run's. */
static void write_journal(int blocks)
{
	struct run r = a_run();
	struct journal *j;

	assert_int_equal(journal_create(path, &r, "/dev/shm/s", &j), 0);
	for (int i = 0; i < blocks; i++) {
		struct access a = an_access((uint8_t)i);
		struct facts f = { .accesses = &a, .n_accesses = 1 };

		assert_int_equal(journal_append(j, &f), 0);
		assert_int_equal(journal_flush(j), 0);
	}
	journal_close(j);
}

struct seen {
	size_t calls, runs, accesses;
	char folder[64];
	struct access last;
	char last_path[64];
};

static int on_facts(void *ctx, const struct facts *f)
{
	struct seen *s = ctx;

	s->calls++;
	s->runs += f->n_runs;
	s->accesses += f->n_accesses;
	if (f->n_accesses) {
		s->last = f->accesses[f->n_accesses - 1];
		snprintf(s->last_path, sizeof(s->last_path), "%s", s->last.path);
	}
	return 0;
}

static void on_folder(void *ctx, const char *folder)
{
	snprintf(((struct seen *)ctx)->folder, 64, "%s", folder);
}

static int read_batches(size_t batch, struct seen *s, struct journal_end *end)
{
	const struct journal_sink sink = {
		.ctx = s, .batch = batch, .facts = on_facts, .folder = on_folder,
	};

	*s = (struct seen){ 0 };
	return journal_read(path, &sink, end);
}

static int read_journal(struct seen *s, struct journal_end *end)
{
	return read_batches(0, s, end);
}

static void what_is_written_is_read(void **state)
{
	struct journal_end end;
	struct access want = an_access(2);
	struct seen s;

	(void)state;
	write_journal(3);
	assert_int_equal(read_journal(&s, &end), 0);
	assert_false(end.damaged);
	assert_int_equal(s.runs, 1);
	assert_int_equal(s.accesses, 3);
	assert_string_equal(s.folder, "/dev/shm/s");
	assert_string_equal(s.last_path, want.path);
	s.last.path = want.path;
	/* around the padding after flags, which holds anything */
	assert_memory_equal(&s.last, &want, offsetof(struct access, flags));
	assert_int_equal(s.last.flags, want.flags);
	assert_memory_equal(&s.last.reads, &want.reads,
			    sizeof(want) - offsetof(struct access, reads));
}

static void blocks_come_together_when_asked_for(void **state)
{
	struct journal_end end;
	struct seen s;

	(void)state;
	write_journal(9);
	for (size_t batch = 0; batch < 2000; batch += 50) {
		assert_int_equal(read_batches(batch, &s, &end), 0);
		assert_false(end.damaged);
		assert_int_equal(end.at, end.size);
		assert_int_equal(s.runs, 1);
		assert_int_equal(s.accesses, 9);
		assert_string_equal(s.folder, "/dev/shm/s");
		if (batch == 0)
			assert_int_equal(s.calls, 10);
	}
	assert_int_equal(s.calls, 1);
}

static void it_is_private(void **state)
{
	struct stat st;

	(void)state;
	write_journal(1);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
}

static char *slurp(size_t *n)
{
	FILE *f = fopen(path, "rb");
	char *p = malloc(1 << 20);

	*n = fread(p, 1, 1 << 20, f);
	fclose(f);
	return p;
}

static void spill(const char *p, size_t n)
{
	FILE *f = fopen(path, "wb");

	assert_int_equal(fwrite(p, 1, n, f), n);
	fclose(f);
}

static void cut_at_every_byte_it_is_read_up_to_there(void **state)
{
	struct journal_end end;
	struct seen s;
	size_t n, most = 0;
	char *p;

	(void)state;
	write_journal(4);
	p = slurp(&n);
	for (size_t cut = 8; cut < n; cut++) {
		spill(p, cut);
		assert_int_equal(read_journal(&s, &end), 0);
		assert_true(end.at <= cut);
		assert_int_equal(end.damaged, end.at != cut);
		assert_true(s.accesses >= most);
		most = s.accesses;
	}
	assert_int_equal(most, 3);
	for (size_t cut = 0; cut < 8; cut++) {
		spill(p, cut);
		assert_int_equal(read_journal(&s, &end), -EBADMSG);
	}
	free(p);
}

static void a_batch_ends_where_the_damage_begins(void **state)
{
	struct journal_end end, one;
	struct seen s, single;
	size_t n;
	char *p;

	(void)state;
	write_journal(5);
	p = slurp(&n);
	for (size_t i = 8; i < n; i += 3) {
		p[i] ^= 0x20;
		spill(p, n);
		assert_int_equal(read_journal(&single, &one), 0);
		assert_int_equal(read_batches(1 << 20, &s, &end), 0);
		assert_true(end.damaged);
		assert_int_equal(end.at, one.at);
		assert_int_equal(s.accesses, single.accesses);
		assert_int_equal(s.runs, single.runs);
		p[i] ^= 0x20;
	}
	free(p);
}

static void flipped_at_every_byte_nothing_false_is_read(void **state)
{
	struct journal_end end;
	struct seen s;
	size_t n;
	char *p;

	(void)state;
	write_journal(3);
	p = slurp(&n);
	for (size_t i = 8; i < n; i++) {
		p[i] ^= 0x20;
		spill(p, n);
		assert_int_equal(read_journal(&s, &end), 0);
		assert_true(end.damaged);
		assert_true(s.accesses < 3);
		for (size_t k = 0; k < s.accesses; k++)
			assert_string_equal(s.last_path, "/w/\xff\n");
		p[i] ^= 0x20;
	}
	free(p);
}

static void a_writer_that_lives_keeps_it_locked(void **state)
{
	struct run r = a_run();
	struct journal *j;
	int fd;

	(void)state;
	assert_int_equal(journal_create(path, &r, "", &j), 0);
	assert_int_equal(journal_lock(path, &fd), -EAGAIN);
	journal_close(j);
	assert_int_equal(journal_lock(path, &fd), 0);
	close(fd);
}

static void an_existing_one_is_never_overwritten(void **state)
{
	struct run r = a_run();
	struct journal *j = NULL;

	(void)state;
	write_journal(1);
	assert_int_equal(journal_create(path, &r, "", &j), -EEXIST);
	assert_null(j);
}

static void after_a_failed_write_nothing_is_lost_and_the_file_stays_whole(void **state)
{
	struct rlimit old, small = { 600, 600 };
	struct run r = a_run();
	struct journal *j;
	struct journal_end end;
	struct seen s;

	(void)state;
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(journal_create(path, &r, "", &j), 0);
	getrlimit(RLIMIT_FSIZE, &old);
	small.rlim_max = old.rlim_max;
	setrlimit(RLIMIT_FSIZE, &small);
	for (int i = 0; i < 20; i++) {
		struct access a = an_access((uint8_t)i);
		struct facts f = { .accesses = &a, .n_accesses = 1 };

		(void)journal_append(j, &f);
		if (journal_flush(j) < 0)
			assert_non_null(strstr(fail_text(), "cannot write the journal"));
	}
	assert_int_equal(read_journal(&s, &end), 0);
	assert_false(end.damaged);
	assert_true(s.accesses < 20);
	setrlimit(RLIMIT_FSIZE, &old);
	assert_int_equal(journal_flush(j), 0);
	journal_close(j);
	assert_int_equal(read_journal(&s, &end), 0);
	assert_int_equal(s.accesses, 20);
}

static void more_than_a_block_may_hold_comes_in_several(void **state)
{
	enum { MANY = 700000 };
	struct access *all = calloc(MANY, sizeof(*all));
	struct facts f = { .accesses = all, .n_accesses = MANY };
	struct run r = a_run();
	struct journal *j;
	struct journal_end end;
	struct seen s;

	(void)state;
	for (int i = 0; i < MANY; i++)
		all[i] = an_access((uint8_t)i);
	assert_int_equal(journal_create(path, &r, "", &j), 0);
	assert_int_equal(journal_append(j, &f), 0);
	journal_close(j);
	assert_int_equal(read_journal(&s, &end), 0);
	assert_false(end.damaged);
	assert_int_equal(s.accesses, MANY);
	assert_true(s.calls > 100);
	free(all);
}

struct order {
	char text[64];
	size_t n;
};

static int order_facts(void *ctx, const struct facts *f)
{
	struct order *o = ctx;

	if (f->n_accesses)
		o->text[o->n++] = 'a';
	return 0;
}

static void order_state(void *ctx, const char *p, size_t n)
{
	struct order *o = ctx;

	assert_int_equal(n, 1);
	o->text[o->n++] = p[0];
}

static void states_stay_in_order_and_blocks_end_where_they_are_flushed(void **state)
{
	struct access x = an_access(1);
	struct facts f = { .accesses = &x, .n_accesses = 1 };
	struct order o = { .n = 0 };
	const struct journal_sink sink = { .ctx = &o, .facts = order_facts, .state = order_state };
	struct rlimit old, small = { 600, 600 };
	struct run r = a_run();
	struct journal *j;
	struct journal_end end;

	(void)state;
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(journal_create(path, &r, "", &j), 0);
	getrlimit(RLIMIT_FSIZE, &old);
	small.rlim_max = old.rlim_max;
	setrlimit(RLIMIT_FSIZE, &small);
	/* also those that found no room at first */
	for (char c = '0'; c <= '9'; c++) {
		(void)journal_append(j, &f);
		(void)journal_append_state(j, &c, 1);
		(void)journal_flush(j);
	}
	setrlimit(RLIMIT_FSIZE, &old);
	journal_close(j);
	assert_int_equal(journal_read(path, &sink, &end), 0);
	assert_string_equal(o.text, "a0a1a2a3a4a5a6a7a8a9");
}

static void a_record_of_a_newer_prov_is_stepped_over(void **state)
{
	struct arena a = { 0 };
	struct access x = an_access(1);
	struct facts f = { .accesses = &x, .n_accesses = 1 }, out;
	struct buf b = { 0 };
	const char *folder;

	(void)state;
	buf_uint(&b, 200);
	buf_blob(&b, "future", 6);
	journal_encode(&f, &b);
	assert_int_equal(journal_decode(b.data, b.size, &a, &out, &folder), 0);
	assert_int_equal(out.n_accesses, 1);
	buf_release(&b);
	arena_release(&a);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(what_is_written_is_read),
		T(blocks_come_together_when_asked_for),
		T(a_batch_ends_where_the_damage_begins),
		T(it_is_private),
		T(cut_at_every_byte_it_is_read_up_to_there),
		T(flipped_at_every_byte_nothing_false_is_read),
		T(a_writer_that_lives_keeps_it_locked),
		T(an_existing_one_is_never_overwritten),
		T(after_a_failed_write_nothing_is_lost_and_the_file_stays_whole),
		T(more_than_a_block_may_hold_comes_in_several),
		T(states_stay_in_order_and_blocks_end_where_they_are_flushed),
		T(a_record_of_a_newer_prov_is_stepped_over),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
