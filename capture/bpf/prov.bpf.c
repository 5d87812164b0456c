/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright the prov authors */
/* prov.bpf.c - the programs that the kernel runs */
#include "call.h"
#include "single.h"
#include "narrow.h"
#include "uring.h"

char LICENSE[] SEC("license") = "GPL";

SEC("raw_tracepoint/sys_exit")
int prov_call(struct bpf_raw_tracepoint_args *ctx)
{
	struct task_struct *task = current();
	struct kernel_thread *t = thread_of(task_tid(task));
	struct call c;
	long ret = (long)ctx->args[1];
	uint64_t nr;

	if (!t || t->flags & KERNEL_LAUNCHER)
		return 0;
	c.regs = AS(struct pt_regs, ctx->args[0]);
	c.narrow = call_is_narrow(task);
	nr = call_nr(&c);
	if (c.narrow) {
		nr = narrow_nr(nr);
		ret = (int32_t)ret;
	}
	/* most calls by far, and the dearest to be slow for */
	if (nr <= 1 && ret >= 0 && did_quick(t, task, &c, nr, ret, call_time(t)))
		return 0;
	/* in pieces: what the verifier allows of stack is for all that call each other */
	if (!data_over(ctx->args[0], nr, ret))
		call_over(ctx->args[0], nr, ret);
	return 0;
}

SEC("raw_tracepoint/io_uring_complete")
int prov_uring(struct bpf_raw_tracepoint_args *ctx)
{
	on_uring(ctx->args[1]);
	return 0;
}

SEC("raw_tracepoint/io_uring_submit_req")
int prov_uring_names(struct bpf_raw_tracepoint_args *ctx)
{
	on_request(ctx->args[0]);
	return 0;
}

/* Linux 6.13 and later tell where a change time is set. */
SEC("raw_tracepoint/ctime_ns_xchg")
int time_grain(struct bpf_raw_tracepoint_args *ctx)
{
	on_touch(ctx->args[0]);
	return 0;
}

SEC("raw_tracepoint/ctime_xchg_skip")
int time_same(struct bpf_raw_tracepoint_args *ctx)
{
	on_touch(ctx->args[0]);
	return 0;
}

SEC("raw_tracepoint/inode_set_ctime_to_ts")
int time_plain(struct bpf_raw_tracepoint_args *ctx)
{
	on_touch(ctx->args[0]);
	return 0;
}

/* Unlike sched_process_fork this tells of the kernel's threads in a process as well:
 * a worker of io_uring may be the last of its process to end. */
SEC("raw_tracepoint/task_newtask")
int prov_fork(struct bpf_raw_tracepoint_args *ctx)
{
	on_fork(current(), AS(struct task_struct, ctx->args[0]));
	return 0;
}

SEC("raw_tracepoint/sched_process_exec")
int prov_exec(struct bpf_raw_tracepoint_args *ctx)
{
	struct linux_binprm *b = AS(struct linux_binprm, ctx->args[2]);

	on_exec(AS(struct task_struct, ctx->args[0]), (uint32_t)ctx->args[1],
		ADDRESS(GET(b, file)), GET(b, buf[EI_CLASS]) == ELFCLASS32);
	return 0;
}

SEC("raw_tracepoint/sched_process_exit")
int prov_exit(struct bpf_raw_tracepoint_args *ctx)
{
	on_exit(AS(struct task_struct, ctx->args[0]));
	return 0;
}

static __always_inline void touch_dentry(uint64_t dentry)
{
	uint64_t inode = dentry ? ADDRESS(GET(AS(struct dentry, dentry), d_inode)) : 0;

	if (inode)
		on_touch(inode);
}

/* Earlier ones, where functions may be entered. */
SEC("fentry/security_inode_unlink")
int touch_unlink(uint64_t *ctx)
{
	touch_dentry(ctx[1]);
	return 0;
}

SEC("fentry/security_inode_rmdir")
int touch_rmdir(uint64_t *ctx)
{
	touch_dentry(ctx[1]);
	return 0;
}

SEC("fentry/security_inode_rename")
int touch_rename(uint64_t *ctx)
{
	touch_dentry(ctx[1]);
	touch_dentry(ctx[3]);
	return 0;
}

SEC("fentry/security_inode_link")
int touch_link(uint64_t *ctx)
{
	touch_dentry(ctx[0]);
	return 0;
}
