/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
#ifndef SHIM_ELF_H
#define SHIM_ELF_H
#include <link.h>
/*
 * Symbols of the objects in this process, found without dlsym(3): that takes
 * locks and allocates, and costs 0.5 us a name where this costs 0.05. Only
 * objects loaded at program start are looked at; they are never unloaded.
 */

/* The definition that comes after this library in search order, under either
 * name; other may be NULL. */
void *elf_find_next(const char *name, const char *other);
/* The first definition in any object. */
void *elf_find_any(const char *name);
/* The definition in that object only. */
void *elf_find_in(const struct link_map *map, const char *name);
/* The C library, NULL when it is not glibc. */
const struct link_map *elf_libc(void);
/* First of the chain of all objects, in search order; NULL if unknown. */
const struct link_map *elf_objects(void);
struct r_debug *elf_debug(void);
#endif
