/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
#ifndef PROV_PROV_ARGS_H
#define PROV_PROV_ARGS_H
#include "prov/command.h"
/*
 * Options and operands of one command line, read by the rows of its command:
 *
 *	struct args a = args_begin(c, argc, argv);
 *
 *	while ((o = args_next(&a)) > 0)
 *		switch (o) { ... a.value ... }
 *	if (o < 0)
 *		return a.status;
 *	... a.operands, a.n_operands ...
 *
 * --name=value, --name value, -nVALUE, -n VALUE, grouped letters, and "--".
 * Options and operands may be mixed unless the command says COMMAND_STOPS.
 * --help and -h work everywhere.
 */
struct args {
	struct context *c;
	int argc, at;
	char **argv;
	const char *letters; /* rest of a group like -ab */
	const char *value;   /* of the option just returned */
	char **operands;     /* into argv, NULL after the last */
	int n_operands;
	int status; /* what to exit with when args_next() said -1 */
};

struct args args_begin(struct context *c, int argc, char **argv);
/* The code of the next option; 0 at the end; -1 to return a->status. */
int args_next(struct args *a);
/* value as a number from least on; 0, or an exit code after the message. */
int args_number(struct args *a, const char *option, unsigned least, unsigned *out);
/* value as a time; likewise. */
int args_time(struct args *a, const char *option, int64_t *out);
#endif
