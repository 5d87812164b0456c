/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
#ifndef PROV_PROV_DOCTOR_H
#define PROV_PROV_DOCTOR_H
#include "prov/command.h"
/* One thing that recording or asking needs, looked at on this machine. */
enum verdict { VERDICT_OK, VERDICT_WARN, VERDICT_NO };

struct finding {
	enum verdict verdict;
	const char *what;   /* what was found */
	const char *advice; /* what to do, NULL nothing */
};

struct check {
	const char *name;
	struct finding (*look)(struct context *c);
};

extern const struct check doctor_checks[]; /* ends with a NULL name */

/* Records /bin/true with this very program in a store of its own, and asks for
 * what was recorded. */
struct finding doctor_self_test(struct context *c);
#endif
