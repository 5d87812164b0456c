/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
#ifndef PRELOAD_ENVIRON_H
#define PRELOAD_ENVIRON_H
#include <stddef.h>

#include "prov/event.h"
/*
 * The two variables that carry recording across exec: LD_PRELOAD, with this
 * library's path in it, and PROV_SESSION. A program under prov does not see
 * them; they are taken out of its environment at start and put into every
 * environment that is handed to exec, also when the program has emptied it.
 */

/* Reads PROV_SESSION and finds this library in LD_PRELOAD; 0 when both were
 * there. Does not change anything. */
int environ_find(char *const *envp);
/* Takes both out of the program's own environment, in place. */
void environ_hide(char **envp);

/* Should a program that gets this environment be recorded? Not when the loader
 * is only asked what it would load (ldd). */
int environ_wants_us(char *const *envp);
int environ_library_is_there(void);

/* The environment for exec: a copy of envp with both variables, in room of at
 * least environ_room() bytes; envp itself when that is too small. program: what
 * the new image will run. */
size_t environ_room(char *const *envp);
char *const *environ_for_exec(char *const *envp, const struct prov_object *program, void *room,
			      size_t size);

/* Records the variables that the session allows. */
void environ_report(char *const *envp);
#endif
