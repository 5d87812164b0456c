/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/* Copyright the prov authors */
#ifndef BPF_NARROW_H
#define BPF_NARROW_H
#include <asm/unistd.h>

#include "types.h"

#include <bpf/bpf_helpers.h>
/*
 * The numbers of 32-bit system calls (arch/x86/entry/syscalls/syscall_32.tbl) as
 * those of 64-bit ones that do the same.
 */
#if defined(__TARGET_ARCH_x86)
#define NARROW_CALLS 512u
#define NO_CALL	     0xffffu

/* Plus 1, so that what is not named is 0. */
#define N(small, name) [small] = __NR_##name + 1
static const uint16_t narrow_calls[NARROW_CALLS] = {
	N(3, read), N(4, write), N(5, open), N(6, close), N(8, creat), N(9, link),
	N(10, unlink), N(38, rename), N(40, rmdir), N(41, dup), N(54, ioctl), N(55, fcntl),
	N(63, dup2), N(83, symlink), N(92, truncate), N(93, ftruncate), N(141, getdents),
	N(145, readv), N(146, writev), N(180, pread64), N(181, pwrite64), N(187, sendfile),
	N(192, mmap), N(193, truncate), N(194, ftruncate), N(220, getdents64), N(221, fcntl),
	N(239, sendfile), N(248, io_submit), N(295, openat), N(301, unlinkat), N(302, renameat),
	N(303, linkat), N(304, symlinkat), N(313, splice), N(315, tee), N(316, vmsplice),
	N(324, fallocate), N(330, dup3), N(333, preadv), N(334, pwritev),
	N(342, open_by_handle_at), N(353, renameat2), N(356, memfd_create), N(369, sendto),
	N(370, sendmsg), N(371, recvfrom), N(372, recvmsg), N(377, copy_file_range),
	N(378, preadv2), N(379, pwritev2), N(425, io_uring_setup), N(437, openat2),
};

static __always_inline uint64_t narrow_nr(uint64_t nr)
{
	return nr < NARROW_CALLS && narrow_calls[nr] ? narrow_calls[nr] - 1u : NO_CALL;
}
#else
#define narrow_nr(nr) (nr)
#endif
#endif
