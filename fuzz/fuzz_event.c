/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* fuzz_event.c - a chunk of shared memory, walked and decoded */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "event/decode.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Touches everything that a check has vouched for. */
static size_t look(const struct event *e)
{
	switch (event_head(e)->type) {
	case PROV_START: {
		const struct prov_start *s = EVENT_AS(prov_start, e);

		return strlen(s->text) + strlen(s->text + s->exe_size);
	}
	case PROV_OPEN:
		return strlen(EVENT_AS(prov_open, e)->text);
	case PROV_NAME: {
		const struct prov_name *n = EVENT_AS(prov_name, e);

		return strlen(n->text) + (n->to_size ? strlen(n->text + n->from_size) : 0);
	}
	case PROV_EXEC:
		return strlen(EVENT_AS(prov_exec, e)->text);
	case PROV_HOLE: {
		const struct prov_hole *h = EVENT_AS(prov_hole, e);

		return strlen(h->text) + strlen(h->text + h->kind_size);
	}
	case PROV_ARGV:
	case PROV_ENVIRON:
	case PROV_LOADED: {
		const struct prov_strings *s = EVENT_AS(prov_strings, e);
		size_t n = 0;

		for (uint32_t i = 0; i < s->size; i++)
			n += (unsigned char)s->text[i];
		return n;
	}
	default:
		return 0;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* exactly as large as a chunk, so that a step outside is found */
	char *chunk = calloc(1, PROV_CHUNK_SIZE);
	struct event *e = malloc(sizeof(*e));
	size_t at = PROV_CHUNK_HEAD;
	size_t seen = 0;

	if (!chunk || !e)
		abort();
	if (size > PROV_CHUNK_SIZE - PROV_CHUNK_HEAD)
		size = PROV_CHUNK_SIZE - PROV_CHUNK_HEAD;
	memcpy(chunk + PROV_CHUNK_HEAD, data, size);
	for (;;) {
		enum event_result r = event_next(chunk, &at, e);

		if (r == EVENT_READY)
			seen += look(e);
		else if (r != EVENT_SKIPPED)
			break;
	}
	/* so that the reads are not optimised away */
	if (seen == SIZE_MAX)
		abort();
	free(e);
	free(chunk);
	return 0;
}
