/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
#ifndef SHIM_NAME_H
#define SHIM_NAME_H
#include <errno.h>
#include <fcntl.h>
#include <linux/stat.h>
#include <stddef.h>

#include "prov/event.h"
#include "sys.h"
/* What objects are called and what they are, by raw system calls. */
#define NAME_ROOM 4200u		/* PATH_MAX, " (deleted)" and a little */

/* The kernel's name for an open descriptor, with NUL. Returns the size with
 * NUL; 0 when it cannot be told. Adds PROV_PATH_LONG to *flags as needed. */
size_t name_of_fd(int fd, char out[NAME_ROOM], uint16_t *flags);

/* The real name of a directory entry that need not exist: the folder is
 * resolved, the last component is not followed. Returns the size with NUL and
 * adds PROV_PATH_RAW to *flags when the folder could not be resolved. */
size_t name_of_entry(int dirfd, const char *path, char out[NAME_ROOM], uint16_t *flags);

/* Where statx(2) is refused, by a sandbox that does not know it: all but the time
 * of birth. */
int object_by_stat(int dirfd, const char *path, int at_flags, struct prov_object *o);

/* statx(2) of a descriptor, or of a path; 0 or negative errno. In line, since a
 * frame around a system call is dear (preload/hook_data.c). */
static inline int object_at(int dirfd, const char *path, int at_flags, struct prov_object *o)
{
	struct statx st;
	long r = sys5(SYS_statx, dirfd, path, at_flags, STATX_BASIC_STATS | STATX_BTIME, &st);

	if (__builtin_expect(r == -EPERM || r == -ENOSYS, 0))
		return object_by_stat(dirfd, path, at_flags, o);
	if (r < 0)
		return (int)r;
	*o = (struct prov_object){
		.dev_major = st.stx_dev_major,
		.dev_minor = st.stx_dev_minor,
		.ino = st.stx_ino,
		.mtime = st.stx_mtime.tv_sec * INT64_C(1000000000) + st.stx_mtime.tv_nsec,
		.size = st.stx_size,
		.mode = st.stx_mode,
		.nlink = st.stx_nlink,
	};
	if (st.stx_mask & STATX_BTIME)
		o->btime = st.stx_btime.tv_sec * INT64_C(1000000000) + st.stx_btime.tv_nsec;
	return 0;
}

static inline int object_of_fd(int fd, struct prov_object *o)
{
	return object_at(fd, "", AT_EMPTY_PATH, o);
}
#endif
