/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
#ifndef PROV_PROV_OUTPUT_H
#define PROV_PROV_OUTPUT_H
#include "prov/command.h"
/* Finds out what stdout is: fills in columns, rows, terminal, unicode, colour. */
void output_look(struct context *c);
/* Delivers c->out: to the file of -o, which is replaced only when all of it is
 * written; through the pager; or to stdout. 0 or negative errno with
 * fail_text(); -EPIPE when nobody reads any more. */
int output_deliver(struct context *c);
#endif
