/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
#ifndef PROV_ENGINE_TOLD_FILE_H
#define PROV_ENGINE_TOLD_FILE_H
#include <stdbool.h>

#include "base/map.h"
#include "prov/event.h"
#include "prov/kernel.h"
/* Objects under their names, as the kernel told of them. Many images share one,
 * so each is kept once, as long as somebody holds it. */
struct thing {
	struct prov_object object;
	unsigned holders;
	char path[];
};

struct things {
	struct map all;		/* digest of object and path -> struct thing */
	struct map named;	/* digest of a path -> struct thing, which it holds */
};

void things_release(struct things *t);
/* The caller holds the result until thing_drop(). */
struct thing *thing_hold(struct things *t, const struct prov_object *o, const char *path);
void thing_drop(struct things *t, struct thing *one);

/* The object that a path leads to, by what was told; NULL: not known. */
struct thing *thing_at(struct things *t, const char *path);
void thing_call(struct things *t, const char *path, struct thing *one);
void thing_forget_name(struct things *t, const char *path);

/* "/a/b" from the components that the kernel walked through, last one first; in a
 * static buffer of this thread. */
const char *path_of_walk(const char *p, size_t n);
/* A path as the program gave it, made absolute from its root or folder, and real where
 * it is looked up in the same mounts as prov's; in a buffer of this thread. */
const char *path_as_given(const char *base, const char *given, bool same_mounts);

/* What the path leads to now; false when nothing does. */
bool object_now(const char *path, struct prov_object *out);
void object_of_kernel(const struct kernel_object *k, const char *path, struct prov_object *out);
#endif
