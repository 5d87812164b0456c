/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
#ifndef SHIM_NAME_H
#define SHIM_NAME_H
#include <stddef.h>

#include "prov/event.h"
/* What objects are called and what they are, by raw system calls. */
#define NAME_ROOM 4200u		/* PATH_MAX, " (deleted)" and a little */

/* The kernel's name for an open descriptor, with NUL. Returns the size with
 * NUL; 0 when it cannot be told. Adds PROV_PATH_LONG to *flags as needed. */
size_t name_of_fd(int fd, char out[NAME_ROOM], uint16_t *flags);

/* The real name of a directory entry that need not exist: the folder is
 * resolved, the last component is not followed. Returns the size with NUL and
 * adds PROV_PATH_RAW to *flags when the folder could not be resolved. */
size_t name_of_entry(int dirfd, const char *path, char out[NAME_ROOM], uint16_t *flags);

/* statx(2) of a descriptor, or of a path; 0 or negative errno. */
int object_of_fd(int fd, struct prov_object *o);
int object_at(int dirfd, const char *path, int at_flags, struct prov_object *o);
#endif
