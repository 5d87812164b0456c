/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
#ifndef PROV_ENGINE_KERNEL_PROGRAMS_H
#define PROV_ENGINE_KERNEL_PROGRAMS_H
#include <stddef.h>

#include <bpf/libbpf.h>

#include "base/buf.h"
#include "prov/kernel.h"
/* The programs of one kernel tracer, loaded; private to kernel*.c. */
struct kernel_state;	/* their own counters, see struct state of capture/bpf/maps.h */

struct programs {
	struct bpf_object *object;
	const char *variant;
	struct bpf_link *lives[3];	/* fork, exec, exit */
	struct bpf_link *calls;
	struct bpf_link *touches[8];
	const char *touching;	/* how a name's object is learnt */
	struct kernel_thread *threads;	/* shared with the programs */
	size_t n_threads;
	struct kernel_session *sessions;
	uint32_t *n_more;
	int ring, more, lost, watched;	/* maps */
};

/* 0 or a negative errno with fail_text(). */
int programs_load(struct programs *p);
void programs_unload(struct programs *p);
/* Who begins, becomes another program and ends. */
int programs_attach_lives(struct programs *p);
/* What system calls do; every call of every process on the node pays for it. */
int programs_attach_calls(struct programs *p);
void programs_detach_calls(struct programs *p);
int programs_probe(struct buf *why);
#endif
