/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* kernel_features.c - which of the programs can work on this kernel */
#include "engine/kernel_features.h"

#include <errno.h>
#include <linux/bpf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/btf.h>

#include "base/err.h"

static bool knows(const struct btf *btf, const char *name, uint32_t kind)
{
	return btf__find_by_name_kind(btf, name, kind) > 0;
}

/* Some kernels have all that is needed, and a policy that forbids it. */
static bool may_enter_functions(const struct btf *btf)
{
	static const struct bpf_insn nothing[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .expected_attach_type = BPF_TRACE_FENTRY);
	int id = btf__find_by_name_kind(btf, "security_inode_unlink", BTF_KIND_FUNC), fd;

	if (id <= 0)
		return false;
	opts.attach_btf_id = (uint32_t)id;
	fd = bpf_prog_load(BPF_PROG_TYPE_TRACING, "prov_probe", "GPL", nothing, 2, &opts);
	if (fd >= 0)
		(void)close(fd);
	return fd >= 0;
}

static bool without(const char *what)
{
	const char *list = getenv("PROV_EBPF");

	return list && strstr(list, what);
}

int features_find(struct kernel_features *f)
{
	struct btf *btf = btf__load_vmlinux_btf();

	*f = (struct kernel_features){ 0 };
	if (!btf)
		return fail(errno, "the kernel does not tell its types (%s): it was built "
			    "without CONFIG_DEBUG_INFO_BTF", strerror(errno));
	f->cast = !without("helpers") && knows(btf, "bpf_rdonly_cast", BTF_KIND_FUNC);
	f->functions = !without("points") && may_enter_functions(btf) &&
		       knows(btf, "__x64_sys_read", BTF_KIND_FUNC);
	f->times = knows(btf, "btf_trace_ctime_ns_xchg", BTF_KIND_TYPEDEF);
	f->requests = knows(btf, "io_cqe", BTF_KIND_STRUCT);
	f->narrow = knows(btf, "__ia32_compat_sys_ioctl", BTF_KIND_FUNC) ||
		    knows(btf, "compat_sys_ioctl", BTF_KIND_FUNC);
	btf__free(btf);
	return 0;
}

static bool begins(const char *s, const char *with)
{
	return !strncmp(s, with, strlen(with));
}

/* Is there what it wants to be attached to? Calls come and go with kernels. */
static bool has_target(const struct btf *btf, const struct bpf_program *one)
{
	const char *slash = strchr(bpf_program__section_name(one), '/');

	return slash && knows(btf, slash + 1, BTF_KIND_FUNC);
}

static bool is_wanted(const struct kernel_features *f, const struct btf *btf,
		      const struct bpf_program *one, bool coarse)
{
	const char *name = bpf_program__name(one);

	if (begins(name, "open_") || begins(name, "data_"))
		return f->functions && has_target(btf, one);
	if (begins(name, "coarse_"))
		return coarse && !f->functions;
	if (begins(name, "time_"))
		return f->times && !f->functions;
	if (begins(name, "touch_"))
		return f->functions;
	if (begins(name, "prov_uring"))
		return f->requests;
	return strcmp(name, "prov_call") != 0 || !f->functions;
}

void features_choose(const struct kernel_features *f, struct bpf_object *o, bool coarse)
{
	struct btf *btf = btf__load_vmlinux_btf();
	struct bpf_program *one;

	bpf_object__for_each_program(one, o)
		(void)bpf_program__set_autoload(one, btf && is_wanted(f, btf, one, coarse));
	btf__free(btf);
}

void features_tell(const struct kernel_features *f, struct buf *out)
{
	buf_str(out, f->functions ? "hooks the functions of the calls it wants (fexit)"
				  : "hooks the end of every system call (this kernel does not let "
				    "functions be entered)");
	buf_str(out, f->cast ? ", follows pointers by loads"
			     : ", reads memory by helpers (loads need Linux 6.2)");
	buf_str(out, f->functions ? "" :
		     f->times ? ", learns what names meant from change times"
			      : ", knows what a name meant only if the file was opened before "
				"(Linux 6.13 tells)");
	if (!f->requests)
		buf_str(out, ", does not see io_uring (needs Linux 5.19)");
	if (f->functions && f->narrow)
		buf_str(out, ", does not see files of 32-bit programs");
}
