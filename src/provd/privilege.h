/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
#ifndef PROV_PROVD_PRIVILEGE_H
#define PROV_PROVD_PRIVILEGE_H
#include <stdint.h>
/*
 * Gives up whatever root may that the service does not need, for good: by this process
 * and all it could become. Kept are
 *
 *   CAP_BPF, CAP_PERFMON   programs in the kernel, and what they read there
 *   CAP_DAC_READ_SEARCH    files of users, to tell their size and hash
 *   CAP_SYS_PTRACE	    /proc/PID/environ, exe, cwd and fd of users' processes: the
 *			    kernel asks for it whatever the mode of the file, so without
 *			    it no scheduler's variable is seen
 *   CAP_SYS_RESOURCE	    before Linux 5.11, where maps count as locked memory
 *
 * of those that it has. Also: no core dumps or ptrace by others, no new privileges.
 * memory: bytes of data at most, 0 no limit. Call before there are threads. 0 or
 * negative errno with fail_text().
 */
int privilege_drop(uint64_t memory);
/* Likewise, and keeps none at all. */
int privilege_none(uint64_t memory);
#endif
