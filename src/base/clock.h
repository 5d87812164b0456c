/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
#ifndef PROV_BASE_CLOCK_H
#define PROV_BASE_CLOCK_H
#include <stddef.h>
#include <stdint.h>
/* Points in time as nanoseconds since the Unix epoch (real) or since boot
 * (mono, CLOCK_MONOTONIC). 0 = unknown. */
int64_t clock_real(void);
int64_t clock_mono(void);
int64_t clock_offset(void);	/* real - mono, sampled as tightly as it goes */

#define CLOCK_TEXT_SIZE 48
/* RFC 3339 with nanoseconds and the local offset, "2026-11-20T06:11:13.000000001+00:00". */
char *clock_rfc3339(int64_t real, char out[CLOCK_TEXT_SIZE]);
/* For tables: "2026-11-20 06:11:13", local time. */
char *clock_short(int64_t real, char out[CLOCK_TEXT_SIZE]);
/* "0.2 s", "3 min 20 s", "2 h 05 min". */
char *clock_span(int64_t ns, char out[CLOCK_TEXT_SIZE]);

/* Understands RFC 3339 (any part from the right may be missing: a date alone
 * is its first moment, local time without an offset), "@SECONDS", "now",
 * "today", "yesterday", and "N UNIT ago" (second(s), minute(s), hour(s),
 * day(s), week(s); also "2h", "30m", "7d"). 0 or -EINVAL with fail_text(). */
int clock_parse(const char *text, int64_t *real);
#endif
