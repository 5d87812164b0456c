/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
#ifndef PROV_RECORD_PLACE_H
#define PROV_RECORD_PLACE_H
#include "base/arena.h"
#include "base/buf.h"
#include "model/model.h"
/* What surrounds a session; private to this folder. Results live in the arena. */

/* Names of variables that may be recorded; trouble: which of the user's may not. */
struct strings place_env(struct arena *a, struct buf *trouble);
/* The guest library beside this executable when it runs from its build folder, else
 * the installed one. */
const char *place_library(struct arena *a);
/* A new folder for the run, 0700: in place, where that is not NULL, else on memory when
 * there is some. NULL with fail_text(). */
const char *place_folder(struct arena *a, const char *place, const struct id *run,
			 struct buf *trouble);
#endif
