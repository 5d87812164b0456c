/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* kernel_look.c - what the kernel lets the engine ebpf do, at length */
#include "engine/kernel_look.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/err.h"
#include "engine/kernel_programs.h"

#define TYPES	 "/sys/kernel/btf/vmlinux"
#define LOCKDOWN "/sys/kernel/security/lockdown"

/* linux/capability.h */
enum { SYS_ADMIN = 21, PERFMON = 38, BPF = 39 };

/* What a small file says; empty when there is none. */
static void read_text(const char *path, char *out, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, out, size - 1);

	out[n > 0 ? n : 0] = 0;
	if (fd >= 0)
		(void)close(fd);
}

static bool has(uint64_t able, unsigned capability)
{
	return able >> capability & 1 || able >> SYS_ADMIN & 1;
}

static const char *missing_right(void)
{
	char status[4096];
	const char *at;
	uint64_t able;

	read_text("/proc/self/status", status, sizeof(status));
	at = strstr(status, "\nCapEff:");
	if (!at)
		return NULL;
	able = strtoull(at + strlen("\nCapEff:"), NULL, 16);
	if (!has(able, BPF))
		return has(able, PERFMON) ? "CAP_BPF" : "CAP_BPF and CAP_PERFMON";
	return has(able, PERFMON) ? NULL : "CAP_PERFMON";
}

/* Ring buffers, which came with Linux 5.8, are the newest thing it cannot do without. */
static bool is_too_old(struct buf *out)
{
	struct utsname u;
	int major = 0, minor = 0;

	if (uname(&u) < 0 || sscanf(u.release, "%d.%d", &major, &minor) != 2 || major > 5 ||
	    (major == 5 && minor >= 8))
		return false;
	buf_printf(out, "Linux %s is too old: it needs 5.8, and is tested from 5.10", u.release);
	return true;
}

static bool is_locked(void)
{
	char text[256];

	read_text(LOCKDOWN, text, sizeof(text));
	return strstr(text, "[confidentiality]");
}

/* What stands in the way, before anything is tried. */
static int look_for_reason(struct buf *out)
{
	const char *right = missing_right();

	if (is_too_old(out))
		return -ENOSYS;
	if (access(TYPES, R_OK) < 0) {
		buf_str(out, "the kernel was built without BTF: there is no " TYPES);
		return -ENOSYS;
	}
	if (is_locked()) {
		buf_str(out, "the kernel is locked down to keep its memory confidential: "
			     LOCKDOWN);
		return -EPERM;
	}
	if (right) {
		buf_printf(out, "this process lacks %s", right);
		return -EPERM;
	}
	return 0;
}

int kernel_look(struct buf *out)
{
	struct programs p = { 0 };
	int r = look_for_reason(out);

	if (r < 0)
		return r;
	r = programs_load(&p, /* coarse= */ false);
	if (r < 0) {
		buf_str(out, fail_text());
		return r;
	}
	features_tell(&p.features, out);
	programs_unload(&p);
	return 0;
}
