/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* fuzz_journal.c - the records of one journal block */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "journal/journal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena a = { 0 }, b = { 0 };
	struct facts f, again;
	struct buf out = { 0 };
	const char *folder;

	/* what was read must come out the same when written and read again */
	if (journal_decode((const char *)data, size, &a, &f, &folder) == 0) {
		journal_encode(&f, &out);
		if (journal_decode(out.data, out.size, &b, &again, &folder) < 0 ||
		    again.n_accesses != f.n_accesses || again.n_executions != f.n_executions ||
		    again.n_runs != f.n_runs || again.n_names != f.n_names)
			abort();
	}
	buf_release(&out);
	arena_release(&b);
	arena_release(&a);
	return 0;
}
