/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
#ifndef SHIM_FOLDER_H
#define SHIM_FOLDER_H
#include <stddef.h>
#include <stdint.h>

#include "name.h"
/*
 * Names of files just opened. To ask the kernel for one takes ten times as long
 * as to look at the file, so what a folder is really called is asked for twice
 * and then believed while nothing can have changed it:
 *
 *   - nobody in the session has made, renamed or removed a symbolic link, or
 *     renamed or removed a folder (prov_arena.folders);
 *   - this process has neither changed its folder nor any name (image.names);
 *   - the clock has not ticked. What others rename, outside the session or by
 *     system calls that are not seen, is seen one tick (4 ms) late at most.
 *
 * The last component of a path is looked at each time: is it a symbolic link,
 * the kernel is asked.
 */

/* The name of descriptor fd that was opened with these arguments and is the
 * object; as name_of_fd() gives it. */
size_t folder_name(int fd, int dirfd, const char *path, int flags, const struct prov_object *o,
		   char out[NAME_ROOM], uint16_t *name_flags);

/* Will an object that an opening makes be known by when it was born, as those
 * made before it in this tick? The time before the call is then what
 * folder_is_born() needs to know; else 0. */
int64_t folder_birth_clock(void);
/* Was the object made since then? 0 is never, 1 is known already. What somebody
 * outside the session made in the same tick, still empty, is taken for ours. */
int folder_is_born(const struct prov_object *o, int64_t since);

/* Somebody in the session has changed what paths through folders mean. */
void folder_changed(void);
#endif
