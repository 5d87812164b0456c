/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
#ifndef PROV_BASE_PATH_H
#define PROV_BASE_PATH_H
#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
/* Where things lie, and paths as text. Results live in the arena. */

/* $PROV_STORE or setting "store", else $XDG_STATE_HOME/prov/prov.db, else
 * ~/.local/state/prov/prov.db. A URI ("sqlite:...") is passed as it is. NULL
 * with fail_text() when there is no home. */
const char *path_store(struct arena *a);
/* The folder beside the store that journals wait in: <dir of store>/spool. */
const char *path_spool(struct arena *a);
/* Likewise for files that tell single reads and writes of a run: .../traces. */
const char *path_traces(struct arena *a);
/* Makes dir and its parents, 0700 each that is new. 0 or negative errno. */
int path_make(const char *dir);
/* Absolute, without ".", ".." and doubled slashes; symlinks resolved as far as
 * the path exists. */
const char *path_real(struct arena *a, const char *path);
/* The file that execvp(3) would run for a name, real; NULL if there is none. */
const char *path_program(struct arena *a, const char *name);
const char *path_base(const char *path);	/* after the last slash; into path */
/* 1 if dir lies on memory (tmpfs, ramfs), 0 if not or unknown. */
bool path_on_memory(const char *dir);
#endif
