/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
#ifndef SHIM_PROGRAM_H
#define SHIM_PROGRAM_H
#include <stddef.h>
/*
 * The name of the file that this process runs, as readlink(2) of
 * /proc/self/exe gives it. In a process that just began, that costs the kernel
 * 17 us, since nobody has looked for it in /proc before. So the name that exec
 * was given is followed here, and believed if it leads to the file that the
 * image which called exec has seen there; otherwise /proc is asked.
 */
#define PROGRAM_ROOM 3800u

/* What the kernel gave the new program: AT_EXECFN (NULL unknown) and argv. */
void program_given(const char *name, char *const *argv);
/* Size with the NUL, at least 1. */
size_t program_name(char out[PROGRAM_ROOM]);
#endif
