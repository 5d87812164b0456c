/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* kernel_programs.c - loading the programs, and finding out which of them run here */
#include "engine/kernel_programs.h"

#include <errno.h>
#include <malloc.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/btf.h>

#include "base/err.h"

#define THREADS_PER_CPU 256u	/* beyond them a thread is found more slowly */
#define RING_PER_CPU	(1u << 20)	/* 35 ms of 50 000 new files a second, and some */

/* The objects, as the compiler made them; see tools/embed. */
extern const unsigned char bpf_cast[], bpf_probe[];
extern const size_t bpf_cast_size, bpf_probe_size;

/* What libbpf said last: the reason when something fails. */
static _Thread_local char said[512];

/* The verifier ends with why, and then with how much it has looked at. */
static void keep_verdict(const char *log)
{
	const char *end = strstr(log, "\nprocessed "), *at;

	if (!end)
		return;
	for (at = end; at > log && at[-1] != '\n'; at--)
		;
	snprintf(said, sizeof(said), "%.*s", (int)(end - at), at);
}

static int listen_to(enum libbpf_print_level level, const char *fmt, va_list ap)
{
	static _Thread_local char text[1u << 16];

	if (level != LIBBPF_WARN)
		return 0;
	vsnprintf(text, sizeof(text), fmt, ap);
	if (strstr(text, "BEGIN PROG LOAD LOG"))
		keep_verdict(text);
	/* what comes first says most */
	else if (!said[0])
		snprintf(said, sizeof(said), "%.*s", (int)sizeof(said) - 1, text);
	return 0;
}

static const char *reason(int r)
{
	size_t n = strcspn(said, "\n");

	said[n] = 0;
	return n ? said : strerror(-r);
}

static size_t power_of_two(size_t least)
{
	size_t n = 512;

	while (n < least)
		n *= 2;
	return n;
}

static struct bpf_map *map_named(struct programs *p, const char *name)
{
	return bpf_object__find_map_by_name(p->object, name);
}

static int fd_of(struct programs *p, const char *name)
{
	return bpf_map__fd(map_named(p, name));
}

/* The section's map, whose name is cut. */
static struct bpf_map *section(struct programs *p, const char *name)
{
	struct bpf_map *m;

	bpf_object__for_each_map(m, p->object) {
		const char *dot = strrchr(bpf_map__name(m), '.');

		if (dot && !strcmp(dot, name))
			return m;
	}
	return NULL;
}

static int size_maps(struct programs *p)
{
	long cpus = sysconf(_SC_NPROCESSORS_CONF);
	size_t ring = power_of_two((size_t)(cpus > 0 ? cpus : 1) * RING_PER_CPU);
	struct kernel_setup s;
	struct bpf_map *constants = section(p, ".setup");

	p->n_threads = power_of_two((size_t)(cpus > 0 ? cpus : 1) * THREADS_PER_CPU);
	s = (struct kernel_setup){ .thread_mask = (uint32_t)p->n_threads - 1,
				   .wake_at = (uint32_t)ring / 4,
				   .uring_unseen = !p->features.requests };
	if (!constants || bpf_map__set_max_entries(map_named(p, "ring"), (uint32_t)ring) ||
	    bpf_map__set_max_entries(map_named(p, "threads"), (uint32_t)p->n_threads))
		return -EINVAL;
	return bpf_map__set_initial_value(constants, &s, sizeof(s));
}

static size_t pages(size_t n)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	return (n + page - 1) / page * page;
}

static void *map_memory(int fd, size_t size)
{
	void *m = mmap(NULL, pages(size), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	return m == MAP_FAILED ? NULL : m;
}

static int map_tables(struct programs *p)
{
	struct bpf_map *own = section(p, ".bss");
	char *state = own ? map_memory(bpf_map__fd(own), bpf_map__value_size(own)) : NULL;

	p->ring = fd_of(p, "ring");
	p->more = fd_of(p, "more");
	p->lost = fd_of(p, "lost");
	p->watched = fd_of(p, "watched");
	p->threads = map_memory(fd_of(p, "threads"), p->n_threads * sizeof(*p->threads));
	p->sessions = map_memory(fd_of(p, "sessions"), KERNEL_SESSIONS * sizeof(*p->sessions));
	if (!p->threads || !p->sessions || !state)
		return -errno;
	p->n_more = (uint32_t *)state;
	p->narrow_unseen = (uint32_t *)state + 2;
	return 0;
}

static int load_one(struct programs *p, const unsigned char *object, size_t size)
{
	LIBBPF_OPTS(bpf_object_open_opts, opts, .object_name = "prov");
	uint32_t id;
	int r;

	/* types that the kernel itself lacks are looked for in its modules, which needs
	 * CAP_SYS_ADMIN; without it they count as not there */
	if (bpf_btf_get_next_id(0, &id) == -EPERM)
		opts.btf_custom_path = "/sys/kernel/btf/vmlinux";
	said[0] = 0;
	p->object = bpf_object__open_mem(object, size, &opts);
	if (!p->object)
		return -errno;
	features_choose(&p->features, p->object, p->has_coarse);
	r = size_maps(p);
	if (r == 0)
		r = bpf_object__load(p->object);
	if (r == 0)
		r = map_tables(p);
	if (r < 0)
		programs_unload(p);
	return r;
}

static int load_features(struct programs *p, const struct kernel_features *f)
{
	p->features = *f;
	return f->cast ? load_one(p, bpf_cast, bpf_cast_size)
		       : load_one(p, bpf_probe, bpf_probe_size);
}

/* What a kernel says it can do and then refuses is done without. */
int programs_load(struct programs *p, bool coarse)
{
	struct kernel_features f;
	int r;

	*p = (struct programs){ .has_coarse = coarse };
	libbpf_set_print(listen_to);
	r = features_find(&f);
	if (r < 0)
		return r;
	r = load_features(p, &f);
	if (r < 0 && f.functions) {
		f.functions = false;
		r = load_features(p, &f);
	}
	if (r < 0 && f.cast) {
		f.cast = false;
		r = load_features(p, &f);
	}
	/* what loading took is not needed again */
	(void)malloc_trim(0);
	return r < 0 ? fail(-r, "the kernel does not take the tracing programs: %s", reason(r)) : 0;
}

void programs_unload(struct programs *p)
{
	programs_detach(p);
	if (p->threads)
		(void)munmap(p->threads, pages(p->n_threads * sizeof(*p->threads)));
	if (p->sessions)
		(void)munmap(p->sessions, pages(KERNEL_SESSIONS * sizeof(*p->sessions)));
	if (p->n_more)
		(void)munmap(p->n_more, pages(1));
	bpf_object__close(p->object);
	*p = (struct programs){ .has_coarse = p->has_coarse };
}

/* Loads nothing: a look at what is needed. */
int programs_probe(struct buf *why)
{
	struct kernel_features f;
	int fd;

	libbpf_set_print(listen_to);
	fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "prov_probe", 4, 4, 1, NULL);
	if (fd < 0) {
		buf_printf(why, "needs CAP_BPF and CAP_PERFMON (%s), or the node service",
			   strerror(errno));
		return -EPERM;
	}
	(void)close(fd);
	fd = features_find(&f);
	if (fd < 0) {
		buf_str(why, fail_text());
		return fd;
	}
	buf_str(why, "records every program, static ones too");
	return 0;
}
