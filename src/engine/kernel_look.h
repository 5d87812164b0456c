/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
#ifndef PROV_ENGINE_KERNEL_LOOK_H
#define PROV_ENGINE_KERNEL_LOOK_H
#include "base/buf.h"
/*
 * Loads the programs of the engine ebpf for a moment, attached to nothing, and appends
 * in which form the kernel took them and why; or what is missing. 0 or a negative errno:
 * -ENOSYS the kernel cannot, -EPERM this process may not.
 */
int kernel_look(struct buf *out);
#endif
