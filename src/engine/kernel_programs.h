/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
#ifndef PROV_ENGINE_KERNEL_PROGRAMS_H
#define PROV_ENGINE_KERNEL_PROGRAMS_H
#include <stdbool.h>
#include <stddef.h>

#include <bpf/libbpf.h>

#include "base/buf.h"
#include "prov/kernel.h"
/* The programs of one kernel tracer, loaded; private to kernel*.c. */
#define PROGRAMS_COARSE 48u

enum programs_set {
	SET_NONE,	/* nobody is recorded */
	SET_COARSE,	/* calls that open, close and name */
	SET_FINE,	/* every call: reads and writes too */
};

struct programs {
	struct bpf_object *object;
	bool has_coarse;
	const char *variant;
	struct bpf_link *lives[3];	/* fork, exec, exit */
	struct bpf_link *calls;		/* the fine set */
	struct bpf_link *coarse[PROGRAMS_COARSE];
	size_t n_coarse;
	struct bpf_link *touches[8];
	const char *touching;	/* how a name's object is learnt */
	struct kernel_thread *threads;	/* shared with the programs */
	size_t n_threads;
	struct kernel_session *sessions;
	uint32_t *n_more;
	int ring, more, lost, watched;	/* maps */
};

/* 0 or a negative errno with fail_text(). Without the coarse set it takes a fraction
 * of the time, and the fine one stands in for it. */
int programs_load(struct programs *p, bool coarse);
void programs_unload(struct programs *p);
/* Who begins, becomes another program and ends. */
int programs_attach_lives(struct programs *p);
/* What system calls do. The finer set costs every call of every process on the node
 * more than the coarse one. */
int programs_attach_calls(struct programs *p, enum programs_set set);
int programs_probe(struct buf *why);
#endif
