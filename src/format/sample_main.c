/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright the prov authors */
/* sample_main.c - writes a sample graph in any format, for system tests */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "format/format.h"
#include "format/sample.h"

static int usage(void)
{
	const struct sample *s;

	fprintf(stderr,
		"usage: sample-graph FORMAT SAMPLE [all] [ascii] [colour] [COLUMNS]\nsamples:\n");
	for (size_t i = 0; (s = sample_at(i)); i++)
		fprintf(stderr, "  %-12s %s\n", s->name, s->what);
	return 2;
}

int main(int argc, char **argv)
{
	const struct format_ops *f = argc > 2 ? format_find(argv[1]) : NULL;
	const struct sample *s = argc > 2 ? sample_find(argv[2]) : NULL;
	struct format_options o = { .unicode = true };
	struct graph g = { 0 };
	struct buf out = { 0 };
	int r;

	if (!f || !s)
		return usage();
	o.forward = s->forward;
	for (int i = 3; i < argc; i++) {
		o.all |= !strcmp(argv[i], "all");
		o.colour |= !strcmp(argv[i], "colour");
		o.unicode &= strcmp(argv[i], "ascii") != 0;
		if (argv[i][0] >= '0' && argv[i][0] <= '9')
			o.columns = (unsigned)strtoul(argv[i], NULL, 10);
	}
	s->build(&g);
	r = f->write(&g, &o, &out);
	if (r < 0)
		fprintf(stderr, "sample-graph: %s\n", fail_text());
	else
		fwrite(out.data, 1, out.size, stdout);
	buf_release(&out);
	graph_release(&g);
	return r < 0;
}
