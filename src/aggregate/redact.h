/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
#ifndef PROV_AGGREGATE_REDACT_H
#define PROV_AGGREGATE_REDACT_H
#include "base/buf.h"
#include "model/model.h"
/*
 * Takes out of arguments and environment what looks like a secret, before
 * anything is written to disk: values of options and variables whose name says
 * so (password, token, key, ...), credentials inside URLs and headers, and
 * words in the shape of well-known tokens. What is taken out becomes
 * "[redacted]".
 */

/* Appends argv to out, redacted, as NUL-terminated strings. extra: further
 * name patterns, comma separated, "" for none. Returns how many were. */
size_t redact_argv(const struct strings *argv, const char *extra, struct buf *out);
size_t redact_environ(const struct strings *env, const char *extra, struct buf *out);
#endif
