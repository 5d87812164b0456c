/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* elf.c - symbols of the objects in this process */
#include "elf.h"

#include <elf.h>
#include <stddef.h>
#include <stdint.h>

#include "text.h"

/* The list of objects: exported by glibc's loader under one name, by musl's
 * under another. The one that is not there stays NULL. */
extern struct r_debug _r_debug __attribute__((weak, visibility("default")));
extern struct r_debug *_dl_debug_addr __attribute__((weak, visibility("default")));

static const char here;		/* an address inside this library */

struct elf_tables {
	const ElfW(Sym) *symbols;
	const char *strings;
	const uint32_t *hash;
	const ElfW(Versym) *versions;
};

struct r_debug *elf_debug(void)
{
	return &_r_debug ? &_r_debug : &_dl_debug_addr ? _dl_debug_addr : NULL;
}

const struct link_map *elf_objects(void)
{
	struct r_debug *d = elf_debug();

	return d ? d->r_map : NULL;
}

/* glibc relocates these pointers in place, except for the vDSO's. */
static const void *table_at(const struct link_map *map, ElfW(Addr) value)
{
	return (const void *)(value < map->l_addr ? value + map->l_addr : value);
}

static int tables_of(const struct link_map *map, struct elf_tables *t)
{
	*t = (struct elf_tables){ 0 };
	if (!map->l_ld)
		return -1;
	for (const ElfW(Dyn) *d = map->l_ld; d->d_tag != DT_NULL; d++) {
		if (d->d_tag == DT_SYMTAB)
			t->symbols = table_at(map, d->d_un.d_ptr);
		else if (d->d_tag == DT_STRTAB)
			t->strings = table_at(map, d->d_un.d_ptr);
		else if (d->d_tag == DT_GNU_HASH)
			t->hash = table_at(map, d->d_un.d_ptr);
		else if (d->d_tag == DT_VERSYM)
			t->versions = table_at(map, d->d_un.d_ptr);
	}
	return t->symbols && t->strings && t->hash ? 0 : -1;
}

static uint32_t gnu_hash(const char *name)
{
	uint32_t h = 5381;

	for (; *name; name++)
		h = h * 33 + (unsigned char)*name;
	return h;
}

void *elf_find_in(const struct link_map *map, const char *name)
{
	const size_t bits = 8 * sizeof(ElfW(Addr));
	uint32_t h = gnu_hash(name), n_buckets, first, n_bloom, shift;
	struct elf_tables t;
	const ElfW(Addr) *bloom;
	const uint32_t *buckets, *chain;

	if (tables_of(map, &t) < 0)
		return NULL;
	n_buckets = t.hash[0];
	first = t.hash[1];
	n_bloom = t.hash[2];
	shift = t.hash[3];
	bloom = (const ElfW(Addr) *)(t.hash + 4);
	buckets = (const uint32_t *)(bloom + n_bloom);
	chain = buckets + n_buckets;
	if (!n_buckets || !n_bloom)
		return NULL;
	ElfW(Addr) word = bloom[h / bits % n_bloom];
	if (!(word >> h % bits & word >> (h >> shift) % bits & 1))
		return NULL;
	for (uint32_t i = buckets[h % n_buckets]; i >= first && i; i++) {
		const ElfW(Sym) *s = &t.symbols[i];
		uint32_t word_at = chain[i - first];

		/* bit 15 of a version marks one that new programs do not bind to */
		if ((word_at | 1) == (h | 1) && s->st_shndx != SHN_UNDEF && s->st_value &&
		    !(t.versions && t.versions[i] & 0x8000) &&
		    text_equal(t.strings + s->st_name, name) &&
		    ELF64_ST_TYPE(s->st_info) != STT_GNU_IFUNC)
			return (void *)(map->l_addr + s->st_value);
		if (word_at & 1)
			break;
	}
	return NULL;
}

/* Does the object's dynamic section lie in this library? Ours is the one whose
 * link map was loaded right below the address of `here`. */
static const struct link_map *own_map(void)
{
	const struct link_map *best = NULL;

	for (const struct link_map *m = elf_objects(); m; m = m->l_next)
		if (m->l_addr <= (ElfW(Addr))&here && (!best || m->l_addr > best->l_addr))
			best = m;
	return best;
}

void *elf_find_next(const char *name, const char *other)
{
	const struct link_map *m = own_map();

	for (m = m ? m->l_next : NULL; m; m = m->l_next) {
		void *p = elf_find_in(m, name);

		if (!p && other)
			p = elf_find_in(m, other);
		if (p)
			return p;
	}
	return NULL;
}

void *elf_find_any(const char *name)
{
	for (const struct link_map *m = elf_objects(); m; m = m->l_next) {
		void *p = elf_find_in(m, name);

		if (p)
			return p;
	}
	return NULL;
}

const struct link_map *elf_libc(void)
{
	static const char suffix[] = "/libc.so.6";

	for (const struct link_map *m = elf_objects(); m; m = m->l_next) {
		size_t n = m->l_name ? text_size(m->l_name) : 0;

		if (n > sizeof(suffix) && text_equal(m->l_name + n - sizeof(suffix), suffix))
			return m;
	}
	return NULL;
}
