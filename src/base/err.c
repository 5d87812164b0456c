/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* err.c - the sentence that says why something failed */
#include "base/err.h"

#include <stdarg.h>
#include <stdio.h>

static _Thread_local char text[8192];

int fail(int code, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return -code;
}

const char *fail_text(void)
{
	return text;
}
