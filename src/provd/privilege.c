/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* privilege.c - giving up what the service does not need */
#include "provd/privilege.h"

#include <errno.h>
#include <linux/capability.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/err.h"

/* Since Linux 5.8; older headers lack them. */
enum { PERFMON = 38, BPF = 39 };

static bool is_before_5_11(void)
{
	struct utsname u;
	unsigned major = 0, minor = 0;

	return uname(&u) == 0 && sscanf(u.release, "%u.%u", &major, &minor) == 2 &&
	       (major < 5 || (major == 5 && minor < 11));
}

static uint64_t wanted(void)
{
	uint64_t caps = UINT64_C(1) << BPF | UINT64_C(1) << PERFMON |
			UINT64_C(1) << CAP_DAC_READ_SEARCH | UINT64_C(1) << CAP_SYS_PTRACE;

	return is_before_5_11() ? caps | UINT64_C(1) << CAP_SYS_RESOURCE : caps;
}

static int keep_only(uint64_t caps)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct has[2] = { 0 };

	if (syscall(SYS_capget, &head, has) < 0)
		return fail(errno, "capget: %s", strerror(errno));
	/* what nothing that is executed could have again; needs a capability itself */
	for (unsigned long i = 0; prctl(PR_CAPBSET_READ, i, 0, 0, 0) >= 0; i++)
		if (!(caps >> i & 1))
			(void)prctl(PR_CAPBSET_DROP, i, 0, 0, 0);
	(void)prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
	for (unsigned i = 0; i < 2; i++) {
		has[i].permitted &= (uint32_t)(caps >> 32 * i);
		has[i].effective = has[i].permitted;
		has[i].inheritable = 0;
	}
	if (syscall(SYS_capset, &head, has) < 0)
		return fail(errno, "capset: %s", strerror(errno));
	return 0;
}

static int give_up(uint64_t kept, uint64_t memory)
{
	const struct rlimit none = { 0, 0 }, data = { memory, memory };
	int r = keep_only(kept);

	if (r < 0)
		return r;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 || prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) < 0 ||
	    setrlimit(RLIMIT_CORE, &none) < 0)
		return fail(errno, "privileges cannot be given up: %s", strerror(errno));
	if (memory && setrlimit(RLIMIT_DATA, &data) < 0)
		return fail(errno, "provd.memory: %s", strerror(errno));
	return 0;
}

int privilege_drop(uint64_t memory)
{
	return give_up(wanted(), memory);
}

int privilege_none(uint64_t memory)
{
	return give_up(0, memory);
}
