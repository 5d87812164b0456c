/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
#ifndef PROV_ENGINE_KERNEL_PROGRAMS_H
#define PROV_ENGINE_KERNEL_PROGRAMS_H
#include <stdbool.h>
#include <stddef.h>

#include <bpf/libbpf.h>

#include "base/buf.h"
#include "engine/kernel_features.h"
#include "prov/kernel.h"
/* The programs of one kernel tracer, loaded; private to kernel*.c. */
#define LINKS_MOST 48u	/* of one group */

/* Programs that come and go together, told apart by how their names begin. */
enum programs_group {
	GROUP_LIVES,	/* fork, exec, exit */
	GROUP_TOUCHES,	/* what a name meant; io_uring */
	GROUP_CALL,	/* every system call */
	GROUP_COARSE,	/* single calls, by tracepoints */
	GROUP_OPEN,	/* single calls, by functions: all but reads and writes */
	GROUP_DATA,	/* reads and writes, by functions */
	GROUPS
};

enum programs_set {
	SET_NONE,	/* nobody is recorded */
	SET_COARSE,	/* calls that open, close and name */
	SET_FINE,	/* every call: reads and writes too */
};

struct programs {
	struct bpf_object *object;
	bool has_coarse;
	struct kernel_features features;
	struct links {
		struct bpf_link *at[LINKS_MOST];
		size_t n;
	} groups[GROUPS];
	struct kernel_thread *threads;	/* shared with the programs */
	size_t n_threads;
	struct kernel_session *sessions;
	uint32_t *n_more, *narrow_unseen;
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
void programs_detach(struct programs *p);
int programs_probe(struct buf *why);
#endif
