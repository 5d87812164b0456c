/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
#ifndef PROV_FORMAT_WRITERS_H
#define PROV_FORMAT_WRITERS_H
#include "format/format.h"
/* The writers that format.c registers, one per file. */
extern const struct format_ops format_text_ops;
extern const struct format_ops format_json_ops;
extern const struct format_ops format_prov_json_ops;
extern const struct format_ops format_dot_ops;
extern const struct format_ops format_svg_ops;
#endif
