/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* kernel.c - sessions that share the programs in the kernel */
#include "engine/kernel.h"

#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "base/err.h"
#include "base/mem.h"
#include "engine/kernel_programs.h"
#include "prov/segment.h"

#define DRAIN_MS  20			/* how long a record may lie in the ring buffer */
#define QUEUE_MOST (64u << 20)		/* of one session, uncollected */

struct session {
	bool used;
	struct buf queue;
	uint64_t unread;
};

static struct {
	pthread_mutex_t lock;
	struct programs programs;
	struct ring_buffer *ring;
	pthread_t reader;
	bool loaded, stop;
	unsigned users;		/* sessions, and one for the watch */
	unsigned n_sessions;
	struct session sessions[KERNEL_SESSIONS];
	struct buf fresh;
	int fresh_fd;		/* an eventfd, while somebody watches */
	struct kernel_figures figures;
} kernel = { .lock = PTHREAD_MUTEX_INITIALIZER, .fresh_fd = -1 };

static void lock(void)
{
	(void)pthread_mutex_lock(&kernel.lock);
}

static void unlock(void)
{
	(void)pthread_mutex_unlock(&kernel.lock);
}

static int on_record(void *ctx, void *p, size_t size)
{
	const struct kernel_head *h = p;
	struct buf *to = NULL;

	kernel.figures.records++;
	kernel.figures.bytes += size;
	if (size < sizeof(*h) || h->size != size || h->session >= KERNEL_SESSIONS)
		return 0;
	if (h->type == KERNEL_FRESH)
		to = &kernel.fresh;
	else if (kernel.sessions[h->session].used)
		to = &kernel.sessions[h->session].queue;
	if (!to)
		return 0;
	if (to->size + size > QUEUE_MOST) {
		kernel.sessions[h->session].unread++;
		kernel.figures.unread++;
		return 0;
	}
	buf_append(to, p, size);
	/* records follow each other at multiples of 8 */
	while (to->size % 8)
		buf_char(to, 0);
	if (to == &kernel.fresh)
		(void)eventfd_write(kernel.fresh_fd, 1);
	return 0;
}

static void *read_ring(void *arg)
{
	int wake = ring_buffer__epoll_fd(kernel.ring);
	struct epoll_event e;

	while (!__atomic_load_n(&kernel.stop, __ATOMIC_ACQUIRE)) {
		/* most records wake nobody */
		(void)epoll_wait(wake, &e, 1, DRAIN_MS);
		lock();
		(void)ring_buffer__consume(kernel.ring);
		unlock();
	}
	return NULL;
}

static int start_reader(void)
{
	sigset_t all, before;
	int err;

	kernel.ring = ring_buffer__new(kernel.programs.ring, on_record, NULL, NULL);
	if (!kernel.ring)
		return fail(errno, "the ring buffer cannot be mapped: %s", strerror(errno));
	kernel.stop = false;
	(void)sigfillset(&all);
	(void)pthread_sigmask(SIG_SETMASK, &all, &before);
	err = pthread_create(&kernel.reader, NULL, read_ring, NULL);
	(void)pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (err) {
		ring_buffer__free(kernel.ring);
		kernel.ring = NULL;
		return fail(err, "no thread to read the ring buffer: %s", strerror(err));
	}
	return 0;
}

/* Called with the lock, which is let go while the reader ends. */
static void unload(void)
{
	__atomic_store_n(&kernel.stop, true, __ATOMIC_RELEASE);
	unlock();
	(void)pthread_join(kernel.reader, NULL);
	lock();
	ring_buffer__free(kernel.ring);
	kernel.ring = NULL;
	programs_unload(&kernel.programs);
	buf_release(&kernel.fresh);
	kernel.loaded = false;
	kernel.figures = (struct kernel_figures){ 0 };
}

/* The coarse set takes seconds to come and go. */
static int use(bool coarse)
{
	int r = 0;

	if (!kernel.loaded) {
		r = programs_load(&kernel.programs, coarse);
		if (r == 0)
			r = programs_attach_lives(&kernel.programs);
		if (r == 0)
			r = start_reader();
		if (r < 0) {
			programs_unload(&kernel.programs);
			return r;
		}
		kernel.loaded = true;
	}
	kernel.users++;
	return 0;
}

static void let_go(void)
{
	if (--kernel.users == 0)
		unload();
}

/* The coarsest set that is fine enough for all. */
static int attach_set(void)
{
	enum programs_set set = SET_NONE;

	for (unsigned i = 1; i < KERNEL_SESSIONS && set != SET_FINE; i++)
		if (kernel.sessions[i].used)
			set = kernel.programs.sessions[i].granularity < PROV_OPEN_CLOSE ? SET_FINE
										: SET_COARSE;
	return programs_attach_calls(&kernel.programs, set);
}

int kernel_begin(int32_t granularity)
{
	int which = -1, r;

	lock();
	r = use(granularity >= PROV_OPEN_CLOSE);
	for (unsigned i = 1; r == 0 && which < 0 && i < KERNEL_SESSIONS; i++)
		which = kernel.sessions[i].used ? -1 : (int)i;
	if (r == 0 && which < 0)
		r = fail(EBUSY, "%u sessions are recorded at once, which is the most",
			 KERNEL_SESSIONS);
	if (which >= 0) {
		kernel.programs.sessions[which] = (struct kernel_session){
			.granularity = granularity, .used = 1 };
		kernel.sessions[which] = (struct session){ .used = true };
		kernel.n_sessions++;
		r = attach_set();
	}
	unlock();
	if (r < 0 && which >= 0)
		kernel_end(which);
	return r < 0 ? r : which;
}

void kernel_end(int session)
{
	struct session *s = &kernel.sessions[session];

	lock();
	for (size_t i = 0; i < kernel.programs.n_threads; i++)
		if (kernel.programs.threads[i].session == session)
			__atomic_store_n(&kernel.programs.threads[i].tid, 0, __ATOMIC_RELEASE);
		else if (kernel.programs.threads[i].launches == (uint32_t)session)
			kernel.programs.threads[i].launches = 0;
	buf_release(&s->queue);
	*s = (struct session){ 0 };
	kernel.programs.sessions[session] = (struct kernel_session){ .granularity = PROV_OFF };
	kernel.n_sessions--;
	(void)attach_set();
	let_go();
	unlock();
}

/* Where a new thread is written; NULL when somebody has it already. */
static struct kernel_thread *place_for(uint32_t tid)
{
	struct kernel_thread *t = &kernel.programs.threads[tid & (kernel.programs.n_threads - 1)];

	return t->tid ? NULL : t;
}

static int put(const struct kernel_thread *wanted)
{
	struct kernel_thread *t = place_for(wanted->tid);

	if (t) {
		uint32_t tid = wanted->tid;

		memcpy((char *)t + sizeof(tid), (const char *)wanted + sizeof(tid),
		       sizeof(*t) - sizeof(tid));
		__atomic_store_n(&t->tid, tid, __ATOMIC_RELEASE);
		return 0;
	}
	if (kernel.programs.threads[wanted->tid & (kernel.programs.n_threads - 1)].tid ==
	    wanted->tid)
		return -EEXIST;
	if (bpf_map_update_elem(kernel.programs.more, &wanted->tid, wanted, BPF_NOEXIST) < 0)
		return -errno;
	(void)__atomic_fetch_add(kernel.programs.n_more, 1, __ATOMIC_ACQ_REL);
	return 0;
}

static bool is_at_its_place(uint32_t tid)
{
	return kernel.programs.threads[tid & (kernel.programs.n_threads - 1)].tid == tid;
}

int kernel_launch(int session, uint32_t tid)
{
	struct kernel_thread t = { .tid = tid, .pid = tid, .image = tid,
				   .session = (uint16_t)session, .flags = KERNEL_LAUNCHER };
	int r;

	lock();
	r = put(&t);
	/* of another session, it stays there, and what it makes is of this one */
	if (r == -EEXIST && is_at_its_place(tid)) {
		kernel.programs.threads[tid & (kernel.programs.n_threads - 1)].launches =
			(uint32_t)session;
		r = 0;
	}
	unlock();
	return r < 0 ? fail(-r, "process %u is recorded already", tid) : 0;
}

bool kernel_has(uint32_t pid)
{
	static struct kernel_thread copy;
	bool has;

	lock();
	has = kernel.loaded && (is_at_its_place(pid) ||
				bpf_map_lookup_elem(kernel.programs.more, &pid, &copy) == 0);
	unlock();
	return has;
}

int kernel_take(int session, uint32_t pid, uint64_t start)
{
	struct kernel_thread t = { .pid = pid, .image = pid, .session = (uint16_t)session,
				   .start = start, .now = start };
	char path[64];
	struct dirent *d;
	int taken = 0;
	DIR *tasks;

	snprintf(path, sizeof(path), "/proc/%u/task", pid);
	tasks = opendir(path);
	lock();
	while (tasks && (d = readdir(tasks))) {
		t.tid = (uint32_t)strtoul(d->d_name, NULL, 10);
		if (t.tid && put(&t) == 0)
			taken = 1;
	}
	unlock();
	if (tasks)
		(void)closedir(tasks);
	return taken;
}

void kernel_collect(int session, struct buf *out)
{
	struct buf *q = &kernel.sessions[session].queue;

	lock();
	(void)ring_buffer__consume(kernel.ring);
	if (!out->size) {
		struct buf empty = *out;

		*out = *q;
		*q = empty;
	} else {
		buf_append(out, q->data, q->size);
		buf_clear(q);
	}
	unlock();
}

void kernel_threads(int session, void (*one)(void *ctx, const struct kernel_thread *t), void *ctx)
{
	static struct kernel_thread copy;
	uint32_t key, next;
	bool more;

	lock();
	for (size_t i = 0; i < kernel.programs.n_threads; i++) {
		if (kernel.programs.threads[i].session != session ||
		    !kernel.programs.threads[i].tid)
			continue;
		copy = kernel.programs.threads[i];
		one(ctx, &copy);
	}
	more = *kernel.programs.n_more &&
	       bpf_map_get_next_key(kernel.programs.more, NULL, &next) == 0;
	while (more) {
		key = next;
		more = bpf_map_get_next_key(kernel.programs.more, &key, &next) == 0;
		if (bpf_map_lookup_elem(kernel.programs.more, &key, &copy) == 0 &&
		    copy.session == session)
			one(ctx, &copy);
	}
	unlock();
}

void kernel_level(int session, int32_t granularity)
{
	lock();
	__atomic_store_n(&kernel.programs.sessions[session].granularity, granularity,
			 __ATOMIC_RELEASE);
	/* the finer set does coarse ones as well, if that fails */
	(void)attach_set();
	unlock();
}

static void count_thread(void *ctx, const struct kernel_thread *t)
{
	*(uint64_t *)ctx += t->calls;
}

uint64_t kernel_calls(int session)
{
	uint64_t n = 0;

	kernel_threads(session, count_thread, &n);
	return n + __atomic_load_n(&kernel.programs.sessions[session].calls, __ATOMIC_RELAXED);
}

static uint64_t sum_lost(uint32_t kind)
{
	int cpus = libbpf_num_possible_cpus();
	uint64_t *each, sum = 0;

	if (cpus <= 0)
		return 0;
	each = mem_alloc((size_t)cpus * sizeof(*each));
	if (bpf_map_lookup_elem(kernel.programs.lost, &kind, each) == 0)
		for (int i = 0; i < cpus; i++)
			sum += each[i];
	free(each);
	return sum;
}

bool kernel_figures(struct kernel_figures *out)
{
	struct buf text = { 0 };
	bool loaded;

	lock();
	loaded = kernel.loaded;
	if (loaded) {
		*out = kernel.figures;
		features_tell(&kernel.programs.features, &text);
		snprintf(out->variant, sizeof(out->variant), "%s", text.data);
		buf_release(&text);
		out->sessions = kernel.n_sessions;
		for (uint32_t i = 0; i < KERNEL_LOST_KINDS; i++)
			out->lost[i] = sum_lost(i);
		out->threads = *kernel.programs.n_more;
		for (size_t i = 0; i < kernel.programs.n_threads; i++) {
			out->threads += kernel.programs.threads[i].tid != 0;
			out->calls += kernel.programs.threads[i].calls;
		}
		for (unsigned i = 0; i < KERNEL_SESSIONS; i++)
			out->calls += kernel.programs.sessions[i].calls;
	}
	unlock();
	return loaded;
}

int kernel_watch(const struct kernel_watch *w)
{
	static bool watching;
	uint32_t zero = 0;
	int r = 0;

	lock();
	if (w->n && !watching)
		r = use(true);
	if (r == 0 && (w->n || watching) &&
	    bpf_map_update_elem(kernel.programs.watched, &zero, w, BPF_ANY) < 0)
		r = -errno;
	if (r == 0 && watching && !w->n)
		let_go();
	if (r == 0)
		watching = w->n > 0;
	if (watching && kernel.fresh_fd < 0)
		kernel.fresh_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (!watching && kernel.fresh_fd >= 0) {
		(void)close(kernel.fresh_fd);
		kernel.fresh_fd = -1;
	}
	unlock();
	return r;
}

int kernel_fresh_fd(void)
{
	return kernel.fresh_fd;
}

void kernel_collect_fresh(struct buf *out)
{
	eventfd_t n;

	lock();
	(void)eventfd_read(kernel.fresh_fd, &n);
	buf_append(out, kernel.fresh.data, kernel.fresh.size);
	buf_clear(&kernel.fresh);
	unlock();
}

int kernel_probe(struct buf *why)
{
	return programs_probe(why);
}
