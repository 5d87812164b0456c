/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
#ifndef PROV_FORMAT_UTF8_H
#define PROV_FORMAT_UTF8_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
/* Bytes that may be UTF-8 (RFC 3629): names come from traced programs. */

/* Length of the character that starts at s, at most n bytes; 0 = not UTF-8
 * (also for surrogates, overlong forms and n == 0). */
size_t utf8_next(const char *s, size_t n, uint32_t *c);
/* Can be sent to a terminal: no control, no direction override. */
bool utf8_prints(uint32_t c);
/* May stand in XML 1.0 text. */
bool utf8_is_xml(uint32_t c);
/* Columns it takes on a terminal: 0, 1 or 2. */
unsigned utf8_width(uint32_t c);
/* The same of a whole text; bytes that are not UTF-8 count 1. */
size_t utf8_columns(const char *s);
#endif
