/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
#ifndef PROV_BASE_ERR_H
#define PROV_BASE_ERR_H
/*
 * How functions fail: they return a negative errno and leave one sentence for
 * a person in a per-thread buffer. The sentence says what was being done, to
 * what, and what to do about it. The caller at the top prints it once.
 */

/* Keeps the sentence and returns -code, so that "return fail(ENOENT, ...)"
 * reads as one step. code is a positive errno. */
int fail(int code, const char *fmt, ...) __attribute__((format(printf, 2, 3), cold));

/* The sentence of the last fail() of this thread, "" if none. Valid until the
 * next fail() of this thread. */
const char *fail_text(void);

#endif
