/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* kernel_programs.c - loading the programs, and finding out which of them run here */
#include "engine/kernel_programs.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/btf.h>

#include "base/err.h"

#define THREADS_PER_CPU 1024u
#define RING_PER_CPU	(512u << 10)

/* The objects, as the compiler made them; see tools/embed. */
extern const unsigned char bpf_cast[], bpf_probe[];
extern const size_t bpf_cast_size, bpf_probe_size;

/* What libbpf said last: the reason when something fails. */
static _Thread_local char said[512];

static int listen_to(enum libbpf_print_level level, const char *fmt, va_list ap)
{
	if (level == LIBBPF_WARN && !strstr(fmt, "BEGIN PROG LOAD LOG"))
		vsnprintf(said, sizeof(said), fmt, ap);
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
	size_t n = 4096;

	while (n < least)
		n *= 2;
	return n;
}

/* Which object a name meant before a call changed it is told where the kernel sets
 * change times (Linux 6.13), or by looking into functions that check permissions. */
static const char *const by_time[] = { "prov_touch_grain", "prov_touch_same", "prov_touch_plain",
				       NULL };
static const char *const by_request[] = { "prov_uring", NULL };
static const char *const by_entry[] = { "prov_touch_unlink", "prov_touch_rmdir",
					"prov_touch_rename", "prov_touch_link", NULL };

enum touching { TOUCH_TIMES, TOUCH_ENTRIES, TOUCH_NOT };

static bool times_are_told(void)
{
	struct btf *btf = btf__load_vmlinux_btf();
	bool yes = btf && btf__find_by_name_kind(btf, "btf_trace_ctime_ns_xchg",
						 BTF_KIND_TYPEDEF) > 0;

	btf__free(btf);
	return yes;
}

/* The request, with its result in it, comes with the tracepoint since Linux 5.19. */
static bool requests_are_told(void)
{
	struct btf *btf = btf__load_vmlinux_btf();
	bool yes = btf && btf__find_by_name_kind(btf, "io_cqe", BTF_KIND_STRUCT) > 0;

	btf__free(btf);
	return yes;
}

static void choose(struct bpf_object *o, const char *const *names, bool load)
{
	for (; *names; names++) {
		struct bpf_program *p = bpf_object__find_program_by_name(o, *names);

		if (p)
			(void)bpf_program__set_autoload(p, load);
	}
}

/* Pointers can be given their types since Linux 6.2. */
static bool can_cast(void)
{
	struct btf *btf = btf__load_vmlinux_btf();
	bool yes = btf && btf__find_by_name_kind(btf, "bpf_rdonly_cast", BTF_KIND_FUNC) > 0 &&
		   btf__find_by_name_kind(btf, "bpf_loop", BTF_KIND_FUNC) != 0;

	btf__free(btf);
	return yes;
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

	p->n_threads = power_of_two((size_t)(cpus > 0 ? cpus : 1) * THREADS_PER_CPU) / 2;
	s = (struct kernel_setup){ .thread_mask = (uint32_t)p->n_threads - 1,
				   .wake_at = (uint32_t)ring / 4,
				   .uring_unseen = !requests_are_told() };
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
	return 0;
}

static bool is_coarse(const struct bpf_program *one)
{
	return !strncmp(bpf_program__name(one), "coarse_", 7);
}

static void choose_coarse(struct programs *p)
{
	struct bpf_program *one;

	bpf_object__for_each_program(one, p->object)
		if (is_coarse(one))
			(void)bpf_program__set_autoload(one, p->has_coarse);
}

static int load_one(struct programs *p, const unsigned char *object, size_t size,
		    enum touching how)
{
	LIBBPF_OPTS(bpf_object_open_opts, opts, .object_name = "prov");
	int r;

	said[0] = 0;
	p->object = bpf_object__open_mem(object, size, &opts);
	if (!p->object)
		return -errno;
	choose_coarse(p);
	choose(p->object, by_time, how == TOUCH_TIMES);
	choose(p->object, by_entry, how == TOUCH_ENTRIES);
	choose(p->object, by_request, requests_are_told());
	p->touching = how == TOUCH_TIMES   ? "change times are told"
		    : how == TOUCH_ENTRIES ? "functions are entered"
					   : "names of files that were opened before are remembered";
	r = size_maps(p);
	if (r == 0)
		r = bpf_object__load(p->object);
	if (r == 0)
		r = map_tables(p);
	if (r < 0)
		programs_unload(p);
	return r;
}

/* Programs that look into functions are refused on some kernels. */
static int load_best(struct programs *p, const unsigned char *object, size_t size)
{
	int r;

	if (times_are_told())
		return load_one(p, object, size, TOUCH_TIMES);
	r = load_one(p, object, size, TOUCH_ENTRIES);
	return r < 0 ? load_one(p, object, size, TOUCH_NOT) : r;
}

int programs_load(struct programs *p, bool coarse)
{
	bool cast = can_cast();
	int r = -ENOENT;

	*p = (struct programs){ .has_coarse = coarse };
	libbpf_set_print(listen_to);
	if (cast)
		r = load_best(p, bpf_cast, bpf_cast_size);
	if (r == 0) {
		p->variant = "raw_tracepoint, pointers followed by loads";
		return 0;
	}
	r = load_best(p, bpf_probe, bpf_probe_size);
	if (r < 0)
		return fail(-r, "the kernel does not take the tracing programs: %s", reason(r));
	p->variant = cast ? "raw_tracepoint, memory read by helpers (loads were refused)"
			  : "raw_tracepoint, memory read by helpers (loads need Linux 6.2)";
	return 0;
}

static int attach(struct programs *p, const char *name, struct bpf_link **out)
{
	struct bpf_program *program = bpf_object__find_program_by_name(p->object, name);

	*out = program ? bpf_program__attach(program) : NULL;
	if (!*out)
		return fail(errno, "%s: cannot be attached: %s", name, strerror(errno));
	return 0;
}

int programs_attach_lives(struct programs *p)
{
	static const char *const names[] = { "prov_fork", "prov_exec", "prov_exit" };
	int r = 0;

	for (size_t i = 0; r == 0 && i < sizeof(names) / sizeof(names[0]); i++)
		if (!p->lives[i])
			r = attach(p, names[i], &p->lives[i]);
	return r;
}

static void detach(struct bpf_link **links, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		(void)bpf_link__destroy(links[i]);
		links[i] = NULL;
	}
}

static void attach_touches(struct programs *p)
{
	const char *const *lists[] = { by_time, by_entry, by_request };
	size_t n = 0;

	if (p->touches[0])
		return;
	for (size_t k = 0; k < sizeof(lists) / sizeof(lists[0]); k++)
		for (const char *const *name = lists[k]; *name; name++) {
			struct bpf_program *one = bpf_object__find_program_by_name(p->object, *name);

			/* less is known without them, but not wrong */
			if (one && bpf_program__fd(one) >= 0)
				p->touches[n++] = bpf_program__attach(one);
		}
}

static int attach_coarse(struct programs *p)
{
	struct bpf_program *one;

	bpf_object__for_each_program(one, p->object) {
		if (!is_coarse(one) || p->n_coarse == PROGRAMS_COARSE)
			continue;
		p->coarse[p->n_coarse] = bpf_program__attach(one);
		if (!p->coarse[p->n_coarse])
			return fail(errno, "%s: cannot be attached: %s; is tracefs mounted?",
				    bpf_program__name(one), strerror(errno));
		p->n_coarse++;
	}
	return 0;
}

static void detach_coarse(struct programs *p)
{
	detach(p->coarse, p->n_coarse);
	p->n_coarse = 0;
}

/* The new set comes before the old one goes: what both see is told twice at most,
 * what neither would see is not. */
int programs_attach_calls(struct programs *p, enum programs_set set)
{
	int r = 0;

	if (set == SET_COARSE && !p->has_coarse)
		set = SET_FINE;
	if (set != SET_NONE)
		attach_touches(p);
	if (set == SET_FINE && !p->calls)
		r = attach(p, "prov_call", &p->calls);
	if (set == SET_COARSE && !p->n_coarse)
		r = attach_coarse(p);
	if (r < 0)
		return r;
	if (set != SET_COARSE)
		detach_coarse(p);
	if (set != SET_FINE)
		detach(&p->calls, 1);
	if (set == SET_NONE)
		detach(p->touches, sizeof(p->touches) / sizeof(p->touches[0]));
	return 0;
}

void programs_unload(struct programs *p)
{
	(void)programs_attach_calls(p, SET_NONE);
	detach(p->lives, sizeof(p->lives) / sizeof(p->lives[0]));
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
	static const char *const needed[] = { "/sys/kernel/btf/vmlinux" };
	int fd;

	if (access(needed[0], R_OK) < 0) {
		buf_printf(why, "%s is not there: the kernel was built without BTF", needed[0]);
		return -ENOSYS;
	}
	libbpf_set_print(listen_to);
	fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "prov_probe", 4, 4, 1, NULL);
	if (fd < 0) {
		buf_printf(why, "needs CAP_BPF and CAP_PERFMON (%s), or the node service",
			   strerror(errno));
		return -EPERM;
	}
	(void)close(fd);
	buf_str(why, can_cast() ? "records every program, static ones too; follows pointers by loads"
				: "records every program, static ones too; reads memory by helpers");
	return 0;
}
