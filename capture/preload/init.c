/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* init.c - how recording begins in a program, and what the loader brought */
#include <elf.h>
#include <link.h>
#include <stdint.h>
#include <sys/auxv.h>

#include "detour.h"
#include "environ.h"
#include "hooks.h"
#include "real.h"
#include "shim/elf.h"
#include "shim/image.h"
#include "shim/program.h"
#include "shim/tally.h"
#include "shim/text.h"

/* How many objects of the loader's list are on record. */
static uint32_t loaded_known IN_DATA;

static size_t object_name_size(const struct link_map *m)
{
	/* the program and the vDSO have no path */
	return m->l_name && m->l_name[0] == '/' ? text_size(m->l_name) : 0;
}

static void report_objects(const struct link_map *m)
{
	while (m) {
		const struct link_map *end = m;
		struct prov_strings *r;
		size_t total = 0;

		for (; end; end = end->l_next) {
			size_t n = object_name_size(end);

			if (sizeof(*r) + total + n > PROV_RECORD_MAX)
				break;
			total += n;
		}
		r = total ? record_begin(PROV_LOADED, sizeof(*r) + total) : NULL;
		if (!r)
			return;
		for (; m != end; m = m->l_next) {
			size_t n = object_name_size(m);

			memcpy(r->text + r->size, m->l_name, n);
			r->size += (uint32_t)n;
		}
		record_end(r);
	}
}

static uint32_t objects_count(void)
{
	uint32_t n = 0;

	for (const struct link_map *m = elf_objects(); m; m = m->l_next)
		n++;
	return n;
}

/* Of namespaces that dlmopen(3) makes: how many objects are on record. */
static uint32_t apart_known IN_DATA;

/* glibc 2.35 and later chain their lists to the first. They have a libc of their
 * own, in which nothing is detoured. */
static void apart_report(struct r_debug *first)
{
	struct apart {
		struct r_debug list;
		struct apart *next;
	} *d = (struct apart *)first;
	uint32_t n = 0;

	if (first->r_version < 2)
		return;
	for (d = d->next; d; d = d->next)
		for (const struct link_map *m = d->list.r_map; m; m = m->l_next)
			if (d->list.r_state == RT_CONSISTENT && n++ >= apart_known && !m->l_prev)
				report_objects(m);
	if (n > apart_known)
		not_seen("namespace", "it has loaded libraries into a namespace of their own "
				      "(dlmopen); what they do by themselves is not seen");
	apart_known = n;
}

void loaded_report(void)
{
	struct r_debug *d = elf_debug();
	uint32_t n;

	/* the list is only whole when the loader says so */
	if (d->r_state != RT_CONSISTENT || image.state != IMAGE_ON || !image_is_mine())
		return;
	apart_report(d);
	n = objects_count();
	if (n > loaded_known) {
		const struct link_map *m = elf_objects();

		for (uint32_t i = 0; i < loaded_known && m; i++)
			m = m->l_next;
		report_objects(m);
	}
	loaded_known = n;
}

#define ARGV_MOST (256u << 10)
#define ARGV_PIECE (PROV_RECORD_MAX - sizeof(struct prov_strings))

/* Appends as much of the arguments from *at (inside **argv) as fits into one
 * record; moves both on. */
static struct prov_strings *argv_piece(char *const **argv, const char **at)
{
	char *const *a = *argv;
	const char *from = *at;
	struct prov_strings *r;
	size_t total = 0;

	while (*a && total < ARGV_PIECE) {
		total += text_size(from);
		from = *++a;
	}
	if (total > ARGV_PIECE)
		total = ARGV_PIECE;
	r = record_begin(PROV_ARGV, sizeof(*r) + total);
	if (!r)
		return NULL;
	while (r->size < total) {
		size_t n = text_size(*at), rest = total - r->size;

		memcpy(r->text + r->size, *at, n < rest ? n : rest);
		r->size += (uint32_t)(n < rest ? n : rest);
		*at = n <= rest ? *++*argv : *at + rest;
	}
	return r;
}

static void report_argv(char *const *argv)
{
	const char *at = argv[0];
	uint32_t offset = 0;

	while (*argv && offset < ARGV_MOST) {
		struct prov_strings *r = argv_piece(&argv, &at);

		if (!r)
			return;
		r->offset = offset;
		offset += r->size;
		if (*argv && offset >= ARGV_MOST)
			r->head.flags = PROV_CUT;
		record_end(r);
	}
}

/* What the kernel told the program about itself, behind the environment; 0 when
 * it did not say. */
static ElfW(Addr) given(char *const *envp, uint64_t type)
{
	const ElfW(auxv_t) *aux;

	while (*envp)
		envp++;
	for (aux = (const void *)(envp + 1); aux->a_type != AT_NULL; aux++)
		if (aux->a_type == type)
			return aux->a_un.a_val;
	return 0;
}

/* Dynamic Go programs make system calls of their own: exec without us. They
 * must hand the variables on themselves, so they keep them. */
static int is_go(char *const *envp)
{
	const ElfW(Phdr) *headers = (const void *)given(envp, AT_PHDR);
	uint64_t n = given(envp, AT_PHNUM);
	ElfW(Addr) base = 0;

	for (uint64_t i = 0; headers && i < n; i++)
		if (headers[i].p_type == PT_PHDR)
			base = (ElfW(Addr))headers - headers[i].p_vaddr;
	for (uint64_t i = 0; headers && i < n; i++) {
		const char *p = (const char *)(base + headers[i].p_vaddr);
		uint64_t at = 0;

		if (headers[i].p_type != PT_NOTE)
			continue;
		while (at + 16 <= headers[i].p_memsz) {
			const ElfW(Nhdr) *h = (const void *)(p + at);

			/* name "Go", type 4: the build id that the Go linker writes */
			if (h->n_type == 4 && h->n_namesz == 4 && p[at + 12] == 'G' &&
			    p[at + 13] == 'o')
				return 1;
			at += 12 + ((h->n_namesz + 3) & ~3u) + ((h->n_descsz + 3) & ~3u);
		}
	}
	return 0;
}

/* AddressSanitizer's runtime insists on being the first library; it needs not
 * be, with us in front of it. A program's own options come first. */
const char *__asan_default_options(void);

EXPORT const char *__asan_default_options(void)
{
	return "verify_asan_link_order=0";
}

static int detour_wanted(char *const *envp)
{
	for (; *envp; envp++)
		if (text_equal(*envp, "PROV_DETOUR=0"))
			return 0;
	return 1;
}

static void begin(int argc, char **argv, char **envp)
{
	const char *alone;
	char ***copied;

	/* prov itself is not recorded: it marks its executable with this name */
	if (!argv || !envp || environ_find(envp) < 0 || elf_find_any("prov_is_not_recorded")) {
		session.path[0] = 0;
		return;
	}
	/* a first touch that reads would cost this page two faults */
	image.names = 1;
	alone = elf_find_any("__libc_single_threaded");
	if (alone)
		tally_alone = alone;
	if (!detour_wanted(envp) || detour_install(DETOUR_FILES) < 0)
		session.start_flags |= PROV_STDIO_BLIND;
	if (session.start_flags & PROV_STDIO_BLIND || is_go(envp))
		session.start_flags |= PROV_ENV_KEPT;
	program_given((const char *)given(envp, AT_EXECFN), argv);
	if (!image_ready())
		return;
	tally_granularity_at =
		(intptr_t)&session.arena->granularity - (intptr_t)&tally_every_access;
	report_argv(argv);
	environ_report(envp);
	report_objects(elf_objects());
	loaded_known = objects_count();
	if (session.start_flags & PROV_ENV_KEPT)
		return;
	environ_hide(envp);
	/* a library that was initialised before us may have called setenv(3) */
	copied = elf_find_any("environ");
	if (copied && *copied && *copied != envp)
		environ_hide(*copied);
}

/* What a constructor is. It comes first of all that is written to, and so decides
 * whether that is one page or two, of which a fault each costs every program. */
__attribute__((section(".init_array"), aligned(4096), used)) static void (*const at_start)(
	int, char **, char **) = begin;
