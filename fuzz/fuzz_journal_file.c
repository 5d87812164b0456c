/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* fuzz_journal_file.c - a journal as a file: blocks, checksums, compression */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "journal/journal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int count(void *ctx, const struct facts *f)
{
	*(size_t *)ctx += f->n_accesses;
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("journal", MFD_CLOEXEC);
	size_t n = 0;
	const struct journal_sink sink = { .ctx = &n, .facts = count };
	struct journal_end end;
	char path[40];

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	(void)journal_read(path, &sink, &end);
	if (end.at > end.size && end.size)
		abort();
	(void)close(fd);
	return 0;
}
