/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
#ifndef PROV_ENGINE_GUARD_H
#define PROV_ENGINE_GUARD_H
#include <stdbool.h>
#include <stdint.h>
/*
 * Keeps what recording costs a job below a budget: decides how finely accesses are
 * noted, from how often there are any. Grows coarser, a step at a time, as soon as a
 * moment was too dear; what a coarse level does not count it cannot know to be calm,
 * so it is left now and then for a short trial, ever more rarely while trials fail.
 * No clock and no state but this: the same samples give the same decisions.
 */
struct guard {
	double budget;		/* share of the time of who is recorded; 0: no limit */
	int32_t finest;		/* enum prov_granularity that was asked for */
	int32_t level;		/* in force */
	int64_t since;		/* of level */
	int64_t wait;		/* until the next trial */
	bool tried;		/* it was left once: too dear again is a trial that failed */
	double share;		/* of the newest moment */
	double spent;		/* ns in all, estimated */
	int64_t sampled;	/* 0: never */
};

/* What happened since the sample before. */
struct guard_sample {
	int64_t now;		/* ns */
	uint64_t calls;		/* reads and writes that were counted */
	uint32_t threads;	/* that made them */
};

#define GUARD_MOMENT INT64_C(100000000)	/* between samples: shorter ones are not judged */

void guard_begin(struct guard *g, double budget, int32_t level, int64_t now);
/* The level to be in force from now on. */
int32_t guard_step(struct guard *g, const struct guard_sample *s);
/* Somebody asks for another one. */
void guard_ask(struct guard *g, int32_t level, int64_t now);
#endif
