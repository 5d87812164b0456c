/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
#ifndef PROV_PROVD_LOG_H
#define PROV_PROVD_LOG_H
#include "base/buf.h"
/* Lines on standard error, where the journal of the system finds them. Any thread;
 * bytes that a terminal would obey are shown as '?'. */
void log_line(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Each line of the text, with what it is about before it. */
void log_lines(const char *about, const struct buf *lines);
#endif
