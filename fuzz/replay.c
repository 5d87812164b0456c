/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* replay.c - feeds every file of a corpus to one fuzz target; TAP */
#include <dirent.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int visible(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

/* The copy is as large as the input and no larger, so that ASan sees the first
 * byte read behind it. */
static int feed(const char *folder, const char *name)
{
	char path[4096];
	FILE *f;
	uint8_t *data = NULL;
	long size = -1;
	int r = -1;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	f = fopen(path, "rb");
	if (!f)
		return -1;
	if (fseek(f, 0, SEEK_END) == 0)
		size = ftell(f);
	if (size < 0 || fseek(f, 0, SEEK_SET) != 0)
		goto out;
	data = malloc(size ? (size_t)size : 1);
	if (!data || fread(data, 1, (size_t)size, f) != (size_t)size)
		goto out;
	LLVMFuzzerTestOneInput(data, (size_t)size);
	r = 0;
out:
	free(data);
	fclose(f);
	return r;
}

int main(int argc, char **argv)
{
	struct dirent **list;
	int failed = 0;
	int n;

	if (argc != 2) {
		fprintf(stderr, "usage: %s CORPUS\n", argv[0]);
		return 2;
	}
	n = scandir(argv[1], &list, visible, alphasort);
	if (n <= 0) {
		printf("1..1\nnot ok 1 - %s: %s\n", argv[1], n ? strerror(errno) : "is empty");
		return 1;
	}
	printf("1..%d\n", n);
	for (int i = 0; i < n; i++) {
		/* What comes next may crash: say before which file it did. */
		printf("# %s\n", list[i]->d_name);
		fflush(stdout);
		int r = feed(argv[1], list[i]->d_name);
		failed |= r < 0;
		printf("%sok %d - %s\n", r < 0 ? "not " : "", i + 1, list[i]->d_name);
		free(list[i]);
	}
	free(list);
	return failed;
}
