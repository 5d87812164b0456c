/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* races.c - the capture library's shim under ThreadSanitizer; TAP
 *
 * Built from the same sources as the guest library, but with libc around them:
 * threads do what hooks do, without a program in between, as fast as they can.
 */
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "shim/image.h"
#include "shim/tally.h"

#define THREADS 8
#define CHUNKS	4096u

static int cases, failures;
static char folder[] = "/tmp/prov-t-races-XXXXXX";
static char *arena;

static void report(const char *name, int wrong)
{
	printf("%sok %d - %s\n", wrong ? "not " : "", ++cases, name);
	fflush(stdout);
	failures += wrong != 0;
}

static void need(int right, const char *what)
{
	if (right)
		return;
	printf("Bail out! %s\n", what);
	fflush(stdout);
	_exit(1);
}

static void arena_make(void)
{
	size_t size = PROV_CHUNKS_AT + (size_t)CHUNKS * PROV_CHUNK_SIZE;
	int fd = memfd_create("arena", 0);
	char value[64];
	struct prov_arena *a;

	need(fd >= 0 && ftruncate(fd, (off_t)size) == 0, "no memory for an arena");
	arena = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	need(arena != MAP_FAILED, "cannot map the arena");
	a = (struct prov_arena *)arena;
	*a = (struct prov_arena){ .magic = PROV_ARENA_MAGIC, .version = PROV_ARENA_VERSION,
				  .chunk_size = PROV_CHUNK_SIZE, .chunks = CHUNKS };
	snprintf(value, sizeof(value), "/proc/%d/fd/%d,0,0,0,0", (int)getpid(), fd);
	need(session_set(value) == 0 && image_ready(), "the image does not begin");
}

/* Calls look for every record of the chunks of one process. */
static void records(uint32_t pid, void (*look)(const struct prov_record *, void *), void *arg)
{
	for (uint32_t i = 0; i < CHUNKS; i++) {
		const char *c = arena + PROV_CHUNKS_AT + (size_t)i * PROV_CHUNK_SIZE;
		size_t at = PROV_CHUNK_HEAD;

		while (((const struct prov_chunk *)c)->pid == pid && at + 8 <= PROV_CHUNK_SIZE) {
			const struct prov_record *r = (const void *)(c + at);
			uint32_t word = __atomic_load_n(&r->word, __ATOMIC_ACQUIRE);

			if (!word)
				break;
			if (word & PROV_RECORD_READY)
				look(r, arg);
			at += word & PROV_RECORD_SIZE;
		}
	}
}

/* The shim maps memory behind ThreadSanitizer's back, which must not come to lie
 * where a thread's stack was: stacks are given, and stay. */
static void start(pthread_t t[THREADS], void *(*work)(void *))
{
	static _Alignas(4096) char stack[THREADS][2 << 20];

	for (long i = 0; i < THREADS; i++) {
		pthread_attr_t a;

		pthread_attr_init(&a);
		need(pthread_attr_setstack(&a, stack[i], sizeof(stack[i])) == 0 &&
			     pthread_create(&t[i], &a, work, (void *)i) == 0,
		     "no thread");
		pthread_attr_destroy(&a);
	}
}

static void together(void *(*work)(void *))
{
	pthread_t t[THREADS];

	start(t, work);
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
}

static int hook_open(const char *name, int flags)
{
	int fd = open(name, flags | O_CLOEXEC, 0600);

	need(fd >= 0, "cannot open a file");
	tally_open(fd, AT_FDCWD, name, flags, (flags & O_EXCL) != 0);
	return fd;
}

static void hook_close(int fd)
{
	struct prov_tally *t = tally_detach(fd);

	close(fd);
	if (t)
		tally_release(t);
}

static int wrong;

static void fault(void)
{
	__atomic_fetch_add(&wrong, 1, __ATOMIC_RELAXED);
}

static const struct prov_open *record_of(const struct prov_tally *t)
{
	return (const void *)((const char *)t - offsetof(struct prov_open, tally));
}

/* Many files for few places of the cache of known ones. */
static void *open_many(void *arg)
{
	char name[64];
	struct stat st;

	for (int i = 0; i < 400; i++) {
		int fd;

		snprintf(name, sizeof(name), "f%d", ((int)(long)arg * 7 + i) % 150);
		fd = hook_open(name, O_RDWR);
		need(fstat(fd, &st) == 0, "fstat");
		if (tally_of(fd) == &tally_mute || record_of(tally_of(fd))->object.ino != st.st_ino)
			fault();
		hook_close(fd);
	}
	return NULL;
}

static void tallies_are_of_their_files(void)
{
	char name[64];

	for (int i = 0; i < 150; i++) {
		snprintf(name, sizeof(name), "f%d", i);
		close(open(name, O_CREAT | O_RDWR | O_CLOEXEC, 0600));
	}
	wrong = 0;
	together(open_many);
	report("a descriptor's tally is that of its file", wrong);
}

static void *open_one(void *arg)
{
	(void)arg;
	for (int i = 0; i < 500; i++) {
		int fd = hook_open("one", O_RDWR);

		tally_after_write(tally_before_write(fd), 3);
		if (!__atomic_load_n(&tally_of(fd)->refs, __ATOMIC_ACQUIRE))
			fault();
		hook_close(fd);
	}
	return NULL;
}

struct sum {
	uint64_t ino, writes, bytes, open;
};

static void add(const struct prov_record *r, void *arg)
{
	const struct prov_open *o = (const void *)r;
	struct sum *s = arg;

	if (r->type != PROV_OPEN || o->object.ino != s->ino)
		return;
	s->writes += o->tally.writes;
	s->bytes += o->tally.bytes_written;
	s->open += o->tally.refs != 0 || o->tally.closed < o->tally.last_write;
}

static void one_file_for_all(void)
{
	struct sum s = { 0 };
	struct stat st;

	close(open("one", O_CREAT | O_RDWR | O_CLOEXEC, 0600));
	need(stat("one", &st) == 0, "stat");
	s.ino = st.st_ino;
	wrong = 0;
	together(open_one);
	records((uint32_t)getpid(), add, &s);
	report("a tally that has a descriptor is held", wrong);
	report("one that has none is closed, after the last write to it", s.open != 0);
	report("what all threads write to one file is counted",
	       s.writes != THREADS * 500 || s.bytes != 3 * s.writes);
}

/* Slots of descriptors that one thread closes while another uses them. */
static int moving[4];

static void *use_moving(void *arg)
{
	for (int i = 0; i < 400; i++) {
		int fd = moving[((int)(long)arg + i) % 4];

		if ((long)arg % 2) {
			tally_after_read(tally_before_read(fd), 1);
			tally_cut(fd);
			tally_map(fd, PROT_READ, MAP_SHARED, 0x10000, 4096);
		} else {
			int other = dup(fd);

			tally_duplicate(fd, other);
			tally_protect(0x10000, 4096);
			tally_touch_write(other);
			hook_close(other);
		}
	}
	return NULL;
}

static void descriptors_come_and_go(void)
{
	for (int i = 0; i < 4; i++)
		moving[i] = hook_open("one", O_RDWR);
	together(use_moving);
	for (int i = 0; i < 4; i++)
		hook_close(moving[i]);
	report("descriptors are copied, mapped and cut by all", 0);
}

static uint64_t seen;

/* Records of many sizes. */
static void *write_records(void *arg)
{
	static const char kind[] = "race";

	for (uint32_t i = 0; i < 2000; i++) {
		size_t size = sizeof(kind) + 8 + i % 200;
		struct prov_hole *h = record_begin(PROV_HOLE, sizeof(*h) + size);

		if (!h) {
			fault();
			continue;
		}
		h->kind_size = sizeof(kind);
		h->why_size = (uint32_t)(size - sizeof(kind));
		memcpy(h->text, kind, sizeof(kind));
		memset(h->text + sizeof(kind), (int)(long)arg + 'a', 7);
		record_end(h);
	}
	return NULL;
}

static void count_holes(const struct prov_record *r, void *arg)
{
	const struct prov_hole *h = (const void *)r;

	(void)arg;
	if (r->type != PROV_HOLE || strcmp(h->text, "race"))
		return;
	seen++;
	for (int i = 0; i < 7; i++)
		if (h->text[5 + i] != h->text[5])
			fault();
}

static void every_record_is_kept(void)
{
	wrong = 0;
	seen = 0;
	together(write_records);
	records((uint32_t)getpid(), count_holes, NULL);
	report("every record of every thread is there and whole", wrong || seen != THREADS * 2000);
}

static void *use_scratch(void *arg)
{
	for (int i = 0; i < 500; i++) {
		char *room[10];

		for (int k = 0; k < 10; k++) {
			room[k] = scratch_take();
			need(room[k] != NULL, "no scratch memory");
			memset(room[k], (int)(long)arg * 16 + k, 64);
		}
		for (int k = 0; k < 10; k++) {
			for (int b = 0; b < 64; b++)
				if (room[k][b] != (char)((long)arg * 16 + k))
					fault();
			scratch_give(room[k]);
		}
	}
	return NULL;
}

static void scratch_is_ones_own(void)
{
	wrong = 0;
	together(use_scratch);
	report("scratch memory belongs to one thread at a time", wrong);
}

static int stop;

static void *busy(void *arg)
{
	(void)arg;
	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
		int fd = hook_open("one", O_RDWR);

		tally_after_write(tally_before_write(fd), 1);
		hook_close(fd);
	}
	return NULL;
}

static int child(void)
{
	struct sum s = { 0 };
	struct stat st;
	int fd;

	image_forked();
	fd = hook_open("child", O_RDWR);
	for (int i = 0; i < 10; i++)
		tally_after_write(tally_before_write(fd), 2);
	hook_close(fd);
	if (fstat(0, &st) < 0 || stat("child", &st) < 0)
		return 1;
	s.ino = st.st_ino;
	records((uint32_t)getpid(), add, &s);
	return s.writes != 10 || s.bytes != 20 || s.open;
}

static void forks_of_busy_threads(void)
{
	pthread_t t[THREADS];
	int status, bad = 0;

	close(open("child", O_CREAT | O_RDWR | O_CLOEXEC, 0600));
	start(t, busy);
	for (int i = 0; i < 10; i++) {
		pid_t p = fork();

		if (p == 0)
			_exit(child());
		bad += p < 0 || waitpid(p, &status, 0) != p || status;
	}
	__atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	report("a fork of busy threads records for itself", bad);
}

int main(void)
{
	char command[64];

	need(mkdtemp(folder) && chdir(folder) == 0, "no folder to work in");
	arena_make();
	tallies_are_of_their_files();
	one_file_for_all();
	descriptors_come_and_go();
	every_record_is_kept();
	scratch_is_ones_own();
	forks_of_busy_threads();
	printf("1..%d\n", cases);
	snprintf(command, sizeof(command), "rm -rf %s", folder);
	return system(command) || failures;
}
