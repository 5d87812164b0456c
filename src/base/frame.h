/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
#ifndef PROV_BASE_FRAME_H
#define PROV_BASE_FRAME_H
#include <stdint.h>

#include "base/buf.h"
/*
 * Messages over a stream socket between processes of one machine: a kind, a size,
 * so many bytes. Who sent them is for the kernel to say (SO_PEERCRED); what is in
 * them may be hostile. Blocking; a signal does not interrupt them.
 */
#define FRAME_MOST (64u << 20)	/* bytes of one message; longer is refused by both sides */

/* 0 or a negative errno with fail_text(). */
int frame_send(int fd, uint32_t kind, const void *p, size_t n);
/* Appends what frame_send() would send, for those who must not wait; n at most FRAME_MOST. */
void frame_put(struct buf *out, uint32_t kind, const void *p, size_t n);
/* The next message replaces what was in out. -EPIPE at the end of the stream,
 * -EMSGSIZE and -EBADMSG for what no peer of ours sends. */
int frame_receive(int fd, uint32_t *kind, struct buf *out);
/* Likewise, from whom no more than that many bytes are expected. */
int frame_receive_most(int fd, uint32_t *kind, struct buf *out, size_t most);
#endif
