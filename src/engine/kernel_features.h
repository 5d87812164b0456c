/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
#ifndef PROV_ENGINE_KERNEL_FEATURES_H
#define PROV_ENGINE_KERNEL_FEATURES_H
#include <stdbool.h>

#include <bpf/libbpf.h>

#include "base/buf.h"
/*
 * What the kernel at hand can do for the programs of capture/bpf/, found out from its
 * types (BTF) and by trying. PROV_EBPF=helpers,points in the environment does without
 * what newer kernels can, to test how it goes on older ones.
 */
struct kernel_features {
	bool cast;	/* pointers can be given a type and followed by loads; Linux 6.2 */
	bool functions;	/* functions can be entered and left through programs */
	bool times;	/* it is told where a change time is set; Linux 6.13 */
	bool requests;	/* io_uring tells of requests with their results; Linux 5.19 */
	bool narrow;	/* it runs 32-bit programs */
};

/* 0 or a negative errno with fail_text(). */
int features_find(struct kernel_features *f);
/* Leaves out the programs of an object that cannot work here. */
void features_choose(const struct kernel_features *f, struct bpf_object *o, bool coarse);
/* Which programs run, and why not better ones. */
void features_tell(const struct kernel_features *f, struct buf *out);
#endif
