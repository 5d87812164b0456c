/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* fuzz_told.c - records of the kernel, with texts that programs chose, translated */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "engine/told.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What is handed over has passed the decoder's check, so all of it may be read. */
static void on_event(void *ctx, uint32_t pid, int64_t start, const struct event *e)
{
	unsigned *sum = ctx;

	if (e->size > sizeof(e->room) || event_check(e) < 0)
		abort();
	for (size_t i = 0; i < e->size; i++)
		*sum += (unsigned char)e->room[i];
}

static void on_ended(void *ctx, uint32_t pid, int64_t start, int64_t when, bool replaced)
{
}

static void on_running(void *ctx, uint32_t pid, int64_t start)
{
}

static void on_hole(void *ctx, uint32_t pid, int64_t start, const char *kind, const char *why,
		    uint64_t count)
{
	*(unsigned *)ctx += (unsigned)(strlen(kind) + strlen(why));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char allowed[] = "HOME\0LC_*";
	const struct strings env = { allowed, sizeof(allowed) };
	unsigned sum = 0;
	const struct engine_sink sink = { .ctx = &sum, .event = on_event, .ended = on_ended,
					  .running = on_running, .hole = on_hole };
	/* aligned as in the ring buffer, and exactly as large, so that a step outside is found */
	char *records = malloc(size ? size : 1);
	struct told *t = told_create(&env);

	if (!records)
		abort();
	if (size)
		memcpy(records, data, size);
	(void)told_records(t, records, size, &sink);
	told_running(t, &sink);
	told_destroy(t);
	free(records);
	return 0;
}
