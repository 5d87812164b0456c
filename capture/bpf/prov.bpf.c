/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/* Copyright the prov authors */
/* prov.bpf.c - the programs that the kernel runs */
#include "call.h"

char LICENSE[] SEC("license") = "GPL";

SEC("raw_tracepoint/sys_exit")
int prov_call(struct bpf_raw_tracepoint_args *ctx)
{
	struct kernel_thread *t = thread_of((uint32_t)bpf_get_current_pid_tgid());
	struct pt_regs *regs;
	long ret = (long)ctx->args[1];
	uint64_t nr, low;

	if (!t || t->flags & KERNEL_LAUNCHER)
		return 0;
	regs = AS(struct pt_regs, ctx->args[0]);
	nr = REG_NR(regs);
	low = call_time(t);
	if (on_data(t, regs, nr, ret, low) || (ret < 0 && ret > -4096))
		return 0;
	on_other(t, regs, nr, ret, low);
	return 0;
}

SEC("raw_tracepoint/sched_process_fork")
int prov_fork(struct bpf_raw_tracepoint_args *ctx)
{
	on_fork(AS(struct task_struct, ctx->args[0]), AS(struct task_struct, ctx->args[1]));
	return 0;
}

SEC("raw_tracepoint/sched_process_exec")
int prov_exec(struct bpf_raw_tracepoint_args *ctx)
{
	struct linux_binprm *b = AS(struct linux_binprm, ctx->args[2]);

	on_exec(AS(struct task_struct, ctx->args[0]), (uint32_t)ctx->args[1], ADDRESS(GET(b, file)));
	return 0;
}

SEC("raw_tracepoint/sched_process_exit")
int prov_exit(struct bpf_raw_tracepoint_args *ctx)
{
	on_exit(AS(struct task_struct, ctx->args[0]));
	return 0;
}
