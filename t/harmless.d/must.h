/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
#ifndef MUST_H
#define MUST_H
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
/* Ends the program, with a status that nothing else has, where a call fails
 * that must not: such a run proves nothing. Usable in signal handlers. */
#define must(what) must_be((what) ? 1 : 0, #what, __LINE__)

static inline void must_be(int right, const char *what, int line)
{
	char text[512];

	if (right)
		return;
	(void)!write(2, text,
		     (size_t)snprintf(text, sizeof(text), "line %d: %.300s: %s\n", line, what,
				      strerror(errno)));
	_exit(99);
}
#endif
