/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* log.c - what the service says about itself */
#include "provd/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define LINE_MOST 1024	/* bytes of a line; what is longer is cut */

void log_line(const char *fmt, ...)
{
	char line[LINE_MOST] = "provd: ";
	va_list ap;
	size_t n;

	va_start(ap, fmt);
	(void)vsnprintf(line + 7, sizeof(line) - 8, fmt, ap);
	va_end(ap);
	n = strlen(line);
	for (size_t i = 0; i < n; i++)
		if ((unsigned char)line[i] < ' ' || line[i] == 127)
			line[i] = '?';
	line[n++] = '\n';
	/* one call, so that lines of several threads do not mix */
	(void)!write(STDERR_FILENO, line, n);
}

void log_lines(const char *about, const struct buf *lines)
{
	for (const char *at = lines->data; at && *at;) {
		size_t n = strcspn(at, "\n");

		log_line("%s: %.*s", about, (int)n, at);
		at += n + (at[n] != 0);
	}
}
